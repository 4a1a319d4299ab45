"""The pages toolset has the contract's shapes, seen through the command line."""

import json

import pytest

from harness.program import call

TOOLS = [
    "find_entities", "get_entities", "create_entities", "update_entities", "delete_entities",
    "create_posts", "update_posts", "delete_posts", "check_entity_updates",
]


def test_the_nine_tools_are_listed_and_cost_little(program):
    tools = program.tools("--toolsets", "pages")
    assert [tool["name"] for tool in tools] == TOOLS
    read = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in tools]
    assert len(json.dumps(read, separators=(",", ":"))) <= 7_000 + 9 * 60


def test_a_reader_gets_the_reading_tools_only(program):
    names = [tool["name"] for tool in program.tools("--toolsets", "pages", "--read-only")]
    assert names == ["find_entities", "get_entities", "check_entity_updates"]


def test_numbers_stay_over_restarts(program, serve):
    made = call(program, "create_entities", entities=[
        {"entity_type": "character", "name": "Osanna von Carstein", "tags": ["vampire"]},
        {"entity_type": "note", "name": "Digest"},
    ])["results"]
    assert [row["mention"] for row in made] == [f"[entity:{row['entity_id']}]" for row in made]
    server = serve()
    server.kill()
    found = call(program, "find_entities", tags=["vampire"])
    assert found["entities"][0]["entity_id"] == made[0]["entity_id"]
    assert found["sync_info"]["total_count"] == 1


def test_posts_keep_their_numbers_and_no_other_gets_one(program):
    entity = call(program, "create_entities", entities=[
        {"entity_type": "character", "name": "Osanna"}])["results"][0]["entity_id"]
    made = call(program, "create_posts", posts=[
        {"entity_id": entity, "name": name} for name in ("First", "Second")])["results"]
    first, second = (row["post_id"] for row in made)

    def posts():
        read = call(program, "get_entities", entity_ids=[entity], include_posts=True)
        return {post["id"]: post["name"] for post in read["results"][0]["posts"]}

    assert posts() == {first: "First", second: "Second"}
    call(program, "update_posts", updates=[
        {"entity_id": entity, "post_id": first, "name": "First, again"}])
    call(program, "delete_posts", deletions=[{"entity_id": entity, "post_id": second}])
    [third] = call(program, "create_posts", posts=[
        {"entity_id": entity, "name": "Third"}])["results"]
    assert third["post_id"] not in (first, second)
    assert posts() == {first: "First, again", third["post_id"]: "Third"}


@pytest.mark.parametrize("heard", ["Aylysh", "Ailish", "Alesh"])
def test_misspelt_names_are_found(program, heard):
    call(program, "create_entities", entities=[{"entity_type": "character", "name": "Aelysh"}])
    found = call(program, "find_entities", name=heard, name_fuzzy=True)
    [entity] = found["entities"]
    assert entity["name"] == "Aelysh" and 0.7 <= entity["match_score"] < 1
