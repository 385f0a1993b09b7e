package language

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/colophon-dev/colophon/pkg/model"
)

var samples = map[string]string{
	"fr": "Le conseil municipal se réunit au moins une fois par trimestre, et chaque fois que le maire le juge utile ou que le tiers de ses membres le demande par écrit.",
	"pt": "A assembleia municipal reúne em sessão ordinária cinco vezes por ano, e as suas deliberações são tomadas à pluralidade de votos dos membros presentes na reunião.",
	"it": "Il consiglio comunale si riunisce almeno una volta ogni tre mesi, quando il sindaco lo ritiene necessario oppure quando lo chiedono per iscritto i suoi membri.",
	"co": "U cunsigliu municipale si riunisce una volta ogni trè mesi, quand'ellu u merre u ghjudicheghja utile o quandu i so membri u dumandanu per iscrittu à u sindacu.",
	"en": "The council shall meet at least once every three months, and whenever the mayor thinks it useful or a third of its members ask for it in writing.",
	"ro": "Consiliul local se întrunește cel puțin o dată la trei luni, precum și ori de câte ori primarul consideră necesar sau o treime dintre membrii săi o cer în scris.",
}

func units(texts ...string) []model.Unit {
	out := make([]model.Unit, len(texts))
	d := New(Hints{}, strings.Join(texts, "\n"))
	for i, text := range texts {
		out[i] = model.Unit{Type: model.UnitParagraph, FieldsRaw: model.Fields{Text: text, Language: d.Block(text, "")}}
	}
	return out
}

func TestDetection(t *testing.T) {
	for want, text := range samples {
		for _, h := range []Hints{{}, {Allowed: []string{"fr", "pt", "it", "co", "en", "ro"}}} {
			l := New(h, text).Block(text, "")
			if l == nil || l.Lang != want || l.Origin != OriginDetected {
				t.Errorf("%s with %v: %+v", want, h.Allowed, l)
			}
		}
	}
}

// Corsican and Italian are near to each other, and so are the others of a pair:
// none may take what is the other's, also in capitals and decomposed letters.
func TestNeighbours(t *testing.T) {
	for _, tt := range []struct{ lang, text string }{
		{"co", "A ghjente di u paese s'hè ritruvata in piazza per festighjà a fine di a vindemia, cù canti è strumenti vechji ch'ellu ùn si sentia più da anni."},
		{"co", "U prufessore hà dumandatu à i sculari di scrive un testu nantu à l'acelli di a muntagna è di purtallu à a scola u lunedì dopu."},
		{"it", "La gente del paese si è ritrovata in piazza per festeggiare la fine della vendemmia, con canti e strumenti antichi che non si sentivano più da anni."},
		{"it", "Su tutti i tetti, lassù in paese, la neve cade fitta da più di due giorni e nessuno riesce più a scendere fino alla strada principale."},
		{"gl", "Os veciños do lugar xuntáronse na praza para celebrar o remate da vendima, con cancións e instrumentos vellos que xa non se escoitaban había anos."},
		{"pt", "Os moradores da aldeia juntaram-se na praça para celebrar o fim da vindima, com canções e instrumentos antigos que já não se ouviam havia anos."},
		{"es", "Los vecinos del lugar se juntaron en la plaza para celebrar el fin de la vendimia, con canciones e instrumentos viejos que ya no se oían desde hacía años."},
		{"ca", "Els veïns del poble es van aplegar a la plaça per celebrar el final de la verema, amb cançons i instruments vells que feia anys que no se sentien."},
		{"oc", "Los vesins del vilatge s'amassèron sus la plaça per festejar la fin de la vendémia, amb de cançons e d'instruments vièlhs que s'ausissián pas pus."},
		{"sv", "Byns invånare samlades på torget för att fira att skörden var över, med sånger och gamla instrument som ingen hade hört på många år."},
		{"ru", "Жители деревни собрались на площади, чтобы отпраздновать конец сбора урожая, с песнями и старинными инструментами, которых давно не было слышно."},
		{"uk", "Мешканці села зібралися на площі, щоб відсвяткувати кінець збору врожаю, з піснями та старовинними інструментами, яких давно не було чути."},
	} {
		for form, text := range map[string]string{"as it is": tt.text, "upper case": strings.ToUpper(tt.text), "decomposed": norm.NFD.String(tt.text)} {
			if l := New(Hints{}, "").Block(text, ""); l == nil || l.Lang != tt.lang {
				t.Errorf("%s, %s: %+v", tt.lang, form, l)
			}
		}
	}
}

