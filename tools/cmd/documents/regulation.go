package main

import (
	"fmt"

	"github.com/go-pdf/fpdf"
)

// regulation is an invented Portuguese regulation: numbered articles in
// chapters, with paragraphs and items, on more than 40 pages.
func regulation() *fpdf.Fpdf {
	const title = "Regulamento Interno do Conselho de Águas de Vale Formoso"
	pdf, tr := document(title, "Conselho de Águas de Vale Formoso", "pt")
	heads(pdf, tr, title, "página %d")
	pdf.AddPage()
	pdf.SetFont("Helvetica", "B", 16)
	pdf.MultiCell(0, 9, tr(title), "", "C", false)
	pdf.Ln(4)
	paragraph(pdf, tr, "O Conselho de Águas de Vale Formoso, reunido em sessão extraordinária, aprova o presente regulamento, que rege a organização, o funcionamento e os procedimentos do Conselho e das suas câmaras técnicas.")
	article := 0
	for c, chapter := range chapters() {
		pdf.Ln(4)
		pdf.SetFont("Helvetica", "B", 13)
		pdf.Bookmark(tr(chapter.title), 0, -1)
		pdf.MultiCell(0, 7, tr(fmt.Sprintf("CAPÍTULO %s", roman(c+1))), "", "C", false)
		pdf.MultiCell(0, 7, tr(chapter.title), "", "C", false)
		pdf.Ln(2)
		for i := range 12 {
			article++
			if article == 14 {
				quorum(pdf, tr, article)
				continue
			}
			writeArticle(pdf, tr, article, chapter, i)
		}
	}
	return pdf
}

// quorum is the one article that says how many must be present.
func quorum(pdf *fpdf.Fpdf, tr func(string) string, n int) {
	articleHead(pdf, tr, n, "Do quórum de instalação")
	paragraph(pdf, tr, "O quórum mínimo para a instalação das sessões do Plenário é de um terço dos conselheiros titulares, apurado pela Secretaria no início da sessão e registrado em ata.")
	paragraph(pdf, tr, "§ 1º Não havendo o número exigido, a sessão é aberta em segunda convocação, trinta minutos depois, com qualquer número de presentes, vedada a votação de matéria orçamentária.")
	paragraph(pdf, tr, "§ 2º A ausência injustificada a três sessões seguidas implica a perda do mandato.")
}

func articleHead(pdf *fpdf.Fpdf, tr func(string) string, n int, about string) {
	pdf.Ln(2)
	pdf.SetFont("Helvetica", "B", 11)
	pdf.MultiCell(0, 6, tr(fmt.Sprintf("Art. %s %s", ordinal(n), about)), "", "L", false)
}

func paragraph(pdf *fpdf.Fpdf, tr func(string) string, text string) {
	pdf.SetFont("Times", "", 11)
	pdf.MultiCell(0, 5.6, tr(text), "", "J", false)
	pdf.Ln(2)
}

func writeArticle(pdf *fpdf.Fpdf, tr func(string) string, n int, c chapter, i int) {
	subject, duty := c.subjects[i%len(c.subjects)], c.duties[(i*5+n)%len(c.duties)]
	articleHead(pdf, tr, n, "Sobre "+subject)
	days := 5 + (n*7)%40
	paragraph(pdf, tr, fmt.Sprintf("Compete %s %s, no prazo de %d dias contados da publicação do ato no boletim do Conselho, observado o disposto no capítulo em que este artigo se insere e as orientações aprovadas em sessão ordinária.", c.body, duty, days))
	paragraph(pdf, tr, fmt.Sprintf("§ 1º A matéria relativa a %s é instruída com relatório escrito, do qual constam os fatos apurados, as medições feitas em campo, as manifestações recebidas na consulta pública nº %d e a proposta de encaminhamento.", subject, 100+n))
	paragraph(pdf, tr, fmt.Sprintf("§ 2º Do relatório cabe pedido de revisão, apresentado por escrito em até %d dias, sem efeito suspensivo, salvo quando houver risco ao abastecimento das comunidades situadas a jusante.", 3+n%12))
	for k, item := range []string{
		"identificação do interessado e do trecho do rio a que o pedido se refere",
		fmt.Sprintf("planta na escala 1:%d, com a indicação dos pontos de captação", 1000*(1+n%9)),
		fmt.Sprintf("série de vazões dos últimos %d anos, quando existente", 2+n%8),
		"comprovante de recolhimento da taxa de análise",
	} {
		paragraph(pdf, tr, fmt.Sprintf("%s - %s;", roman(k+1), item))
	}
	paragraph(pdf, tr, fmt.Sprintf("§ 3º O descumprimento deste artigo sujeita o responsável à advertência e, na reincidência, à multa de %d unidades de referência, aplicada pela Mesa Diretora depois de ouvida a parte.", 10*(n%17+1)))
}

type chapter struct {
	title, body      string
	subjects, duties []string
}

func chapters() []chapter {
	subjects := []string{
		"a outorga de uso da água", "a medição das vazões", "o cadastro de usuários", "a proteção das nascentes",
		"o licenciamento de poços", "a limpeza dos canais", "o plano de secas", "a cobrança pelo uso",
		"as obras de contenção", "a qualidade dos efluentes", "a pesca artesanal", "o transporte de areia",
	}
	duties := []string{
		"apreciar os pedidos e emitir parecer fundamentado", "manter atualizado o registro público",
		"convocar audiência com os moradores do trecho", "publicar o calendário de vistorias",
		"fixar as metas de redução de perdas", "acompanhar a execução dos convênios", "propor a revisão dos limites vigentes",
	}
	out := make([]chapter, 0, 10)
	for i, c := range [][2]string{
		{"Da natureza e das finalidades", "ao Conselho"}, {"Do Plenário", "ao Plenário"},
		{"Da Mesa Diretora", "à Mesa Diretora"}, {"Da Secretaria Executiva", "à Secretaria Executiva"},
		{"Das câmaras técnicas", "à câmara técnica competente"}, {"Da fiscalização", "à equipe de fiscalização"},
		{"Da participação popular", "à Ouvidoria"}, {"Das finanças", "à Tesouraria"},
		{"Das penalidades", "à comissão processante"}, {"Das disposições finais", "ao Presidente"},
	} {
		rotated := append(append([]string{}, subjects[i:]...), subjects[:i]...)
		out = append(out, chapter{title: c[0], body: c[1], subjects: rotated, duties: duties})
	}
	return out
}

// ordinal writes an article's number as Portuguese law does: 1º to 9º, then 10.
func ordinal(n int) string {
	if n < 10 {
		return fmt.Sprintf("%dº", n)
	}
	return fmt.Sprintf("%d.", n)
}

func roman(n int) string {
	var out string
	for _, d := range []struct {
		value int
		text  string
	}{{10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for n >= d.value {
			out, n = out+d.text, n-d.value
		}
	}
	return out
}
