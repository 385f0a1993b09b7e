package fault

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Of advised a chat model is asked about chunks after they have landed, of awaited before.
const (
	advised = "advised"
	awaited = "awaited"
)

// registerAdvised makes these sources; others come with their first document.
func (r *rig) registerAdvised() {
	r.t.Helper()
	for id, when := range map[string]string{advised: model.EnrichLater, awaited: model.EnrichWait} {
		s := model.DefaultSource(id)
		s.Enrich = when
		if err := r.db.PutSource(r.t.Context(), s); err != nil {
			r.t.Fatal(err)
		}
	}
}

// answerChunk is what the model of these tests proposes for a chunk: a word of its first sentence as tag, and one that
// no text of these tests has.
func answerChunk(quoted string) string {
	tag := "gate"
	if found := counted.FindString(strings.ReplaceAll(quoted, "> ", "")); found != "" {
		tag = strings.Fields(found)[1]
	}
	said, _ := json.Marshal(map[string]any{"topic": "", "tags": []string{tag, "zeppelin"}, "actors": []string{}, "kind_of_content": "",
		"type_guess": "fact", "legal_cues": []string{}})
	return string(said)
}

// unenriched says which runs lack what a model was to propose, however long ago they ended.
func (r *rig) unenriched() string {
	r.t.Helper()
	runs, err := r.db.UnenrichedRuns(r.t.Context(), time.Now().Add(time.Hour), catalog.Page{Limit: 100})
	if err != nil {
		return err.Error()
	}
	if len(runs) == 0 {
		return ""
	}
	return fmt.Sprintf("the chunks of %d runs wait for a model, %s among them", len(runs), runs[0].SnapshotID)
}

// enrichedDiffer says what of the items of these sources has no generation that a model was asked for, in the first place where it
// waits for that; or has what no text has.
func (r *rig) enrichedDiffer(items []*item) (wrong []string) {
	r.t.Helper()
	want := 0
	for _, i := range items {
		if i.request.SourceID == advised || i.request.SourceID == awaited {
			want++
		}
	}
	made := r.strings(`SELECT DISTINCT snapshot_id FROM chunk_manifests WHERE source_id IN ('` + advised + `', '` + awaited + `') AND meta ? '` + model.MetaProposals + `'`)
	for _, early := range r.strings(`SELECT doc_hash FROM chunk_manifests WHERE source_id = '` + awaited + `' AND generation = 1 AND NOT meta ? '` + model.MetaProposals + `'
		UNION ALL SELECT snapshot_id FROM enrichment_waits`) {
		wrong = append(wrong, early+" has landed before the model had answered, or is held")
	}
	if len(made) != want || want == 0 {
		wrong = append(wrong, fmt.Sprintf("%d of %d documents were made again with what the model proposed", len(made), want))
	}
	if made := r.strings(`SELECT chunk_ref FROM chunks WHERE record->'meta'->'tags' ? 'zeppelin'`); len(made) > 0 {
		wrong = append(wrong, "what no text has is a tag of "+made[0])
	}
	return wrong
}

// enrichmentKills kills the annotator and the chunker, 20 times in all, while chunks are enriched; for the first ten the
// chat model is away, at least as long as outage.
func enrichmentKills(outage time.Duration) func(*rig, []*item) int {
	return func(r *rig, items []*item) int {
		const times = 20
		victims := []string{"annotator", "chunker"}
		r.chat.away.Store(true)
		began := time.Now()
		r.startServices()
		random := rand.New(rand.NewPCG(asked.seed, 23))
		r.spread(items, times, func(n int) {
			if n == times/2 {
				r.linger(time.Until(began.Add(outage)))
				if told := r.strings(`SELECT snapshot_id FROM enrichments UNION ALL SELECT doc_hash FROM chunk_manifests WHERE source_id = '` + awaited + `'`); len(told) > 0 {
					r.t.Error("a model that is away has proposed something")
				}
				if len(r.left()) == 0 {
					r.t.Error("nothing waits for the model that is away")
				}
				r.chat.away.Store(false)
			}
			r.linger(time.Duration(random.IntN(pick(300, 600, 3000))) * time.Millisecond)
			r.services[victims[n%len(victims)]].kill()
		})
		if died := r.deathsOf(victims); died < times {
			r.t.Errorf("%d deaths after %d kills", died, times)
		}
		return times
	}
}
