package fault

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/test/programs"
)

// TestOrders holds what is true now against the order in which things happen:
// what comes late, at once, twice or again must not show (contracts#run-order).
func TestOrders(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	programs.NeedServers(t)
	r := startRig(t)
	straight := ""
	t.Run("one after another", func(t *testing.T) {
		r.beginOrders(t, 20)
		r.startServices()
		for _, of := range history() {
			for _, v := range of {
				r.send(v)
				r.mustBeQuiet(&row{})
			}
		}
		straight = r.current()
		if lines := strings.Count(straight, "\n"); lines < 60 {
			t.Errorf("the dump has only %d lines", lines)
		}
	})
	t.Run("held back, failed and retried", func(t *testing.T) {
		r.beginOrders(t, 21)
		r.startServices()
		r.crooked(history())
		r.mustEqual(straight)
	})
	t.Run("all at once", func(t *testing.T) {
		r.beginOrders(t, 24)
		r.values["COLOPHON_WORKERS"] = "4"
		r.startServices()
		r.atOnce(history())
		r.mustEqual(straight)
	})
	t.Run("operators at once", func(t *testing.T) {
		if asked.form < long {
			t.Skip("in the long form")
		}
		r.beginOrders(t, 25)
		r.startServices()
		r.operated(history())
		r.mustEqual(straight)
	})
	t.Run("a bus lost under operators", func(t *testing.T) {
		if asked.form < wide {
			t.Skip("in the wide form")
		}
		r.beginOrders(t, 26)
		r.values["COLOPHON_RECONCILE_AGE"] = "3s" // what is lost is to be published again
		r.startServices()
		r.operatedInVain(history())
		r.mustEqual(straight)
	})
	t.Run("captures in any order of arrival", func(t *testing.T) { arrived(t, r) })
	t.Run("equal texts", func(t *testing.T) { r.equalTexts(t, pick(12, 100, 100)) })
	t.Run("parsed again under way", r.reparsed)
}

// beginOrders is begin for what is held back: nothing that stands still is
// published again.
func (r *rig) beginOrders(t *testing.T, number int) {
	r.begin(t, number)
	r.values["COLOPHON_RECONCILE_AGE"] = "10m"
}

// history returns the versions of some documents, each in their order: a page
// that changes, one that only changes its markup, one that changes and changes
// back, and a report of two ranges.
func history() [][]*item {
	marked := func(n int) []byte { return bytes.Replace(page(n, 0), []byte("<main>"), []byte("<main class=old>"), 1) }
	v := func(name string, day int, data []byte) *item {
		return &item{kind: kindHTML, request: inline(fmt.Sprintf("%s-%02d", name, day), name, data, day)}
	}
	return [][]*item{
		{v("changes.html", 2, page(1, 0)), v("changes.html", 10, page(1, 1))},
		{v("markup.html", 2, marked(2)), v("markup.html", 10, page(2, 0))},
		{v("back.html", 2, page(3, 0)), v("back.html", 5, page(3, 1)), v("back.html", 8, marked(3))},
		{v("report.pdf", 3, pdf(1, 20))},
	}
}

// crooked hands the same over so that the older versions complete after the
// newer ones, and a page of the report fails before it is brought in.
func (r *rig) crooked(documents [][]*item) {
	r.t.Helper()
	for _, versions := range documents[:3] {
		// The one before the newest is under way all the time.
		late := len(versions) - 2
		release := r.hold(versions[late])
		r.send(versions[late+1])
		r.awaitRun(versions[late+1])
		for _, v := range versions[:late] {
			r.send(v)
			r.awaitRun(v)
		}
		release()
		r.mustBeQuiet(&row{})
		if now := r.document(versions[0]).CurrentSnapshotID; now != versions[late+1].snapshotID() {
			r.t.Errorf("%s: %s is current", versions[0].request.Filename, now)
		}
	}
	report := documents[3][0]
	r.write(r.armed+".always", "extract.page "+report.snapshotID()+"/18")
	r.send(report)
	r.mustBeQuiet(&row{})
	if run := r.run(report); run.State != model.RunPartial || run.Reason == "" {
		r.t.Errorf("with a page that fails the run is %s, %s", run.State, run.Reason)
	}
	r.write(r.armed+".always", "none")
	r.colophon("retry", report.snapshotID(), "--page", "18")
	r.await(deathLimit(), "the redo has begun", func() bool { return r.run(report).Redo == 1 })
	r.mustBeQuiet(&row{})
	if run := r.run(report); run.State != model.RunDone {
		r.t.Errorf("after the retry the run is %s, %s", run.State, run.Message)
	}
}

