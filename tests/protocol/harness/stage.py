"""Creates what the tools' examples refer to with placeholders such as `$campaign` and `$player`."""

import json
import re

# What is created, in this order: name, tool, arguments.
SCENE = (
    ("campaign", "campaign_create", {"name": "The Lost Expedition", "gm_mode": "HUMAN"}),
    ("idle_campaign", "campaign_create", {"name": "The Quiet Isle", "gm_mode": "AI"}),
    (
        "player",
        "participant_create",
        {"campaign_id": "$campaign", "display_name": "Alice", "role": "PLAYER"},
    ),
    ("character", "character_create", {"campaign_id": "$campaign", "name": "Thorin", "kind": "PC"}),
    ("session", "session_start", {"campaign_id": "$campaign"}),
    (
        "roll",
        "session_action_roll",
        {
            "session_id": "$session",
            "character_id": "$character",
            "trait": "agility",
            "difficulty": 10,
        },
    ),
    (
        "entity",
        "create_entities",
        {"entities": [{"entity_type": "character", "name": "Aelysh", "type": "NPC"}]},
    ),
    ("post", "create_posts", {"posts": [{"entity_id": "$entity", "name": "Rumours"}]}),
)


# Resources to subscribe to, each with a command that changes it from another process.
CHANGES = {
    "campaigns://list": ("call", "campaign_create", '{"name": "Another", "gm_mode": "AI"}'),
    "lorewell://worlds": ("world", "create", "Another"),
}


class Stage:
    """Things created by calling tools, with the id of each by its name."""

    def __init__(self, session, page: str):
        """Creates everything over an open session. `page` is the URL of a web page that can be
        read."""
        self.ids = {"page": page}
        assert not session.call("preview_url", {"url": page})["isError"]
        for name, tool, arguments in SCENE:
            answer = session.call(tool, self.filled(arguments))
            assert not answer["isError"], (tool, answer)
            made = answer["structuredContent"]
            first = (made.get("results") or [{}])[0]
            ids = (made.get("id"), made.get("roll_seq"), first.get("post_id"), first.get("entity_id"))
            self.ids[name] = next(id for id in ids if id is not None)

    def filled(self, arguments: dict) -> dict:
        """Replaces placeholders with ids."""
        # This example refers to its entity by name, and every stage creates one of that name.
        if "entity_uri" in arguments:
            arguments = {**arguments, "entity_uri": f"[entity:{self.ids['entity']}]"}
        text = json.dumps(arguments)
        for name, id in self.ids.items():
            text = text.replace(f'"${name}"', json.dumps(id))
        unknown = re.findall(r'"\$(\w+)"', text)
        assert not unknown, f"an example speaks of {unknown}: put it on the stage"
        return json.loads(text)
