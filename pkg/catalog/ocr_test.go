package catalog_test

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

func taskOf(run model.Run, page, part int) model.OCRTask {
	t := model.OCRTask{SnapshotID: run.SnapshotID, ExtractionID: run.ExtractionID, PageNo: page, Part: part,
		Picture: fmt.Sprintf("picture-%d-%d", page, part), Languages: []string{"fr"}, OCR: model.PageOCR{Why: "no_text"}}
	if part > 0 {
		t.OCR.Region = &model.BBox{X: 0.25, W: 0.5, H: 0.5}
	}
	return t
}

func resultOf(t model.OCRTask, run, engine string) model.StoredResult {
	return model.StoredResult{SourceID: "s", Picture: t.Picture, Run: run, Key: t.Picture + "-" + engine, SnapshotID: t.SnapshotID,
		Engine: "e", Version: engine, ObjectKey: "s/ocr/e/" + engine + "/" + t.Picture + "-" + engine + ".json.zst", Digest: "d-" + engine}
}

func TestOCRTasks(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	s := addSnapshot(t, db, snapshotOf("scan", 1))
	run := startRun(t, db, s, extraction, 20)
	first := model.PageRange{From: 1, To: 16}
	wanted := []model.OCRTask{taskOf(run, 2, 0), taskOf(run, 3, 0), taskOf(run, 3, 1)}
	for range 2 {
		tasks, err := db.PlanOCR(ctx, run, first, 0, wanted)
		if err != nil || !reflect.DeepEqual(tasks, wanted) {
			t.Fatalf("%+v, %v", tasks, err)
		}
	}
	if tasks, err := db.OCRTasks(ctx, run.SnapshotID, run.ExtractionID, model.PageRange{From: 17, To: 20}, 0); err != nil || len(tasks) > 0 {
		t.Errorf("of another range: %+v, %v", tasks, err)
	}
	if _, err := db.StoredOCR(ctx, "s", wanted[0].Picture, "", "k"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("%v", err)
	}
	pages, err := db.Pages(ctx, run.SnapshotID, run.ExtractionID)
	if err != nil || pages[0].OCR != nil || len(pages[2].OCR) != 2 || pages[2].Status != model.PagePending {
		t.Errorf("%+v, %v", pages[2], err)
	}

	// Many read page 2 at once: one result counts, for all of them.
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			if err := db.PutOCR(ctx, wanted[0], resultOf(wanted[0], "", fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	failed := wanted[1]
	if err := db.FailOCR(ctx, failed); err == nil {
		t.Error("a failure without a reason")
	}
	failed.OCR.Reason, failed.OCR.Message = "timeout", "page 3: too slow"
	if err := db.FailOCR(ctx, failed); err != nil {
		t.Fatal(err)
	}
	// What is answered stays.
	if err := db.PutOCR(ctx, wanted[1], resultOf(wanted[1], "", "9")); err != nil {
		t.Fatal(err)
	}
	tasks, err := db.PlanOCR(ctx, run, first, 0, wanted)
	if err != nil || len(tasks) != 3 || tasks[1].OCR != failed.OCR || tasks[2].OCR.Answered() || !reflect.DeepEqual(tasks[2], wanted[2]) {
		t.Fatalf("%+v, %v", tasks, err)
	}
	counts, err := db.StoredOCR(ctx, "s", wanted[0].Picture, "", "another")
	if err != nil || tasks[0].OCR.Key != counts.Key || tasks[0].OCR.Digest != counts.Digest || tasks[0].OCR.Version != counts.Version {
		t.Errorf("%+v, %+v, %v", tasks[0].OCR, counts, err)
	}
	stands, err := db.Run(ctx, run.SnapshotID, run.ExtractionID)
	if err != nil || stands.OCR == nil || stands.OCR.Engine != "e" || stands.OCR.Version != counts.Version {
		t.Errorf("%+v, %v", stands.OCR, err)
	}
	if left, err := db.UnnamedDerived(ctx, []string{counts.ObjectKey, "s/ocr/e/1/other.json.zst"}); err != nil ||
		!reflect.DeepEqual(left, []string{"s/ocr/e/1/other.json.zst"}) {
		t.Errorf("%v, %v", left, err)
	}
	waiting, err := db.Counts(ctx)
	if err != nil || !contains(waiting, catalog.Count{What: "ocr", State: "waiting", N: 1}) || !contains(waiting, catalog.Count{What: "ocr", State: "done", N: 1}) {
		t.Errorf("%+v, %v", waiting, err)
	}
}

func contains(all []catalog.Count, one catalog.Count) bool {
	for _, c := range all {
		if c == one {
			return true
		}
	}
	return false
}

// A run that several versions of an engine read names each of them, and so does
// another run of what they read.
func TestEnginesOfARun(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	s := addSnapshot(t, db, snapshotOf("scan", 1))
	all := model.PageRange{From: 1, To: 4}
	run := startRun(t, db, s, extraction, 4)
	var tasks []model.OCRTask
	for no := 1; no <= 4; no++ {
		tasks = append(tasks, taskOf(run, no, 0))
	}
	if _, err := db.PlanOCR(ctx, run, all, 0, tasks); err != nil {
		t.Fatal(err)
	}
	for i, version := range []string{"5.3", "5.5", "5.4", "5.5"} {
		if err := db.PutOCR(ctx, tasks[i], resultOf(tasks[i], "", version)); err != nil {
			t.Fatal(err)
		}
	}
	again := startRun(t, db, s, "fedcba9876543210", 4)
	for i := range tasks {
		tasks[i] = taskOf(again, i+1, 0)
	}
	if _, err := db.PlanOCR(ctx, again, all, 0, tasks); err != nil {
		t.Fatal(err)
	}
	want := &model.RunOCR{Engine: "e", Version: "5.3", Also: []string{"e 5.4", "e 5.5"}}
	for _, r := range []model.Run{run, again} {
		if stands, err := db.Run(ctx, r.SnapshotID, r.ExtractionID); err != nil || !reflect.DeepEqual(stands.OCR, want) {
			t.Errorf("%s: %+v, %v", r.ExtractionID, stands.OCR, err)
		}
	}
}

// TestOCRIsNotRepeated: another run of the snapshot finds what was read; one that
// asks for OCR of its own does not, and what it reads counts for itself alone.
func TestOCRIsNotRepeated(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	s := addSnapshot(t, db, snapshotOf("scan", 1))
	one := model.PageRange{From: 1, To: 1}
	run := startRun(t, db, s, extraction, 1)
	if _, err := db.PlanOCR(ctx, run, one, 0, []model.OCRTask{taskOf(run, 1, 0)}); err != nil {
		t.Fatal(err)
	}
	if err := db.PutOCR(ctx, taskOf(run, 1, 0), resultOf(taskOf(run, 1, 0), "", "1")); err != nil {
		t.Fatal(err)
	}
	again := startRun(t, db, s, "fedcba9876543210", 1)
	tasks, err := db.PlanOCR(ctx, again, one, 0, []model.OCRTask{taskOf(again, 1, 0)})
	if err != nil || len(tasks) != 1 || tasks[0].OCR.Version != "1" || tasks[0].OCR.Digest != "d-1" || tasks[0].OCR.Why != "no_text" {
		t.Errorf("%+v, %v", tasks, err)
	}
	if stands, err := db.Run(ctx, again.SnapshotID, again.ExtractionID); err != nil || stands.OCR == nil || stands.OCR.Version != "1" {
		t.Errorf("%+v, %v", stands.OCR, err)
	}

	own, ids := runOf(s, "00000000000000aa", 1)
	own.OCR = &model.RunOCR{Run: "settings", Settings: &model.OCRSettings{Name: "n", DPI: 300}}
	if own, err = db.StartRun(ctx, own, ids, ""); err != nil || own.OCRRun() != "settings" || own.OCR.Settings.DPI != 300 {
		t.Fatalf("%+v, %v", own.OCR, err)
	}
	if tasks, err = db.PlanOCR(ctx, own, one, 0, []model.OCRTask{taskOf(own, 1, 0)}); err != nil || tasks[0].OCR.Answered() {
		t.Fatalf("%+v, %v", tasks, err)
	}
	if err := db.PutOCR(ctx, tasks[0], resultOf(tasks[0], "settings", "2")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ run, version string }{{"", "1"}, {"settings", "2"}} {
		if r, err := db.StoredOCR(ctx, "s", tasks[0].Picture, c.run, "k"); err != nil || r.Version != c.version {
			t.Errorf("%+v, %v", r, err)
		}
	}
	// The same reading for yet another run is found by its key.
	if r, err := db.StoredOCR(ctx, "s", tasks[0].Picture, "more", resultOf(tasks[0], "", "2").Key); err != nil || r.Version != "2" {
		t.Errorf("%+v, %v", r, err)
	}
	stands, err := db.Run(ctx, own.SnapshotID, own.ExtractionID)
	if err != nil || stands.OCR.Run != "settings" || stands.OCR.Version != "2" {
		t.Errorf("%+v, %v", stands.OCR, err)
	}
}
