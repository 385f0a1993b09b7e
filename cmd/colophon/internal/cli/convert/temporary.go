package convert

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/capture"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/export"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/local"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/entity/custom"
	"github.com/colophon-dev/colophon/pkg/extract/present"
	"github.com/colophon-dev/colophon/pkg/extract/render"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// Temporary is a local system that runs inside this command.
type Temporary struct {
	*capture.Sender
	Local  *local.System
	cancel context.CancelFunc
	done   chan error
}

// StartTemporary starts all servers and services below dir, of these tables.
func StartTemporary(ctx context.Context, dir string, tables cli.Tables) (*Temporary, error) {
	l, err := local.Start(ctx, local.Options{Dir: dir, NoSync: true, Quiet: true, Services: true, HTTP: "127.0.0.1:0", Place: "TMPDIR", Tables: tables})
	if err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t := &Temporary{Local: l, cancel: cancel, done: make(chan error, 1), Sender: &capture.Sender{}}
	go func() {
		t.done <- process.Run(running, process.Options{Health: config.Health{Addr: "off"}}, l.Parts(l.Services...)...)
	}()
	s, err := config.LoadFrom[cli.Settings](l.Values)
	if err == nil {
		t.DB, err = catalog.Open(ctx, catalog.ConfigOf(s.Postgres))
	}
	if err == nil {
		t.Conn, err = stream.Connect(ctx, stream.ConfigOf("colophon", s.NATS, s.Runner))
	}
	if err == nil {
		t.Blobs, err = blobstore.Open(ctx, blobstore.ConfigOf(s.S3))
	}
	if err != nil {
		return nil, errors.Join(err, t.Stop())
	}
	return t, nil
}

// Stop ends services and servers, in this order. The folder stays.
func (t *Temporary) Stop() error {
	if t.Conn != nil {
		t.Conn.Close()
	}
	if t.DB != nil {
		t.DB.Close()
	}
	t.cancel()
	return errors.Join(<-t.done, t.Local.Close())
}

// write writes one document in a format; own is the schema of entities, nil for the six types.
func (t *Temporary) write(ctx context.Context, w io.Writer, r catalog.Result, to string, own *custom.Schema) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if to == "chunks" {
		for group, err := range t.DB.ChunkGroups(ctx, nil, r.DocumentID) {
			if err != nil {
				return err
			}
			for _, g := range group {
				if err := enc.Encode(g.Chunk); err != nil {
					return err
				}
			}
		}
		return nil
	}
	snap, err := t.DB.Snapshot(ctx, r.SnapshotID)
	if err != nil {
		return err
	}
	if to == "entities" {
		return t.writeEntities(ctx, enc, snap, own)
	}
	between := "" // an empty line between what stands on two pages
	var pages render.Pages
	shown := present.NewReader(snap)
	return export.LastFrames(ctx, t.DB, t.Blobs, r.SnapshotID, func(f segment.Frame) error {
		text, gap := "", "\n"
		switch to {
		case "html":
			text, gap = pages.HTML(f, snap.Slug), ""
		case "markdown":
			text = render.Markdown(f)
		case "text":
			text = pages.Text(f)
		case "csv":
			text, gap = render.CSV(f), "\r\n"
		default:
			return export.WriteIR(enc, f, shown)
		}
		if text == "" {
			return nil
		}
		_, err := io.WriteString(w, between+text)
		between = gap
		return err
	})
}
