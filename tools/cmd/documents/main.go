// Command documents writes the PDF files of test/documents (a regulation, a
// report, a letter with a scanned sheet, one that is cut and one that is
// encrypted), a ZIP archive and a web archive. The texts are invented.
// The files are equal byte for byte every time, but for the encrypted one,
// whose keys are random: it is written only when it is missing.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-pdf/fpdf"
)

func main() {
	dir := flag.String("dir", "test/documents", "folder to write into")
	flag.Parse()
	if err := write(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "documents:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	reg, err := render(regulation())
	if err != nil {
		return err
	}
	rep, err := render(report())
	if err != nil {
		return err
	}
	letter, err := bridge()
	if err != nil {
		return err
	}
	mixed, err := render(letter)
	if err != nil {
		return err
	}
	zipped, err := minutes()
	if err != nil {
		return err
	}
	files := map[string][]byte{
		"seance-fevrier.zip":             zipped,
		"biblioteca.warc":                site(),
		"regulamento-conselho-aguas.pdf": reg,
		"watershed-report.pdf":           rep,
		"arrete-numerise.pdf":            mixed,
		"truncated.pdf":                  cut(rep),
	}
	const encrypted = "password-protected.pdf"
	if _, err := os.Stat(filepath.Join(dir, encrypted)); errors.Is(err, fs.ErrNotExist) {
		if files[encrypted], err = render(protected()); err != nil {
			return err
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// cut ends a PDF inside its first object, so that no repair finds a page.
func cut(pdf []byte) []byte {
	at := bytes.Index(pdf, []byte(" 0 obj"))
	return pdf[:at+40]
}

func render(pdf *fpdf.Fpdf) ([]byte, error) {
	var out bytes.Buffer
	if err := pdf.Output(&out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// document returns an empty A4 document with fixed dates.
func document(title, author, lang string) (*fpdf.Fpdf, func(string) string) {
	pdf := fpdf.New("P", "mm", "A4", "")
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	pdf.SetCreationDate(at)
	pdf.SetModificationDate(at)
	pdf.SetCatalogSort(true)
	pdf.SetCompression(true)
	tr := pdf.UnicodeTranslatorFromDescriptor("")
	pdf.SetTitle(title, true)
	pdf.SetAuthor(author, true)
	pdf.SetLang(lang)
	pdf.SetMargins(25, 22, 25)
	pdf.SetAutoPageBreak(true, 24)
	pdf.AliasNbPages("")
	return pdf, tr
}

// heads prints a running head and a page number on every page after the first.
func heads(pdf *fpdf.Fpdf, tr func(string) string, head, page string) {
	pdf.SetHeaderFuncMode(func() {
		if pdf.PageNo() == 1 {
			return
		}
		pdf.SetFont("Helvetica", "I", 8)
		pdf.SetY(10)
		pdf.CellFormat(0, 5, tr(head), "", 1, "C", false, 0, "")
		pdf.SetY(22)
	}, false)
	pdf.SetFooterFunc(func() {
		pdf.SetY(-15)
		pdf.SetFont("Helvetica", "I", 8)
		pdf.CellFormat(0, 6, tr(fmt.Sprintf(page, pdf.PageNo())), "", 0, "C", false, 0, "")
	})
}

func protected() *fpdf.Fpdf {
	pdf, tr := document("Confidential annex", "Colophon", "en")
	pdf.SetProtection(fpdf.CnProtectPrint, "the user password", "the owner password")
	pdf.AddPage()
	pdf.SetFont("Times", "", 11)
	pdf.MultiCell(0, 6, tr("Only those who have the password can read this annex."), "", "L", false)
	return pdf
}
