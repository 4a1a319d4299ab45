"""Exercises the Kanka API with the published client `python-kanka`.

Runs in its own virtual environment, because that client pins versions that conflict with other
packages. Usage: `kanka_story.py STORY`. Reads the address and the token from the environment and
prints what it observed as JSON.
"""

import json
import os
import sys

from kanka import KankaClient
from kanka.exceptions import AuthenticationError, NotFoundError, ValidationError

KINDS = [
    "characters", "creatures", "locations", "organisations", "races", "notes", "journals",
    "quests", "tags",
]


class Client(KankaClient):
    BASE_URL = os.environ["KANKA_URL"]


def connect(token=None) -> Client:
    token = token or os.environ["KANKA_TOKEN"]
    return Client(token=token, campaign_id=int(os.environ["KANKA_CAMPAIGN"]))


def raised(error, work) -> bool:
    """Whether `work` fails with `error`."""
    try:
        work()
    except error:
        return True
    return False


def every_kind() -> dict:
    """Creates, reads, updates, lists and deletes one entity of each kind, with a tag and a post."""
    client = connect()
    tag = client.tags.create(name="marked", colour="red")
    seen = {}
    for kind in KINDS:
        manager = getattr(client, kind)
        made = manager.create(
            name=f"One of {kind}", type="Sample", entry="<p>Some <strong>bold</strong> text</p>",
            tags=[tag.id], is_private=False,
        )
        changed = manager.update(made, name=f"Two of {kind}")
        post = manager.create_post(made, name="Post", entry="<p>Posted</p>", visibility_id=2)
        posts = manager.list_posts(made)
        read = manager.get(made.id, related=True)
        listed = manager.list(name="Two of")
        found = client.search(f"Two of {kind}")
        entity = client.entity(made.entity_id)
        manager.update_post(made, post.id, name="Post again", entry="<p>Again</p>")
        again = manager.get_post(made, post.id)
        manager.delete_post(made, post.id)
        left = manager.list_posts(made)
        manager.delete(made)
        seen[kind] = {
            "name": changed.name, "type": read.type, "entry": read.entry,
            "tags": read.tags == [tag.id], "posts": [one.name for one in posts],
            "visibility": posts[0].visibility_id, "related": len(read.posts), "again": again.name,
            "left": len(left), "listed": [one.id for one in listed] == [made.id],
            "found": [one.entity_id for one in found] == [made.entity_id],
            "child": entity["child"]["id"] == made.id,
            "gone": raised(NotFoundError, lambda: manager.get(made.id)),
        }
    return seen


def paging() -> dict:
    """Creates more entities than fit on a page and reads all pages."""
    client = connect()
    for number in range(100):
        client.creatures.create(name=f"Creature {number}")
    ids, page, sizes = [], 1, []
    while True:
        rows = client.creatures.list(page=page, limit=100)
        ids += [row.id for row in rows]
        sizes.append(len(rows))
        if not client.creatures.has_next_page:
            break
        page += 1
    meta = client.creatures.pagination_meta
    return {"sizes": sizes, "distinct": len(set(ids)), "total": meta["total"], "last": meta["last_page"]}


def syncing() -> dict:
    """Asks what has changed since the last sync."""
    client = connect()
    first = client.notes.create(name="First")
    client.notes.create(name="Second")
    answer = client._request("GET", "entities", params={"types": "note"})
    sync = answer["sync"]
    before = client._request("GET", "entities", params={"lastSync": sync})["data"]
    client.notes.update(first.id, entry="<p>changed</p>")
    after = client._request("GET", "entities", params={"lastSync": sync})["data"]
    typed = client.notes.list(lastSync=sync)
    return {
        "before": len(before), "after": [row["name"] for row in after],
        "typed": [row.name for row in typed],
    }


def faults() -> dict:
    """Checks that failures raise the client's own exceptions."""
    client = connect()
    stranger = connect(token="lw_aaaaaaaa_" + "a" * 52)
    return {
        "no name": raised(ValidationError, lambda: client.notes.create(entry="x")),
        "bad tag": raised(ValidationError, lambda: client.notes.create(name="x", tags=[4711])),
        "absent": raised(NotFoundError, lambda: client.notes.get(4711)),
        "stranger": raised(AuthenticationError, lambda: stranger.notes.list()),
    }


STORIES = {story.__name__: story for story in (every_kind, paging, syncing, faults)}

if __name__ == "__main__":
    json.dump(STORIES[sys.argv[1]](), sys.stdout)
