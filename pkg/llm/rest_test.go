package llm

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// TestAnEndpointIsLeftAlone: longer after each failure, and as long as it asks for.
func TestAnEndpointIsLeftAlone(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	r := &rest{now: func() time.Time { return now }}
	oops := errors.New("oops")
	for i, c := range []struct{ asked, want time.Duration }{
		{0, time.Second}, {0, 2 * time.Second}, {time.Minute, time.Minute}, {0, 8 * time.Second}, {time.Hour, 10 * time.Minute}, {0, 30 * time.Second},
	} {
		if err := r.failed(t.Context(), c.asked, oops); fault.KindOf(err) != fault.KindUnavailable || !errors.Is(err, oops) {
			t.Errorf("%d: %v", i, err)
		}
		now = now.Add(c.want - 1)
		if err := r.Ready(); !errors.Is(err, ErrAway) || !errors.Is(err, oops) {
			t.Errorf("%d: ready before %s: %v", i, c.want, err)
		}
		now = now.Add(1)
		if err := r.Ready(); err != nil {
			t.Errorf("%d: not ready after %s: %v", i, c.want, err)
		}
	}
	r.answered(t.Context(), now)
	if _ = r.failed(t.Context(), 0, oops); r.until != now.Add(time.Second) {
		t.Errorf("after an answer it rests until %s", r.until)
	}
}

// TestAnOlderAnswerEndsNoRest: what was asked before the endpoint failed and answered after
// says nothing of what it asked for meanwhile.
func TestAnOlderAnswerEndsNoRest(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	r := &rest{now: func() time.Time { return now }}
	began := now
	now = now.Add(time.Second)
	_ = r.failed(t.Context(), time.Minute, errors.New("status 429"))
	now = now.Add(time.Second)
	for name, at := range map[string]time.Time{"before": began, "at the moment of the failure": now.Add(-time.Second)} {
		if r.answered(t.Context(), at); !errors.Is(r.Ready(), ErrAway) {
			t.Errorf("an answer to a call that began %s ends the rest", name)
		}
	}
	if now = now.Add(time.Minute); r.Ready() != nil {
		t.Error("it is never asked again")
	}
	if r.answered(t.Context(), now); r.failures != 0 || r.why != nil {
		t.Errorf("after an answer it has %d failures, %v", r.failures, r.why)
	}
	now = now.Add(-time.Hour) // a clock that was set back
	if r.Ready() != nil {
		t.Error("after an answer it rests")
	}
}

func TestRetryAfterIsReadInBothForms(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "0.5": 500 * time.Millisecond, "-3": 0, "soon": 0, "1e300": mostPatient, "NaN": 0,
		"Fri, 02 Jan 2026 03:00:20 GMT": 20 * time.Second, "Fri, 02 Jan 2026 02:00:20 GMT": 0,
	} {
		if got := retryAfterOf(value, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

// FuzzSplit: no part is too long, none is empty or broken, and nothing but white space is
// lost between them.
func FuzzSplit(f *testing.F) {
	f.Add("a b c", 1)
	f.Add(strings.Repeat("漢字", 40), 7)
	f.Add(strings.Repeat("x", 300), 20)
	f.Fuzz(func(t *testing.T, text string, tokens int) {
		tokens = max(1, tokens%1000)
		text = clean(text)
		most := max(tokens*bytesPerToken, utf8.UTFMax)
		parts := split(text, tokens)
		for _, p := range parts {
			if p == "" || len(p) > most || !utf8.ValidString(p) {
				t.Errorf("%q is a part of %q by %d", p, text, most)
			}
		}
		if strings.Join(strings.Fields(strings.Join(parts, "")), "") != strings.Join(strings.Fields(text), "") {
			t.Errorf("%q became %q", text, parts)
		}
	})
}
