//! What notes say is known for as long as they say it.

use lore_tools::koi::Ask;
use serde_json::{Value, json};

use crate::world::World;

const PERSON: &str = "---\n\"@type\": schema:Person\n";

/// A note about a person with additional properties.
fn person(properties: &str, body: &str) -> String {
    format!("{PERSON}{properties}---\n{body}\n")
}

#[tokio::test]
async fn relations_that_leave_a_note_leave_the_graph() {
    let world = World::new().await;
    world.note("People/Rolf Ekk.md", &person("", "Rolf.")).await;
    world.note("Orgs/Acme Guild.md", "---\n\"@type\": schema:Organization\n---\nA guild.\n").await;
    let both = "knows: \"[[Rolf Ekk]]\"\nmemberOf: \"[[Orgs/Acme Guild.md]]\"\n";
    world.note("People/Ida Penn.md", &person(both, "Ida.")).await;
    let told = [
        "Ida Penn affiliated_with Acme Guild",
        "Ida Penn knows Rolf Ekk",
        "Rolf Ekk knows Ida Penn",
    ];
    assert_eq!(world.relations("Ida Penn").await, told);
    world.note("People/Ida Penn.md", &person("knows: \"[[Rolf Ekk]]\"\n", "Ida.")).await;
    assert_eq!(world.relations("Ida Penn").await, &told[1..]);
    world.note("People/Ida Penn.md", &person("", "Ida.")).await;
    assert!(world.relations("Ida Penn").await.is_empty());
}

#[tokio::test]
async fn what_two_notes_say_stays_until_neither_does() {
    let world = World::new().await;
    world.note("People/Ida Penn.md", &person("knows: \"[[Rolf Ekk]]\"\n", "Ida.")).await;
    world.note("People/Rolf Ekk.md", &person("knows: \"[[Ida Penn]]\"\n", "Rolf.")).await;
    assert_eq!(world.relations("Ida Penn").await.len(), 2);
    world.note("People/Ida Penn.md", &person("", "Ida.")).await;
    assert_eq!(world.relations("Ida Penn").await.len(), 2);
    std::fs::remove_file(world.directory.path().join("vault/People/Rolf Ekk.md")).unwrap();
    world.post("sync-relationships", json!({})).await;
    assert!(world.relations("Ida Penn").await.is_empty());
}

#[tokio::test]
async fn a_relation_waits_for_the_note_it_leads_to() {
    let world = World::new().await;
    let forward =
        "affiliation:\n  - \"[[Organizations/Later Org]]\"\nknows: [\"[[Second Later]]\"]\n";
    world.note("People/Nils Forward.md", &person(forward, "Nils.")).await;
    assert!(world.relations("Nils Forward").await.is_empty());
    world.note("Organizations/Later Org.md", "---\n\"@type\": schema:Organization\n---\n").await;
    assert_eq!(world.relations("Nils Forward").await, ["Nils Forward affiliated_with Later Org"]);
    // Relations wait for an entity however it becomes known.
    world.register("Second Later", "Person").await;
    assert_eq!(world.relations("Nils Forward").await.len(), 3);
    let counts = world.ask(Ask::get(["relationship-stats"])).await;
    assert_eq!(counts["by_predicate"], json!({ "affiliated_with": 1, "knows": 2 }));
}

#[tokio::test]
async fn a_note_that_moved_still_owns_what_it_says() {
    let world = World::new().await;
    world.note("People/Rolf Ekk.md", &person("", "Rolf.")).await;
    world.note("People/Ida Penn.md", &person("knows: \"[[Rolf Ekk]]\"\n", "Ida.")).await;
    let vault = world.directory.path().join("vault");
    std::fs::create_dir(vault.join("Friends")).unwrap();
    std::fs::rename(vault.join("People/Ida Penn.md"), vault.join("Friends/Ida Penn.md")).unwrap();
    world.post("sync-relationships", json!({})).await;
    assert_eq!(world.relations("Ida Penn").await.len(), 2);
    world.note("Friends/Ida Penn.md", &person("", "Ida.")).await;
    assert!(world.relations("Ida Penn").await.is_empty());
}

/// Swaps the names of two notes.
fn exchange(world: &World, one: &str, other: &str) {
    let place = |name: &str| world.directory.path().join("vault").join(name);
    std::fs::rename(place(one), place("aside.md")).unwrap();
    std::fs::rename(place(other), place(one)).unwrap();
    std::fs::rename(place("aside.md"), place(other)).unwrap();
}

