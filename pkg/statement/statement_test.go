package statement

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
)

// TestWhatSeveralSentencesMake: a text is what a third of its letters are.
func TestWhatSeveralSentencesMake(t *testing.T) {
	const (
		plain    = "Le bassin a été vidé en octobre et nettoyé par une entreprise de la région."
		alleged  = "Selon une lettre anonyme, la commune aurait payé deux fois le même carrelage."
		thought  = "À mon avis, la mairie aurait dû publier les deux factures dès le mois de mars."
		found    = "Le tribunal a condamné le gérant à rembourser la somme que la commune avait versée."
		refuted  = "Il n’est pas établi que l’adjoint ait donné l’ordre de ne pas enregistrer la note du service."
		obsolete = "L’ancien tarif n’est plus applicable."
	)
	for name, c := range map[string]struct {
		source string
		texts  []string
		want   string
	}{
		"nothing":                       {"official", nil, "fact under_review fact"},
		"a fact":                        {"official", []string{plain}, "fact under_review fact"},
		"a fact in a forum":             {"forum", []string{plain}, "opinion under_review fact"},
		"an allegation":                 {"official", []string{alleged}, "allegation under_review allegation"},
		"an allegation in a comment":    {"comment", []string{alleged}, "allegation under_review allegation"},
		"an allegation in passing":      {"official", []string{plain, plain, alleged, plain}, "fact under_review allegation"},
		"every other sentence":          {"official", []string{plain + " " + alleged}, "allegation under_review allegation"},
		"allegation and opinion":        {"official", []string{alleged, thought, alleged}, "allegation under_review allegation"},
		"opinion and allegation":        {"official", []string{thought, alleged, thought}, "opinion under_review allegation"},
		"an opinion":                    {"wiki", []string{thought}, "opinion under_review opinion"},
		"a judgment":                    {"official", []string{plain, found}, "fact confirmed fact"},
		"more refuted than confirmed":   {"official", []string{found, refuted}, "fact refuted fact"},
		"confirmed in passing":          {"official", []string{plain, plain, plain, found}, "fact under_review fact"},
		"what no longer counts":         {"official", []string{obsolete}, "fact obsolete fact"},
		"a judgment beside allegations": {"official", []string{alleged, alleged, found}, "allegation under_review allegation"},
	} {
		got := Judge("fr", c.source, c.texts)
		if s := strings.Join([]string{string(got.Type), string(got.Status), string(got.Guess)}, " "); s != c.want {
			t.Errorf("%s: %s, want %s", name, s, c.want)
		}
	}
	if got := Judge("co", "official", []string{alleged}); got != (Judgement{Type: model.ChunkFact, Status: model.StatusUnderReview}) {
		t.Errorf("a language without rules: %+v", got)
	}
}

// TestDatesThatCount: a date counts with the words before it, in full, at the beginning of a short block.
func TestDatesThatCount(t *testing.T) {
	for _, c := range []struct{ language, text, want string }{
		{"fr", "Publié le 12 mai 2025 par la rédaction", "2025-05-12 published"},
		{"fr", "Publié le 12 mai 2025, mis à jour le 3 juin 2025", "2025-05-12 published"},
		{"fr", "Mis à jour le 03/06/2025", "2025-06-03 updated"},
		{"fr", "Le maire a publié le 12 mai 2025 un arrêté.", ""},
		{"fr", "Publié en mai 2025", ""},
		{"fr", "Publié hier ; la prochaine réunion de la commission est prévue à la mairie le 12 mai 2025", ""},
		{"fr", "Publié le 12 mai 2025 " + strings.Repeat("et lu ", 60), ""},
		{"pt", "Data da sessão: 3 de março de 2025", "2025-03-03 session"},
		{"pt", "Acórdão n.º 12, de 4 de junho de 2026", "2026-06-04 judgment"},
		{"it", "Tribunale di Roccalta, sentenza del 4 giugno 2026", "2026-06-04 judgment"},
		{"en", "Minutes of the meeting held on 3 March 2026", "2026-03-03 session"},
		{"en", "Posted on 03/04/2026", ""}, // of which month nobody knows
		{"es", "Publicado el 3 de marzo de 2026", ""},
		{"", "Publié le 12 mai 2025", ""},
	} {
		d, _ := DateOf(c.language, c.text)
		if got := strings.TrimSpace(d.Day + " " + d.Kind); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.language, c.text, got, c.want)
		}
	}
	if (Date{Day: "2026-01-01", Kind: datePublished}).Better(Date{Day: "2026-01-02", Kind: dateSession}) || !(Date{Day: "2026-01-01", Kind: dateUpdated}).Better(Date{}) {
		t.Error("the order of sorts is not kept")
	}
}

