package model

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ChunkType is the type of a chunk (seeds#knowledge).
type ChunkType string

// The types (contracts#chunk-fields).
const (
	ChunkFact       ChunkType = "fact"
	ChunkAllegation ChunkType = "allegation"
	ChunkOpinion    ChunkType = "opinion"
)

// ChunkStatus is the status of a chunk (seeds#knowledge).
type ChunkStatus string

// The statuses (contracts#chunk-fields).
const (
	StatusUnderReview ChunkStatus = "under_review"
	StatusConfirmed   ChunkStatus = "confirmed"
	StatusRefuted     ChunkStatus = "refuted"
	StatusObsolete    ChunkStatus = "obsolete"
)

// ChunkerVersion is the chunker_version of this build: an integer as text,
// raised whenever the same units would give other chunks. It stands here because
// the capturer asks for it too: bytes are unchanged only under today's versions.
//
//	1: paragraphs to a budget, headings as context, tables by rows
//	2: a table's cells stand in their columns, also behind empty ones
//	3: running heads and feet of pages that OCR has read are left out
//	4: more of them: heads of chapters, lines that look like items, parts that change sides
//	5: others of them: numbers beside titles, the document's own title; less text that looks like one
//	6: others of them: numbers by chapter, stamped ones; less text that looks like one
//	7: chunkers of domains: regulations, minutes, forums, dictionaries, tables, lists, posts;
//	   articles apart from each other, no row of a table cut, sentences by Unicode's rules
//	   the url of a member of a container
//	   type, status, info_date and meta by the rules of pkg/statement
//	8: more of what is alleged and thought is known as that (statements_2); plain lists of minutes or
//	   sessions, and numbers that no word of a meeting stands before, are no minutes
//	9: a context line where the source wants one; minutes by who came, by items that meetings alone have,
//	   by a body and a date; other forms and turns of what is thought and alleged (statements_3)
const ChunkerVersion = "9"

// MaxChunkText is the largest text of a chunk in bytes (contracts#event-size).
const MaxChunkText = 128 << 10

// Chunk is one chunk: header and content, its knowledge fields and the proof of
// every byte (contracts#provenance). It is inserted once and never edited; what changes
// about it is ChunkState.
type Chunk struct {
	ChunkRef        string            `json:"chunk_ref"`   // {doc_hash}:{chunk_id}
	DocHash         string            `json:"doc_hash"`    // hex sha256 of source_id, the document's identity, last_modified and final_type: names a version of a document
	ChunkID         string            `json:"chunk_id"`    // chunk_index in decimal; from the second generation on with @ and the generation behind it
	Generation      int               `json:"generation"`  // 1, 2, …
	ChunkIndex      int               `json:"chunk_index"` // 0-based
	PointID         string            `json:"point_id"`    // UUID of its point in the vector store, made of chunk_ref; of one that is a number it has the last 64 bits
	DocumentID      string            `json:"document_id"`
	SourceID        string            `json:"source_id"`
	SnapshotID      string            `json:"snapshot_id"`
	ExtractionID    string            `json:"extraction_id"`     // 16 hex digits of parser version, the source's rules and the OCR run: names a run of its snapshot
	Text            string            `json:"text"`              // header, empty line, content
	Content         string            `json:"content"`           // verbatim
	TextHash        string            `json:"text_hash"`         // hex sha256 of text, normalised: equal texts of one source_type are one piece of knowledge
	ContentTextHash string            `json:"content_text_hash"` // hex sha256 of content, normalised: chunks of equal content repeat each other
	Type            ChunkType         `json:"type"`              // fact, allegation or opinion
	Status          ChunkStatus       `json:"status"`            // under_review, confirmed, refuted or obsolete
	InfoDate        string            `json:"info_date"`         // YYYY-MM-DD
	InfoDateOrigin  string            `json:"info_date_origin"`  // where info_date is from: text_updated, text_judgment, text_session, text_published or text_signed (the text says it), published (the page's own data), else as last_modified_origin
	Source          string            `json:"source"`            // display name of the source
	SourceType      string            `json:"source_type"`       // official, wiki, history, proposal, comment or forum (seeds#knowledge)
	DocType         string            `json:"doc_type"`          // pdf, html, text, … (seeds#store, source_type)
	Domain          string            `json:"domain"`
	Territory       string            `json:"territory"`
	Host            string            `json:"host,omitempty"`  // host of the URL, empty for a file
	Layer           Layer             `json:"layer"`           // at creation
	Language        string            `json:"language"`        // ISO 639-1, empty when it is not known
	URL             string            `json:"url"`             // final URL of the document, redacted; of a member of a container its identity
	Title           string            `json:"title"`           // title of the document
	SectionPath     []string          `json:"section_path"`    // the headings above it, the outermost first
	Anchors         []Anchor          `json:"anchors"`         // numbered places that it holds, such as articles of a law
	PageHint        int               `json:"page_hint"`       // 1-based page of the first non-synthetic segment
	Tokens          int               `json:"tokens"`          // of text, o200k_base
	Meta            ChunkMeta         `json:"meta"`            // what rules or people have added
	Provenance      Provenance        `json:"provenance"`      // where every byte of text is from
	ParserVersion   string            `json:"parser_version"`  // version of the parser
	ChunkerVersion  string            `json:"chunker_version"` // version of the chunker
	HeaderVersion   string            `json:"header_version"`  // version of the header's form
	RuleVersions    map[string]string `json:"rule_versions"`   // versions of the rules that took part, by their names
	Blocks          []int64           `json:"-"`               // keys of the blocks of which it has text, ascending, each once (contracts#same-blocks); made with the chunk, and not read with it
}

// Anchor is a place by which people cite a chunk: an article, an agenda item.
type Anchor struct {
	Type string `json:"type"` // artigo, article, articolo, agenda_item, section
	Text string `json:"text"` // as printed, "Art. 2º"
	Page int    `json:"page"` // 1-based
}

// ChunkMeta is what is said of a chunk beside its text (seeds#knowledge, meta).
type ChunkMeta struct {
	Topic         string   `json:"topic,omitempty"`           // subject, such as water or budget: that of which it has most words, two at least
	Tags          []string `json:"tags,omitempty"`            // other topics that it has words of, those with more first
	Actors        []string `json:"actors,omitempty"`          // who is named, as printed
	KindOfContent string   `json:"kind_of_content,omitempty"` // what sort of text it is, such as judgment, regulation or minutes, as the nearest heading or the title says
	LegalCues     []string `json:"legal_cues,omitempty"`      // which legal effects it has words of, such as repeal or deadline
	TypeGuess     string   `json:"type_guess,omitempty"`      // what the strongest of its sentences is, however little of it that is: allegation before opinion before fact

	// Of what an operator has added (contracts#notes).
	Evidence []Evidenced `json:"evidence,omitempty"` // where it is from
	Replaces []string    `json:"replaces,omitempty"` // chunk_refs of which this chunk says what is known of them since
	SumsUp   []string    `json:"sums_up,omitempty"`  // chunk_refs that it sums up
}

// Evidenced is a place that an operator has named as evidence: words on a page of a chunk.
type Evidenced struct {
	ChunkRef string `json:"chunk_ref"` // the chunk that has the words
	Page     int    `json:"page"`      // 1-based, page of its document
	Quote    string `json:"quote"`     // the words, as they stand there
}

// Provenance maps every byte of a chunk's text (contracts#provenance).
type Provenance struct {
	Source     ProvenanceSource `json:"source"`     // the snapshot that the text is from
	Derivation Derivation       `json:"derivation"` // how it was made
	Segments   []Segment        `json:"segments"`   // the parts of text in order, without gaps
}

// ProvenanceSource says which record a chunk is from (seeds#capture, provenance.source).
type ProvenanceSource struct {
	SourceID      string        `json:"source_id"`
	RecordPointer RecordPointer `json:"record_pointer"` // the record of the source
}

// RecordPointer names a snapshot (seeds#capture, record_pointer); Kind is always
// "snapshot".
type RecordPointer struct {
	Kind        string `json:"kind"` // always snapshot
	SnapshotID  string `json:"snapshot_id"`
	RetrievedAt Time   `json:"retrieved_at"`
}

// Derivation names the rules that were applied.
type Derivation struct {
	RuleVersions map[string]string `json:"rule_versions"`
}

// Segment maps the bytes [Start, End) of a chunk's text: to bytes [From, To) of
// a unit's text, or, when Synthetic is set, to the rule that wrote them.
type Segment struct {
	Start     int    `json:"start"`               // first byte in the chunk's text
	End       int    `json:"end"`                 // byte behind the last one
	IRID      string `json:"ir_id,omitempty"`     // the unit that the bytes are from
	Evidence  int    `json:"evidence"`            // index into the unit's evidence
	From      int    `json:"from"`                // first byte in the unit's text
	To        int    `json:"to"`                  // byte behind the last one in the unit's text
	Page      int    `json:"page,omitempty"`      // 1-based page of the unit
	Synthetic string `json:"synthetic,omitempty"` // for bytes that a rule wrote, which one: header, context, heading_context, table_header, separator or correction
}

// The rules that write synthetic bytes (contracts#synthetic).
const (
	SyntheticHeader         = "header"
	SyntheticContext        = "context" // the context line (contracts#context-line)
	SyntheticHeadingContext = "heading_context"
	SyntheticTableHeader    = "table_header"
	SyntheticSeparator      = "separator"
	SyntheticCorrection     = "correction"
)

// EmbeddedText returns what is embedded of a chunk: its content, after its context line where it has
// one (contracts#embedded-text).
func (c Chunk) EmbeddedText() string {
	if _, rest, ok := strings.Cut(c.Text, "\n\n"); ok && strings.HasSuffix(rest, c.Content) { // behind the header
		return rest
	}
	return c.Content
}

// ProvedBytes counts the bytes that are mapped to a unit.
func (p Provenance) ProvedBytes() int {
	n := 0
	for _, s := range p.Segments {
		if s.Synthetic == "" {
			n += s.End - s.Start
		}
	}
	return n
}

// Tile checks that the segments cover text exactly once, in order, and cut
// no code point.
func (p Provenance) Tile(text string) error {
	at := 0
	for i, s := range p.Segments {
		if s.Start != at || s.End <= s.Start {
			return fmt.Errorf("segment %d covers bytes %d–%d, expected a start at %d", i, s.Start, s.End, at)
		}
		if s.End > len(text) {
			return fmt.Errorf("segment %d ends at %d, beyond the text of %d bytes", i, s.End, len(text))
		}
		if s.Synthetic == "" && (s.IRID == "" || s.To-s.From != s.End-s.Start || s.From < 0) {
			return fmt.Errorf("segment %d maps %d bytes to %d bytes of %q", i, s.End-s.Start, s.To-s.From, s.IRID)
		}
		if s.End < len(text) && !utf8.RuneStart(text[s.End]) {
			return fmt.Errorf("segment %d ends inside a code point", i)
		}
		at = s.End
	}
	if at != len(text) {
		return fmt.Errorf("bytes %d–%d are not covered", at, len(text))
	}
	return nil
}

// Validate returns an error that names the first broken rule (contracts#chunks).
func (c Chunk) Validate() error {
	switch {
	case c.ChunkRef != c.DocHash+":"+c.ChunkID:
		return fmt.Errorf("chunk_ref %q is not doc_hash:chunk_id", c.ChunkRef)
	case len(c.Text) > MaxChunkText:
		return fmt.Errorf("%s: text of %d bytes, limit %d", c.ChunkRef, len(c.Text), MaxChunkText)
	case !utf8.ValidString(c.Text):
		return fmt.Errorf("%s: text is not valid UTF-8", c.ChunkRef)
	case c.Content == "":
		return errors.New(c.ChunkRef + ": content must not be empty")
	case c.Generation < 1 || c.ChunkIndex < 0:
		return fmt.Errorf("%s: generation %d, chunk_index %d", c.ChunkRef, c.Generation, c.ChunkIndex)
	}
	if err := c.Provenance.Tile(c.Text); err != nil {
		return fmt.Errorf("%s: %w", c.ChunkRef, err)
	}
	return nil
}

// ChunkState is the narrow part of a chunk that changes (contracts#chunk-state).
type ChunkState struct {
	ChunkRef    string `json:"chunk_ref"`              // {doc_hash}:{chunk_id}, names a chunk everywhere
	Layer       Layer  `json:"layer"`                  // hot, summary or archive: chunks in the archive are no longer what their documents say
	Repeats     string `json:"repeats,omitempty"`      // chunk_ref of the version before
	Since       string `json:"since,omitempty"`        // earliest info_date of the chain
	DuplicateOf string `json:"duplicate_of,omitempty"` // chunk_ref of another chunk that stands for the same text; both have a vector, and a search that both pass finds that one
	Rev         int64  `json:"rev"`                    // revision of the state, 1, 2, …: whoever hears of several keeps the highest
	ChangedBy   string `json:"changed_by,omitempty"`   // the run that changed it last: snapshot, extraction and redo

	Current DocumentCurrent `json:"-"` // of its document, where it was read with the state
}

// DocumentCurrent says which chunks of a document are those of its current version: those
// of one doc_hash in one generation (contracts#document-current).
type DocumentCurrent struct {
	DocumentID string `json:"document_id"`
	Rev        int64  `json:"rev"`        // 1, 2, … each time that other chunks became current: whoever hears of several keeps the highest; 0: none ever were
	DocHash    string `json:"doc_hash"`   // "": no version is current
	Generation int    `json:"generation"` // 0: no version is current
}

// Has reports whether chunks of this doc_hash and generation are current.
func (d DocumentCurrent) Has(docHash string, generation int) bool {
	return d.DocHash != "" && d.DocHash == docHash && d.Generation == generation
}

// HasPoint reports whether the chunk has a vector of its own: a chunk that
// repeats one of an earlier version of its document points to that one's
// (contracts#has-point).
func (s ChunkState) HasPoint() bool { return s.Repeats == "" }

// VectorStatus is the vector_status of a manifest (seeds#store).
type VectorStatus string

// The states (contracts#has-point).
const (
	VectorNone    VectorStatus = "none"
	VectorPresent VectorStatus = "present"
	VectorPartial VectorStatus = "partial"
	VectorError   VectorStatus = "error"
)

// Manifest says what chunks a version of a document has (seeds#store,
// chunk_manifest), one row for each generation of a doc_hash.
type Manifest struct {
	DocHash              string         `json:"doc_hash"`
	Generation           int            `json:"generation"` // 1, 2, …: one more each time that the same doc_hash got other chunks; 0 as long as no chunks were made
	DocumentID           string         `json:"document_id"`
	SourceID             string         `json:"source_id"`
	SnapshotID           string         `json:"snapshot_id"`
	ExtractionID         string         `json:"extraction_id"`
	Redo                 int            `json:"redo"` // which repetition of the run made it; 0 is the first
	CanonicalURL         string         `json:"canonical_url"`
	SourceFile           string         `json:"source_file"` // filename of the snapshot
	DocType              string         `json:"doc_type"`    // final_type of the snapshot
	ChunkCount           int            `json:"chunk_count"` // chunks of this generation; 0 beside same_as
	Status               ManifestStatus `json:"status"`      // queued, processing, done, error
	ErrorMessage         string         `json:"error_message"`
	SameAs               string         `json:"same_as,omitempty"` // an earlier snapshot with the same fingerprint: its chunks are this version's
	Fingerprint          string         `json:"fingerprint"`
	SegmentsDigest       string         `json:"segments_digest"` // hex sha256 over the digests of the IR segments that it was made of
	ChunkerVersion       string         `json:"chunker_version"`
	HeaderVersion        string         `json:"header_version"`
	Meta                 ManifestMeta   `json:"meta"`
	LeftOut              *LeftOut       `json:"left_out,omitempty"`      // characters of its pages that no chunk has; none in manifests of chunkers before version 3
	VectorStatus         VectorStatus   `json:"vector_status"`           // none, present (every chunk has or points to a vector), partial or error
	LastPushedAt         Time           `json:"last_pushed_at,omitzero"` // when its vectors were written last; none before
	LastPushedCollection string         `json:"last_pushed_collection"`  // into which collection
	CreatedAt            Time           `json:"created_at,omitzero"`     // when chunks were made; of one that is not done, when its run began
	UpdatedAt            Time           `json:"updated_at,omitzero"`     // when it, or its vectors, changed last
}

// ManifestStatus is how far a version is on its way into chunks (seeds#store).
type ManifestStatus string

// The statuses. Only what is done is a row of its own; the others are those of the run,
// or of the snapshot that has none yet.
const (
	ManifestQueued     ManifestStatus = "queued"     // its pages are not worked on yet
	ManifestProcessing ManifestStatus = "processing" // its run is under way
	ManifestDone       ManifestStatus = "done"       // its chunks were made
	ManifestError      ManifestStatus = "error"      // its run has failed: error_message says why
)

// ManifestMeta is what a manifest says beside its fields. Counts are those of the pages that
// its chunks were made of; a manifest of builds before they were counted has none.
type ManifestMeta struct {
	Pages          *int   `json:"pages,omitempty"`              // pages, failed ones among them
	Tables         *int   `json:"tables,omitempty"`             // tables on its pages; one that goes on on the next page is there twice
	OCRPages       *int   `json:"ocr_pages,omitempty"`          // pages that have units which OCR has read
	SameDocHash    string `json:"same_as_doc_hash,omitempty"`   // beside same_as: whose chunks are this version's
	SameGeneration string `json:"same_as_generation,omitempty"` // the same, in decimal
	Chunker        string `json:"chunker,omitempty"`            // the chunker of a domain that cut its chunks; empty: the general one
	ChunkerWhy     string `json:"chunker_why,omitempty"`        // why that one was chosen
	Proposals      string `json:"proposals,omitempty"`          // hex sha256 of the object with what a model proposed for its chunks; empty: they are by rules alone
	ProposalsKey   string `json:"proposals_key,omitempty"`      // where that object is
}

// PageCounts are what is counted of the pages of a version.
type PageCounts struct{ Pages, Tables, OCRPages int }

// Add counts a page.
func (c *PageCounts) Add(units []Unit) {
	c.Pages++
	read := false
	for _, u := range units {
		if u.Type == UnitTable {
			c.Tables++
		}
		read = read || u.OCREngine != ""
	}
	if read {
		c.OCRPages++
	}
}

// Counted returns the meta with the counts.
func (m ManifestMeta) Counted(c PageCounts) ManifestMeta {
	m.Pages, m.Tables, m.OCRPages = &c.Pages, &c.Tables, &c.OCRPages
	return m
}

// Counts returns the counts, and whether there are some.
func (m ManifestMeta) Counts() (c PageCounts, ok bool) {
	if m.Pages == nil || m.Tables == nil || m.OCRPages == nil {
		return c, false
	}
	return PageCounts{Pages: *m.Pages, Tables: *m.Tables, OCRPages: *m.OCRPages}, true
}

// The keys of a manifest's meta that name the chunker of a domain that cut its chunks, and
// why that one was chosen.
const (
	MetaChunker    = "chunker"
	MetaChunkerWhy = "chunker_why"

	MetaProposals    = "proposals"     // digest and key of what a model proposed
	MetaProposalsKey = "proposals_key" // for the chunks (contracts#enrichment)
)

// HasChunks reports whether chunks were made for the manifest. Those of one that
// is the same as a version that has landed after it, before it in time, stay.
func (m Manifest) HasChunks() bool { return m.SameAs == "" || m.ChunkCount > 0 }
