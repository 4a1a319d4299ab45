"""Whatever is sent, the answer is a well-formed error that says what is wrong."""

import json
import re
import socket
import threading
import time

import pytest

from harness import malformed
from harness.program import Program, until
from harness.raw import exchange, read_answer, request
from harness.rpc import answer_of, error_of, message
from harness.stage import Stage
from harness.web import Session

GROWTH = 64 * 1024 * 1024
JSON = {"content-type": "application/json"}
PING = json.dumps(message("ping")).encode()
GROUPS = (
    "truncated",
    "no_json",
    "encodings",
    "envelopes",
    "method_params",
    "tool_arguments",
    "nesting",
    "duplicates",
    "sizes",
)


EVERYTHING = "all,atlas-write"
ALL_TOOLS = {"x-mcp-toolsets": EVERYTHING}
"""Headers that turn all tools on."""


@pytest.fixture(scope="module")
def corpus(shared):
    """Every group of cases."""
    tools = shared.program.tools("--toolsets", EVERYTHING)
    with shared.client(**ALL_TOOLS) as http:
        session = Session(http).open()
        stage = Stage(session, shared.page)
        made = session.call("create_article", {"title": "A", "template": "item", "content": "B"})
        # All other placeholders get the id of an article: the tests vary the remaining values.
        for name in re.findall(r'"\$(\w+)"', json.dumps(tools)):
            stage.ids.setdefault(name, made["structuredContent"]["data"]["id"])
    tools = [{**tool, "example": stage.filled(tool["example"])} for tool in tools]
    groups = {name: getattr(malformed, name)() for name in GROUPS if name != "tool_arguments"}
    return groups | {"tool_arguments": malformed.tool_arguments(tools)}


@pytest.fixture(scope="module")
def memory(shared, web):
    """The server's memory after it has served a little."""
    web.post("/mcp", content=PING, headers=JSON)
    return shared.memory()


OWN_FORMS = ("kn_", "koi_", "knowledge_", "vault_", "resolve_", "code_", "github_",
             "list_", "get_", "search_", "create_", "update_", "delete_")
"""Prefixes of tools whose contract has its own form of refusal, that take any text, or that clamp
numbers, as the atlas does. Their own tests check how they refuse."""
BATCHES = ("_entities", "_posts", "_url", "_updates", "_status")


def has_own_form(case: malformed.Case) -> bool:
    tool = case.name.partition(":")[0]
    return tool.startswith(OWN_FORMS) or tool.endswith(BATCHES)


def complaint(case: malformed.Case, answer: dict) -> str | None:
    """Returns what is wrong with an answer, if anything."""
    if case.tool:
        result = answer.get("result", {})
        told = result.get("structuredContent", {})
        if has_own_form(case):
            broken = not told or told.get("code") == "INTERNAL"
            return f"no answer a model could act on: {str(answer)[:300]}" if broken else None
        if not result.get("isError") or told.get("code") == "INTERNAL" or not told.get("hint"):
            return f"no error a model could act on: {str(answer)[:300]}"
        named = case.field in told.get("field", "") + told["message"] or told["code"] == "NOT_FOUND"
        return None if named else f"names {told.get('field')!r}: {told['message'][:200]}"
    if case.codes:
        error = error_of(answer)
        fits = error["code"] in case.codes and case.field in error["message"]
        return None if fits else f"unexpected {str(error)[:300]}"
    return None if answer.get("jsonrpc") == "2.0" else f"no answer: {str(answer)[:300]}"


def stays_slim(server, before: int) -> bool:
    """Whether memory use returns to normal. The allocator releases memory a moment later and only
    while it is used, so this sends requests until it has."""
    with server.client() as http:

        def is_slim() -> bool:
            healthy = [http.post("/mcp", content=PING, headers=JSON).status_code for _ in range(50)]
            return set(healthy) == {200} and server.memory() - before < GROWTH

        return until(is_slim)


