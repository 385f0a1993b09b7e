package filter

import (
	"strings"
	"unicode"
	"unicode/utf8"

	pb "github.com/qdrant/go-client/qdrant"
)

// splitTokens divides a text as a full-text index with these parameters does: by white space (whitespace tokenizer) or by
// everything that is neither letter nor digit (word tokenizer, the default), in lower case unless that is turned off,
// leaving out tokens that are too short or too long.
func splitTokens(params *pb.TextIndexParams, text string) []string {
	if params == nil || params.Lowercase == nil || params.GetLowercase() {
		text = strings.ToLower(text)
	}
	isBorder := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }
	if params.GetTokenizer() == pb.TokenizerType_Whitespace {
		isBorder = unicode.IsSpace
	}
	var tokens []string
	for _, token := range strings.FieldsFunc(text, isBorder) {
		length := uint64(utf8.RuneCountInString(token))
		if length < params.GetMinTokenLen() || params.GetMaxTokenLen() > 0 && length > params.GetMaxTokenLen() {
			continue
		}
		tokens = append(tokens, token)
	}
	return tokens
}

// ServesText reports whether a text index with these parameters divides texts in a way that Tokens knows.
func ServesText(params *pb.TextIndexParams) bool {
	switch params.GetTokenizer() {
	case pb.TokenizerType_Prefix, pb.TokenizerType_Multilingual:
		return false
	default:
		return params.GetStopwords() == nil && params.GetStemmer() == nil && !params.GetAsciiFolding()
	}
}
