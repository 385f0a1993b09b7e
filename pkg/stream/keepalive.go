package stream

import (
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// keepAlive tells the server that msg is being worked on, every so often until
// stop is called. When stop returns nothing more is sent: an InProgress after
// a delayed nak would undo its delay. One that fails is not repeated early;
// two in a row may be lost before the server delivers again.
func keepAlive(msg jetstream.Msg, every time.Duration) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				_ = msg.InProgress()
			case <-done:
				return
			}
		}
	}()
	var once sync.Once
	return func() {
		once.Do(func() { close(done) })
		<-ended
	}
}