def assert_none(wrong: list) -> None:
    assert not wrong, "\n".join(f"{name}: {what}" for name, *what in wrong)


def test_there_are_enough_cases(corpus):
    """At least 400 malformed messages are tried on each transport."""
    assert sum(map(len, corpus.values())) >= 400


@pytest.mark.parametrize("group", GROUPS)
def test_over_http(shared, web, memory, corpus, group):
    """Each answer is quick and fits the case, and afterwards the server is healthy and has not
    grown."""
    wrong = []
    for case in corpus[group]:
        began = time.monotonic()
        answer = web.post("/mcp", content=case.line, headers={**JSON, **ALL_TOOLS})
        took = time.monotonic() - began
        if answer.status_code not in (200, 400) or took > 20:
            wrong.append((case.name, answer.status_code, took, answer.text[:200]))
        elif found := complaint(case, answer.json()):
            wrong.append((case.name, found))
    assert_none(wrong)
    assert stays_slim(shared, memory)


@pytest.mark.parametrize("log", ["quiet", "trace"])
def test_over_stdio(shared, corpus, log):
    """Each line gets its answer, and nothing but JSON-RPC is printed, even at log level trace."""
    wrong = []
    cases = [case for group in GROUPS for case in corpus[group]]
    env = {"LOREWELL_LOG": "trace"} if log == "trace" else {}
    with shared.program.stdio("--toolsets", EVERYTHING, env=env) as pipes:
        pipes.initialize()
        # A blank line is not a message, and a line break ends one.
        for case in (case for case in cases if case.line.strip() and b"\n" not in case.line):
            pipes.send_bytes(case.line)
            if found := complaint(case, pipes.receive()):
                wrong.append((case.name, found))
        assert pipes.ask("ping")["result"] == {}
        assert pipes.close() == 0
        for line in pipes.lines:
            assert json.loads(line)["jsonrpc"] == "2.0"
        # The log does not contain what was sent.
        assert len(pipes.log()) < 10_000 + len(cases) * 200 * (log == "trace")
    assert_none(wrong)


def test_what_needs_no_answer_gets_none_over_http(web):
    """Notifications and unsolicited answers are accepted with an empty response."""
    for line in malformed.unanswered():
        answer = web.post("/mcp", content=line, headers=JSON)
        assert (answer.status_code, answer.content) == (202, b""), line[:80]


def test_what_needs_no_answer_gets_none_over_stdio(shared):
    """The same over stdio, where an unexpected line would confuse the client."""
    with shared.program.stdio() as pipes:
        pipes.initialize()
        seen = len(pipes.lines)
        for line in malformed.unanswered():
            pipes.send_bytes(line)
        assert pipes.ask("ping")["result"] == {}
        assert len(pipes.lines) == seen + 1


def test_stdio_refuses_lines_that_are_too_long(shared):
    """A line of 5 MiB is refused with an error, and the next one is read as usual."""
    with shared.program.stdio() as pipes:
        pipes.initialize()
        pipes.send_bytes(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 5 * 1024 * 1024 + b'"}')
        assert error_of(pipes.receive())["code"] == -32600
        assert pipes.ask("ping")["result"] == {}


def test_stdio_ends_quietly_when_the_client_leaves(shared):
    """End of input is not an error, neither before initialize nor in the middle of a line."""
    for lines in (b"", b"{", b'{"jsonrpc"\n', b"\n\n"):
        with shared.program.stdio() as pipes:
            pipes.process.stdin.write(lines)
            assert pipes.close() == 0


