package fault

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/sdk"
	"github.com/colophon-dev/colophon/test/programs"
)

// crawl is what the crawlers of TestCapture hand over: so many captures of so
// many contents, of which three in ten repeat a request that was made before, and
// one request in ten names a URL.
type crawl struct {
	captures []event.CaptureRequested
	distinct map[string]bool // request_ids
	urls     map[string]bool
	given    int // distinct requests that bring their bytes
}

const clients = 4

func newCrawl(source, site string, captures, contents int, seed uint64) *crawl {
	random := rand.New(rand.NewPCG(seed, 6))
	c := &crawl{distinct: map[string]bool{}, urls: map[string]bool{}}
	at := time.Date(2026, 3, 12, 9, 0, 0, 0, time.UTC)
	for n := range captures {
		if n%10 >= 7 { // as the generation goes, each content comes first
			c.captures = append(c.captures, c.captures[random.IntN(len(c.captures))])
			continue
		}
		i := len(c.distinct)
		content := i % contents
		r := event.CaptureRequested{RequestID: fmt.Sprintf("r%d", i), SourceID: source, RetrievedAt: &at}
		if i >= contents && i%10 == 0 {
			r.URL, r.RetrievedAt = fmt.Sprintf("%s/c/%d", site, content), nil
			c.urls[r.URL] = true
		} else {
			r.URL = fmt.Sprintf("https://town.example/%d", content)
			r.Inline = &event.Inline{ContentBase64: []byte(contentOf(content))}
			c.given++
		}
		c.distinct[r.RequestID] = true
		c.captures = append(c.captures, r)
	}
	random.Shuffle(len(c.captures), func(i, j int) { c.captures[i], c.captures[j] = c.captures[j], c.captures[i] })
	return c
}

func contentOf(n int) string {
	return fmt.Sprintf("Minutes of session %d. %s", n, strings.Repeat("Nothing else was said. ", n%50))
}

// site serves the contents and counts how often each is fetched.
type site struct {
	*httptest.Server
	fetches atomic.Int64
}

func startSite(t *testing.T) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/c/%d", &n); err != nil {
			http.NotFound(w, r)
			return
		}
		s.fetches.Add(1)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(contentOf(n)))
	}))
	t.Cleanup(s.Close)
	return s
}

