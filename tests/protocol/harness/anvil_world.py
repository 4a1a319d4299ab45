"""A world that contains everything the atlas shows, and the questions that can be asked about
it."""

import json

BASE = "/compat/worldanvil/api/external/boromir"
NONE = "00000000-0000-7000-8000-000000000000"

TEXT = """# A head & more

By [character:1], [entity:1|the old *mill*] and [character:185|who]; nobody is [entity:999|gone].

DC [dc:1], [hp:12|x], arr[0], [b]no bold[/b], 2 * 3, a_b, R&D and `code [b]`.

![A fox, \\[red\\]](https://example.org/fox.png) and ![](https://example.org/bare.png "Title")

- [ ] to do
- [x] done
  1. first
  2. second

and

- loose

- list

> said **she**
>
> twice

| a | b |
| --- | --- |
| [entity:1|x] | `c \\| d` |

```
fn main() {}
```

5. five
6. six

A note[^1]. Bare https://example.org/a_b, <https://example.org/c_d> and [x](https://example.org/?a=1&b=2).\\
Next ~~line~~.

[^1]: Below."""
"""Markdown as people write it, with mentions and with text that only looks like mentions."""


def fill(program, http) -> dict:
    """Creates things of every kind, hidden and open, through several doors. Returns the ids of
    things that no list tool returns."""
    def call(tool: str, **arguments) -> dict:
        return json.loads(program.ok("call", tool, json.dumps(arguments), "--toolsets", "all,atlas-write"))

    def put(path: str, **fields):
        made = http.put(f"{BASE}/{path}", json={"title": f"One {path}", **fields}).json()
        assert made["success"], made
        return {"id": made["id"]}

    kinds = ("character", "location", "organization", "race", "creature", "note", "journal", "quest")
    call("create_entities", entities=[
        {"entity_type": kind, "name": f"{kind} {'hidden' if hidden else 'open'}", "type": f"Of {kind}", "entry": TEXT,
         "tags": ["river", kind], "is_hidden": hidden} for kind in kinds for hidden in (False, True)])
    call("create_posts", posts=[{"entity_id": 1, "name": "Rumours", "entry": TEXT},
                                {"entity_id": 1, "name": "Rumours", "entry": "Again."},
                                {"entity_id": 1, "name": "Psst", "entry": TEXT, "is_hidden": True}])
    campaign = call("campaign_create", name="Vale", gm_mode="HUMAN", theme_prompt="Ice")["id"]
    strahd, _ = (call("character_create", campaign_id=campaign, name=name, kind=kind, notes="Bites **hard**.")["id"]
                 for name, kind in (("Strahd", "NPC"), ("Thorin", "PC")))
    shown = half_shown(call, http, campaign)
    for state in ("private", "public"):
        def some(path: str, **fields):
            return put(path, state=state, **fields)

        category = some("category", description="[b]Bold[/b] [dc:1]", icon="fa-star")
        inner = some("category", title="Inner", parent=category, pagecover={"url": "https://example.org/c.png"})
        image = some("image", url="https://example.org/x.png", filename="x.png", width=3, alt="A fox")
        above = some("article", title="Above", templateType="settlement", category=category, content="[i]Up[/i]")
        article = some(
            "article", templateType="person", content=f"[i]Stone[/i] [dc:1]\n\n[h2|x]Odd[/h2] [img:{image['id']}|left] @[up](settlement:{above['id']})",
            tags="a,b", category=inner, sidebarcontent="[b]Aside[/b]", authornotes="psst", excerpt="In [b]short[/b]",
            articleParent=above, pronunciation="ar", snippet="sn", cover={"url": "https://example.org/y.png"},
            geography="Hills and [i]vales[/i], as far as anybody could see from the tower. " * 3, custom={"a": [1, {"b": None}]},
            isWip=True, views=3, subheading="Sub", footnotes="See [1].", displayCss=".x{}")
        some("article", title="Draft", templateType="item", isDraft=True, content="Not yet")
        some("article", title="For groups", templateType="item", content="Paid", subscribergroups=[{"id": 1, "title": "x"}])
        some("article", title="Empty", templateType="document")
        place = some("map", image=image, description="[b]Land[/b]", category=category)
        group = some("markergroup", map=place)
        some("layer", map=place, image=image)
        kind = some("markertype")
        for title in ("One marker", "Two"):
            some("marker", title=title, map=place, geoX=1.5, geoY=2, targetArticle=article, labelTitle="Here",
                 markertype=kind, group=group, description="[i]x[/i]")
        timeline = some("timeline", description="All of it", article=article)
        for number in (1, 2):
            some("era", title=f"Era {number}", timeline=timeline, startingYear=number, endingYear=number + 9)
        some("history", title="Dated", content="Fall [dc:1]", fullcontent="[b]Whole[/b]", year="7", month=3, day=9,
             timelines=[timeline], article=article, location=above, significance=2)
        some("history", title="Undated", content="Once")
        put("secret", content="psst [b]x[/b]", article=article)
        folder = some("blockfolder")
        system = some("rpgsystem", description="Rules")
        template = some("blocktemplate", description="Form", formSchema="a: b", RPGSRD=system)
        some("blocktemplatepart", template=template, type="x")
        some("block", textualdata="x: y", jsondata={"a": 1}, blockfolder=folder, template=template, RPGSRD=system)
        collection = some("variablecollection", prefix="p", description="Vars")
        some("variable", k="k", v="v", type="string", collection=collection)
        some("chronicle", description="[b]Told[/b]", timelines=[timeline], maps=[place])
        some("canvas", data={"pages": [{"id": article["id"]}]})
        notebook = some("notebook", color="red", cover=image)
        section = some("notesection", notebook=notebook)
        some("note", notesection=section, content="Do [b]it[/b]")
        manuscript = some("manuscript", articles=[article])
        version = some("manuscript_version", manuscript=manuscript)
        part = some("manuscript_part", version=version)
        some("manuscript_beat", part=part, content="Bang")
        some("subscribergroup", description="Payers", isDefault=True)
    put("secret", title="Of nothing", content="psst")
    put("note", title="Loose", content="A loose thought")
    npcs = [strahd, *shown["npcs"]]
    return {"campaigns": [campaign], "npcs": npcs, "articles": [campaign, *npcs, *shown["others"]]}


