package reference

import (
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Chunk is what is read of a chunk to tell which places it has.
type Chunk struct {
	Ref         string
	Hash        string // of its content: chunks of equal content repeat each other
	Content     string
	SectionPath []string
	Anchors     []model.Anchor
}

// Places are the places of one version of a document. They are a function of its chunks,
// which never change.
type Places struct {
	chunks  []string        // chunk_refs in their order
	hashes  []string        // of their contents
	section []int           // of each the first chunk of its section
	at      map[Place][]int // of these, those that have a place, in their order
	heading map[int][]Place // of a chunk, the places that it is in by its headings
}

// maxTargets is how many chunks one place may have: a chapter has many.
const maxTargets = 8

// PlacesOf reads the chunks of a version, in their order. A chunk has the places of its
// anchors, of the first lines of its blocks, and of the headings above it; what goes on from
// the chunk before, in the same section, has that one's last.
func (g *Grammar) PlacesOf(chunks []Chunk) *Places {
	p := &Places{at: make(map[Place][]int), heading: make(map[int][]Place)}
	var path []string
	var last []Place // of the last label of the chunk before
	opened := 0      // first chunk of the section
	for i, c := range chunks {
		p.chunks, p.hashes = append(p.chunks, c.Ref), append(p.hashes, c.Hash)
		if i == 0 || !slices.Equal(path, c.SectionPath) {
			path, last, opened = c.SectionPath, nil, i
		}
		p.section = append(p.section, opened)
		for _, heading := range c.SectionPath {
			if place, ok := g.Place(heading); ok {
				p.heading[i] = append(p.heading[i], place)
				p.add(i, place, g.kindsAbove(c.SectionPath, heading))
			}
		}
		for _, anchor := range c.Anchors {
			if place, ok := g.Place(anchor.Text); ok {
				p.add(i, place, nil)
			}
		}
		labelled := false
		for n, block := range strings.Split(c.Content, "\n\n") {
			line, _, _ := strings.Cut(block, "\n")
			if n == 0 && strings.Contains(line, " > ") {
				continue // the headings above
			}
			place, ok := g.Place(line)
			if !ok {
				if n <= 1 && !labelled { // it goes on from the chunk before
					for _, carried := range last {
						p.add(i, carried, nil)
					}
				}
				continue
			}
			above := g.kindsAbove(c.SectionPath, line)
			if place.Kind == "" && len(above) == 0 {
				continue // a number of a list
			}
			labelled, last = true, p.add(i, place, above)
		}
	}
	return p
}

// kindsAbove returns the kinds of the headings above a line: "Noveno" below "Fundamentos de
// derecho" is a ground.
func (g *Grammar) kindsAbove(path []string, line string) []string {
	var kinds []string
	for _, heading := range path {
		if heading == line {
			break
		}
		own, _ := g.Place(heading) // below "Part 1" there are no parts
		for _, kind := range g.kindsIn(heading) {
			if kind != own.Kind {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

// add says that a chunk has a place, and returns what that is by kind.
func (p *Places) add(i int, place Place, above []string) []Place {
	all := []Place{place}
	if place.Kind == "" {
		for _, kind := range above {
			all = append(all, Place{kind, place.Number})
		}
	}
	for _, one := range all {
		if of := p.at[one]; len(of) == 0 || of[len(of)-1] != i {
			p.at[one] = append(of, i)
		}
	}
	return all
}

// Resolve returns the chunks of the place that a reference names, in their order, at most
// maxTargets of them, but for the chunk at from, an index of the version's chunks or -1. None
// where that stands below a heading of the place: it speaks of what it is in.
func (p *Places) Resolve(place Place, from int) []string {
	at := p.at[place]
	if len(at) == 0 { // "chapter 7" is "7. Money"
		at = p.at[Place{"", place.Number}]
	}
	if slices.Contains(p.heading[from], place) {
		return nil
	}
	refs := make([]string, 0, min(len(at), maxTargets))
	for _, i := range at {
		if i != from && len(refs) < maxTargets {
			refs = append(refs, p.chunks[i])
		}
	}
	return refs
}

// Index returns the index of a chunk of the version by the hash of its content, -1 where it
// has none of it.
func (p *Places) Index(hash string) int { return slices.Index(p.hashes, hash) }

// Around returns the chunks before and behind the one at an index, and the first of its
// section; "" for none.
func (p *Places) Around(i int) (before, after, section string) {
	if i < 0 || i >= len(p.chunks) {
		return "", "", ""
	}
	if i > 0 {
		before = p.chunks[i-1]
	}
	if i+1 < len(p.chunks) {
		after = p.chunks[i+1]
	}
	return before, after, p.chunks[p.section[i]]
}

// First returns the first chunk of the version, "" where it has none.
func (p *Places) First() string {
	if len(p.chunks) == 0 {
		return ""
	}
	return p.chunks[0]
}

// Size is how many entries the places take, for who keeps them.
func (p *Places) Size() int {
	n := len(p.chunks)
	for _, at := range p.at {
		n += 1 + len(at)
	}
	return n
}
