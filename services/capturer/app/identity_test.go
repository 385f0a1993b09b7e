package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/capturer/internal/stage"
)

// under1 captures an address as the first version did, and returns its document.
func (b *bench) under1(id, address string) string {
	return b.under("1", id, address, digest.URLCanonV1, digest.RedactURLV1)
}

// under3 captures an address as urlcanon_v3 did, and returns its document.
func (b *bench) under3(id, address string) string {
	return b.under("3", id, address, digest.URLCanonV3, digest.RedactURLV3)
}

// under2 captures an address as urlcanon_v2 did, and returns its document.
func (b *bench) under2(id, address string) string {
	return b.under("2", id, address, digest.URLCanonV2, digest.RedactURLV2)
}

func (b *bench) under(version, id, address string, canon func(string) (string, error), redacted func(string) string) string {
	b.t.Helper()
	canonical, err := canon(address)
	if err != nil {
		b.t.Fatal(err)
	}
	stored, metadata := redacted(address), map[string]string{"pwd": id}
	if version != "1" {
		metadata["pwd"] = "REDACTED"
	}
	hash := digest.Content([]byte(id))
	request, err := json.Marshal(event.CaptureRequested{
		RequestID: id, SourceID: source, URL: stored, Object: &event.Object{Bucket: "raw", Key: strings.TrimPrefix(hash, "sha256:")},
		Metadata: metadata,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	jcs, err := digest.JCS(json.RawMessage(request))
	if err != nil {
		b.t.Fatal(err)
	}
	snap := model.Snapshot{
		SnapshotID: digest.SnapshotID(source, id, hash), DocumentID: digest.DocumentID(source, canonical), RequestID: id, SourceID: source,
		SourceName: "Source", SnapshotKind: model.KindHTML, FinalType: model.TypeHTML, URL: stored, URLCanonical: canonical,
		URLCanonicalizationVersion: "urlcanon_v" + version, ExternalID: canonical, RetrievedAt: asked, ContentHash: hash, ByteLength: int64(len(id)),
		LastModified: asked, LastModifiedOrigin: "retrieved_at", RedactionPolicyID: "redact_v" + version, SourceType: "official", Domain: "civics",
		Layer: model.LayerHot, RuleVersions: map[string]string{"urlcanon": "urlcanon_v" + version, "typing": "1"}, Metadata: metadata,
	}
	row := model.Capture{SourceID: source, RequestID: id, RequestDigest: digest.Hex(jcs), Request: request, RequestedAt: asked, URLCanonical: canonical}
	if _, _, err := b.db.CaptureAtOnce(b.t.Context(), row, snap, func(model.Standing) bool { return false },
		func(context.Context) error { return nil }); err != nil {
		b.t.Fatal(err)
	}
	return snap.DocumentID
}

// today captures an address as it is done now.
func (b *bench) today(id, address string) (event.CaptureCompleted, model.Snapshot) {
	b.t.Helper()
	r := inline(id, page+id)
	r.URL = address
	done := b.outcome(r)
	return done, b.snapshot(done.SnapshotID)
}

// sound holds all rows against each other.
func (b *bench) sound() {
	b.t.Helper()
	found, err := b.db.Contradictions(b.t.Context(), "", time.Now().Add(-time.Hour))
	if err != nil || len(found) > 0 {
		b.t.Errorf("contradictions: %v, %v", found, err)
	}
}

// TestWhatOlderRulesMergedIsSound: whatever stands in an address, the rows that keep
// the names that older rules gave raise no alarm.
func TestWhatOlderRulesMergedIsSound(t *testing.T) {
	b := fresh(t, nil)
	for n, query := range []string{
		"session=%d", "b=2&session=%d&a=1", "refresh_token=geheim&session=%d", "code=SplxlOBeZQQYbYS6WxSbIA&sid=%d", "key=AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBW%d",
		"next=https%%3A%%2F%%2Fuser:pw@a.example%%2F%%3Fsession%%3D%[1]d%%26pwd%%3Dx&token=%[1]d", "X-Amz-Signature=%[1]d&session=%[1]d", "p;sid=%d=x", "a%%2525=%%zz&token=%d",
		"utm_source=x&pageToken=%d&ticket=%[1]d", "ghp=ghp_16C7e42F292c6912E7710c838347Ae178B4%[1]d&session=%[1]d",
	} {
		address := fmt.Sprintf("https://user:pw@Town.example:443/s;jsessionid=%d/%%%%7Ed%d/?", n, n) + query
		b.under1(fmt.Sprint("a", n), fmt.Sprintf(address, 1))
		b.under1(fmt.Sprint("b", n), fmt.Sprintf(address, 2))
		for round, session := range []int{2, 1, 3, 2} {
			b.today(fmt.Sprint("c", n, "-", round), fmt.Sprintf(address, session))
		}
	}
	if _, n, err := b.db.PartedDocuments(t.Context()); err != nil || n < 5 {
		t.Errorf("%d documents were parted: %v", n, err)
	}
	b.sound()
}

// TestADocumentOfOlderRulesIsFound: a document that was captured under urlcanon_v1
// keeps its id, slug and identity, and is the document of the address that it is of.
func TestADocumentOfOlderRulesIsFound(t *testing.T) {
	b := fresh(t, nil)
	for n, address := range []string{
		"https://town.example/plain?page=1", "https://town.example/d?session=2023&page=1", "https://town.example/d2?refresh_token=geheim&page=1",
		"https://town.example/d3;sid=4?utm_source=x", "https://town.example/d4?code=LEGITEXT000006072050",
	} {
		before := b.under1(fmt.Sprint("old", n), address)
		stood, err := b.db.Document(t.Context(), before)
		if err != nil {
			t.Fatal(err)
		}
		for round := range 2 {
			done, snap := b.today(fmt.Sprint("new", n, round), address)
			stands, err := b.db.Document(t.Context(), before)
			if err != nil || done.DocumentID != before || stands.Slug != stood.Slug || stands.ExternalID != stood.ExternalID || snap.ExternalID != stood.ExternalID {
				t.Errorf("%s was %s, is %s (%v)", address, before, done.DocumentID, err)
			}
			if done.Message != "" || slices.Contains(snap.QualityFlags, stage.FlagSplit) || snap.RuleVersions["urlcanon"] != "urlcanon_v4" {
				t.Errorf("%s: %q, flags %q", address, done.Message, snap.QualityFlags)
			}
		}
	}
}

// TestADocumentOfTheRulesBeforeIsFound: so does one that was captured under urlcanon_v2,
// where today's rules leave out more, mask less or know a record's number.
func TestADocumentOfTheRulesBeforeIsFound(t *testing.T) {
	b := fresh(t, nil)
	for n, address := range []string{
		"https://town.example/plain?page=1", "https://town.example/(S(abcdefghij12345klmnopqrs))/d.aspx", "https://town.example/d?PHPSESSID_intern=0a1b2c3d4e5f60718293a4b5c6&page=1",
		"https://town.example/d2?session_id=20240312T0930", "https://town.example/d3?invite_token=0123456789abcdef0123456789abcdef01234567",
		"https://town.example/d4?code=5493001KJTIIGC8Y1R12", "https://town.example/d5?heslo=obec", "https://town.example/d6?startKey=aB3dE6gH9jK2mN5pQ8sTuVwXyZ",
	} {
		before := b.under2(fmt.Sprint("old", n), address)
		for round := range 2 {
			if done, snap := b.today(fmt.Sprint("new", n, round), address); done.DocumentID != before || done.Message != "" || snap.RuleVersions["urlcanon"] != "urlcanon_v4" {
				t.Errorf("%s was %s, is %s, %q", address, before, done.DocumentID, done.Message)
			}
		}
	}
	b.sound()
}

// TestADocumentOfURLCanonV3IsFound: so does one that was captured under urlcanon_v3, where
// today's rules hide more, and the request for it is known again.
func TestADocumentOfURLCanonV3IsFound(t *testing.T) {
	b := fresh(t, nil)
	for n, address := range []string{
		"https://town.example/plain?page=1", "https://hooks.slack.com/services/T01/B02/X03", "https://town.example/d?pin=4711&n=1",
		"https://town.example/d2?sig=7c1e9b2d4f8a60531e7d9c2b4a6f80139b1c3d5e", "https://town.example/d3?basic_auth=clerk:sommer",
		"https://town.example/d4?recovery_code=abcd-efgh", "https://town.example/reset/7c1e9b2d4f8a60531e7d9c2b4a6f80139b1c3d5e", "https://town.example/d5?session=2023",
	} {
		id := fmt.Sprint("old", n)
		before := b.under3(id, address)
		for round := range 2 {
			if done, snap := b.today(fmt.Sprint("new", n, round), address); done.DocumentID != before || done.Message != "" || snap.RuleVersions["urlcanon"] != "urlcanon_v4" {
				t.Errorf("%s was %s, is %s, %q", address, before, done.DocumentID, done.Message)
			}
		}
		again := event.CaptureRequested{RequestID: id, URL: address, Inline: &event.Inline{ContentBase64: []byte(id)}, Metadata: map[string]string{"pwd": "REDACTED"}}
		if done := b.outcome(again); done.Outcome != event.OutcomeStored {
			t.Errorf("%s sent again: %+v", address, done)
		}
	}
	b.sound()
}

// TestSittingsThatWereMergedAreParted: of sittings that urlcanon_v2 held for one, the first
// that is captured again keeps the document, but not the one of their list, which is
// spelt as its identity.
func TestSittingsThatWereMergedAreParted(t *testing.T) {
	b := fresh(t, nil)
	const base = "https://parliament.example/sittings"
	old := b.under2("a", base+"?session_id=20240312T0930")
	if also := b.under2("b", base+"?session_id=20240312T1400"); also != old {
		t.Fatal("they were not merged")
	}
	documents := map[string]bool{}
	for round := range 2 {
		for n, query := range []string{"?session_id=20240312T1400", "?session_id=20240312T0930", ""} {
			done, _ := b.today(fmt.Sprint("c", round, n), base+query)
			documents[done.DocumentID] = true
			if (done.DocumentID == old) != (n == 0) {
				t.Errorf("round %d, %q is %s, the document before is %s", round, query, done.DocumentID, old)
			}
		}
	}
	if len(documents) != 3 {
		t.Errorf("%d documents, want 3", len(documents))
	}
	list := b.under2("d", base+"/list")
	b.under2("e", base+"/list?session_id=20240312T0930")
	if done, _ := b.today("f", base+"/list?session_id=20240312T0930"); done.DocumentID == list || done.Message == "" {
		t.Errorf("%+v", done)
	}
	if done, _ := b.today("g", base+"/list"); done.DocumentID != list {
		t.Errorf("%+v", done)
	}
	b.sound()
}

// TestARequestOfTheRulesBeforeIsKnownAgain: as above, of redact_v2.
func TestARequestOfTheRulesBeforeIsKnownAgain(t *testing.T) {
	b := fresh(t, nil)
	const address = "https://town.example/d?session_id=20240312T0930&invite_token=0123456789abcdef0123"
	b.under2("a", address)
	again := event.CaptureRequested{RequestID: "a", URL: address, Inline: &event.Inline{ContentBase64: []byte("a")}, Metadata: map[string]string{"pwd": "REDACTED"}}
	if row, err := b.db.Capture(t.Context(), source, "a"); err != nil || !strings.Contains(string(row.Request), "session_id=REDACTED") {
		t.Fatalf("%s, %v", row.Request, err)
	}
	if done := b.outcome(again); done.Outcome != event.OutcomeStored {
		t.Errorf("sent again: %+v", done)
	}
}

// TestDocumentsThatWereMergedArePartedForGood: of addresses that urlcanon_v1 held for
// one, the first that is captured again keeps the document; each other gets its own,
// and its crawler is told.
func TestDocumentsThatWereMergedArePartedForGood(t *testing.T) {
	b := fresh(t, nil)
	const base = "https://town.example/deliberations"
	old := b.under1("a", base+"?session=2023")
	if also := b.under1("b", base+"?session=2024"); also != old {
		t.Fatal("they were not merged")
	}
	documents := map[string]string{}
	for round := range 2 {
		for n, session := range []string{"?session=2023", "?session=2024", "?session=2025", ""} {
			done, snap := b.today(fmt.Sprint("c", round, n), base+session)
			if documents[session] == "" {
				documents[session] = done.DocumentID
			}
			if done.DocumentID != documents[session] {
				t.Errorf("%q: %s, then %s", session, documents[session], done.DocumentID)
			}
			split := done.Message != "" && slices.Contains(snap.QualityFlags, stage.FlagSplit)
			if split != (round > 0 || n > 0) {
				t.Errorf("round %d, %q: %q, flags %q", round, session, done.Message, snap.QualityFlags)
			}
		}
	}
	b.sound()
	if documents["?session=2023"] != old {
		t.Errorf("the document was %s, is %s", old, documents["?session=2023"])
	}
	ids := []string{}
	for _, id := range documents {
		ids = append(ids, id)
	}
	if slices.Sort(ids); len(slices.Compact(ids)) != 4 {
		t.Errorf("%v", documents)
	}
}

// TestAnAddressKeepsItsOwnDocument: where the identity of a merged document is the
// address of one, that one keeps it.
func TestAnAddressKeepsItsOwnDocument(t *testing.T) {
	b := fresh(t, nil)
	const base = "https://town.example/deliberations"
	old := b.under1("a", base+"?session=2023")
	b.under1("b", base)
	if done, _ := b.today("c", base+"?session=2023"); done.DocumentID == old || done.Message == "" {
		t.Errorf("%+v", done)
	}
	if done, _ := b.today("d", base); done.DocumentID != old {
		t.Errorf("%+v", done)
	}
	b.sound()
	// What never was in the document has no part in it.
	if done, _ := b.today("e", base+"?key=12"); done.DocumentID == old || done.Message != "" {
		t.Errorf("%+v", done)
	}
}

// TestARequestOfOlderRulesIsKnownAgain: a request that was accepted before the rules
// changed is no conflict, as its crawler sends it again or as its row has it.
func TestARequestOfOlderRulesIsKnownAgain(t *testing.T) {
	b := fresh(t, nil)
	const address = "https://town.example/d?session=2023&pwd=geheim&token=alt"
	b.under1("a", address)
	again := event.CaptureRequested{RequestID: "a", URL: address, Inline: &event.Inline{ContentBase64: []byte("a")}, Metadata: map[string]string{"pwd": "a"}}
	if done := b.outcome(again); done.Outcome != event.OutcomeStored {
		t.Errorf("sent again: %+v", done)
	}
	row, err := b.db.Capture(t.Context(), source, "a")
	if err != nil {
		t.Fatal(err)
	}
	var stored event.CaptureRequested
	if err := json.Unmarshal(row.Request, &stored); err != nil {
		t.Fatal(err)
	}
	if done := b.outcome(stored); done.Outcome != event.OutcomeStored {
		t.Errorf("from its row: %+v", done)
	}
	again.Metadata = map[string]string{"pwd": "b"}
	if err := b.handle(b.event(again)); fault.ReasonOf(err) != fault.RequestConflict {
		t.Errorf("another request under its id: %v", err)
	}
}

// TestSessionsAreDocuments: what differs in the number of a page is not merged.
func TestSessionsAreDocuments(t *testing.T) {
	b := fresh(t, nil)
	ids := map[string]bool{}
	for n, query := range []string{"session=2023", "session=2024", "session=2024&refresh_token=geheim", "session=2024&refresh_token=neu"} {
		done, snap := b.today(fmt.Sprint(n), "https://town.example/deliberations?"+query)
		ids[done.DocumentID] = true
		if strings.Contains(snap.URL+snap.ExternalID, "geheim") || !strings.Contains(snap.URL, query[:12]) {
			t.Errorf("%s is %s, %s", query, snap.URL, snap.ExternalID)
		}
	}
	if len(ids) != 2 {
		t.Errorf("%v", ids)
	}
}

// TestRowsThatHoldSecretsAreListed: what older rules have stored is counted and named,
// and never told; what today's store is not among it.
func TestRowsThatHoldSecretsAreListed(t *testing.T) {
	b := fresh(t, nil)
	b.today("new", "https://bob:hunter2@town.example/a?refresh_token=hunter2&session=2023&code=SplxlOBeZQQYbYS6WxSbIA#jwt=hunter2")
	if held, err := b.db.HeldSecrets(t.Context()); err != nil || len(held) != 0 {
		t.Errorf("%+v, %v", held, err)
	}
	id := b.under1("old", "https://town.example/b?refresh_token=hunter2")
	held, err := b.db.HeldSecrets(t.Context())
	if err != nil || len(held) != 3 || held[2].IDs[0] != id || held[0].IDs[0] != source+"/old" {
		t.Errorf("%+v, %v", held, err)
	}
	for _, h := range held {
		if h.N != 1 || h.Read != 2 || h.More || strings.Contains(fmt.Sprint(h), "hunter2") {
			t.Errorf("%+v", h)
		}
	}
	b.under1("a", "https://town.example/d?session=1")
	for n := range 2 {
		b.today(fmt.Sprint("s", n), fmt.Sprint("https://town.example/d?session=", n))
	}
	b.sound()
	if parted, n, err := b.db.PartedDocuments(t.Context()); err != nil || n != 1 || len(parted) != 1 || parted[0].MergedWith == parted[0].DocumentID {
		t.Errorf("%+v, %d, %v", parted, n, err)
	}
}

// TestAHostWithAnUnderscore: it is an address like others, one document however its letters
// are written, and another than that of a host without it.
func TestAHostWithAnUnderscore(t *testing.T) {
	b := fresh(t, nil)
	r := inline("one", page)
	r.URL = "https://My_Files.Example:443/minutes.html#top"
	done := b.outcome(r)
	if done.Outcome != event.OutcomeStored {
		t.Fatalf("%+v", done)
	}
	snap := b.snapshot(done.SnapshotID)
	if snap.URLCanonical != "https://my_files.example/minutes.html" {
		t.Errorf("%+v: %s", done, snap.URLCanonical)
	}
	document, err := b.db.Document(t.Context(), snap.DocumentID)
	if err != nil || document.Host != "my_files.example" || document.CanonicalURL != snap.URLCanonical {
		t.Errorf("%+v, %v", document, err)
	}
	if _, same := b.today("two", "https://my_files.example/minutes.html"); same.DocumentID != snap.DocumentID {
		t.Errorf("%s is another document than %s", same.URLCanonical, snap.URLCanonical)
	}
	if _, other := b.today("three", "https://myfiles.example/minutes.html"); other.DocumentID == snap.DocumentID {
		t.Errorf("%s is the document of %s", other.URLCanonical, snap.URLCanonical)
	}
	b.sound()
}