// atOnce hands all versions of all documents over at the same moment, each by a
// crawler of its own.
func (r *rig) atOnce(documents [][]*item) {
	r.t.Helper()
	var crawlers sync.WaitGroup
	for _, i := range slices.Concat(documents...) {
		crawlers.Go(func() {
			if err := r.publish(r.t.Context(), i.request, false); err != nil {
				r.t.Error(err)
			}
		})
		r.sent[i], r.handed[i] = time.Now(), true
	}
	crawlers.Wait()
	r.mustBeQuiet(&row{})
}

// operated hands all versions over, while operators ask for redos, re-parses and
// passes of reconcile, all at once and again and again, before and after all is
// done.
func (r *rig) operated(documents [][]*item) {
	r.t.Helper()
	commands := [][]string{{"reconcile", "--age", "0s"}, {"reconcile", "--age", "0s"}, {"reparse", "--source", source}, {"reparse", "--source", source}}
	for _, versions := range documents {
		r.send(versions...)
		for range 2 {
			commands = append(commands, []string{"retry", versions[len(versions)-1].snapshotID()})
		}
		r.allAtOnce(commands...)
	}
	r.mustBeQuiet(&row{})
	r.allAtOnce(commands...)
	r.mustBeQuiet(&row{})
}

// operatedInVain wipes the bus while operators ask for redos and re-parses of all
// versions, so that some of what they ask for is lost, and lets them ask again.
func (r *rig) operatedInVain(documents [][]*item) {
	r.t.Helper()
	commands := [][]string{{"reconcile", "--age", "0s"}, {"reparse", "--source", source}}
	for _, versions := range documents {
		r.send(versions...)
		commands = append(commands, []string{"retry", versions[len(versions)-1].snapshotID()})
	}
	r.mustBeQuiet(&row{})
	for range 3 {
		var asking sync.WaitGroup
		for _, args := range commands {
			asking.Go(func() { _, _, _ = r.command(args...) }) // the bus may be away
		}
		r.linger(700 * time.Millisecond)
		r.wipeBus()
		asking.Wait()
		r.mustBeQuiet(&row{})
		r.allAtOnce(commands...)
		r.mustBeQuiet(&row{})
	}
}

// hold hands an item over whose extraction stands still until release.
func (r *rig) hold(i *item) (release func()) {
	r.t.Helper()
	path := r.armed + ".hold"
	_ = os.Remove(path + ".reached")
	r.write(path, "extract.range "+i.snapshotID())
	r.send(i)
	r.await(deathLimit(), i.request.RequestID+" is held back", func() bool {
		_, err := os.Stat(path + ".reached")
		return err == nil
	})
	return func() { r.write(path, "none") }
}

// run returns today's run of an item's snapshot; an empty one when there is none.
func (r *rig) run(i *item) model.Run {
	r.t.Helper()
	id, err := r.extractionOf(r.t.Context(), i)
	if err != nil {
		return model.Run{}
	}
	run, err := r.db.Run(r.t.Context(), i.snapshotID(), id)
	if err != nil {
		return model.Run{}
	}
	return run
}

func (r *rig) awaitRun(i *item) {
	r.t.Helper()
	r.await(deathLimit(), i.request.RequestID+" has ended", func() bool { return r.run(i).State.Terminal() })
}

