//! Background work, and many requests at once.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lore_app::knowledge::{Notes, keep_vault, keep_watching};
use lore_core::{Principal, Viewer};
use lore_store::Origin;
use lore_tools::koi::Ask;
use serde_json::{Value, json};

use crate::world::{ARTICLE, World};

/// Waits until a condition holds; fails if it never does.
pub(crate) async fn until(what: &str, is_so: impl AsyncFn() -> bool) {
    for _ in 0..600 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{what}");
}

/// Whether the documents found by a word contain it. Similar words are found, too.
async fn finds(world: &World, word: &str) -> bool {
    let found = world.call("knowledge_search", json!({ "query": word })).await;
    found["results"].to_string().contains(word)
}

#[tokio::test]
async fn a_folder_that_takes_the_place_of_the_vault_is_followed() {
    let world = World::new().await;
    let vault = world.directory.path().join("vault");
    let write = |folder: &Path, name: &str, text: &str| {
        std::fs::write(folder.join(name), text).unwrap();
    };
    write(&vault, "One.md", "The first says frabjous.");
    write(&vault, "Two.md", "The second says callooh.");
    let following = tokio::spawn(keep_vault(world.app.clone(), None));
    until("the notes are found", async || finds(&world, "callooh").await).await;

    let aside = world.directory.path().join("aside");
    std::fs::create_dir(&aside).unwrap();
    write(&aside, "One.md", "The first says frabjous.");
    write(&aside, "Three.md", "The third says brillig.");
    std::fs::rename(&vault, world.directory.path().join("old")).unwrap();
    std::fs::rename(&aside, &vault).unwrap();
    std::fs::remove_dir_all(world.directory.path().join("old")).unwrap();
    until("what came is found", async || finds(&world, "brillig").await).await;
    until("what went is gone", async || !finds(&world, "callooh").await).await;
    assert!(finds(&world, "frabjous").await, "what is the same stays");
    write(&vault, "Four.md", "By hand: galumphing.");
    until("edits are heard again", async || finds(&world, "galumphing").await).await;
    world.note("Five.md", "Written here.").await;
    assert!(vault.join("Five.md").is_file());
    let read = world.call("vault_read_note", json!({ "path": "Three.md" })).await;
    assert!(read.to_string().contains("brillig"), "{read}");
    following.abort();
}

#[tokio::test]
async fn a_vault_of_a_world_that_is_made_later_is_followed() {
    let vault = tempfile::tempdir().unwrap();
    std::fs::write(vault.path().join("One.md"), "It says frabjous.").unwrap();
    let later = Some("Later".to_owned());
    let notes = Arc::new(Notes::at(vault.path().to_owned(), later.clone()));
    let world = World::with(|app| app.notes = notes).await;
    let following = tokio::spawn(keep_vault(world.app.clone(), later));
    tokio::time::sleep(Duration::from_millis(100)).await;
    let origin = Origin::new("test", "1".to_owned());
    let (uid, now) = (world.app.effects.uid(), world.app.effects.now());
    let (store, name) = (&world.app.store, "Later".to_owned());
    let made = store.create_world(Principal::LOCAL, uid, name, origin, now).await.unwrap();
    let viewer = Viewer { world: made.id, ..world.owner };
    let is_found = async || {
        let asked = json!({ "query": "frabjous" });
        let found = world.call_as(viewer, "knowledge_search", asked).await;
        found["results"].to_string().contains("frabjous")
    };
    until("the note is found", is_found).await;
    following.abort();
}

