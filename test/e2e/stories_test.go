package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/colophon-dev/colophon/pkg/statement"
	"github.com/colophon-dev/colophon/test/programs"
	"github.com/colophon-dev/colophon/test/questions"
)

// told is what a question's context has of one item.
type told struct {
	ChunkRef   string   `json:"chunk_ref"`
	Content    string   `json:"content"`
	Type       string   `json:"type"`
	Status     string   `json:"status"`
	InfoDate   string   `json:"info_date"`
	SourceID   string   `json:"source_id"`
	Replaces   []string `json:"replaces"`
	ReplacedBy []struct {
		ChunkRef string `json:"chunk_ref"`
		Type     string `json:"type"`
		Status   string `json:"status"`
	} `json:"replaced_by"`
}

// knownOf asks what is known of a question, as of a day where one is given, and returns all items and the prompt.
func knownOf(t *testing.T, w *world, question, asOf string, more ...string) (items []told, prompt string) {
	t.Helper()
	args := append([]string{"context", question, "--json", "--limit", "50", "--budget", "60000"}, more...)
	if asOf != "" {
		args = append(args, "--as-of", asOf)
	}
	var a struct {
		Facts, Unconfirmed, Allegations, Opinions, Withdrawn []told
		Prompt                                               string
	}
	if err := json.Unmarshal([]byte(w.must(0, args...).out), &a); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(a.Facts, a.Unconfirmed, a.Allegations, a.Opinions, a.Withdrawn), a.Prompt
}

// saying returns the items that have a passage.
func saying(items []told, passage string) (found []told) {
	for _, i := range items {
		if questions.Holds(i.Content, passage) {
			found = append(found, i)
		}
	}
	return found
}

// tellStories captures the documents of test/questions/stories, each of its own source at its own date,
// versions of one URL under one name.
func tellStories(t *testing.T, w *world) []questions.Asked {
	t.Helper()
	tellings, asked, err := questions.ReadStories()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, d := range tellings {
		if !known[d.Source] {
			known[d.Source] = true
			w.must(0, "source", "add", d.Source, "--name", d.Source, "--language", d.Language)
		}
		file := filepath.Join(t.TempDir(), path.Base(d.URL)+".html")
		if err := os.WriteFile(file, d.Content, 0o600); err != nil {
			t.Fatal(err)
		}
		w.must(0, "capture", "--wait", "--source", d.Source, "--at", d.Date.Format("2006-01-02T15:04:05Z"), file)
	}
	return asked
}

// TestStories are told in docs/stories.md: what is found of each question at its date, and as what.
func TestStories(t *testing.T) {
	programs.NeedServers(t)
	w := startDev(t, t.TempDir(), nil)
	asked := tellStories(t, w)

	for _, q := range asked {
		items, _ := knownOf(t, w, q.Text, q.AsOf)
		found := saying(items, q.Passage)
		if len(found) == 0 {
			t.Errorf("%s, as of %s: nothing says %q", q.Text, q.AsOf, q.Passage)
			continue
		}
		if q.Document == "communique-2025" { // one sentence of a text that tells facts: the chunk is what most of it is
			if typ, _ := statement.Sentence(q.Language, q.Passage); string(typ) != q.Type || found[0].Type != "fact" {
				t.Errorf("%q is %s by itself, its chunk %s", q.Passage, typ, found[0].Type)
			}
			continue
		}
		status := q.Status
		if status == "" {
			status = "under_review"
		}
		if got := found[0]; got.Type != q.Type || got.Status != status {
			t.Errorf("%s, as of %s: %s is told as %s, %s, not %s, %s", q.Text, q.AsOf, q.Document, got.Type, got.Status, q.Type, status)
		}
	}

	t.Run("allegation and judgment", func(t *testing.T) { bothAreShown(t, w) })
	t.Run("notes", func(t *testing.T) { notesAreAdded(t, w) })
	t.Run("regulation", func(t *testing.T) { itsVersionIsToldFirst(t, w) })
	t.Run("notice", func(t *testing.T) { oneSourceWithdraws(t, w) })
	w.must(0, "verify", "--all")
}

const (
	alleged = "la commune aurait payé deux fois la même facture de carrelage"
	judged  = "Il est condamné à quatorze mois d’emprisonnement avec sursis et à rembourser à la commune 47 000 florins."
	piscine = "facture de carrelage de la piscine de Sainte-Ombrine, Régis Vaucanson condamné"
)