#[tokio::test]
async fn notes_that_exchange_their_names_leave_none_behind() {
    let world = World::new().await;
    world.note("Ida Penn.md", &person("", "She sails.")).await;
    world.note("Rolf Ekk.md", &person("", "He builds boats.")).await;
    let uri = async |name: &str| world.best(name).await["uri"].as_str().unwrap().to_owned();
    let uris = [uri("Ida Penn").await, uri("Rolf Ekk").await];
    let named = async || {
        let [one, other] = [world.entity(&uris[0]).await, world.entity(&uris[1]).await];
        [one, other].map(|entity| json!([entity["name"], entity["aliases"]]))
    };
    let before = named().await;
    exchange(&world, "Ida Penn.md", "Rolf Ekk.md");
    world.post("sync-relationships", json!({})).await;
    assert_eq!(named().await, [before[1].clone(), before[0].clone()]);
    assert_eq!(world.register("Ida Penn", "Person").await, uris[1], "who is called so now");
    exchange(&world, "Ida Penn.md", "Rolf Ekk.md");
    world.post("sync-relationships", json!({})).await;
    assert_eq!(named().await, before);
}

#[tokio::test]
async fn a_note_that_moved_is_not_the_one_that_stands_in_its_place() {
    let world = World::new().await;
    world.note("One.md", &person("name: Ilse Marrow\n", "She is frabjous.")).await;
    let ilse = world.best("Ilse Marrow").await["uri"].clone();
    let otto = world.register("Otto Krug", "Person").await;
    let vault = world.directory.path().join("vault");
    std::fs::rename(vault.join("One.md"), vault.join("Two.md")).unwrap();
    std::fs::write(vault.join("One.md"), person("name: Otto Krug\n", "He says callooh.")).unwrap();
    world.post("sync-relationships", json!({})).await;
    assert_eq!(world.best("Ilse Marrow").await["uri"], ilse);
    assert_eq!(world.best("Otto Krug").await["uri"], otto);
    let listed = world.ask(Ask::get(["vault-entities"])).await.to_string();
    assert!(listed.contains("Ilse Marrow") && listed.contains("Otto Krug"), "{listed}");
}

#[tokio::test]
async fn editing_the_note_of_a_merged_entity_leaves_the_other_as_it_is() {
    let world = World::new().await;
    world.register("Mia Vale", "Person").await;
    world.register("Otto Krug", "Person").await;
    let nora = |more: &str| person(more, "Nora Pike likes boats.");
    world.note("People/Nora Pike.md", &nora("aliases: [Norrie]\n")).await;
    world.note("People/Eleanor Vance.md", &person("knows: \"[[Mia Vale]]\"\n", "She sails.")).await;
    let uri = async |name: &str| world.best(name).await["uri"].as_str().unwrap().to_owned();
    let (from, into) = (uri("Nora Pike").await, uri("Eleanor Vance").await);
    let state = async || {
        let mut seen: Vec<Value> = Vec::new();
        for uri in [&from, &into] {
            let entity = world.entity(uri).await;
            let documents = world.call("get_entity_documents", json!({ "entity_uri": uri })).await;
            let rids =
                documents["documents"].as_array().unwrap().iter().map(|one| &one["document_rid"]);
            let rids: Vec<_> = rids.cloned().collect();
            let related = world.relations(uri).await;
            seen.push(json!([entity["name"], entity["aliases"], rids, related]));
        }
        seen
    };
    let before = state().await;
    world.post("entity/merge", json!({ "from_uri": from, "into_uri": into })).await;
    world
        .note("People/Nora Pike.md", &nora("aliases: [Norrie, Nono]\nknows: \"[[Otto Krug]]\"\n"))
        .await;
    let merged = world.entity(&into).await;
    assert_eq!(merged["name"], "Eleanor Vance");
    assert_eq!(merged["aliases"], json!(["Nora Pike", "Norrie", "Nono"]));
    assert!(world.relations(&into).await.contains(&"Eleanor Vance knows Otto Krug".to_owned()));

    world.post("entity/unmerge", json!({ "uri": from })).await;
    let parted = state().await;
    assert_eq!(parted[1], before[1], "the one that stayed is as it was");
    assert_eq!(world.entity(&from).await["aliases"], json!(["Norrie", "Nono"]));
    assert_eq!(
        world.relations(&from).await,
        ["Nora Pike knows Otto Krug", "Otto Krug knows Nora Pike"]
    );
    world.note("People/Nora Pike.md", &nora("aliases: [Norrie]\n")).await;
    assert_eq!(state().await, before);
}

