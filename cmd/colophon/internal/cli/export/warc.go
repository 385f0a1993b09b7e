package export

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/container/warc"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// warcNote says in an archive that we write what is whose.
const warcNote = "Written from stored snapshots. The payload of a response or resource record is the captured bytes: " +
	"of a response as they came, with their content coding and without transfer coding. The status line of a response " +
	"is rebuilt; its header fields are those of the server that the redaction policy keeps, and Content-Length is that of the payload. " +
	"What came without header fields is a resource record. The metadata record of each is what the snapshot's record says."

// warc writes snapshots as a web archive (WARC 1.1), each record compressed.
func (e *exporter) warc(ctx context.Context) error {
	return e.write(func(w io.Writer) error {
		out := warc.NewWriter(w)
		info := "software: colophon\r\nformat: WARC File Format 1.1\r\n" +
			"conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\ndescription: " + warcNote + "\r\n"
		began := false
		return e.snapshots(ctx, func(s model.Snapshot) error {
			if !began { // with the date of the first snapshot: the same snapshots give the same archive
				began = true
				if err := writeRecord(out, warc.TypeInfo, digest.RecordID(s.SnapshotID, warc.TypeInfo), s.RetrievedAt,
					warc.Fields{{Name: "Content-Type", Value: "application/warc-fields"}}, []byte(info)); err != nil {
					return err
				}
			}
			return e.writeSnapshot(ctx, out, s)
		})
	})
}

// writeSnapshot writes the record of a snapshot's bytes, and one of what is
// known about them.
func (e *exporter) writeSnapshot(ctx context.Context, out *warc.Writer, s model.Snapshot) error {
	key, err := blobstore.RawKey(s.SourceID, cmp.Or(s.WireHash, s.ContentHash))
	if err != nil {
		return fmt.Errorf("snapshot %s: %w", s.SnapshotID, err)
	}
	file, err := e.blobs.GetFile(ctx, blobstore.Raw, key, cmp.Or(s.WireHash, s.ContentHash), 0)
	if err != nil {
		return fmt.Errorf("snapshot %s: %w", s.SnapshotID, err)
	}
	defer func() { _ = file.Close() }()
	payload := func() io.Reader { return io.NewSectionReader(file, 0, file.Size) }
	var head []byte
	kind, contentType := warc.TypeResource, cmp.Or(s.ContentType, s.DetectedMIME, "application/octet-stream")
	if len(s.ResponseHeaders) > 0 && s.HTTPStatus >= 100 && s.HTTPStatus <= 999 && strings.HasPrefix(s.URL, "http") {
		kind, contentType = warc.TypeResponse, "application/http;msgtype=response"
		head = responseHead(s, file.Size)
	} else if s.WireHash != "" {
		contentType = "application/octet-stream" // it is in a content coding that no header names
	}
	payloadSum, err := warc.SHA1(payload())
	if err != nil {
		return err
	}
	blockSum := payloadSum
	if head != nil {
		if blockSum, err = warc.SHA1(io.MultiReader(bytes.NewReader(head), payload())); err != nil {
			return err
		}
	}
	id, target := digest.RecordID(s.SnapshotID, kind), warcTarget(s)
	fields := warc.Fields{
		{Name: "WARC-Type", Value: kind}, {Name: "WARC-Record-ID", Value: "<urn:uuid:" + id + ">"},
		{Name: "WARC-Date", Value: warcDate(s.RetrievedAt)}, {Name: "WARC-Target-URI", Value: target},
		{Name: "WARC-Block-Digest", Value: blockSum}, {Name: "WARC-Payload-Digest", Value: payloadSum},
		{Name: "Content-Type", Value: contentType},
	}
	if s.DetectedMIME != "" && s.WireHash == "" {
		fields = append(fields, warc.Field{Name: "WARC-Identified-Payload-Type", Value: s.DetectedMIME})
	}
	if err := out.Write(fields, io.MultiReader(bytes.NewReader(head), payload()), int64(len(head))+file.Size); err != nil {
		return fmt.Errorf("snapshot %s: %w", s.SnapshotID, err)
	}
	known, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("snapshot %s: %w", s.SnapshotID, err)
	}
	return writeRecord(out, warc.TypeMetadata, digest.RecordID(s.SnapshotID, warc.TypeMetadata), s.RetrievedAt, warc.Fields{
		{Name: "WARC-Target-URI", Value: target}, {Name: "WARC-Refers-To", Value: "<urn:uuid:" + id + ">"},
		{Name: "Content-Type", Value: "application/json"},
	}, known)
}

// writeRecord writes a record of which the block is small.
func writeRecord(out *warc.Writer, kind, id string, at time.Time, more warc.Fields, block []byte) error {
	sum, err := warc.SHA1(bytes.NewReader(block))
	if err != nil {
		return err
	}
	fields := append(warc.Fields{
		{Name: "WARC-Type", Value: kind}, {Name: "WARC-Record-ID", Value: "<urn:uuid:" + id + ">"},
		{Name: "WARC-Date", Value: warcDate(at)}, {Name: "WARC-Block-Digest", Value: sum},
	}, more...)
	return out.Write(fields, bytes.NewReader(block), int64(len(block)))
}

// responseHead returns the status line and the header fields of a response whose
// payload has length bytes. Transfer coding is undone before bytes are stored.
func responseHead(s model.Snapshot, length int64) []byte {
	header := make(http.Header, len(s.ResponseHeaders))
	for name, values := range s.ResponseHeaders {
		for _, v := range values {
			header.Add(name, v)
		}
	}
	header.Del("Transfer-Encoding")
	if s.WireHash == "" && !slices.Contains(s.QualityFlags, "content_encoding_kept") {
		header.Del("Content-Encoding") // the bytes came decoded
	}
	header.Set("Content-Length", fmt.Sprint(length))
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %03d %s\r\n", s.HTTPStatus, http.StatusText(s.HTTPStatus))
	_ = header.Write(&b) // in the order of names; a buffer does not fail
	b.WriteString("\r\n")
	return b.Bytes()
}

// warcTarget returns the URI under which a snapshot is archived: its URL, for a
// member that of its container with its path, else a name made of its id.
func warcTarget(s model.Snapshot) string {
	for _, uri := range []string{s.URL, s.ExternalID} {
		if scheme, _, ok := strings.Cut(uri, "://"); ok && scheme != "" && !strings.ContainsFunc(uri, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
			return uri
		}
	}
	return "urn:x-colophon:" + s.SnapshotID
}

// warcDate writes a date as WARC 1.1 has it, with fractions where there are some.
func warcDate(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.999999Z") }
