package stream

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/event"
)

// Durable is a consumer of one stream under a name, for a program outside of the chain:
// the server keeps how far it has come, also while the program is away. It goes on by
// itself while the server is away.
//
// A stream is not the record. So the server also keeps whether the program has to read
// the record first ([Durable.Behind]): at the beginning, and when the stream has lost
// events that it had not acknowledged.
type Durable struct {
	conn     *Conn
	followed followed
	name     string

	consumer jetstream.Consumer
	behind   bool
	log      int64
	epoch    string // of the record, as far as it was followed
	begun    bool   // the epoch is known, and something of it may have been told
	recorded bool   // there is a record, and of the stream only the overlap is wanted
	last     uint64
	messages jetstream.MessagesContext
	held     jetstream.Msg // what was delivered last and is not acknowledged
}

// The metadata of a durable consumer on the server.
const (
	metaMade   = "colophon.stream_created" // when its stream was made: another one may lack events
	metaBehind = "colophon.behind"         // "true" until the record was read
	metaLog    = "colophon.log"            // how far the record was read when it was read last
	metaEpoch  = "colophon.epoch"          // which copy of the record it was read in
	metaBegun  = "colophon.begun"          // "false" until that is known; those of before have none, and it is
)

const (
	// durableAckWait is how long a program may take for one event before it is delivered
	// again, which is harmless.
	durableAckWait = time.Minute
	// durableBatch is how many events are asked for at once.
	durableBatch = 64
	// overlap is how far back a stream is read beside the record, so that an event whose
	// entry cannot be read there yet is heard here: the record is read up to the oldest
	// transaction that is open, and none is open for so long.
	overlap = 10 * time.Minute
)

// Overlap returns the time from which a stream is to be followed by who reads the record
// now, so that nothing is missed in between.
func Overlap(now time.Time) time.Time { return now.Add(-overlap) }

var durableName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ErrName says that a name cannot be that of a durable consumer.
var ErrName = errors.New("a durable consumer is named by 1 to 64 of A-Z, a-z, 0-9, _ and -, and not as one of the chain")

// OpenDurable finds the consumer of this name, or makes it. Of o, Nouns and SourceID
// choose its events, which are those of one stream. Under another choice than before it
// begins anew. recorded says that the program reads the record: then it begins with the
// overlap, else with all that the stream holds.
func (c *Conn) OpenDurable(ctx context.Context, name string, recorded bool, o FollowOptions) (*Durable, error) {
	_, _, ofChain := findConsumer(name)
	if !durableName.MatchString(name) || ofChain {
		return nil, fmt.Errorf("%q: %w", name, ErrName)
	}
	chosen, err := c.choose(o)
	if err != nil {
		return nil, err
	}
	if len(chosen) != 1 {
		return nil, fmt.Errorf("a durable consumer has one stream, and events of %d are chosen", len(chosen))
	}
	d := &Durable{conn: c, followed: chosen[0], name: name, recorded: recorded}
	return d, d.open(ctx)
}

// open makes the consumer fit, and says what is missing.
func (d *Durable) open(ctx context.Context) error {
	stream, err := d.conn.js.Stream(ctx, d.followed.stream)
	if err != nil {
		return unavailable(ctx, fmt.Errorf("stream %s: %w", d.followed.stream, err))
	}
	info := stream.CachedInfo()
	made := info.Created.UTC().Format(time.RFC3339Nano)
	found, err := stream.Consumer(ctx, d.name)
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound):
		return d.begin(ctx, stream, made)
	case err != nil:
		return unavailable(ctx, fmt.Errorf("consumer %s: %w", d.name, err))
	}
	kept := found.CachedInfo()
	d.log, d.epoch = max(d.log, logOf(kept.Config)), max(d.epoch, kept.Config.Metadata[metaEpoch])
	d.begun = d.begun || kept.Config.Metadata[metaBegun] != "false"
	same := slices.Equal(filtersOf(kept.Config), d.followed.filters)
	whole := kept.Config.Metadata[metaMade] == made && info.State.FirstSeq <= kept.AckFloor.Stream+1 && kept.AckFloor.Stream <= info.State.LastSeq &&
		d.last <= info.State.LastSeq
	if same && whole {
		d.consumer, d.behind = found, kept.Config.Metadata[metaBehind] == "true"
		return nil
	}
	if !same {
		d.log, d.epoch, d.begun = 0, "", false
	}
	if err := stream.DeleteConsumer(ctx, d.name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return unavailable(ctx, fmt.Errorf("consumer %s: %w", d.name, err))
	}
	return d.begin(ctx, stream, made)
}

// begin makes the consumer, from the overlap on where what was before is in the record.
func (d *Durable) begin(ctx context.Context, stream jetstream.Stream, made string) error {
	d.last = 0
	cfg := jetstream.ConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy, Metadata: d.metadata(made, true)}
	if d.recorded {
		from := Overlap(time.Now())
		cfg.DeliverPolicy, cfg.OptStartTime = jetstream.DeliverByStartTimePolicy, &from
	}
	created, err := stream.CreateConsumer(ctx, d.config(cfg))
	if err != nil {
		return unavailable(ctx, fmt.Errorf("consumer %s: %w", d.name, err))
	}
	d.consumer, d.behind = created, true
	return nil
}

// metadata is what the server keeps of the program, as it is known here.
func (d *Durable) metadata(made string, behind bool) map[string]string {
	return map[string]string{
		metaMade: made, metaBehind: strconv.FormatBool(behind), metaLog: strconv.FormatInt(d.log, 10), metaEpoch: d.epoch,
		metaBegun: strconv.FormatBool(d.begun),
	}
}

