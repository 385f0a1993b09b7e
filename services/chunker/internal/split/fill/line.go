package fill

import "slices"

// lineOf returns the context line of a chunk that stands in path, "" where chunks have none. Blocks
// of one section ask for the same one again and again.
func (s *Filler) lineOf(path []section) string {
	if s.o.ContextLine == nil {
		return ""
	}
	if s.line == "" || !slices.Equal(path, s.linePath) {
		entries := make([]string, len(path))
		for i, e := range path {
			entries[i] = e.entry
		}
		s.line, s.linePath = s.o.ContextLine(entries), slices.Clone(path)
		s.lineTokens = s.count(s.line) + jointCost(s.line)
	}
	return s.line
}

// lineCost returns the tokens of the context line with its joint.
func (s *Filler) lineCost(path []section) int {
	if s.lineOf(path) == "" {
		return 0
	}
	return s.lineTokens
}

// lineBytes returns how many bytes the context line has with its joint.
func (s *Filler) lineBytes(path []section) int {
	if line := s.lineOf(path); line != "" {
		return len(line) + len(joint)
	}
	return 0
}
