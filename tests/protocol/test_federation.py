"""The KOI-net node with nodes of the reference implementation, and with other Lorewell nodes."""

import json
import os
import shutil
import sqlite3
import time
from contextlib import closing

import pytest

from harness.federation import ENTITY, PRACTICE, Lorewell, Reference
from harness.program import until
from harness.web import Session

NODE = "orn:koi-net.node"
LONG = 60.0
"""Timeout in seconds for what takes several rounds of calls between programs on a busy machine."""


@pytest.fixture(params=["2.1.2", "2.0.7"])
def version(request) -> str:
    """A Python with a version of the reference implementation."""
    return os.environ[f"KOI_NET_{request.param.replace('.', '_')}"]


@pytest.fixture
def newest() -> str:
    return os.environ["KOI_NET_2_1_2"]


@pytest.fixture
def nodes():
    """Registers nodes, which are killed when the test ends."""
    started = []
    yield started.append
    for node in started:
        node.kill()


@pytest.fixture
def lorewell(binary, tmp_path, nodes):
    """A function that starts Lorewell nodes."""

    def start(name: str = "well", **table) -> Lorewell:
        node = Lorewell(binary, tmp_path / name, name=name, **table)
        nodes(node)
        return node.start()

    return start


@pytest.fixture
def reference(tmp_path, nodes):
    """A function that starts nodes of the reference implementation."""

    def start(python: str, kind: str, name: str, **wanted) -> Reference:
        node = Reference(python, tmp_path / name, kind, name, **wanted)
        nodes(node)
        return node

    return start


def make_entity(well: Lorewell, name: str, entry: str) -> int:
    made = well.call(
        "create_entities", {"entities": [{"entity_type": "character", "name": name, "entry": entry}]}
    )
    return made["results"][0]["entity_id"]


def entities(cache: dict) -> list[dict]:
    return [contents for rid, contents in cache.items() if rid.startswith(ENTITY)]


def text_of(contents: dict) -> str:
    return " ".join(text["body"] for text in contents["texts"])


def found(well: Lorewell, words: str) -> str:
    """Returns what the search finds, in lower case."""
    answer = well.call("knowledge_search", {"query": words})
    return json.dumps([answer["results"], answer.get("chunk_results")]).lower()


def manifests(well: Lorewell, whose: str) -> dict[str, str]:
    """Returns the hash of each entity's contents that a node has, read from its store. `whose` is
    "own" or "foreign"."""
    with closing(sqlite3.connect(f"file:{well.program.store}?mode=ro", uri=True)) as store:
        rows = store.execute(
            "SELECT json_extract(properties, '$.koi') FROM node"
            " WHERE deleted_at IS NULL AND json_extract(properties, '$.koi') IS NOT NULL"
        ).fetchall()
    records = [json.loads(text) for (text,) in rows]
    kept = [record for record in records if record["is"] == whose]
    things = {record["manifest"]["rid"]: record["manifest"]["sha256_hash"] for record in kept}
    return {rid: digest for rid, digest in things.items() if rid.startswith(ENTITY)}


def is_linked(well: Lorewell, rid: str) -> bool:
    peer = well.peer(rid)
    return bool(peer) and peer["our_subscription"] == peer["their_subscription"] == "approved"


def edges(peer: Reference) -> dict[str, dict]:
    return {rid: edge for rid, edge in peer.cache().items() if rid.startswith("orn:koi-net.edge:")}


def approval(peer: Reference, well: Lorewell) -> str | None:
    """Returns the status of our subscription at the provider."""
    ours = [edge for edge in edges(peer).values() if edge["source"] == peer.rid]
    return ours[0]["status"] if ours and ours[0]["target"] == well.rid else None