// What is in no language that is known, and what is no text, has no language.
func TestUnknown(t *testing.T) {
	for name, text := range map[string]string{
		"hawaiian": "Ua hanau kuokoa ia na kanaka apau loa, a ua kau like ka hanohano a me na pono kivila maluna o lakou, a ua haawi ia mai ka noonoo.",
		"yoruba":   "Gbogbo ènìyàn ni a bí ní òmìnira; iyì àti ẹ̀tọ́ kọ̀ọ̀kan sì dọ́gba. Wọ́n ní ẹ̀bùn làákàyè àti ti ẹ̀rí-ọkàn, ó sì yẹ kí wọn ó máa hùwà sí ara wọn.",
		"codes":    strings.Repeat("XJ-9912 QWRT/88 zzkqv 0x7F3A HHGT-2 ", 5),
		"numbers":  strings.Repeat("12 345,67 | 89 % ", 20),
		"names":    strings.Repeat("Kowalczyk Nguyen Okonkwo Smith Papadopoulos Yilmaz Fernández ", 3),
	} {
		if l := New(Hints{}, text).Block(text, ""); l != nil {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// A source's languages are the only ones that are compared, and none of them is
// claimed for what is in none of them.
func TestAllowed(t *testing.T) {
	d := New(Hints{Allowed: []string{"fr-FR", "co"}}, samples["fr"])
	for text, want := range map[string]string{
		samples["fr"]: "fr", samples["co"]: "co",
		"Das ist eine Mitteilung der Verwaltung an alle Bürgerinnen und Bürger der Stadt, die am nächsten Dienstag gelesen werden soll.": "",
		strings.Repeat("Городской совет собрался вечером. ", 4):                                                                          "",
		strings.Repeat("Το δημοτικό συμβούλιο συνεδρίασε. ", 4):                                                                          "",
	} {
		got := ""
		if l := d.Block(text, ""); l != nil {
			got = l.Lang
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A script that one language has says it alone.
func TestScripts(t *testing.T) {
	for want, text := range map[string]string{
		"el": "Το δημοτικό συμβούλιο συνεδρίασε το βράδυ της Τρίτης.", "he": "מועצת העיר התכנסה ביום שלישי בערב.",
		"ja": "市議会は火曜日の夜に来年度の予算を決めるために集まりました。", "zh": "市议会星期二晚上开会通过明年的预算。",
		"ko": "시의회는 화요일 저녁에 내년 예산을 의결하기 위해 모였다.", "th": "สภาเทศบาลประชุมกันในเย็นวันอังคาร",
	} {
		if l := New(Hints{}, "").Block(strings.Repeat(text, 100/len([]rune(text))+1), ""); l == nil || l.Lang != want {
			t.Errorf("%s: %+v", want, l)
		}
	}
}

// Scores are integers: they are the same on every machine.
func TestScoresAreFixed(t *testing.T) {
	memory := &Memory{}
	memory.hold(nil)
	found, n := builtin().families[latin].score(samples["co"], memory)
	lead(found)
	if got, want := fmt.Sprint(n, found[:2]), "29 [{co -15668 22} {it -20338 6}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What words said before changes no answer, also when the languages that a
// document may hold are others than before.
func TestMemory(t *testing.T) {
	memory := &Memory{}
	for round := range 3 {
		for _, allowed := range [][]string{nil, {"fr", "co"}, {"it", "co", "ro"}, {"ru"}} {
			for code, text := range samples {
				h := Hints{Allowed: allowed}
				want := New(h, "").Block(text, "")
				h.Memory = memory
				if got := New(h, "").Block(text, ""); !reflect.DeepEqual(got, want) {
					t.Errorf("round %d, %s among %v: %+v, without a memory %+v", round, code, allowed, got, want)
				}
			}
		}
	}
}

// A memory does not grow beyond its bound by more than one text.
func TestMemoryIsBounded(t *testing.T) {
	memory := &Memory{}
	d := New(Hints{Memory: memory}, "")
	for i := range 2 * maxWords / 10 {
		var b strings.Builder
		for k := range 12 {
			fmt.Fprintf(&b, "palavra%c%c%c%c%c ", 'a'+k, 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+k)
		}
		d.Block(b.String(), "")
		if n := len(memory.words[builtin().families[latin]]); n > maxWords+maxDetect/2 {
			t.Fatalf("%d words after %d texts", n, i+1)
		}
	}
	if n := len(memory.words[builtin().families[latin]]); n == 0 {
		t.Error("nothing is kept")
	}
}

// TestFivePriorities: each source of a language goes before all below it, in the order of
// seeds#conventions, and says where it is from.
func TestFivePriorities(t *testing.T) {
	all := Hints{HTMLLang: "fr-FR", MetaLang: "pt-PT", URL: "https://www.example.ro/pagina", Region: "GB"}
	text, none := units(samples["it"]), units("12")
	meta, detected := all, all
	meta.HTMLLang = ""
	detected.HTMLLang, detected.MetaLang = "", ""
	url, region := detected, detected
	region.URL = "https://example.org/"
	for _, tt := range []struct {
		name         string
		h            Hints
		units        []model.Unit
		lang, origin string
		least, most  float64 // of lang_confidence
	}{
		{"1. the html element", all, text, "fr", OriginHTML, 0, 0.3}, // the text says another
		{"1. the html element, and no text", all, none, "fr", OriginHTML, 1, 1},
		{"2. the meta element", meta, text, "pt", OriginMeta, 0, 0.3},
		{"2. the meta element, and no text", meta, none, "pt", OriginMeta, 1, 1},
		{"3. the text", detected, text, "it", OriginDetected, 0.8, 1},
		{"4. the URL", url, none, "ro", OriginURL, 0.3, 0.3},
		{"5. the scraper's region", region, none, "en", OriginRegion, 0.3, 0.3},
	} {
		l := New(tt.h, tt.units[0].FieldsRaw.Text).Page(tt.units)
		if l == nil || l.Lang != tt.lang || l.Origin != tt.origin || l.Confidence < tt.least || l.Confidence > tt.most || l.Multilingual {
			t.Errorf("%s: %+v", tt.name, l)
		}
	}
	for domain, lang := range map[string]string{"fr": "fr", "ro": "ro", "pt": "pt", "it": "it", "uk": "en", "org": "", "ch": ""} {
		l := New(Hints{URL: "https://example." + domain + "/en/a.fr"}, "").Page(none)
		if got := ""; l != nil {
			if got = l.Lang; got != lang {
				t.Errorf(".%s is %q, want %q", domain, got, lang)
			}
		} else if lang != "" {
			t.Errorf(".%s says nothing, want %q", domain, lang)
		}
	}
}

func TestPriorities(t *testing.T) {
	french := units(samples["fr"])
	for _, tt := range []struct {
		name         string
		h            Hints
		units        []model.Unit
		lang, origin string
	}{
		{"html lang", Hints{HTMLLang: "fr-FR", MetaLang: "en"}, french, "fr", OriginHTML},
		{"meta", Hints{MetaLang: "fr, en"}, french, "fr", OriginMeta},
		{"no language", Hints{HTMLLang: "x", MetaLang: "??"}, french, "fr", OriginDetected},
		{"text", Hints{URL: "https://a.pt/", Region: "BR"}, french, "fr", OriginDetected},
		{"url", Hints{URL: "https://mairie.example.fr/x", Region: "BR"}, units("12"), "fr", OriginURL},
		{"source", Hints{URL: "https://example.org", Source: "pt", Region: "FR"}, units("12"), "pt", OriginSource},
		{"region", Hints{Region: "RO"}, units("12"), "ro", OriginRegion},
		{"only one", Hints{Allowed: []string{"co"}}, units("Bonghjornu à tutti"), "co", OriginDetected},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := New(tt.h, tt.units[0].FieldsRaw.Text).Page(tt.units)
			if l == nil || l.Lang != tt.lang || l.Origin != tt.origin {
				t.Errorf("%+v", l)
			}
		})
	}
	if l := New(Hints{}, "").Page(units("12")); l != nil {
		t.Errorf("a language out of nothing: %+v", l)
	}
}

func TestMultilingual(t *testing.T) {
	us := units(samples["fr"], samples["fr"], samples["en"])
	l := New(Hints{}, samples["fr"]).Page(us)
	if l == nil || l.Lang != "fr" || !l.Multilingual || len(l.Languages) != 2 || l.Languages[1].Code != "en" || l.Languages[1].Coverage <= 0.2 {
		t.Errorf("%+v", l)
	}
	if l = New(Hints{HTMLLang: "pt"}, samples["fr"]).Page(us); l.Lang != "pt" || l.Confidence > 0.5 {
		t.Errorf("what the page says and the text does not must be unsure: %+v", l)
	}
}

// Short blocks, none of which is long enough to have a language of its own.
var short = map[string][]string{
	"fr": {"Le conseil se réunit ce soir à la mairie.", "Les inscriptions sont ouvertes", "La route de la vallée est fermée", "Pour en savoir plus sur les travaux", "Une réunion publique aura lieu demain"},
	"en": {"The council meets tonight at the town hall.", "You can now put your name on the list", "The road through the valley is closed", "More about the works and what they cost", "There will be a public meeting tomorrow"},
	"it": {"Il consiglio si riunisce questa sera in municipio.", "Le iscrizioni sono aperte a tutti", "La strada della valle è chiusa", "Per saperne di più sui lavori della fonte", "Domani ci sarà una riunione pubblica"},
	"pt": {"A assembleia reúne esta noite na câmara.", "As inscrições já estão abertas a todos", "A estrada do vale está fechada", "Para saber mais sobre as obras da fonte", "Amanhã haverá uma reunião pública"},
}

// TestAnotherLanguageInShortBlocks: a page whose second language comes in headings, items
// and labels alone is multilingual, with the shares of its characters, wherever the
// blocks stand; and its first language is that of most of its text.
func TestAnotherLanguageInShortBlocks(t *testing.T) {
	for main, others := range map[string][]string{"fr": {"en", "it"}, "en": {"fr", "pt"}, "it": {"en", "fr"}, "pt": {"en", "fr"}} {
		for _, other := range others {
			texts := append([]string{samples[main], samples[main]}, short[other]...)
			share := float64(characters(short[other])) / float64(characters(texts))
			for name, order := range map[string][]string{"behind": texts, "before": append(slices.Clone(short[other]), samples[main], samples[main])} {
				l := New(Hints{}, samples[main]).Page(units(order...))
				if l == nil || l.Lang != main || !l.Multilingual || len(l.Languages) != 2 || l.Languages[1].Code != other || math.Abs(l.Languages[1].Coverage-share) > 0.02 {
					t.Errorf("%s with %s %s, %.2f of it: %+v", main, other, name, share, l)
				}
			}
			// By turns, and no block is long.
			var turns []string
			for i := range short[main] {
				turns = append(turns, short[main][i], short[other][i])
			}
			share = float64(characters(short[other])) / float64(characters(turns))
			l := New(Hints{}, "").Page(units(turns...))
			if l == nil || !l.Multilingual || len(l.Languages) != 2 {
				t.Errorf("%s and %s by turns: %+v", main, other, l)
				continue
			}
			for _, s := range l.Languages {
				if want := share; s.Code == other && math.Abs(s.Coverage-want) > 0.1 {
					t.Errorf("%s and %s by turns: %+v, want %.2f", main, other, l.Languages, want)
				}
			}
			// Most of the page is short.
			l = New(Hints{}, samples[main]).Page(units(append([]string{samples[main]}, slices.Repeat(short[other], 3)...)...))
			if l == nil || l.Lang != other || !l.Multilingual || l.Languages[1].Code != main {
				t.Errorf("%s under much %s: %+v", main, other, l)
			}
		}
	}
}

// TestShortBlocksOfNoOtherLanguage: names, numbers, a foreign sentence and short blocks
// in the page's own language make no page multilingual, and it stays as sure as it was.
func TestShortBlocksOfNoOtherLanguage(t *testing.T) {
	names := []string{"Kowalczyk Nguyen", "Smith & Okonkwo", "Papadopoulos, M.", "XJ-9912 QWRT/88", "12 345,67", "info@example.org", "https://example.org/a/b", "Quercus robur"}
	for main, own := range short {
		alone := New(Hints{}, samples[main]).Page(units(samples[main]))
		for name, texts := range map[string][]string{
			"its own": slices.Repeat(own, 4), "names": slices.Repeat(names, 5), "a foreign sentence": {short["en"][0], own[0]}, "none": nil,
		} {
			l := New(Hints{}, samples[main]).Page(units(append([]string{samples[main]}, texts...)...))
			if l == nil || l.Lang != main || l.Multilingual || l.Languages != nil || l.Confidence < alone.Confidence-0.1 {
				t.Errorf("%s with %s: %+v, alone %+v", main, name, l, alone)
			}
		}
	}
	if l := New(Hints{}, "").Page(units(names...)); l != nil {
		t.Errorf("names are in %+v", l)
	}
}

// TestCoverageIsOfCharacters: of a page half in letters of two bytes half is in each.
func TestCoverageIsOfCharacters(t *testing.T) {
	el := "Το δημοτικό συμβούλιο συνεδρίασε το βράδυ της Τρίτης στην αίθουσα του δημαρχείου, για να ψηφίσει τον προϋπολογισμό της επόμενης χρονιάς."
	l := New(Hints{}, "").Page(units(el, samples["fr"]))
	want := float64(characters([]string{el})) / float64(characters([]string{el, samples["fr"]}))
	if l == nil || len(l.Languages) != 2 || l.Lang != "fr" || math.Abs(l.Languages[1].Coverage-want) > 0.002 {
		t.Errorf("%+v, want %.3f", l, want)
	}
}

// TestManyShortBlocks: of more than are asked the shares are the same.
func TestManyShortBlocks(t *testing.T) {
	var texts []string
	for i := range 3 * maxShort {
		texts = append(texts, short["fr"][i%5])
		if i%4 == 0 {
			texts = append(texts, short["en"][i%5])
		}
	}
	l := New(Hints{}, "").Page(units(texts...))
	if l == nil || l.Lang != "fr" || !l.Multilingual || len(l.Languages) != 2 || math.Abs(l.Languages[1].Coverage-0.2) > 0.05 {
		t.Errorf("%+v", l)
	}
}

func TestCode(t *testing.T) {
	for tag, want := range map[string]string{"fr": "fr", "FR-ca": "fr", "pt_BR": "pt", "en, fr": "en", "cos": "co", "": "", "und": "", "zz1": "", "frp": "frp"} {
		if got := Code(tag); got != want {
			t.Errorf("%q is %q, want %q", tag, got, want)
		}
	}
}

func FuzzDetect(f *testing.F) {
	for _, text := range samples {
		f.Add(text)
	}
	f.Add("\xff\x00 e\u0301 \u202e市Ж")
	f.Fuzz(func(t *testing.T, text string) {
		code, sure := New(Hints{}, text).detect(text)
		if sure < 0 || sure > 1 || code == "" && sure > 0 || code != "" && Code(code) != code {
			t.Errorf("%q %v", code, sure)
		}
		if again, same := New(Hints{}, text).detect(text); again != code || same != sure {
			t.Errorf("%q %v, then %q %v", code, sure, again, same)
		}
		if Plausible(text) > 0 {
			t.Error("more than certain")
		}
	})
}
