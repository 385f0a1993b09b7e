package html

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

const (
	// maxAnnouncement is how many characters a line that announces furniture has.
	maxAnnouncement = 60
	// leastSaid is how much text stands before what is announced: a page that
	// begins with its comments is about them.
	leastSaid = 200
	// maxExcerpt is how many characters of another page stand beside its link.
	maxExcerpt = 250
)

// announced are the lines that announce comments or other pages, as letters in
// lower case. "See also" is none of them: it announces what belongs to the page.
var announced = phrases(map[string]string{
	roleComments: `comment comments leaveacomment leaveareply postacomment addacomment writeacomment jointhediscussion jointheconversation
		kommentar kommentare keinekommentare kommentarschreiben kommentareschreiben kommentarverfassen schreibeeinenkommentar
		schreibedeinenkommentar schreibensieeinenkommentar hinterlasseeinenkommentar hinterlasseeineantwort ihrkommentar deinkommentar
		commentaire commentaires laisseruncommentaire laisserunereponse laisseruneréponse ajouteruncommentaire votrecommentaire réagir
		comentario comentarios dejauncomentario dejarunarespuesta dejarespuesta comentário comentários deixeumcomentário deixeumaresposta
		deixeseucomentário commento commenti lasciauncommento lasciaunarisposta comentariu comentarii lasăuncomentariu lasăunrăspuns reacties
		geefeenreactie komentarze dodajkomentarz komentáře kommentarer kommentit yorumlar hozzászólások комментарии σχόλια コメント 评论 youranswer`,
	roleRelated: `related relatedposts relatedarticles relatedstories relatednews relatedcontent relatedreading youmayalsolike youmightalsolike
		youmayalsobeinterestedin recommended recommendedforyou recommendedreading morestories morearticles morenews moreonthistopic moreonthisstory
		readmore readnext readalso alsoread latestnews latestposts recentposts mostread mostpopular popularposts trending trendingnow sharethis
		sharethisarticle ähnlichebeiträge ähnlicheartikel ähnlichethemen verwandteartikel verwandtebeiträge verwandtethemen weitereartikel
		weiterebeiträge weiteremeldungen weiterenachrichten weiterethemen mehrzumthema mehrzudiesemthema mehrzuthema auchinteressant
		daskönntesieauchinteressieren daskönntedichauchinteressieren daskönntedirauchgefallen daskönntedirgefallen daskönnteihnengefallen
		lesensieauch lesensieauchdazu leseauch lesetipps meistgelesen meistgelesene neuestebeiträge neuesteartikel aktuellebeiträge
		diesenbeitragteilen beitragteilen artikelteilen articlessimilaires articlesliés articlesassociés articlesrécents articlesconnexes àlireaussi
		lireaussi àlire surlemêmesujet surlemêmethème danslamêmerubrique vousaimerezaussi vousaimerezpeutêtre celapourraitvousintéresser
		celapeutvousintéresser lespluslus partagercetarticle artículosrelacionados noticiasrelacionadas entradasrelacionadas tambiéntepuedeinteresar
		tepuedeinteresar lomásleído masnoticias artigosrelacionados notíciasrelacionadas postsrelacionados leiatambém leiamais maislidas
		vocêtambémpodegostar vejatambémnosite articolicorrelati articolisimili leggianche potrebbeinteressartianche tipotrebbeinteressare piùletti
		ultimenotizie articolesimilare citeșteși articoleasemănătoare similartopics similararticles similarposts similarstories similarjobs
		morelikethis leesook gerelateerdeartikelen meestgelezen läsockså mestläst flernyheter læsogså lesogså mestlæst mestlest luemyös
		polecamy polecamyrównież czytajtakże czytajrównież powiązaneartykuły čtěttaké souvisejícíčlánky ilgiliyazılar ilgilihaberler kapcsolódócikkek
		relateditems relatedlinks relatedtopics relatedvideos relatedproducts relatedrecipes storytools fromourpartners fromtheweb aroundtheweb
		similarproducts similarrecipes otherrecipesyoumayenjoy recommendedproducts ähnlicheprodukte ähnlicherezepte weitererezepte produitssimilaires
		recettessimilaires productosrelacionados recetasrelacionadas produtosrelacionados receitasrelacionadas prodotticorrelati ricettecorrelate
		lomásvisto otrasnoticias powiązaneprzepisy podobneprzepisy
		читайтетакже похожиестатьи σχετικάάρθρα διαβάστεακόμα 関連記事 相关文章`,
})

