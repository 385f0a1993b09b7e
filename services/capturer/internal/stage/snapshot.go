package stage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/charset"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/capturer/internal/modified"
	"github.com/colophon-dev/colophon/services/capturer/internal/obtain"
	"github.com/colophon-dev/colophon/services/capturer/internal/redact"
	"github.com/colophon-dev/colophon/services/capturer/internal/request"
	"github.com/colophon-dev/colophon/services/capturer/internal/typing"
)

// makeSnapshot makes the record of captured bytes: all required and recommended
// fields of seeds#capture, the typing of seeds#store, and what later stages need of the
// source (contracts#source). The slug is left to the catalog, which knows the first.
// message is what there is to say of a capture that succeeds.
func (s *Stage) makeSnapshot(ctx context.Context, req *request.Request, source model.Source, doc *obtain.Document) (snap model.Snapshot, message string, err error) {
	head, err := doc.Body.Head(typing.HeadSize)
	if err != nil {
		return snap, "", err
	}
	identity, err := s.identifyDocument(ctx, req, doc.RawURL, doc.Canonical)
	if err != nil {
		return snap, "", err
	}
	flags := slices.Clone(doc.Flags)
	if message = splitMessage(identity); message != "" {
		flags = append(flags, FlagSplit)
	}
	snap = model.Snapshot{
		SnapshotID:      digest.SnapshotID(req.SourceID, req.RequestID, doc.Body.Hash),
		SnapshotGroupID: req.SnapshotGroupID, DocumentID: digest.DocumentID(req.SourceID, identity.ExternalID),
		RequestID: req.RequestID, SourceID: req.SourceID, SourceRecordID: req.SourceRecordID, ExternalID: identity.ExternalID,
		URL: doc.URL, URLCanonical: doc.Canonical, RedirectChain: doc.Chain,
		HTTPStatus: doc.Status, FetchStatus: doc.FetchStatus(),
		ContentHash: doc.Body.Hash, ByteLength: doc.Body.Size,
		FetchToolVersion: doc.Tool, RobotsPolicyNotes: cmp.Or(req.RobotsPolicyNotes, redact.Today().Text(source.RobotsNotes)),
		Metadata: req.Metadata, Language: req.Language, Region: cmp.Or(req.Region, source.Region),
		RuleVersions: map[string]string{"typing": typing.Version}, RedactionPolicyID: redact.PolicyID,
	}
	if doc.Canonical != "" {
		snap.URLCanonicalizationVersion = digest.URLCanonVersion
		snap.RuleVersions["urlcanon"] = digest.URLCanonVersion
		if s.Seed004IDs {
			snap.RuleVersions[model.RuleIDs] = model.IDs004
		}
	}
	if doc.Wire != nil {
		snap.WireHash, snap.ContentEncoding = doc.Wire.Hash, strings.Join(doc.Header.Values("Content-Encoding"), ", ")
	}
	if len(doc.Header) > 0 {
		snap.ResponseHeaders = doc.Header
	}
	snap.RequestHeaders = doc.Asked
	s.setType(&snap, req, doc, flags, head)
	setEncoding(&snap, head)
	if err := setDates(&snap, req, doc, head); err != nil {
		return snap, "", err
	}
	setSource(&snap, source)
	if err := snap.Validate(); err != nil {
		return snap, "", fault.Permanent(fault.Internal, fmt.Errorf("the snapshot of %s/%s: %w", req.SourceID, req.RequestID, err))
	}
	return snap, message, nil
}

