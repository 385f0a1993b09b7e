package catalog

import "context"

// putting is an object on its way to its store while the rows that name it are
// written. These are committed when it is there.
type putting struct {
	cancel context.CancelFunc
	done   chan struct{}
	err    error // when done
}

// beginPut begins to put an object; end must be called. Until it has its place a
// connection and locks wait for another store. No more than half of the connections
// do, since a put can need one, too: beyond that the object is put at once.
func (db *DB) beginPut(ctx context.Context, put func(ctx context.Context) error) *putting {
	ctx, cancel := context.WithCancel(ctx)
	u := &putting{cancel: cancel, done: make(chan struct{})}
	run := func() {
		defer close(u.done)
		u.err = put(ctx)
	}
	select {
	case db.besides <- struct{}{}:
		go func() {
			run()
			<-db.besides
		}()
	default:
		run()
	}
	return u
}

// end ends a put that nobody waits for any more.
func (u *putting) end() {
	u.cancel()
	<-u.done
}

// join lets what is queued go to the server while the object is on its way, and waits
// for that.
func (u *putting) join(ctx context.Context, p *pipeline) error {
	select {
	case <-u.done:
		return u.err
	default:
	}
	if err := p.start(ctx); err != nil {
		return err
	}
	<-u.done
	return u.err
}