#[tokio::test]
async fn undoing_a_merge_does_not_bring_back_what_notes_say_no_more() {
    let world = World::new().await;
    world.note("Gina Farr.md", &person("", "She sings.")).await;
    world.note("Hanna Folk.md", &person("aliases: [Hf Two]\n", "She sails.")).await;
    let uri = async |name: &str| world.best(name).await["uri"].as_str().unwrap().to_owned();
    let (from, into) = (uri("Hanna Folk").await, uri("Gina Farr").await);
    world.post("entity/merge", json!({ "from_uri": from, "into_uri": into })).await;
    world.note("Hanna Folk.md", &person("aliases: [Hf Three]\n", "She sails.")).await;
    std::fs::remove_file(world.directory.path().join("vault/Gina Farr.md")).unwrap();
    world.post("sync-relationships", json!({})).await;
    world.post("entity/unmerge", json!({ "uri": from })).await;
    assert_eq!(world.entity(&from).await["aliases"], json!(["Hf Three"]));
    assert_ne!(world.best("Gina Farr").await["name"], "Gina Farr");
}

#[tokio::test]
async fn a_second_note_about_an_entity_does_not_rename_it() {
    let world = World::new().await;
    world.note("People/Tom Reed.md", &person("aliases: [Tommy Reed]\n", "One.")).await;
    let uri = world.best("Tom Reed").await["uri"].as_str().unwrap().to_owned();
    world.note("Archive/Tommy Reed.md", &person("", "Two.")).await;
    world.note("Archive/Tommy Reed.md", &person("", "Two, edited.")).await;
    assert_eq!(world.entity(&uri).await["name"], "Tom Reed");
    let listed = world.ask(Ask::get(["vault-entities"])).await;
    assert_eq!(listed["count"], 2, "{listed}");
}

#[tokio::test]
async fn a_note_that_says_otherwise_makes_its_entity_something_else() {
    let world = World::new().await;
    let note = |kind: &str, text: &str| format!("---\n\"@type\": {kind}\n---\n{text}\n");
    world.note("Acme.md", &note("schema:Person", "Somebody.")).await;
    let uri = world.best("Acme").await["uri"].as_str().unwrap().to_owned();
    world.note("Acme.md", &note("schema:Organization", "A guild.")).await;
    assert_eq!(world.entity(&uri).await["type"], "Organization");
    assert_eq!(world.best("Acme").await["uri"], uri);
    // A type set by somebody else lasts for as long as the note says the same.
    let retype = json!({ "uri": uri, "entity_type": "Project", "reason": "it is one" });
    world.post("entity/retype", retype).await;
    world.note("Acme.md", &note("schema:Organization", "A guild of old.")).await;
    assert_eq!(world.entity(&uri).await["type"], "Project");
}

#[tokio::test]
async fn a_note_that_comes_back_as_something_else_is_that() {
    let world = World::new().await;
    let note = |kind: &str| format!("---\n\"@type\": {kind}\n---\nIt shifts.\n");
    world.note("Shifter.md", &note("schema:Person")).await;
    world.note("Shifter.md", &note("schema:Organization")).await;
    std::fs::remove_file(world.directory.path().join("vault/Shifter.md")).unwrap();
    world.post("sync-relationships", json!({})).await;
    assert!(world.best("Shifter").await.is_null());
    world.note("Shifter.md", &note("schema:Person")).await;
    assert_eq!(world.best("Shifter").await["type"], "Person");
}

#[tokio::test]
async fn the_name_of_a_second_note_goes_with_it() {
    let world = World::new().await;
    world.note("P/Main Person.md", &person("", "One.")).await;
    let uri = world.best("Main Person").await["uri"].as_str().unwrap().to_owned();
    let second = person(&format!("uri: {uri}\naliases: [Mainy]\n"), "Two.");
    world.note("P/Second Sheet.md", &second).await;
    assert_eq!(world.entity(&uri).await["aliases"], json!(["Second Sheet", "Mainy"]));
    std::fs::remove_file(world.directory.path().join("vault/P/Second Sheet.md")).unwrap();
    world.post("sync-relationships", json!({})).await;
    assert_eq!(world.entity(&uri).await["aliases"], json!([]));
}