#[tokio::test]
async fn a_note_that_was_written_elsewhere_and_removed_was_moved() {
    let world = World::new().await;
    let place = |name: &str| world.directory.path().join("vault").join(name);
    let person = "---\n\"@type\": schema:Person\n";
    std::fs::write(place("Sig Aldane.md"), format!("{person}---\nHe is frabjous.\n")).unwrap();
    let friend = format!("{person}knows: \"[[Sig Aldane]]\"\n---\nA friend says callooh.\n");
    std::fs::write(place("Friend.md"), friend).unwrap();
    let following = tokio::spawn(keep_vault(world.app.clone(), None));
    until("the notes are kept", async || {
        finds(&world, "callooh").await && finds(&world, "frabjous").await
    })
    .await;
    let uri = world.best("Sig Aldane").await["uri"].clone();
    for (from, to) in [("Sig Aldane", "Sig Boldane"), ("Sig Boldane", "Sig Coldane")] {
        let [old, new] = [from, to].map(|name| place(&format!("{name}.md")));
        if to == "Sig Boldane" {
            std::fs::copy(&old, &new).unwrap();
            std::fs::remove_file(&old).unwrap();
        } else {
            let text = std::fs::read(&old).unwrap();
            std::fs::remove_file(&old).unwrap();
            std::fs::write(&new, text).unwrap();
        }
        until("it is known by its new name", async || world.best(to).await["name"] == to).await;
        assert_eq!(world.best(to).await["uri"], uri);
    }
    following.abort();
}

#[tokio::test]
async fn answers_tell_how_far_a_vault_is_read_and_links_follow_names_by_themselves() {
    let world = World::new().await;
    let place = |name: &str| world.directory.path().join("vault").join(name);
    let person = |more: &str| format!("---\n\"@type\": schema:Person\n{more}---\nSomebody.\n");
    for number in 0..200 {
        std::fs::write(place(&format!("Filler {number}.md")), person("")).unwrap();
    }
    std::fs::write(place("Xenia Old.md"), person("aliases: [Nickling]\n")).unwrap();
    std::fs::write(place("Rolf Ekk.md"), person("knows: \"[[Nickling]]\"\n")).unwrap();
    let player = world.player().await;
    let label = json!({ "label": "Rolf Ekk" });
    let asked = async || world.call("resolve_entity", label.clone()).await["vault"].clone();
    let following = tokio::spawn(keep_vault(world.app.clone(), None));
    until("it is told", async || asked().await.as_str() == Some("reading, 0 of 202 notes")).await;
    assert!(world.call_as(player, "resolve_entity", label.clone()).await["vault"].is_null());
    let searched = world.call("knowledge_search", json!({ "query": "somebody" })).await;
    assert!(searched["vault"].is_string() || asked().await.is_null(), "{searched}");
    until("it is read", async || asked().await.is_null()).await;

    let related = async || world.relations("Rolf Ekk").await.len();
    until("the link leads to her", async || related().await == 2).await;
    std::fs::write(place("Xenia Old.md"), person("")).unwrap();
    until("it leads nowhere", async || related().await == 0).await;
    std::fs::write(place("Nickling.md"), person("")).unwrap();
    until("it leads to him", async || related().await == 2).await;
    following.abort();
}

#[tokio::test]
async fn many_may_look_at_one_page_at_once() {
    let world = World::new().await;
    let url = "https://example.org/herring";
    world.pages.0.lock().unwrap().insert(url.into(), ARTICLE.into());
    let look = || Ask::post(["web", "preview"], json!({ "url": url }));
    let watch = || Ask::post(["web", "monitor", "add"], json!({ "url": url }));
    let ask = async |ask: Ask| world.try_ask(world.owner, ask).await;
    let all = tokio::join!(
        ask(look()),
        ask(watch()),
        ask(look()),
        ask(watch()),
        ask(look()),
        ask(watch()),
    );
    for answer in [all.0, all.1, all.2, all.3, all.4, all.5] {
        assert!(answer.is_ok(), "{answer:?}");
    }
    let status = world.call("monitor_url", json!({})).await;
    assert_eq!(status["monitored_urls"], 1, "nobody's wish is lost: {status}");
}

