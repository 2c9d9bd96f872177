#!/usr/bin/env python3
"""Sends the calls of the files beside it to a fumi, and says what each reply cost.

    ./run.py                                  all of them, to http://127.0.0.1:8640/mcp
    ./run.py 4-batch-login.json --show        one of them, with its replies
    ./run.py --url http://127.0.0.1:9000/mcp

It serves the folder `pages` while it runs, and puts its address in the place of {{pages}}. Python's own library is enough.
It prints for each reply its tokens, how long it took, and the size of its images. The pages are served on 127.0.0.1: run it on fumi's
machine, with a policy that allows private addresses. The exit code is 1 if a call failed.
Tokens are estimated: four characters of ASCII or one other character each. FUMI_TOKEN is sent if it is set.
"""

import argparse
import functools
import http.server
import json
import os
import pathlib
import sys
import threading
import time
import urllib.error
import urllib.request

FOLDER = pathlib.Path(__file__).resolve().parent
VERSION = "2025-11-25"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *_):
        pass


class Client:
    """A session of MCP over HTTP."""

    def __init__(self, url):
        self.url = url
        self.headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        if token := os.environ.get("FUMI_TOKEN"):
            self.headers["authorization"] = f"Bearer {token}"
        client = {"name": "examples", "version": "1"}
        self.ask("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        request = urllib.request.Request(self.url, json.dumps(message).encode(), self.headers)
        with urllib.request.urlopen(request, timeout=120) as response:
            if session := response.headers.get("mcp-session-id"):
                self.headers |= {"mcp-session-id": session, "mcp-protocol-version": VERSION}
            return response.read().decode()

    def ask(self, method, params):
        body = self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        lines = [line[5:] for line in body.splitlines() if line.startswith("data:")] or [body]
        messages = [json.loads(line) for line in lines if line.strip()]
        answer = next(message for message in messages if message.get("id") == 1 and "method" not in message)
        if "error" in answer:
            sys.exit(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def close(self):
        urllib.request.urlopen(urllib.request.Request(self.url, headers=self.headers, method="DELETE"), timeout=10).close()


def tokens(text):
    """About so many."""
    ascii_only = sum(character.isascii() for character in text)
    return ascii_only // 4 + len(text) - ascii_only


def filled(value, pages):
    """The same with the address of the pages."""
    return json.loads(json.dumps(value).replace("{{pages}}", pages))


def run(client, file, pages, show):
    """Sends the calls of one file; whether all of them went well."""
    example = json.loads(file.read_text(encoding="utf-8"))
    language = "ja" if os.environ.get("LANG", "").startswith("ja") else "en"
    print(f"{file.name}: {example['about'][language]}")
    fine = True
    for call in filled(example["calls"], pages):
        began = time.monotonic()
        result = client.ask("tools/call", {"name": call["tool"], "arguments": call["arguments"]})
        took = (time.monotonic() - began) * 1000
        texts = "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
        images = [len(block["data"]) * 3 // 4 for block in result["content"] if block["type"] == "image"]
        structured = result.get("structuredContent", {})
        structure = json.dumps(structured, ensure_ascii=False)
        # A batch counts the steps that failed; it may be a success all the same.
        failed = result.get("isError", False) or structured.get("failed", 0) > 0
        fine = fine and not failed
        cost = f"about {max(tokens(texts), tokens(structure)):>6,} tokens  {took:>6.0f} ms"
        pictures = "".join(f"  image of {size:,} bytes" for size in images)
        print(f"  {call['tool']:<26} {cost}{pictures}{'  FAILED' if failed else ''}")
        if show or failed:
            print("\n".join(f"    {line}" for line in (texts or structure).splitlines()))
    return fine


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--url", default="http://127.0.0.1:8640/mcp")
    parser.add_argument("--show", action="store_true", help="print the replies")
    options = parser.parse_args()
    handler = functools.partial(Quiet, directory=FOLDER / "pages")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pages = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        client = Client(options.url)
    except (urllib.error.URLError, OSError) as error:
        sys.exit(f"no fumi at {options.url}: {error}")
    files = options.files or sorted(FOLDER.glob("*.json"))
    fine = [run(client, file, pages, options.show) for file in files]
    client.close()
    sys.exit(not all(fine))


if __name__ == "__main__":
    main()
