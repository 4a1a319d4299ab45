"""Planted secrets of every kind, and every question one could ask to get at them."""

import copy
import itertools
import json
import re
from dataclasses import dataclass, field

from harness import routes
from harness.rpc import message
from harness.table import Seat
from harness.web import Wire

IDS_OR_ROWS = re.compile(r"(^|_)(id|ids|uri)$|^(updates|posts|deletions|entities|targets)$")
"""Parameters that say what a call is about."""

ID_KEY = re.compile(r"(^|_)(id|ids|uri|uid|rid)$")
"""Fields that hold what a thing is called by."""

ASIDE = {"action", "idempotency_key", "world_id", "user_id", "context_id", "request_id", "notation",
         "namespace", "edge_type", "session", "author", "occurred_at"}
"""Parameters that do not say which thing is meant."""

NAMES = "Vex"
"""How the names of secrets begin, and no id does."""


@dataclass
class Secret:
    """Something hidden: two words that stand nowhere else, and what it is called by."""

    what: str
    name: str
    body: str
    ids: set = field(default_factory=set)
    carrier: frozenset = frozenset()
    """What the open thing is called by on which it hangs, if it does; then its own name is no key."""

    def words(self) -> tuple[str, str]:
        return self.name, self.body

    def probes(self) -> list:
        """What one may know of it and ask with."""
        return sorted(self.ids | self.carrier, key=str) + ([] if self.carrier else [self.name])

    def is_in(self, text: str, asked: str = "") -> bool:
        """Whether an answer tells what its question did not know."""
        return bool(told([self], text, asked))


def told(secrets: list[Secret], text: str, asked: str = "") -> set[str]:
    """The secrets of which an answer tells what its question did not know."""
    text, asked = text.lower(), asked.lower()
    return {secret.what for secret in secrets for word in secret.words()
            if word.lower() in text and word.lower() not in asked}


def invented(what: str) -> tuple[str, str]:
    """Two words of no language, made of the letters of what they stand for."""
    letters = re.sub(r"[^a-z]", "", what.lower())
    return f"{NAMES}{letters}orn", f"zub{letters[::-1]}ik"


def identifiers(found) -> set:
    """Everything in an answer that names a thing."""
    if isinstance(found, list):
        return set().union(*map(identifiers, found)) if found else set()
    if not isinstance(found, dict):
        return set()
    own = set()
    for key, value in found.items():
        values = value if isinstance(value, list) else [value]
        if ID_KEY.search(key):
            own |= {one for one in values if isinstance(one, str | int) and one != ""}
        own |= identifiers(value)
    return own