#[tokio::test]
async fn a_page_that_is_taken_in_again_gets_what_is_new() {
    let world = World::new().await;
    let url = "https://example.org/herring";
    world.pages.0.lock().unwrap().insert(url.into(), ARTICLE.into());
    world.call("preview_url", json!({ "url": url })).await;
    let first = world.call("ingest_url", json!({ "url": url })).await;
    assert_eq!((&first["success"], &first["entities_resolved"]), (&json!(true), &json!(0)));
    let again = world.call("ingest_url", json!({ "url": url })).await;
    let said = json!({
        "already_ingested": true, "rid": first["rid"], "vault_note_path": "Sources/Herring.md",
        "message": "URL has already been ingested.",
    });
    assert_eq!(again, said);
    let more = json!({
        "url": url,
        "entities": [
            { "name": "Ada Holt", "type": "Person" },
            { "name": "Salish Sea Fund", "type": "Organization" },
            { "name": "Nothing", "type": "Nonsense" },
        ],
        "relationships": [
            { "subject": "Ada Holt", "predicate": "affiliated_with", "object": "Salish Sea Fund" },
            { "subject": "Ada Holt", "predicate": "eats", "object": "Salish Sea Fund" },
        ],
    });
    let added = world.call("ingest_url", more.clone()).await;
    let counted =
        (&added["already_ingested"], &added["entities_resolved"], &added["relationships_added"]);
    assert_eq!(counted, (&json!(true), &json!(2), &json!(1)), "{added}");
    assert_eq!(added["entities"][1]["is_new"], true, "{added}");
    assert_eq!(added["refused"].as_array().unwrap().len(), 2, "{added}");
    let told = ["Ada Holt affiliated_with Salish Sea Fund"];
    assert_eq!(world.relations("Ada Holt").await, told);
    // The text does not name the fund; the request said that the page is about it.
    let about = json!({ "entity_uri": "Salish Sea Fund" });
    let documents = world.call("get_entity_documents", about).await["documents"].clone();
    assert!(documents.to_string().contains(url), "{documents}");
    let note =
        world.answer(world.owner, "vault_read_note", json!({ "path": "Sources/Herring.md" }));
    let note = note.await.unwrap().text;
    assert!(note.ends_with("## Mentions\n\n- [[Ada Holt]]\n- [[Salish Sea Fund]]\n"), "{note}");
    let twice = world.call("ingest_url", more).await;
    assert_eq!(twice["entities"][1]["is_new"], false, "{twice}");
    assert_eq!(world.relations("Ada Holt").await, told);
}

#[tokio::test]
async fn a_page_that_was_removed_is_taken_in_again() {
    let world = World::new().await;
    let url = "https://example.org/herring";
    world.pages.0.lock().unwrap().insert(url.into(), ARTICLE.into());
    world.call("preview_url", json!({ "url": url })).await;
    world.call("ingest_url", json!({ "url": url })).await;
    let count = async || {
        let asked = json!({ "query": "herring", "source": "web" });
        world.call("knowledge_search", asked).await["results"].as_array().unwrap().len()
    };
    assert_eq!(count().await, 1);
    let page = world.call("kn_graph", json!({ "action": "query", "node_type": "web_page" })).await;
    let remove = json!({ "action": "remove", "node_id": page["nodes"][0]["id"] });
    world.call("kn_graph", remove).await;
    assert_eq!(count().await, 0);
    let looked = world.call("preview_url", json!({ "url": url })).await;
    assert!(looked.get("already_ingested").is_none(), "{looked}");
    let entities = json!([{ "name": "Miriam Okafor", "type": "Person" }]);
    let taken = world.call("ingest_url", json!({ "url": url, "entities": entities })).await;
    assert_eq!((&taken["success"], &taken["entities_resolved"]), (&json!(true), &json!(1)));
    assert_eq!(count().await, 1);
}

#[tokio::test]
async fn an_action_that_is_none_is_refused() {
    let world = World::new().await;
    let remove = json!({ "action": "remov", "url": "https://example.org/" });
    let refused = world.answer(world.owner, "monitor_url", remove).await;
    let Err(refused) = refused else { panic!("taken for a question") };
    assert!(refused.to_string().contains("action"), "{refused}");
}

