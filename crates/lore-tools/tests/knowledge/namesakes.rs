//! Entities with the same name are told apart by their relations, whatever texts contain the name.

use serde_json::json;

use crate::world::{ARTICLE, World};

/// A note about somebody called Lena Storm, who knows somebody.
fn lena(uri: &str, knows: &str) -> String {
    format!(
        "---\n\"@type\": schema:Person\nuri: {uri}\nknows: \"[[{knows}]]\"\n---\n# Lena Storm\n"
    )
}

async fn two() -> (World, &'static str, &'static str) {
    let world = World::new().await;
    let sailor = "orn:personal-koi.entity:person-lena-storm-sailor";
    let aunt = "orn:personal-koi.entity:person-lena-storm-aunt";
    for name in ["Bill Baue", "Peter Hansen"] {
        world.register(name, "Person").await;
    }
    world.note("People/Lena Storm.md", &lena(sailor, "Bill Baue")).await;
    world.note("Family/Lena Storm.md", &lena(aunt, "Peter Hansen")).await;
    (world, sailor, aunt)
}

/// Returns which entity is meant in the company of somebody.
async fn beside(world: &World, name: &str) -> (String, f64) {
    let context = json!({ "associated_people": [name] });
    let asked = json!({ "label": "Lena Storm", "context": context });
    let found = world.post("entity/resolve", asked).await["candidates"][0].clone();
    (found["uri"].as_str().unwrap().to_owned(), found["confidence"].as_f64().unwrap())
}

#[tokio::test]
async fn a_name_in_a_note_is_that_of_whom_the_note_is_about() {
    let (world, sailor, aunt) = two().await;
    for (uri, path) in [(sailor, "People/Lena Storm"), (aunt, "Family/Lena Storm")] {
        let found = world.call("get_entity_documents", json!({ "entity_uri": uri })).await;
        assert_eq!(found["total_count"], 1, "{found}");
        assert_eq!(found["documents"][0]["vault_path"], path);
    }
    for (name, uri) in [("Bill Baue", sailor), ("Peter Hansen", aunt)] {
        let (found, confidence) = beside(&world, name).await;
        assert!(found == uri && confidence > 0.8, "{name}: {found} {confidence}");
    }
}

#[tokio::test]
async fn a_page_that_is_said_to_be_about_one_of_them_tells_nothing_of_the_other() {
    let (world, sailor, aunt) = two().await;
    let url = "https://example.org/lena";
    let text = ARTICLE.replace("Ada Holt", "Lena Storm, whom Bill Baue and Peter Hansen knew,");
    world.pages.0.lock().unwrap().insert(url.into(), text);
    world.call("preview_url", json!({ "url": url })).await;
    let entities = json!([{ "name": aunt, "type": "Person" }]);
    world.call("ingest_url", json!({ "url": url, "entities": entities })).await;
    for (name, uri) in [("Bill Baue", sailor), ("Peter Hansen", aunt)] {
        let (found, confidence) = beside(&world, name).await;
        assert!(found == uri && confidence > 0.8, "{name}: {found} {confidence}");
    }
    let found = world.call("get_entity_documents", json!({ "entity_uri": sailor })).await;
    assert_eq!(found["total_count"], 1, "{found}");
}

#[tokio::test]
async fn a_name_that_several_have_is_answered_with_their_uris() {
    let (world, sailor, aunt) = two().await;
    for tool in ["get_entity_neighborhood", "get_entity_documents"] {
        let asked = json!({ "entity_uri": "Lena Storm" });
        let told = format!("{:?}", world.answer(world.owner, tool, asked).await.unwrap_err());
        for said in ["Could not resolve", "2 entities have this name", sailor, aunt] {
            assert!(told.contains(said), "{tool}: {told}");
        }
    }
}
