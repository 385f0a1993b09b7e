package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/extract/present"
	"github.com/colophon-dev/colophon/pkg/extract/render"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/gateway/internal/pages"
)

// SnapshotAnswer is the answer of /v1/snapshots/{id}.
type SnapshotAnswer struct {
	Snapshot model.Snapshot `json:"snapshot"` // the snapshot
	Runs     []RunProgress  `json:"runs"`     // in their order
	Pages    []model.Page   `json:"pages"`    // of the newest run, without HTML
}

func (a *API) snapshot(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	ctx := r.Context()
	s := SnapshotAnswer{Pages: []model.Page{}}
	if s.Snapshot, err = a.Catalog.Snapshot(ctx, id); err != nil {
		return err
	}
	runs, err := a.Catalog.RunsProgress(ctx, []string{id})
	if err != nil {
		return err
	}
	s.Runs = answerEach(runs, answerRun)
	return a.compose(w, func(b io.Writer) error {
		if len(runs) > 0 {
			found, give, err := a.pagesOf(ctx, runs[len(runs)-1].Run)
			if err != nil {
				return err
			}
			defer give()
			s.Pages = append(s.Pages, found...)
		}
		return encode(w, b, s)
	})
}

// raw answers with the captured bytes as they are. They are anybody's: no
// browser may show them as a part of this site. They are fetched when some of them are to
// be sent, as far as there is room on the disk for them until they are.
func (a *API) raw(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	s, err := a.Catalog.Snapshot(r.Context(), id)
	if err != nil {
		return err
	}
	key, err := blobstore.RawKey(s.SourceID, s.ContentHash)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", mediaType(s))
	h.Set("Content-Disposition", disposition(s))
	h.Set("ETag", strconv.Quote(s.ContentHash))
	h.Set("Cache-Control", "private, no-cache")
	if !sendsContent(r, h, s.ByteLength) {
		a.serveContent(w, r, unread(s.ByteLength))
		return nil
	}
	give, err := a.Disk.Take(r.Context(), s.ByteLength)
	if err != nil {
		return err
	}
	defer give()
	file, err := a.Objects.GetFile(r.Context(), blobstore.Raw, key, s.ContentHash, s.ByteLength)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // before its room is given back
	a.serveContent(w, r, io.NewSectionReader(file, 0, file.Size))
	return nil
}

// mediaType returns what the bytes are said to be, when it is a media type.
func mediaType(s model.Snapshot) string {
	for _, given := range []string{s.ContentType, s.DetectedMIME} {
		if kind, params, err := mime.ParseMediaType(given); err == nil && strings.Contains(kind, "/") {
			if text := mime.FormatMediaType(kind, params); text != "" {
				return text
			}
		}
	}
	return "application/octet-stream"
}

// disposition names the file to save: the last part of its name or address.
func disposition(s model.Snapshot) string {
	name := path.Base(cmp.Or(s.Filename, strings.SplitN(s.URLCanonical, "?", 2)[0]))
	name = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r == '/' || r == '\\' {
			return '_'
		}
		return r
	}, name)
	if name == "." || name == "_" || name == "" {
		name = s.SnapshotID
	}
	if text := mime.FormatMediaType("attachment", map[string]string{"filename": name}); text != "" {
		return text
	}
	return "attachment"
}

// PageAnswer is the answer of /v1/snapshots/{id}/pages/{n}.
type PageAnswer struct {
	Page  model.Page   `json:"page"`  // its HTML with id, slug and the sections of the pages before
	Units []model.Unit `json:"units"` // its units in reading order
}

// page answers for a page, of the newest run that has it, as JSON or, with
// .html behind its number, as DOCXT HTML, or with .png as a picture.
func (a *API) page(w http.ResponseWriter, r *http.Request) error {
	no, ending, _ := strings.Cut(r.PathValue("n"), ".")
	known := []string{}
	switch ending {
	case "":
	case "html":
		known = append(known, "evidence")
	case "png":
		known = append(known, "width")
	default:
		return bad("a page is a number from 1, or one with .html or .png behind it")
	}
	values, err := query(r, known...)
	if err != nil {
		return err
	}
	ctx := r.Context()
	switch ending {
	case "png":
		width, err := number(values, "width", int64(defaultWidth), 1, math.MaxInt32)
		if err != nil {
			return err
		}
		var of model.Snapshot
		var page model.Page
		if err := a.usePage(r, no, func(s model.Snapshot, f segment.Frame) error {
			of, page = s, f.Page
			page.HTML = ""
			return nil
		}); err != nil {
			return err
		}
		data, err := a.Pictures.Page(ctx, of, page, int(width))
		if err != nil {
			return undrawn(err)
		}
		return a.servePNG(w, r, data)
	case "html":
		evidence, err := truth(values, "evidence", false)
		if err != nil {
			return err
		}
		return a.compose(w, func(b io.Writer) error {
			return a.usePage(r, no, func(s model.Snapshot, f segment.Frame) error {
				html, err := a.html(ctx, s, f, evidence)
				if err != nil {
					return err
				}
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				_, err = io.WriteString(b, html)
				return err
			})
		})
	default:
		return a.compose(w, func(b io.Writer) error {
			return a.openPage(r, no, func(s model.Snapshot, n int, document *pages.Document) error {
				shown, err := a.reader(ctx, s, n, document)
				if err != nil {
					return err
				}
				return document.Use(ctx, n, func(f segment.Frame) error {
					html, err := a.html(ctx, s, f, false)
					if err != nil {
						return err
					}
					headJSON(w)
					f.Page.HTML = html
					return writePage(ctx, b, f.Page, shown.Units(f))
				})
			})
		})
	}
}

