"""A small table for the tools' examples to refer to: `$campaign`, `$player` and so on."""

import json
import re

# What is on the stage, in the order of its making: name, tool, arguments.
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
)


# Resources to subscribe to, each with a command that changes it from another process.
CHANGES = {
    "campaigns://list": ("call", "campaign_create", '{"name": "Another", "gm_mode": "AI"}'),
    "lorewell://worlds": ("world", "create", "Another"),
}


class Stage:
    """The scene, set by calling tools. Each name stands for an id."""

    def __init__(self, session):
        """Sets the scene over an open session."""
        self.ids = {}
        for name, tool, arguments in SCENE:
            answer = session.call(tool, self.filled(arguments))
            assert not answer["isError"], (tool, answer)
            made = answer["structuredContent"]
            self.ids[name] = made.get("id", made.get("roll_seq"))

    def filled(self, arguments: dict) -> dict:
        """Puts ids in the place of their names."""
        text = json.dumps(arguments)
        for name, id in self.ids.items():
            text = text.replace(f'"${name}"', json.dumps(id))
        unknown = re.findall(r'"\$(\w+)"', text)
        assert not unknown, f"an example speaks of {unknown}: put it on the stage"
        return json.loads(text)
