//! Two that were one for a while are what they would be had they never been.
//!
//! Every story is told twice: in one world as it stands, in another without its merges. What is
//! known of everybody at the end is the same.

use lore_tools::koi::Ask;
use serde_json::{Value, json};

use crate::world::World;

/// What happens.
#[derive(Clone, Copy)]
enum Step {
    /// A note says this of a person now: its properties and its text.
    Note(&'static str, &'static str, &'static str),
    /// A note of something else than a person, as a whole.
    Whole(&'static str, &'static str),
    Move(&'static str, &'static str),
    Remove(&'static str),
    Alias(Who, &'static str),
    Unalias(Who, &'static str),
    Retype(Who, &'static str),
    /// A page gets another name at the door of pages.
    Page(&'static str),
    /// Somebody tells of a relation.
    Relate(&'static str, &'static str, &'static str),
    Merge(Who, Who),
    Unmerge(Who),
}

use Step::{Alias, Merge, Move, Note, Page, Relate, Remove, Retype, Unalias, Unmerge, Whole};
use Who::{Ada, Eleanor, Mask, Nora, Otto};

/// Those the stories are about.
#[derive(Clone, Copy, PartialEq)]
enum Who {
    /// Known from a note, with an alias, and knows Mia.
    Nora,
    /// The same, without an alias.
    Eleanor,
    /// Known from a note, and spoken of in a log.
    Ada,
    /// Registered.
    Otto,
    /// A page.
    Mask,
}

const EVERYBODY: [Who; 5] = [Nora, Eleanor, Ada, Otto, Mask];

const NORA: &str = "People/Nora Pike.md";
const NORMA: &str = "People/Norma Pike.md";
const ELEANOR: &str = "People/Eleanor Vance.md";
const ADA: &str = "People/Ada Holt.md";

/// What may happen between a merge and its end.
const STORIES: &[(&str, &[Step])] = &[
    ("nothing", &[Merge(Nora, Eleanor), Unmerge(Nora)]),
    ("a note is renamed", &[Merge(Nora, Eleanor), Move(NORA, NORMA), Unmerge(Nora)]),
    ("a note moves", &[Merge(Nora, Eleanor), Move(NORA, "Old/Nora Pike.md"), Unmerge(Nora)]),
    (
        "the other note is renamed",
        &[Merge(Nora, Eleanor), Move(ELEANOR, "People/Ella Vance.md"), Unmerge(Nora)],
    ),
    (
        "a note has another name in it",
        &[
            Merge(Nora, Eleanor),
            Note(NORA, "name: Norma Pike\naliases: [Norrie]\n", "She came."),
            Note(NORA, "name: Norma Peck\naliases: [Norrie]\n", "She came."),
            Unmerge(Nora),
        ],
    ),
    (
        "a note has other aliases and relations",
        &[
            Merge(Nora, Eleanor),
            Note(NORA, "aliases: [Nono]\nknows: \"[[Otto Krug]]\"\n", "She came."),
            Unmerge(Nora),
        ],
    ),
    (
        "the other note has other aliases and relations",
        &[
            Merge(Nora, Eleanor),
            Note(ELEANOR, "aliases: [Norrie, Elly]\nknows: \"[[Otto Krug]]\"\n", "She sails."),
            Unmerge(Nora),
        ],
    ),
    (
        "both notes come to say the same",
        &[
            Merge(Nora, Eleanor),
            Note(NORA, "aliases: [Boss]\nknows: \"[[Otto Krug]]\"\n", "She came."),
            Note(ELEANOR, "aliases: [Boss]\nknows: \"[[Otto Krug]]\"\n", "She sails."),
            Unmerge(Nora),
            Note(ELEANOR, "", "She sails."),
        ],
    ),
    (
        "both notes cease to say the same",
        &[
            Note(ELEANOR, "aliases: [Norrie]\nknows: \"[[Mia Vale]]\"\n", "She sails."),
            Merge(Nora, Eleanor),
            Note(NORA, "", "She came."),
            Unmerge(Nora),
        ],
    ),
    (
        "a note says it is another thing",
        &[
            Merge(Nora, Eleanor),
            Whole(NORA, "---\n\"@type\": schema:Organization\n---\nA firm.\n"),
            Unmerge(Nora),
        ],
    ),
    (
        "the other note says it is another thing",
        &[
            Merge(Nora, Eleanor),
            Whole(ELEANOR, "---\n\"@type\": schema:Organization\n---\nA firm.\n"),
            Unmerge(Nora),
        ],
    ),
    (
        "a note is about nothing any more",
        &[Merge(Nora, Eleanor), Whole(NORA, "Just a text.\n"), Unmerge(Nora)],
    ),
    ("a note goes", &[Merge(Nora, Eleanor), Remove(NORA), Unmerge(Nora)]),
    ("the other note goes", &[Merge(Nora, Eleanor), Remove(ELEANOR), Unmerge(Nora)]),
    ("both notes go", &[Merge(Nora, Eleanor), Remove(ELEANOR), Remove(NORA), Unmerge(Nora)]),
    (
        "the note goes of one whom others speak of",
        &[
            Note(ADA, "aliases: [Addie]\n", "She sings."),
            Merge(Ada, Eleanor),
            Remove(ADA),
            Unmerge(Ada),
        ],
    ),
    (
        "the note of the only one with a note goes",
        &[Merge(Otto, Nora), Remove(NORA), Unmerge(Otto)],
    ),
    (
        "a note goes and comes back",
        &[
            Merge(Nora, Eleanor),
            Remove(NORA),
            Note(NORA, "aliases: [Nono]\n", "She came."),
            Unmerge(Nora),
        ],
    ),
    (
        "the other note goes and comes back",
        &[
            Merge(Nora, Eleanor),
            Remove(ELEANOR),
            Note(ELEANOR, "aliases: [Elly]\n", "She sails."),
            Unmerge(Nora),
        ],
    ),
    (
        "a note goes and comes back under another name",
        &[Merge(Nora, Eleanor), Remove(NORA), Note(NORMA, "", "She came at last."), Unmerge(Nora)],
    ),
    (
        "each is given a name",
        &[Merge(Nora, Eleanor), Alias(Nora, "Nono"), Alias(Eleanor, "Elly"), Unmerge(Nora)],
    ),
    (
        "each is given a name of the other",
        &[
            Alias(Eleanor, "Elly"),
            Merge(Nora, Eleanor),
            Alias(Nora, "Elly"),
            Alias(Eleanor, "Norrie"),
            Unmerge(Nora),
        ],
    ),
    (
        "each loses a name",
        &[
            Alias(Eleanor, "Elly"),
            Alias(Nora, "Nono"),
            Merge(Nora, Eleanor),
            Unalias(Nora, "Nono"),
            Unalias(Eleanor, "Elly"),
            Unmerge(Nora),
        ],
    ),
    (
        "one loses a name that both have",
        &[
            Alias(Eleanor, "Boss"),
            Alias(Nora, "Boss"),
            Merge(Nora, Eleanor),
            Unalias(Nora, "Boss"),
            Unmerge(Nora),
        ],
    ),
    (
        "the other loses a name that both have",
        &[
            Alias(Eleanor, "Boss"),
            Alias(Nora, "Boss"),
            Merge(Nora, Eleanor),
            Unalias(Eleanor, "Boss"),
            Unmerge(Nora),
        ],
    ),
    (
        "one is said to be another thing",
        &[Merge(Nora, Eleanor), Retype(Nora, "Project"), Unmerge(Nora)],
    ),
    (
        "the other is said to be another thing",
        &[Merge(Nora, Eleanor), Retype(Eleanor, "Project"), Unmerge(Nora)],
    ),
    ("a page is renamed", &[Merge(Nora, Mask), Page("The Masked Duke"), Unmerge(Nora)]),
    ("a page goes into a note's", &[Merge(Mask, Nora), Move(NORA, NORMA), Unmerge(Mask)]),
    (
        "relations are told of both",
        &[
            Merge(Nora, Eleanor),
            Relate("Nora Pike", "knows", "Ada Holt"),
            Relate("Eleanor Vance", "knows", "Ada Holt"),
            Relate("Otto Krug", "knows", "Norrie"),
            Unmerge(Nora),
        ],
    ),
    (
        "a note comes to speak of both",
        &[
            Merge(Nora, Eleanor),
            Note(ADA, "knows: [\"[[Nora Pike]]\", \"[[Eleanor Vance]]\"]\n", "She sings."),
            Unmerge(Nora),
        ],
    ),
    (
        "a note speaks of neither any more",
        &[
            Note(ADA, "knows: [\"[[Nora Pike]]\", \"[[Eleanor Vance]]\"]\n", "She sings."),
            Merge(Nora, Eleanor),
            Note(ADA, "", "She sings."),
            Unmerge(Nora),
        ],
    ),
    (
        "a text comes to speak of both",
        &[
            Merge(Nora, Eleanor),
            Whole("Log.md", "Nora Pike met Eleanor Vance and Ada Holt."),
            Unmerge(Nora),
        ],
    ),
    (
        "a text speaks of neither any more",
        &[
            Whole("Log.md", "Nora Pike met Eleanor Vance and Ada Holt."),
            Merge(Nora, Eleanor),
            Whole("Log.md", "Ada Holt met nobody."),
            Unmerge(Nora),
        ],
    ),
    (
        "a third comes and goes last",
        &[
            Note(ADA, "aliases: [Norrie]\n", "She sings."),
            Merge(Nora, Eleanor),
            Merge(Ada, Eleanor),
            Alias(Nora, "Nono"),
            Alias(Ada, "Addie"),
            Unmerge(Nora),
            Alias(Eleanor, "Elly"),
            Unmerge(Ada),
        ],
    ),
    (
        "a third comes and goes first",
        &[
            Merge(Nora, Eleanor),
            Merge(Ada, Eleanor),
            Move(NORA, NORMA),
            Move(ADA, "People/Ada Hold.md"),
            Unmerge(Ada),
            Unmerge(Nora),
        ],
    ),
    (
        "the one that stayed goes into a third",
        &[
            Merge(Nora, Eleanor),
            Merge(Eleanor, Ada),
            Alias(Nora, "Nono"),
            Alias(Eleanor, "Elly"),
            Move(NORA, NORMA),
            Note(ELEANOR, "aliases: [Vance]\nknows: \"[[Otto Krug]]\"\n", "She sails."),
            Unmerge(Eleanor),
            Unmerge(Nora),
        ],
    ),
    (
        "twice",
        &[
            Merge(Nora, Eleanor),
            Move(NORA, NORMA),
            Unmerge(Nora),
            Merge(Eleanor, Nora),
            Alias(Eleanor, "Elly"),
            Move(NORMA, NORA),
            Unmerge(Eleanor),
        ],
    ),
];

#[tokio::test]
async fn two_that_part_are_what_they_would_be_had_they_never_been_one() {
    let mut wrong = Vec::new();
    for (name, steps) in STORIES {
        let [told, without] = [tell(steps, Merges::AsTold).await, tell(steps, Merges::None).await];
        if told != without {
            let pairs = told.iter().zip(&without).filter(|(told, without)| told != without);
            let shown =
                pairs.map(|(told, without)| format!("\n  is     {told}\n  should {without}"));
            wrong.push(format!("\n{name}:{}", shown.collect::<String>()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

#[derive(Clone, Copy, PartialEq)]
enum Merges {
    AsTold,
    None,
}

/// What is known of everybody after a story.
async fn tell(steps: &[Step], merges: Merges) -> Vec<Value> {
    let story = Story::begin().await;
    for step in steps {
        match (*step, merges) {
            (Merge(..) | Unmerge(_), Merges::None) => {}
            (step, _) => story.go_on(step).await,
        }
    }
    let mut known = Vec::new();
    for who in EVERYBODY {
        known.push(story.known(who).await);
    }
    known
}

/// A note about a person.
fn person(properties: &str, text: &str) -> String {
    format!("---\n\"@type\": schema:Person\n{properties}---\n{text}\n")
}

struct Story {
    world: World,
    uris: Vec<String>,
    page: Value,
}

impl Story {
    async fn begin() -> Self {
        let world = World::new().await;
        world.register("Mia Vale", "Person").await;
        let known = "aliases: [Norrie]\nknows: \"[[Mia Vale]]\"\n";
        world.note(NORA, &person(known, "She came.")).await;
        world.note(ELEANOR, &person("knows: \"[[Mia Vale]]\"\n", "She sails.")).await;
        world.note(ADA, &person("", "She sings.")).await;
        world.note("Log.md", "Ada Holt came by.").await;
        world.register("Otto Krug", "Person").await;
        let mask =
            json!({ "entity_type": "character", "name": "The Jade Mask", "is_hidden": true });
        let page = world.page(mask).await["entity_id"].clone();
        let mut uris = Vec::new();
        for name in ["Nora Pike", "Eleanor Vance", "Ada Holt", "Otto Krug", "The Jade Mask"] {
            uris.push(world.best(name).await["uri"].as_str().unwrap().to_owned());
        }
        Self { world, uris, page }
    }

    fn uri(&self, who: Who) -> &str {
        let place = EVERYBODY.iter().position(|one| *one == who).unwrap();
        &self.uris[place]
    }

    async fn go_on(&self, step: Step) {
        let world = &self.world;
        let place = |path: &str| world.directory.path().join("vault").join(path);
        match step {
            Note(path, properties, text) => world.note(path, &person(properties, text)).await,
            Whole(path, text) => world.note(path, text).await,
            Move(from, to) => {
                std::fs::create_dir_all(place(to).parent().unwrap()).unwrap();
                std::fs::rename(place(from), place(to)).unwrap();
                self.post("sync-relationships", json!({})).await;
            }
            Remove(path) => {
                std::fs::remove_file(place(path)).unwrap();
                self.post("sync-relationships", json!({})).await;
            }
            Alias(who, alias) => {
                self.post("entity/alias", json!({ "uri": self.uri(who), "alias": alias })).await;
            }
            Unalias(who, alias) => {
                let body = json!({ "uri": self.uri(who), "alias": alias, "action": "remove" });
                self.post("entity/alias", body).await;
            }
            Retype(who, entity_type) => {
                let body = json!({ "uri": self.uri(who), "type": entity_type });
                self.post("entity/retype", body).await;
            }
            Page(name) => {
                let update = json!({ "entity_id": self.page, "name": name });
                world.call("update_entities", json!({ "updates": [update] })).await;
            }
            Relate(subject, predicate, object) => {
                let told = json!({ "subject": subject, "predicate": predicate, "object": object });
                let rid = format!("doc:{subject} {object}");
                let body = json!({ "document_rid": rid, "content": "x", "relationships": [told] });
                self.post("ingest", body).await;
            }
            Merge(from, into) => {
                let body = json!({ "from_uri": self.uri(from), "into_uri": self.uri(into) });
                self.post("entity/merge", body).await;
            }
            Unmerge(who) => {
                self.post("entity/unmerge", json!({ "uri": self.uri(who) })).await;
            }
        }
    }

    async fn post(&self, path: &str, body: Value) {
        self.world.post(path, body).await;
    }

    async fn known(&self, who: Who) -> Value {
        let uri = self.uri(who);
        let ask = Ask::get(["entity".to_owned(), uri.to_owned()]);
        let Ok(found) = self.world.try_ask(self.world.owner, ask).await else {
            return Value::Null;
        };
        let entity = &found["entity"];
        let mut aliases = entity["aliases"].as_array().unwrap().clone();
        aliases.sort_by_key(Value::to_string);
        let asked = json!({ "entity_uri": uri });
        let documents = self.world.call("get_entity_documents", asked).await;
        let documents = documents["documents"].as_array().unwrap().iter();
        let mut documents: Vec<Value> = documents.map(|one| one["document_rid"].clone()).collect();
        documents.sort_by_key(Value::to_string);
        let relations = self.world.relations(uri).await;
        json!([entity["name"], entity["type"], aliases, documents, relations])
    }
}
