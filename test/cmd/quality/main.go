// Command quality prints how well colophon extracts the PDF and HTML files of
// a corpus folder. See docs/quality.md.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/test/quality"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "quality:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, w io.Writer) error {
	var o quality.Options
	var asJSON, scans, decisions, heads, asked, references, sentences, totals bool
	var hostile, seed, keep, sections, vectors string
	flags := flag.NewFlagSet("quality", flag.ExitOnError)
	flags.StringVar(&o.Corpus, "corpus", "", "folder of documents with ground truth")
	flags.StringVar(&o.Colophon, "colophon", "bin/colophon", "the binary to measure")
	flags.StringVar(&o.Only, "only", "", "only files whose path in the corpus begins so")
	flags.BoolVar(&o.Peers, "peers", false, "also measure other tools that are installed")
	flags.StringVar(&o.Python, "python", "", "with -peers: Python interpreter that has PyMuPDF, camelot and readability-lxml")
	flags.BoolVar(&o.Whole, "whole", false, "also run all files through two whole systems: coverage, proofs, determinism, memory")
	flags.StringVar(&hostile, "hostile", "", "instead: run this folder of harmful files through a system; exit 1 unless all end and it lives")
	flags.BoolVar(&scans, "scans", false, "instead: read the scans and pictures of the corpus, beside the tesseract command; needs a build with OCR")
	flags.BoolVar(&decisions, "decisions", false, "instead: print for each page of the corpus's PDF files whether it is read by OCR, and the numbers that say so")
	flags.BoolVar(&heads, "heads", false, "instead: make a set of PDF files whose running heads and feet are known, and print what is lost and found; -python has its producers")
	flags.StringVar(&seed, "seed", "1", "with -heads, -boundaries, -made-html, -made-pdf and -made-scans: what the set is made from; a number but for the first")
	flags.StringVar(&keep, "keep", "", "with -heads, -entities, -made-pdf and -made-scans: folder to leave the set in")
	flags.StringVar(&sections, "sections", "", "instead: tables of headings whose kinds of section are known, divided by commas, compared with what they are said to be; each is a half")
	found := addEntityFlags(flags)
	cutting := addCutFlags(flags)
	made, madePDF, madeScans := addMadeFlags(flags), addMadePDFFlags(flags), addMadeScanFlags(flags)
	flags.BoolVar(&asked, "retrieval", false, "instead: ask the questions of the corpus's retrieval/ through a whole system, beside plain BM25; COLOPHON_EMBED_… says with which model")
	flags.BoolVar(&references, "references", false, "instead: ask the questions of test/questions through a whole system, those whose answer stands behind a reference apart")
	flags.StringVar(&vectors, "vectors", "", "with -retrieval and -cuts: folder that keeps the vectors of an endpoint's model, so that each is paid once")
	flags.BoolVar(&sentences, "sentences", false, "instead: tell what the marked sentences of test/questions are; of the half that nobody looks at sums only")
	flags.BoolVar(&totals, "totals", false, "print the totals only, of a corpus whose files nobody looks at")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	if err := flags.Parse(args); err != nil {
		return err
	}
	shown := func(r report, err error) error {
		if err != nil {
			return err
		}
		return show(r, asJSON, w)
	}
	if hostile != "" {
		return runHostile(ctx, o.Colophon, hostile, asJSON, w)
	}
	if sections != "" {
		return runSections(sections, asJSON, w)
	}
	if sentences {
		return runSentences(asJSON, w)
	}
	if cutting.asked() {
		return cutting.run(ctx, o.Corpus, seed, o.Only, vectors, asJSON, w)
	}
	if *madePDF.wanted {
		return shown(madePDF.run(ctx, o, seed, keep))
	}
	if *madeScans.wanted {
		return shown(madeScans.run(ctx, seed, keep))
	}
	if made.asked() {
		return made.run(ctx, seed, o.Python, asJSON, w)
	}
	if heads {
		return shown(quality.RunHeads(ctx, quality.HeadOptions{Colophon: o.Colophon, Python: o.Python, Seed: seed, Keep: keep}))
	}
	if references {
		return shown(quality.RunReferences(ctx, quality.RetrievalOptions{Colophon: o.Colophon}))
	}
	if *found.wanted {
		return found.run(ctx, o.Colophon, keep, asJSON, w)
	}
	if o.Corpus == "" {
		_, err := fmt.Fprintln(w, "No corpus: name a folder of documents with ground truth, as in `make quality CORPUS=DIR`; docs/quality.md says what it holds.")
		return err
	}
	if asked {
		return shown(quality.RunRetrieval(ctx, quality.RetrievalOptions{Corpus: o.Corpus, Colophon: o.Colophon, Vectors: vectors}))
	}
	if decisions {
		return shown(quality.RunDecisions(ctx, o.Corpus, o.Only))
	}
	if scans {
		return shown(quality.RunScans(ctx, o.Corpus, o.Only))
	}
	return runCorpus(ctx, o, totals, asJSON, w)
}

