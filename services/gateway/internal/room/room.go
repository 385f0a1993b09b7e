// Package room shares out what a process has little of, such as memory, among
// requests: who finds none waits for a short time and is then turned away.
package room

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// ErrFull says that there was no room in time.
var ErrFull = errors.New("too much is asked at once")

// Room is what there is to share. It is safe for concurrent use.
type Room struct {
	size int64
	wait time.Duration
	free *semaphore.Weighted

	mu         sync.Mutex
	held, most int64
}

// New returns a room of a size, in which nobody waits longer than wait.
func New(size int64, wait time.Duration) *Room {
	return &Room{size: size, wait: wait, free: semaphore.NewWeighted(size)}
}

// Take takes n of the room, all of it when n is more, until give is called, which
// may be called more than once. Whoever holds a part must not ask for another. The
// error is ErrFull, or that of ctx.
func (r *Room) Take(ctx context.Context, n int64) (give func(), err error) {
	n = min(max(n, 1), r.size)
	waiting, cancel := context.WithTimeout(ctx, r.wait)
	defer cancel()
	if !r.free.TryAcquire(n) && r.free.Acquire(waiting, n) != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, ErrFull
	}
	r.count(n)
	return sync.OnceFunc(func() {
		r.count(-n)
		r.free.Release(n)
	}), nil
}

func (r *Room) count(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held += n
	r.most = max(r.most, r.held)
}

// Held returns how much is taken now, and the most that ever was at once.
func (r *Room) Held() (now, most int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held, r.most
}
