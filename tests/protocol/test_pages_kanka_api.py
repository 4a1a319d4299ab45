"""Kanka's API over the local world, with the published client and with plain HTTP requests."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from harness.table import Seat
from harness.web import Session

STORY = Path(__file__).parent / "harness" / "kanka_story.py"
PREFIXES = ["/compat/kanka/1.0", "/compat/kanka/api/1.0"]


@pytest.fixture
def token(program) -> str:
    return program.token("owner", "Kanka")


@pytest.fixture
def api(token, serve):
    """A plain HTTP client with a token, the campaign's path, and the server."""
    server = serve()
    with server.client(authorization=f"Bearer {token}") as http:
        [campaign] = http.get("/compat/kanka/1.0/campaigns").json()["data"]
        yield http, f"/compat/kanka/1.0/campaigns/{campaign['id']}", server


def tell(story: str, server, token: str, prefix: str = PREFIXES[0]) -> dict:
    """Runs a story of the published client and returns what it observed."""
    with server.client(authorization=f"Bearer {token}") as http:
        [campaign] = http.get(f"{prefix}/campaigns").json()["data"]
    environment = {
        "PATH": os.environ["PATH"],
        "KANKA_URL": f"{server.origin}{prefix}",
        "KANKA_TOKEN": token,
        "KANKA_CAMPAIGN": str(campaign["id"]),
    }
    done = subprocess.run(
        [os.environ["KANKA_PYTHON"], str(STORY), story],
        env=environment, capture_output=True, text=True, timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_published_client_works_with_all_nine_kinds(serve, token, prefix):
    for kind, seen in tell("every_kind", serve(), token, prefix).items():
        assert seen["entry"] == "<p>Some <strong>bold</strong> text</p>", kind
        assert seen["name"] == f"Two of {kind}"
        assert seen["posts"] == ["Post"] and seen["again"] == "Post again" and seen["left"] == 0
        assert seen["visibility"] == 2 and seen["related"] == 1
        for truth in ("tags", "listed", "found", "child", "gone"):
            assert seen[truth], (kind, truth)


def test_the_published_client_pages_syncs_and_fails_as_with_kanka(serve, token):
    server = serve()
    assert tell("paging", server, token) == {
        "sizes": [45, 45, 10], "distinct": 100, "total": 100, "last": 3,
    }
    assert tell("syncing", server, token) == {
        "before": 0, "after": ["First"], "typed": ["First"],
    }
    assert all(tell("faults", server, token).values())


def test_a_token_is_needed_even_where_all_else_is_open(program, serve):
    with serve().client() as http:
        refused = http.get("/compat/kanka/1.0/campaigns")
        assert refused.status_code == 401
        assert refused.json()["code"] == 401
    with serve().client(authorization="Bearer lw_wrong") as http:
        refused = http.get("/compat/kanka/1.0/campaigns")
        assert (refused.status_code, refused.json()["code"]) == (401, 401) and "hint" not in refused.text


def test_the_limiter_counts_thirty_a_minute(program, token, serve):
    with serve("--kanka-rate-limit", "30").client(authorization=f"Bearer {token}") as http:
        left = []
        for _ in range(30):
            answer = http.get("/compat/kanka/1.0/profile")
            assert answer.headers["x-ratelimit-limit"] == "30"
            left.append(int(answer.headers["x-ratelimit-remaining"]))
        assert left == list(range(29, -1, -1))
        refused = http.get("/compat/kanka/1.0/profile")
        assert refused.status_code == 429
        [sentence] = refused.json()
        assert "30 requests per minute" in sentence
        assert "retry-after" not in refused.headers


def test_what_tools_and_the_api_make_is_one_world(api, program):
    http, campaign, _ = api
    made = program.ok(
        "call", "create_entities",
        json.dumps({"entities": [{
            "entity_type": "organization", "name": "The Guard", "tags": ["city"],
            "entry": "Led by [character:7|*Bob*].\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
        }]}),
    )
    row = json.loads(made)["results"][0]
    [shown] = http.get(f"{campaign}/organisations").json()["data"]
    assert (shown["id"], shown["entity_id"]) == (row["id"], row["entity_id"])
    assert "[character:7|*Bob*]" in shown["entry"] and "<table>" in shown["entry"]
    [tag] = http.get(f"{campaign}/tags").json()["data"]
    assert shown["tags"] == [tag["id"]] and tag["name"] == "city"
    changed = http.patch(
        f"{campaign}/entities/{row['entity_id']}",
        json={"entry": "<p>Now <em>new</em> [new:character|Eve]</p><script>alert(1)</script>"},
    )
    assert changed.status_code == 200
    assert "script" not in changed.text and "[new:" not in changed.json()["data"]["child"]["entry"]
    got = json.loads(program.ok("call", "get_entities", json.dumps({"entity_ids": [row["entity_id"]]})))
    assert got["results"][0]["entry"] == "Now *new* [new:character|Eve]"


def test_a_tag_keeps_its_number_when_renamed_and_leaves_when_deleted(api):
    http, campaign, _ = api
    tag = http.post(f"{campaign}/tags", json={"name": "elf"}).json()["data"]
    again = http.post(f"{campaign}/tags", json={"name": "ELF"}).json()["data"]
    assert again["id"] == tag["id"], "a name is one tag"
    page = http.post(f"{campaign}/races", json={"name": "Elves", "tags": [tag["id"], "old"]}).json()["data"]
    assert len(page["tags"]) == 2
    http.patch(f"{campaign}/tags/{tag['id']}", json={"name": "elven"})
    races = http.get(f"{campaign}/races", params={"tags[]": tag["id"]}).json()["data"]
    assert [race["id"] for race in races] == [page["id"]]
    assert http.delete(f"{campaign}/tags/{tag['id']}").status_code == 204
    assert len(http.get(f"{campaign}/races/{page['id']}").json()["data"]["tags"]) == 1


def test_parents_and_mentions_are_told(api):
    http, campaign, _ = api
    land = http.post(f"{campaign}/locations", json={"name": "Land"}).json()["data"]["entity_id"]
    town = http.post(f"{campaign}/locations", json={
        "name": "Town", "parent_id": land, "entry": f"<p>In [location:{land}]</p>",
    }).json()["data"]
    post = http.post(f"{campaign}/entities/{town['entity_id']}/posts", json={
        "name": "Road", "entry": f"<p>To [entity:{land}|home]</p>",
    }).json()["data"]
    assert http.get(f"{campaign}/entities/{town['entity_id']}").json()["data"]["parent_id"] == land
    rows = http.get(f"{campaign}/entities/{land}/mentions").json()["data"]
    assert [(row["entity_id"], row["post_id"], row["target_id"]) for row in rows] == [
        (town["entity_id"], None, land), (town["entity_id"], post["id"], land),
    ]
    refused = http.patch(f"{campaign}/locations/{town['id']}", json={"parent_id": 4711})
    assert refused.status_code == 422 and "parent_id" in refused.json()["fields"]
    http.patch(f"{campaign}/locations/{town['id']}", json={"parent_id": None})
    assert http.get(f"{campaign}/entities/{town['entity_id']}").json()["data"]["parent_id"] is None


def test_a_hidden_parent_is_told_to_who_sees_it_and_kept_whoever_changes_the_page(api, program):
    http, campaign, server = api
    lair = http.post(f"{campaign}/locations", json={"name": "Lair", "is_private": True}).json()["data"]["entity_id"]
    with server.client(authorization=f"Bearer {program.token('player', 'Alice')}") as player:
        cave = player.post(f"{campaign}/locations", json={"name": "Cave"}).json()["data"]
        path = f"{campaign}/locations/{cave['id']}"
        assert http.patch(path, json={"parent_id": lair}).status_code == 200
        assert player.patch(path, json={"entry": "<p>Dark.</p>", "type": "Hole"}).status_code == 200
        page = f"{campaign}/entities/{cave['entity_id']}"
        assert player.get(page).json()["data"]["parent_id"] is None
        assert player.get(f"{campaign}/locations", params={"parent_id": lair}).json()["data"] == []
    assert http.get(page).json()["data"]["parent_id"] == lair


def test_nothing_is_part_of_itself(api):
    http, campaign, _ = api
    places = [http.post(f"{campaign}/locations", json={"name": name}).json()["data"] for name in "ABC"]

    def put_into(inner: int, outer: int) -> int:
        wanted = {"parent_id": places[outer]["entity_id"]}
        return http.patch(f"{campaign}/locations/{places[inner]['id']}", json=wanted).status_code

    assert put_into(0, 0) == 422
    assert (put_into(1, 0), put_into(2, 1)) == (200, 200)
    assert put_into(0, 2) == 422


PLURALS = ["characters", "creatures", "locations", "organisations", "races", "notes", "journals", "quests", "tags"]


def test_no_field_tells_a_player_the_number_of_what_is_hidden(api, program):
    http, campaign, server = api

    def make(plural: str, name: str, **fields) -> dict:
        made = http.post(f"{campaign}/{plural}", json={"name": name, "is_private": False, **fields})
        assert made.status_code == 201, made.text
        return made.json()["data"]

    hidden = make("locations", "Den", is_private=True)
    person = make("characters", "Spy", is_private=True)
    race = make("races", "Shades", is_private=True)
    mill = make("locations", "Mill")
    fields = {
        "parent_id": hidden["entity_id"], "author_id": person["entity_id"],
        "character_id": person["entity_id"], "locations": [hidden["id"], mill["id"]],
        "races": [race["id"]], "families": [person["entity_id"]],
    }
    children = {plural: make(plural, f"Open {plural}", **fields) for plural in PLURALS}
    secrets = {hidden["entity_id"], hidden["id"], person["entity_id"], race["id"]} - {mill["id"]}
    named = ("parent_id", "author_id", "instigator_id", "locations", "races", "families")

    def numbers(row: dict) -> set:
        found = [row.get(name) for name in named]
        return {n for value in found for n in (value if isinstance(value, list) else [value])}

    def of(client, plural: str) -> list[dict]:
        child = children[plural]
        one = client.get(f"{campaign}/entities/{child['entity_id']}", params={"related": 1}).json()["data"]
        listed = client.get(f"{campaign}/{plural}", params={"related": 1}).json()["data"]
        every = client.get(f"{campaign}/entities").json()["data"]
        recent = client.get(f"{campaign}/entities/recent").json()["data"]
        own = client.get(f"{campaign}/{plural}/{child['id']}").json()["data"]
        return [one, one["child"], own, *listed, *every, *recent]

    for role in ("player", "reader"):
        with server.client(authorization=f"Bearer {program.token(role, role)}") as other:
            for plural in PLURALS:
                for row in of(other, plural):
                    assert not secrets & numbers(row), (role, plural, row)
                for number in (hidden["entity_id"], 4711):
                    rows = other.get(f"{campaign}/{plural}", params={"parent_id": number}).json()
                    assert (rows["data"], rows["meta"]["total"]) == ([], 0)
            assert of(other, "quests")[1]["locations"] == [mill["id"]]
            asked = {"action": "query", "text": "Open quests", "detail": "full"}
            nodes = Seat(Session(other).open()).do("kn_graph", **asked)["nodes"]
            assert nodes and not secrets & set().union(*(numbers(node["properties"]) for node in nodes))
    for plural in PLURALS:
        assert hidden["entity_id"] in numbers(of(http, plural)[0])
    assert {race["id"], hidden["id"], person["entity_id"]} <= numbers(of(http, "characters")[1])


def test_numbers_of_others_are_checked_and_those_unseen_stay(api, program):
    http, campaign, server = api
    post = lambda client, plural, **fields: client.post(f"{campaign}/{plural}", json=fields)
    hidden, mill, weir = (post(http, "locations", name=name, is_private=name == "Den").json()["data"]
                          for name in ("Den", "Mill", "Weir"))
    with server.client(authorization=f"Bearer {program.token('player', 'Alice')}") as player:
        for field, seen in (("author_id", "entity_id"), ("locations", "id"), ("parent_id", "entity_id")):
            for number in (hidden[seen], 4711):
                value = [number] if field == "locations" else number
                refused = post(player, "journals", name="Log", **{field: value})
                assert refused.status_code == 422 and field in refused.json()["fields"], refused.text
        own = post(player, "journals", name="Log", locations=[mill["id"]]).json()["data"]
        path = f"{campaign}/journals/{own['id']}"
        wider = {"locations": [hidden["id"], mill["id"]], "parent_id": hidden["entity_id"]}
        assert http.patch(path, json=wider).status_code == 200
        again = player.patch(path, json={"locations": [weir["id"]], "parent_id": None}).json()["data"]
        assert again["locations"] == [weir["id"]]
    whole = http.get(path, params={"related": 1}).json()["data"]
    assert sorted(whole["locations"]) == [hidden["id"], weir["id"]]
    assert whole["parent_id"] == hidden["entity_id"]


def test_attributes_are_kept_beside_the_page_and_hidden_ones_from_players(api, program):
    http, campaign, server = api
    page = http.post(f"{campaign}/characters", json={"name": "Aelysh"}).json()["data"]
    path = f"{campaign}/entities/{page['entity_id']}/attributes"
    made = http.post(path, json={"name": "HP", "value": 30, "type_id": 6})
    assert made.status_code == 201 and made.json()["data"]["value"] == "30"
    hidden = http.post(path, json={"name": "Canary", "value": "x", "is_private": True}).json()["data"]
    assert [row["name"] for row in http.get(path).json()["data"]] == ["HP", "Canary"]
    changed = http.patch(f"{path}/{made.json()['data']['id']}", json={"value": "25", "is_pinned": True})
    assert (changed.json()["data"]["value"], changed.json()["data"]["is_pinned"]) == ("25", True)
    read = http.get(f"{campaign}/characters/{page['id']}", params={"related": 1}).json()["data"]
    assert [(row["name"], row["type_id"]) for row in read["attributes"]] == [("HP", 6), ("Canary", 1)]
    rows = http.get(f"{campaign}/characters", params={"attribute_name": "hp", "attribute_value": "25"}).json()
    assert [row["id"] for row in rows["data"]] == [page["id"]]
    with server.client(authorization=f"Bearer {program.token('player', 'Alice')}") as player:
        assert [row["name"] for row in player.get(path).json()["data"]] == ["HP"]
        assert player.delete(f"{path}/{hidden['id']}").status_code in (403, 404)
    assert http.delete(f"{path}/{hidden['id']}").status_code == 204
    assert http.get(f"{path}/{hidden['id']}").status_code == 404
    for bad in ({}, {"name": "x", "type_id": 99}, {"name": "x", "value": []}):
        assert http.post(path, json=bad).status_code == 422


def test_numbers_of_attributes_do_not_tell_of_hidden_ones(api, program):
    http, campaign, server = api
    with server.client(authorization=f"Bearer {program.token('player', 'Alice')}") as player:
        page = player.post(f"{campaign}/characters", json={"name": "Aelysh"}).json()["data"]
        path = f"{campaign}/entities/{page['entity_id']}/attributes"
        hidden = http.post(path, json={"name": "Doom", "value": 1, "is_private": True}).json()["data"]
        made = [player.post(path, json={"name": name}).json()["data"] for name in ("HP", "Age")]
        assert [(row["id"], row["default_order"]) for row in made] == [(1, 1), (2, 2)]
        # Each attribute keeps its number when it is shown or hidden, and none gets the number of
        # another.
        assert http.patch(f"{path}/{hidden['id']}", json={"is_private": False}).status_code == 200
        assert http.patch(f"{path}/1", json={"is_private": True}).status_code == 200
        made.append(player.post(path, json={"name": "Eyes"}).json()["data"])
        assert made[-1]["id"] == 3
        rows = {row["name"]: row["id"] for row in http.get(path).json()["data"]}
    assert rows == {"Doom": hidden["id"], "HP": 1, "Age": 2, "Eyes": 3}


def test_relations_are_edges_of_the_graph(api, program):
    http, campaign, server = api
    ann, bob = (http.post(f"{campaign}/characters", json={"name": name}).json()["data"]["entity_id"]
                for name in ("Ann", "Bob"))
    path = f"{campaign}/entities/{ann}/relations"
    made = http.post(path, json={"relation": "Sister of", "target_id": bob, "attitude": 80, "two_way": True})
    assert made.status_code == 201, made.text
    row = made.json()["data"]
    assert (row["owner_id"], row["target_id"], row["relation"], row["attitude"]) == (ann, bob, "Sister of", 80)
    secret = http.post(path, json={"relation": "Canary", "target_id": bob, "visibility_id": 2}).json()["data"]
    [back] = http.get(f"{campaign}/entities/{bob}/relations").json()["data"]
    assert (back["owner_id"], back["target_id"]) == (bob, ann)
    again = http.patch(f"{path}/{row['id']}", json={"attitude": -5}).json()["data"]
    assert (again["id"], again["attitude"], again["relation"]) == (row["id"], -5, "Sister of")
    other = http.patch(f"{path}/{row['id']}", json={"relation": "Rival of"}).json()["data"]
    assert (other["relation"], other["attitude"]) == ("Rival of", -5)
    with server.client(authorization=f"Bearer {program.token('reader', 'Rita')}") as reader:
        assert [row["relation"] for row in reader.get(path).json()["data"]] == ["Rival of"]
        assert reader.post(path, json={"relation": "x", "target_id": bob}).status_code == 403
    assert http.delete(f"{path}/{secret['id']}").status_code == 204
    read = http.get(f"{campaign}/entities/{ann}", params={"related": 1}).json()["data"]["child"]
    assert [row["relation"] for row in read["relations"]] == ["Rival of"]
    for bad in ({"relation": "x", "target_id": 4711}, {"relation": "x"}, {"target_id": bob},
                {"relation": "x", "target_id": bob, "attitude": 101}):
        assert http.post(path, json=bad).status_code == 422, bad


def test_a_relation_of_both_is_said_of_both_or_of_neither(api, program):
    http, campaign, server = api
    theirs = http.post(f"{campaign}/characters", json={"name": "Theirs"}).json()["data"]["entity_id"]
    with server.client(authorization=f"Bearer {program.token('player', 'Alice')}") as player:
        own = player.post(f"{campaign}/characters", json={"name": "Own"}).json()["data"]["entity_id"]
        path = f"{campaign}/entities/{own}/relations"
        asked = {"relation": "Friend of", "target_id": theirs, "two_way": True}
        assert player.post(path, json=asked).status_code == 403
        assert player.get(path).json()["data"] == []


def test_tags_of_an_entity_one_by_one(api):
    http, campaign, _ = api
    page = http.post(f"{campaign}/races", json={"name": "Elves"}).json()["data"]
    one, two = (http.post(f"{campaign}/tags", json={"name": name}).json()["data"]["id"] for name in ("a", "b"))
    path = f"{campaign}/entities/{page['entity_id']}/entity_tags"
    made = http.post(path, json={"tag_id": one})
    assert made.status_code == 201 and made.json()["data"]["tag_id"] == one
    assert http.put(f"{path}/{made.json()['data']['id']}", json={"tag_id": two}).status_code == 200
    assert [row["tag_id"] for row in http.get(path).json()["data"]] == [two]
    assert http.delete(f"{path}/{two}").status_code == 204
    assert http.get(path).json()["data"] == []
    assert http.delete(f"{path}/{two}").status_code == 404
    assert http.post(path, json={"tag_id": 4711}).status_code == 422


def test_several_are_made_at_once_and_the_latest_are_told(api):
    http, campaign, _ = api
    made = http.post(f"{campaign}/entities/20", json={"entities": [
        {"name": f"Creature {n}", "entry": "<p>x</p>", "tags": ["beast"]} for n in range(20)
    ]})
    assert made.status_code == 201 and len(made.json()["data"]) == 20
    assert {row["type"] for row in made.json()["data"]} == {"creature"}
    assert len(http.get(f"{campaign}/tags").json()["data"]) == 1
    recent = http.get(f"{campaign}/entities/recent", params={"amount": 3}).json()["data"]
    assert len(recent) == 3
    found = http.get(f"{campaign}/fulltext-search", params={"term": "creature 7"}).json()["data"]
    assert found[0]["name"] == "Creature 7"
    for bad in ([{"name": "x"}] * 21, [{"name": "Half"}, {}], "x"):
        assert http.post(f"{campaign}/entities/20", json={"entities": bad}).status_code == 422
    assert http.get(f"{campaign}/creatures").json()["meta"]["total"] == 20
    assert http.post(f"{campaign}/entities/4711", json={"entities": []}).status_code == 404


def test_lists_are_filtered_as_kanka_does(api):
    http, campaign, _ = api
    tag = {name: http.post(f"{campaign}/tags", json={"name": name}).json()["data"]["id"] for name in ("a", "b")}
    land = http.post(f"{campaign}/locations", json={"name": "Land", "image_uuid": "i-1"}).json()["data"]
    for name, fields in {
        "Town": {"parent_id": land["entity_id"], "tags": [tag["a"]], "entry": "<p>x</p>"},
        "Old town": {"tags": [tag["a"], tag["b"]], "type": "Ruin"}, "Mill": {"is_private": True},
    }.items():
        http.post(f"{campaign}/locations", json={"name": name, **fields})
    for day in ("2025-05-01", "2025-05-20"):
        http.post(f"{campaign}/journals", json={"name": day, "date": day})

    def names(what: str = "locations", **params) -> list[str]:
        return [row["name"] for row in http.get(f"{campaign}/{what}", params=params).json()["data"]]

    both = [tag["a"], tag["b"]]
    assert names(name="town") == ["Town", "Old town"]
    assert names(name="town!") == ["Town"] and names(name="!town") == ["Land", "Mill"]
    assert names(name="town;!old") == ["Town"] and names(type="!!") == ["Land", "Town", "Mill"]
    assert names(**{"tags[]": both}) == ["Old town"]
    assert names(**{"tags[]": both, "tags_option": "any"}) == ["Town", "Old town"]
    assert names(**{"tags[]": both, "tags_option": "exclude"}) == ["Land", "Mill"]
    assert names("entities", **{"tags[]": both}) == ["Town", "Old town"]
    assert names(tags=both[0]) == names("entities", tags=both[0]) == names(**{"tags[]": both[:1]})
    [first] = [row for row in http.get(f"{campaign}/tags").json()["data"] if row["id"] == both[0]]
    assert len(first["entities"]) == 2 and first["created_at"].endswith(".000000Z"), first
    assert first["is_attributes_private"] is False and first["has_custom_header"] is False
    # Comma-separated tags are not a list: lists of one kind ignore them, and the list of all
    # entities uses the first number.
    joined = ",".join(str(number) for number in both)
    assert names(tags=joined) == names() and names("entities", tags=joined) == names(tags=both[0])
    assert names(tags_option="none") == ["Land", "Mill"]
    assert names(parent_id=land["entity_id"]) == ["Town"] and names(is_private=1) == ["Mill"]
    assert names(has_entry=1) == ["Town"] and names(has_image=1) == ["Land"] and names(has_posts=1) == []
    assert names("journals", date_start="2025-05-10", date_end="2025-05-31") == ["2025-05-20"]
    assert names("journals", date_start="2025-05-01") == ["2025-05-01"]
    assert names("entities", **{"type_id[]": 11}) == ["2025-05-01", "2025-05-20"]
    assert http.get(f"{campaign}/journals", params={"date_start": "someday"}).status_code == 422


def test_what_every_campaign_shares_is_told(api):
    http, _, _ = api
    types = http.get("/compat/kanka/1.0/entity-types").json()["data"]
    assert {"id": 4, "code": "organisation", "plural": "organisations"} in types and len(types) == 9
    assert len(http.get("/compat/kanka/1.0/visibilities").json()["data"]) == 5
    filters = {row["code"]: row["url"] for row in http.get("/compat/kanka/1.0/filters").json()}
    assert filters.keys() == {row["code"] for row in types}
    assert {"name", "tags", "date_start"} <= set(http.get(filters["journal"]).json()["data"])
    assert "date_start" not in http.get(filters["character"]).json()["data"]
    assert http.get("/compat/kanka/1.0/filters/4711").status_code == 404
    assert http.get("/compat/kanka/1.0/version").status_code == 200
    assert http.get("/compat/kanka/1.0/health").json() == {"status": "ok"}


def test_forms_of_refusals(api):
    http, campaign, _ = api
    for method, path, body, status in [
        ("GET", f"{campaign}/dragons", None, 404),
        ("GET", "/compat/kanka/1.0/campaigns/4711/notes", None, 404),
        ("GET", f"{campaign}/notes/4711", None, 404),
        ("POST", f"{campaign}/notes/1", {}, 405),
        ("POST", f"{campaign}/notes", {"name": "x" * 192}, 422),
        ("POST", f"{campaign}/notes", {"name": 5}, 422),
        ("POST", f"{campaign}/journals", {"name": "x", "date": "someday"}, 422),
        ("DELETE", f"{campaign}/entities/1", None, 401),
    ]:
        answer = http.request(method, path, json=body)
        assert answer.status_code == status, (method, path, answer.text)
        assert "error" in answer.json()
        if status == 422:
            assert answer.json()["fields"]


def test_players_and_readers_have_their_rights_and_no_more(api, program):
    http, campaign, server = api
    secret = http.post(f"{campaign}/characters", json={"name": "Canary", "is_private": True}).json()["data"]
    tag = http.post(f"{campaign}/tags", json={"name": "Canary tag", "is_private": True}).json()["data"]
    page = http.post(f"{campaign}/characters", json={"name": "Open", "tags": [tag["id"]]}).json()["data"]
    assert page["tags"] == [tag["id"]]
    assert http.get(f"{campaign}/tags/{tag['id']}").json()["data"]["is_private"]
    http.post(f"{campaign}/entities/{page['entity_id']}/posts", json={"name": "Canary", "visibility_id": 2})
    player, reader = program.token("player", "Alice"), program.token("reader", "Rita")
    for token in (player, reader):
        with server.client(authorization=f"Bearer {token}") as other:
            for path in ("characters?related=1", "entities", "search/Canary",
                         f"entities/{page['entity_id']}?related=1",
                         f"entities/{page['entity_id']}/posts"):
                answer = other.get(f"{campaign}/{path}")
                assert "[" + str(tag["id"]) + "]" not in answer.text.replace(" ", "")
                assert answer.status_code == 200 and "Canary" not in answer.text.replace("search/Canary", "")
            assert other.get(f"{campaign}/characters/{secret['id']}").status_code == 404
            assert other.delete(f"{campaign}/characters/{page['id']}").status_code == 403
            asked = {"name": "find_entities", "arguments": {"tags": ["Canary tag"]}}
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
            accept = {"accept": "application/json, text/event-stream"}
            assert "Open" not in other.post("/mcp", json=body, headers=accept).text
    with server.client(authorization=f"Bearer {reader}") as other:
        assert other.post(f"{campaign}/notes", json={"name": "x"}).status_code == 403
    with server.client(authorization=f"Bearer {player}") as other:
        assert other.post(f"{campaign}/notes", json={"name": "x"}).status_code == 201


def test_a_read_only_server_writes_nothing(program, token, serve):
    with serve("--read-only").client(authorization=f"Bearer {token}") as http:
        [campaign] = http.get("/compat/kanka/1.0/campaigns").json()["data"]
        path = f"/compat/kanka/1.0/campaigns/{campaign['id']}/notes"
        assert http.get(path).status_code == 200
        assert http.post(path, json={"name": "x"}).status_code == 403
