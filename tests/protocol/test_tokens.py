"""Bearer tokens: once there is one, nothing is answered without, and none ever leaks."""

import base64
import hashlib
import json
import re
import socket
import subprocess

import pytest
from harness.pages import ARTICLE, page_server
from harness.program import until
from harness.raw import exchange, request
from harness.rpc import answer_of, message, result_of, tool_names
from harness.table import Seat
from harness.web import Session

LIST = message("tools/list", {}, id=7)
ROUTES = [
    ("POST", "/mcp"),
    ("GET", "/mcp"),
    ("DELETE", "/mcp"),
    ("PUT", "/mcp"),
    ("POST", "/mcp/readonly"),
    ("POST", "/mcp/x/play"),
    ("POST", "/mcp/x/play/readonly"),
    ("GET", "/"),
    ("GET", "/nope"),
    ("GET", "/mcp/health/"),
    ("GET", "/mcp//health"),
    ("GET", "//mcp/health"),
]
WILDCARDS = (
    "0.0.0.0:0",
    "0:0",
    "0x0:0",
    "00:0",
    "0.0:0",
    "[::]:0",
    "[::ffff:0.0.0.0]:0",
    ":0",
    "*:0",
)


@pytest.fixture
def alice(program) -> str:
    return program.token("player", "alice")


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def status(http, **options) -> int:
    return http.post("/mcp", json=LIST, **options).status_code


def test_a_token_has_the_documented_form(alice):
    """lw_, a public part of 8 characters and a secret of 52, which has at least 256 bits."""
    assert re.fullmatch(r"lw_[a-z2-7]{8}_[a-z2-7]{52}", alice)


def test_two_tokens_have_nothing_in_common(program):
    """Both parts differ."""
    first, second = (program.token("player", "alice").split("_") for _ in range(2))
    assert first[1] != second[1] and first[2] != second[2]


def test_without_any_token_the_local_user_is_the_owner(server):
    """As long as there are no tokens, none is required."""
    with server.client() as http:
        assert status(http) == 200


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_every_route_asks_for_the_token(alice, server, method, path):
    """Without a token: 401 with the required scheme, even for routes that do not exist."""
    answer = exchange(
        server.port, request(method, path, [("Host", "localhost"), ("Connection", "close")])
    )
    assert answer.status == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    error = answer.json()["error"]
    assert error["code"] == "PERMISSION_DENIED" and "token create" in error["hint"]
    assert "set-cookie" not in answer.headers


def test_health_is_public(alice, server):
    """It is the only route without a token, and shows only that the server runs."""
    with server.client() as http:
        answer = http.get("/mcp/health")
        assert (answer.status_code, answer.text.strip()) == (200, "OK")


def test_a_good_token_is_let_in(alice, server):
    """With its token, a client works as usual."""
    with server.client(**bearer(alice)) as http:
        assert tool_names(Session(http).open().request("tools/list"))


def test_a_token_made_while_the_server_runs_closes_the_door(server, program):
    """Creating the first token ends free access within seconds, without a restart."""
    with server.client() as http:
        assert status(http) == 200
        token = program.token("owner", "alice")
        assert until(lambda: status(http) == 401)
        assert status(http, headers=bearer(token)) == 200


def altered(token: str) -> dict[str, list[str]]:
    """Returns invalid Authorization headers derived from a token."""
    prefix, public, secret = token.split("_")
    flipped = secret[:-2] + ("a" if secret[-2] != "a" else "b") + secret[-1]
    return {
        "a wrong secret": [f"Bearer {prefix}_{public}_{flipped}"],
        "a wrong public part": [f"Bearer {prefix}_aaaaaaaa_{secret}"],
        "upper case": [f"Bearer {token.upper()}"],
        "cut short": [f"Bearer {token[:-1]}"],
        "too long": [f"Bearer {token}a"],
        "no secret": [f"Bearer {prefix}_{public}_"],
        "another prefix": [f"Bearer xx_{public}_{secret}"],
        "no scheme": [token],
        "only a scheme": ["Bearer"],
        "an empty token": ["Bearer "],
        "another scheme": [f"Basic {token}"],
        "two tokens in one header": [f"Bearer {token}, Bearer {token}"],
        "the header twice": [f"Bearer {token}", f"Bearer {token}"],
        "good, then bad": [f"Bearer {token}", "Bearer x"],
        "bad, then good": ["Bearer x", f"Bearer {token}"],
        "a path for SQL": ["Bearer lw_' OR 1=1 --_" + "a" * 52],
        "bytes that are no text": ["Bearer \xff\xfe"],
        "very long": ["Bearer " + "a" * 20_000],
    }


