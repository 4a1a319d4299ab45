"""A web server on this machine with the pages that a test puts there."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ARTICLE = """<html><head><title>Herring</title></head><body><article><h1>Herring</h1>
<p>Ada Holt founded the Herring Foundation in the spring, when the herring came back to the bay and
everybody on the shore went out to count them, which took eleven days in all.</p>
<p>The Herring Foundation is based in Victoria. It has counted fish every year since then, and it
publishes its counts for anybody who cares to read them in the long winter.</p>
</article></body></html>"""


class Pages:
    """What the server has, and who asked for it."""

    def __init__(self):
        self.pages: dict[str, str] = {}
        self.redirects: dict[str, str] = {}
        self.asked: list[str] = []
        self.address = ""

    def put(self, path: str, html: str) -> str:
        """Puts a page there, and returns its address."""
        self.pages[path] = html
        return f"http://{self.address}{path}"

    def redirect(self, path: str, target: str) -> str:
        """Sends readers of a path elsewhere, and returns its address."""
        self.redirects[path] = target
        return f"http://{self.address}{path}"


@contextmanager
def page_server():
    """The server, listening."""
    pages = Pages()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            pages.asked.append(self.path)
            if self.path in pages.redirects:
                self.send_response(302)
                self.send_header("location", pages.redirects[self.path])
                self.send_header("content-length", "0")
                self.end_headers()
                return
            content = pages.pages.get(self.path, "").encode()
            self.send_response(200 if content else 404)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        pages.address = f"127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield pages
        server.shutdown()
