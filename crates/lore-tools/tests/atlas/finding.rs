//! The pages of a search form one list, both here and in front of a service.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use lore_anvil::Kind;
use lore_app::atlas::{Anvil, ArticleQuery, Atlas, Audience, Extent, Screened};
use lore_core::error::Code;
use lore_core::names::Word;
use lore_store::{Batch, Change, NewNode, Origin};
use serde_json::{Value, json};

use crate::there::{There, uid};
use crate::world::World;

/// More pages than any single call reads.
const MANY: usize = 1_100;

/// A world in which many pages contain the word.
async fn with_harvests() -> World {
    let world = World::new().await;
    let mut batch = Batch::new(Origin::new("test", "1"), world.app.effects.now());
    for number in 0..MANY {
        let kind = Word::new("kind", "note").unwrap();
        let new = NewNode::new(world.app.effects.uid(), kind, format!("Harvest {number}"));
        batch = batch.change(Change::CreateNode(new));
    }
    world.app.store.commit(&world.owner, batch).await.unwrap();
    world
}

/// Reads all pages of a search. Returns the ids in order and the totals that the pages reported.
async fn leafed(source: &dyn Anvil, limit: usize) -> (Vec<Value>, HashSet<usize>) {
    let (mut ids, mut totals) = (Vec::new(), HashSet::new());
    loop {
        let query = ArticleQuery {
            words: "harvest".into(),
            world: None,
            audience: Audience::GmSide,
            copied: BTreeSet::new(),
            offset: ids.len(),
            limit,
        };
        let found = source.search(&query).await.unwrap();
        totals.insert(found.total);
        ids.extend(found.articles.iter().map(|found| found.article["id"].clone()));
        if found.articles.len() < limit {
            return (ids, totals);
        }
    }
}

async fn assert_one_list(source: &dyn Anvil, all: usize) -> Vec<Value> {
    let (whole, totals) = leafed(source, 50).await;
    assert_eq!((whole.len(), totals), (all, HashSet::from([all])));
    assert_eq!(whole.iter().collect::<HashSet<_>>().len(), all);
    assert_eq!(leafed(source, 37).await.0, whole);
    whole
}

#[tokio::test]
async fn pages_of_any_size_make_up_all_articles_that_have_the_word() {
    let world = with_harvests().await;
    let here = Atlas::new(Arc::clone(&world.app), world.owner, "test", "test".into());
    assert_one_list(&here, MANY).await;
}

#[tokio::test]
async fn copies_of_a_service_are_found_behind_many_pages_of_the_own_world() {
    const COPIES: u32 = 60;
    let world = with_harvests().await;
    let article = |number: u32| {
        let content = "Told at length, and of much else besides, after the harvest was in.";
        let title = format!("Evening {number}");
        json!({ "id": uid(number), "title": title, "state": "public", "content": content })
    };
    let articles = (1..=COPIES).map(|number| (Kind::Article, article(number))).collect();
    let there = There::holding(Extent::Whole, articles);
    there.copied(&world).await;
    let here = Atlas::new(Arc::clone(&world.app), world.owner, "test", "test".into());
    let live = Screened::new(Arc::new(there), here.clone());
    let found = assert_one_list(&live, COPIES as usize).await;
    let mut own = leafed(&here, 50).await.0;
    own.retain(|id| found.contains(id));
    assert_eq!(found, own, "in the order of the own world");
}

#[tokio::test]
async fn notes_are_found_and_told_with_their_notebook() {
    let world = World::new().await;
    let notebook = world.make(Kind::Notebook, json!({ "title": "Book" })).await;
    let section = json!({ "title": "Part", "notebook": { "id": notebook } });
    let section = world.make(Kind::NoteSection, section).await;
    let inside = json!({ "title": "Inside", "content": "x", "notesection": { "id": section } });
    let inside = world.make(Kind::Note, inside).await;
    let loose = json!({ "title": "Loose thought", "content": "About the quorvex." });
    let loose = world.call("create_notebook_note", loose).await["data"]["id"].clone();
    let book = json!({ "notebook_id": notebook, "granularity": 2 });
    let book = world.call("get_notebook", book).await;
    assert_eq!(book["data"]["notes"][0]["id"], inside);
    let found = world.call("search_articles", json!({ "query": "quorvex" })).await;
    assert_eq!(found["entities"][0]["id"], loose);
    let read = json!({ "article_id": loose, "granularity": 2 });
    let read = world.call("get_article", read).await;
    assert_eq!(read["data"]["content"], "About the quorvex.");
    let player = world.player().await;
    let seen = world.try_call(player, "search_articles", json!({ "query": "quorvex" })).await;
    assert_eq!(seen.unwrap()["meta"]["total"], 0);
}

#[tokio::test]
async fn a_tag_with_a_comma_is_refused() {
    let world = World::new().await;
    let tagged = json!({ "title": "Duke", "tags": ["Duke of York, the elder"] });
    let (code, told) = world.refused(world.owner, "create_article", tagged).await;
    assert_eq!(code, Code::Invalid);
    assert!(told.starts_with("tags "), "{told}");
}
