"""Hands a file over to Colophon and prints what became of it: capture.py nats://HOST:PORT SOURCE FILE
Exit status: 0 captured, 3 rejected or failed, 1 not known: send it again."""
import base64, datetime, json, os, socket, sys, time, urllib.parse, uuid

def main(server, source, path):
    request, now = str(uuid.uuid4()), datetime.datetime.now(datetime.timezone.utc).isoformat()
    kind, asked, told = "colophon.capture.requested.v1", f"colophon.capture.requested.{source}", f"colophon.capture.completed.{source}"
    content = base64.b64encode(open(path, "rb").read()).decode()  # at most 512 KiB; what is larger goes through the inbox
    body = json.dumps({"request_id": request, "source_id": source, "url": "file:///" + urllib.parse.quote(os.path.basename(path)),
                       "inline": {"content_base64": content}, "retrieved_at": now}).encode()
    head = "\r\n".join(["NATS/1.0", "ce-specversion: 1.0", f"ce-id: {kind}:{source}/{request}", "ce-source: /capture.py", f"ce-type: {kind}",
                        f"ce-time: {now}", "content-type: application/json", f"Nats-Msg-Id: {source}/{request}", "", ""]).encode()
    address, until = urllib.parse.urlparse(server), time.time() + 120
    bus = socket.create_connection((address.hostname, address.port or 4222), timeout=120)
    lines = bus.makefile("rb")
    lines.readline()  # INFO
    bus.sendall(b'CONNECT {"verbose":false,"headers":true}\r\n' + f"SUB _INBOX.{request} 1\r\nSUB {told} 2\r\n".encode()
                + f"HPUB {asked} _INBOX.{request} {len(head)} {len(head) + len(body)}\r\n".encode() + head + body + b"\r\n")
    for line in lines:
        word, *rest = line.split()
        if word == b"PING":
            bus.sendall(b"PONG\r\n") if time.time() < until else sys.exit("no outcome yet: send it again, with the same request_id")
        elif word == b"-ERR":
            sys.exit(line.decode())
        elif word in (b"MSG", b"HMSG"):  # subject, subscription, …, [length of the headers], length of all
            message = json.loads(lines.read(int(rest[-1]) + 2)[int(rest[-2]) if word == b"HMSG" else 0:])
            if "error" in message:  # the queue is full, say: nothing was accepted, send it again later
                sys.exit("refused: " + message["error"]["description"])
            if message.get("request_id") == request:
                print(json.dumps(message))  # stored, unchanged, duplicate, rejected or failed
                sys.exit(3 if message["outcome"] in ("rejected", "failed") else 0)
    sys.exit("the bus has gone away: send it again with the same request_id")
if len(sys.argv) != 4:
    sys.exit(__doc__)
try:
    main(*sys.argv[1:])
except (FileNotFoundError, IsADirectoryError, PermissionError) as problem:
    sys.exit(str(problem))
except (OSError, ValueError) as problem:
    sys.exit(f"{problem}: send it again with the same request_id")
