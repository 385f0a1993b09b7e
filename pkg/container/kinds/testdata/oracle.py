"""Makes containers, and says what is in them by other programs than ours: Python's zipfile,
tarfile and gzip, and warcio. oracle.py DIR SEED writes the files into DIR and prints a line
of JSON for each: its name, its members in order, as [path, sha256 of the bytes], and whether
it can be read to its end. In place of a hash stands "unreadable" for a member that is torn,
encrypted or no file, "elsewhere" for a revisit whose payload is not in the archive. Members
that are containers follow, as outer!/path."""

import base64, gzip, hashlib, io, json, random, sys, tarfile, zipfile, zlib

from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import ChunkedDataReader
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

folder, rng = sys.argv[1], random.Random(int(sys.argv[2]))


# Names, as docs/containers.md says.


def path_of(name, seen):
    out = []
    for i, part in enumerate(name.split(b"/")):
        if i:
            out.append("%2F" if not name.split(b"/")[i - 1] else "/")
        if part in (b".", b".."):
            out.append("%2E" * len(part))
            continue
        for c in part:
            plain = chr(c).isascii() and (chr(c).isalnum() or chr(c) in "-._")
            out.append(chr(c) if plain else "%%%02X" % c)
    path = "".join(out)
    if len(path) > 600:
        digest = base64.b32encode(hashlib.sha256(path.encode()).digest()).decode().lower()
        path = path[:600] + "~" + digest[:26]
    seen[path] = seen.get(path, 0) + 1
    return path if seen[path] == 1 else "%s~%d" % (path, seen[path])


def sha(data):
    return hashlib.sha256(data).hexdigest()


# What each kind holds, as other programs read it: [(path, bytes or a word)], and whether all could be read.


def of_zip(data):
    seen, members = {}, []
    try:
        z = zipfile.ZipFile(io.BytesIO(data))
    except zipfile.BadZipFile:
        return [], False
    for i in z.infolist():
        if i.is_dir():
            continue
        try:
            content = z.read(i)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error):
            content = "unreadable"
        members.append((path_of(i.orig_filename.encode(), seen), content))
    return members, True


def of_tar(data):
    seen, members, t = {}, [], tarfile.open(fileobj=io.BytesIO(data), mode="r:")
    while True:
        try:
            i = t.next()
        except tarfile.ReadError:
            return members, False
        if i is None:
            return members, True
        if i.isdir():
            continue
        path = path_of(i.name.encode("utf-8", "surrogateescape"), seen)
        whole = i.isreg() and i.offset_data + i.size <= len(data)
        members.append((path, data[i.offset_data : i.offset_data + i.size] if whole else "unreadable"))
        if i.isreg() and not whole:
            return members, False


def of_gzip(data, name):
    try:
        content = gzip.decompress(data)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        content = "unreadable"
    if content != "unreadable" and content[257:262] == b"ustar":
        return of_tar(content)
    return [(path_of(name.removesuffix(".gz").encode(), {}), content)], True


def of_warc(data, place=lambda offset: offset):
    """place maps the offset in data to that in the file that was made of it."""
    records, it = [], ArchiveIterator(io.BytesIO(data))
    for r in it:
        answers = r.http_headers and r.rec_type in ("response", "revisit")
        status = int(r.http_headers.get_statuscode()) if answers else 0
        body = r.raw_stream
        if r.http_headers and "chunked" in (r.http_headers.get_header("Transfer-Encoding") or ""):
            body = ChunkedDataReader(r.raw_stream, decomp_type=None)
        content = b"".join(iter(body.read, b""))
        offset = it.get_record_offset()  # which goes to the record's end
        records.append((place(offset), r.rec_type, r.rec_headers.get_header, status, content))
    by_id, by_date, members = {}, {}, []
    for _, kind, field, status, body in records:
        if kind in ("response", "resource", "conversion"):
            by_id.setdefault(field("WARC-Record-ID"), (status, body))
            by_date.setdefault((field("WARC-Target-URI"), field("WARC-Date")), (status, body))
    for at, kind, field, status, body in records:
        if kind == "revisit":
            if field("WARC-Refers-To"):
                found = by_id.get(field("WARC-Refers-To"))
            else:
                found = by_date.get((field("WARC-Refers-To-Target-URI"), field("WARC-Refers-To-Date")))
            if found is None:
                members.append(("@%s" % at, "elsewhere"))
                continue
            own = status if status and status != 304 else found[0]
            status, body = own, found[1]
        elif kind not in ("response", "resource", "conversion"):
            continue
        scheme = field("WARC-Target-URI").split(":")[0]
        if not 300 <= status < 400 and scheme not in ("dns", "metadata"):
            members.append(("@%s" % at, body))
    return members, True