#[tokio::test]
async fn properties_are_read_as_programs_write_them() {
    let world = World::new().await;
    for name in ["Tar Get", "Tar Two"] {
        world.note(&format!("{name}.md"), &person("", "Somebody.")).await;
    }
    let written = "name: \"Caf\\xE9 O'Brien\"\naliases: [\"Smith, John\"]\n\
        knows: [\n  \"[[Tar Get]]\", # one\n  \"[[Tar Two]]\"\n]\n";
    world.note("x.md", &person(written, "He came.")).await;
    let uri = world.best("Café O'Brien").await["uri"].as_str().unwrap().to_owned();
    assert_eq!(world.entity(&uri).await["aliases"], json!(["Smith, John"]));
    assert_eq!(world.relations(&uri).await.len(), 4);
}

#[tokio::test]
async fn links_to_notes_of_one_name_in_several_folders_are_told_apart() {
    let world = World::new().await;
    world.note("D/Duo Note.md", &person("", "Somebody.")).await;
    world.note("E/Duo Note.md", "---\n\"@type\": schema:Organization\n---\nA guild.\n").await;
    let links = "knows: \"[[D/Duo Note]]\"\naffiliation: \"[[E/Duo Note]]\"\n";
    world.note("People/Wren Tallow.md", &person(links, "She came.")).await;
    let told = [
        "Duo Note knows Wren Tallow",
        "Wren Tallow affiliated_with Duo Note",
        "Wren Tallow knows Duo Note",
    ];
    assert_eq!(world.relations("Wren Tallow").await, told);
}

#[tokio::test]
async fn notes_without_prose_are_found() {
    let world = World::new().await;
    let heading = "---\n\"@type\": schema:Organization\n---\n# Herring Foundation\n";
    world.note("Organizations/Herring Foundation.md", heading).await;
    let only = "---\nstatus: open\ndescription: The vexillologist arrives\n---\n";
    world.note("Ideas/Frontmatter only.md", only).await;
    let tagged = "---\ndescription: A zorbling\ntags: [fishmonger]\n---\nA place with boats.\n";
    world.note("Quillon Harbor.md", tagged).await;
    world.note("Nothing at all.md", "").await;
    for (query, rid) in [
        ("Herring Foundation", "vault:Organizations/Herring Foundation.md"),
        ("Frontmatter only", "vault:Ideas/Frontmatter only.md"),
        ("vexillologist", "vault:Ideas/Frontmatter only.md"),
        ("zorbling", "vault:Quillon Harbor.md"),
        ("fishmonger", "vault:Quillon Harbor.md"),
        ("nothing at all", "vault:Nothing at all.md"),
    ] {
        let found = world.call("knowledge_search", json!({ "query": query })).await;
        assert_eq!(found["results"][0]["rid"], rid, "{query}: {found}");
    }
}

#[tokio::test]
async fn what_a_note_says_is_not_written_where_players_read() {
    let world = World::new().await;
    let player = world.player().await;
    let corvina = json!({ "name": "Corvina Ashgrove", "entity_type": "character",
        "entry": "The mayor.", "is_hidden": false });
    world.page(corvina).await;
    let uri = world.best("Corvina Ashgrove").await["uri"].as_str().unwrap().to_owned();
    let seen = async || {
        let ask = Ask::get(["entity".to_owned(), uri.clone()]);
        let entity = world.try_ask(player, ask).await.unwrap()["entity"].clone();
        [entity["name"].clone(), entity["type"].clone(), entity["aliases"].clone()]
    };
    let open = seen().await;
    let place = "People/Corvina Ashgrove.md";
    world.note(place, &person("aliases: [\"The Masked Killer\"]\n", "She is.")).await;
    assert_eq!(seen().await, open);
    let asked = json!({ "label": "The Masked Killer" });
    let found = world.call_as(player, "resolve_entity", asked).await;
    assert_eq!(found["candidates"], json!([]), "{found}");
    assert_eq!(world.best("The Masked Killer").await["uri"], uri, "the game master's own name");

    world.note(place, &person("name: Corvina the Killer\n", "She is.")).await;
    assert_eq!(seen().await, open);
    assert_eq!(world.best("Corvina the Killer").await["uri"], uri);
    assert_ne!(world.best("The Masked Killer").await["match_type"], "alias");
    world.note(place, "---\n\"@type\": schema:Organization\n---\nThey.\n").await;
    assert_eq!(seen().await, open);

    let again = json!({ "name": "Corvina Ashgrove", "type": "Person", "aliases": ["Canary"] });
    let answer = world.post("register-entity", again).await;
    assert_eq!(answer["canonical_uri"], uri);
    assert_eq!(answer["aliases_left_out"]["aliases"], json!(["Canary"]));
    assert_eq!(seen().await, open);
    std::fs::remove_file(world.directory.path().join("vault").join(place)).unwrap();
    world.post("sync-relationships", json!({})).await;
    assert_eq!(seen().await, open);
}

