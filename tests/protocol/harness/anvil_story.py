"""Exercises the World Anvil API with the published client `pywaclient`.

Runs in its own virtual environment. Usage: `anvil_story.py STORY`. Reads the address and the token
from the environment and prints what it observed as JSON.
"""

import json
import os
import sys

from pywaclient.api import BoromirApiClient
from pywaclient.exceptions import (
    AccessForbidden,
    ResourceNotFound,
    UnauthorizedRequest,
    UnprocessableDataProvided,
)

TEXT = "[b]Stone[/b] and moss."


def connect(token=None) -> BoromirApiClient:
    client = BoromirApiClient(
        "checks", "https://example.org", "1", "any application",
        token or os.environ["ANVIL_TOKEN"],
    )
    client.base_url = os.environ["ANVIL_URL"] + "/"
    return client


def raised(error, work) -> bool:
    """Whether `work` fails with `error`."""
    try:
        work()
    except error:
        return True
    return False


def endpoints(client, world) -> dict:
    """Returns every endpoint that can create things, by name, with the fields that creating one
    needs."""
    manuscript, maps, notebook = client.manuscript, client.map, client.notebook
    inside = {"world": {"id": world}}
    return {
        "article": (client.article, {"templateType": "location", "content": TEXT, **inside}),
        "block": (client.block, {"textualdata": TEXT, **inside}),
        "canvas": (client.canvas, {"data": {"pages": []}, **inside}),
        "category": (client.category, {"description": TEXT, **inside}),
        "chronicle": (client.chronicle, {"description": TEXT, **inside}),
        "folder": (client.folder, inside),
        "history": (client.history, {"content": TEXT, "year": "1207", **inside}),
        "manuscript": (manuscript, {"description": TEXT, **inside}),
        "bookmark": (manuscript.bookmark, inside),
        "label": (manuscript.label, inside),
        "tag": (manuscript.tag, inside),
        "version": (manuscript.version, inside),
        "part": (manuscript.version.part, inside),
        "beat": (manuscript.version.part.beat, inside),
        "plot": (manuscript.version.plot, inside),
        "stat": (manuscript.version.stat, inside),
        "map": (maps, {"description": TEXT, **inside}),
        "layer": (maps.layer, inside),
        "marker": (maps.marker, {"description": TEXT, "geoX": 1.5, "geoY": 2, **inside}),
        "markergroup": (maps.marker_group, inside),
        "markertype": (client.map_marker_types, inside),
        "notebook": (notebook, inside),
        "notesection": (notebook.note_section, inside),
        "note": (notebook.note_section.note, {"content": TEXT, **inside}),
        "secret": (client.secret, {"content": TEXT, **inside}),
        "subscribergroup": (client.subscriber_group, {"description": TEXT, **inside}),
        "timeline": (client.timeline, {"description": TEXT, **inside}),
        "era": (client.timeline.era, {"description": TEXT, **inside}),
        "variablecollection": (client.variable_collection, {"prefix": "p", **inside}),
        "variable": (client.variable_collection.variable, {"k": "k", "v": "v", **inside}),
        "blocktemplate": (client.block_template, {"formSchema": {}, **inside}),
    }


def every_kind() -> dict:
    """Creates, reads at each granularity, updates and deletes one thing of each kind."""
    client = connect()
    world = next(iter(client.user.worlds(client.user.identity()["id"])))["id"]
    seen = {}
    for name, (endpoint, fields) in endpoints(client, world).items():
        made = endpoint.put({"title": f"One {name}", **fields})
        read = [endpoint.get(made["id"], level) for level in (-1, 0, 1, 2)]
        # A secret cannot be made public.
        state = {} if name == "secret" else {"state": "public"}
        changed = endpoint.patch(made["id"], {"title": f"Two {name}", **state})
        again = endpoint.get(made["id"], 2)
        text = [again[field] for field in ("content", "description", "textualdata")
                if fields.get(field) == TEXT]
        endpoint.delete(made["id"])
        seen[name] = {
            "private": made["state"] == "private",
            "grows": len(read[0]) <= len(read[1]) <= len(read[3]),
            "title": changed["title"] == again["title"] == f"Two {name}",
            "text": text in ([], [TEXT]),
            "gone": raised(ResourceNotFound, lambda: endpoint.get(made["id"], 0)),
        }
    return seen


