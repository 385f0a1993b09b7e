package sync

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

const (
	theActive = "docs_tiny_2"
	register  = "register docs_tiny_2 docs tiny 2, written docs"
)

func active(m string, dimensions int) model.Collection {
	return model.Collection{Name: model.CollectionName("docs", m, dimensions), Alias: "docs", Model: m, Dimensions: dimensions, State: model.CollectionActive}
}

func building(m string, dimensions int) model.Collection {
	c := active(m, dimensions)
	c.State = model.CollectionBuilding
	return c
}

// TestSetup: what is made and asked when an indexer starts, or a collection is missing.
func TestSetup(t *testing.T) {
	t.Parallel()
	one := map[string]model.Layer{"p": model.LayerHot}
	recorded := func(s *stores) {
		s.recorded[theActive] = []model.RecordedVector{{ChunkRef: "a", PointID: "p", Present: true}}
	}
	for _, c := range []struct {
		name  string
		world func(*stores)
		asks  string
		kind  fault.Kind // of the error; 0 for none
		alias string
		model string // the indexer's; default tiny
		left  int    // recorded vectors of the active collection
		warns string // what is logged, and by nothing else told
	}{
		{name: "nothing is there", asks: register + ", has docs_tiny_2, ensure docs_tiny_2 2, alias docs, set docs docs_tiny_2", alias: theActive},
		{name: "all is there", world: func(s *stores) { s.alias = theActive; s.make(theActive, 2, one) },
			asks: register + ", has docs_tiny_2, ensure docs_tiny_2 2, alias docs", alias: theActive},
		{name: "the alias stands for another", world: func(s *stores) { s.alias = "old" },
			asks: register + ", has docs_tiny_2, ensure docs_tiny_2 2, alias docs, set docs docs_tiny_2", alias: theActive},
		{name: "one that is being built gets no alias", world: func(s *stores) { s.alias = "old"; s.written = []model.Collection{building("tiny", 2)} },
			asks: register + ", has docs_tiny_2, ensure docs_tiny_2 2", alias: "old"},
		{name: "one that is being built with another's model is left to others",
			world: func(s *stores) {
				s.alias = theActive
				s.written = []model.Collection{building("big", 9), active("tiny", 2)}
			},
			asks: register + ", has docs_tiny_2, ensure docs_tiny_2 2, alias docs", alias: theActive, warns: "left to others"},
		{name: "the active one needs another's model", world: func(s *stores) { s.written = []model.Collection{active("big", 9)} },
			asks: register, kind: fault.KindPermanent},
		{name: "the model is of other dimensions now", world: func(s *stores) {
			c := active("tiny", 3)
			s.written = []model.Collection{c}
		}, asks: register, kind: fault.KindPermanent},
		{name: "a model that nobody knows", model: "nobody's", kind: fault.KindPermanent},
		{name: "points are recorded, and their collection is missing", world: recorded,
			asks:  register + ", has docs_tiny_2, count docs_tiny_2, hold docs_tiny_2, count docs_tiny_2, reset docs_tiny_2, ensure docs_tiny_2 2, alias docs, set docs docs_tiny_2",
			alias: theActive, warns: "due again"},
		{name: "points are recorded, and their collection is empty", world: func(s *stores) { recorded(s); s.make(theActive, 2, nil) },
			asks:  register + ", has docs_tiny_2, count docs_tiny_2, hold docs_tiny_2, count docs_tiny_2, reset docs_tiny_2, ensure docs_tiny_2 2, alias docs, set docs docs_tiny_2",
			alias: theActive, warns: "due again"},
		{name: "points are recorded, and some are there", world: func(s *stores) { recorded(s); s.make(theActive, 2, one) },
			asks:  register + ", has docs_tiny_2, count docs_tiny_2, ensure docs_tiny_2 2, alias docs, set docs docs_tiny_2",
			alias: theActive, left: 1},
		{name: "they were under way when they were missed", world: func(s *stores) { recorded(s); s.locked = func() { s.make(theActive, 2, one) } },
			asks:  register + ", has docs_tiny_2, count docs_tiny_2, hold docs_tiny_2, count docs_tiny_2, ensure docs_tiny_2 2, alias docs, set docs docs_tiny_2",
			alias: theActive, left: 1},
		{name: "an empty one of its name for other vectors is made again", world: func(s *stores) { s.make(theActive, 7, nil) },
			asks: register + ", has docs_tiny_2, ensure docs_tiny_2 2, hold docs_tiny_2, ensure docs_tiny_2 2, count docs_tiny_2, drop docs_tiny_2, " +
				"reset docs_tiny_2, ensure docs_tiny_2 2, alias docs, set docs docs_tiny_2", alias: theActive, warns: "made again"},
		{name: "one with points is waited for", world: func(s *stores) { s.make(theActive, 7, one) },
			asks: register + ", has docs_tiny_2, ensure docs_tiny_2 2, hold docs_tiny_2, ensure docs_tiny_2 2, count docs_tiny_2, ensure docs_tiny_2 2",
			kind: fault.KindUnavailable},
		{name: "another has made it again meanwhile", world: func(s *stores) {
			s.make(theActive, 7, nil)
			s.locked = func() { s.make(theActive, 2, nil) }
		}, asks: register + ", has docs_tiny_2, ensure docs_tiny_2 2, hold docs_tiny_2, ensure docs_tiny_2 2, ensure docs_tiny_2 2, alias docs, set docs docs_tiny_2",
			alias: theActive},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStores(t)
			if c.world != nil {
				c.world(s)
			}
			syncer := s.syncer()
			if c.model != "" {
				syncer.Model = c.model
			}
			var log bytes.Buffer
			syncer.Log = slog.New(slog.NewTextHandler(&log, nil))
			err := syncer.Setup(t.Context())
			if warned := log.Len() > 0; warned != (c.warns != "") || !strings.Contains(log.String(), c.warns) {
				t.Errorf("it logged %q", log.String())
			}
			if (err != nil) != (c.kind != 0) || err != nil && fault.KindOf(err) != c.kind {
				t.Errorf("it said %v", err)
			}
			if got := s.said(); got != c.asks {
				t.Errorf("asked was\n%q, want\n%q", got, c.asks)
			}
			if s.alias != c.alias || len(s.recorded[theActive]) != c.left {
				t.Errorf("the alias is of %q, %d vectors are recorded", s.alias, len(s.recorded[theActive]))
			}
			if err == nil && s.made[theActive].dimensions != 2 {
				t.Errorf("%+v", s.made[theActive])
			}
		})
	}
}

