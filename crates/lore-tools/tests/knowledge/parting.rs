//! After an unmerge, two entities are as if they had never been merged.
//!
//! Every story runs twice: in one world as it is, in another without its merges. In the end,
//! everything known about everybody is the same in both.

use lore_store::Bin;
use lore_tools::koi::Ask;
use serde_json::{Value, json};

use crate::parting_stories::STORIES;
use crate::parting_told::TOLD;
use crate::world::World;

/// A step of a story.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// A note about a person is written: path, properties and text.
    Note(&'static str, &'static str, &'static str),
    /// The same, written by hand in the vault.
    ByHand(&'static str, &'static str, &'static str),
    /// A note about something other than a person is written as a whole.
    Whole(&'static str, &'static str),
    Move(&'static str, &'static str),
    Remove(&'static str),
    Alias(Who, &'static str),
    Unalias(Who, &'static str),
    Retype(Who, &'static str),
    /// A page is renamed with the pages tools.
    Page(&'static str),
    /// A relation is reported.
    Relate(&'static str, &'static str, &'static str),
    /// A document is reported to be about these entities.
    Ingest(&'static str, &'static [&'static str]),
    /// A document is reported to be about an entity, given by URI.
    IngestUri(&'static str, Who),
    /// An entity is registered with an alias.
    Register(&'static str, &'static str),
    /// The same, by URI.
    RegisterUri(Who, &'static str),
    /// An entity, given by URI, is described.
    Describe(Who, &'static str),
    /// A page mentions these entities by number.
    Journal(&'static [Who]),
    /// A note mentions an entity by number.
    Log(Who),
    /// Mia, whom Nora and Eleanor know, is deleted.
    Away,
    /// She is restored.
    Back,
    /// A merge that happens in both worlds.
    Join(Who, Who),
    Merge(Who, Who),
    Unmerge(Who),
}

use Step::{
    Alias, Away, Back, ByHand, Describe, Ingest, IngestUri, Join, Journal, Log, Merge, Move, Note,
    Page, Register, RegisterUri, Relate, Remove, Retype, Unalias, Unmerge, Whole,
};
use Who::{Ada, Eleanor, Mask, Nora, Otto};

impl Step {
    pub(crate) fn is_of_note(self) -> bool {
        matches!(self, Note(..) | ByHand(..) | Whole(..) | Move(..) | Remove(_) | Log(_))
    }
}

/// The entities of the stories.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Who {
    /// Known from a note, with an alias; knows Mia.
    Nora,
    /// The same, without an alias.
    Eleanor,
    /// Known from a note, and mentioned in a log.
    Ada,
    /// Registered.
    Otto,
    /// A page.
    Mask,
}

pub(crate) const EVERYBODY: [Who; 5] = [Nora, Eleanor, Ada, Otto, Mask];

pub(crate) const NORA: &str = "People/Nora Pike.md";
pub(crate) const NORMA: &str = "People/Norma Pike.md";
pub(crate) const ELEANOR: &str = "People/Eleanor Vance.md";
pub(crate) const ADA: &str = "People/Ada Holt.md";
pub(crate) const OTTO: &str = "People/Otto Krug.md";

#[tokio::test]
async fn what_is_told_of_one_of_two_is_theirs_when_they_part() {
    same_without_merges(TOLD).await;
}

#[tokio::test]
async fn two_that_part_are_what_they_would_be_had_they_never_been_one() {
    same_without_merges(STORIES).await;
}

async fn same_without_merges(stories: &[(&str, &[Step])]) {
    let mut wrong = Vec::new();
    for (name, steps) in stories {
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

/// Runs a story and returns what is known about everybody afterwards.
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

pub(crate) struct Story {
    pub(crate) world: World,
    uris: Vec<String>,
    numbers: Vec<i64>,
    page: Value,
    journal: Value,
    mia: String,
}

impl Story {
    pub(crate) async fn begin() -> Self {
        let world = World::new().await;
        world.register("Mia Vale", "Person").await;
        let mia = world.node("Mia Vale").await.uid.to_string();
        let known = "aliases: [Norrie]\nknows: \"[[Mia Vale]]\"\n";
        world.note(NORA, &person(known, "She came.")).await;
        world.note(ELEANOR, &person("knows: \"[[Mia Vale]]\"\n", "She sails.")).await;
        world.note(ADA, &person("", "She sings.")).await;
        world.note("Log.md", "Ada Holt came by.").await;
        world.register("Otto Krug", "Person").await;
        let mask =
            json!({ "entity_type": "character", "name": "The Jade Mask", "is_hidden": true });
        let page = world.page(mask).await["entity_id"].clone();
        let ball = json!({ "entity_type": "journal", "name": "Ball", "entry": "A ball." });
        let journal = world.page(ball).await["entity_id"].clone();
        let (mut uris, mut numbers) = (Vec::new(), Vec::new());
        for name in ["Nora Pike", "Eleanor Vance", "Ada Holt", "Otto Krug", "The Jade Mask"] {
            uris.push(world.best(name).await["uri"].as_str().unwrap().to_owned());
            numbers.push(world.number(name).await);
        }
        Self { world, uris, numbers, page, journal, mia }
    }

    fn mention(&self, who: Who) -> String {
        let place = EVERYBODY.iter().position(|one| *one == who).unwrap();
        format!("[entity:{}]", self.numbers[place])
    }

    async fn ingest(&self, rid: &str, names: &[&str]) -> bool {
        let named = |name: &&str| json!({ "name": name, "type": "Person" });
        let entities: Vec<Value> = names.iter().map(named).collect();
        let body = json!({ "document_rid": rid, "content": "x", "entities": entities });
        self.post("ingest", body).await
    }

    async fn register(&self, given: Value, alias: &str) -> bool {
        let mut body = json!({ "name": "x", "type": "Person", "aliases": [alias] });
        body.as_object_mut().unwrap().extend(given.as_object().unwrap().clone());
        self.post("register-entity", body).await
    }

    async fn describe(&self, who: Who, text: &str) -> bool {
        let uri = self.uri(who);
        let said = json!({ "name": "x", "type": "Person", "uri": uri, "description": text });
        self.post("register-entity", said).await
    }

    pub(crate) fn uri(&self, who: Who) -> &str {
        let place = EVERYBODY.iter().position(|one| *one == who).unwrap();
        &self.uris[place]
    }

    async fn go_on(&self, step: Step) {
        assert!(self.goes_on(step).await, "{step:?}");
    }

    /// Runs a step. Returns whether it succeeded.
    pub(crate) async fn goes_on(&self, step: Step) -> bool {
        let world = &self.world;
        match step {
            Note(path, properties, text) => self.written(path, &person(properties, text)).await,
            ByHand(path, properties, text) => {
                std::fs::write(self.place(path), person(properties, text)).unwrap();
                self.post("sync-relationships", json!({})).await
            }
            Whole(path, text) => self.written(path, text).await,
            Move(from, to) => self.moved(from, to).await,
            Remove(path) => {
                let gone = std::fs::remove_file(self.place(path)).is_ok();
                gone && self.post("sync-relationships", json!({})).await
            }
            Alias(who, alias) => {
                self.post("entity/alias", json!({ "uri": self.uri(who), "alias": alias })).await
            }
            Unalias(who, alias) => {
                let body = json!({ "uri": self.uri(who), "alias": alias, "action": "remove" });
                self.post("entity/alias", body).await
            }
            Retype(who, entity_type) => {
                let body = json!({ "uri": self.uri(who), "type": entity_type });
                self.post("entity/retype", body).await
            }
            Page(name) => {
                let update = json!({ "entity_id": self.page, "name": name });
                world.call("update_entities", json!({ "updates": [update] })).await;
                true
            }
            Relate(subject, predicate, object) => {
                let told = json!({ "subject": subject, "predicate": predicate, "object": object });
                let rid = format!("doc:{subject} {object}");
                let body = json!({ "document_rid": rid, "content": "x", "relationships": [told] });
                self.post("ingest", body).await
            }
            Ingest(rid, names) => self.ingest(rid, names).await,
            IngestUri(rid, who) => self.ingest(rid, &[self.uri(who)]).await,
            Register(name, alias) => self.register(json!({ "name": name }), alias).await,
            RegisterUri(who, alias) => self.register(json!({ "uri": self.uri(who) }), alias).await,
            Describe(who, text) => self.describe(who, text).await,
            Journal(whom) => {
                let entry: Vec<String> = whom.iter().map(|who| self.mention(*who)).collect();
                let entry = format!("A ball. {}", entry.join(" "));
                let update = json!({ "entity_id": self.journal, "name": "Ball", "entry": entry });
                world.call("update_entities", json!({ "updates": [update] })).await;
                true
            }
            Away => self.mia("remove").await,
            Back => self.mia("restore").await,
            Log(who) => self.written("Log.md", &format!("{} came.", self.mention(who))).await,
            Merge(from, into) | Join(from, into) => {
                let body = json!({ "from_uri": self.uri(from), "into_uri": self.uri(into) });
                self.post("entity/merge", body).await
            }
            Unmerge(who) => self.post("entity/unmerge", json!({ "uri": self.uri(who) })).await,
        }
    }

    async fn mia(&self, action: &str) -> bool {
        let asked = json!({ "action": action, "node_id": self.mia });
        self.world.call("kn_graph", asked).await["error"].is_null()
    }

    fn place(&self, path: &str) -> std::path::PathBuf {
        self.world.directory.path().join("vault").join(path)
    }

    async fn written(&self, path: &str, text: &str) -> bool {
        self.world.note(path, text).await;
        true
    }

    async fn moved(&self, from: &str, to: &str) -> bool {
        std::fs::create_dir_all(self.place(to).parent().unwrap()).unwrap();
        let moved =
            !self.place(to).exists() && std::fs::rename(self.place(from), self.place(to)).is_ok();
        moved && self.post("sync-relationships", json!({})).await
    }

    /// Sends a request. Returns whether all of it succeeded.
    async fn post(&self, path: &str, body: Value) -> bool {
        let answer = self.world.try_ask(self.world.owner, Ask::post(path.split('/'), body)).await;
        answer.is_ok_and(|answer| answer["refused"].as_array().is_none_or(Vec::is_empty))
    }

    pub(crate) async fn known(&self, who: Who) -> Value {
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
        let mut documents: Vec<Value> = documents.map(|one| one["vault_path"].clone()).collect();
        documents.sort_by_key(Value::to_string);
        let told = ["subject_name", "predicate", "object_name", "source"];
        let relations = self.world.relations_with(uri, &told).await;
        let node = self.world.node(entity["name"].as_str().unwrap()).await;
        let texts = self.world.app.store.texts_of(&self.world.owner, node.id, Bin::Live).await;
        let mut texts: Vec<String> = texts.unwrap().into_iter().map(|text| text.body).collect();
        texts.sort();
        json!([entity["name"], entity["type"], aliases, documents, relations, texts])
    }
}
