package fault

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
)

// moody stands before the object store and gives answers that a healthy one does
// not give, to a share of the requests.
type moody struct {
	next http.Handler

	mu     sync.Mutex
	share  float64
	random *rand.Rand
	times  int
}

// startMoody puts a moody door before the object store, for the services that are
// started from now on.
func (r *rig) startMoody(share float64) *moody {
	r.t.Helper()
	const key = "COLOPHON_S3_ENDPOINT"
	target, err := url.Parse(r.endpoints[key])
	if err != nil {
		r.t.Fatal(err)
	}
	door := httputil.NewSingleHostReverseProxy(target) // which leaves Host, that is signed, as it is
	door.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	m := &moody{next: door, share: share, random: rand.New(rand.NewPCG(asked.seed, 12))}
	server := httptest.NewUnstartedServer(m)
	server.Config.ErrorLog = nil
	server.Start()
	r.t.Cleanup(server.Close)
	r.values[key] = server.URL
	return m
}

func (m *moody) set(share float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.share = share
}

func (m *moody) met() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.times
}

// ServeHTTP refuses, forgets to answer, or spoils the answer, now and then.
func (m *moody) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	mood := -1
	if m.random.Float64() < m.share {
		mood = m.random.IntN(7)
		m.times++
	}
	m.mu.Unlock()
	refuse := func(status int, code string) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		fmt.Fprintf(w, "<Error><Code>%s</Code><Message>not now</Message></Error>", code)
	}
	switch {
	case mood == 0:
		refuse(http.StatusServiceUnavailable, "SlowDown")
	case mood == 1:
		refuse(http.StatusInternalServerError, "InternalError")
	case mood == 2:
		refuse(http.StatusBadRequest, "RequestTimeout")
	case mood == 3 && r.Method == http.MethodGet && !strings.Contains(r.URL.Path, "-inbox/"): // ours is there all the same
		refuse(http.StatusNotFound, "NoSuchKey")
	case mood == 4: // it is done, and the answer is that it is not
		answer := httptest.NewRecorder()
		m.next.ServeHTTP(answer, r)
		refuse(http.StatusInternalServerError, "InternalError")
	case mood > 4 && r.Method == http.MethodGet:
		answer := httptest.NewRecorder()
		m.next.ServeHTTP(answer, r)
		m.spoil(w, answer, mood == 5)
	default:
		m.next.ServeHTTP(w, r)
	}
}

// spoil passes an answer on with a byte of it changed, or only half of it.
func (m *moody) spoil(w http.ResponseWriter, answer *httptest.ResponseRecorder, half bool) {
	body := answer.Body.Bytes()
	for key, values := range answer.Header() {
		w.Header()[key] = values
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(answer.Code)
	if half {
		_, _ = io.Copy(w, bytes.NewReader(body[:len(body)/2]))
		panic(http.ErrAbortHandler)
	}
	if len(body) > 0 && !bytes.HasPrefix(body, []byte("<?xml")) {
		body[len(body)/2] ^= 1
	}
	_, _ = w.Write(body)
}

// moods lets the object store answer wrongly: that it is too busy, in trouble,
// that a body did not arrive; that something failed which was done; that an
// object is not there; half of an object, or an object with a wrong byte.
func moods(r *rig, items []*item) int {
	store := r.startMoody(0.15)
	r.startServices()
	r.send(act(items, false)...)
	r.quietOrElse("with an object store that often answers wrongly")
	store.set(0)
	if store.met() < 20 {
		r.t.Errorf("only %d wrong answers", store.met())
	}
	return store.met()
}

// quietOrElse waits for quiet while a fault goes on.
func (r *rig) quietOrElse(when string) {
	r.t.Helper()
	limit := pick(devtest.Patience, devtest.Patience, 2*time.Hour)
	if took, stuck := r.quiet(limit); len(stuck) > 0 {
		r.t.Errorf("%s: not quiet after %s: %.2000s", when, took, strings.TrimRight(strings.Join(stuck, "; "), "; "))
	}
}