def tell(name, data, held):
    members, whole = held
    with open(folder + "/" + name, "wb") as f:
        f.write(data)
    lines = [[p, c if isinstance(c, str) else sha(c)] for p, c in members]
    for p, c in members:  # containers within it
        inner = None
        if not isinstance(c, str) and p.endswith(".zip"):
            inner = of_zip(c)[0]
        elif not isinstance(c, str) and p.endswith(".gz"):
            inner = of_gzip(c, p.split("/")[-1])[0]
        elif not isinstance(c, str) and p.endswith(".warc"):
            inner = of_warc(c)[0]
        for q, d in inner or ():
            lines.append([p + "!/" + q, d if isinstance(d, str) else sha(d)])
    print(json.dumps({"file": name, "members": lines, "whole": whole}))


# What is made.


def some_bytes():
    n = rng.choice([0, 1, 100, 5000, 70000])
    return rng.randbytes(n) if rng.random() < 0.5 else (b"ligne %d\n" % rng.randrange(9)) * (n // 8)


def names():
    pool = ["a.txt", "a.txt", "dir/b.html", "../c", "/etc/d", "a//b", "x/./y", "é à.txt", "100%.md", "a~2", "k" * 700, "tab\tname"]
    return [rng.choice(pool) for _ in range(rng.randrange(1, 12))]


def make_zip(files):
    b = io.BytesIO()
    with zipfile.ZipFile(b, "w") as z:
        for name, data in files:
            i = zipfile.ZipInfo("x", (2026, 3, 1, 0, 0, 0))
            i.filename = i.orig_filename = name
            i.compress_type = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
            z.writestr(i, data)
    return b.getvalue()


def make_tar(files, form):
    b = io.BytesIO()
    with tarfile.open(fileobj=b, mode="w", format=form) as t:
        for name, data in files:
            i = tarfile.TarInfo(name)
            i.size = len(data)
            t.addfile(i, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        t.addfile(link)
        t.addfile(folder_entry())
    return b.getvalue()


def folder_entry():
    i = tarfile.TarInfo("folder")
    i.type = tarfile.DIRTYPE
    return i


def make_warc(compressed):
    """Returns the archive and where each of its records begins."""
    b, places = io.BytesIO(), []
    w = WARCWriter(b, gzip=compressed, warc_version=rng.choice(["1.0", "1.1"]))
    date = lambda n: "2026-03-01T10:%02d:00Z" % n
    ident = lambda n: "<urn:uuid:00000000-0000-4000-8000-%012d>" % n
    url = lambda n: "https://example.org/%d" % n

    def write(record):
        places.append(b.tell())
        w.write_record(record)

    def http(status, *fields):
        return StatusAndHeaders(status, [("Content-Type", "text/html"), *fields], protocol="HTTP/1.1")

    def response(n):
        body, fields, status = some_bytes(), [], rng.choice(["200 OK", "200 OK", "200 OK", "302 Found", "404 Not Found"])
        if rng.random() < 0.3:
            body, fields = gzip.compress(body, mtime=0), [("Content-Encoding", "gzip")]
        if rng.random() < 0.3:
            size = max(1, len(body) // 3)
            parts = [body[i : i + size] for i in range(0, len(body), size)] + [b""]
            body = b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in parts)
            fields = fields + [("Transfer-Encoding", "chunked")]
        return w.create_warc_record(url(n), "response", payload=io.BytesIO(body), http_headers=http(status, *fields),
                                    warc_headers_dict={"WARC-Record-ID": ident(n), "WARC-Date": date(n)})

    def revisit(n, other):
        r = w.create_revisit_record(url(n), digest="sha1:" + "A" * 32, refers_to_uri=url(other), refers_to_date=date(other),
                                    http_headers=rng.choice([None, http("200 OK"), http("304 Not Modified")]),
                                    warc_headers_dict={"WARC-Record-ID": ident(n), "WARC-Date": date(n)})
        if rng.random() < 0.5:
            r.rec_headers.replace_header("WARC-Refers-To", ident(other))
        return r

    write(w.create_warcinfo_record("made.warc", {"software": "oracle"}))
    count = rng.randrange(3, 14)
    for n in range(count):
        chance = rng.random()
        if chance < 0.4:
            write(revisit(n, rng.randrange(count + 2)))
        elif chance < 0.5:
            write(w.create_warc_record(rng.choice([url(n), "dns:example.org", "urn:x:%d" % n]), "resource", payload=io.BytesIO(some_bytes()),
                                       warc_content_type="text/plain", warc_headers_dict={"WARC-Record-ID": ident(n), "WARC-Date": date(n)}))
        else:
            head = StatusAndHeaders("GET / HTTP/1.1", [("Host", "example.org")], is_http_request=True)
            request = w.create_warc_record(url(n), "request", http_headers=head, warc_headers_dict={"WARC-Date": date(n)})
            pair = [response(n), request]
            rng.shuffle(pair)
            for r in pair:
                write(r)
    return b.getvalue(), places


for n in range(4):
    z = make_zip([(name, some_bytes()) for name in names()])
    tell("z%d.zip" % n, z, of_zip(z))
    t = make_tar([(name, some_bytes()) for name in names()], [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT][n % 2])
    tell("t%d.tar" % n, t, of_tar(t))
    tell("t%d.tar.gz" % n, gzip.compress(t, mtime=0), of_tar(t))
    g = gzip.compress(some_bytes(), mtime=0) + gzip.compress(some_bytes(), mtime=0)
    tell("g%d.gz" % n, g, of_gzip(g, "g%d.gz" % n))
    plain, places = make_warc(False)
    tell("w%d.warc" % n, plain, of_warc(plain))
    packed, _ = make_warc(True)
    tell("w%d.warc.gz" % n, packed, of_warc(packed))
    tell("whole%d.warc.gz" % n, gzip.compress(plain, mtime=0), of_warc(plain, lambda at: "0" if at == 0 else "0+%d" % at))
    nested = make_zip([("in.zip", z), ("in.tar.gz", gzip.compress(t, mtime=0)), ("in.gz", g), ("in.warc", plain), ("a.txt", b"Un.")])
    tell("n%d.zip" % n, nested, of_zip(nested))

    # Damaged ones: a flipped bit of a member that is stored, what is encrypted, ends that are
    # missing, and junk between the records of an archive, behind which it goes on.
    stored = bytearray(make_zip([("a.txt", b"Un."), ("b.txt", b"Deux.")]))
    directory = stored.rfind(b"PK\x01\x02")
    stored[directory + 8] |= 1
    tell("encrypted%d.zip" % n, bytes(stored), of_zip(bytes(stored)))
    flipped = bytearray(z)
    info = zipfile.ZipFile(io.BytesIO(z)).infolist()[-1]
    if info.compress_type == zipfile.ZIP_STORED and info.file_size:
        flipped[info.header_offset + 30 + len(info.orig_filename.encode())] ^= 1
    tell("flipped%d.zip" % n, bytes(flipped), of_zip(bytes(flipped)))
    tell("torn%d.zip" % n, z[: len(z) // 2], ([], False))
    cut = make_tar([("one.txt", b"Un."), ("two.txt", rng.randbytes(3000))], tarfile.PAX_FORMAT)[:3000]
    tell("torn%d.tar" % n, cut, of_tar(cut))
    tell("torn%d.gz" % n, g[: len(g) - 9], of_gzip(g[: len(g) - 9], "torn%d.gz" % n))
    at = rng.choice(places[1:])
    junk = b"rubbish that is no record\r\n"
    tell("junk%d.warc" % n, plain[:at] + junk + plain[at:], of_warc(plain, lambda offset: offset if offset < at else offset + len(junk)))