// TestASetupThatFails: whatever call fails, the set-up fails with it and goes no further.
func TestASetupThatFails(t *testing.T) {
	t.Parallel()
	for name, world := range map[string]func(*stores){
		"all is to be made":      func(*stores) {},
		"the points are lost":    func(s *stores) { s.recorded[theActive] = []model.RecordedVector{{ChunkRef: "a", Present: true}} },
		"it is of other vectors": func(s *stores) { s.make(theActive, 7, nil) },
	} {
		calls := 1
		for at := 1; at <= calls; at++ {
			s := newStores(t)
			world(s)
			s.fail = at
			if err := s.syncer().Setup(t.Context()); !errors.Is(err, errDown) || fault.KindOf(err) != fault.KindTransient {
				t.Errorf("%s: call %d (%s) failed, and it said %v", name, at, s.asked[at-1], err)
			}
			if n := len(s.asked); n != at {
				t.Errorf("%s: %d calls after the failing one: %q", name, n-at, s.asked)
			}
			if at == 1 {
				s := newStores(t)
				world(s)
				if err := s.syncer().Setup(t.Context()); err != nil {
					t.Fatal(err)
				}
				calls = len(s.asked)
			}
		}
	}
}

// TestTheModelOfEachCollection: which embedder is at hand is asked by the model's name.
func TestTheModelOfEachCollection(t *testing.T) {
	t.Parallel()
	s := newStores(t)
	s.written = []model.Collection{building("big", 9), active("tiny", 2)}
	syncer := s.syncer()
	syncer.Embedders = map[string]retrieval.Embedder{"tiny": tiny{dimensions: 2}, "big": tiny{dimensions: 9}}
	if err := syncer.Setup(t.Context()); err != nil || s.made["docs_big_9"].dimensions != 9 || s.made[theActive].dimensions != 2 || s.alias != theActive {
		t.Errorf("%+v, %s, %v", s.made, s.alias, err)
	}
}
