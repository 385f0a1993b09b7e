"""Judges what learn.py learns on sites that it has not seen.

    python leftout.py [--seed N] [--folds K] [--rounds R] [--odds X] [--peers] [--save FILE] [--against FILE]
        -- PASSAGES KINDS DOCS MADE CORPUS...

The arguments are those of learn.py, without the file that it writes. The sites of the corpora
are drawn into K folds by the seed; the pages of each fold are judged by what was learnt from
the others, from KINDS and DOCS and from MADE, which is in no fold. That is done R times, with
other folds, and a page's score is the mean. --save keeps the scores by page, and --against
compares with those that were kept (of the first of the odds), page by page: ± is the standard error of the difference,
of segments by leaving out one page after the other. Pages of KINDS and DOCS are in folds too:
of them it is told on how many a passage is lost that is marked as content, or that the rules keep.
The text is that of passages, without what stands between them, and without the headline.
"""

import argparse
import collections
import json
import math
import random

import learn
import numpy as np
import readability
import trafilatura

FURNITURE = math.log(4)  # furnitureScore of pkg/extract/html/decide.go, and so on
LONG_TEXT, MOST_LOST, UNDER_HEADING = 120, 0.5, 0.8


def decide(passages, scores, furniture=FURNITURE):
    """Says of each passage whether it is kept, as decide of pkg/extract/html does."""
    s = [x if p["asked"] else 0.0 for p, x in zip(passages, scores)]
    for i, p in enumerate(passages):
        if p["role"] or s[i] < furniture or not p["heading"]:
            continue
        whole = gone = 0
        for k in range(i + 1, len(passages)):
            q = passages[k]
            if q["heading"]:
                break
            whole += q["letters"]
            gone += q["letters"] if q["role"] or s[k] >= furniture else 0
        if whole == 0 or gone < UNDER_HEADING * whole:
            s[i] = furniture - 0.0001
    for least in (LONG_TEXT, 0):
        whole = sum(p["letters"] for p in passages if not p["role"] and p["letters"] >= least)
        gone = sum(p["letters"] for p, x in zip(passages, s) if not p["role"] and p["letters"] >= least and x >= furniture)
        if whole:
            break
    spared = gone > MOST_LOST * whole
    kept = []
    for p, x in zip(passages, s):
        if p["role"]:
            kept.append(p["asked"] and x <= -FURNITURE)
        else:
            kept.append(not p["asked"] or spared or x < furniture)
    return kept


def f1(truth, found):
    truth, found = collections.Counter(truth), collections.Counter(found)
    both = sum((truth & found).values())
    return 2 * both / max(1, sum(truth.values()) + sum(found.values()))


def judge(page, text):
    """The score of an article, or how many segments are found, missing and not wanted."""
    if page["part"] == "article":
        return f1(learn.words(page["truth"].replace("\xad", "")), learn.words(text.replace("\xad", "")))
    text = learn.squeeze(text)
    found = sum(learn.squeeze(w) in text for w in page["truth"]["with"])
    return [found, len(page["truth"]["with"]) - found, sum(learn.squeeze(w) in text for w in page["truth"]["without"])]


def text_of(page, kept):
    return "\n".join(p["text"] for p, k in zip(page["passages"], kept) if k or p["headline"])


def lost(page, kept):
    """Whether a text is lost that is content; the headline is not asked about."""
    return float(any(p["y"] == 1 and not k and not p["headline"] for p, k in zip(page["passages"], kept)))


def folds_of(pages, count, draw):
    sites = sorted({p["site"] for p in pages})
    draw.shuffle(sites)
    at = {site: i % count for i, site in enumerate(sites)}
    return [at[p["site"]] for p in pages]


def run(pages, o):
    """The mean score of each page by its file: for the rules, and for the model at each of the odds."""
    odds = {"odds %g" % x: math.log(x) for x in o.odds}
    out = {name: collections.defaultdict(list) for name in ["rules", *odds]}
    judged, learnt = [p for p in pages if p["part"] != "made"], [p for p in pages if p["part"] == "made"]
    for r in range(o.rounds):
        at = folds_of(judged, o.folds, random.Random(o.seed * 1000 + r))
        for fold in range(o.folds):
            model = learn.learn(learnt + [p for p, k in zip(judged, at) if k != fold])
            for p in (p for p, k in zip(judged, at) if k == fold):
                scores = learn.predict(model, p)
                for name in out:
                    kept = decide(p["passages"], scores, odds[name]) if name in odds else decide(p["passages"], [0.0] * len(scores))
                    score = lost(p, kept) if p["part"] in ("kinds", "docs") else judge(p, text_of(p, kept))
                    out[name][p["part"], learn.key_of(p)].append(score)
    return {name: {key: np.mean(v, axis=0).tolist() for key, v in table.items()} for name, table in out.items()}