def every_list() -> dict:
    """Creates things of every kind and reads every list that the client offers."""
    client = connect()
    me = client.user.identity()["id"]
    world = next(iter(client.user.worlds(me)))["id"]
    inside = {"world": {"id": world}}
    make = lambda endpoint, **fields: endpoint.put({"title": "One", **inside, **fields})["id"]
    titles = lambda rows: len(list(rows))
    category = make(client.category)
    for number in range(60):
        fields = {"category": {"id": category}} if number < 55 else {}
        client.article.put({"title": f"A{number}", "templateType": "item", **inside, **fields})
    place = make(client.map, image={})
    group = make(client.map.marker_group, map={"id": place})
    make(client.map.layer, map={"id": place})
    make(client.map.marker, map={"id": place}, group={"id": group})
    timeline = make(client.timeline)
    make(client.timeline.era, timeline={"id": timeline})
    make(client.history, timelines=[{"id": timeline}])
    notebook = make(client.notebook)
    section = make(client.notebook.note_section, notebook={"id": notebook})
    make(client.notebook.note_section.note, notesection={"id": section})
    script = make(client.manuscript)
    version = make(client.manuscript.version, manuscript={"id": script})
    part = make(client.manuscript.version.part, version={"id": version})
    make(client.manuscript.version.part.beat, part={"id": part})
    for endpoint in (client.manuscript.version.plot, client.manuscript.version.stat):
        make(endpoint, version={"id": version})
    for endpoint in (client.manuscript.bookmark, client.manuscript.tag, client.manuscript.label):
        make(endpoint, manuscript={"id": script})
    collection = make(client.variable_collection)
    make(client.variable_collection.variable, collection={"id": collection})
    template = make(client.block_template)
    make(client.block_template.block_template_part, template={"id": template})
    for endpoint in (client.secret, client.canvas, client.chronicle, client.subscriber_group,
                     client.folder, client.map_marker_types):
        make(endpoint)
    chest = make(client.folder, title="Zoo", entityType="Block")
    for title, holds in (("Aft", "Map"), ("Bow", "Map"), ("Attic", "Canvas")):
        make(client.folder, title=title, entityType=holds)
    folders = lambda *asked: [row["title"] for row in client.world.folders(world, True, *asked)]
    w = client.world
    return {
        "articles": titles(w.articles(world)),
        "in category": titles(w.articles(world, category)),
        "uncategorised": titles(w.articles(world, "-1")),
        "a page": titles(w.articles(world, complete=False, limit=7, offset=58)),
        "categories": titles(w.categories(world)), "maps": titles(w.maps(world)),
        "folders": folders("Map", "ASC", "title") == ["Aft", "Bow", "One"],
        "folders back": folders("Map", "DESC", "title") == ["One", "Bow", "Aft"],
        "folders of blocks": folders("Block", "ASC", "title") == ["One", "Zoo"],
        "folders of none": folders("Secret", "ASC", "title") == ["One"],
        "a folder of blocks": client.folder.get(chest, 0)["entityType"] == "Block",
        "collections": titles(w.variable_collections(world)),
        "groups": titles(w.subscriber_groups(world)), "secrets": titles(w.secrets(world)),
        "manuscripts": titles(w.manuscripts(world)), "images": titles(w.images(world)),
        "histories": titles(w.histories(world)), "timelines": titles(w.timelines(world)),
        "chronicles": titles(w.chronicles(world)), "canvases": titles(w.canvases(world)),
        "layers": titles(client.map.layers(place)), "markers": titles(client.map.markers(place)),
        "marker groups": titles(client.map.marker_groups(place)),
        "of group": titles(client.map.marker_group.markers(group)),
        "eras": titles(client.timeline.eras(world, timeline)),
        "sections": titles(client.notebook.note_sections(notebook)),
        "notes": titles(client.notebook.note_section.notes(section)),
        "versions": titles(client.manuscript.versions(script)),
        "bookmarks": titles(client.manuscript.bookmarks(script)),
        "tags": titles(client.manuscript.tags(script)),
        "labels": titles(client.manuscript.labels(script)),
        "parts": titles(client.manuscript.version.parts(version)),
        "plots": titles(client.manuscript.version.plots(version)),
        "stats": titles(client.manuscript.version.stats(version)),
        "beats": titles(client.manuscript.version.part.beats(part)),
        "variables": titles(client.variable_collection.variables(collection)),
        "templates": titles(client.user.block_templates(me)),
        "template parts": titles(client.block_template.block_template_parts(template)),
        "notebooks": titles(client.user.notebooks(me)),
        "marker types": titles(client.map_marker_types.list()),
        "systems": titles(client.rpg_system.list()),
    }