// TestCapture hands captures over from concurrent crawlers while the capturer is
// killed again and again: nothing is lost, stored twice or told twice.
func TestCapture(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	programs.NeedServers(t)
	const id = "crawled"
	captures, contents, kills := pick(500, 10_000, 10_000), pick(100, 2_000, 2_000), pick(3, 20, 20)
	r := startRig(t)
	r.begin(t, 900)
	source := model.DefaultSource(id)
	source.HostDelay, source.RobotsPolicy = 0, model.RobotsIgnore
	if err := r.db.PutSource(t.Context(), source); err != nil {
		t.Fatal(err)
	}
	web := startSite(t)
	c := newCrawl(id, web.URL, captures, contents, asked.seed)
	if err := r.services["capturer"].start(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var told atomic.Int64
	var hands sync.WaitGroup
	for hand := range clients {
		hands.Go(func() { r.crawl(c, hand, &told) })
	}
	random := rand.New(rand.NewPCG(asked.seed, 7))
	for n := range kills {
		after := int64(captures * n / (kills + 1))
		r.await(devtest.Patience, fmt.Sprintf("%d outcomes are told", after), func() bool { return told.Load() >= after })
		r.linger(time.Duration(random.IntN(50)) * time.Millisecond)
		r.services["capturer"].kill()
	}
	hands.Wait()
	took := time.Since(began)
	r.await(devtest.Patience, "all is announced", func() bool {
		p, err := r.db.Progress(t.Context(), "", nil)
		return err == nil && p.Open == 0 && p.Unannounced == 0
	})
	r.judgeCapture(c, id, contents, kills, web)
	t.Logf("%d captures, %d of them distinct, of %d contents by %d crawlers, %d kills, %.1f s (%.0f captures/s); %d outcomes heard",
		captures, len(c.distinct), contents, clients, r.services["capturer"].died(), took.Seconds(), float64(captures)/took.Seconds(), told.Load())
}

// crawl hands over every fourth capture, and hears of each.
func (r *rig) crawl(c *crawl, hand int, told *atomic.Int64) {
	ctx := r.t.Context()
	client, err := sdk.Connect(ctx, sdk.Config{
		URL: r.endpoints["COLOPHON_NATS_URL"], Prefix: r.values["COLOPHON_SUBJECT_PREFIX"], StreamPrefix: r.values["COLOPHON_STREAM_PREFIX"],
		Name: fmt.Sprintf("crawler%d", hand), MaxPending: 64, ResendAfter: pick(2*time.Second, 5*time.Second, time.Minute),
	})
	if err != nil {
		r.t.Error(err)
		return
	}
	defer client.Close()
	var waiting sync.WaitGroup
	defer waiting.Wait()
	for n := hand; n < len(c.captures); n += clients {
		request := c.captures[n]
		p, err := client.Capture(ctx, request)
		if err != nil {
			r.t.Errorf("%s: %v", request.RequestID, err)
			return
		}
		waiting.Go(func() {
			o, err := p.Wait(ctx)
			if err != nil || o.Outcome == sdk.Rejected || o.Outcome == sdk.Failed {
				r.t.Errorf("%s: %+v, %v", request.RequestID, o, err)
			}
			told.Add(1)
		})
	}
}

// judgeCapture compares the stores with what was handed over.
func (r *rig) judgeCapture(c *crawl, source string, contents, kills int, web *site) {
	r.t.Helper()
	objects := 0
	for _, err := range r.blobs.List(r.t.Context(), blobstore.Raw, source+"/") {
		if err != nil {
			r.t.Fatal(err)
		}
		objects++
	}
	rows := len(r.strings(`SELECT request_id FROM captures`))
	undecided := len(r.strings(`SELECT request_id FROM captures WHERE outcome IS NULL OR outcome NOT IN ('stored', 'unchanged', 'duplicate')`))
	snapshots := len(r.strings(`SELECT snapshot_id FROM snapshots`))
	requested := len(r.strings(`SELECT snapshot_id FROM captures WHERE outcome IN ('stored', 'unchanged')`))
	fetched := int(web.fetches.Load())
	several := r.severalOutcomes()
	r.t.Logf("raw objects %d of %d; requests %d of %d; snapshots %d of %d, for %d requests; fetches %d of %d URLs; requests with several outcomes %d",
		objects, contents, rows, len(c.distinct), snapshots, c.given+len(c.urls), requested, fetched, len(c.urls), several)
	if objects != contents {
		r.t.Errorf("%d raw objects of %d contents", objects, contents)
	}
	if rows != len(c.distinct) || undecided > 0 {
		r.t.Errorf("%d requests of %d are recorded, %d have no good outcome", rows, len(c.distinct), undecided)
	}
	if snapshots != requested || snapshots != c.given+len(c.urls) {
		r.t.Errorf("%d snapshots for %d requests, want %d", snapshots, requested, c.given+len(c.urls))
	}
	// A fetch that dies with its process left nothing and is made again.
	if workers := 2; fetched < len(c.urls) || fetched > len(c.urls)+workers*kills {
		r.t.Errorf("%d fetches of %d URLs over %d kills", fetched, len(c.urls), kills)
	}
	if several > 0 {
		r.t.Errorf("%d requests were told several outcomes", several)
	}
}

// severalOutcomes counts the requests of which the bus holds different outcomes,
// and fails when one has none.
func (r *rig) severalOutcomes() int {
	r.t.Helper()
	client, err := sdk.Connect(r.t.Context(), sdk.Config{
		URL: r.endpoints["COLOPHON_NATS_URL"], Prefix: r.values["COLOPHON_SUBJECT_PREFIX"], StreamPrefix: r.values["COLOPHON_STREAM_PREFIX"],
	})
	if err != nil {
		r.t.Fatal(err)
	}
	defer client.Close()
	wanted := len(r.strings(`SELECT request_id FROM captures`))
	stream, err := r.js.Stream(r.t.Context(), r.values["COLOPHON_STREAM_PREFIX"]+"OUTCOMES")
	if err != nil {
		r.t.Fatal(err)
	}
	left := stream.CachedInfo().State.Msgs
	outcomes := make(map[string]event.Outcome, wanted)
	several := make(map[string]bool)
	for o, err := range client.Outcomes(r.t.Context(), "crawled", time.Now().Add(-24*time.Hour)) {
		if err != nil {
			r.t.Fatal(err)
		}
		if before, heard := outcomes[o.RequestID]; heard && before != o.Outcome {
			several[o.RequestID] = true
		}
		outcomes[o.RequestID] = o.Outcome
		if left--; left == 0 {
			break
		}
	}
	if len(outcomes) != wanted {
		r.t.Errorf("outcomes of %d requests, %d were made", len(outcomes), wanted)
	}
	return len(several)
}
