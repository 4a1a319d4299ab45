"""Plants hidden things of every kind, and generates every request that might reveal one."""

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
"""Matches parameters that identify what a call is about."""

ID_KEY = re.compile(r"(^|_)(id|ids|uri|uid|rid)$")
"""Matches fields that hold identifiers."""

ASIDE = {"action", "idempotency_key", "world_id", "user_id", "context_id", "request_id", "notation",
         "namespace", "edge_type", "session", "author", "occurred_at"}
"""Parameters that do not identify a thing."""

NAMES = "Vex"
"""The prefix of the names of secrets; no id starts with it."""


@dataclass
class Secret:
    """A hidden thing: two words that occur nowhere else, and its identifiers."""

    what: str
    name: str
    body: str
    ids: set = field(default_factory=set)
    carrier: frozenset = frozenset()
    """The identifiers of the open thing that the secret is attached to. If there are any, the
    secret cannot be asked for by its name."""

    def words(self) -> tuple[str, str]:
        return self.name, self.body

    def probes(self) -> list:
        """Returns the values to ask for the secret with: its identifiers and its name."""
        return sorted(self.ids | self.carrier, key=str) + ([] if self.carrier else [self.name])

    def is_in(self, text: str, asked: str = "") -> bool:
        """Whether an answer contains a word of the secret that was not in the request."""
        return bool(told([self], text, asked))


def told(secrets: list[Secret], text: str, asked: str = "") -> set[str]:
    """Returns which secrets have a word in an answer that was not in the request."""
    text, asked = text.lower(), asked.lower()
    return {secret.what for secret in secrets for word in secret.words()
            if word.lower() in text and word.lower() not in asked}


def invented(what: str) -> tuple[str, str]:
    """Returns two made-up words for a secret, derived from its description."""
    letters = re.sub(r"[^a-z]", "", what.lower())
    return f"{NAMES}{letters}orn", f"zub{letters[::-1]}ik"


def identifiers(found) -> set:
    """Collects the values of all identifier fields in an answer, however deeply nested."""
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
    """A world with one secret of each kind and some open things, created by a game master."""

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
        """Creates a hidden thing with a name and a text of its own."""
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
        """Creates hidden attributes and relations of an open page, through the Kanka API."""
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
        """Collects the ids that the other doors have for each secret."""
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
        """Removes ids that several secrets share, such as the id of their world."""
        common = {known for one in self.secrets for known in one.ids
                  if sum(known in other.ids for other in self.secrets) > 2}
        for secret in self.secrets:
            secret.ids -= common

    def change(self) -> None:
        """Changes hidden things, so that subscribers might be notified."""
        gm = self.gm
        page = next(one for one in self.secrets if one.what == "private page")
        number = next(one for one in page.ids if isinstance(one, int))
        gm.do("update_entities", updates=[{"entity_id": number, "entry": f"More about {page.body}."}])
        npc = next(one for one in self.secrets if one.what == "hidden character")
        character = next(one for one in npc.ids if str(one).startswith("character_"))
        gm.do("character_state_patch", character_id=character, stress=1)


def rows(found) -> list[dict]:
    """Returns all objects that are in lists of an answer, however deeply nested."""
    if isinstance(found, list):
        return [one for one in found if isinstance(one, dict)] + [row for one in found for row in rows(one)]
    if isinstance(found, dict):
        return [row for value in found.values() for row in rows(value)]
    return []


def questions(tool: dict, secret: Secret, places: re.Pattern = re.compile("")):
    """Yields arguments for a tool: its example with one parameter set to a probe of the secret, for
    each action and each parameter that matches `places` and accepts the probe."""
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
    """Returns a probe in the form that a parameter accepts, or None if it accepts no such probe."""
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
    """Returns the JSON types that a parameter accepts."""
    kinds = schema.get("type", [])
    return kinds if isinstance(kinds, list) else [kinds]


def in_rows(example, probe):
    """Returns a list with the first row of the example, with the probe in its identifier fields;
    None if the example has no rows."""
    if not example:
        return None
    row = copy.deepcopy(example[0])
    for key in row:
        if ID_KEY.search(key):
            row[key] = probe
    return [row]


def sweep(session, tools: list[dict], secrets: list[Secret], world: routes.World):
    """Sends every request about the secrets of a world once. Yields where it was asked, the request
    and the answer, as texts."""
    asked = set()
    with Wire(session) as wire:
        for where, question, ask in every_question(wire, session, tools, secrets, world):
            if (where, question) not in asked:
                asked.add((where, question))
                yield where, question, ask()


def every_question(wire: Wire, session, tools: list[dict], secrets: list[Secret], world: routes.World):
    """Yields where something is asked, the request as text, and a function that sends it."""
    for where, method, params in requests(session, tools, secrets):
        body = message(method, params, id=5)
        yield where, json.dumps(params, ensure_ascii=False), lambda body=body: wire.post(body)
    asked = {(verb, path, json.dumps(body)) for secret in secrets for verb, path, body
             in routes.requests(secret.name, secret.probes(), world)}
    for verb, path, body in sorted(asked):
        yield path, f"{verb} {path} {body}", lambda asked=(verb, path, body): wire.ask(*asked)[1]


def requests(session, tools: list[dict], secrets: list[Secret]):
    """Yields every MCP request that may reveal something: where, method and params."""
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
    """Yields reads of resources, completions and prompts that contain a probe of a secret, as
    method and params."""
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
