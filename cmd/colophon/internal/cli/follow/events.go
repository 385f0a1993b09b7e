package follow

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
)

func (c commands) tailCommand() *cobra.Command {
	var (
		o     stream.FollowOptions
		since string
	)
	cmd := &cobra.Command{
		Use: "tail [NOUN…]", Short: "Follow events as a consumer would",
		Long:    "Follows events of the named nouns (chunk, vector, run, capture, …; all when none is\nnamed) from now on, or from --since. Of a chunk it prints rev, cause and layer, and\nwhich chunk it repeats, duplicates or is replaced by; --json prints all of an event.",
		Example: "  colophon tail chunk --source valdoro\n  colophon tail run --since 2026-03-12T00:00:00Z --json",
		RunE: func(cmd *cobra.Command, given []string) error {
			o.Nouns = given
			o.New = since == ""
			if o.SourceID != "" && !model.ValidSourceID(o.SourceID) {
				return cli.Usagef("--source %q: 1 to 64 of a-z, 0-9, _ and -", o.SourceID)
			}
			if since != "" {
				at, err := time.Parse(time.RFC3339, since)
				if err != nil {
					return cli.Usagef("--since %q: must be RFC 3339", since)
				}
				o.Since = at
			}
			s, err := c.Settings()
			if err != nil {
				return err
			}
			conn, err := c.Stream(cmd.Context(), s)
			if err != nil {
				return err
			}
			defer conn.Close()
			err = conn.Follow(cmd.Context(), o, func(r stream.Received) error { return c.printEvent(r.Event) })
			if cmd.Context().Err() != nil {
				return nil // interrupted, as it is meant to be
			}
			return err
		},
	}
	cmd.Flags().StringVar(&o.SourceID, "source", "", "only this source")
	cmd.Flags().StringVar(&since, "since", "", "from this time on, RFC 3339")
	cmd.Flags().StringSliceVar(&o.Types, "type", nil, "only these event types")
	return cmd
}

func (c commands) printEvent(e event.Event) error {
	v := map[string]any{
		"specversion": "1.0", "id": e.ID, "source": e.Service, "type": e.Type, "time": e.Time.Format(time.RFC3339Nano),
		"datacontenttype": "application/json", "subject": e.SourceID, "data": json.RawMessage(e.Payload),
	}
	return c.Print(v, func(w io.Writer) {
		fmt.Fprintf(w, "%s  %-32s %s%s\n", e.Time.Format(time.RFC3339), e.Type, e.ID, stateIn(e))
	})
}

// stateIn is what an event of a chunk says of it, for people; "" of another event.
func stateIn(e event.Event) string {
	if event.Noun(e.Type) != "chunk" {
		return ""
	}
	var s struct {
		Rev         int64       `json:"rev"`
		Cause       string      `json:"cause"`
		Layer       model.Layer `json:"layer"`
		Repeats     string      `json:"repeats"`
		DuplicateOf string      `json:"duplicate_of"`
		ReplacedBy  string      `json:"replaced_by"`
	}
	if err := json.Unmarshal(e.Payload, &s); err != nil {
		return fmt.Sprintf("  cannot be read: %v", err)
	}
	text := fmt.Sprintf("  rev=%d cause=%s", s.Rev, s.Cause)
	for _, field := range []struct{ name, value string }{
		{"layer", string(s.Layer)}, {"repeats", s.Repeats}, {"duplicate_of", s.DuplicateOf}, {"replaced_by", s.ReplacedBy},
	} {
		if field.value != "" {
			text += " " + field.name + "=" + field.value
		}
	}
	return text
}

func (c commands) dlqCommand() *cobra.Command {
	cmd := cli.Group("dlq", "Dead letters: what could not be handled")
	var consumer, source string
	list := &cobra.Command{
		Use: "list", Short: "List dead letters", Example: "  colophon dlq list --json", Args: cli.Args(cobra.NoArgs),
		RunE: c.withStream(func(cmd *cobra.Command, conn *stream.Conn, _ []string) error {
			return conn.ListDead(cmd.Context(), consumer, source, func(d stream.Dead) error {
				return c.Print(d, func(w io.Writer) {
					fmt.Fprintf(w, "%6d  %s  %-8s %-18s %-16s %s\n", d.Seq, d.At.Format(time.RFC3339), d.Consumer, d.Reason, d.SourceID, d.Message)
				})
			})
		}),
	}
	list.Flags().StringVar(&consumer, "consumer", "", "only of this consumer")
	list.Flags().StringVar(&source, "source", "", "only of this source")
	cmd.AddCommand(list,
		c.deadCommand("show", "Show one dead letter", func(cmd *cobra.Command, conn *stream.Conn, seq uint64) error {
			d, err := conn.GetDead(cmd.Context(), seq)
			if err != nil {
				return err
			}
			return c.Record(d)
		}),
		c.deadCommand("retry", "Publish the message again, for another four attempts", func(cmd *cobra.Command, conn *stream.Conn, seq uint64) error {
			if err := conn.RetryDead(cmd.Context(), seq); err != nil {
				return err
			}
			return c.Print(map[string]uint64{"retried": seq}, func(w io.Writer) { fmt.Fprintf(w, "dead letter %d is published again\n", seq) })
		}),
		c.deadCommand("drop", "Delete one dead letter", func(cmd *cobra.Command, conn *stream.Conn, seq uint64) error {
			if err := conn.DropDead(cmd.Context(), seq); err != nil {
				return err
			}
			return c.Print(map[string]uint64{"dropped": seq}, func(w io.Writer) { fmt.Fprintf(w, "dead letter %d is dropped\n", seq) })
		}))
	return cmd
}

func (c commands) deadCommand(name, short string, do func(*cobra.Command, *stream.Conn, uint64) error) *cobra.Command {
	return &cobra.Command{
		Use: name + " NUMBER", Short: short, Example: "  colophon dlq " + name + " 12", Args: cli.Args(cobra.ExactArgs(1)),
		RunE: c.withStream(func(cmd *cobra.Command, conn *stream.Conn, given []string) error {
			seq, err := strconv.ParseUint(given[0], 10, 64)
			if err != nil {
				return cli.Usagef("%q is not the number of a dead letter", given[0])
			}
			return do(cmd, conn, seq)
		}),
	}
}

// withStream gives a command the bus.
func (c commands) withStream(do func(*cobra.Command, *stream.Conn, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, given []string) error {
		s, err := c.Settings()
		if err != nil {
			return err
		}
		conn, err := c.Stream(cmd.Context(), s)
		if err != nil {
			return err
		}
		defer conn.Close()
		return do(cmd, conn, given)
	}
}
