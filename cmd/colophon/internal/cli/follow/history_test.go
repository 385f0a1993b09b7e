package follow

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

func TestLedger(t *testing.T) {
	var b strings.Builder
	writeLedger(&b, []pageState{
		{PageNo: 1, Status: model.PageProcessed, Units: 7, Coverage: 1, Ledger: &model.Ledger{Characters: model.Account{Found: 90, Placed: 90}},
			LeftOut: &model.LeftOut{Text: 90, Heads: 12}},
		{PageNo: 2, Status: model.PageProcessed, Units: 3, Coverage: 0.9, Flags: []string{"unclear"}, Ledger: &model.Ledger{
			Characters: model.Account{Found: 10, Placed: 9, Skipped: []model.Skipped{{Reason: "outside the page", Count: 1}}},
			Pictures:   model.Account{Found: 2, Placed: 1, Failed: 1}}},
		{PageNo: 3, Status: model.PageFailed, Reason: "timeout", Message: "page 3: too slow"},
		{PageNo: 4, Status: model.PageProcessed, Coverage: 0.5, CoverageNote: "5 characters are hidden", Ledger: nil},
		{PageNo: 5, Status: model.PageProcessed, Coverage: 1, Ledger: &model.Ledger{
			Characters: model.Account{Found: 2, Skipped: []model.Skipped{{Reason: "invisible", Count: 1}, {Reason: "outside the page", Count: 1}}}}},
	})
	want := `  page  state      units  coverage
     1  processed      7    1.0000  12 of 90 characters left out (12 of running heads and feet, 0 of furniture)
     2  processed      3    0.9000  characters: 9 of 10 in units, 1 skipped (outside the page); pictures: 1 of 2 in units, 1 failed; unclear
     3  failed         0    0.0000  timeout: page 3: too slow
     4  processed      0    0.5000  5 characters are hidden
     5  processed      0    1.0000  characters: 0 of 2 in units, 1 skipped (invisible), 1 skipped (outside the page)
2 of 5 pages in units as a whole, 1 failed
characters: 99 of 102 in units, 1 skipped (invisible), 2 skipped (outside the page)
pictures: 1 of 2 in units, 1 failed
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", &b, want)
	}
}

// TestHistorySaysWhatIsNotInChunks: the newest manifest's count stands below the pages,
// and that it is unusual.
func TestHistorySaysWhatIsNotInChunks(t *testing.T) {
	for unusual, want := range map[string]string{
		"":               "not in chunks: 40 of 100 characters left out (40 of running heads and feet, 0 of furniture)\n",
		"it is too much": "not in chunks: 40 of 100 characters left out (40 of running heads and feet, 0 of furniture)\nunusual: it is too much\n",
	} {
		var b strings.Builder
		writeHistory(&b, history{Manifests: []model.Manifest{{Status: model.ManifestError}, {Generation: 1, LeftOut: &model.LeftOut{Text: 100, Heads: 40, Unusual: unusual}}, {}}})
		if !strings.HasSuffix(b.String(), want) {
			t.Errorf("%q: %s", unusual, b.String())
		}
	}
}
