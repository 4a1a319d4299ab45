"""A local web server with the pages that a test puts on it."""

from contextlib import contextmanager

from harness.listener import Asked, Reply, listening

ARTICLE = """<html><head><title>Herring</title></head><body><article><h1>Herring</h1>
<p>Ada Holt founded the Herring Foundation in the spring, when the herring came back to the bay and
everybody on the shore went out to count them, which took eleven days in all.</p>
<p>The Herring Foundation is based in Victoria. It has counted fish every year since then, and it
publishes its counts for anybody who cares to read them in the long winter.</p>
</article></body></html>"""


class Pages:
    """The content of the server, and the paths that were requested."""

    def __init__(self):
        self.pages: dict[str, str] = {}
        self.redirects: dict[str, str] = {}
        self.asked: list[str] = []
        self.address = ""

    def put(self, path: str, html: str) -> str:
        """Puts a page on the server and returns its URL."""
        self.pages[path] = html
        return f"http://{self.address}{path}"

    def redirect(self, path: str, target: str) -> str:
        """Redirects a path to another address and returns its URL."""
        self.redirects[path] = target
        return f"http://{self.address}{path}"


@contextmanager
def page_server():
    """Runs the server."""
    pages = Pages()

    def answer(asked: Asked) -> Reply:
        pages.asked.append(asked.path)
        if asked.path in pages.redirects:
            return Reply(302, headers={"location": pages.redirects[asked.path]})
        content = pages.pages.get(asked.path, "").encode()
        headers = {"content-type": "text/html; charset=utf-8"}
        return Reply(200 if content else 404, content, headers)

    with listening(answer) as pages.address:
        yield pages
