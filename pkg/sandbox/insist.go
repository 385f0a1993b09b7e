package sandbox

import (
	"context"
	"errors"
	"time"
)

// How often a call is made whose child somebody kills each time, and the pause
// after the first; each that follows is three times as long: some 20 s in all.
const (
	killedTries = 6
	killedPause = 50 * time.Millisecond
)

// Insist makes a call, and makes it again after a pause while its error is
// ErrKilled: that a child was killed says nothing of what it worked on, unless it
// happens each time.
func Insist[T any](ctx context.Context, call func() (T, error)) (T, error) {
	result, err := call()
	pause := killedPause
	for try := 1; try < killedTries && errors.Is(err, ErrKilled); try++ {
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return result, err
		}
		pause *= 3
		result, err = call()
	}
	return result, err
}
