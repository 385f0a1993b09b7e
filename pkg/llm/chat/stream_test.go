package chat

import (
	"errors"
	"testing"
)

// FuzzTake: whatever an endpoint sends as a part of an answer is text, or an error of ours.
func FuzzTake(f *testing.F) {
	for _, s := range []string{
		`{"choices":[{"delta":{"role":"assistant","content":"a"}}]}`, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":-1,"completion_tokens":5}}`, `{"choices":[{"delta":{"refusal":"no"}}]}`, `{"choices":[{"delta":{"role":"user"}}]}`, `<html>`, ``, `null`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var a Answer
		finish := ""
		text, err := a.take(data, &finish)
		if err != nil && (text != "" || !errors.Is(err, ErrOdd) && !errors.Is(err, ErrRefused)) {
			t.Errorf("%q: %q, %v", data, text, err)
		}
		if a.QuestionTokens < 0 || a.AnswerTokens < 0 {
			t.Errorf("%q costs %+v", data, a)
		}
	})
}