@pytest.mark.parametrize("first", ["tools/list", "tools/call", "no/such"])
def test_stdio_answers_a_request_that_comes_too_early(shared, first):
    """A request before initialize is answered, with a result or an error; initialize still
    works."""
    with shared.program.stdio() as pipes:
        answer = pipes.ask(first, {"name": "duality_rules_version"})
        assert "error" in answer or "result" in answer
        assert pipes.initialize()["serverInfo"]["name"] == "lorewell"


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "text/html",
        "application/xml",
        "application/jsonx",
        "application/octet-stream",
        "multipart/form-data; boundary=x",
        "x",
        "",
        "application/json/",
        "text/json",
    ],
)
def test_other_content_types_are_refused(web, kind):
    """Only application/json is read; the refusal is a JSON-RPC error."""
    answer = web.post("/mcp", content=PING, headers={"content-type": kind})
    assert answer.status_code == 415
    assert "application/json" in error_of(answer.json())["message"]


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON",
    ],
)
def test_json_is_read_however_it_is_spelt(web, kind):
    """The media type is case-insensitive, and a charset may follow."""
    answer = web.post("/mcp", content=PING, headers={"content-type": kind})
    assert answer.status_code == 200 and answer.json()["result"] == {}


def post(shared, headers: list[tuple[str, str]], body: bytes = b"", path: str = "/mcp"):
    """Sends a raw POST request."""
    named = [("Host", "localhost"), ("Content-Type", "application/json"), *headers]
    return exchange(shared.port, request("POST", path, named, body))


def test_an_empty_body_is_no_message(shared):
    """Refuses a POST without a body, with a length of 0, and with blanks only."""
    for answer in (
        post(shared, []),
        post(shared, [("Content-Length", "0")]),
        post(shared, [], b" \r\n "),
    ):
        assert answer.status == 400 and error_of(answer.json())["code"] == -32700


def test_five_mebibytes_are_too_much(shared, memory):
    """The 413 states the limit, and the body is not kept in memory."""
    answer = post(shared, [], b'"' + b"x" * 5 * 1024 * 1024 + b'"')
    assert answer.status == 413
    error = answer.json()["error"]
    assert error["code"] == "TOO_LARGE" and "4194304" in error["message"]
    assert stays_slim(shared, memory)


MANY = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":[' + b"0," * 1_900_000 + b"0]}}"


def test_more_values_than_a_call_needs_are_too_much(shared, memory):
    """Many short values take far more memory than bytes in the message, so their number is
    limited."""
    assert len(MANY) < 4 * 1024 * 1024
    answer = post(shared, [], MANY)
    error = error_of(answer.json())
    assert error["code"] == -32600 and "50000 values" in error["message"]
    assert answer.json()["id"] == 1
    assert stays_slim(shared, memory)


def test_stdio_counts_values_too(shared):
    with shared.program.stdio() as pipes:
        pipes.initialize()
        pipes.send_bytes(MANY)
        error = error_of(pipes.receive())
        assert error["code"] == -32600 and "50000 values" in error["message"]
        assert pipes.request("ping") == {}


def test_a_length_is_refused_before_the_body_comes(shared):
    """A client that sends `Expect: 100-continue` is refused at once."""
    answer = post(shared, [("Content-Length", str(10**12)), ("Expect", "100-continue")])
    assert answer.status == 413


def test_a_body_without_a_length_is_limited_too(shared):
    """A chunked body has no declared length; the limit applies nevertheless."""
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    head = request(
        "POST",
        "/mcp",
        [
            ("Host", "localhost"),
            ("Content-Type", "application/json"),
            ("Transfer-Encoding", "chunked"),
        ],
    )
    answer = exchange(shared.port, head + chunk * 80 + b"0\r\n\r\n")
    assert answer.status == 413


def test_the_largest_body_is_read(web):
    """Exactly 4 MiB are read and answered."""
    body = PING + b" " * (4 * 1024 * 1024 - len(PING))
    answer = web.post("/mcp", content=body, headers=JSON)
    assert answer.status_code == 200 and answer.json()["result"] == {}


