// Package supervisor keeps processes running: one that dies is started again, a little later each time, until it has
// died so often that a person must look.
package supervisor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Subject is something that runs in a process of its own.
type Subject interface {
	// Name is one word for people.
	Name() string
	// Start starts it and returns when it serves. Where it runs already nothing is done.
	Start(ctx context.Context) error
	// Wait returns why it has ended, as soon as it has without being told to. It returns nil when it was stopped, which
	// is no death, or when ctx has ended.
	Wait(ctx context.Context) error
}

// Logged is a subject that says where its log is: the path of a file, or words.
type Logged interface{ Log() string }

const (
	// DefaultDeaths is how many deaths within DefaultWithin are too many.
	DefaultDeaths = 5
	// DefaultWithin is the time in which deaths are counted together.
	DefaultWithin = time.Minute
	// DefaultDelay is the wait after the first death. Four waits of a series that triples take 4 s together: long enough
	// for a port or a lock to be free again, short enough for the retries of who is waiting.
	DefaultDelay = 100 * time.Millisecond

	delayFactor = 3
	// startLimit bounds one start: recovery of a database after a crash may take that long.
	startLimit = time.Minute
)

// Supervisor keeps subjects running. Zero values of the fields mean the defaults. One is good for several subjects at
// once, whose deaths are counted apart.
type Supervisor struct {
	Deaths int           // that many deaths of one subject within Within end its supervision
	Within time.Duration // deaths before that are forgotten
	Delay  time.Duration // after the first death within Within; three times as long after each further one
	// Tell gets one line for each start: what ended, why, and which try follows. It may be called by several at once.
	Tell func(line string)

	mu   sync.Mutex
	down map[string]error // why a subject does not run at the moment, by its name
}

// GaveUpError says that a subject died too often.
type GaveUpError struct {
	Name   string // empty: whoever passes the error on names the subject
	Log    string // where to read what it said; empty: nobody knows
	Deaths int
	Within time.Duration
	Why    error // of the last death
}

// Error implements error.
func (e *GaveUpError) Error() string {
	log := ""
	if e.Log != "" {
		log = " (log: " + e.Log + ")"
	}
	return fmt.Sprintf("%s died %d times within %s and is not started again%s; the last time: %v",
		cmp.Or(e.Name, "it"), e.Deaths, e.Within, log, e.Why)
}

// Unwrap returns why the subject died last.
func (e *GaveUpError) Unwrap() error { return e.Why }

// Keep starts the subject and starts it again whenever it dies, until ctx ends or the subject is stopped: then it
// returns nil, and the subject is left as it is. When the subject has died too often it returns a GaveUpError. A start
// that fails is a death.
func (s *Supervisor) Keep(ctx context.Context, subject Subject) error {
	deaths, within, delay := s.limits()
	defer s.note(subject.Name(), nil)
	var died []time.Time
	why := s.start(ctx, subject)
	for {
		if why == nil && ctx.Err() == nil {
			why = subject.Wait(ctx)
		}
		if why == nil || ctx.Err() != nil {
			return nil
		}
		s.note(subject.Name(), why)
		now := time.Now()
		died = append(died, now)
		for now.Sub(died[0]) > within {
			died = died[1:]
		}
		if len(died) >= deaths {
			gaveUp := &GaveUpError{Name: subject.Name(), Deaths: len(died), Within: within, Why: why}
			if logged, ok := subject.(Logged); ok {
				gaveUp.Log = logged.Log()
			}
			return gaveUp
		}
		pause := delay
		for range len(died) - 1 {
			pause *= delayFactor
		}
		s.tell(fmt.Sprintf("%s ended: %v; it is started again in %s, try %d of %d within %s",
			subject.Name(), why, pause, len(died), deaths-1, within))
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		why = s.start(ctx, subject)
	}
}

func (s *Supervisor) limits() (deaths int, within, delay time.Duration) {
	deaths, within, delay = s.Deaths, s.Within, s.Delay
	if deaths == 0 {
		deaths = DefaultDeaths
	}
	if within == 0 {
		within = DefaultWithin
	}
	if delay == 0 {
		delay = DefaultDelay
	}
	return deaths, within, delay
}

func (s *Supervisor) start(ctx context.Context, subject Subject) error {
	starting, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	err := subject.Start(starting)
	if err == nil {
		s.note(subject.Name(), nil)
	}
	return err
}

func (s *Supervisor) tell(line string) {
	if s.Tell != nil {
		s.Tell(line)
	}
}

// note keeps why a subject is down; nil says that it runs.
func (s *Supervisor) note(name string, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down == nil {
		s.down = make(map[string]error)
	}
	delete(s.down, name)
	if why != nil {
		s.down[name] = why
	}
}

// Down returns nil when all subjects run, else an error that names those that do not, and why.
func (s *Supervisor) Down() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var down []error
	for _, name := range slices.Sorted(maps.Keys(s.down)) {
		down = append(down, fmt.Errorf("%s has ended and is started again: %w", name, s.down[name]))
	}
	return errors.Join(down...)
}
