"""Learns the model of main content and writes pkg/extract/html/content_model.go.

    python learn.py PASSAGES KINDS DOCS MADE OUT CORPUS...

PASSAGES is the built program test/cmd/passages; KINDS a folder of pages whose elements
are marked data-want and data-unwanted (testdata/kinds);
DOCS a file with paths of pages of documentation, one a line; MADE a folder that
test/cmd/webset wrote; OUT the Go file. Needs
trafilatura, readability-lxml, lxml, numpy and scikit-learn. docs/quality.md#main-content
says what was given, and what came out.
"""

import bisect
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata

import lxml.html
import numpy as np
import readability
import trafilatura
from sklearn.ensemble import HistGradientBoostingClassifier

SCALE = 10000  # of scores
LEAST_PAGES = 3  # that have a word which counts
SHORT = 80  # letters of a text whose words count
MADE_WEIGHT = 0.5  # of a passage of a made page


def letters(text):
    return "".join(c for c in unicodedata.normalize("NFKC", text).lower() if c.isalnum())


def words(text):
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).lower())


def squeeze(text):
    return re.sub(r"\s+", " ", text)


def visible(markup):
    if not markup.strip():
        return ""
    root = lxml.html.fromstring(markup)
    for e in root.xpath("//script|//style|//noscript|//template"):
        e.drop_tree()
    return " ".join(root.itertext())


class Truth:
    """A text of which a passage can be a part."""

    def __init__(self, text):
        ws = words(text)
        self.letters = letters(text)
        self.runs = {tuple(ws[i : i + 4]) for i in range(len(ws) - 3)}

    def share(self, text):
        key, ws = letters(text), words(text)
        if not key:
            return None
        if key in self.letters:
            return 1.0
        runs = [tuple(ws[i : i + 4]) for i in range(len(ws) - 3)]
        return sum(r in self.runs for r in runs) / len(runs) if runs else 0.0


def read_passages(binary, files):
    for f in files:
        made = subprocess.run([binary, f], capture_output=True, text=True)
        if made.returncode == 0 and made.stdout:
            page = json.loads(made.stdout)
            if page["passages"]:
                for s in page["passages"]:
                    s["n"] = len(letters(s["text"]))
                    s["c"] = sorted(set(s["classes"] or []))
                    s["t"] = sorted(set(s["words"] or [])) if s["n"] <= SHORT else []
                    s["h"] = sorted(set(s.get("heads") or []))
                yield page


LONG = 8  # words of a passage that is looked for by itself


def rising(anchors):
    """The heaviest run of anchors (passage, place in the truth, end, words) whose places rise."""
    best, before = [], []
    for i, a in enumerate(anchors):
        best.append(a[3])
        before.append(-1)
        for j in range(max(0, i - 400), i):
            if anchors[j][1] < a[1] and best[j] + a[3] > best[i]:
                best[i], before[i] = best[j] + a[3], j
    out, i = [], max(range(len(anchors)), key=best.__getitem__, default=-1)
    while i >= 0:
        out.append(anchors[i])
        i = before[i]
    return out[::-1]


def shares_in_order(passages, text):
    """The share of each passage that is in a text. A short one is in it only where it
    stands between those that stand around the passage: menus share words with any text."""
    truth = words(text.replace("\xad", ""))
    places = {}
    for i in range(len(truth) - 3):
        places.setdefault(tuple(truth[i : i + 4]), i)
    own = [words(s["text"].replace("\xad", "")) for s in passages]
    shares, anchors = [None] * len(own), []
    for k, ws in enumerate(own):
        runs = [tuple(ws[i : i + 4]) for i in range(len(ws) - 3)]
        hits = [places[r] for r in runs if r in places]
        if len(ws) >= LONG:
            shares[k] = len(hits) / len(runs)
            if shares[k] >= 0.5:
                anchors.append((k, hits[0], hits[-1] + 4, len(ws)))
    chain = rising(anchors)
    at = [a[0] for a in chain]
    for k, ws in enumerate(own):
        if not ws or len(ws) >= LONG:
            continue
        i = bisect.bisect_left(at, k)
        begin = chain[i - 1][2] if i > 0 else 0
        end = chain[i][1] if i < len(chain) else len(truth)
        if i == 0 and chain:
            begin = max(0, end - 40 - len(ws))
        if i == len(chain) and chain:
            end = min(len(truth), begin + 60 + len(ws))
        near = truth[max(0, begin - 1) : end + 1]
        shares[k] = float(any(near[x : x + len(ws)] == ws for x in range(len(near) - len(ws) + 1)))
    return shares