@pytest.mark.parametrize("where", ["one header", "many headers", "the path", "the query", "a name"])
def test_a_hundred_kilobytes_of_headers_are_too_much(shared, where):
    """The request line and headers are limited: the server answers with an error or closes the
    connection, and stays healthy."""
    long = "x" * 100_000
    answer = {
        "one header": lambda: post(shared, [("X-Long", long)], PING),
        "many headers": lambda: post(shared, [(f"X-{n}", "y" * 100) for n in range(1_000)], PING),
        "the path": lambda: post(shared, [], PING, path="/" + long),
        "the query": lambda: post(shared, [], PING, path="/mcp?" + long),
        "a name": lambda: post(shared, [(long, "x")], PING),
    }[where]()
    assert answer is None or answer.status in (400, 414, 431)
    assert shared.is_healthy()


GET = b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
BROKEN_HTTP = {
    "no version": b"GET /mcp\r\n\r\n",
    "odd version": GET.replace(b"1.1", b"9.9") + b"\r\n",
    "a space in the path": GET.replace(b"/mcp", b"/mcp /health") + b"\r\n",
    "NUL in the path": GET.replace(b"/mcp", b"/mcp\x00") + b"\r\n",
    "NUL in a header": GET + b"X: a\x00b\r\n\r\n",
    "a folded header": GET + b"X: a\r\n b\r\n\r\n",
    "a header without colon": GET + b"nonsense\r\n\r\n",
    "two lengths": POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "a negative length": POST + b"Content-Length: -1\r\n\r\n",
    "a length in words": POST + b"Content-Length: five\r\n\r\n",
    "a bad chunk": POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    "a huge chunk": POST + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
    "an unknown coding": POST + b"Transfer-Encoding: gzip\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200,
    "SSH": b"SSH-2.0-OpenSSH_9.9\r\n\r\n",
    "half an HTTP/2 preface": b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
    "random bytes": bytes((n * 197 + 61) % 256 for n in range(2_000)) + b"\r\n\r\n",
}


@pytest.mark.parametrize("case", BROKEN_HTTP)
def test_what_is_not_http_is_refused(shared, case):
    """Answers with an error or closes the connection, and serves the next client."""
    answer = exchange(shared.port, BROKEN_HTTP[case])
    assert answer is None or 400 <= answer.status < 500
    assert shared.is_healthy()


def test_a_length_besides_chunks_smuggles_nothing(shared):
    """A request with both is refused or read as chunks; what follows is never taken for a second
    request."""
    inner = b"GET /mcp/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    head = request(
        "POST",
        "/nope",
        [
            ("Host", "localhost"),
            ("Transfer-Encoding", "chunked"),
            ("Content-Length", "5"),
            ("Connection", "close"),
        ],
    )
    with socket.create_connection(("127.0.0.1", shared.port), timeout=30) as connection:
        connection.sendall(head + b"0\r\n\r\n" + inner)
        first = read_answer(connection)
        assert first is None or first.status in (400, 404)
        assert connection.recv(1) == b"", "no second answer"