HIDDEN = "wombat"
"""A word that occurs only in what the game master's side sees of otherwise open things."""


def half_shown(call, http, campaign: str) -> dict:
    """Creates things that everybody sees, each with a part for the game master's side only. Returns
    their ids."""
    npcs = []
    for reveal in ("NOTHING", "NAME", "SHEET"):
        notes = "Kind to **all**." if reveal == "SHEET" else f"{HIDDEN} is the *traitor*."
        npc = call("character_create", campaign_id=campaign, name=f"Vex {reveal.lower()}", kind="NPC", notes=notes)["id"]
        call("character_update", character_id=npc, reveal=reveal)
        npcs.append(npc)
    session = call("session_start", campaign_id=campaign, name="Night one")["id"]
    call("session_note_add", session_id=session, text="We met **Vex** at the [entity:1|mill].")
    call("session_note_add", session_id=session, text=f"{HIDDEN} waits tomorrow.", gm_only=True)
    call("session_note_add", session_id=session, text="The ferry sank.")
    kanka = {"authorization": f"Bearer {http.headers['x-auth-token']}"}
    [world] = http.get("/compat/kanka/1.0/campaigns", headers=kanka).json()["data"]
    tag = {"name": f"{HIDDEN} tag", "is_private": True}
    http.post(f"/compat/kanka/1.0/campaigns/{world['id']}/tags", json=tag, headers=kanka).raise_for_status()
    call("create_entities", entities=[
        {"entity_type": "location", "name": "Half-lit", "entry": "By [entity:2], [entity:3|the dark] and the moon.",
         "tags": ["river", f"{HIDDEN} tag"]}])
    return {"npcs": npcs, "others": [session]}


SEARCHES = ("stone", "the old mill", "who hears the fox?", "head more", "river", "Strahd", "psst", "quest open",
            "One article", "Vars", "do it", "zymurgy", "Of journal", HIDDEN, "we met Vex", "Half-lit", "moon")


def questions(tools: list[dict], unlisted: dict, ask):
    """Yields calls as (tool, arguments): each tool, for every existing id, without arguments, and
    for ids that do not exist."""
    rows = {}
    for tool in tools:
        name, known = tool["name"], tool["inputSchema"]["properties"]
        if name.startswith("list_") and name not in ("list_campaign_npcs",):
            for verbose in (False, True):
                yield name, {"verbose": verbose}
            yield name, {"offset": 1, "limit": 1}
            yield name, {"offset": 400}
            if "world_id" in known:
                yield name, {"world_id": "Main"}
                yield name, {"world_id": NONE}
            rows[name] = [row["id"] for row in ask(name, {}).get("entities", [])]
    ids = {name.removeprefix("list_"): found for name, found in rows.items()}
    ids = {name: ids.get(name, []) + unlisted.get(name, []) for name in {**ids, **unlisted}}
    for words in SEARCHES:
        for page in ({}, {"offset": 1, "limit": 2}, {"world_id": "Main"}):
            yield "search_articles", {"query": words, **page}
    yield "search_articles", {"query": " "}
    yield "search_articles", {"query": "x", "world_id": NONE}
    for tool in tools:
        name, known = tool["name"], tool["inputSchema"]["properties"]
        named = [field for field in known if field.endswith("_id") and field != "world_id"]
        for field in named:
            one = field.removesuffix("_id")
            many = {"category": "categories", "history": "histories", "canvas": "canvases"}.get(one, f"{one}s")
            for value in [*ids.get(many, []), NONE, "no such", 987654321]:
                if "granularity" in known:
                    for level, verbose in ((0, False), (1, False), (2, False), (2, True)):
                        yield name, {field: str(value), "granularity": level, "verbose": verbose}
                else:
                    yield name, {field: str(value)}
    yield "list_articles", {"category_id": "-1"}
    yield "get_world", {}
    for level in (0, 1, 2):
        yield "get_world", {"world_id": "Main", "granularity": level, "verbose": True}
    yield "get_world", {"world_id": "Nowhere"}
    for verbose in (False, True):
        yield "get_user_identity", {"verbose": verbose}