def label_articles(page):
    with open(os.path.join(os.path.dirname(page["file"]), "expected.html")) as f:
        shares = shares_in_order(page["passages"], visible(f.read()))
    for s, share in zip(page["passages"], shares):
        s["y"], s["w"] = share, 1.0
        if s["n"] < 12 and s["y"]:
            s["w"] = 0.5


def label_made(page):
    with open(page["file"][: -len("html")] + "json") as f:
        known = json.load(f)
    want, unwanted = ([letters(t) for t in known[k]] for k in ("want", "unwanted"))
    for s in page["passages"]:
        key = letters(s["text"].replace("\xad", ""))
        x, z = (sum(len(t) for t in ts if t in key) for ts in (want, unwanted))
        if not x and not z and len(key) > 8:
            x, z = (float(any(key in t for t in ts)) for ts in (want, unwanted))
        s["y"], s["w"] = (x / (x + z) if x + z else None), MADE_WEIGHT


def label_by_votes(page, segments):
    with open(page["file"], "rb") as f:
        raw = f.read()
    first = Truth(trafilatura.extract(raw, include_comments=False, include_tables=True) or "")
    try:
        second = Truth(visible(readability.Document(raw.decode("utf-8", "replace")).summary(html_partial=True)))
    except Exception:
        second = Truth("")
    for s in page["passages"]:
        x, z, text = first.share(s["text"]), second.share(s["text"]), squeeze(s["text"])
        s["w"], s["y"] = 1.0, None
        if x is None:
            continue
        s["y"] = (x + z) / 2
        if abs(x - z) >= 0.5:
            s["y"], s["w"] = x, 0.3
        if any(squeeze(w) in text for w in segments["with"]):
            s["y"], s["w"] = 1, 4
        if any(squeeze(w) in text for w in segments["without"]):
            s["y"], s["w"] = 0, 4


def marked(page):
    root = lxml.html.document_fromstring(page.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))
    out = {"data-want": set(), "data-unwanted": set()}

    def walk(n, mark):
        if not isinstance(n.tag, str):
            return
        mark = next((a for a in out if a in n.attrib), mark)
        texts = [n.text] + [c.tail for c in n]
        if mark:
            out[mark].update(letters(t) for t in texts if t and letters(t))
        for c in n:
            walk(c, mark)

    walk(root, None)
    return out["data-want"], out["data-unwanted"]


def label_by_marks(page, want, unwanted):
    for s in page["passages"]:
        key = letters(s["text"])
        x, z = (sum(len(w) for w in ws if w in key) for ws in (want, unwanted))
        s["y"], s["w"] = (None if x == z else float(x > z)), 0.7


def weigh(page):
    whole = sum(s["n"] for s in page["passages"])
    for s in page["passages"]:
        s["w"] *= (s["n"] + 15) ** 0.6 / max(1, whole) ** 0.6


SYLLABLES = {
    "": "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu",
    "ru:": "ба ве ги до жу за ке ли мо ну па ре си то фу ха це чи шо ю",
    "ja:": "あ き す て の は み ゆ れ ん 山 川 町 橋 市 水 木 日 月 年",
    "ar:": "با تو ثي جا حو خي دا رو سي شا صو طي عا فو قي كا لو مي نا هو",
}