func (r *rig) document(i *item) model.Document {
	r.t.Helper()
	d, err := r.db.Document(r.t.Context(), digest.DocumentID(i.request.SourceID, i.request.URL))
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

// current is `dump --current`.
func (r *rig) current() string {
	r.t.Helper()
	return r.colophon("dump", "--current")
}

// mustEqual holds what is current against the dump of another history, and proves it.
func (r *rig) mustEqual(straight string) {
	r.t.Helper()
	missing, extra := compare(straight, r.current())
	for _, line := range missing {
		r.t.Errorf("missing: %.600s", line)
	}
	for _, line := range extra {
		r.t.Errorf("too much: %.600s", line)
	}
	r.sound()
}

// sound proves every chunk, and looks for rows that contradict each other.
func (r *rig) sound() {
	r.t.Helper()
	var total struct{ Chunks, Verified, Anchored, Broken int }
	lines := strings.Split(strings.TrimSpace(r.colophon("verify", "--all", "--json")), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &total); err != nil || total.Chunks == 0 || total.Verified+total.Anchored != total.Chunks || total.Broken > 0 {
		r.t.Errorf("verify: %+v, %v", total, err)
	}
}

// colophon runs a command that must succeed and returns what it prints.
func (r *rig) colophon(args ...string) string {
	r.t.Helper()
	out, status, err := r.command(args...)
	if status != 0 {
		r.t.Fatal(err)
	}
	return out
}

// command runs a command and returns what it prints and its exit status; the error
// tells of one that is not 0.
func (r *rig) command(args ...string) (out string, status int, err error) {
	cmd := exec.CommandContext(r.t.Context(), filepath.Join(r.bin, "colophon"), args...)
	cmd.Env = r.environment()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	printed, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("colophon %v: %w\n%s%.2000s", args, err, &errs, printed)
	}
	return string(printed), cmd.ProcessState.ExitCode(), err
}

// allAtOnce runs commands side by side. Each must be done, or refuse.
func (r *rig) allAtOnce(commands ...[]string) {
	r.t.Helper()
	var all sync.WaitGroup
	for _, args := range commands {
		all.Go(func() {
			const refused = 3
			if _, status, err := r.command(args...); status != 0 && status != refused {
				r.t.Error(err)
			}
		})
	}
	all.Wait()
}

// equalTexts captures the same texts from two sources at once, while one of
// those that hold a text goes on to another: exactly one stands for each text.
func (r *rig) equalTexts(t *testing.T, rounds int) {
	r.beginOrders(t, 22)
	r.values["COLOPHON_WORKERS"] = "4"
	for _, id := range []string{"left", "right"} {
		s := model.DefaultSource(id)
		s.Name = "Town crier"
		if err := r.db.PutSource(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	r.startServices()
	var gone []string
	for n := range rounds {
		said := func(source, name string, content, day int) *item {
			i := &item{kind: kindHTML, request: inline(fmt.Sprintf("%s-%d", name, n), fmt.Sprintf("%s-%d.html", name, n), page(content, 0), day)}
			if i.request.SourceID = source; name == "moves" {
				i.request.URL = fmt.Sprintf("https://town.example.org/moves-%d.html", n)
				i.request.RequestID = fmt.Sprintf("moves-%d-%d", n, day)
			}
			return i
		}
		moves := said("left", "moves", 1000+n, 10)
		gone = append(gone, moves.snapshotID())
		all := []*item{moves, said("right", "stays", 1000+n, 10), said("left", "moves", 5000+n, 20), said("right", "too", 1000+n, 10)}
		for i := range all {
			r.send(all[(i+n)%len(all)])
		}
	}
	r.mustBeQuiet(&row{})
	const stands = `count(*) FILTER (WHERE s.layer <> 'archive' AND s.repeats = '' AND s.duplicate_of = '')`
	for _, wrong := range r.strings(`SELECT c.text_hash || ': ' || ` + stands + ` || ' of ' || count(*) || ' stand for it'
		FROM chunks c JOIN chunk_state s USING (chunk_ref) GROUP BY c.text_hash HAVING ` + stands + ` <> 1`) {
		t.Error(wrong)
	}
	for _, wrong := range r.strings(`SELECT c.chunk_ref || ' is ' || s.layer FROM chunks c JOIN chunk_state s USING (chunk_ref)
		WHERE s.layer <> 'archive' AND c.snapshot_id IN ('` + strings.Join(gone, "', '") + `')`) {
		t.Errorf("of a version that is gone: %s", wrong)
	}
	threefold := r.strings(`SELECT text_hash FROM chunks GROUP BY text_hash HAVING count(*) = 3`)
	if len(threefold) < rounds {
		t.Errorf("%d texts are said three times, in %d rounds", len(threefold), rounds)
	}
	r.sound()
}

// next builds the splitter and the extractor with a parser of the next version.
var next = sync.OnceValues(func() (string, error) {
	dir, err := binaries()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "next")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	path, err := filepath.Abs(filepath.Join(root, "pkg", "extract", "extract.go"))
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	version, err := nextVersion()
	if err != nil {
		return "", err
	}
	changed := strings.Replace(string(source), strconv.Quote(extract.ParserVersion), strconv.Quote(version), 1)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: filepath.Join(dir, "extract.go")}})
	if err != nil || changed == string(source) {
		return "", fmt.Errorf("the version of the parser is not in %s: %w", path, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "extract.go"), []byte(changed), 0o600); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
		return "", err
	}
	return build("fault/next", "-overlay", filepath.Join(dir, "overlay.json"), "./services/splitter", "./services/extractor")
})

