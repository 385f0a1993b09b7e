package present

import (
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// BlockHash returns the block hash of a unit (contracts#block-hash): that of its text; of
// one without text that of its picture, as its evidence tells it. contentHash is that of
// the snapshot. The unit's evidence must be complete.
func BlockHash(u *model.Unit, contentHash string) string {
	if strings.IndexFunc(u.FieldsRaw.Text, says) >= 0 || len(u.Evidence) == 0 {
		return digest.BlockHash(u.FieldsRaw.Text)
	}
	if named := pictures(u.FieldsRaw.Images); len(named) > 0 {
		return digest.HexParts(named...)
	}
	e := &u.Evidence[0]
	if e.BBox == nil {
		return strings.TrimPrefix(e.FragmentHash, "sha256:") // of the bytes of the picture and the tag around them
	}
	page := e.PageNumber
	if e.PageIndex != nil {
		page = *e.PageIndex + 1
	}
	box := digest.BBox(*e.BBox)
	return digest.Picture(contentHash, page, &box, nil)
}

// says reports whether a character is left of a text in its normal form, which has none
// of white space alone (contracts#textnorm).
func says(r rune) bool { return !unicode.IsSpace(r) && r != '\uFEFF' }

// pictures returns the digest or the address of each picture; none when one has neither,
// since its bytes are in the captured ones.
func pictures(images []model.Image) []string {
	named := make([]string, 0, len(images))
	for _, image := range images {
		switch {
		case image.SHA256 != "":
			named = append(named, image.SHA256)
		case image.URL != "":
			named = append(named, image.URL)
		default:
			return nil
		}
	}
	return named
}
