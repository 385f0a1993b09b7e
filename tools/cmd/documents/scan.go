package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"

	"github.com/go-pdf/fpdf"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// A4 at 200 dots per inch, and how far the sheet lay askew on the glass.
const (
	scanWidth  = 1654
	scanHeight = 2339
	scanSkew   = 0.8 // degrees
)

// order is the text of the sheet that was scanned, a line each.
func order() []string {
	return []string{
		"COMMUNE DE VALDORO",
		"",
		"Arrêté du maire no 2026-14",
		"portant réglementation de la circulation",
		"sur le pont du Moulin",
		"",
		"Le maire de Valdoro,",
		"Vu le rapport de la visite du 3 février 2026,",
		"Considérant que le tablier du pont du Moulin ne",
		"supporte plus les véhicules lourds,",
		"",
		"ARRÊTE",
		"",
		"Article 1. La circulation des véhicules de plus de",
		"sept tonnes est interdite sur le pont du Moulin à",
		"partir du 16 mars 2026.",
		"",
		"Article 2. Une déviation est mise en place par la",
		"route des Châtaigniers.",
		"",
		"Article 3. Le présent arrêté est affiché en mairie.",
		"",
		"Fait à Valdoro, le 5 mars 2026.",
	}
}

// bridge is a document of two pages: a letter with a text layer, and the sheet
// that it speaks of as a picture, without one.
func bridge() (*fpdf.Fpdf, error) {
	sheet, err := scanned(order())
	if err != nil {
		return nil, err
	}
	pdf, tr := document("Transmission de l'arrêté 2026-14", "Commune de Valdoro", "fr")
	pdf.AddPage()
	pdf.SetFont("Times", "", 12)
	pdf.MultiCell(0, 7, tr("Monsieur le préfet,\n\nVous trouverez ci-joint la copie numérisée de l'arrêté du 5 mars 2026 sur "+
		"le pont du Moulin. L'original peut être consulté au secrétariat de la mairie.\n\nLe secrétaire général"), "", "L", false)
	pdf.AddPage()
	pdf.RegisterImageOptionsReader("sheet", fpdf.ImageOptions{ImageType: "PNG"}, bytes.NewReader(sheet))
	pdf.ImageOptions("sheet", 0, 0, 210, 297, false, fpdf.ImageOptions{ImageType: "PNG"}, 0, "")
	return pdf, pdf.Error()
}

// scanned draws lines as a scanner gives them: black on white, a little askew.
func scanned(lines []string) ([]byte, error) {
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, fmt.Errorf("font: %w", err)
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: 13, DPI: 200, Hinting: font.HintingFull})
	if err != nil {
		return nil, fmt.Errorf("font: %w", err)
	}
	straight := image.NewGray(image.Rect(0, 0, scanWidth, scanHeight))
	draw.Draw(straight, straight.Bounds(), image.White, image.Point{}, draw.Src)
	pen := font.Drawer{Dst: straight, Src: image.Black, Face: face}
	for i, line := range lines {
		pen.Dot = fixed.P(220, 320+i*68)
		pen.DrawString(line)
	}
	sheet := image.NewPaletted(straight.Bounds(), color.Palette{color.White, color.Black})
	sin, cos := math.Sincos(scanSkew * math.Pi / 180)
	for y := range scanHeight {
		for x := range scanWidth {
			dx, dy := float64(x-scanWidth/2), float64(y-scanHeight/2)
			at := image.Pt(scanWidth/2+int(math.Round(float64(dx*cos)+float64(dy*sin))), scanHeight/2+int(math.Round(float64(dy*cos)-float64(dx*sin))))
			if at.In(straight.Rect) && straight.GrayAt(at.X, at.Y).Y < 128 {
				sheet.SetColorIndex(x, y, 1)
			}
		}
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err = encoder.Encode(&out, sheet)
	return out.Bytes(), err
}