CASES = list(altered("lw_aaaaaaaa_" + "a" * 52))


@pytest.mark.parametrize("case", CASES)
def test_a_bad_token_is_refused(alice, server, case):
    """Wrong, cut off, repeated or misspelt: 401, and the answer does not contain the secret."""
    headers = [("Host", "localhost"), ("Connection", "close")]
    headers += [("Authorization", value) for value in altered(alice)[case]]
    answer = exchange(server.port, request("GET", "/mcp", headers))
    assert answer.status == 401 and "www-authenticate" in answer.headers
    assert alice.split("_")[2].encode() not in answer.body


@pytest.mark.parametrize("place", ["query", "cookie", "header"])
def test_a_token_counts_only_in_its_header(alice, server, place):
    """It does not count in the URL, where it would be logged, in a cookie, or in another header."""
    with server.client() as http:
        answer = {
            "query": lambda: http.post(f"/mcp?access_token={alice}&token={alice}", json=LIST),
            "cookie": lambda: http.post(
                "/mcp", json=LIST, headers={"cookie": f"authorization={alice}"}
            ),
            "header": lambda: http.post("/mcp", json=LIST, headers={"x-api-key": alice}),
        }[place]()
        assert answer.status_code == 401


def test_a_wrong_token_is_refused_even_where_none_is_needed(server):
    """A mistyped token is noticed, not ignored."""
    with server.client(**bearer("lw_aaaaaaaa_" + "a" * 52)) as http:
        assert status(http) == 401


def test_a_session_is_no_substitute_for_a_token(alice, server):
    """The session id alone, by header or cookie, is not enough."""
    with server.client(**bearer(alice)) as http:
        session = Session(http).open()
    with server.client() as http:
        assert status(http, headers=session.headers) == 401
        assert status(http, headers={"cookie": f"mcp_session={session.id}"}) == 401


def test_a_revoked_token_stops_within_seconds(program, alice, server):
    """Revoking works on a running server, also for an open session."""
    other = program.token("owner", "bob")
    with server.client(**bearer(alice)) as http:
        session = Session(http).open()
        number = next(
            line.split()[0] for line in program.ok("token", "list").splitlines() if "alice" in line
        )
        program.ok("token", "revoke", number)
        assert until(lambda: session.post(LIST).status_code == 401, seconds=10)
    with server.client(**bearer(other)) as http:
        assert status(http) == 200


def test_a_revoked_token_loses_its_open_stream(program, alice, server):
    """An open stream ends as well."""
    with server.client(**bearer(alice)) as http:
        session = Session(http).open()
        with http.stream("GET", "/mcp", headers={**session.headers, "accept": "text/event-stream"}) as stream:
            assert stream.status_code == 200
            program.ok("token", "revoke", "1")
            for _ in stream.iter_raw():
                pass


def test_a_revoked_token_stays_wrong_when_no_other_is_left(program, alice, server):
    """It is refused even if no token is left."""
    program.ok("token", "revoke", "1")
    with server.client(**bearer(alice)) as http:
        assert until(lambda: status(http) == 401)


def test_revoking_the_last_token_lets_nobody_in(program, alice, serve):
    """After the last token was revoked, access does not become free again, from any address."""
    server = serve("--http-addr", "0.0.0.0:0", "--allow-remote")
    program.ok("token", "revoke", "1")
    with server.client(host="localhost") as http:
        for address in ("127.0.0.1", outer_address()):
            http.cookies.clear()
            assert http.post(f"http://{address}:{server.port}/mcp", json=LIST).status_code == 401
    fresh = program.token("owner", "bob")
    with server.client(host="localhost", **bearer(fresh)) as http:
        assert http.post(f"http://127.0.0.1:{server.port}/mcp", json=LIST).status_code == 200


def test_a_name_of_another_machine_needs_a_token(program, serve):
    """A request through a proxy comes from this machine, but not necessarily from its users."""
    server = serve("--allow-host", "lore.example")
    with server.client() as http:
        assert status(http) == 200
        http.cookies.clear()
        assert status(http, headers={"host": "lore.example"}) == 401


def test_what_a_proxy_passes_on_needs_a_token(program, server):
    """A proxy on this machine may ask under the server's own name, as nginx does unless it is told
    otherwise, and is still nobody's owner."""
    body = json.dumps(LIST).encode()
    kinds = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")]
    host = ("Host", f"127.0.0.1:{server.port}")
    plain = request("POST", "/mcp", [host, ("Connection", "close"), *kinds], body)
    assert exchange(server.port, plain).status == 200
    # nginx: proxy_pass http://127.0.0.1:PORT, and nothing else
    assert exchange(server.port, plain.replace(b"HTTP/1.1", b"HTTP/1.0", 1)).status == 401
    for told in ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"):
        passed_on = request("POST", "/mcp", [host, (told, "203.0.113.9"), *kinds], body)
        assert exchange(server.port, passed_on).status == 401, told