func nextVersion() (string, error) {
	version, err := strconv.Atoi(extract.ParserVersion)
	return strconv.Itoa(version + 1), err
}

// reparsed starts a run of a newer parser while the first run is under way, and
// lets the first one end last.
func (r *rig) reparsed(t *testing.T) {
	newer, err := next()
	if err != nil {
		t.Fatal(err)
	}
	r.beginOrders(t, 23)
	// The held range takes the only worker, so that today's extractor leaves the
	// newer parser's range to the other.
	r.values["COLOPHON_WORKERS"] = "1"
	r.startServices()
	doc := history()[0][0]
	release := r.hold(doc)
	r.services["splitter"].stop(syscall.SIGTERM)
	for _, s := range []string{"splitter", "extractor"} {
		name := s + "-next"
		p := &process{name: name, make: func() *exec.Cmd {
			cmd := exec.Command(filepath.Join(newer, s))
			cmd.Env = append(r.environment(), "COLOPHON_FAULTPOINT_FILE=") // these are not held back
			log := r.file(filepath.Join(r.dir, "f23-"+name+".log"), os.O_APPEND)
			cmd.Stdout, cmd.Stderr = log, log
			return cmd
		}}
		t.Cleanup(func() { p.stop(syscall.SIGKILL) })
		if err := p.start(); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.publish(t.Context(), event.RunRequested{SnapshotID: doc.snapshotID(), SourceID: source, Why: "reparse"}, false); err != nil {
		t.Fatal(err)
	}
	version, err := nextVersion()
	if err != nil {
		t.Fatal(err)
	}
	first := r.run(doc)
	second := func() model.Run {
		run, err := r.db.Run(t.Context(), doc.snapshotID(), digest.ExtractionID(version, first.RulesDigest, ""))
		if err != nil {
			return model.Run{}
		}
		return run
	}
	r.await(deathLimit(), "the second run has ended", func() bool { return second().State.Terminal() })
	if now := r.run(doc); now.State.Terminal() {
		t.Fatalf("the first run has ended already: %+v", now)
	}
	release()
	r.awaitRun(doc)
	r.mustBeQuiet(&row{})
	if first, second := r.run(doc), second(); first.State != model.RunDone || second.State != model.RunDone || second.RunOrder <= first.RunOrder {
		t.Errorf("the first run is %+v, the second %+v", first, second)
	}
	if now := r.document(doc); now.CurrentExtractionID != second().ExtractionID {
		t.Errorf("current is extraction %s", now.CurrentExtractionID)
	}
	for n, run := range []model.Run{first, second()} {
		m, err := r.db.RunManifest(t.Context(), run.SnapshotID, run.ExtractionID, 0)
		if err != nil || m.ChunkCount == 0 {
			t.Errorf("run %d: %+v, %v", run.RunOrder, m, err)
		}
		for group, err := range r.db.ChunkGroups(t.Context(), nil, run.DocumentID) {
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range group {
				// Both say the same: the chunks of the second run repeat those of the first.
				if c.Chunk.Generation == m.Generation && (c.State.Layer != model.LayerHot || (c.State.Repeats != "") != (n == 1)) {
					t.Errorf("run %d: %+v", run.RunOrder, c.State)
				}
			}
		}
	}
	r.sound()
}