// reader returns a reader that begins with page n: in the section that stands open
// before it. Where the pages before are damaged that section is not known, and units have
// none until the next heading: page n can be shown all the same.
func (a *API) reader(ctx context.Context, s model.Snapshot, n int, document *pages.Document) (*present.Reader, error) {
	shown := present.NewReader(s)
	if !document.Has(n) { // before anything is read
		return nil, fmt.Errorf("page %d: %w", n, pages.ErrNoPage)
	}
	heading, at, err := document.HeadingBefore(ctx, n, present.SectionReach)
	if err != nil {
		if mayComeBack(ctx, err) {
			return nil, err
		}
		a.Log.WarnContext(ctx, "the heading before a page cannot be read", slog.String("snapshot_id", s.SnapshotID), slog.Int("page_no", n), slog.Any("error", err))
	}
	if text, ok := present.Heading(heading); ok {
		shown.Open(text, at)
	}
	return shown, nil
}

// html returns the DOCXT HTML of a page, in the sections that the pages before it leave
// open (contracts#open-sections); with evidence also where its blocks stand and its entities were found (contracts#served-html).
func (a *API) html(ctx context.Context, s model.Snapshot, f segment.Frame, evidence bool) (string, error) {
	var open []model.Section
	if f.Page.PageNo > 1 {
		before, err := a.Catalog.OpenSections(ctx, s.SnapshotID, f.Page.ExtractionID, f.Page.PageNo)
		if err != nil {
			return "", err
		}
		for _, page := range before {
			open = docxt.Carry(open, page)
		}
	}
	src := a.Pictures.FigureAddresses(s, f.Page.PageNo, f.Units, strconv.Itoa(f.Page.PageNo)+"/") // beside …/pages/{n}.html
	if !evidence {
		return docxt.FillFigures(render.HTML(f, s.Slug, open), src), nil
	}
	found, err := a.Catalog.EntitiesOfPage(ctx, s.SnapshotID, f.Page.PageNo)
	if err != nil {
		return "", err
	}
	marks, err := entity.Marks(found)
	if err != nil {
		return "", err
	}
	return docxt.FillFigures(render.Annotated(f, s.Slug, open, marks), src), nil
}

// usePage hands over the page that a request names, of the newest run that has
// it. Use must not keep it: see pages.Document.
func (a *API) usePage(r *http.Request, no string, use func(s model.Snapshot, f segment.Frame) error) error {
	return a.openPage(r, no, func(s model.Snapshot, n int, document *pages.Document) error {
		return document.Use(r.Context(), n, func(f segment.Frame) error { return use(s, f) })
	})
}

// openPage hands over the runs that may have the page that a request names, from the
// newest on, as long as use says that they have not: pages.ErrNoPage.
func (a *API) openPage(r *http.Request, no string, use func(s model.Snapshot, n int, document *pages.Document) error) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(no)
	if err != nil || n < 1 || no != strconv.Itoa(n) {
		return bad("a page is a number from 1, or one with .html or .png behind it")
	}
	ctx := r.Context()
	s, err := a.Catalog.Snapshot(ctx, id)
	if err != nil {
		return err
	}
	runs, err := a.Catalog.RunsProgress(ctx, []string{id})
	if err != nil {
		return err
	}
	for _, run := range slices.Backward(runs) {
		if run.State == model.RunRemoved || n > run.PageCount || run.Processed+run.Failed == 0 {
			continue
		}
		document, err := a.Pages.Open(ctx, id, run.ExtractionID, run.Redo)
		if err != nil {
			return err
		}
		err = use(s, n, document)
		if !errors.Is(err, pages.ErrNoPage) { // a redo or a newer run that has not come so far
			return err
		}
	}
	return fmt.Errorf("page %d of %s: %w", n, id, pages.ErrNoPage)
}