#[tokio::test]
async fn links_lead_to_notes_by_the_names_of_their_files() {
    let world = World::new().await;
    let acme = "---\n\"@type\": schema:Organization\nname: Acme Cartography Union\n---\nMaps.\n";
    world.note("Organizations/acme.md", acme).await;
    let links = "affiliation: \"[[Organizations/acme]]\"\nknows: [\"[[People/pip]]\"]\n";
    world.note("People/Wren Tallow.md", &person(links, "She came.")).await;
    let affiliated = "Wren Tallow affiliated_with Acme Cartography Union";
    assert_eq!(world.relations("Wren Tallow").await, [affiliated]);
    world.note("People/pip.md", &person("name: Pippin Underhay\n", "He waits.")).await;
    let told =
        ["Pippin Underhay knows Wren Tallow", affiliated, "Wren Tallow knows Pippin Underhay"];
    assert_eq!(world.relations("Wren Tallow").await, told);

    world.note("Log.md", "We met at [[acme|the office]].").await;
    let uri = world.best("Acme Cartography Union").await["uri"].clone();
    let found = world.call("get_entity_documents", json!({ "entity_uri": uri })).await;
    assert!(found.to_string().contains("vault:Log.md"), "{found}");
}

#[tokio::test]
async fn notes_of_opposite_claims_stay_two() {
    let world = World::new().await;
    let claim = "---\n\"@type\": Claim\n---\n";
    let names = ["raises", "lowers"].map(|verb| format!("Kelp {verb} the spawn of local herring"));
    for name in &names {
        world.note(&format!("Claims/{name}.md"), claim).await;
    }
    let found = [world.best(&names[0]).await, world.best(&names[1]).await];
    assert_ne!(found[0]["uri"], found[1]["uri"]);
}

#[tokio::test]
async fn ontology_notes_name_types_folders_and_words_without_sound() {
    let world = World::new().await;
    let types = async || {
        let types = world.ask(Ask::get(["entity-types"])).await["types"].clone();
        let types = types.as_array().unwrap().clone();
        types.into_iter().find(|one| one["type_key"] == "Organization").unwrap()
    };
    assert_eq!(types().await["folder"], "Organizations");
    let collective = "---\n\"@type\": acme:Collective\n---\nPeople.\n";
    world.note("Before.md", collective).await;
    assert!(world.best("Before").await.is_null());
    let schema = "---\nresolution:\n  type_key: Organization\n  folder: Collectives\n  \
        type_aliases:\n    - Collective\n    - Co-op\n---\n";
    world.note("Ontology/schema-organization.md", schema).await;
    assert_eq!(types().await["folder"], "Collectives");
    world.note("River Keepers.md", collective).await;
    assert_eq!(world.best("River Keepers").await["type"], "Organization");
    let hinted = json!({ "label": "River Keepers", "type_hint": "coop" });
    let found = world.call("resolve_entity", hinted).await;
    assert_eq!(found["candidates"][0]["type"], "Organization", "{found}");
    world.register("Siobhan Reilly", "Person").await;
    assert_eq!(world.best("Shivon Reilly").await["name"], "Siobhan Reilly");
    let people = "---\nresolution:\n  type_key: Person\n  phonetic_stopwords: [Siobhan]\n---\n";
    world.note("Ontology/schema-person.md", people).await;
    let muted = world.best("Shivon Reilly").await;
    assert!(muted["confidence"].as_f64().is_none_or(|sure| sure < 0.5), "{muted}");
}

#[tokio::test]
async fn names_that_leave_a_note_are_names_no_more() {
    let world = World::new().await;
    world.note("People/Ada Holt.md", &person("aliases: [Weaver, Addie]\n", "Ada.")).await;
    world.note("People/Ada Holt.md", &person("aliases: [Addie]\n", "Ada.")).await;
    assert_eq!(world.best("Ada Holt").await["type"], "Person");
    let uri = world.best("Ada Holt").await["uri"].as_str().unwrap().to_owned();
    assert_eq!(world.entity(&uri).await["aliases"], json!(["Addie"]));
}