#[tokio::test]
async fn pages_of_one_title_taken_in_at_once_have_notes_of_their_own() {
    let world = World::new().await;
    let urls = [0, 1, 2, 3].map(|number| format!("https://example.org/{number}"));
    for url in &urls {
        world.pages.0.lock().unwrap().insert(url.clone(), ARTICLE.into());
        world.call("preview_url", json!({ "url": url })).await;
    }
    let ingest = async |url: &str| {
        let taken = world.call("ingest_url", json!({ "url": url })).await;
        taken["vault_note_path"].as_str().unwrap().to_owned()
    };
    let taken =
        tokio::join!(ingest(&urls[0]), ingest(&urls[1]), ingest(&urls[2]), ingest(&urls[3]));
    for (url, path) in urls.iter().zip([taken.0, taken.1, taken.2, taken.3]) {
        let text = std::fs::read_to_string(world.directory.path().join("vault").join(&path));
        assert!(text.unwrap().contains(&format!("url: \"{url}\"")), "{path}");
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_is_told_before_anything_is_taken_in() {
    let world = World::new().await;
    let url = "https://example.org/herring";
    world.pages.0.lock().unwrap().insert(url.into(), ARTICLE.into());
    world.call("preview_url", json!({ "url": url })).await;
    let body = |folder: &str| {
        let entities = json!([{ "name": "Conny Half", "type": "Person" }]);
        json!({ "url": url, "vault_folder": folder, "entities": entities })
    };
    for folder in ["../out", "/etc", ".obsidian", "CON"] {
        let refused = world.try_ask(world.owner, Ask::post(["web", "ingest"], body(folder))).await;
        assert!(format!("{refused:?}").contains("vault_folder"), "{folder}: {refused:?}");
    }
    assert!(world.best("Conny Half").await.is_null());
    let taken = world.post("web/ingest", body("Sources/")).await;
    assert_eq!(taken["vault_note_path"], "Sources/Herring.md");
}

#[tokio::test]
async fn the_note_about_a_page_says_what_the_page_says_now() {
    let world = World::new().await;
    let url = "https://example.org/herring";
    let page = |word: &str| {
        let about = format!("<meta name=\"description\" content=\"All about {word}\"></head>");
        ARTICLE.replace("</head>", &about).replace("eleven days", word)
    };
    let put = |html: String| world.pages.0.lock().unwrap().insert(url.into(), html);
    put(page("quokka"));
    world.call("monitor_url", json!({ "action": "add", "url": url })).await;
    let entities = json!([{ "name": "Ada Holt", "type": "Person" }]);
    world.call("preview_url", json!({ "url": url })).await;
    let taken = world.call("ingest_url", json!({ "url": url, "entities": entities })).await;
    let path = taken["vault_note_path"].as_str().unwrap().to_owned();
    assert!(finds(&world, "quokka").await);

    put(page("numbat"));
    let watching = tokio::spawn(keep_watching(world.app.clone()));
    world.post("web/monitor/scan", json!({})).await;
    let read = async || {
        let file = world.directory.path().join("vault").join(&path);
        std::fs::read_to_string(file).unwrap()
    };
    until("the note is new", async || read().await.contains("numbat")).await;
    until("the old text is gone", async || !finds(&world, "quokka").await).await;
    assert!(read().await.contains("[[Ada Holt]]"), "{}", read().await);
    watching.abort();
}

#[tokio::test]
async fn a_watched_page_that_cannot_be_read_is_counted_and_keeps_what_it_said() {
    let world = World::new().await;
    let url = "https://example.org/herring";
    world.pages.0.lock().unwrap().insert(url.into(), ARTICLE.into());
    world.call("monitor_url", json!({ "action": "add", "url": url })).await;
    let source = async || world.call("monitor_url", json!({})).await["sources"][0].clone();
    let before = source().await;
    assert_eq!((&before["failures"], &before["changed_at"]), (&json!(0), &json!(null)));
    let watching = tokio::spawn(keep_watching(world.app.clone()));
    world.pages.0.lock().unwrap().clear();
    world.post("web/monitor/scan", json!({})).await;
    until("it is counted", async || source().await["failures"] == 1).await;
    assert_eq!(source().await["content_hash"], before["content_hash"]);
    let other = ARTICLE.replace("eleven days", "a fortnight");
    world.pages.0.lock().unwrap().insert(url.into(), other);
    world.post("web/monitor/scan", json!({})).await;
    until("it is read again", async || source().await["failures"] == 0).await;
    let after = source().await;
    assert_ne!(after["content_hash"], before["content_hash"]);
    assert!(after["changed_at"].is_string(), "{after}");
    watching.abort();
}

#[tokio::test]
async fn the_note_about_a_page_is_found_where_it_was_moved() {
    let world = World::new().await;
    let url = "https://example.org/herring";
    let put = |html: String| world.pages.0.lock().unwrap().insert(url.into(), html);
    put(ARTICLE.to_owned());
    world.call("monitor_url", json!({ "action": "add", "url": url })).await;
    world.call("preview_url", json!({ "url": url })).await;
    let taken = world.call("ingest_url", json!({ "url": url })).await;
    let vault = world.directory.path().join("vault");
    let moved = vault.join("Reading/Fish.md");
    std::fs::create_dir(vault.join("Reading")).unwrap();
    std::fs::rename(vault.join(taken["vault_note_path"].as_str().unwrap()), &moved).unwrap();
    world.post("sync-relationships", json!({})).await;
    let again = world.call("ingest_url", json!({ "url": url })).await;
    assert_eq!(again["vault_note_path"], "Reading/Fish.md");

    put(ARTICLE.replace(">Herring<", ">Quokkas<").replace("eleven days", "nine days"));
    let watching = tokio::spawn(keep_watching(world.app.clone()));
    world.post("web/monitor/scan", json!({})).await;
    let read = || std::fs::read_to_string(&moved).unwrap();
    until("the note is new", async || read().contains("# Quokkas")).await;
    assert_eq!(std::fs::read_dir(vault.join("Sources")).unwrap().count(), 0);
    watching.abort();
}

#[tokio::test]
async fn titles_of_pages_act_nowhere_and_name_files_everywhere() {
    let world = World::new().await;
    let titles = ["CON", "Act &lt;b&gt;x&lt;/b&gt; &lt;script&gt;alert(1)&lt;/script&gt;"];
    let mut notes = Vec::new();
    for (number, title) in titles.iter().enumerate() {
        let url = format!("https://example.org/{number}");
        let html = ARTICLE.replace("<title>Herring</title>", &format!("<title>{title}</title>"));
        world.pages.0.lock().unwrap().insert(url.clone(), html);
        world.call("preview_url", json!({ "url": url })).await;
        let taken = world.call("ingest_url", json!({ "url": url })).await;
        let path = taken["vault_note_path"].clone();
        notes.push(world.call("vault_read_note", json!({ "path": path })).await);
    }
    let text = |note: &Value| note.to_string();
    assert!(text(&notes[0]).contains("# CON"), "{}", notes[0]);
    assert!(!text(&notes[1]).contains("# Act <b>"), "{}", notes[1]);
}

#[tokio::test]
async fn a_note_that_was_copied_and_removed_much_later_was_moved() {
    let world = World::new().await;
    let place = |name: &str| world.directory.path().join("vault").join(name);
    let person = "---\n\"@type\": schema:Person\n---\n";
    let write = |name: &str, text: &str| std::fs::write(place(name), text).unwrap();
    let look = async || world.post("sync-relationships", json!({})).await;
    let uri = async |name: &str| world.best(name).await["uri"].as_str().unwrap().to_owned();
    write("Sig Aldane.md", &format!("{person}He is frabjous.\n"));
    write("Blank One.md", person);
    look().await;
    let (sig, blank) = (uri("Sig Aldane").await, uri("Blank One").await);
    world.post("entity/alias", json!({ "uri": sig, "alias": "Siggy" })).await;

    write("Sig Boldane.md", &format!("{person}He is frabjous.\n"));
    write("Blank Two.md", person);
    look().await;
    assert_ne!(uri("Sig Boldane").await, sig, "as long as both are there, they are two");
    write("Log.md", "We met Sig Boldane.");
    look().await;
    let second = uri("Sig Boldane").await;
    for name in ["Sig Aldane.md", "Blank One.md"] {
        std::fs::remove_file(place(name)).unwrap();
    }
    look().await;
    let entity = world.entity(&sig).await;
    assert_eq!(entity["name"], "Sig Boldane");
    assert_eq!(entity["aliases"], json!(["Siggy", "Sig Aldane"]));
    assert_eq!(world.entity(&second).await["uri"], sig, "who was spoken of meanwhile is the same");
    let documents = world.call("get_entity_documents", json!({ "entity_uri": sig })).await;
    assert_eq!(documents["total_count"], 2, "{documents}");
    assert_ne!(uri("Blank Two").await, blank, "notes that say nothing are no copies");
}

#[tokio::test]
async fn a_note_that_was_removed_and_written_elsewhere_later_was_moved() {
    let world = World::new().await;
    let place = |name: &str| world.directory.path().join("vault").join(name);
    let person = "---\n\"@type\": schema:Person\nknows: \"[[Mia Vale]]\"\n---\n";
    let write = |name: &str, text: &str| std::fs::write(place(name), text).unwrap();
    let look = async || world.post("sync-relationships", json!({})).await;
    let uri = async |name: &str| world.best(name).await["uri"].as_str().unwrap().to_owned();
    world.register("Mia Vale", "Person").await;
    write("Sig Aldane.md", &format!("{person}He is frabjous.\n"));
    write("Blank One.md", person);
    look().await;
    let (sig, blank) = (uri("Sig Aldane").await, uri("Blank One").await);
    for name in ["Sig Aldane.md", "Blank One.md"] {
        std::fs::remove_file(place(name)).unwrap();
    }
    look().await;
    assert_eq!(
        world.call("resolve_entity", json!({ "label": "Sig Aldane" })).await["is_new"],
        true
    );
    write("Sig Boldane.md", &format!("{person}He is frabjous.\n"));
    write("Blank Two.md", person);
    look().await;
    let entity = world.entity(&sig).await;
    assert_eq!(entity["name"], "Sig Boldane");
    assert_eq!(entity["aliases"], json!(["Sig Aldane"]));
    let related = ["Mia Vale knows Sig Boldane", "Sig Boldane knows Mia Vale"];
    assert_eq!(world.relations(&sig).await, related);
    assert_ne!(
        uri("Blank Two").await,
        blank,
        "notes that say nothing are told apart by their names"
    );
    let documents = world.call("get_entity_documents", json!({ "entity_uri": sig })).await;
    assert_eq!(documents["documents"][0]["vault_path"], "Sig Boldane", "{documents}");
    // The same text once more is another entity.
    write("Sig Coldane.md", &format!("{person}He is frabjous.\n"));
    look().await;
    assert_ne!(uri("Sig Coldane").await, sig);
}

#[tokio::test]
async fn notes_that_moved_while_nobody_looked_are_followed_where_it_is_clear() {
    let world = World::new().await;
    let place = |name: &str| world.directory.path().join("vault").join(name);
    let person = "---\n\"@type\": schema:Person\n---\nSomebody.\n";
    for folder in ["Old", "New"] {
        std::fs::create_dir(place(folder)).unwrap();
    }
    let names = ["Ann Moor", "Bea Lund", "Cleo Vant"];
    for name in names {
        std::fs::write(place(&format!("Old/{name}.md")), person).unwrap();
    }
    world.post("sync-relationships", json!({})).await;
    let uri = async |name: &str| world.best(name).await["uri"].clone();
    let before = [uri(names[0]).await, uri(names[1]).await, uri(names[2]).await];
    // The notes have the same text. Two are recognised by their names, so the renamed one is the
    // third.
    for (from, to) in
        [("Ann Moor", "Ann Moor"), ("Bea Lund", "Bea Lund"), ("Cleo Vant", "Dora Hill")]
    {
        std::fs::rename(place(&format!("Old/{from}.md")), place(&format!("New/{to}.md"))).unwrap();
    }
    world.post("sync-relationships", json!({})).await;
    let after = [uri(names[0]).await, uri(names[1]).await, uri("Dora Hill").await];
    assert_eq!(after, before);
    // With two removed and two new notes it is unclear which is which.
    for (from, to) in [("Ann Moor", "Eva Blom"), ("Bea Lund", "Fay Corr")] {
        std::fs::rename(place(&format!("New/{from}.md")), place(&format!("Old/{to}.md"))).unwrap();
    }
    world.post("sync-relationships", json!({})).await;
    for name in ["Eva Blom", "Fay Corr"] {
        assert!(!before.contains(&uri(name).await), "{name}");
    }
}
