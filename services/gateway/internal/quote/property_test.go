package quote

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// quotable are texts in several languages and scripts. A quotation may begin and end at
// white space, but not behind ¦, and in scripts without spaces at ‖.
var quotable = []string{
	"The council won’t pay for the non-violent protest, and the mayor’s deputy didn't sign the 12-page agreement — so the clerk said “never again” on 12/03/2024. It cost 3.5¦ million euros, not 35 or -7 percent; rates of +5, .75 and <30% were unlawful. The COVID-19 rules of 2019–2020 can't apply.",
	"L’État n’a pas réglé les 1¦ 234,50¦ € de l’école ; aujourd’hui, la non-conformité de 30¦ % des bâtiments n’est plus contestée, dit le maire : « c’est illégal ». Le quorum d’au moins 7/12 des élus n'était pas atteint à -5¦ °C selon l’article 12.3 du règlement. Il a voté lui-même.",
	"Die Haupt-¦ und Nebengebäude der Gemeinde-¦\nverwaltung wurden nicht saniert, obwohl 4.500,75¦ Euro bewilligt waren; die 19-jährige Klägerin verlor den Nicht-EU-Status. Der Stadtrat lehnte §¦ 13 Abs. 2 ab – mit 17:12 Stimmen –, was unzulässig war. Die E-Mail an info@stadt.example blieb unbeantwortet.",
	"El alcalde no firmó el acuerdo franco-alemán de 1.250.000¦ euros; ¿quién pagará los 2,5 metros? «Nadie», dijo. El ex-ministro recibió $500 y €20,30 en 1998-¦\n1999, un 12¦ % más. Las normas anti-corrupción no entraron en vigor.",
	"São Paulo não aprovou a verba de R$12.325,23 para a pré-escola; o vice-prefeito disse que a ex-diretora recebeu 1/3 dos 9,5% previstos — “um absurdo”. A co-autora d’água-viva não-alinhada votou contra a lei 8.666/93.",
	"L’assessore non ha firmato l’atto dell’ufficio; un’altra delibera dell’11 marzo è nulla. Quest’anno il 40¦ % degl’introiti, cioè 3’500¦ franchi, è andato all’anti-mafia.",
	"☐¦ I have been convicted of an offence\n☒¦ I have not been convicted before\n□¦ My income is above the limit of 5 units\n■ My income is below the limit of 7 units\n[¦ ]¦ The tenant has paid the rent in full\n[x]¦ The tenant has not paid the rent at all",
	"Мэр не подписал договор № 5-ФЗ от 12.03.2024 на 1¦ 500¦ руб.; кто-то из северо-западного округа сказал «никогда». Температура была -15¦ °C, а из-за дождя по-прежнему нельзя.",
	"Ο δήμαρχος δεν υπέγραψε τη συμφωνία των 2,5¦ εκατομμυρίων ευρώ· το μη-κερδοσκοπικό σωματείο είπε «ποτέ» στις 12/3/2024.",
	"ראש העיר לא חתם על ההסכם; זה אי־אפשר לשלם 1,250 שקלים בלי אישור של בית־המשפט בשנת 2024 בעיר הגדולה.",
	"لم يوقّع رئيس البلدية الاتفاق؛ بلغت الكلفة ١٢٥٠ ديناراً، أي ٣٠٪ من الميزانية، في سنة 2024 كما قيل.",
	"महापौर ने समझौते पर हस्ताक्षर नहीं किए; लागत 12,50,000¦ रुपये थी, यानी 30% अधिक, और ग़ैर-क़ानूनी निर्माण रोका गया।",
	"市长‖不同意‖这个‖预算‖方案‖，‖因为‖第三百五十条‖要求‖五千万元‖的‖担保‖，‖而‖城市‖只‖有‖30%‖的‖资金‖。‖议会‖认为‖合同‖无效‖，‖未批准‖道路‖工程‖。",
	"市長は‖予算案に‖賛成しなかった‖と‖述べた‖。‖サーバーの‖費用は‖1,250万円で‖、‖非公開の‖資料には‖30%の‖増加と‖書かれていない‖。",
	"นายกเทศมนตรี‖ไม่ลงนาม‖ใน‖สัญญา‖ก่อสร้าง‖ถนน‖ของ‖เมือง‖เพราะ‖ค่าใช้จ่าย‖สูง‖เกิน‖งบประมาณ‖ที่‖สภา‖อนุมัติ",
	"시장은 1,250만¦ 원의 예산안에 서명하지 않았다; 시의회는 비공개 회의에서 30%의 증액을 반-대했다고 말했다.",
	"Work | Director | Cost\nBridge | Lindqvist | 12.325.232\nTower | Oyelaran | -1.521\nMill | Duarte | 0,75\nan eﬃcient oﬀer of the ﬁrst ﬂoor",
	"Yes ○¦ No ●¦ the owner has a permit; x²+y²=25 and E=mc² hold for 10^6 cells at 5¦ ½ miles, R&D and/or C++ at 90¦ km/h, 5±2¦ mm, 20° or 7‰.",
}