def peers(pages):
    out = {"trafilatura": {}, "readability-lxml": {}}
    for p in pages:
        if p["part"] not in ("article", "segments"):
            continue
        with open(p["file"], "rb") as f:
            raw = f.read()
        text = trafilatura.extract(raw, include_comments=False, include_tables=True) or ""
        out["trafilatura"][p["part"], learn.key_of(p)] = judge(p, text)
        try:
            text = learn.visible(readability.Document(raw.decode("utf-8", "replace")).summary(html_partial=True))
        except Exception:
            text = ""
        out["readability-lxml"][p["part"], learn.key_of(p)] = judge(p, text)
    return out


def segments_f1(rows):
    found, missing, unwanted = np.sum(rows, axis=0)
    return 2 * found / (2 * found + missing + unwanted)


def figures(table):
    """Articles' mean F1, segments' F1, missing and not wanted, pages of kinds and docs with a loss."""
    by = collections.defaultdict(list)
    for (part, _), v in sorted(table.items()):
        by[part].append(v)
    return {
        "articles": float(np.mean(by["article"])),
        "segments": float(segments_f1(by["segments"])),
        "missing": float(np.sum(by["segments"], axis=0)[1]),
        "unwanted": float(np.sum(by["segments"], axis=0)[2]),
        "kinds": float(np.sum(by["kinds"])),
        "docs": float(np.sum(by["docs"])),
    }


def difference(table, other):
    """How much better table is on the pages of both, each with its standard error."""
    keys = sorted(set(table) & set(other))
    d = np.array([table[k] - other[k] for k in keys if k[0] == "article"])
    seg = [k for k in keys if k[0] == "segments"]
    a, b = (np.array([t[k] for k in seg]) for t in (table, other))
    n = len(seg)
    whole = segments_f1(a) - segments_f1(b)
    left = np.array([segments_f1(np.delete(a, i, 0)) - segments_f1(np.delete(b, i, 0)) for i in range(n)])
    return (d.mean(), d.std(ddof=1) / math.sqrt(len(d))), (whole, math.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum()))


def show(name, table, rules):
    f = figures(table)
    line = "%-17s articles %.4f  segments %.4f (%.1f missing, %.1f unwanted)" % (name, f["articles"], f["segments"], f["missing"], f["unwanted"])
    if f["kinds"] or f["docs"]:
        line += "  pages with a loss: kinds %.1f, docs %.1f" % (f["kinds"], f["docs"])
    if rules is not None:
        line += "  difference %+.4f ± %.4f, %+.4f ± %.4f" % sum(difference(table, rules), ())
    print(line, flush=True)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--folds", type=int, default=5)
    args.add_argument("--rounds", type=int, default=3)
    args.add_argument("--odds", type=float, nargs="+", default=[math.exp(FURNITURE)], help="from where on a passage is furniture")
    args.add_argument("--peers", action="store_true")
    args.add_argument("--save")
    args.add_argument("--against")
    args.add_argument("inputs", nargs=4)
    args.add_argument("corpora", nargs="+")
    o = args.parse_args()
    pages = learn.read_all(*o.inputs, o.corpora)
    tables = run(pages, o)
    first = "odds %g" % o.odds[0]
    if o.peers:
        tables.update(peers(pages))
    for name, table in tables.items():
        show(name, table, None if name == "rules" else tables["rules"])
    if o.against:
        with open(o.against) as f:
            other = {(k[0], k[1]): v for k, v in json.load(f)}
        show("before", other, None)
        print(first + " against it: %+.4f ± %.4f, %+.4f ± %.4f" % sum(difference(tables[first], other), ()))
    if o.save:
        with open(o.save, "w") as f:
            json.dump([[k, v] for k, v in sorted(tables[first].items())], f)


if __name__ == "__main__":
    main()