class Planted:
    """One secret of every kind in a world with something to look at, planted by who runs it."""

    def __init__(self, gm: Seat):
        self.gm = gm
        self.secrets: list[Secret] = []
        self.page = self.entity("A public place", "Everybody knows it.", private=False)
        self.plant_pages()
        self.plant_belongings()
        self.plant_play()
        self.plant_memory()
        self.plant_atlas()
        self.hide("note of the vault", self.note)
        self.learn_ids()

    def hide(self, what: str, make, carrier: frozenset = frozenset()) -> Secret:
        """Makes a hidden thing with two words of its own."""
        secret = Secret(what, *invented(what), carrier=carrier)
        secret.ids |= identifiers(make(secret.name, f"It is about {secret.body}."))
        self.secrets.append(secret)
        return secret

    def entity(self, name: str, entry: str, private: bool) -> dict:
        new = {"entity_type": "location", "name": name, "entry": entry, "is_hidden": private}
        (made,) = self.gm.do("create_entities", entities=[new])["results"]
        return made

    def plant_pages(self) -> None:
        self.hide("private page", lambda name, text: self.entity(name, text, private=True))

        def post(name, text):
            new = {"entity_id": self.page["entity_id"], "name": name, "entry": text, "is_hidden": True}
            (made,) = self.gm.do("create_posts", posts=[new])["results"]
            return {"post_id": made["post_id"]}

        self.hide("private post", post, frozenset(identifiers(self.page)))

    def plant_belongings(self) -> None:
        """What hangs on an open page behind the screen, by Kanka's API."""
        page, http = self.page["entity_id"], self.gm.client.http
        self.world = routes.World.seen_by(http)
        self.belongings = f"{routes.KANKA}/campaigns/{self.world.number}/entities/{page}"
        other = self.entity("Another public place", "As well known.", private=False)["entity_id"]
        hidden = {"attributes": lambda name, text: {"name": name, "value": text, "is_private": True},
                  "relations": lambda name, text: {"target_id": other, "relation": f"{name}. {text}"[:190],
                                                   "visibility_id": 2}}
        for what, fields in hidden.items():
            def make(name, text, what=what, fields=fields):
                answer = http.post(f"{self.belongings}/{what}", json=fields(name, text))
                assert answer.status_code in (200, 201), answer.text
                return {}

            self.hide(f"private {what}", make, frozenset(identifiers(self.page)))

    def plant_play(self) -> None:
        gm = self.gm
        self.campaign = gm.do("campaign_create", name="An open table", gm_mode="HUMAN")["id"]
        seat = gm.do("participant_create", campaign_id=self.campaign, display_name="Gail", role="GM")
        self.session = gm.do("session_start", campaign_id=self.campaign)["id"]
        gm.do("set_context", campaign_id=self.campaign, session_id=self.session, participant_id=seat["id"])
        self.hide("hidden character", lambda name, text: gm.do(
            "character_create", campaign_id=self.campaign, name=name, kind="NPC", notes=text))
        self.hide("note for the game master", lambda name, text: gm.do(
            "session_note_add", session_id=self.session, text=f"{name}. {text}", gm_only=True) and {},
            frozenset({self.campaign, self.session}))

    def plant_memory(self) -> None:
        gm = self.gm
        self.hide("private node", lambda name, text: gm.do(
            "kn_graph", action="add", name=name, type="concept", description=text, visibility="private"))
        self.hide("private experience", lambda name, text: gm.do(
            "kn_experience", action="save", type="gotcha", content=f"{name}. {text}", visibility="private"))
        self.hide("learned fact", lambda name, text: gm.do(
            "kn_intel", action="learn", type="decision", content=f"{name}. {text}", confidence="high"))
        self.hide("idea", lambda name, text: gm.do("kn_idea", action="create", title=f"{name}, {text}"))
        self.hide("project", lambda name, text: gm.do("kn_project", action="create", name=name, goals=[text]))

    def plant_atlas(self) -> None:
        gm = self.gm
        self.hide("private article", lambda name, text: gm.do(
            "create_article", title=name, content=text, template="person", state="private"))
        self.hide("secret", lambda name, text: gm.do("create_secret", title=name, content=text))
        article = gm.do("create_article", title="An open article", content="Everybody knows it.",
                        template="person", state="public")["data"]
        for field in ("authornotes", "scrapbook"):
            self.hide(f"{field} of an open article", lambda name, text, field=field: gm.do(
                "update_article", article_id=article["id"], sections={field: f"{name}. {text}"}) and {},
                frozenset({article["id"]}))
        self.hide("private timeline", lambda name, text: gm.do(
            "create_timeline", title=name, description=text, state="private"))
        self.hide("private history", lambda name, text: gm.do(
            "create_history", title=name, content=text, year=12, state="private"))
        self.hide("private category", lambda name, text: gm.do(
            "create_category", title=name, description=text, state="private"))

    def note(self, name: str, text: str) -> dict:
        note = {"path": f"{name}.md", "content": f"# {name}\n\n{text}\n"}
        assert not self.gm.result("vault_write_note", note).get("isError")
        return {"note_id": note["path"]}

    def learn_ids(self) -> None:
        """What each thing is called by at the other doors."""
        for secret in (one for one in self.secrets if not one.carrier):
            for tool, arguments in (
                ("find_entities", {"query": secret.name}),
                ("search_articles", {"query": secret.name}),
                ("resolve_entity", {"label": secret.name}),
                ("kn_graph", {"action": "query", "text": secret.name}),
            ):
                found = self.gm.do(tool, **arguments)
                secret.ids |= identifiers([row for row in rows(found) if secret.is_in(json.dumps(row))])
        self.drop_common_ids()

    def drop_common_ids(self) -> None:
        """What several have in common, such as their world, is nobody's key."""
        common = {known for one in self.secrets for known in one.ids
                  if sum(known in other.ids for other in self.secrets) > 2}
        for secret in self.secrets:
            secret.ids -= common

    def change(self) -> None:
        """Something happens to what is hidden, for those who listen."""
        gm = self.gm
        page = next(one for one in self.secrets if one.what == "private page")
        number = next(one for one in page.ids if isinstance(one, int))
        gm.do("update_entities", updates=[{"entity_id": number, "entry": f"More about {page.body}."}])
        npc = next(one for one in self.secrets if one.what == "hidden character")
        character = next(one for one in npc.ids if str(one).startswith("character_"))
        gm.do("character_state_patch", character_id=character, stress=1)