def test_a_reference_node_and_lorewell_tell_each_other(lorewell, reference, version):
    """Handshake and edges in both directions. Our entity appears there, is changed and is
    forgotten; theirs is found here. All of it also works after either side was killed."""
    well = lorewell()
    contact = {"rid": well.rid, "url": well.url}
    peer = reference(
        version, "full", "sensor", provides=[PRACTICE], wants=[ENTITY, NODE], first_contact=contact
    )
    well.command("connect", peer.url, "--rid", peer.rid)
    assert until(lambda: is_linked(well, peer.rid), LONG), well.health()

    number = make_entity(well, "Osanna", "A vampire noble of the northern court.")
    make_entity(well, "Nobody", "Not shared with anybody.")
    well.command("share", "Osanna")
    assert until(lambda: entities(peer.cache()), LONG), well.health()
    assert [entity["name"] for entity in entities(peer.cache())] == ["Osanna"]

    peer.put(f"{PRACTICE}:eelgrass", {"name": "Eelgrass planting", "description": "Shoots on frames."})
    assert until(lambda: "eelgrass" in found(well, "eelgrass shoots"), LONG), well.health()

    change = {"updates": [{"entity_id": number, "name": "Osanna", "entry": "She left the court."}]}
    well.call("update_entities", change)
    assert until(lambda: "left" in text_of(entities(peer.cache())[0]), LONG)

    well.kill()
    well.start()
    change["updates"][0]["entry"] = "She came back after the restart."
    well.call("update_entities", change)
    assert until(lambda: "came back" in text_of(entities(peer.cache())[0]), LONG)

    peer.kill()
    peer.start()
    change["updates"][0]["entry"] = "She saw the other side start anew."
    well.call("update_entities", change)
    assert until(lambda: "start anew" in text_of(entities(peer.cache())[0]), LONG)
    peer.put(f"{PRACTICE}:kelp", {"name": "Kelp forest", "description": "Spores on gravel."})
    assert until(lambda: "kelp" in found(well, "kelp spores"), LONG)

    well.command("share", "Osanna", "--stop")
    assert until(lambda: not entities(peer.cache()), LONG)
    peer.forget(f"{PRACTICE}:eelgrass")
    assert until(lambda: well.health()["federated"] == 1, LONG)
    assert "shoots on frames" not in found(well, "eelgrass shoots")
    assert peer.is_running() and well.server.is_running()


@pytest.mark.parametrize("kind", ["full", "partial"])
def test_a_reference_node_that_lost_its_memory_is_subscribed_to_anew(lorewell, reference, version, kind):
    peer = reference(version, "full", "sensor", provides=[PRACTICE], wants=[ENTITY, NODE])
    well = lorewell(kind=kind)
    make_entity(well, "Osanna", "A vampire noble of the northern court.")
    well.command("share", "Osanna")
    well.command("connect", peer.url, "--rid", peer.rid)
    assert until(lambda: approval(peer, well) == "APPROVED", LONG), well.health()
    # A reference node subscribes only to nodes that it can call.
    assert kind == "partial" or until(lambda: entities(peer.cache()), LONG), well.health()
    peer.kill()
    shutil.rmtree(peer.home / ".rid_cache")
    peer.start()
    assert until(lambda: approval(peer, well) == "APPROVED", LONG), well.health()
    peer.put(f"{PRACTICE}:kelp", {"name": "Kelp forest", "description": "Spores on gravel."})
    assert until(lambda: "kelp" in found(well, "kelp spores"), LONG), well.health()
    assert kind == "partial" or until(lambda: entities(peer.cache()), LONG), "told again, unchanged"


def test_a_reference_node_that_forgot_us_while_we_were_away(lorewell, reference, version):
    peer = reference(version, "full", "sensor", provides=[PRACTICE], wants=[ENTITY, NODE])
    well = lorewell()
    rid = well.rid
    well.command("connect", peer.url, "--rid", peer.rid)
    assert until(lambda: approval(peer, well) == "APPROVED", LONG), well.health()
    well.kill()
    for number in range(40):
        if rid not in peer.cache():
            break
        peer.put(f"{PRACTICE}:away-{number}", {"name": f"Away {number}", "description": "Unheard."})
        time.sleep(1.5)
    assert until(lambda: rid not in peer.cache() and not edges(peer), LONG), "it forgets us"
    well.start()
    assert until(lambda: approval(peer, well) == "APPROVED", LONG), well.health()
    peer.put(f"{PRACTICE}:kelp", {"name": "Kelp forest", "description": "Spores on gravel."})
    assert until(lambda: "kelp" in found(well, "kelp spores"), LONG), well.health()
    assert until(lambda: well.peer(peer.rid)["our_subscription"] == "approved", LONG)