def test_each_token_of_a_person_has_its_own_role(program, serve):
    """A stronger token with the same name gives a weaker one nothing."""
    tokens = {role: program.token(role, "sam") for role in ("reader", "player", "gm")}
    tokens["none"] = program.token("reader", "owner")
    server = serve()
    arguments = {"name": "Ashfall", "gm_mode": "HUMAN"}
    make = message("tools/call", {"name": "campaign_create", "arguments": arguments})
    made = {}
    for role, token in tokens.items():
        with server.client(**bearer(token)) as http:
            answer = http.post("/mcp", json=make).json()
            made[role] = "error" not in answer and not answer["result"].get("isError")
    assert made == {"reader": False, "player": False, "gm": True, "none": False}


def outer_address() -> str:
    """Returns an address of this machine that is not loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing, only determines the route
        except OSError:
            pytest.skip("this machine has no address but loopback")
        return probe.getsockname()[0]


def test_guessing_is_slowed_down(alice, server):
    """After a burst of wrong tokens the address has to wait; the answer says how long."""
    with server.client() as http:
        wrong = bearer("lw_aaaaaaaa_" + "a" * 52)
        answers = [http.post("/mcp", json=LIST, headers=wrong) for _ in range(60)]
        assert {answer.status_code for answer in answers[:20]} == {401}
        refused = next(answer for answer in answers if answer.status_code == 429)
        assert int(refused.headers["retry-after"]) >= 1
        assert refused.json()["error"]["code"] == "RESOURCE_EXHAUSTED"


def test_no_token_is_no_guess(alice, server):
    """A request without a token does not count as a wrong token."""
    with server.client() as http:
        assert {status(http) for _ in range(60)} == {401}
        assert status(http, headers=bearer("lw_aaaaaaaa_" + "a" * 52)) == 401


def test_a_good_token_is_let_in_while_others_guess(alice, server):
    """Only wrong tokens are slowed down."""
    with server.client() as http:
        for _ in range(40):
            status(http, headers=bearer("lw_aaaaaaaa_" + "a" * 52))
        assert status(http, headers=bearer(alice)) == 200


def test_each_token_has_its_own_rate(program, alice, serve):
    """--rate-limit applies to each caller separately."""
    bob = program.token("player", "bob")
    server = serve("--rate-limit", "1")
    with server.client() as http:
        answers = [http.post("/mcp", json=LIST, headers=bearer(alice)) for _ in range(40)]
        assert [answer.status_code for answer in answers[:2]] == [200] * 2, "the burst"
        refused = [answer for answer in answers if answer.status_code == 429]
        assert refused and all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
        assert status(http, headers=bearer(bob)) == 200


def test_a_chosen_rate_holds_without_tokens_too(serve):
    """Local users are only limited if a limit was chosen."""
    with serve("--rate-limit", "1").client() as http:
        answers = [http.post("/mcp", json=LIST) for _ in range(40)]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert refused and all(int(answer.headers["retry-after"]) >= 1 for answer in refused)


@pytest.mark.parametrize("role", ["owner", "gm", "player", "reader"])
def test_a_role_sees_the_tools_it_may_call(program, serve, role):
    """tools/list shows the tools that the role may call; the others cannot be called."""
    order = ["reader", "player", "gm", "owner"]
    declared = program.tools()
    visible = [
        t["name"]
        for t in declared
        if order.index(t["role"]) <= order.index(role) or t["readingActions"]
    ]
    token = program.token(role, "alice")
    with serve().client(**bearer(token)) as http:
        session = Session(http).open()
        assert tool_names(session.request("tools/list")) == visible
        for tool in declared:
            if tool["name"] not in visible:
                refused = session.call(tool["name"], tool["example"])
                assert refused["isError"]
                assert refused["structuredContent"]["code"] == "PERMISSION_DENIED"


def test_a_reader_sees_only_tools_that_read(program, serve):
    """With a reader's token, no tool that writes is listed."""
    token = program.token("reader", "rita")
    with serve().client(**bearer(token)) as http:
        listed = Session(http).open().request("tools/list")["tools"]
        assert listed and all(tool["annotations"]["readOnlyHint"] for tool in listed)