func (d *Durable) config(cfg jetstream.ConsumerConfig) jetstream.ConsumerConfig {
	cfg.Durable, cfg.AckPolicy, cfg.AckWait, cfg.MaxDeliver = d.name, jetstream.AckExplicitPolicy, durableAckWait, -1
	if cfg.FilterSubject = ""; len(d.followed.filters) == 1 { // in the subject of the request, by which rights are given
		cfg.FilterSubject = d.followed.filters[0]
	} else {
		cfg.FilterSubjects = d.followed.filters
	}
	return cfg
}

func filtersOf(cfg jetstream.ConsumerConfig) []string {
	if cfg.FilterSubject != "" {
		return []string{cfg.FilterSubject}
	}
	return cfg.FilterSubjects
}

func logOf(cfg jetstream.ConsumerConfig) int64 {
	n, err := strconv.ParseInt(cfg.Metadata[metaLog], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Behind reports whether the record is to be read before the events, and from where on.
func (d *Durable) Behind() (log int64, yes bool) { return d.log, d.behind }

// Epoch returns the copy of the record that was followed; known is false where none is yet,
// and nothing of any was told.
func (d *Durable) Epoch() (epoch string, known bool) { return d.epoch, d.begun }

// BeginAnew notes that what was dealt with is void: the record is to be read from its
// beginning, in this epoch.
func (d *Durable) BeginAnew(ctx context.Context, epoch string) error {
	stream, err := d.conn.js.Stream(ctx, d.followed.stream)
	if err != nil {
		return unavailable(ctx, fmt.Errorf("stream %s: %w", d.followed.stream, err))
	}
	if d.messages != nil {
		d.messages.Stop()
		d.messages = nil
	}
	if err := stream.DeleteConsumer(ctx, d.name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return unavailable(ctx, fmt.Errorf("consumer %s: %w", d.name, err))
	}
	d.held, d.log, d.epoch, d.begun = nil, 0, epoch, true
	return d.begin(ctx, stream, stream.CachedInfo().Created.UTC().Format(time.RFC3339Nano))
}

// CaughtUp notes that the record was read, up to log.
func (d *Durable) CaughtUp(ctx context.Context, log int64) error {
	d.log = log
	return d.note(ctx, false)
}

// Follows notes the epoch of the record that is followed, before anything of it is told.
func (d *Durable) Follows(ctx context.Context, epoch string) error {
	d.epoch, d.begun = epoch, true
	return d.note(ctx, d.behind)
}

func (d *Durable) note(ctx context.Context, behind bool) error {
	cfg := d.consumer.CachedInfo().Config
	updated, err := d.conn.js.UpdateConsumer(ctx, d.followed.stream, d.config(jetstream.ConsumerConfig{
		DeliverPolicy: cfg.DeliverPolicy, OptStartTime: cfg.OptStartTime, OptStartSeq: cfg.OptStartSeq, Metadata: d.metadata(cfg.Metadata[metaMade], behind),
	}))
	if err != nil {
		return unavailable(ctx, fmt.Errorf("consumer %s: %w", d.name, err))
	}
	d.consumer, d.behind = updated, behind
	return nil
}

// Next acknowledges what it has returned before, and waits for the next event. ErrBehind
// says that events were lost: the record is to be read. What is no event is left out. Its
// other error is that of the context that ended.
func (d *Durable) Next(ctx context.Context) (Received, error) {
	for {
		d.acknowledge()
		msg, err := d.wait(ctx)
		if err != nil {
			return Received{}, err
		}
		d.held = msg
		meta, err := msg.Metadata()
		if err != nil {
			continue
		}
		d.last = max(d.last, meta.Sequence.Stream)
		e, err := event.Decode(d.conn.cfg.Prefix, msg.Subject(), msg.Headers(), msg.Data())
		if err != nil {
			continue
		}
		return Received{Event: e, Stream: meta.Stream, Seq: meta.Sequence.Stream, At: meta.Timestamp.UTC()}, nil
	}
}

// acknowledge says that what was delivered last is dealt with. When that is lost it is
// delivered again.
func (d *Durable) acknowledge() {
	if d.held != nil {
		_ = d.held.Ack()
		d.held = nil
	}
}

// wait returns the next message, over losses of the connection.
func (d *Durable) wait(ctx context.Context) (jetstream.Msg, error) {
	for {
		if d.messages == nil {
			messages, err := d.consumer.Messages(jetstream.PullMaxMessages(durableBatch), jetstream.PullHeartbeat(2*time.Second), jetstream.PullExpiry(10*time.Second))
			if err == nil {
				d.messages = messages
			}
		}
		if d.messages != nil {
			msg, err := d.messages.Next(jetstream.NextContext(ctx))
			if err == nil {
				return msg, nil
			}
			if ctx.Err() != nil { // what has come by then stays here for the next call
				return nil, ctx.Err()
			}
			d.messages.Stop()
			d.messages = nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, done, ok := through(ctx, d.conn.gate); ok {
			done()
		}
		wait(ctx, d.conn.cfg.ProbeEvery)
		before := d.behind
		if err := d.open(ctx); err != nil {
			continue // the server is away, or its stream is not made again yet
		}
		if d.behind && !before {
			return nil, fmt.Errorf("consumer %s: %w", d.name, ErrBehind)
		}
	}
}

// Close ends the delivery. What was returned last is delivered again the next time,
// unless done says that it was dealt with.
func (d *Durable) Close(done bool) {
	if done {
		d.acknowledge()
	}
	if d.messages != nil {
		d.messages.Stop()
	}
}