def test_two_lorewell_nodes_part_and_come_together(lorewell):
    """The node that is left is told so, and receives everything again once the other one is
    back."""
    one, two = lorewell("one"), lorewell("two")
    for well, other in ((one, two), (two, one)):
        well.command("connect", other.url)
        well.command("share", "everything")
    assert until(lambda: is_linked(one, two.rid) and is_linked(two, one.rid), LONG), one.health()
    make_entity(one, "Osanna", "A vampire noble.")
    assert until(lambda: "vampire" in found(two, "vampire noble"), LONG), two.health()
    one.command("forget", "two")

    def parted() -> bool:
        peer = two.peer(one.rid)
        return peer["our_subscription"] is None and peer["their_subscription"] is None

    assert until(parted, LONG), two.health()
    make_entity(one, "Gotrek", "A slayer.")
    one.command("connect", two.url)
    make_entity(two, "Felix", "A poet.")
    assert until(lambda: "slayer" in found(two, "slayer"), LONG), (one.health(), two.health())
    assert until(lambda: "poet" in found(one, "poet"), LONG), (one.health(), two.health())
    assert until(lambda: is_linked(one, two.rid) and is_linked(two, one.rid), LONG), one.health()


def test_nodes_find_each_other_through_a_coordinator(lorewell, reference, newest):
    coordinator = reference(newest, "coordinator", "coordinator")
    contact = {"rid": coordinator.rid, "url": coordinator.url}
    sensor = reference(
        newest, "full", "sensor", provides=[PRACTICE], wants=[ENTITY, NODE], first_contact=contact
    )
    well = lorewell(wants=[NODE, PRACTICE])
    make_entity(well, "Osanna", "A vampire noble.")
    well.command("share", "kind:character")
    well.command("connect", coordinator.url, "--rid", coordinator.rid)
    assert until(lambda: is_linked(well, sensor.rid), LONG), well.health()
    assert until(lambda: entities(sensor.cache()), LONG)
    sensor.put(f"{PRACTICE}:eelgrass", {"name": "Eelgrass planting", "description": "Shoots."})
    assert until(lambda: well.health()["federated"] == 1, LONG)
    assert coordinator.is_running()


def test_a_partial_node_polls(lorewell, reference, version):
    """Lorewell has no address of its own: it makes the calls and polls for events."""
    peer = reference(version, "full", "hub", provides=[PRACTICE], wants=[NODE])
    well = lorewell(kind="partial")
    well.command("connect", peer.url, "--rid", peer.rid)
    assert until(lambda: (well.peer(peer.rid) or {}).get("our_subscription") == "approved", LONG)
    peer.put(f"{PRACTICE}:eelgrass", {"name": "Eelgrass planting", "description": "Shoots."})
    assert until(lambda: well.health()["federated"] == 1, LONG)
    well.kill()
    peer.put(f"{PRACTICE}:kelp", {"name": "Kelp forest", "description": "Spores."})
    well.start()
    assert until(lambda: well.health()["federated"] == 2, LONG)


def test_a_partial_reference_node_is_served_by_polls(lorewell, reference, version):
    well = lorewell()
    make_entity(well, "Osanna", "A vampire noble.")
    well.command("share", "kind:character")
    contact = {"rid": well.rid, "url": well.url}
    leaf = reference(version, "partial", "leaf", wants=[ENTITY, NODE], first_contact=contact)
    assert until(lambda: entities(leaf.cache()), LONG), well.health()
    make_entity(well, "Gotrek", "A slayer.")
    assert until(lambda: len(entities(leaf.cache())) == 2, LONG), well.health()


def test_what_a_partial_reference_node_has_arrives(lorewell, reference, version):
    """Nobody can call this node: its owner connects it here by its RID, and it sends its events
    itself."""
    well = lorewell()
    contact = {"rid": well.rid, "url": well.url}
    leaf = reference(
        version, "partial", "leaf", provides=[PRACTICE], wants=[ENTITY, NODE], first_contact=contact
    )
    well.command("connect", leaf.rid)
    assert until(lambda: (well.peer(leaf.rid) or {}).get("our_subscription") == "approved", LONG)
    leaf.put(f"{PRACTICE}:eelgrass", {"name": "Eelgrass planting", "description": "Shoots."})
    assert until(lambda: "eelgrass" in found(well, "eelgrass shoots"), LONG), well.health()
    leaf.forget(f"{PRACTICE}:eelgrass")
    assert until(lambda: well.health()["federated"] == 0, LONG), well.health()


