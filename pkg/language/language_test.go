package language

import (
	"fmt"
	"reflect"
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
	found, n := families()[latin].score(samples["co"], memory)
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
		if n := len(memory.words[families()[latin]]); n > maxWords+maxDetect/2 {
			t.Fatalf("%d words after %d texts", n, i+1)
		}
	}
	if n := len(memory.words[families()[latin]]); n == 0 {
		t.Error("nothing is kept")
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
