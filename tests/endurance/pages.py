"""Pages that never rest, hang, grow, nest, redirect, stream endlessly or open windows, and a caller's acts on them."""

import functools
import http.server
import os
import threading

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fixtures/browser")
MADE = {
    "/loop": "<script>while(true){}</script>",
    "/loop-later": "<button onclick='while(true){}'>Hang</button>",
    "/memory": "<p>Much</p><script>const kept=[];setInterval(()=>kept.push(new Array(1e6).fill(kept.length)),5)</script>",
    "/dom": "<script>for(let i=0;i<200000;i++)document.body.append(Object.assign(document.createElement('button'),{textContent:'b'+i}))</script>",
    "/nested": "<div>" * 20_000 + "deep",
    "/text": "<p>" + "長い文章。" * 400_000,
    "/windows": "<script>setInterval(()=>open('/windows'),10)</script>",
    "/dialogs": "<script>setInterval(()=>alert('again'),1)</script>",
    "/frames": "<script>for(let i=0;i<200;i++)document.body.append(Object.assign(document.createElement('iframe'),{src:'/text'}))</script>",
    "/self": "<iframe src='/self?1'></iframe><iframe src='/self?2'></iframe>",
    "/console": "<script>setInterval(()=>{for(let i=0;i<1000;i++)console.log('x'.repeat(1000))},1)</script>",
    "/requests": "<script>setInterval(()=>{for(let i=0;i<20;i++)fetch('/text?'+Math.random())},5)</script>",
    "/reload": "<script>setTimeout(()=>location.reload(),5)</script>",
    "/title": "<script>setInterval(()=>document.title='t'.repeat(1e6)+Math.random(),5)</script>",
    "/attributes": f"<a href='#{'x' * 2_000_000}' aria-label='{'y' * 2_000_000}'>long</a>",
    "/prototype": "<script>Object.defineProperty(Node.prototype,'childNodes',{get(){throw 1}});Array.prototype.push=()=>{throw 2};JSON.stringify=()=>'{'</script><button>b</button>",
    "/mutation": "<button>b</button><script>new MutationObserver(()=>document.body.append(document.createElement('i'))).observe(document,{subtree:true,childList:true,attributes:true});document.body.append('x')</script>",
    "/crash": "<script>location='chrome://crash'</script>",
    "/download": "<script>setInterval(()=>location='/endless.bin',50)</script>",
}
FIXTURES = ["/hostile/endless.html", "/hostile/frozen.html", "/hostile/deep.html", "/hostile/debugger.html", "/crash.html", "/injection.html"]


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        path = self.path.split("?")[0]
        try:
            if path in MADE:
                body = ("<!doctype html><body>" + MADE[path]).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            elif path in ("/endless", "/endless.bin"):
                self.send_response(200)
                self.send_header("Content-Type", "text/html" if path == "/endless" else "application/octet-stream")
                self.end_headers()
                for _ in range(20_000):
                    self.wfile.write(b"<p>again</p>" * 1_000)
            elif path == "/redirect":
                self.send_response(302)
                self.send_header("Location", "/redirect?again")
                self.end_headers()
            else:
                super().do_GET()
        except OSError:
            pass

    def log_message(self, *_):
        pass


def site():
    """Starts the site; returns its address. It ends with this program."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=FOLDER))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def attacks(rng, address):
    """Endless: opens a page, looks and acts on it, and one time in two closes the session."""
    paths = [*MADE, *FIXTURES, "/endless", "/redirect"]
    looks = [
        ("browser_snapshot", {}),
        ("browser_find", {"text": "b"}),
        ("browser_inspect_html", {"target": "body"}),
        ("browser_take_screenshot", {}),
        ("browser_console_messages", {}),
        ("browser_network_requests", {}),
        ("browser_click", {"target": "button"}),
        ("browser_evaluate", {"function": "() => { while (true) {} }"}),
        ("browser_evaluate", {"function": "() => 'x'.repeat(1e8)"}),
        ("browser_wait_for", {"text": "never", "time": 1}),
        ("browser_tabs", {"action": "list"}),
        ("browser_handle_dialog", {"accept": True}),
        ("browser_press_key", {"key": "Enter"}),
        ("browser_pdf_save", {}),
    ]
    while True:
        yield "browser_navigate", {"url": address + rng.choice(paths)}
        for tool, arguments in rng.sample(looks, rng.randint(1, 4)):
            yield tool, arguments
        if rng.random() < 0.5:
            yield "browser_close", {}
