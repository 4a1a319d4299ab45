"""Failures of World Anvil's API that have been observed in practice: how the tools and the sync
report each, and that nothing stored is lost or changed."""

import json
import re
from contextlib import contextmanager

import pytest

from harness.anvil_world import BASE
from harness.kanka_proxy import kanka_proxy
from harness.program import Program, until

PAGE = b"<!doctype html><html><body>Just a moment...</body></html>"
HTML = {"content-type": "text/html"}


def refused(code: int, **body) -> tuple:
    return code, {}, json.dumps({"success": False, **body}).encode()


FAULTS = {
    "keys": (refused(401, error="access_denied_auth_failed"), "PERMISSION_DENIED"),
    "rights": (refused(403, error="access_denied"), "PERMISSION_DENIED"),
    "a guard": ((403, HTML, PAGE), "UNAVAILABLE"),
    "nothing": (refused(404, error="resource_not_found"), "NOT_FOUND"),
    "no route": ((404, HTML, PAGE), "NOT_FOUND"),
    "a mistake": (refused(422, status="Unprocessable Data provided",
                          error={"summary": "title is odd", "traceStack": "#0 x.php"}), "INVALID_ARGUMENT"),
    "an older mistake": ((422, {}, b'{"error": "title is odd", "trace": "#0 x.php"}'), "INVALID_ARGUMENT"),
    "too fast": ((429, {**HTML, "retry-after": "1"}, PAGE), "RESOURCE_EXHAUSTED"),
    "broken": ((500, HTML, PAGE), "UNAVAILABLE"),
    "no JSON": ((200, HTML, PAGE), "UNAVAILABLE"),
    "no flag": ((200, {}, b'{"id": "x", "entities": []}'), "UNAVAILABLE"),
    "a failure that says 200": (refused(200, error="not today"), "FAILED_PRECONDITION"),
    "an older failure that says 200": (refused(200, reason="not today"), "FAILED_PRECONDITION"),
    "a bad request": ((400, HTML, PAGE), "FAILED_PRECONDITION"),
}
"""Answers of the service, each with the code of the resulting error."""


@pytest.fixture(scope="module")
def ends(binary, tmp_path_factory):
    """A server with sixty articles, a proxy to it that injects faults, and a program that uses it
    through the proxy."""
    homes = tmp_path_factory.mktemp("faults")
    far, near = Program(binary, homes / "far"), Program(binary, homes / "near")
    for program in (far, near):
        program.home.mkdir()
    token = far.token("owner", "Anvil")
    origin = far.serve()
    with origin.client(**{"x-auth-token": token}) as http:
        ids = [http.put(f"{BASE}/article", json={"title": f"A{number}", "templateType": "item", "content": "Old."})
               .json()["id"] for number in range(60)]
    with kanka_proxy(origin.port) as proxy:
        near.settings = {"WORLD_ANVIL_URL": proxy.url.replace("/compat/kanka/1.0", BASE),
                         "WORLD_ANVIL_APP_KEY": "the application", "WORLD_ANVIL_TOKEN": token}
        yield far, near, proxy, ids
    origin.kill()


@contextmanager
def tools(near):
    with near.stdio("--toolsets", "atlas,atlas-write") as pipes:
        pipes.initialize()
        yield lambda tool, **arguments: pipes.request("tools/call", {"name": tool, "arguments": arguments})


def read(far, article: str) -> dict:
    arguments = json.dumps({"article_id": article, "granularity": 2})
    return json.loads(far.ok("call", "get_article", arguments, "--toolsets", "atlas"))["data"]


def test_requests_say_who_asks(ends):
    _, near, proxy, _ = ends
    with tools(near) as ask:
        ask("get_user_identity")
    head = proxy.heads[-1]
    assert head["x-application-key"] == "the application"
    assert head["x-auth-token"] == near.settings["WORLD_ANVIL_TOKEN"]
    assert re.fullmatch(r"Lorewell \(https?://\S+, \d+\.\d+\.\d+\S*\)", head["user-agent"]), head["user-agent"]


@pytest.mark.parametrize("name", FAULTS)
def test_a_failure_is_told_and_nothing_of_it_stays(ends, name):
    far, near, proxy, ids = ends
    fault, code = FAULTS[name]
    article, kept = ids[0], ids[1]
    with tools(near) as ask:
        known = ask("get_article", article_id=kept)
        for tool, arguments, where in (("get_article", {"article_id": article}, r"GET .*/article\?"),
                                       ("list_articles", {}, "POST .*/world/articles"),
                                       ("list_secrets", {}, "POST .*/world/secrets")):
            proxy.fail(fault, where)
            failed = ask(tool, **arguments)
            told = failed["structuredContent"]
            assert failed["isError"] and (told["code"], bool(told["hint"])) == (code, True), (tool, told)
            assert ("retry_after" in told) == (code == "RESOURCE_EXHAUSTED"), (tool, told)
            with proxy.counted() as asked:
                assert ask("get_article", article_id=kept) == known
            assert not asked, "what was read before is kept"
            proxy.mend()
            assert not ask(tool, **arguments)["isError"], tool
        proxy.fail(fault, "PATCH .*/article")
        failed = ask("update_article", article_id=article, content="New.")
        proxy.mend()
        assert failed["isError"], failed
        assert read(far, article)["content"] == "Old."


@pytest.mark.parametrize("name", FAULTS)
def test_a_failure_takes_nothing_from_a_copy(ends, name, tmp_path):
    _, near, proxy, _ = ends
    copy = Program(near.binary, tmp_path / "copy")
    copy.home.mkdir()
    copy.settings = near.settings
    copy.ok("sync", "world-anvil")
    own = Program(near.binary, copy.home)
    before = own.ok("call", "list_articles", "{}", "--toolsets", "atlas")
    fault, code = FAULTS[name]
    # The sync waits for the second that the service asks for and tries again, so this fault occurs
    # only once.
    times = 1 if code == "RESOURCE_EXHAUSTED" else 1_000_000
    proxy.fail(fault, "POST .*/world/articles", times)
    done = copy.run("sync", "world-anvil")
    proxy.mend()
    assert (done.returncode == 0) == (name in ("rights", "too fast")), (name, done.stdout, done.stderr)
    assert own.ok("call", "list_articles", "{}", "--toolsets", "atlas") == before
    again = copy.ok("sync", "world-anvil")
    assert again.startswith("0 new, 0 changed, 60 unchanged, 0 deleted, 0 left out"), again


def test_a_copy_that_is_cut_short_goes_on_where_it_was(ends, tmp_path):
    _, near, proxy, _ = ends
    copy = Program(near.binary, tmp_path / "copy")
    copy.home.mkdir()
    copy.settings = near.settings
    reads = lambda asked: sum(bool(re.match(r"GET .*/article\?", one)) for one in asked)
    with proxy.counted() as first:
        start = len(proxy.asked)
        cut_short = copy.start("sync", "world-anvil")
        assert until(lambda: reads(proxy.asked[start:]) >= 20, pause=0.001)
        cut_short.kill()
        cut_short.communicate()
    with proxy.counted() as second:
        told = copy.ok("sync", "world-anvil")
    assert reads(first) < 60, "it was cut short"
    # The request that was in flight when the sync was killed is repeated.
    assert reads(first) + reads(second) <= 61, (reads(first), reads(second))
    made, unchanged = (int(re.search(rf"(\d+) {word}", told)[1]) for word in ("new", "unchanged"))
    assert (made, unchanged) == (reads(second), 60 - reads(second)), told