def test_two_lorewell_nodes_of_which_one_cannot_be_called(lorewell):
    hub, leaf = lorewell("hub"), lorewell("leaf", kind="partial")
    make_entity(leaf, "Osanna", "A vampire noble.")
    leaf.command("share", "kind:character")
    leaf.command("connect", hub.url)
    rid = json.loads(leaf.command("status"))["node"]["node_rid"]
    hub.command("connect", rid)
    assert until(lambda: hub.health()["federated"] == 1, LONG), (hub.health(), leaf.health())


def test_ten_thousand_things_survive_three_kills(lorewell):
    """Two Lorewell nodes; the receiver and the sender are killed during the transfer."""
    one, two = lorewell("one"), lorewell("two")
    with one.server.client() as http:
        session = Session(http).open()
        for start in range(0, 10_000, 100):
            batch = [
                {"entity_type": "character", "name": f"Thing {n}", "entry": f"The number {n}."}
                for n in range(start, start + 100)
            ]
            session.call("create_entities", {"entities": batch})
    one.command("share", "kind:character")
    two.command("connect", one.url)
    for round in range(3):
        goal = 2_500 * (round + 1)
        assert until(lambda: two.health()["federated"] >= goal, 600, 0.1), (one.health(), two.health())
        victim = two if round != 1 else one
        victim.kill()
        victim.start()
    assert until(lambda: two.health()["federated"] == 10_000, 600, 0.2), (one.health(), two.health())
    for node in (one, two):
        assert "all is well" in node.program.ok("doctor")
    assert "the number 7777" in found(two, "Thing 7777")
    told, heard = manifests(one, "own"), manifests(two, "foreign")
    assert len(told) == 10_000 and heard == told


def test_the_node_tells_members_only_how_it_is(lorewell):
    """Once there are tokens, the health endpoint needs one, because it is not a message of the
    protocol. Messages do not need one."""
    well = lorewell()
    rid, token = well.rid, well.program.token("reader", "Ann")
    with well.server.client() as http:
        # The server checks every second whether there are tokens by now.
        assert until(lambda: http.get("/mcp").status_code == 401, LONG)
        for path in ["health", "koi-net/health", "%68ealth", "koi-net/%68ealth"]:
            assert http.get(f"/koi-net/{path}").status_code == 401, path
        assert http.post("/koi-net/rids/fetch", json={}).status_code == 422
    with well.server.client(Authorization=f"Bearer {token}") as http:
        assert http.get("/koi-net/health").json()["node"]["node_rid"] == rid
        assert http.get("/compat/koi/koi-net/health").json()["node"]["node_rid"] == rid


def test_messages_that_are_not_believed(lorewell):
    """Invalid requests from outside are refused with the protocol's errors, and the node stays
    healthy."""
    well = lorewell()
    with well.server.client() as http:
        for path in ["events/broadcast", "events/poll", "rids/fetch", "koi-net/bundles/fetch"]:
            assert http.post(f"/koi-net/{path}", content=b"{}").status_code == 422, path
            assert http.post(f"/koi-net/{path}", content=b"\xff").status_code == 422, path
        stranger = {
            "payload": {"type": "fetch_rids", "rid_types": []},
            "source_node": "orn:koi-net.node:x+00",
            "target_node": well.rid,
            "signature": "AAAA",
        }
        answer = http.post("/koi-net/rids/fetch", json=stranger)
        assert (answer.status_code, answer.json()) == (
            400,
            {"type": "error_response", "error": "unknown_node"},
        )
        assert http.get("/koi-net/rids/fetch").status_code == 404
        assert http.post("/koi-net/nowhere", json={}).status_code == 404
    assert well.health()["status"] == "healthy"


def test_without_federation_there_is_no_node(server):
    with server.client() as http:
        assert http.get("/koi-net/health").status_code == 404
        assert http.post("/koi-net/rids/fetch", json={}).status_code == 404