def fill(template):
    """Replaces {120} by 120 characters of words, as fill of pkg/extract/html/kinds_test.go does."""
    seed = 1

    def made(m):
        nonlocal seed
        script, n, out, count, word = m.group(1) or "", int(m.group(2)), "", 0, 0
        while count < n:
            seed = (seed * 1664525 + 1013904223) % 2**32
            part = SYLLABLES[script].split()[(seed >> 16) % 20]
            out, count, word = out + part, count + len(part), word + 1
            if script != "ja:" and word > (seed >> 24) % 3 + 1 and count < n:
                out, count, word = out + " ", count + 1, 0
        return out

    return re.sub(r"\{([a-z]{2}:)?(\d+)\}", made, template)


def site_of(file, name):
    """The site that a page says it is of, by its canonical address; else its name without numbers."""
    with open(file, "rb") as f:
        head = f.read(200000).decode("latin-1")
    for tag in re.findall(r"<(?:link|meta)\b[^>]*>", head):
        if re.search(r"canonical|og:url", tag):
            host = re.search(r"https?://(?:www\.)?([\w.-]+)", tag)
            if host:
                return ".".join(host.group(1).lower().split(".")[-2:])
    return re.sub(r"[-.]?\d*(\.html)?$", "", name).split("-")[0]


def key_of(page):
    """The name of a page that is the same in every folder."""
    return "/".join(page["file"].split("/")[-2:]) if page["part"] == "article" else os.path.basename(page["file"])


def note(page, part, site):
    page["part"], page["site"] = part, site
    return page


def read_all(binary, kinds, docs, made, corpora):
    """All pages with labels. Their part is article, segments, kinds, docs or made; those of the
    first two have what they are judged by (truth)."""
    pages = []
    for corpus in corpora:
        for p in read_passages(binary, sorted(glob.glob(corpus + "/html/readability/*/source.html"))):
            label_articles(p)
            with open(os.path.join(os.path.dirname(p["file"]), "expected.html")) as f:
                p["truth"] = visible(f.read())
            pages.append(note(p, "article", site_of(p["file"], os.path.basename(os.path.dirname(p["file"])))))
        with open(corpus + "/html/trafilatura/evaldata.json") as f:
            segments = {v["file"]: v for v in json.load(f).values()}
        for p in read_passages(binary, [corpus + "/html/trafilatura/" + f for f in sorted(segments)]):
            p["truth"] = segments[os.path.basename(p["file"])]
            label_by_votes(p, p["truth"])
            pages.append(note(p, "segments", site_of(p["file"], os.path.basename(p["file"]))))
    with tempfile.TemporaryDirectory() as dir:
        for file in sorted(glob.glob(kinds + "/*.html")):
            bare = os.path.join(dir, os.path.basename(file))
            with open(file) as f, open(bare, "w") as g:
                page = fill(f.read())
                g.write(re.sub(r" data-(un)?want(ed)?(=\"[^\"]*\")?", "", page))
            for p in read_passages(binary, [bare]):
                label_by_marks(p, *marked(page))
                pages.append(note(p, "kinds", os.path.basename(file)))
    with open(docs) as f:
        for p in read_passages(binary, f.read().split()):
            for s in p["passages"]:
                s["y"], s["w"] = float(s["role"] == ""), 0.3
            pages.append(note(p, "docs", p["file"]))
    for p in read_passages(binary, sorted(glob.glob(made + "/*.html"))):
        label_made(p)
        pages.append(note(p, "made", p["file"]))
    for p in pages:
        weigh(p)
    return pages