def test_a_token_is_bound_to_its_world(program, serve):
    """Another world in the header is answered like one that does not exist."""
    token = program.token("player", "alice")
    program.ok("world", "create", "Hidden")
    with serve().client(**bearer(token)) as http:
        read = message("resources/read", {"uri": "lorewell://worlds"})
        assert "Hidden" not in http.post("/mcp", json=read).text
        http.cookies.clear()
        inside = http.post("/mcp", json=LIST, headers={"x-lorewell-world": "Hidden"})
        missing = http.post("/mcp", json=LIST, headers={"x-lorewell-world": "Absent"})
        texts = [
            answer.text.replace("Hidden", "X").replace("Absent", "X")
            for answer in (inside, missing)
        ]
        assert "error" in inside.text and texts[0] == texts[1]


def test_a_token_tells_nothing_of_its_holders_other_worlds(program, serve):
    """Another world of the same person is answered like one that does not exist, and the error
    names only the world of the token."""
    token = program.token("player", "alice")
    for world in ("Hidden", "Secret"):
        program.ok("world", "create", world)
        program.ok("--world", world, "token", "create", "--role", "player", "--name", "alice")
    with serve().client(**bearer(token)) as http:
        inside, missing = (
            http.post("/mcp", json=LIST, headers={"x-lorewell-world": name}).text
            for name in ("Hidden", "Absent")
        )
        assert "error" in inside and "Main" in inside
        assert inside.replace("Hidden", "Absent") == missing and "Secret" not in missing


def test_a_token_shows_the_world_it_leads_into(program, serve):
    """If a person has tokens in two worlds, each token lists and suggests its own."""
    token = program.token("player", "alice")
    program.ok("world", "create", "Elsewhere")
    program.ok("--world", "Elsewhere", "token", "create", "--role", "player", "--name", "alice")
    with serve().client(**bearer(token)) as http:

        def ask(method: str, params: dict) -> str:
            return http.post("/mcp", json=message(method, params)).text

        listed = ask("resources/read", {"uri": "lorewell://worlds"})
        assert "Main" in listed and "Elsewhere" not in listed
        one = ask("resources/read", {"uri": "lorewell://world/Elsewhere"})
        assert '"error"' in one and "created_at" not in one
        template = {"type": "ref/resource", "uri": "lorewell://world/{world}"}
        argument = {"name": "world", "value": ""}
        suggested = ask("completion/complete", {"ref": template, "argument": argument})
        assert "Main" in suggested and "Elsewhere" not in suggested


@pytest.mark.parametrize("name", ["\u00c4sche".encode(), b"%C3%84sche", b"%c3%84%73che"])
def test_a_world_is_named_in_any_letters(program, server, name):
    """The header with the world's name may be UTF-8 or percent-encoded."""
    program.ok("world", "create", "\u00c4sche")
    with server.client() as http:
        read = message("resources/read", {"uri": "lorewell://worlds"})
        answer = http.post("/mcp", json=read, headers=[(b"x-lorewell-world", name)])
        worlds = json.loads(result_of(answer_of(answer))["contents"][0]["text"])["worlds"]
        assert [world["name"] for world in worlds if world["current"]] == ["\u00c4sche"]


@pytest.mark.parametrize("name", [b"\xc4sche", b"%C4sche", b"\xff"])
def test_a_world_that_cannot_be_read_is_refused(server, name):
    """The default world is not used instead."""
    with server.client() as http:
        answer = http.post("/mcp", json=LIST, headers=[(b"x-lorewell-world", name)])
        assert answer.status_code == 400 and "x-lorewell-world" in answer.text


def test_the_secret_is_stored_only_as_a_hash(program, alice, serve):
    """No file in the data directory contains the secret; its SHA-256 is there."""
    server = serve()
    with server.client(**bearer(alice)) as http:
        assert status(http) == 200
    server.stop()
    secret = alice.split("_")[2]
    files = b"".join(file.read_bytes() for file in program.data.iterdir() if file.is_file())
    assert secret.encode() not in files
    assert hashlib.sha256(secret.encode()).digest() in files


def test_session_ids_are_not_stored_in_the_clear(server, program):
    """A session id is a credential, too."""
    with server.client() as http:
        session = Session(http).open()
    server.stop()
    files = b"".join(file.read_bytes() for file in program.data.iterdir() if file.is_file())
    secret = base64.b32decode(session.id.upper() + "====")
    assert len(secret) == 32, "256 bits"
    assert session.id.encode() not in files and secret not in files


