package language

import (
	"strings"
	"testing"

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