// bordered returns a text without its marks, and the bytes at which quotations may begin or end.
func bordered(marked string) (text string, borders []int) {
	var out strings.Builder
	borders = []int{0}
	kept := false
	for _, r := range marked {
		switch {
		case r == '¦':
			kept = true
		case r == '‖':
			borders = append(borders, out.Len())
		case unicode.IsSpace(r) && !kept:
			borders = append(borders, out.Len())
			out.WriteRune(r)
		default:
			out.WriteRune(r)
			kept = false
		}
		if kept && r != '¦' {
			kept = false
		}
	}
	return out.String(), append(borders, out.Len())
}

// corpus is a memory of all texts, each cut into chunks at random borders.
func corpus(draw *rand.Rand) (m *memory, texts []string, borders [][]int) {
	m = &memory{}
	for _, marked := range quotable {
		text, at := bordered(marked)
		var cuts []int
		for _, i := range at[1 : len(at)-1] {
			if draw.IntN(6) == 0 {
				cuts = append(cuts, i)
			}
		}
		m.add(text, cuts...)
		texts, borders = append(texts, text), append(borders, at)
	}
	return m, texts, borders
}

// printAgain prints a quotation in another way that says the same.
func printAgain(q string, draw *rand.Rand) string {
	switch draw.IntN(7) {
	case 0:
		return strings.NewReplacer("’", "'", "“", `"`, "”", `"`, "«\u00a0", `"`, "« ", `"`, " »", `"`, "–", "-", "—", "–").Replace(q)
	case 1:
		return strings.NewReplacer("'", "’", "\n", " ", "ﬃ", "ffi", "ﬀ", "ff", "fi", "ﬁ").Replace(q)
	case 2:
		return strings.ReplaceAll(q, " ", "\u00a0")
	case 3:
		return "“" + strings.ReplaceAll(q, " ", " \n ") + "”"
	case 4:
		return norm.NFD.String(q)
	case 5: // a hyphen at a line's end, within a long word
		words := strings.Split(q, " ")
		for i, w := range words {
			if len(w) > 7 && !strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) {
				words[i] = w[:4] + "-\n" + w[4:]
				break
			}
		}
		return strings.Join(words, " ")
	default:
		return q
	}
}

// drawTrue takes a quotation of at least 12 letters out of a text.
func drawTrue(text string, at []int, draw *rand.Rand) string {
	for {
		from := draw.IntN(len(at) - 1)
		to := from + 1 + draw.IntN(min(24, len(at)-1-from))
		q := strings.TrimSpace(text[at[from]:at[to]])
		if f := fold(q); f.Len() >= MinLetters+2 {
			return q
		}
	}
}

// TestTrueQuotationsAreConfirmed: of thousands of quotations out of all texts, printed
// again in other ways and over the ends of chunks, 99.5 percent at least are confirmed.
func TestTrueQuotationsAreConfirmed(t *testing.T) {
	draw := rand.New(rand.NewPCG(20261123, 1))
	wrong, asked := 0, 0
	for range 4 {
		m, texts, borders := corpus(draw)
		for i, text := range texts {
			for range 60 {
				q := drawTrue(text, borders[i], draw)
				printed := printAgain(q, draw)
				a, err := m.check(printed)
				if err != nil {
					t.Fatal(err)
				}
				if asked++; !confirmed(a) {
					wrong++
					t.Logf("%s: %q (written %q)", a.Verdict, printed, q)
				}
			}
		}
	}
	t.Logf("of %d true quotations %d are not confirmed", asked, wrong)
	if wrong*1000 > asked*5 {
		t.Errorf("%d of %d", wrong, asked)
	}
}