// setType fills in the typing fields of seeds#store.
func (s *Stage) setType(snap *model.Snapshot, req *request.Request, doc *obtain.Document, flags []string, head []byte) {
	snap.HTTPContentType = doc.Header.Get("Content-Type")
	snap.HTTPContentDisposition = doc.Header.Get("Content-Disposition")
	snap.ETag = doc.Header.Get("ETag")
	typed := s.Types.Decide(typing.Input{
		Head: head, ContentType: cmp.Or(snap.HTTPContentType, req.ContentType),
		Disposition: snap.HTTPContentDisposition, Filename: req.Filename, URL: doc.URL,
	})
	if slices.Contains(flags, obtain.FlagCoding) {
		typed.FinalType, typed.SnapshotKind = model.TypeUnknown, model.KindOther // whatever it is below its coding
	}
	snap.FinalType, snap.SnapshotKind = typed.FinalType, typed.SnapshotKind
	snap.DetectedMIME, snap.DetectedExt, snap.URLExt = typed.DetectedMIME, typed.DetectedExt, typed.URLExt
	snap.Filename = redact.Today().Text(typed.Filename)
	snap.ContentType = cmp.Or(req.ContentType, snap.HTTPContentType)
	snap.Encoding = cmp.Or(req.Encoding, charset.FromContentType(snap.ContentType))
	snap.QualityFlags = slices.Sorted(slices.Values(append(typed.Flags, flags...)))
}

// setEncoding records how a text is to be read.
func setEncoding(snap *model.Snapshot, head []byte) {
	if len(head) == 0 || snap.FinalType != model.TypeHTML && snap.FinalType != model.TypeText {
		return
	}
	choice := charset.Choose(head, charset.Declared{HTTP: snap.Encoding, Document: charset.InDocument(head), Language: snap.Language})
	snap.DetectedEncoding, snap.EncodingOrigin, snap.EncodingConfidence = choice.Name, choice.Origin, float64(choice.Percent)/100
}

// setDates fills in when the bytes were retrieved and when the document was
// last changed. That falls back on the request's time and never on the clock,
// so that a repeated handling changes no id (contracts#last-modified).
func setDates(snap *model.Snapshot, req *request.Request, doc *obtain.Document, head []byte) error {
	in := modified.Input{
		Header: doc.Header.Get("Last-Modified"), GivenOrigin: req.LastModifiedOrigin, Requested: req.At.UTC(),
	}
	switch snap.FinalType {
	case model.TypeHTML:
		in.HTML = head
	case model.TypePDF:
		tail, err := doc.Body.Tail(typing.HeadSize)
		if err != nil {
			return err
		}
		in.PDF = [][]byte{tail, head}
	}
	if req.LastModified != nil {
		in.Given = *req.LastModified
	}
	if req.RetrievedAt != nil {
		in.Retrieved = *req.RetrievedAt
	}
	if !req.Undated.IsZero() {
		in.Retrieved = req.Undated
	}
	snap.RetrievedAt = retrievedAt(req, doc)
	snap.LastModified, snap.LastModifiedOrigin = modified.Find(in)
	return nil
}

// retrievedAt returns when the bytes of a document were retrieved (contracts#retrieved-at):
// when the answer of our own fetch came, whatever the request says; of what was handed over
// what the crawler says, else when it sent the request, to the microsecond.
func retrievedAt(req *request.Request, doc *obtain.Document) time.Time {
	switch {
	case !doc.FetchedAt.IsZero():
		return doc.FetchedAt
	case req.RetrievedAt != nil:
		return *req.RetrievedAt
	default:
		return req.At.UTC().Truncate(time.Microsecond)
	}
}

// setSource copies what later stages need of the source: they never read the
// registry.
func setSource(snap *model.Snapshot, source model.Source) {
	snap.SourceName, snap.SourceType = source.Name, source.SourceType
	snap.Domain, snap.Territory, snap.Layer = source.Domain, source.Territory, source.Layer
	snap.SourceLanguage, snap.SourceLanguages = source.Language, source.Languages
	snap.SourceEntry, snap.SourceFurniture, snap.SourceEntities = source.Entry, source.Furniture, source.Entities
	snap.SourceEnrich = source.Enrich
	snap.HeaderLabels, snap.ContextLine, snap.MaxPages = source.HeaderLabels, source.ContextLine, source.MaxPages
}
