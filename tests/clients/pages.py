"""A page with an element for every browser tool, and calls of all of them, in a sensible order.

Every call but the first names the browser session of the first one, so that clients with and without an MCP session
make the same calls.
"""

import http.server
import threading

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Everything</title><link rel="icon" href="data:,">
<h1>Everything</h1>
<form id="form">
  <label>Name <input id="name"></label>
  <label>Mail <input id="mail" type="email"></label>
  <label>Language <select id="language"><option value="en">English</option><option value="ja">日本語</option></select></label>
  <label>File <input id="file" type="file"></label>
</form>
<button id="count" onclick="this.textContent = 'Counted'">Count</button>
<button id="ask" onclick="document.querySelector('#said').textContent = String(confirm('Sure?'))">Ask</button>
<p id="said">nothing</p>
<div id="from" draggable="true">Thing</div>
<div id="to" ondragover="event.preventDefault()" ondrop="event.preventDefault(); this.textContent = 'Dropped'">Place</div>
<script>console.info('ready')</script></html>"""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = PAGE.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Pages:
    """Serves the page on a free port of this machine."""

    def __init__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        self.session = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def heard(self, structured):
        """Passes on the reply to the first call."""
        if self.session is None:
            self.session = structured.get("browser_session")

    def calls(self):
        """Tools and arguments. The caller makes each call before it asks for the next one."""
        for tool, arguments in self.all():
            yield tool, {**arguments, **({"browser_session": self.session} if self.session and "batch" not in tool else {})}

    def all(self):
        self.session = None
        yield "browser_navigate", {"url": self.url}
        yield "browser_snapshot", {}
        yield "browser_find", {"text": "count"}
        yield "browser_find_elements", {"role": "button"}
        yield "browser_inspect_html", {"target": "#form"}
        yield "browser_click", {"target": {"role": "button", "name": "Count"}}
        yield "browser_wait_for", {"text": "Counted"}
        yield "browser_type", {"target": "#name", "text": "Ada"}
        yield "browser_fill", {"target": "#mail", "value": "ada@example.com"}
        fields = [{"name": "Name", "target": "#name", "type": "textbox", "value": "Bo"}]
        yield "browser_fill_form", {"fields": fields}
        yield "browser_press_key", {"key": "Tab"}
        yield "browser_hover", {"target": "#count"}
        yield "browser_select_option", {"target": "#language", "values": ["ja"]}
        yield "browser_drag", {"startTarget": "#from", "endTarget": "#to"}
        yield "browser_drop", {"target": "#to", "data": {"text/plain": "hello"}}
        yield "browser_click", {"target": "#file"}
        yield "browser_file_upload", {}
        yield "browser_click", {"target": "#ask"}
        yield "browser_handle_dialog", {"accept": True}
        yield "browser_evaluate", {"function": "() => document.querySelector('#said').textContent"}
        yield "browser_take_screenshot", {"type": "jpeg"}
        yield "browser_console_messages", {"level": "info"}
        yield "browser_network_requests", {}
        yield "browser_network_request", {"index": 1}
        yield "browser_resize", {"width": 800, "height": 600}
        yield "browser_emulate", {"colorScheme": "dark"}
        yield "browser_navigate", {"url": self.url + "?again"}
        yield "browser_navigate_back", {}
        yield "browser_navigate_forward", {}
        yield "browser_tabs", {"action": "list"}
        yield "browser_cookies", {"action": "list"}
        yield "browser_pdf_save", {"filename": "everything.pdf"}
        yield "browser_diagnose", {}
        steps = [
            {"tool": "browser_click", "arguments": {"target": "#count", "browser_session": self.session}},
            {"tool": "browser_snapshot", "arguments": {"browser_session": self.session}},
        ]
        yield "browser_batch_execute", {"steps": steps}
        yield "batch_execute", {"steps": steps, "globalExpectation": {"includeSnapshot": False}}
        yield "browser_close", {}
