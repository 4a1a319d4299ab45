"""Generates requests for everything that can be read through the compatible APIs. The routes are
parsed from the source code of the routers, so new routes are included automatically."""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

CRATES = Path(__file__).parents[3] / "crates"
KANKA = "/compat/kanka/1.0"
KOI = "/compat/koi"
ANVIL = "/compat/worldanvil/api/external/boromir"

READING_POSTS = ("search", "query", "entity/resolve", "entities/mentioned-in", "code/query")
"""Paths of the KOI API that only read, although they use POST."""


def source(path: str | Path) -> str:
    """Returns the source of a file without its tests."""
    return (CRATES / path).read_text().split("#[cfg(test)]")[0]


def kanka_paths() -> set[tuple[str, ...]]:
    """Returns the readable paths below the API's base path; `*` stands for a value of the
    caller."""
    found = set()
    for line in source("lore-http/src/kanka/mod.rs").splitlines():
        arm = re.match(r'\s*(?:\((?P<verb>"GET"|_), )?\[(?P<path>[^\]]*)\]\)?(?: if method == Method::GET)? =>', line)
        if not arm or "rest" in arm["path"] and "campaigns" in arm["path"]:
            continue
        whole = ("campaigns", "world") if arm["verb"] else ()
        parts = [part.strip() for part in arm["path"].split(",") if part.strip()]
        fixed = tuple("*" if not part.startswith('"') else part.strip('"') for part in parts if "rest" not in part)
        fixed = tuple("plural" if part == "plural" else step for part, step in zip(parts, fixed))
        found.add(whole + fixed)
        if "rest" in arm["path"]:
            found.add((*whole, *fixed, "*"))
    return found


def koi_paths() -> tuple[set[str], set[str]]:
    """Returns the paths that are read with GET, and those that are read with POST."""
    gets, posts = set(), set(READING_POSTS)
    for file in (CRATES / "lore-tools/src/koi").glob("*.rs"):
        text = source(file)
        for paths in re.findall(r'Verb::Get, ((?:"[^"]*"(?: \| )?)+)', text):
            gets |= set(re.findall(r'"([^"]*)"', paths))
        gets |= {f"{prefix}*" for prefix in re.findall(r'strip_prefix\("(\w+/)"\)', text)}
        gets |= {f"entity/*{suffix}" for suffix in re.findall(r'strip_suffix\("(/[\w-]+)"\)', text)}
    return gets, posts


def anvil_paths() -> tuple[set[str], set[str]]:
    """Returns the paths that read one thing with GET, and those that list things with POST."""
    table = source("lore-anvil/src/table.rs").split("table! {")[1]
    ones = set(re.findall(r'path: (?:Some\()?"(\w+)"', table)) | {"identity"}
    lists = set(re.findall(r'(?:under\(Kind::\w+, |of_all\()"([\w/]+)"', table)) | {"article/search"}
    return ones, lists


@dataclass
class World:
    """The identifiers of a world in the compatible APIs, and the kinds of pages in it."""

    number: int
    plurals: list[str]
    atlas_id: str

    @classmethod
    def seen_by(cls, http) -> "World":
        (campaign,) = http.get(f"{KANKA}/campaigns").json()["data"]
        codes = [kind["code"] for kind in http.get(f"{KANKA}/entity-types").json()["data"]]
        worlds = http.post(f"{ANVIL}/user/worlds", json={"limit": 50, "offset": 0}).json()["entities"]
        (one,) = (world["id"] for world in worlds if world["title"] == campaign["name"])
        return cls(campaign["id"], [f"{code.removesuffix('y')}ies" if code.endswith("y") else f"{code}s"
                                    for code in codes], one)


def requests(name: str, probes: list, world: World):
    """Yields every request to the compatible APIs for something with a given name and ids, as verb,
    path and body."""
    word, keys = quote(name), [quote(str(probe), safe="") for probe in probes]
    for path in kanka_paths():
        filled = [str(world.number) if step == "world" else step for step in path]
        for plural in world.plurals if "plural" in filled else [""]:
            steps = [plural if step == "plural" else step for step in filled]
            for key in keys + [word] if "*" in steps else [""]:
                at = f"{KANKA}/" + "/".join(key if step == "*" else step for step in steps)
                yield "GET", at, None
        for field in ("name", "related", "term") if "*" not in filled and "plural" not in filled else ():
            yield "GET", f"{KANKA}/" + "/".join(filled) + f"?{field}={1 if field == 'related' else word}", None
    gets, posts = koi_paths()
    for path in gets:
        for key in keys if "*" in path else [""]:
            yield "GET", f"{KOI}/{path.replace('*', key)}", None
        for field in ("search", "query", "label", "q"):
            yield "GET", f"{KOI}/{path.replace('*', word)}?{field}={word}&limit=50", None
    for path in posts:
        for known in [*probes, name]:
            yield "POST", f"{KOI}/{path}", {"query": str(known), "label": str(known), "uris": [str(known)]}
    ones, lists = anvil_paths()
    for path in ones:
        for key in keys:
            yield "GET", f"{ANVIL}/{path}?id={key}&granularity=3", None
    for path in lists:
        for key in [*keys, world.atlas_id]:
            yield "POST", f"{ANVIL}/{path}?id={key}", {"limit": 50, "offset": 0, "query": name}

