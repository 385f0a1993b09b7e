package webset

import "strings"

// tongue is what pages of a language are written with.
type tongue struct {
	nouns, adjectives, verbs, small, months, patterns []string
	phrases                                           map[string][]string
}

// firstNames are those of writers and readers.
var firstNames = strings.Fields("Ada Bruno Clara Dario Elena Fabio Greta Hugo Ines Jonas Katia Luis Marta Nuno Olga Paul Rita Simon Tessa Vera")

// tongues are the languages, by their codes of ISO 639-1.
var tongues = map[string]*tongue{
	"en": {
		nouns:      strings.Fields("river council harbour bridge school budget farmer station market valley engine garden letter meeting report worker village summer library forest theatre doctor winter road harvest museum museum project water station kitchen"),
		adjectives: strings.Fields("old new public small quiet late narrow wooden local early broad heavy common northern empty careful"),
		verbs:      strings.Fields("opened closed moved kept found left changed joined repaired measured counted carried described refused planned"),
		small:      strings.Fields("for in after with before under beyond without"),
		months:     strings.Fields("January March May June August October December"),
		patterns: []string{
			"the A N of P V the N, and X of the N were V before the N was V.", "in P the N V a A N that no N had V.",
			"it was X years after the N of P that the A N V again.", "we V the N with a A N, although the N of the N was A.",
			"\"the N is A,\" said the N of P, \"but our N has V it.\"", "nobody V why the A N was V in the N.", "there are X N in P; most of them have V since the N.",
		},
		phrases: map[string][]string{
			"share": {"Share", "Share this", "Share on social media", "Tweet", "Send by e-mail", "Copy link", "Print"}, "more": {"Read more", "Continue reading", "More on this", "Full story"},
			"related": {"Related articles", "You may also like", "More from this section", "See also", "Recommended for you", "Most read"}, "tags": {"Tags", "Topics", "Filed under", "Categories"},
			"comments": {"Comments", "Join the discussion", "What readers say", "Leave a reply"}, "reply": {"Reply", "Report", "Like", "Log in to reply"},
			"cookies": {"We use cookies to make this site work and to count visits. You can change your choice at any time.", "This website stores data such as cookies to enable functions, and our partners measure what is read."},
			"accept":  {"Accept all", "Reject", "Settings", "I agree"}, "next": {"Next", "Next post", "Newer", "Next page"}, "previous": {"Previous", "Previous post", "Older", "Back"},
			"about": {"About the author", "Written by", "The writer"}, "subscribe": {"Sign up for our newsletter", "Subscribe", "Get our news every morning by e-mail", "Your e-mail address"},
			"search": {"Search", "Search this site"}, "skip": {"Skip to content", "Jump to navigation"}, "by": {"By", "Posted by", "From"}, "contents": {"Contents", "On this page"},
			"cart": {"Add to cart", "Buy now", "In stock", "Delivery in two days"}, "advert": {"Advertisement", "Sponsored", "Anzeige"}, "rights": {"All rights reserved", "Terms of use", "Privacy policy", "Imprint"},
		},
	},
	"fr": {
		nouns:      strings.Fields("mairie rivière école marché gare jardin lettre réunion rapport village forêt théâtre hiver route récolte musée projet cuisine fontaine place quartier séance commune colline"),
		adjectives: strings.Fields("ancienne nouvelle publique petite calme étroite locale large lourde commune vide rare haute lente"),
		verbs:      strings.Fields("ouvre ferme déplace garde trouve laisse change rejoint répare mesure compte porte décrit refuse prévoit"),
		small:      strings.Fields("pour dans après avec avant sous sans vers"), months: strings.Fields("janvier mars mai juin août octobre décembre"),
		patterns: []string{
			"la N A de P V la N, et X N sont là avant que la N ne V.", "à P, la N V une N A que nulle N ne V.", "il y a X ans que la N de P V encore une A N.",
			"« la N est A », dit la N de P, « mais notre N la V ».", "personne ne sait pourquoi la N A V dans la N.", "on compte X N à P ; la plupart V depuis la N.",
		},
		phrases: map[string][]string{
			"share": {"Partager", "Partager sur les réseaux", "Envoyer par courriel", "Imprimer", "Copier le lien"}, "more": {"Lire la suite", "En savoir plus", "Lire aussi"},
			"related": {"À lire aussi", "Sur le même sujet", "Nos autres articles", "Les plus lus", "Dans la même rubrique"}, "tags": {"Mots-clés", "Thèmes", "Rubriques"},
			"comments": {"Commentaires", "Réagir à cet article", "Vos réactions"}, "reply": {"Répondre", "Signaler", "J’aime"},
			"cookies": {"Nous utilisons des cookies pour faire fonctionner ce site et mesurer son audience. Vous pouvez changer d’avis à tout moment.", "Ce site dépose des traceurs avec votre accord, et nos partenaires mesurent ce qui est lu."},
			"accept":  {"Tout accepter", "Refuser", "Paramétrer"}, "next": {"Suivant", "Article suivant", "Page suivante"}, "previous": {"Précédent", "Article précédent", "Retour"},
			"about": {"À propos de l’auteur", "Écrit par"}, "subscribe": {"Inscrivez-vous à la lettre d’information", "S’abonner", "Votre adresse"},
			"search": {"Rechercher"}, "skip": {"Aller au contenu"}, "by": {"Par", "Publié par"}, "contents": {"Sommaire", "Sur cette page"},
			"cart": {"Ajouter au panier", "En stock", "Acheter"}, "advert": {"Publicité"}, "rights": {"Tous droits réservés", "Mentions légales", "Confidentialité"},
		},
	},
	"de": {
		nouns:      strings.Fields("Stadt Schule Brücke Straße Bibliothek Sitzung Gemeinde Werkstatt Küche Zeitung Siedlung Ernte Halle Quelle Wiese Verwaltung Ausstellung Planung Rechnung Versammlung"),
		adjectives: strings.Fields("alte neue kleine stille enge breite schwere leere frühe späte gemeinsame nördliche hölzerne"),
		verbs:      strings.Fields("öffnet schließt verlegt behält findet verlässt ändert erreicht prüft misst zählt trägt beschreibt plant"),
		small:      strings.Fields("für in nach mit vor unter ohne über"), months: strings.Fields("Januar März Mai Juni August Oktober Dezember"),
		patterns: []string{
			"die A N von P V die N, und X N kamen hinzu, bevor die N begann.", "in P V die N eine A N, die keine N kannte.", "erst X Jahre nach der N von P V die A N wieder.",
			"„die N ist A“, sagt die N aus P, „aber unsere N V sie.“", "niemand weiß, warum die A N in der N steht.", "es gibt X N in P; die meisten V seit der N.",
		},
		phrases: map[string][]string{
			"share": {"Teilen", "Artikel teilen", "Per E-Mail senden", "Drucken", "Link kopieren"}, "more": {"Weiterlesen", "Mehr dazu", "Lesen Sie auch"},
			"related": {"Das könnte Sie auch interessieren", "Mehr zum Thema", "Weitere Artikel", "Meistgelesen", "Ähnliche Beiträge"}, "tags": {"Schlagworte", "Themen", "Kategorien"},
			"comments": {"Kommentare", "Diskutieren Sie mit", "Kommentar schreiben"}, "reply": {"Antworten", "Melden", "Gefällt mir"},
			"cookies": {"Wir verwenden Cookies, damit diese Seite funktioniert und wir Besuche zählen können. Sie können Ihre Wahl jederzeit ändern.", "Diese Website speichert mit Ihrer Zustimmung Daten, und unsere Partner messen, was gelesen wird."},
			"accept":  {"Alle akzeptieren", "Ablehnen", "Einstellungen"}, "next": {"Weiter", "Nächster Beitrag", "Nächste Seite"}, "previous": {"Zurück", "Vorheriger Beitrag"},
			"about": {"Über den Autor", "Geschrieben von"}, "subscribe": {"Newsletter abonnieren", "Ihre E-Mail-Adresse", "Jeden Morgen die Nachrichten"},
			"search": {"Suche", "Suchen"}, "skip": {"Zum Inhalt springen"}, "by": {"Von", "Veröffentlicht von"}, "contents": {"Inhalt", "Auf dieser Seite"},
			"cart": {"In den Warenkorb", "Auf Lager", "Jetzt kaufen"}, "advert": {"Anzeige", "Werbung"}, "rights": {"Alle Rechte vorbehalten", "Impressum", "Datenschutz"},
		},
	},
	"pt": {
		nouns:      strings.Fields("câmara escola ponte rua feira horta carta sessão aldeia floresta colheita obra cozinha fonte praça freguesia ribeira estação oficina biblioteca"),
		adjectives: strings.Fields("antiga nova pública pequena calma estreita larga pesada comum vazia rara alta lenta"),
		verbs:      strings.Fields("abre fecha muda guarda encontra deixa altera alcança repara mede conta leva descreve recusa prevê"),
		small:      strings.Fields("para em após com antes sob sem sobre"), months: strings.Fields("janeiro março maio junho agosto outubro dezembro"),
		patterns: []string{
			"a N A de P V a N, e X N ficaram prontas antes de a N chegar.", "em P a N V uma N A que nenhuma N V.", "há X anos que a N de P V outra A N.",
			"«a N está A», diz a N de P, «mas a nossa N V tudo».", "ninguém sabe porque é que a N A V na N.", "existem X N em P; quase todas V desde a N.",
		},
		phrases: map[string][]string{
			"share": {"Partilhar", "Partilhar nas redes", "Enviar por correio", "Imprimir"}, "more": {"Ler mais", "Continuar a ler", "Saiba mais"},
			"related": {"Artigos relacionados", "Leia também", "Mais lidas", "Outras notícias"}, "tags": {"Etiquetas", "Temas", "Categorias"},
			"comments": {"Comentários", "Deixe o seu comentário"}, "reply": {"Responder", "Denunciar", "Gosto"},
			"cookies": {"Usamos cookies para que este sítio funcione e para contar visitas. Pode mudar a sua escolha a qualquer momento.", "Este sítio guarda dados com o seu acordo, e os nossos parceiros medem o que é lido."},
			"accept":  {"Aceitar tudo", "Recusar", "Definições"}, "next": {"Seguinte", "Próximo artigo"}, "previous": {"Anterior", "Artigo anterior"},
			"about": {"Sobre o autor", "Escrito por"}, "subscribe": {"Subscreva a newsletter", "O seu endereço"}, "search": {"Pesquisar"}, "skip": {"Saltar para o conteúdo"},
			"by": {"Por", "Publicado por"}, "contents": {"Índice", "Nesta página"}, "cart": {"Adicionar ao carrinho", "Em stock"}, "advert": {"Publicidade"},
			"rights": {"Todos os direitos reservados", "Termos de uso", "Privacidade"},
		},
	},
	"it": {
		nouns:      strings.Fields("scuola strada piazza lettera seduta foresta raccolta cucina fontana collina officina biblioteca stazione campagna mostra chiesa bottega valle riva festa"),
		adjectives: strings.Fields("antica nuova pubblica piccola calma stretta larga pesante comune vuota rara alta lenta"),
		verbs:      strings.Fields("apre chiude sposta conserva trova lascia cambia raggiunge ripara misura conta porta descrive rifiuta prevede"),
		small:      strings.Fields("per in dopo con prima sotto senza verso"), months: strings.Fields("gennaio marzo maggio giugno agosto ottobre dicembre"),
		patterns: []string{
			"la N A di P V la N, e X N sono arrivate prima che la N finisse.", "a P la N V una N A che nessuna N V.", "da X anni la N di P V ancora una A N.",
			"«la N è A», dice la N di P, «ma la nostra N la V».", "nessuno sa perché la N A V nella N.", "ci sono X N a P; quasi tutte V dalla N.",
		},
		phrases: map[string][]string{
			"share": {"Condividi", "Condividi sui social", "Invia per posta", "Stampa"}, "more": {"Leggi tutto", "Continua a leggere", "Leggi anche"},
			"related": {"Articoli correlati", "Potrebbe interessarti", "I più letti", "Altre notizie"}, "tags": {"Argomenti", "Etichette", "Categorie"},
			"comments": {"Commenti", "Lascia un commento"}, "reply": {"Rispondi", "Segnala", "Mi piace"},
			"cookies": {"Usiamo i cookie per far funzionare il sito e contare le visite. Puoi cambiare la tua scelta in ogni momento.", "Questo sito conserva dati con il tuo consenso, e i nostri partner misurano che cosa viene letto."},
			"accept":  {"Accetta tutto", "Rifiuta", "Impostazioni"}, "next": {"Avanti", "Articolo successivo"}, "previous": {"Indietro", "Articolo precedente"},
			"about": {"L’autore", "Scritto da"}, "subscribe": {"Iscriviti alla newsletter", "Il tuo indirizzo"}, "search": {"Cerca"}, "skip": {"Vai al contenuto"},
			"by": {"Di", "Pubblicato da"}, "contents": {"Indice", "In questa pagina"}, "cart": {"Aggiungi al carrello", "Disponibile"}, "advert": {"Pubblicità"},
			"rights": {"Tutti i diritti riservati", "Note legali", "Privacy"},
		},
	},
}