// alterations make a quotation say something else, or leave it as it is.
var alterations = map[string]func(q string, draw *rand.Rand) string{
	"a digit": func(q string, draw *rand.Rand) string {
		return change(q, draw, unicode.IsDigit, func(r rune) string { return string(r - rune(digitOf(r)) + rune((digitOf(r)+1+draw.IntN(9))%10)) })
	},
	"a letter": func(q string, draw *rand.Rand) string {
		return change(q, draw, unicode.IsLetter, func(r rune) string { return string(r + 1) })
	},
	"a letter left out": func(q string, draw *rand.Rand) string {
		left := change(q, draw, unicode.IsLetter, func(rune) string { return "" })
		if strings.Contains(q, strings.TrimFunc(left, unicode.IsPunct)) { // it is only shorter
			return q
		}
		return left
	},
	"a sign left out": func(q string, draw *rand.Rand) string {
		return change(q, draw, isSign, func(rune) string { return "" })
	},
	"another sign": func(q string, draw *rand.Rand) string {
		return change(q, draw, isSign, func(r rune) string { return map[bool]string{true: "−", false: "+"}[r == '+'] })
	},
	"a joint left out": func(q string, draw *rand.Rand) string {
		return change(q, draw, isJoint, func(rune) string { return "" })
	},
	"a joint that is a space": func(q string, draw *rand.Rand) string {
		return change(q, draw, isJoint, func(rune) string { return " " })
	},
	"a box": func(q string, draw *rand.Rand) string {
		others := map[rune]string{'☐': "☒", '☒': "☐", '■': "□", '□': "■", '○': "●", '●': "○"}
		return change(q, draw, func(r rune) bool { return others[r] != "" }, func(r rune) string { return others[r] })
	},
	"an empty box left out": func(q string, draw *rand.Rand) string {
		return change(q, draw, func(r rune) bool { return strings.ContainsRune("☐☒□○", r) }, func(rune) string { return "" })
	},
	"a mark left out": func(q string, draw *rand.Rand) string {
		return change(q, draw, func(r rune) bool { return strings.ContainsRune(",;?؛·", r) }, func(rune) string { return "" })
	},
	"an accent left out": func(q string, draw *rand.Rand) string {
		return change(norm.NFD.String(q), draw, func(r rune) bool { return r >= 0x300 && r < 0x370 }, func(rune) string { return "" })
	},
	"a word left out": func(q string, draw *rand.Rand) string {
		words := strings.Fields(q)
		if len(words) < 3 {
			return q
		}
		i := 1 + draw.IntN(len(words)-2)
		if !strings.ContainsFunc(strings.Join(words[:i], ""), isWord) || !strings.ContainsFunc(strings.Join(words[i+1:], ""), isWord) { // it is only shorter
			return q
		}
		return strings.Join(slices.Delete(words, i, i+1), " ")
	},
	"cut at its beginning": func(q string, draw *rand.Rand) string {
		return cutInside(q, draw, true)
	},
	"cut at its end": func(q string, draw *rand.Rand) string {
		return cutInside(q, draw, false)
	},
	"a prefix cut off": func(q string, draw *rand.Rand) string {
		return afterPrefix(q)
	},
}

func digitOf(r rune) int {
	for zero := r; zero > r-10; zero-- {
		if !unicode.IsDigit(zero - 1) {
			return int(r - zero)
		}
	}
	return 0
}

func isSign(r rune) bool  { return strings.ContainsRune("+%‰°$€§<=±^&²½٪", r) }
func isJoint(r rune) bool { return strings.ContainsRune("’'-־/", r) }

// change replaces one of the characters that pick finds.
func change(q string, draw *rand.Rand, pick func(rune) bool, to func(rune) string) string {
	var at []int
	for i, r := range q {
		if pick(r) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return q
	}
	i := at[draw.IntN(len(at))]
	r, n := utf8.DecodeRuneInString(q[i:])
	return q[:i] + to(r) + q[i+n:]
}

// cutInside cuts letters off the first or the last word, which is one of an alphabet.
func cutInside(q string, draw *rand.Rand, begins bool) string {
	runes := []rune(norm.NFC.String(q))
	if !begins {
		slices.Reverse(runes)
	}
	n := 0
	for n < len(runes) && !unicode.IsSpace(runes[n]) && !unspaced(runes[n]) {
		n++
	}
	if n < 2 {
		return q
	}
	cut := 1 + draw.IntN(n-1)
	if !isWord(runes[cut]) && !unicode.In(runes[cut], unicode.Sm, unicode.Sc) || !isWord(runes[cut-1]) {
		return q
	}
	runes = runes[cut:]
	if !begins {
		slices.Reverse(runes)
	}
	return string(runes)
}

// afterPrefix returns what is left behind the first negation or minus, when something is.
func afterPrefix(q string) string {
	for _, prefix := range []string{"non-", "un", "il", "in", "n’", "n'", "non-", "anti-", "Nicht-", "أ", "не", "אי־", "ग़ैर-", "不", "无", "未", "非", "ไม่", "비", "-", ".", "ex-", "vice-", "μη-"} {
		for i := 0; ; {
			j := strings.Index(q[i:], prefix)
			if j < 0 {
				break
			}
			i += j + len(prefix)
			r, _ := utf8.DecodeRuneInString(q[i:])
			if before, _ := utf8.DecodeLastRuneInString(q[:i-len(prefix)]); isWord(r) && (!isWord(before) || unspaced(r)) {
				return q[i:]
			}
		}
	}
	return q
}

