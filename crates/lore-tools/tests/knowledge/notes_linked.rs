//! What the links in notes lead to.

use serde_json::json;

use crate::world::World;

const PERSON: &str = "---\n\"@type\": schema:Person\n---\n";
const PROJECT: &str = "---\n\"@type\": Project\n---\n";

/// Puts a note into the vault as another program does.
fn put(world: &World, path: &str, text: impl AsRef<[u8]>) {
    let file = world.directory.path().join("vault").join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

async fn sync(world: &World) {
    world.post("sync-relationships", json!({})).await;
}

/// Returns the paths of the documents about an entity besides its own note, sorted.
async fn backlinks(world: &World, uri: &str) -> Vec<String> {
    let found = world.call("get_entity_documents", json!({ "entity_uri": uri })).await;
    let rows = found["documents"].as_array().unwrap().iter();
    let mut paths: Vec<String> =
        rows.map(|row| row["vault_path"].as_str().unwrap().to_owned()).collect();
    paths.retain(|path| path.starts_with("Log/") || path.starts_with("Zlog/"));
    paths.sort();
    paths
}

/// Returns the URI of the entity of a note.
async fn about(world: &World, path: &str) -> String {
    let listed = world.ask(lore_tools::koi::Ask::get(["vault-entities"])).await;
    let rows = listed["entities"].as_array().unwrap();
    let row = rows.iter().find(|row| row["vault_path"] == path);
    row.unwrap_or_else(|| panic!("{path}: {listed}"))["uri"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn links_by_path_mean_the_entity_of_that_note_in_whatever_order_notes_are_read() {
    let world = World::new().await;
    put(&world, "People/Orion.md", format!("{PERSON}He came.\n"));
    put(&world, "Projects/Orion.md", format!("{PROJECT}It began.\n"));
    for folder in ["Log", "Zlog"] {
        put(&world, &format!("{folder}/person.md"), "Met [[People/Orion]].\n");
        put(&world, &format!("{folder}/project.md"), "Work on [[Projects/Orion]].\n");
        put(&world, &format!("{folder}/marked.md"), "Of [x](../Projects/Orion.md).\n");
    }
    sync(&world).await;
    let (person, project) =
        (about(&world, "People/Orion.md").await, about(&world, "Projects/Orion.md").await);
    assert_eq!(backlinks(&world, &person).await, ["Log/person", "Zlog/person"]);
    let all = ["Log/marked", "Log/project", "Zlog/marked", "Zlog/project"];
    assert_eq!(backlinks(&world, &project).await, all);
}

#[tokio::test]
async fn notes_are_read_again_when_the_note_they_link_to_appears() {
    let world = World::new().await;
    put(&world, "Log/day.md", "We met [[crew/pip]] and [[People/Orion]].\n");
    put(&world, "Projects/Orion.md", PROJECT);
    sync(&world).await;
    put(&world, "Crew/pip.md", "---\n\"@type\": schema:Person\nname: Pippin Underhay\n---\n");
    put(&world, "People/Orion.md", PERSON);
    sync(&world).await;
    for (path, wanted) in [
        ("Crew/pip.md", &["Log/day"][..]),
        ("People/Orion.md", &["Log/day"]),
        ("Projects/Orion.md", &[]),
    ] {
        assert_eq!(backlinks(&world, &about(&world, path).await).await, wanted, "{path}");
    }
}

#[tokio::test]
async fn a_note_that_moved_is_found_by_links_to_its_new_place() {
    let world = World::new().await;
    put(&world, "People/Orion.md", format!("{PERSON}He came.\n"));
    put(&world, "Projects/Orion.md", format!("{PROJECT}It began.\n"));
    put(&world, "Log/day.md", "Met [[Friends/Orion]].\n");
    sync(&world).await;
    let vault = world.directory.path().join("vault");
    std::fs::create_dir(vault.join("Friends")).unwrap();
    std::fs::rename(vault.join("People/Orion.md"), vault.join("Friends/Orion.md")).unwrap();
    sync(&world).await;
    assert_eq!(backlinks(&world, &about(&world, "Friends/Orion.md").await).await, ["Log/day"]);
    let project = about(&world, "Projects/Orion.md").await;
    assert_eq!(backlinks(&world, &project).await, [] as [&str; 0]);
}

#[tokio::test]
async fn markdown_links_are_links() {
    let world = World::new().await;
    put(&world, "People/Wikilink Anna.md", "---\n\"@type\": schema:Person\nname: Anna Birk\n---\n");
    put(&world, "Organizations/Org One.md", "---\n\"@type\": schema:Organization\n---\n");
    for (name, link) in [
        ("relative", "[her](../People/Wikilink%20Anna.md)"),
        ("plain", "[her](People/Wikilink%20Anna.md)"),
        ("rooted", "[her](/People/Wikilink%20Anna.md#bio)"),
        ("angled", "[her](<../People/Wikilink Anna.md>)"),
        ("elsewhere", "[her](https://example.org/People/Anna-Birk)"),
    ] {
        put(&world, &format!("Log/{name}.md"), format!("We met {link}.\n"));
    }
    let staff = "---\n\"@type\": schema:Person\n\
        affiliation: \"[Org One](../Organizations/Org%20One.md)\"\n---\n";
    put(&world, "People/Bo Lind.md", staff);
    sync(&world).await;
    let anna = about(&world, "People/Wikilink Anna.md").await;
    let links = ["Log/angled", "Log/plain", "Log/relative", "Log/rooted"];
    assert_eq!(backlinks(&world, &anna).await, links);
    assert_eq!(world.relations("Bo Lind").await, ["Bo Lind affiliated_with Org One"]);
}

#[tokio::test]
async fn a_link_by_address_counts_although_its_note_was_read_before_its_target() {
    let world = World::new().await;
    put(&world, "Log/Monday.md", "Saw [her](../People/Ada%20Holt.md#bio).\n");
    put(&world, "Log/Tuesday.md", "Saw [her](People/Ada%20Holt.md) again.\n");
    put(&world, "People/Ada Holt.md", PERSON);
    sync(&world).await;
    let ada = about(&world, "People/Ada Holt.md").await;
    assert_eq!(backlinks(&world, &ada).await, ["Log/Monday", "Log/Tuesday"]);
}

#[tokio::test]
async fn notes_that_link_to_each_other_come_to_rest() {
    let world = World::new().await;
    for (one, other) in [("Ada", "Bo"), ("Bo", "Ada")] {
        let text = format!("{PERSON}Knows [[{other}]] of [[Crew/{one}]] and [[Staff/{other}]].\n");
        put(&world, &format!("Crew/{one}.md"), &text);
        let staff = text.replace("schema:Person", "schema:Organization");
        put(&world, &format!("Staff/{one}.md"), staff);
    }
    for _ in 0..2 {
        sync(&world).await;
    }
    let versions = async || {
        let query = lore_store::NodeQuery::default();
        let nodes = world.app.store.find_nodes(&world.owner, query).await.unwrap().items;
        nodes.iter().map(|node| (node.uid, node.version)).collect::<Vec<_>>()
    };
    let before = versions().await;
    sync(&world).await;
    assert_eq!(versions().await, before);
}