def count_words(pages, field):
    """Sums the share of furniture of each word by page, and how many pages have it."""
    sums = collections.defaultdict(lambda: [0.0, 0])
    for p in pages:
        own = collections.defaultdict(lambda: [0.0, 0.0])
        for s in p["passages"]:
            if s["y"] is not None:
                for w in s[field]:
                    own[w][0] += (s["n"] + 10) * (1 - s["y"])
                    own[w][1] += s["n"] + 10
        p["own_" + field] = {w: a / b for w, (a, b) in own.items()}
        for w, share in p["own_" + field].items():
            sums[w][0] += share
            sums[w][1] += 1
    return sums


def word_score(share, pages):
    q = (share + 0.75) / (pages + 1.5)
    return int(round(100 * np.log(q / (1 - q))))


def word_features(page, passage, field, sums):
    """The scores of a passage's words, learnt from the other pages alone; a page that was not
    learnt from has no words of its own. Words of headings (h) are scored as those of texts."""
    found, seen = [0], page.get("own_t" if field == "h" else "own_" + field, {})
    for w in passage[field]:
        if w not in sums:
            continue
        own = 1 if w in seen else 0
        share, pages = sums[w][0] - seen.get(w, 0), sums[w][1] - own
        if pages >= LEAST_PAGES - own:
            found.append(word_score(share, pages))
    return [max(found), min(found), max(-2000, min(2000, sum(found)))]


def inputs(page, passage, sums):
    """What the trees are given of a passage."""
    return passage["features"] + word_features(page, passage, "c", sums[0]) + word_features(page, passage, "t", sums[1]) + word_features(page, passage, "h", sums[1])


def learn(pages):
    sums = [count_words(pages, f) for f in "ct"]
    x, y, w = [], [], []
    for p in pages:
        for s in p["passages"]:
            if s["y"] is None or s["headline"]:
                continue
            x.append(inputs(p, s, sums))
            y.append(int(s["y"] < 0.5))
            w.append(s["w"] * (1 if s["role"] == "" else 0.3))
    model = HistGradientBoostingClassifier(
        max_iter=160, learning_rate=0.05, max_leaf_nodes=8, min_samples_leaf=25, l2_regularization=5, max_features=0.2,
        early_stopping=False, random_state=1,
    )
    return sums, model.fit(np.array(x, dtype=np.float32), y, sample_weight=np.array(w) / np.mean(w))


def predict(learnt, page):
    """The scores of the passages of a page that was not learnt from: logarithms of odds."""
    sums, model = learnt
    strange = dict(page, own_c={}, own_t={})
    return model.decision_function(np.array([inputs(strange, s, sums) for s in page["passages"]], dtype=np.float32))


def write(sums, model, path):
    out = ["// Code generated by test/quality/content/learn.py. DO NOT EDIT.", "", "package html", ""]
    out.append("const contentBase = %d\n" % round(float(model._baseline_prediction.ravel()[0]) * SCALE))
    for name, table in zip(("classScores", "textScores"), sums):
        rows = sorted((w, word_score(*e)) for w, e in table.items() if e[1] >= LEAST_PAGES and word_score(*e))
        out.append("var %s = map[string]int32{" % name)
        for i in range(0, len(rows), 24):
            out.append("\t" + " ".join("%s: %d," % (json.dumps(w, ensure_ascii=False), v) for w, v in rows[i : i + 24]))
        out.append("}\n")
    out.append("var contentTrees = [][]split{")
    for (tree,) in model._predictors:
        nodes = [
            "{-1, 0, 0, %d}" % round(float(n["value"]) * SCALE)
            if n["is_leaf"]
            else "{%d, %d, %d, %d}" % (n["feature_idx"], n["left"], n["right"], int(np.floor(n["num_threshold"])))
            for n in tree.nodes
        ]
        out.append("\t{" + ", ".join(nodes) + "},")
    with open(path, "w") as f:
        f.write("\n".join(out + ["}"]) + "\n")


def main():
    binary, kinds, docs, made, out, *corpora = sys.argv[1:]
    write(*learn(read_all(binary, kinds, docs, made, corpora)), out)


if __name__ == "__main__":
    main()