// announcedFrom are those that the name of a site or of a part of it follows.
var announcedFrom = []string{"morefrom", "morein", "moreby", "latestfrom", "latestin", "thelateston", "thelatestfrom", "mehraus", "mehrvon", "meervan"}

// announcedBefore are those that a title follows: "3 thoughts on ...".
var announcedBefore = []string{"thoughtson", "thoughton", "commentson", "commenton", "responsesto", "gedankenzu", "gedankezu", "kommentarezu", "kommentarzu",
	"antwortenauf", "commentairessur", "commentairesur", "réflexionssur", "réflexionsur", "comentariosen", "comentáriosem", "commentisu"}

func phrases(byRole map[string]string) map[string]string {
	out := map[string]string{}
	for role, all := range byRole {
		for phrase := range strings.FieldsSeq(all) {
			out[lettersOf(phrase)] = role
		}
	}
	return out
}

// announces returns the role of what a line announces, "" for none. counted: it
// says how many there are.
func announces(n *node) (role string, counted bool) {
	if !heading(n) && (n.holds || !n.block) || n.letters == 0 || n.letters > maxAnnouncement+longTitle {
		return "", false
	}
	text := strings.TrimSpace(hiddenText(n))
	counted = text != "" && unicode.IsDigit(rune(text[0]))
	key := lettersOf(text)
	if n.letters <= maxAnnouncement {
		if role := announced[key]; role != "" {
			return role, counted
		}
		if slices.ContainsFunc(announcedFrom, func(phrase string) bool { return strings.HasPrefix(key, phrase) }) {
			return roleRelated, counted
		}
	}
	for _, phrase := range announcedBefore {
		if counted && strings.HasPrefix(key, phrase) {
			return roleComments, true
		}
	}
	return "", false
}

// longTitle is how many characters the title in such a line may have.
const longTitle = 150

// announce gives a role to what a line of the page announces as comments or
// other pages, and to the line. said counts the characters of text before it.
func (j *judgement) announce(n *node, said *int32) {
	for _, k := range n.kids {
		if _, ok := j.roles[k]; ok || k.Type != html.ElementNode || k.hidden || k.letters == 0 {
			continue
		}
		if !j.heads(k) && *said >= leastSaid {
			if role, counted := announces(k); role != "" {
				j.follow(k, role, counted)
				continue
			}
		}
		if k.holds {
			j.announce(k, said)
		} else if !heading(k) {
			*said += k.letters - k.linked
		}
	}
}

// follow gives a role to the line head and to what it announces, up to the next
// such line, when that looks like it: comments have fields to fill in, or are
// counted, other pages are links. Where nothing follows in the element of the
// line, what follows that element is meant.
func (j *judgement) follow(head *node, role string, counted bool) {
	for silent(after(head)) && head.parent != j.body && head.parent.letters == head.letters {
		head = head.parent
	}
	if role == roleComments && !counted && head.behind == 0 {
		return
	}
	found, letters, before := []*node{head}, int32(0), head
	for _, k := range after(head) {
		if k.letters == 0 || k.hidden {
			continue
		}
		if heading(k) && heading(head) && k.Data <= head.Data || role == roleRelated && !otherPage(k, before) {
			break
		}
		if next, _ := announces(k); next != "" {
			break
		}
		found, before = append(found, k), k
		if letters += k.letters; role == roleRelated && float64(letters) > tooLarge*float64(j.total) {
			return
		}
	}
	if role == roleRelated && letters == 0 {
		return
	}
	for _, k := range found {
		if _, ok := j.roles[k]; !ok && !j.heads(k) {
			j.roles[k] = role
		}
	}
}

// otherPage reports whether an element leads to other pages, or is the excerpt
// of one behind its link.
func otherPage(n, before *node) bool {
	if n.linked == 0 {
		return n.letters <= maxExcerpt && !before.holds && before.linked > 0 && 2*before.linked >= before.letters
	}
	return 4*n.linked >= n.letters || n.leading > 0
}

// silent reports whether nothing is shown by the nodes.
func silent(nodes []*node) bool {
	for _, n := range nodes {
		if n.letters > 0 && !n.hidden {
			return false
		}
	}
	return true
}

// after returns what follows an element in its parent.
func after(n *node) []*node { return n.parent.kids[n.at+1:] }
