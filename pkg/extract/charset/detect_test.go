package charset

import (
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

// Nothing is declared: what the bytes mean tells the encoding, so far that the
// text comes out right.
func TestDetectByMeaning(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"windows-1252", "Le maire a décidé d'accorder une aide à l'école ; où êtes-vous allé cet été ?"},
		{"windows-1252", "Der Bürgermeister erklärt die Straße für geöffnet, die Gäste müssen zurück."},
		{"macintosh", "Le maire a décidé d'accorder une aide à l'école ; où êtes-vous allé cet été ?"},
		{"iso-8859-15", "Le cœur de la cité a coûté 12 € à l'œuvre, c'est déjà réglé."},
		{"iso-8859-2", "Każdy człowiek może prosić o pomoc, jeśli się zgłosi przed końcem miesiąca."},
		{"windows-1250", "Každý člověk může přijít před koncem měsíce, řekl starosta obce."},
		{"windows-1251", "Городской совет собрался вечером, чтобы утвердить бюджет на следующий год."},
		{"koi8-r", "Городской совет собрался вечером, чтобы утвердить бюджет на следующий год."},
		{"ibm866", "Городской совет собрался вечером, чтобы утвердить бюджет на следующий год."},
		{"iso-8859-7", "Το δημοτικό συμβούλιο συνεδρίασε το βράδυ για τον προϋπολογισμό του δήμου."},
		{"windows-1255", "מועצת העיר התכנסה ביום שלישי בערב כדי לאשר את התקציב של השנה הבאה."},
		{"windows-1256", "اجتمع المجلس البلدي مساء الثلاثاء للموافقة على ميزانية السنة القادمة."},
		{"windows-1256", "هذا نص عربي قصير."},
		{"windows-1252", "O presidente da câmara já saiu do país."},
		{"windows-1252", "L’escola té quatre classes, totes plenes."},
		{"windows-1254", "Belediye meclisi salı akşamı gelecek yılın bütçesini görüşmek için toplandı."},
		{"iso-2022-jp", "市議会は火曜日の夜に来年度の予算を決めるために集まりました。"},
		{"shift_jis", "市議会は火曜日の夜に来年度の予算を決めるために集まりました。"},
	} {
		codec, err := htmlindex.Get(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := codec.NewEncoder().Bytes([]byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		c := Choose(raw, Declared{})
		doc := Open(raw, c)
		if got := string(doc.Decode(0, len(doc.Bytes))); got != tt.text {
			t.Errorf("%s was read as %s: %s", tt.name, c.Name, got)
		}
		if c.Flag != FlagDetected {
			t.Errorf("%s: flag %q", tt.name, c.Flag)
		}
	}
}