def faults() -> dict:
    """Checks that failures raise the client's own exceptions."""
    client, stranger = connect(), connect("lw_aaaaaaaa_" + "a" * 52)
    none = "00000000-0000-7000-8000-000000000000"
    me = client.user.identity()["id"]
    world = next(iter(client.user.worlds(me)))["id"]
    bad = {"title": "x", "templateType": "dragon", "world": {"id": world}}
    return {
        "unknown": raised(ResourceNotFound, lambda: client.article.get(none, 1)),
        "stranger": raised(UnauthorizedRequest, stranger.user.identity),
        "template": raised(UnprocessableDataProvided, lambda: client.article.put(bad)),
        "world": raised(AccessForbidden, lambda: client.world.delete(world)),
        "user": raised(ResourceNotFound, lambda: client.user.patch(none, {"motto": "x"})),
        "name": raised(UnprocessableDataProvided, lambda: client.user.patch(me, {"username": "x"})),
        "state": raised(UnprocessableDataProvided, lambda: client.world.patch(world, {"state": "public"})),
    }


def worlds_and_pictures() -> dict:
    """Creates and updates a world, images and the user's profile, and downloads an image."""
    client = connect()
    me = client.user.identity()["id"]
    made = client.world.put({"title": "Elsewhere", "description": TEXT})
    changed = client.world.patch(made["id"], {"subtitle": "Far away", "homepageContent1": TEXT})
    read = client.world.get(made["id"], 1)
    client.world.patch(made["id"], {"title": "Further away"})
    inside = client.article.put({"title": "There", "templateType": "item", "world": {"id": made["id"]}})
    picture = client.image.put({"title": "map.png", "url": os.environ["ANVIL_PICTURE"]})
    far = client.image.put({"title": "far.png", "world": {"id": made["id"]}})
    again = client.image.patch(picture["id"], {"title": "chart.png"})
    farther = client.image.patch(far["id"], {"title": "farther.png"})
    pictures = [[row["title"] for row in client.world.images(made["id"])]]
    client.image.delete(far["id"])
    pictures.append([row["title"] for row in client.world.images(made["id"])])
    long = f"{TEXT} " * 20
    client.user.patch(me, {"motto": "Ever on", "about": long.strip()})
    myself = client.user.get(me, 0)
    return {
        "user": (myself["motto"], myself["about"]) == ("Ever on", long.strip()),
        "world": (made["title"], read["title"]) == ("Elsewhere", "Elsewhere"),
        "text": (read["description"], read["homepageContent1"], read["subtitle"]) == (TEXT, TEXT, "Far away"),
        "reference": changed["id"] == made["id"],
        "other name": client.world.get(made["id"], 0)["title"] == "Further away",
        "listed": made["id"] in [world["id"] for world in client.user.worlds(me)],
        "inside": [row["id"] for row in client.world.articles(made["id"])] == [inside["id"]],
        "picture": b"".join(client.image.get_binary(picture["id"])).decode() == os.environ["ANVIL_PICTURE_SAYS"],
        "renamed": (again["title"], farther["title"]) == ("chart.png", "farther.png"),
        "numbered": far["id"] != picture["id"] and pictures == [["farther.png"], []],
        "the other": client.image.get(picture["id"], 0)["title"] == "chart.png",
    }


STORIES = {"kinds": every_kind, "lists": every_list, "faults": faults, "worlds": worlds_and_pictures}

if __name__ == "__main__":
    print(json.dumps(STORIES[sys.argv[1]]()))
