package warc

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/scratch"
)

// maxRecords is how many records of any kind an archive may have. A crawler writes three
// or four for a document, and an archive may have 100,000 of these.
const maxRecords = 1_000_000

// Kind is that of web archives. Their members are the response, resource and conversion
// records, and the payloads that revisit records refer to, under the revisit's own URL,
// date and headers; the other records are passed. What is damaged is noted with its place,
// and the rest is read.
func Kind() container.Kind {
	return container.Kind{Type: model.TypeWARC, Begins: beginsAsArchive, Walk: func(w *container.Walk, f container.File) error {
		a := &archive{Walk: w, file: f, payloads: payloads{places: make(map[target]Place)}}
		return a.walk()
	}}
}

func beginsAsArchive(f container.File) (bool, error) {
	_, err := NewReader(f, f.Size)
	if errors.Is(err, ErrNoArchive) {
		return false, nil
	}
	return err == nil, err
}

// archive is one walk over the records of an archive.
type archive struct {
	*container.Walk
	file     container.File
	payloads payloads
}

func (a *archive) walk() error {
	r, err := NewReader(a.file, a.file.Size)
	if err != nil {
		return container.Fault(err)
	}
	for n := 0; ; n++ {
		if err := a.Ended(); err != nil {
			return err
		}
		record, err := r.Next()
		var damage *recordDamage
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &damage):
			a.Damage(err)
			continue
		case errors.Is(err, ErrDamaged):
			return container.Fault(err)
		case err != nil:
			return err
		case n >= maxRecords:
			return fmt.Errorf("%w: more than %d records", container.ErrLimit, maxRecords)
		}
		if err := a.record(record); err != nil {
			return err
		}
	}
}

func (a *archive) record(r *Record) error {
	switch {
	case r.Type() == TypeRevisit:
		return a.revisit(r)
	case holdsDocument(r):
		a.payloads.add(r)
		return a.document(r, nil)
	default:
		return a.pass(r)
	}
}

// pass goes over a record that is no document. What it says of its length is believed only
// where the archive has been asked (Reader.plain): to go over one in a gzip member means to
// decompress it, and what comes out is taken from the limits. Where less does than it says,
// the next call of Reader.Next tells.
func (a *archive) pass(r *Record) error {
	block, inMember := r.Block.(whole)
	if !inMember {
		return a.Pass(r.Length)
	}
	if err := a.Pass(r.Length - block.block.N); err != nil { // what was read of it before
		return err
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := block.Read(buf)
		if above := a.Take(int64(n)); above != nil {
			return above
		}
		if err != nil { // its end, or what Next will say
			return nil
		}
		if err := a.Ended(); err != nil {
			return err
		}
	}
}

// holdsDocument reports whether a record has a document of its own.
func holdsDocument(r *Record) bool {
	switch r.Type() {
	case TypeResponse, TypeResource, TypeConversion:
		return true
	default:
		return false
	}
}

// revisit hands over the payload that a revisit record refers to.
func (a *archive) revisit(r *Record) error {
	place, found, err := a.payloads.find(a.Walk, a.file, r)
	switch {
	case err != nil:
		return err
	case !found:
		if err := a.Count(); err != nil {
			return err
		}
		m := memberOf(r)
		m.Problem = container.ErrElsewhere
		return a.Record(m, nil)
	}
	if err := a.Take(place.Inner); err != nil { // all of a gzip member before it is read again
		return err
	}
	original, err := readRecordAt(a.file, a.file.Size, place)
	switch {
	case scratch.Failed(err):
		return err
	case err != nil:
		a.Damage(err)
		return nil
	}
	return a.document(r, original)
}

// memberOf returns what a record says of its capture.
func memberOf(r *Record) container.Member {
	return container.Member{
		Path: "@" + r.Place.String(), Name: "the record at byte " + r.Place.String(),
		Record: &container.Record{URL: r.Target(), ID: r.ID(), At: r.Date(), Truncated: r.Truncated()},
	}
}

// document hands over the document of a record; of a revisit record, original is the
// record that has its payload.
func (a *archive) document(r, original *Record) error {
	m := memberOf(r)
	payload, problem := payloadOf(r, m.Record)
	if problem == nil && original != nil {
		if m.Record.Status == http.StatusNotModified { // its headers are not those of a document
			m.Record.Status, m.Record.Header = 0, nil
		}
		m.Record.Truncated = m.Record.Truncated || original.Truncated()
		payload, problem = payloadOf(original, m.Record)
	}
	scheme, _, _ := strings.Cut(strings.ToLower(r.Target()), ":")
	if m.Record.Status >= 300 && m.Record.Status < 400 || scheme == "dns" || scheme == "metadata" {
		return a.pass(r) // the way to a document, or what its crawler says of itself
	}
	if err := a.Count(); err != nil {
		return err
	}
	if problem != nil {
		m.Problem = torn{problem}
	}
	return a.Record(m, func() (io.ReadCloser, error) { return io.NopCloser(tornReader{payload}), nil })
}

// payloadOf returns the payload of a record, and adds what its HTTP message, or
// else its own header, says of it to what is said, unless another record has said it.
func payloadOf(r *Record, said *container.Record) (io.Reader, error) {
	if !r.hasResponse() {
		if said.Status == 0 && r.Type() != TypeRevisit {
			said.ContentType = r.Fields.Get("Content-Type")
		}
		return r.Block, nil
	}
	answer, err := r.Response()
	if err != nil {
		return nil, err
	}
	if said.Status == 0 {
		said.Status, said.Header = answer.Status, answer.Header
	}
	return answer.Body, nil
}

// torn is an error of a record that is damaged, in its own words.
type torn struct{ error }

// Is makes it one of container.ErrDamaged.
func (t torn) Is(target error) bool { return target == container.ErrDamaged }

// Unwrap returns what is wrong.
func (t torn) Unwrap() error { return t.error }

// tornReader reads a payload, whose errors are those of a record.
type tornReader struct{ r io.Reader }

func (t tornReader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, container.ErrBomb) {
		err = torn{err}
	}
	return n, err
}