// bothAreShown: the allegation of 2025 stands beside the judgment of 2026, each as what it is; before the
// judgment there is only the allegation.
func bothAreShown(t *testing.T, w *world) {
	items, prompt := knownOf(t, w, piscine, "2026-04-01")
	a, j := saying(items, alleged), saying(items, judged)
	if len(a) != 1 || len(j) != 1 || a[0].Type != "allegation" || j[0].Type != "fact" || j[0].Status != "confirmed" || a[0].InfoDate != "2025-05-12" || j[0].InfoDate != "2026-02-19" {
		t.Fatalf("the allegation %+v, the judgment %+v", a, j)
	}
	if first, second := strings.Index(prompt, "CONFIRMED FACTS"), strings.Index(prompt, "ALLEGATIONS"); first < 0 || second < first {
		t.Errorf("the prompt does not tell confirmed facts before allegations:\n%s", prompt)
	}
	items, _ = knownOf(t, w, piscine, "2025-06-01")
	if len(saying(items, judged)) != 0 || len(saying(items, alleged)) != 1 {
		t.Error("the judgment is known before it was given")
	}
}

// notesAreAdded: what is known of the allegation since is a chunk of its own with its evidence; the allegation
// stays as it was, and both are shown with each other. What cannot be evidence is refused.
func notesAreAdded(t *testing.T, w *world) {
	items, _ := knownOf(t, w, piscine, "2026-04-01")
	a, j := saying(items, alleged)[0], saying(items, judged)[0]
	w.must(0, "source", "add", "knowledge", "--name", "Rédaction", "--language", "fr")
	const note = "Un seul des deux paiements de carrelage était frauduleux, celui de 47 000 florins."
	const quote = "rembourser à la commune 47 000 florins"
	add := func(code int, more ...string) result {
		return w.must(code, append([]string{"knowledge", "add", note, "--date", "2026-02-19", "--language", "fr"}, more...)...)
	}
	for what, args := range map[string][]string{
		"there is no chunk":       {"--evidence", strings.Repeat("0", 64) + ":0", "--quote", quote},
		"is no chunk_ref":         {"--evidence", "elsewhere", "--quote", quote},
		"does not have the words": {"--evidence", j.ChunkRef, "--quote", "rembourser à la commune 94 000 florins"},
		"on page 2":               {"--evidence", j.ChunkRef, "--page", "2", "--quote", quote},
		"proves nothing":          {"--evidence", j.ChunkRef, "--quote", "florins"},
		"needs evidence":          {},
		"there is no source":      {"--evidence", j.ChunkRef, "--quote", quote, "--source", "knowledge-none"},
		"begins with knowledge-":  {"--evidence", j.ChunkRef, "--quote", quote, "--source", "court"},
	} {
		if r := add(2, args...); !strings.Contains(r.err, what) {
			t.Errorf("%v: %q, want %q", args, r.err, what)
		}
	}
	added := strings.TrimSpace(add(0, "--evidence", j.ChunkRef, "--quote", quote, "--replaces", a.ChunkRef).out)
	if again := strings.TrimSpace(add(0, "--evidence", j.ChunkRef, "--quote", quote, "--replaces", a.ChunkRef).out); again != added {
		t.Errorf("the same note is %s, then %s", added, again)
	}
	items, prompt := knownOf(t, w, piscine, "2026-04-01")
	old, fresh := saying(items, alleged), saying(items, note)
	if len(old) != 1 || old[0].ChunkRef != a.ChunkRef || old[0].Type != "allegation" || old[0].Status != "under_review" ||
		len(old[0].ReplacedBy) != 1 || old[0].ReplacedBy[0].ChunkRef != added || old[0].ReplacedBy[0].Status != "confirmed" {
		t.Errorf("the allegation is %+v", old)
	}
	if len(fresh) != 1 || fresh[0].ChunkRef != added || fresh[0].Type != "fact" || fresh[0].Status != "confirmed" || !slices.Equal(fresh[0].Replaces, []string{a.ChunkRef}) {
		t.Errorf("the note is %+v", fresh)
	}
	if !strings.Contains(prompt, "since 2026-02-19 fact, confirmed, by Rédaction") {
		t.Errorf("the prompt does not say what is known since:\n%s", prompt)
	}
	if items, _ := knownOf(t, w, piscine, "2025-06-01"); len(saying(items, alleged)[0].ReplacedBy) != 0 {
		t.Error("the note is known before its date")
	}
	summary := []string{"--sums-up", a.ChunkRef, "--sums-up", j.ChunkRef, "--layer", "summary"}
	if r := add(2, summary...); !strings.Contains(r.err, "source add knowledge-summary") {
		t.Errorf("a summary without its source: %q", r.err)
	}
	w.must(0, "source", "add", "knowledge-summary", "--name", "Rédaction", "--layer", "summary")
	ref := strings.TrimSpace(add(0, summary...).out)
	shown := w.must(0, "show", "chunk", ref, "--json").out
	for _, want := range []string{`"layer":"summary"`, `"sums_up":["` + a.ChunkRef + `","` + j.ChunkRef + `"]`} {
		if !strings.Contains(shown, want) {
			t.Errorf("the summary lacks %s: %s", want, shown)
		}
	}
}