#[tokio::test]
async fn a_note_is_not_overwritten_from_outside() {
    let world = World::new().await;
    world.note("People/Real.md", "The real text grobblenox.").await;
    for rid in ["vault:People/Real.md", "vault:People/Not yet.md"] {
        let body =
            json!({ "document_rid": rid, "source": "vault", "content": "forged frizzlewick" });
        let refused = world.try_ask(world.owner, Ask::post(["ingest"], body)).await;
        assert!(refused.is_err(), "{rid}");
    }
    let found = world.call("knowledge_search", json!({ "query": "grobblenox" })).await;
    assert_eq!(found["count"], 1);
}

#[tokio::test]
async fn whom_the_properties_of_a_note_name_it_mentions() {
    let world = World::new().await;
    world.note("People/Rolf Ekk.md", &person("", "Rolf.")).await;
    let both = "knows: [\"[[People/Rolf Ekk]]\", \"[[Una Later]]\"]\n";
    world.note("People/Ida Penn.md", &person(both, "She sails.")).await;
    world.note("People/Una Later.md", &person("", "Una.")).await;
    for name in ["Rolf Ekk", "Una Later"] {
        let uri = world.best(name).await["uri"].clone();
        let found = world.call("get_entity_documents", json!({ "entity_uri": uri })).await;
        assert!(found.to_string().contains("vault:People/Ida Penn.md"), "{name}: {found}");
    }
    world.note("People/Ida Penn.md", &person("", "She sails.")).await;
    let uri = world.best("Rolf Ekk").await["uri"].clone();
    let found = world.call("get_entity_documents", json!({ "entity_uri": uri })).await;
    assert!(!found.to_string().contains("Ida Penn"), "{found}");
}

#[tokio::test]
async fn a_long_document_leaves_room_for_the_others() {
    let world = World::new().await;
    let long: String = (0..400)
        .map(|number| format!("# Part {number}\n\nPart {number} tells of Harrow Foundry.\n\n"))
        .collect();
    world.note("Long.md", &long).await;
    for name in ["One", "Two", "Three"] {
        world.note(&format!("{name}.md"), "The road leads to Harrow Foundry.").await;
    }
    let ask = json!({ "query": "Harrow Foundry", "limit": 5 });
    let found = world.call("knowledge_search", ask).await;
    assert_eq!(found["count"], 4, "{found}");
}

#[tokio::test]
async fn who_is_known_from_a_note_alone_goes_with_it_and_comes_back_with_it() {
    let world = World::new().await;
    let hermit = person("aliases: [Hermy]\n", "He lives alone.");
    world.note("People/Lonely Hermit.md", &hermit).await;
    world.note("People/Ida Penn.md", &person("aliases: [Idda]\n", "She sails.")).await;
    world.note("Log.md", "Ida Penn came by.").await;
    let candidates = async |name: &str| {
        let found = world.post("entity/resolve", json!({ "label": name })).await;
        found["candidates"].as_array().unwrap().clone()
    };
    let before = world.best("Lonely Hermit").await["uri"].clone();
    for note in ["Lonely Hermit", "Ida Penn"] {
        let file = format!("vault/People/{note}.md");
        std::fs::remove_file(world.directory.path().join(file)).unwrap();
    }
    world.post("sync-relationships", json!({})).await;
    assert_eq!(candidates("Lonely Hermit").await, [] as [Value; 0]);
    assert_eq!(candidates("Hermy").await, [] as [Value; 0]);
    assert_eq!(candidates("Ida Penn").await.len(), 1, "the log still speaks of her");
    let idda = candidates("Idda").await;
    assert!(idda.iter().all(|one| one["match_type"] != "alias"), "{idda:?}");

    world.note("People/Lonely Hermit.md", &hermit).await;
    assert_eq!(world.best("Lonely Hermit").await["uri"], before);
    assert_eq!(world.best("Hermy").await["uri"], before);
}

#[tokio::test]
async fn properties_that_are_no_yaml_are_told() {
    let world = World::new().await;
    let broken = person("aliases: *nobody\nmotto: First: the sea\n", "Ida.");
    let note = json!({ "path": "People/Ida Penn.md", "content": broken });
    let answer = world.call("vault_write_note", note).await;
    let warnings = answer["warnings"].as_array().unwrap();
    let about: Vec<bool> = ["aliases", "motto"]
        .iter()
        .map(|name| warnings.iter().any(|line| line.as_str().unwrap().contains(name)))
        .collect();
    assert_eq!((warnings.len(), about), (2, vec![true, true]), "{answer}");
    let note = json!({ "path": "People/Ida Penn.md", "content": person("", "Ida.") });
    assert!(world.call("vault_write_note", note).await.get("warnings").is_none());
}
