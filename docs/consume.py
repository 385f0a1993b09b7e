#!/usr/bin/env python3
"""Keeps the chunks that Colophon tells of in a file of JSON, with nats-py:
    python3 consume.py nats://127.0.0.1:4222 http://127.0.0.1:8080 NAME chunks.json
The bus keeps under NAME how far this has come. At first, when the bus has lost what was not dealt with, and
when the catalog was restored (its epoch is higher), it reads the gateway's log, then events from ten minutes before."""
import asyncio, datetime, json, os, sys, urllib.request
import nats
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.errors import NotFoundError
def keep(state, kind, data):
    """Of each chunk the highest rev counts, of each document the highest rev of current."""
    if data.get("epoch", "") < state["epoch"]:
        return
    chunk, current = data.get("chunk") or {}, data.get("current") or {}
    kept = state["chunks"].setdefault(data.get("chunk_ref") or chunk["chunk_ref"], {"rev": 0})
    if chunk:
        kept.setdefault("chunk", chunk)  # its text, whichever event has it
    if data["rev"] > kept["rev"]:
        kept.update(rev=data["rev"], layer=data.get("layer", ""), removed=".removed." in kind)
    if current.get("rev", 0) > state["documents"].get(current.get("document_id"), {}).get("rev", 0):
        state["documents"][current["document_id"]] = current
def write(state, path):
    with open(path + ".part", "w", encoding="utf-8") as file: json.dump(state, file)
    os.replace(path + ".part", path)
async def main(server, gateway, name, path):
    ask = lambda after: json.load(urllib.request.urlopen(f"{gateway}/v1/changes?after={after}"))
    state, epoch = json.load(open(path)) if os.path.exists(path) else {}, ask(0)["epoch"]
    if state.setdefault("epoch", "") != epoch or "log" not in state:
        state = {"chunks": {}, "documents": {}, "log": 0, "epoch": epoch}
    js = (await nats.connect(server, inbox_prefix=f"_INBOX.consumer-{name}".encode())).jetstream()
    held = (await js.stream_info("CHUNKS")).state
    try:
        floor = (await js.consumer_info("CHUNKS", name)).ack_floor.stream_seq
    except NotFoundError:
        floor = None
    if floor is None or not state["log"] or floor + 1 < held.first_seq or floor > held.last_seq:
        if floor is not None:
            await js.delete_consumer("CHUNKS", name)
        since = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=10)
        await js.add_consumer("CHUNKS", ConsumerConfig(
            durable_name=name, ack_policy=AckPolicy.EXPLICIT, filter_subject="colophon.chunk.*.*",
            deliver_policy=DeliverPolicy.BY_START_TIME, opt_start_time=since))
        while page := ask(state["log"])["changes"]:
            for entry in page:
                keep(state, entry["type"], entry["data"])
            state["log"] = page[-1]["seq"]
        write(state, path)
    events = await js.pull_subscribe_bind(name, stream="CHUNKS")
    while True:
        try:
            batch = await events.fetch(100, timeout=1)
        except nats.errors.TimeoutError:  # nothing has happened
            continue
        if any(json.loads(message.data).get("epoch", "") > state["epoch"] for message in batch):
            os.execv(sys.executable, [sys.executable] + sys.argv)
        for message in batch:
            keep(state, message.headers["ce-type"], json.loads(message.data))
        write(state, path)  # before they are acknowledged
        for message in batch: await message.ack_sync()
asyncio.run(main(*sys.argv[1:]))
