"""The KOI-net node as others see it over HTTP, and its commands. These tests need no other
implementation."""

import json
import stat

import pytest

from harness.federation import ENTITY, Lorewell
from harness.koi_caller import Caller
from harness.program import until

DOCUMENT = "orn:lorewell.document"


@pytest.fixture
def well(binary, tmp_path):
    """A Lorewell node that is not started yet."""
    node = Lorewell(binary, tmp_path / "well", name="well")
    yield node
    node.kill()


@pytest.fixture
def caller(well):
    """A function that connects a caller which the running node knows and which subscribes to what
    it shares."""

    def connect() -> Caller:
        caller = Caller(well.server.client(), well.rid)
        clients.append(caller.http)
        assert caller.introduce().status_code == 200
        assert caller.subscribe(ENTITY, DOCUMENT).status_code == 200
        return caller

    clients = []
    yield connect
    for client in clients:
        client.close()


def shared(caller: Caller, kind: str) -> list[str]:
    return [rid for rid in caller.rids() if rid.startswith(kind)]


def test_who_asks_is_told_of_the_world_as_it_is(well, caller):
    """What is hidden or no longer shared is gone for whoever asks right afterwards."""
    well.start()
    leaf = caller()
    entity = {"entity_type": "character", "name": "Osanna", "entry": "A vampire noble."}
    number = well.call("create_entities", {"entities": [entity]})["results"][0]["entity_id"]
    well.command("share", "everything")
    [rid] = shared(leaf, ENTITY)
    assert "vampire" in json.dumps(leaf.bundle(rid))
    well.call("update_entities", {"updates": [{"entity_id": number, "is_hidden": True}]})
    assert leaf.bundle(rid) is None
    assert shared(leaf, ENTITY) == []
    told = [event for event in leaf.poll() if event["rid"] == rid]
    assert [event["event_type"] for event in told] == ["FORGET"]
    well.call("update_entities", {"updates": [{"entity_id": number, "is_hidden": False}]})
    assert leaf.bundle(rid)["name"] == "Osanna"
    well.command("share", "everything", "--stop")
    assert leaf.bundle(rid) is None and shared(leaf, ENTITY) == []


def test_a_note_is_shared_once_its_owner_opens_it(well, caller):
    vault = well.program.home / "vault"
    vault.mkdir(parents=True)
    (vault / "Flummoxery.md").write_text("What a flummox is.\n")
    well.program.settings = {"VAULT_PATH": str(vault)}
    well.program.ok("index")
    well.start()
    leaf = caller()
    refused = well.program.run("federation", "share", "Flummoxery", "--config", str(well.config))
    assert refused.returncode == 1 and "--open" in refused.stderr, refused.stderr
    assert "0 now; 1 not every member sees" in well.command("share", "kind:vault_note")
    assert shared(leaf, DOCUMENT) == []
    assert 'vault_note "Flummoxery"' in well.command("share", "Flummoxery", "--open")
    [rid] = shared(leaf, DOCUMENT)
    assert "flummox" in json.dumps(leaf.bundle(rid))
    (vault / "Flummoxery.md").write_text("Nobody knows what a zarquon is.\n")
    assert until(lambda: "zarquon" in json.dumps(leaf.bundle(rid)))
    assert "still shared by the rule kind:vault_note" in well.command("share", "Flummoxery", "--stop")
    well.command("share", "kind:vault_note", "--stop")
    assert shared(leaf, DOCUMENT) == []
    assert "nothing is shared" in well.command("share")


def test_wrong_shapes_and_replays_are_refused(well, caller):
    well.start()
    leaf = caller()
    question = {"type": "fetch_rids", "rid_types": []}
    overheard = leaf.sealed(question)
    assert leaf.post("rids/fetch", overheard).status_code == 200
    assert leaf.post("rids/fetch", leaf.sealed(question)).status_code == 200
    replay = leaf.post("rids/fetch", overheard)
    assert (replay.status_code, replay.json()["error"]) == (400, "replayed")
    assert leaf.post("rids/fetch", leaf.sealed(["fetch_rids", []])).status_code == 422
    odd = leaf.about("orn:test.thing:1", {"name": "x"})
    for moment in [1767323045, "2026-01-02T03:04:05", "2026-01-02T03:04:05.12Z"]:
        odd["manifest"]["timestamp"] = moment
        assert leaf.say(odd).status_code == 422, moment
    assert well.health()["status"] == "healthy"


def test_the_key_is_closed_to_others_and_encrypted_as_soon_as_there_is_a_password(well):
    well.start()
    rid = well.rid
    well.server.stop()
    key = well.program.data / "koi-net.pem"
    key.chmod(0o644)
    well.program.settings = {"PRIV_KEY_PASSWORD": "open sesame"}
    well.server.start()
    assert well.rid == rid
    assert "ENCRYPTED" in key.read_text()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert "open sesame" not in well.server.log()