def test_the_secret_is_never_logged(program, alice, serve):
    """At the highest log level, after good and bad uses, stderr contains no token."""
    server = serve("-vvv")
    wrong = alice[:-5] + "aaaaa"
    with server.client(**bearer(alice)) as http:
        session = Session(http).open()
        session.request("tools/list")
        session.call("duality_rules_version", {})
        session.end()
    with server.client(**bearer(wrong)) as http:
        assert status(http) == 401
    server.stop()
    log = server.log()
    assert " DEBUG " in log or " TRACE " in log, "the log is on"
    for token in (alice, wrong):
        assert token not in log and token.split("_")[2] not in log


def test_listing_tokens_shows_no_secret(program, alice):
    """token list shows the public part, the name and the role."""
    listed = program.ok("token", "list")
    _, public, secret = alice.split("_")
    assert public in listed and "alice" in listed and "player" in listed and secret not in listed


def refused_to_listen(program, *arguments) -> str:
    """Starts a server that must refuse to start, and returns its error output."""
    done = program.run("serve", *arguments)
    assert done.returncode == 1 and "listening" not in done.stdout, done.stdout
    return done.stderr


@pytest.mark.parametrize("address", WILDCARDS)
def test_a_wildcard_is_refused_without_the_flag(program, alice, address):
    """Every spelling of "all interfaces" needs --allow-remote, even with a token."""
    said = refused_to_listen(program, "--http-addr", address)
    assert "--allow-remote" in said or "is not an address" in said


@pytest.mark.parametrize("address", WILDCARDS)
def test_a_wildcard_is_refused_without_a_token(program, address):
    """With --allow-remote but without any token, everybody would be the owner."""
    said = refused_to_listen(program, "--http-addr", address, "--allow-remote")
    assert "token create" in said or "is not an address" in said


def test_a_wildcard_is_served_with_flag_and_token(program, alice, serve):
    """With both it listens, and still requires the token."""
    server = serve("--http-addr", "0.0.0.0:0", "--allow-remote")
    done = subprocess.run(
        [
            "curl",
            "-s",
            "-o",
            "/dev/null",
            "-w",
            "%{http_code}",
            f"http://127.0.0.1:{server.port}/mcp",
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "401"


def test_the_answer_of_a_good_token_is_not_cached(alice, server):
    """Answers must not stay in any cache on the way."""
    with server.client(**bearer(alice)) as http:
        answer = http.post("/mcp", json=LIST)
        assert result_of(answer_of(answer))
        assert answer.headers["cache-control"] in ("no-store", "no-cache")
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_vault_is_the_one_worlds_it_was_opened_for(program, serve):
    """Owners of another world on the same server have no vault: they cannot read or write notes,
    and pages that they ingest are stored without one."""
    vault = program.home / "vault"
    vault.mkdir()
    (vault / "Plan.md").write_text("# Plan\n\nThe mayor is the wyrm.\n")
    program.ok("world", "create", "Ours", "--use")
    program.ok("world", "create", "Theirs")
    mine = program.token("owner", "ada")
    neighbours = [
        program.ok("--world", "Theirs", "token", "create", "--role", role, "--name", role).strip()
        for role in ("gm", "owner")
    ]
    with page_server() as pages:
        url = pages.put("/herring", ARTICLE)
        program.settings = {"VAULT_PATH": str(vault), "LOREWELL_WEB_REACHABLE": pages.address}
        server = serve("--world", "Ours")
        note = {"path": "Plan.md", "content": "Mine now."}
        for token in neighbours:
            with server.client(authorization=f"Bearer {token}") as http:
                seat = Seat(Session(http).open())
                for tool, arguments in (("vault_read_note", {"path": "Plan.md"}),
                                        ("vault_write_note", note), ("vault_list_notes", {"folder": ""})):
                    told = seat.result(tool, arguments)
                    assert told["isError"] and "there is no vault" in str(told["content"]), told
                for tool in ("preview_url", "process_url", "ingest_url"):
                    taken = seat.do(tool, url=url)
                assert not taken.get("vault_note_path"), taken
                found = http.post("/compat/koi/sync-relationships", json={})
                assert found.status_code != 200, found.text
                assert "wyrm" not in str(seat.do("knowledge_search", query="who the mayor is"))
        with server.client(authorization=f"Bearer {mine}") as http:
            seat = Seat(Session(http).open())
            assert "wyrm" in str(seat.result("vault_read_note", {"path": "Plan.md"}))
            for tool in ("preview_url", "process_url", "ingest_url"):
                taken = seat.do(tool, url=url)
            assert (vault / taken["vault_note_path"]).is_file()
    assert sorted(path.name for path in vault.rglob("*.md")) == ["Herring.md", "Plan.md"]
