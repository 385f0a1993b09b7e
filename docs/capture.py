"""Hands a file over to Colophon and prints what became of it: capture.py nats://HOST:PORT SOURCE FILE [REQUEST_ID [http://GATEWAY]]
Exit status: 0 captured, 3 rejected or failed, 1 not known: send it again, with the same request_id."""
import base64, datetime, hashlib, json, os, queue, socket, sys, threading, time, urllib.parse, urllib.request, uuid

def listen(bus, lines, heard):
    """Puts what the bus says into a queue, and None when it has gone away."""
    try:
        for line in lines:
            word, *rest = line.split()
            if word == b"PING":
                bus.sendall(b"PONG\r\n")
            elif word == b"-ERR":
                heard.put({"error": {"description": line.decode()}})
            elif word in (b"MSG", b"HMSG"):  # subject, subscription, …, [length of the headers], length of all
                heard.put(json.loads(lines.read(int(rest[-1]) + 2)[int(rest[-2]) if word == b"HMSG" else 0:]))
    except OSError:
        pass
    heard.put(None)

def ask(gateway, asked, content):
    """Returns the outcome that the gateway knows of what was asked, with this content, or None."""
    try:
        name = urllib.parse.quote(asked["request_id"], safe="").replace(".", "%2E")
        with urllib.request.urlopen(f"{gateway}/v1/requests/{asked['source_id']}/{name}", timeout=10) as answer:
            known = json.load(answer)
    except (OSError, ValueError):  # 404: not recorded, or not yet; or there is no gateway, which the bus can do without
        return None
    kept = dict(known["request"])  # the first of this id, which may be another: then the capturer says what is wrong
    same = (kept.pop("object", None) or {}).get("key") == hashlib.sha256(content).hexdigest() and kept == asked
    return known if same and not known["pending"] and known.get("reason") not in ("source_unknown", "source_disabled") else None

def main(server, source, path, request="", gateway=""):
    request, kind = request or str(uuid.uuid4()), "colophon.capture.requested.v1"
    content = open(path, "rb").read()  # at most 512 KiB; what is larger goes through the inbox
    changed = datetime.datetime.fromtimestamp(os.path.getmtime(path), datetime.timezone.utc)  # the same when it is sent again
    asked = {"request_id": request, "source_id": source, "url": "file:///" + urllib.parse.quote(os.path.basename(path)),
             "retrieved_at": changed.strftime("%Y-%m-%dT%H:%M:%S.%f").rstrip("0").rstrip(".") + "Z"}  # as the gateway writes it
    body = json.dumps({**asked, "inline": {"content_base64": base64.b64encode(content).decode()}}).encode()
    address, until, heard, reply = urllib.parse.urlparse(server), time.time() + 120, queue.Queue(), f"_INBOX.crawler-{source}.{uuid.uuid4()}"
    bus = socket.create_connection((address.hostname, address.port or 4222), timeout=120)
    bus.settimeout(None)
    lines = bus.makefile("rb")
    lines.readline()  # INFO
    bus.sendall(b'CONNECT {"verbose":false,"headers":true}\r\n' + f"SUB {reply} 1\r\nSUB colophon.capture.completed.{source} 2\r\n".encode())
    threading.Thread(target=listen, args=(bus, lines, heard), daemon=True).start()
    def send(mark=""):
        now = datetime.datetime.now(datetime.timezone.utc).isoformat()
        head = "\r\n".join(["NATS/1.0", "ce-specversion: 1.0", f"ce-id: {kind}:{source}/{request}", "ce-source: /capture.py", f"ce-type: {kind}",
                            f"ce-time: {now}", "content-type: application/json", f"Nats-Msg-Id: {source}/{request}{mark}", "", ""]).encode()
        bus.sendall(f"HPUB colophon.capture.requested.{source} {reply} {len(head)} {len(head) + len(body)}\r\n".encode() + head + body + b"\r\n")
    send()
    while time.time() < until:
        try:
            message = heard.get(timeout=15)
        except queue.Empty:
            message = {"duplicate": True}  # nothing is heard: the outcome may have been told before
        if message is None:
            sys.exit(f"the bus has gone away: send it again with the same request_id, {request}")
        if "error" in message:  # the queue is full, say: nothing was accepted, send it again later
            sys.exit("refused: " + message["error"]["description"])
        if message.get("duplicate"):  # the bus had this Nats-Msg-Id before, and tells nobody: ask, else say it under another
            message = ask(gateway, asked, content) or send(f";r{time.time_ns()}") or {}
        if message.get("request_id") == request:
            print(json.dumps(message))  # stored, unchanged, duplicate, rejected or failed
            sys.exit(3 if message["outcome"] in ("rejected", "failed") else 0)
    sys.exit(f"no outcome yet: ask /v1/requests/{source}/{request} of the gateway, or send it again with the same request_id")
if not 4 <= len(sys.argv) <= 6:
    sys.exit(__doc__)
try:
    main(*sys.argv[1:])
except (FileNotFoundError, IsADirectoryError, PermissionError) as problem:
    sys.exit(str(problem))
except (OSError, ValueError) as problem:
    sys.exit(f"{problem}: send it again with the same request_id")