// runCorpus scores the extraction of a corpus; totals leaves out what single files have.
func runCorpus(ctx context.Context, o quality.Options, totals, asJSON bool, w io.Writer) error {
	report, err := quality.Run(ctx, o)
	if err != nil {
		return err
	}
	if totals {
		report.DropFiles()
	}
	return show(report, asJSON, w)
}

func runSentences(asJSON bool, w io.Writer) error {
	report, err := quality.RunSentences()
	if err != nil {
		return err
	}
	return show(report, asJSON, w)
}

func runSections(files string, asJSON bool, w io.Writer) error {
	report, err := quality.RunSections(strings.Split(files, ","))
	if err != nil {
		return err
	}
	return show(report, asJSON, w)
}

func runHostile(ctx context.Context, colophon, folder string, asJSON bool, w io.Writer) error {
	report, err := quality.RunHostile(ctx, colophon, folder)
	if err != nil {
		return err
	}
	if err := show(report, asJSON, w); err != nil {
		return err
	}
	if !report.Good() {
		return errors.New("not every file reached its end")
	}
	return nil
}

// chatTimeout is how long a model may take for one page: a small one on one core.
const chatTimeout = 10 * time.Minute

// entityFlags are what -entities can be told.
type entityFlags struct {
	wanted, again, details *bool
	calibrate, chat, model *string
	first, answer          *int
}

func addEntityFlags(flags *flag.FlagSet) entityFlags {
	return entityFlags{
		wanted:    flags.Bool("entities", false, "instead: find the entities of labelled pages by rules, and print what is right and missed; exit 1 below the goals"),
		again:     flags.Bool("again", false, "with -entities: use the IR that an earlier run left in -keep, and convert nothing"),
		details:   flags.Bool("details", false, "with -entities: name what is wrong and missed on the pages that are looked at"),
		chat:      flags.String("chat", "", "with -entities: address of an OpenAI-compatible endpoint, whose model is asked beside the rules, through a whole system"),
		model:     flags.String("model", "", "with -chat: its model"),
		answer:    flags.Int("answer", 4000, "with -chat: tokens of one answer, at most"),
		first:     flags.Int("first", 0, "with -entities: only so many pages of each half"),
		calibrate: flags.String("calibrate", "", "with -entities: file to write what the confidence of rules is made of"),
	}
}

func (f entityFlags) run(ctx context.Context, colophon, keep string, asJSON bool, w io.Writer) error {
	report, err := quality.RunEntities(ctx, quality.EntityOptions{
		Colophon: colophon, Keep: keep, Again: *f.again, Details: *f.details, First: *f.first,
		Chat: quality.ChatModel{URL: *f.chat, Model: *f.model, Timeout: chatTimeout, Answer: *f.answer},
	})
	if err != nil {
		return err
	}
	if err := show(report, asJSON, w); err != nil {
		return err
	}
	if *f.calibrate != "" {
		return writeCalibration(report, *f.calibrate)
	}
	if !report.Good() {
		return errors.New("entities are below their goals")
	}
	return nil
}

// writeCalibration writes the counts into a file, behind the comment that it begins with.
func writeCalibration(report quality.EntityReport, path string) error {
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	comment := ""
	for line := range strings.Lines(string(before)) {
		if strings.HasPrefix(line, "#") {
			comment += line
		}
	}
	return os.WriteFile(path, []byte(report.Calibrate(comment)), 0o644)
}

// report is what is printed, for a person or as JSON.
type report interface{ Write(w io.Writer) error }

func show(r report, asJSON bool, w io.Writer) error {
	if !asJSON {
		return r.Write(w)
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(r)
}