def rows(found) -> list[dict]:
    """The objects in the lists of an answer."""
    if isinstance(found, list):
        return [one for one in found if isinstance(one, dict)] + [row for one in found for row in rows(one)]
    if isinstance(found, dict):
        return [row for value in found.values() for row in rows(value)]
    return []


def questions(tool: dict, secret: Secret, places: re.Pattern = re.compile("")):
    """Calls of a tool with what one may know of a secret in every such place that takes it."""
    example = tool.get("example") or {}
    properties = tool["inputSchema"].get("properties", {})
    actions = properties.get("action", {}).get("enum", [None])
    for action, (place, schema), probe in itertools.product(actions, properties.items(), secret.probes()):
        if place in ASIDE or "enum" in schema or not places.search(place):
            continue
        value = shaped(schema, example.get(place), place, probe)
        if value is not None:
            arguments = {**copy.deepcopy(example), place: value}
            if action is not None:
                arguments["action"] = action
            yield arguments


def shaped(schema: dict, example, place: str, probe):
    """A probe in the shape of a parameter, if it has a place for it."""
    kinds = kinds_of(schema)
    if "integer" in kinds and isinstance(probe, int) and ID_KEY.search(place):
        return probe
    if "string" in kinds:
        return str(probe) if ID_KEY.search(place) or str(probe).startswith(NAMES) else None
    if "array" in kinds:
        item = schema.get("items", {})
        if item.get("type") == "object" or isinstance(example, list) and example and isinstance(example[0], dict):
            return in_rows(example, probe)
        inner = shaped(item, None, place, probe)
        return None if inner is None else [inner]
    return None


def kinds_of(schema: dict) -> list[str]:
    """What a parameter may be."""
    kinds = schema.get("type", [])
    return kinds if isinstance(kinds, list) else [kinds]


def in_rows(example, probe):
    """The example's first row, about the probe."""
    if not example:
        return None
    row = copy.deepcopy(example[0])
    for key in row:
        if ID_KEY.search(key):
            row[key] = probe
    return [row]


def sweep(session, tools: list[dict], secrets: list[Secret], world: routes.World):
    """Asks everything about secrets of a world, each question once; yields where it was asked, the
    question and the answer as texts."""
    asked = set()
    with Wire(session) as wire:
        for where, question, ask in every_question(wire, session, tools, secrets, world):
            if (where, question) not in asked:
                asked.add((where, question))
                yield where, question, ask()


def every_question(wire: Wire, session, tools: list[dict], secrets: list[Secret], world: routes.World):
    """Where something is asked, the question as a text, and how it is asked."""
    for where, method, params in requests(session, tools, secrets):
        body = message(method, params, id=5)
        yield where, json.dumps(params, ensure_ascii=False), lambda body=body: wire.post(body)
    asked = {(verb, path, json.dumps(body)) for secret in secrets for verb, path, body
             in routes.requests(secret.name, secret.probes(), world)}
    for verb, path, body in sorted(asked):
        yield path, f"{verb} {path} {body}", lambda asked=(verb, path, body): wire.ask(*asked)[1]


def requests(session, tools: list[dict], secrets: list[Secret]):
    """Every request of the protocol that may tell something: where, method and parameters."""
    for tool in tools:
        yield tool["name"], "tools/call", {"name": tool["name"], "arguments": tool.get("example") or {}}
    yield "resources/list", "resources/list", {}
    for resource in session.request("resources/list", {})["resources"]:
        yield "resources/read", "resources/read", {"uri": resource["uri"]}
    templates = session.request("resources/templates/list", {})["resourceTemplates"]
    prompts = session.request("prompts/list", {})["prompts"]
    for secret in secrets:
        for tool in tools:
            for arguments in questions(tool, secret):
                yield tool["name"], "tools/call", {"name": tool["name"], "arguments": arguments}
        for method, params in about(secret, templates, prompts):
            yield method, method, params


def about(secret: Secret, templates: list[dict], prompts: list[dict]):
    """Resources, completion and prompts with what one may know of a secret."""
    for template in templates:
        pattern = template["uriTemplate"]
        for known in secret.probes():
            yield "resources/read", {"uri": re.sub(r"\{[^}]*\}", str(known), pattern, count=1)}
        for variable in re.findall(r"\{[?]?([^},]*)", pattern):
            reference = {"type": "ref/resource", "uri": pattern}
            for typed in ("", secret.name[:5]):
                yield "completion/complete", {"ref": reference, "argument": {"name": variable, "value": typed}}
    for prompt in prompts:
        arguments = {one["name"]: secret.name for one in prompt.get("arguments", [])}
        yield "prompts/get", {"name": prompt["name"], "arguments": arguments}
