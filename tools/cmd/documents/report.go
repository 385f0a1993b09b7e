package main

import (
	"fmt"

	"github.com/go-pdf/fpdf"
)

// report is an invented English report with headings on three levels, lists
// and ruled tables, on more than 20 pages.
func report() *fpdf.Fpdf {
	const title = "Alder Creek Watershed Management Report 2025"
	pdf, tr := document(title, "Alder Creek Conservation District", "en")
	heads(pdf, tr, title, "Page %d")
	pdf.AddPage()
	pdf.SetFont("Helvetica", "B", 20)
	pdf.MultiCell(0, 11, tr(title), "", "L", false)
	pdf.Ln(4)
	body(pdf, tr, "This report describes the state of the Alder Creek watershed, the measures taken since the last report, and what remains to be done to meet the nutrient targets agreed with the downstream communities.")
	for i, basin := range basins() {
		if i > 0 {
			pdf.AddPage()
		}
		writeBasin(pdf, tr, i+1, basin)
	}
	return pdf
}

func writeBasin(pdf *fpdf.Fpdf, tr func(string) string, n int, name string) {
	pdf.Bookmark(name, 0, -1)
	heading(pdf, tr, 15, fmt.Sprintf("%d. %s", n, name))
	body(pdf, tr, fmt.Sprintf("%s drains %d hectares of mixed pasture and woodland. In the reporting year the station at its mouth recorded a mean flow of %d litres per second, %d percent below the mean of the ten years before.", name, 820+n*137, 40+n*13, 3+n))
	heading(pdf, tr, 12, fmt.Sprintf("%d.1 Goals and objectives", n))
	body(pdf, tr, fmt.Sprintf("The goal for %s is to reduce the yearly load of total nitrogen by %d percent and of total phosphorus by %d percent until 2030, measured against the load of 2018.", name, 18+n, 22+n))
	for _, item := range []string{
		fmt.Sprintf("fence %d kilometres of stream bank against cattle", 2+n),
		fmt.Sprintf("plant %d hectares of riparian forest buffer", 5+2*n),
		fmt.Sprintf("inspect %d septic systems within 200 metres of the stream", 12+3*n),
	} {
		body(pdf, tr, "• "+item)
	}
	heading(pdf, tr, 12, fmt.Sprintf("%d.2 Implementation schedule", n))
	body(pdf, tr, fmt.Sprintf("Table %d lists the measures with their cost and state at the end of the year.", n))
	rows := [][]string{{"Measure", "Quantity", "Cost (USD)", "Progress"}}
	for k, m := range []string{"Stream fencing", "Forest buffer", "Cover crops", "Manure storage", "Culvert repair", "Septic inspection"} {
		rows = append(rows, []string{m, fmt.Sprintf("%d units", 3+(n*k+k)%19), fmt.Sprintf("%d,%03d", 4+n+k*3, (n*211+k*97)%1000), fmt.Sprintf("%d%%", (n*17+k*23)%101)})
	}
	table(pdf, tr, rows)
	caption(pdf, tr, fmt.Sprintf("Table %d. Implementation schedule, %s", n, name))
	heading(pdf, tr, 12, fmt.Sprintf("%d.3 Monitoring", n))
	for k, p := range []string{"nitrate", "orthophosphate", "turbidity", "dissolved oxygen", "E. coli"} {
		body(pdf, tr, fmt.Sprintf("The concentration of %s was measured %d times at station AC-%02d%d. The samples were taken by volunteers under the supervision of the district, kept on ice and analysed within a day; the relative difference between duplicates stayed below %d percent, and no result had to be rejected for reasons of quality.", p, 12+n+k, n, k, 6+k))
	}
	heading(pdf, tr, 12, fmt.Sprintf("%d.4 Outreach", n))
	body(pdf, tr, fmt.Sprintf("Two workshops brought together %d farmers and %d residents of %s. Participants asked above all for help with the paperwork of cost sharing and for a calendar of the planned works.", 20+n*3, 35+n*2, name))
	body(pdf, tr, "The district answered each question in writing, published the answers on the notice boards of the mills, and promised to come back before the next growing season with the results of the soil tests.")
}

func heading(pdf *fpdf.Fpdf, tr func(string) string, size float64, text string) {
	pdf.Ln(3)
	pdf.SetFont("Helvetica", "B", size)
	pdf.MultiCell(0, size*0.55, tr(text), "", "L", false)
	pdf.Ln(1.5)
}

func body(pdf *fpdf.Fpdf, tr func(string) string, text string) {
	pdf.SetFont("Times", "", 11)
	pdf.MultiCell(0, 5.4, tr(text), "", "L", false)
	pdf.Ln(2)
}

func caption(pdf *fpdf.Fpdf, tr func(string) string, text string) {
	pdf.SetFont("Times", "I", 9)
	pdf.MultiCell(0, 5, tr(text), "", "L", false)
	pdf.Ln(2)
}

func table(pdf *fpdf.Fpdf, tr func(string) string, rows [][]string) {
	widths := []float64{62, 32, 34, 30}
	for r, row := range rows {
		style := ""
		if r == 0 {
			style = "B"
		}
		pdf.SetFont("Helvetica", style, 9)
		for c, cell := range row {
			align := "L"
			if c > 0 && r > 0 {
				align = "R"
			}
			pdf.CellFormat(widths[c], 6.5, tr(cell), "1", 0, align, false, 0, "")
		}
		pdf.Ln(-1)
	}
	pdf.Ln(2)
}

func basins() []string {
	return []string{
		"Upper Alder Creek", "Miller Run", "Stony Brook", "Heron Marsh", "Cold Spring Branch", "Tanner Hollow",
		"Lower Alder Creek", "Willow Ditch", "Quarry Fork", "Beaver Meadow", "Orchard Run", "Fuller Branch",
	}
}