func TestMeta(t *testing.T) {
	got := MetaOf("fr", "Tribunal de Haute-Ardille, jugement du 19 février 2026", []string{"La décision"}, []string{
		"M. Régis Vaucanson est condamné à rembourser la commune de Sainte-Ombrine. M. Lucien Barberousse-Petit est relaxé ; le tribunal",
		"Le jugement est susceptible d’appel devant la Cour d’appel de Vérane dans un délai de quinze jours. La facture d’eau est annulée.",
	})
	want := model.ChunkMeta{
		Topic: "justice", Tags: []string{"budget", "water"}, KindOfContent: "judgment",
		Actors:    []string{"M. Régis Vaucanson", "commune de Sainte-Ombrine", "M. Lucien Barberousse-Petit", "tribunal", "Cour d’appel de Vérane"},
		LegalCues: []string{"appeal", "deadline", "repeal", "sentence"},
	}
	if got.Topic != want.Topic || !slices.Equal(got.Tags, want.Tags) || got.KindOfContent != want.KindOfContent ||
		!slices.Equal(got.Actors, want.Actors) || !slices.Equal(got.LegalCues, want.LegalCues) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := MetaOf("fr", "Le journal", []string{"Arrêté du maire", "Titre II"}, nil).KindOfContent; got != "regulation" {
		t.Errorf("the nearest heading that says what it is: %q", got)
	}
}

// TestVersionNamesTheTables: whoever changes a table raises Version, and model.ChunkerVersion with it.
func TestVersionNamesTheTables(t *testing.T) {
	sum := sha256.New()
	files, err := fs.Glob(data, "data/*.tsv")
	if err != nil || len(files) != len(Languages())+1 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		raw, err := fs.ReadFile(data, f)
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(raw)
	}
	const version, leastChunker, digest = "statements_3", 9, "7dbb01afad078a4cfa165b6753baa8f6710cba20530856d1062613c34392996a"
	chunker, err := strconv.Atoi(model.ChunkerVersion)
	if got := hex.EncodeToString(sum.Sum(nil)); got != digest || Version != version || chunker < leastChunker || err != nil {
		t.Errorf("the tables of %s under chunker %d have the digest %s: with other tables, raise both and write them here (%v)", Version, chunker, got, err)
	}
}

// FuzzText: whatever a text is, something is said of it, in UTF-8 where it is that, and the same again.
func FuzzText(f *testing.F) {
	f.Add("fr", "L’association X accuse la mairie d’irrégularités.")
	f.Add("en", "!!! … it's said that Dr. O'N 's ' ’")
	f.Add("pt", "M. \xff\xfe º ª d' ")
	f.Add("it", strings.Repeat("se ", 400))
	f.Fuzz(func(t *testing.T, language, text string) {
		first := Judge(language, "official", []string{text})
		if first.Type == "" || first.Status == "" || first != Judge(language, "official", []string{text}) {
			t.Errorf("%+v", first)
		}
		meta := MetaOf(language, text, []string{text}, []string{text})
		for _, a := range meta.Actors {
			if utf8.ValidString(text) && (!utf8.ValidString(a) || !strings.Contains(text, a)) {
				t.Errorf("%q is not in %q", a, text)
			}
		}
		if d, ok := DateOf(language, text); ok && (d.Day == "" || dateRank(d.Kind) < 0) {
			t.Errorf("%+v", d)
		}
	})
}

// BenchmarkChunk is what the rules cost a chunk of about 512 tokens.
func BenchmarkChunk(b *testing.B) {
	p := strings.Repeat("Le conseil municipal a adopté la délibération par neuf voix contre quatre, après que M. Martin eut rappelé le prix de l’eau. ", 16)
	b.SetBytes(int64(len(p)))
	for b.Loop() {
		Judge("fr", "official", []string{p})
		MetaOf("fr", "Procès-verbal", nil, []string{p})
	}
}