// stands reports whether a text has the words of a quotation, by a comparison of words that
// knows nothing of fold: what is altered may be true elsewhere.
func stands(texts []string, q string) bool {
	words := func(s string) []string {
		s = strings.NewReplacer("’", "'", "“", "'", "”", "'", `"`, "'", "«", " ' ", "»", " ' ", "–", "-", "—", "-", "ﬃ", "ffi", "ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "|", " ", "-\n", "", "\n■", "\n").Replace(s)
		words := strings.Fields(strings.ToLower(norm.NFC.String(s)))
		for i := range words {
			words[i] = strings.Trim(words[i], "'.,;:?!¿؛·")
		}
		return slices.DeleteFunc(words, func(w string) bool { return w == "" })
	}
	want := words(q)
	for len(want) > 0 && strings.Contains("-●■", want[0]) {
		want = want[1:]
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		have := words(text)
		for i := 0; i+len(want) <= len(have); i++ {
			if slices.Equal(have[i:i+len(want)], want) {
				return true
			}
		}
		return false
	})
}

// TestAlteredQuotationsAreNotConfirmed: none of thousands in which one thing is changed.
func TestAlteredQuotationsAreNotConfirmed(t *testing.T) {
	draw := rand.New(rand.NewPCG(20261123, 2))
	counts := map[string]int{}
	for range 4 {
		m, texts, borders := corpus(draw)
		for i, text := range texts {
			for kind, alter := range alterations {
				draws := 6
				if strings.Contains(kind, "box") { // few texts have any
					draws = 24
				}
				for range draws {
					q := drawTrue(text, borders[i], draw)
					altered := alter(q, draw)
					if norm.NFC.String(altered) == norm.NFC.String(q) || stands(texts, altered) {
						continue
					}
					a, err := m.check(altered)
					if err != nil {
						t.Fatal(err)
					}
					if counts[kind]++; confirmed(a) {
						t.Errorf("%s: %s: %q (written %q)", kind, a.Verdict, altered, q)
					}
				}
			}
		}
	}
	t.Logf("altered: %v", counts)
	for kind := range alterations {
		if counts[kind] < 20 {
			t.Errorf("%s: %d only", kind, counts[kind])
		}
	}
}

// FuzzBorders: whether a text is one chunk or cut in two where words are divided, a quotation
// has the same answer. None that is cut within a word of letters stands where it was cut.
func FuzzBorders(f *testing.F) {
	for i, marked := range quotable {
		text, _ := bordered(marked)
		f.Add(text, uint(7*i), uint(5*i+3), uint(60+i))
	}
	f.Fuzz(func(t *testing.T, text string, cut, from, length uint) {
		if len(text) < 20 || len(text) > 4000 || !utf8.ValidString(text) || !norm.NFC.IsNormalString(text) {
			return
		}
		words := strings.Fields(text)
		if len(words) < 4 {
			return
		}
		text = strings.Join(words, " ")
		from %= uint(len(words) - 1)
		to := min(uint(len(words)), from+1+length%40)
		q := strings.Join(words[from:to], " ")
		at := len(strings.Join(words[:1+cut%uint(len(words)-1)], " "))
		var one, two memory
		one.add(text)
		two.add(text, at)
		a, err := one.check(q)
		if err != nil {
			t.Fatal(err)
		}
		b, err := two.check(q)
		if err != nil {
			t.Fatal(err)
		}
		if confirmed(a) != confirmed(b) {
			t.Fatalf("%q: %s, over a border at %d %s", q, a.Verdict, at, b.Verdict)
		}
		letter := func(r byte) bool { return r >= 'a' && r <= 'z' }
		for i := 1; i < len(q); i++ {
			if !letter(q[i-1]) || !letter(q[i]) {
				continue
			}
			whole := fold(text)
			for _, end := range []bool{false, true} {
				part := q[i:]
				if end {
					part = q[:i]
				}
				found, _ := find(whole, fold(part))
				for _, m := range found {
					start, stop := whole.symbols[m.from].start, whole.symbols[m.to-1].end
					if start > 0 && letter(text[start-1]) && letter(text[start]) || stop < len(text) && letter(text[stop-1]) && letter(text[stop]) {
						t.Fatalf("%q stands at [%d, %d) of %q, within a word", part, start, stop, text)
					}
				}
			}
			break
		}
	})
}