def test_commands_beside_a_node_and_without_one(well):
    status = json.loads(well.command("status"))
    assert (status["status"], status["node"]) == ("disabled", None)
    assert not (well.program.data / "koi-net.pem").exists(), "looking makes no key"
    well.start()
    status = json.loads(well.command("status"))
    assert status["status"] == "kept" and status["node"]["base_url"] == well.url
    itself = well.program.run("federation", "connect", well.url, "--config", str(well.config))
    assert itself.returncode == 1 and "this node itself" in itself.stderr
    junk = well.program.run("federation", "connect", "junk", "--config", str(well.config))
    assert junk.returncode == 1 and "neither an address" in junk.stderr
    never = well.program.run("federation", "share", "kind:quest", "--stop", "--config", str(well.config))
    assert never.returncode == 1 and "not found" in never.stderr.lower(), never.stderr


def test_a_node_that_cannot_be_called_is_connected_by_its_rid(well, caller):
    """Its subscription waits for the owner's approval, which needs no address."""
    text = well.config.read_text().replace('"anyone"', '"connected"')
    well.config.write_text(text)
    well.start()
    leaf = caller()
    assert well.peer(leaf.rid)["their_subscription"] == "proposed"
    assert leaf.rid in well.command("connect", leaf.rid)
    assert until(lambda: well.peer(leaf.rid)["their_subscription"] == "approved")


def test_what_a_node_knows_is_not_told_to_other_worlds(well):
    well.start()
    rid = well.rid
    well.program.ok("world", "create", "Elsewhere")
    elsewhere = well.program.ok(
        "--world", "Elsewhere", "token", "create", "--role", "owner", "--name", "Eve"
    ).strip()
    here = well.program.token("reader", "Ann")
    with well.server.client(Authorization=f"Bearer {elsewhere}") as http:
        for path in ["/koi-net/health", "/compat/koi/koi-net/health"]:
            # The server checks every second whether there are tokens by now.
            assert until(lambda: http.get(path).json()["status"] == "disabled"), path
            assert rid not in http.get(path).text
    with well.server.client(Authorization=f"Bearer {here}") as http:
        assert http.get("/koi-net/health").json()["node"]["node_rid"] == rid


def test_a_message_that_is_not_said_to_be_json_is_refused(well, caller):
    well.start()
    leaf = caller()
    question = leaf.sealed({"type": "fetch_rids", "rid_types": []}).encode()
    for kind, status in [("text/plain", 422), ("application/json", 200)]:
        headers = {"content-type": kind}
        answer = leaf.http.post("/koi-net/rids/fetch", content=question, headers=headers)
        assert answer.status_code == status, kind


def test_the_queue_is_the_same_inside_and_beside_the_node(well, binary, tmp_path):
    other = Lorewell(binary, tmp_path / "other", name="other")
    try:
        well.start()
        other.start()
        for one, two in ((well, other), (other, well)):
            one.command("connect", two.url)
        assert until(lambda: (well.peer(other.rid) or {}).get("their_subscription") == "approved")
        assert until(lambda: well.health()["event_queue_size"] == 0)
        assert json.loads(well.command("status"))["event_queue_size"] == 0
    finally:
        other.kill()


def test_whom_the_owner_leaves_hears_of_it_by_its_next_poll(well, caller):
    well.start()
    leaf = caller()
    leaf.poll()
    well.command("forget", leaf.rid)

    def is_told() -> bool:
        events = [(event["rid"], event["event_type"]) for event in leaf.poll()]
        return (leaf.target, "FORGET") in events

    assert until(is_told)
    assert leaf.say().status_code == 400, "nothing else is heard"


def test_mentions_leave_as_names_of_what_everybody_sees(well, caller):
    well.start()
    leaf = caller()
    made = [
        {"entity_type": "character", "name": "Osanna", "entry": "x"},
        {"entity_type": "character", "name": "The traitor", "entry": "x", "is_hidden": True},
    ]
    seen, hidden = (
        one["entity_id"] for one in well.call("create_entities", {"entities": made})["results"]
    )
    entry = f"Friend of [entity:{seen}], of [entity:{hidden}], of [entity:{hidden}|somebody]."
    teller = {"entity_type": "character", "name": "Teller", "entry": entry}
    well.call("create_entities", {"entities": [teller]})
    well.command("share", "Teller")
    [rid] = shared(leaf, ENTITY)
    text = json.dumps(leaf.bundle(rid)["texts"], ensure_ascii=False)
    assert "Friend of Osanna, of …, of somebody." in text, text


@pytest.mark.parametrize("address", ["junk", "ftp://lore.example.org/koi-net", "http:///koi-net"])
def test_an_address_that_is_none_is_refused(binary, tmp_path, address):
    node = Lorewell(binary, tmp_path, name="well", base_url=address)
    done = node.program.run("serve", "--http-addr", "127.0.0.1:0", "--config", str(node.config))
    assert done.returncode == 1
    assert "federation.base_url" in done.stderr and "https://" in done.stderr, done.stderr


def test_a_node_whose_health_is_not_for_everybody_says_who_it_is(well, binary, tmp_path):
    other = Lorewell(binary, tmp_path / "other", name="other")
    try:
        well.start()
        other.start()
        rid = other.rid
        other.program.ok("token", "create", "--role", "player", "--name", "alice")
        with other.server.client() as http:
            assert until(lambda: http.get("/koi-net/health").status_code == 401)
        assert rid in well.command("connect", other.url)
        assert until(lambda: (well.peer(rid) or {}).get("our_subscription") in ("proposed", "approved"))
    finally:
        other.kill()