@pytest.mark.parametrize("method", ["PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "BREW"])
def test_other_methods_are_refused(shared, method):
    """The 405 lists the allowed methods."""
    answer = exchange(
        shared.port, request(method, "/mcp", [("Host", "localhost"), ("Connection", "close")])
    )
    assert answer.status == 405
    assert set(answer.headers["allow"].split(", ")) == {"GET", "POST", "DELETE"}


def test_a_refused_request_does_not_cut_the_connection(shared):
    """The body of a request that is refused early is read and discarded, so the client can go
    on."""
    refused = [
        ("Host", "localhost"),
        ("Authorization", "Bearer wrong"),
        ("Content-Length", "200000"),
    ]
    with socket.create_connection(("127.0.0.1", shared.port), timeout=30) as connection:
        connection.sendall(request("POST", "/mcp", refused))
        time.sleep(0.05)  # the answer must not depend on the body arriving at once
        connection.sendall(b"x" * 200_000)
        assert read_answer(connection).status == 401
        connection.sendall(request("GET", "/mcp/health", [("Host", "localhost")]))
        assert read_answer(connection).status == 200


def test_a_client_that_leaves_during_a_call_does_no_harm(shared):
    """Connections that are cut in the middle of a request do no harm."""
    body = json.dumps(malformed.OUTCOME).encode()
    whole = request(
        "POST", "/mcp", [("Host", "localhost"), ("Content-Type", "application/json")], body
    )
    for at in range(0, len(whole), 7):
        with socket.create_connection(("127.0.0.1", shared.port), timeout=30) as connection:
            connection.sendall(whole[:at])
    assert shared.is_healthy()


def test_all_sorts_at_once(shared, memory, corpus):
    """Good and bad clients in parallel: the good ones are always served."""
    cases = [case for group in ("no_json", "envelopes", "nesting") for case in corpus[group]]
    good = []

    def vandal(part):
        with shared.client() as http:
            for case in cases[part::3]:
                http.post("/mcp", content=case.line, headers=JSON)

    def citizen():
        with shared.client() as http:
            for _ in range(50):
                good.append(answer_of(http.post("/mcp", content=PING, headers=JSON)))

    threads = [threading.Thread(target=vandal, args=(part,)) for part in range(3)]
    threads.append(threading.Thread(target=citizen))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.get("result") for answer in good] == [{}] * 50
    assert stays_slim(shared, memory)


@pytest.fixture(scope="module")
def closed_after(binary, tmp_path_factory):
    """How long the server tolerated each of several slow clients at once, in seconds."""
    server = Program(binary, tmp_path_factory.mktemp("slow")).serve()
    post = request("POST", "/mcp", [("Host", "localhost"), ("Content-Length", "100")])
    starts = {
        "headers": b"GET /mcp/health HTTP/1.1\r\nHost: localhost\r\nX: ",
        "body": post,
        "nothing": b"",
    }
    tolerated = {}

    def drip(name):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            began = time.monotonic()
            connection.sendall(starts[name])
            # Headers keep coming byte by byte; a body stops altogether.
            while time.monotonic() - began < 30:
                connection.settimeout(0.5)
                try:
                    if name == "headers":
                        connection.sendall(b"x")
                    if connection.recv(1_000) == b"":
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
            tolerated[name] = time.monotonic() - began

    threads = [threading.Thread(target=drip, args=(name,)) for name in starts]
    for thread in threads:
        thread.start()
    with server.client() as http:
        assert http.get("/mcp/health").status_code == 200, "others are served meanwhile"
    for thread in threads:
        thread.join()
    assert until(server.is_healthy)
    server.kill()
    return tolerated


@pytest.mark.parametrize("what", ["headers", "body", "nothing"])
def test_a_slow_client_is_let_go(closed_after, what):
    """Dripping headers, a body that never comes, or silence: the connection is closed after the
    allowed 10 seconds, plus what a busy machine adds."""
    assert closed_after[what] < 25


def test_half_a_letter_is_read_as_an_unreadable_one(program, web):
    """A client that cuts a text in the middle of an emoji sends an unpaired surrogate, which is
    read as U+FFFD."""
    arguments = {"action": "learn", "type": "gotcha", "content": "cut \ud83d here"}
    call = message("tools/call", {"name": "kn_intel", "arguments": arguments}, id=7)
    found = []
    with program.stdio() as pipes:
        pipes.initialize()
        pipes.request(call["method"], call["params"])
        recall = {"name": "kn_intel", "arguments": {"action": "recall", "topic": "\ude00 cut here"}}
        found += pipes.request("tools/call", recall)["structuredContent"]["results"]
    answer = answer_of(web.post("/mcp", content=json.dumps(call).encode(), headers=JSON))
    assert answer["result"]["structuredContent"]["stored_as"] == "node", answer
    assert [row["description"] for row in found] == ["cut \ufffd here"]
