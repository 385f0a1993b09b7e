package stage

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/charset"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/capturer/internal/modified"
	"github.com/colophon-dev/colophon/services/capturer/internal/redact"
	"github.com/colophon-dev/colophon/services/capturer/internal/typing"
)

// snapshot makes the record of captured bytes: all required and recommended
// fields of seeds#capture, the typing of seeds#store, and what later stages need of the
// source (contracts#source). The slug is left to the catalog, which knows the first.
func (s *Stage) snapshot(ctx context.Context, req *request, source model.Source, c *captured) (model.Snapshot, error) {
	head, err := c.body.Head(typing.HeadSize)
	if err != nil {
		return model.Snapshot{}, err
	}
	identity, err := s.identify(ctx, req, c)
	if err != nil {
		return model.Snapshot{}, err
	}
	if req.message = splitMessage(identity); req.message != "" && !slices.Contains(c.flags, FlagSplit) {
		c.flags = append(c.flags, FlagSplit)
	}
	snap := model.Snapshot{
		SnapshotID:      digest.SnapshotID(req.SourceID, req.RequestID, c.body.Hash),
		SnapshotGroupID: req.SnapshotGroupID, DocumentID: digest.DocumentID(req.SourceID, identity.ExternalID),
		RequestID: req.RequestID, SourceID: req.SourceID, SourceRecordID: req.SourceRecordID, ExternalID: identity.ExternalID,
		URL: c.url, URLCanonical: c.canonical, RedirectChain: c.chain,
		HTTPStatus: c.status, FetchStatus: fetchStatus(c),
		ContentHash: c.body.Hash, ByteLength: c.body.Size,
		FetchToolVersion: c.tool, RobotsPolicyNotes: cmp.Or(req.RobotsPolicyNotes, redact.Today().Text(source.RobotsNotes)),
		Metadata: req.Metadata, Language: req.Language, Region: cmp.Or(req.Region, source.Region),
		RuleVersions: map[string]string{"typing": typing.Version}, RedactionPolicyID: redact.PolicyID,
	}
	if c.canonical != "" {
		snap.URLCanonicalizationVersion = digest.URLCanonVersion
		snap.RuleVersions["urlcanon"] = digest.URLCanonVersion
	}
	if c.wire != nil {
		snap.WireHash, snap.ContentEncoding = c.wire.Hash, strings.Join(c.header.Values("Content-Encoding"), ", ")
	}
	if len(c.header) > 0 {
		snap.ResponseHeaders = c.header
	}
	setType(&snap, req, c, head)
	setEncoding(&snap, head)
	if err := setDates(&snap, req, c, head); err != nil {
		return model.Snapshot{}, err
	}
	setSource(&snap, source)
	if err := snap.Validate(); err != nil {
		return snap, fault.Permanent(fault.Internal, fmt.Errorf("the snapshot of %s/%s: %w", req.SourceID, req.RequestID, err))
	}
	return snap, nil
}

// setType fills in the typing fields of seeds#store.
func setType(snap *model.Snapshot, req *request, c *captured, head []byte) {
	snap.HTTPContentType = c.header.Get("Content-Type")
	snap.HTTPContentDisposition = c.header.Get("Content-Disposition")
	snap.ETag = c.header.Get("ETag")
	typed := typing.Decide(typing.Input{
		Head: head, ContentType: cmp.Or(snap.HTTPContentType, req.ContentType),
		Disposition: snap.HTTPContentDisposition, Filename: req.Filename, URL: c.url,
	})
	if slices.Contains(c.flags, FlagCoding) {
		typed.FinalType = model.TypeUnknown // whatever it is below its coding
	}
	snap.FinalType, snap.SnapshotKind = typed.FinalType, typed.FinalType.Kind()
	snap.DetectedMIME, snap.DetectedExt, snap.URLExt = typed.DetectedMIME, typed.DetectedExt, typed.URLExt
	snap.Filename = redact.Today().Text(typed.Filename)
	snap.ContentType = cmp.Or(req.ContentType, snap.HTTPContentType)
	snap.Encoding = cmp.Or(req.Encoding, charset.FromContentType(snap.ContentType))
	snap.QualityFlags = slices.Sorted(slices.Values(append(typed.Flags, c.flags...)))
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
// last changed. What the crawler does not say falls back on the request's time,
// so that a repeated handling changes no id (contracts#last-modified).
func setDates(snap *model.Snapshot, req *request, c *captured, head []byte) error {
	in := modified.Input{
		Header: c.header.Get("Last-Modified"), GivenOrigin: req.LastModifiedOrigin, Requested: req.at.UTC(),
	}
	switch snap.FinalType {
	case model.TypeHTML:
		in.HTML = head
	case model.TypePDF:
		tail, err := c.body.Tail(typing.HeadSize)
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
	snap.RetrievedAt = retrievedAt(req)
	snap.LastModified, snap.LastModifiedOrigin = modified.Find(in)
	return nil
}

// retrievedAt returns when the bytes of a request were retrieved: what the crawler
// says, else when it sent the request, to the microsecond.
func retrievedAt(req *request) time.Time {
	if req.RetrievedAt != nil {
		return *req.RetrievedAt
	}
	return req.at.UTC().Truncate(time.Microsecond)
}

// setSource copies what later stages need of the source: they never read the
// registry.
func setSource(snap *model.Snapshot, source model.Source) {
	snap.SourceName, snap.SourceType = source.Name, source.SourceType
	snap.Domain, snap.Territory, snap.Layer = source.Domain, source.Territory, source.Layer
	snap.SourceLanguage, snap.SourceLanguages = source.Language, source.Languages
	snap.SourceEntry, snap.SourceFurniture = source.Entry, source.Furniture
	snap.HeaderLabels, snap.MaxPages = source.HeaderLabels, source.MaxPages
}

// The values of fetch_status (seeds#store).
const (
	statusOK         = "ok"
	statusRedirected = "redirected"
	statusBlocked    = "blocked"
	statusError      = "error"
)

// blocks reports whether an HTTP status says that the server does not let us in.
func blocks(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusTooManyRequests,
		http.StatusUnavailableForLegalReasons:
		return true
	default:
		return false
	}
}

// fetchStatus is the fetch_status of what was captured (seeds#store).
func fetchStatus(c *captured) string {
	switch {
	case blocks(c.status):
		return statusBlocked
	case c.status >= 400:
		return statusError
	case len(c.chain) > 0:
		return statusRedirected
	default:
		return statusOK
	}
}
