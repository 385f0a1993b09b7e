package warc

import (
	"crypto/sha256"
	"errors"
	"time"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/scratch"
)

// maxPayloads is how many records are remembered, of those that revisit records may refer
// to: two and a half times as many as an archive may have documents, since redirects are
// among them. They take 35 MB at most.
const maxPayloads = 1 << 18

// target is what a revisit record refers to, the beginning of a digest: the archive says
// how long its names are. The zero target is nothing.
type target [16]byte

func byID(id string) target { return targetOf("id\x00" + id) }

func byDate(uri string, at time.Time) target { return targetOf("uri\x00" + uri + "\x00" + at.String()) }

func targetOf(name string) target {
	sum := sha256.Sum256([]byte(name))
	return target(sum[:len(target{})])
}

// payloads remembers where the records are that revisit records may refer to: those of
// documents, of several under one name the first.
type payloads struct {
	places map[target]Place
	added  int
	all    bool // also those behind the record that is read now
}

func (p *payloads) add(r *Record) {
	if p.all || p.added == maxPayloads {
		return
	}
	p.added++
	for _, t := range []target{byID(r.ID()), byDate(r.Target(), r.Date())} {
		if _, found := p.places[t]; !found {
			p.places[t] = r.Place
		}
	}
}

// find returns the place of what a revisit record refers to. As a rule that stands before
// it. When one does not, the rest of the archive is looked through, once.
func (p *payloads) find(w *container.Walk, f container.File, r *Record) (Place, bool, error) {
	id, uri, at := r.RefersTo()
	var wanted target
	switch {
	case id != "":
		wanted = byID(id)
	case uri != "":
		wanted = byDate(uri, at)
	default:
		return Place{}, false, nil
	}
	if place, found := p.places[wanted]; found || p.all {
		return place, found, nil
	}
	err := p.lookAhead(w, f, r.Place)
	place, found := p.places[wanted]
	return place, found, err
}

// lookAhead adds the records from a place on. What is damaged is noted when it is read.
func (p *payloads) lookAhead(w *container.Walk, f container.File, from Place) error {
	reader := &Reader{file: f, size: f.Size, next: from.Offset}
	for range maxRecords {
		if err := w.Ended(); err != nil {
			return err
		}
		r, err := reader.Next()
		var damage *recordDamage
		switch {
		case err == nil:
			if holdsDocument(r) && (r.Place.Offset > from.Offset || r.Place.Inner > from.Inner) {
				p.add(r)
			}
		case scratch.Failed(err):
			return err
		case !errors.As(err, &damage): // the end, or too much is damaged
			p.all = true
			return nil
		}
	}
	p.all = true
	return nil
}