// itsVersionIsToldFirst: as of three dates the fee that is told first is what it was then, those of before are told
// behind it with their dates, and none of later is told.
func itsVersionIsToldFirst(t *testing.T, w *world) {
	fees := []string{"2,10 reis de prata por metro e por dia, paga ao sábado", "2,45 reis de prata por metro e por dia, paga ao sábado", "2,45 reis de prata por metro e por dia, paga por mês"}
	for i, day := range []string{"2023-06-01", "2025-01-15", "2026-04-01"} {
		items, _ := knownOf(t, w, "taxa de ocupação do mercado", day, "--source", "municipality")
		newest := -1
		for _, item := range items {
			for n, fee := range fees {
				switch {
				case !questions.Holds(item.Content, fee):
				case n > i:
					t.Errorf("as of %s %q is known, which came later", day, fee)
				case newest < 0:
					newest = n
				}
			}
		}
		if newest != i {
			t.Errorf("as of %s fee %d is told first, not %d", day, newest, i)
		}
	}
}

// oneSourceWithdraws: what two sources publish is one hit with both; when one has taken it away it stays with
// the other, and what the first said once is in its archive.
func oneSourceWithdraws(t *testing.T, w *world) {
	const passage = "Due autobotti saranno in piazza del Pozzo e davanti alla scuola elementare."
	sources := func(more ...string) (all []string) {
		var found struct {
			Hits []struct {
				Content string `json:"content"`
				Sources []told `json:"sources"`
			} `json:"hits"`
		}
		if err := json.Unmarshal([]byte(w.must(0, append([]string{"search", "autobotti in piazza del Pozzo", "--json"}, more...)...).out), &found); err != nil {
			t.Fatal(err)
		}
		for _, h := range found.Hits {
			if questions.Holds(h.Content, passage) {
				for _, s := range h.Sources {
					all = append(all, s.SourceID)
				}
			}
		}
		slices.Sort(all)
		return all
	}
	if got := sources(); !slices.Equal(got, []string{"azienda", "comune"}) {
		t.Fatalf("the notice is that of %q", got)
	}
	file := filepath.Join(t.TempDir(), "acqua-aprile.html")
	const gone = `<!DOCTYPE html><html lang="it"><head><title>Avviso ritirato</title></head><body><main><p>L’avviso è stato ritirato dal comune il giorno dopo.</p></main></body></html>`
	if err := os.WriteFile(file, []byte(gone), 0o600); err != nil {
		t.Fatal(err)
	}
	w.must(0, "capture", "--wait", "--source", "comune", "--at", "2026-04-02T09:00:00Z", file)
	if got := sources(); !slices.Equal(got, []string{"azienda"}) {
		t.Errorf("after one has withdrawn it the notice is that of %q", got)
	}
	if got := sources("--source", "comune", "--layer", "archive"); !slices.Equal(got, []string{"comune"}) {
		t.Errorf("the archive of the one that has withdrawn it: %q", got)
	}
}

// TestAServerLiesAboutItsDates: a text that changes under one Last-Modified is the next generation of the same
// doc_hash; the words of before are in the archive.
func TestAServerLiesAboutItsDates(t *testing.T) {
	programs.NeedServers(t)
	var text atomic.Value
	text.Store("The ferry leaves at seven in the morning.")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Last-Modified", "Mon, 02 Mar 2026 08:00:00 GMT")
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(text.Load().(string)))
	}))
	defer server.Close()
	w := startDev(t, t.TempDir(), []string{"COLOPHON_FETCH_NETWORKS=127.0.0.1/32"})
	refs := func(layer string) (all []string) {
		var found struct {
			Hits []told `json:"hits"`
		}
		if err := json.Unmarshal([]byte(w.must(0, "search", "ferry leaves in the morning", "--layer", layer, "--json").out), &found); err != nil {
			t.Fatal(err)
		}
		for _, h := range found.Hits {
			all = append(all, h.ChunkRef)
		}
		return all
	}
	w.must(0, "source", "add", "port", "--name", "Port", "--language", "en")
	w.must(0, "capture", "--wait", "--source", "port", server.URL+"/times.txt")
	first := refs("hot")
	text.Store("The ferry leaves at eight in the morning.")
	w.must(0, "capture", "--wait", "--force", "--source", "port", server.URL+"/times.txt")
	if now, before := refs("hot"), refs("archive"); len(first) != 1 || !slices.Equal(now, []string{first[0] + "@2"}) || !slices.Equal(before, first) {
		t.Errorf("first %q, then %q with %q in the archive", first, now, before)
	}
	w.must(0, "verify", "--all")
}
