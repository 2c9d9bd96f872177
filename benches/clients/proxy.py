"""A proxy on loopback that keeps the replies between a client and fumi, so that it is known what fumi sent this client.

It passes on every byte unchanged. It does not reconnect: if fumi ends a stream, the client's stream ends too.
"""

import http.client
import http.server
import json
import threading


class Proxy:
    """Forwards to a server's host and port; `requests` and `replies` hold the JSON-RPC messages by id, in order."""

    def __init__(self, address):
        self.messages = []
        self.lock = threading.Lock()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def forward(self):
                proxy.forward(self, address)

            do_GET = do_POST = do_DELETE = forward

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/mcp"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def forward(self, client, address):
        body = client.rfile.read(int(client.headers.get("Content-Length") or 0))
        headers = {name: value for name, value in client.headers.items() if name.lower() not in ("host", "connection")}
        upstream = http.client.HTTPConnection(address)
        upstream.request(client.command, client.path, body, {**headers, "Accept-Encoding": "identity"})
        reply = upstream.getresponse()
        # Without a length the reply ends with the connection, as a stream does.
        client.send_response(reply.status)
        for name, value in reply.getheaders():
            if name.lower() not in ("connection", "content-length", "transfer-encoding"):
                client.send_header(name, value)
        client.send_header("Connection", "close")
        client.end_headers()
        kept = b""
        try:
            while part := reply.read1(65536):
                kept += part
                client.wfile.write(part)
                client.wfile.flush()
        except (OSError, http.client.HTTPException):
            # The client has left, or the server was stopped; both end a stream.
            pass
        finally:
            upstream.close()
        if client.command == "POST":
            self.keep(body, kept.decode())

    def keep(self, body, reply):
        request = json.loads(body)
        if "id" not in request or "method" not in request:
            return
        lines = [reply] if reply.startswith("{") else [line[6:] for line in reply.splitlines() if line.startswith("data: {")]
        for message in map(json.loads, lines):
            if message.get("id") == request["id"] and "result" in message:
                with self.lock:
                    self.messages.append((request, message["result"]))

    def results(self, method):
        """The parameters of each request of a method, with its result."""
        with self.lock:
            return [(request.get("params") or {}, result) for request, result in self.messages if request["method"] == method]
