package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"time"
)

// file is a document within a container.
type file struct{ name, text string }

// minutes is an archive of an invented French council: minutes and a table of
// fees, stored as they are so that no compressor shows in the bytes.
func minutes() ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range []file{
		{"proces-verbal.html", `<!DOCTYPE html>
<html lang="fr"><head><meta charset="utf-8"><title>Procès-verbal du 4 février 2026</title></head><body><main>
<h1>Procès-verbal de la séance du 4 février 2026</h1>
<h2>Ouverture</h2>
<p>La séance est ouverte à dix-huit heures dans la salle des fêtes de Valdoro, sous la présidence de Mme Rossignol. Onze conseillers sur quinze sont présents.</p>
<h2>Tarifs de la halle</h2>
<p>Le conseil adopte à l'unanimité les nouveaux tarifs de la halle aux grains, qui s'appliquent à partir du premier avril. Les associations de la commune gardent deux journées gratuites par an.</p>
<h2>Éclairage du quai</h2>
<p>La pose de neuf lampadaires sur le quai des Tanneurs est confiée à l'entreprise Belmont pour un montant de 18 400 euros.</p>
</main></body></html>
`},
		{"annexes/tarifs-halle.csv", "Usage;Journée (euros);Caution (euros)\r\nMarché hebdomadaire;12,50;0\r\nBal ou concert;140,00;300\r\nMariage;95,00;150\r\nAssociation de la commune;30,00;50\r\n"},
	} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Store, Modified: time.Date(2026, 2, 6, 10, 30, 0, 0, time.UTC)})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write([]byte(f.text)); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// site is a web archive (WARC 1.1) of an invented Italian library: a page with
// the request for it, and a text.
func site() []byte {
	const page = `<!DOCTYPE html>
<html lang="it"><head><meta charset="utf-8"><title>Biblioteca di Valdoro: orari</title></head><body><main>
<h1>Orari della biblioteca</h1>
<p>La biblioteca comunale apre dal martedì al sabato, dalle nove alle diciotto. Il prestito dura trenta giorni e si può rinnovare due volte, anche per telefono.</p>
<p>La sala dei manoscritti si visita il primo giovedì del mese, con una guida volontaria.</p>
</main></body></html>
`
	const notice = "Avviso ai lettori\n\nDal 9 al 14 marzo 2026 la sala di lettura resta chiusa per il restauro degli scaffali.\nI libri prenotati si ritirano nell'atrio.\n"
	var out bytes.Buffer
	record := func(n int, kind, target, contentType, block string) {
		at := time.Date(2026, 3, 1, 9, 0, n, 0, time.UTC)
		fmt.Fprintf(&out, "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:5f0c2a7e-4c1d-4f7a-9b9e-00000000000%d>\r\nWARC-Date: %s\r\n", kind, n, at.Format(time.RFC3339))
		if target != "" {
			fmt.Fprintf(&out, "WARC-Target-URI: %s\r\n", target)
		}
		fmt.Fprintf(&out, "Content-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", contentType, len(block), block)
	}
	const hours = "https://biblioteca.valdoro.example/orari.html"
	record(1, "warcinfo", "", "application/warc-fields", "software: colophon documents\r\nformat: WARC File Format 1.1\r\n")
	record(2, "request", hours, "application/http;msgtype=request", "GET /orari.html HTTP/1.1\r\nHost: biblioteca.valdoro.example\r\n\r\n")
	record(3, "response", hours, "application/http;msgtype=response", fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nLast-Modified: Thu, 26 Feb 2026 08:00:00 GMT\r\nContent-Length: %d\r\n\r\n%s", len(page), page))
	record(4, "resource", "https://biblioteca.valdoro.example/avviso.txt", "text/plain; charset=utf-8", notice)
	return out.Bytes()
}
