package process

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// Question is one that readiness asks of a store.
type Question struct {
	Name string // of the store, for people
	Ask  func(ctx context.Context) error
}

// AskAll asks at the same time, and returns the answers in the order of the questions.
// One that has no answer within the limit says so, as Unavailable, also where it does
// not end with its context: a store that is silent is blamed, and no other.
func AskAll(ctx context.Context, limit time.Duration, questions []Question) []error {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	answers := make([]chan error, len(questions))
	for i, q := range questions {
		answers[i] = make(chan error, 1)
		go func() { answers[i] <- q.Ask(limited) }()
	}
	problems := make([]error, len(questions))
	for i, q := range questions {
		silent := fault.Unavailable(fmt.Errorf("%s did not answer within %s", q.Name, limit))
		select {
		case problems[i] = <-answers[i]:
		case <-limited.Done():
			select {
			case problems[i] = <-answers[i]: // it came before the end, while another was waited for
			default:
				problems[i] = silent
			}
		}
		if errors.Is(problems[i], context.DeadlineExceeded) {
			problems[i] = silent
		}
	}
	return problems
}
