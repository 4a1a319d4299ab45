//! The form of calls, answers and errors.

use lore_app::worlds;
use lore_core::{Principal, Role};
use lore_rules::memory::budget;
use lore_tools::{Registry, Selection};
use serde_json::{Value, json};

use crate::mind::{Mind, id};

#[tokio::test]
async fn of_a_long_text_the_part_that_answers_is_shown() {
    let mind = Mind::fresh().await;
    let long = "The tide comes and goes as it always did. ".repeat(200);
    mind.learn(&format!("{long} The golden pangolin hides at the end."), "low").await;
    let rows = mind.recall("golden pangolin").await;
    let shown = rows[0].to_string();
    assert!(shown.contains("pangolin") && shown.len() < 4_000, "{shown}");
    assert_eq!(rows[0]["truncated"], true);
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one story, told in order")]
async fn refusals_are_in_the_words_of_the_contract() {
    let mind = Mind::fresh().await;
    let node = mind.add("Alder", "").await;
    let cases = [
        ("kn_graph", json!({ "action": "fly" }), "Unknown action: fly"),
        ("kn_graph", json!({ "action": "add", "name": "  " }), "name is required for add"),
        ("kn_graph", json!({ "action": "add", "name": "x" }), "type is required for add"),
        ("kn_graph", json!({ "action": "connect" }), "source_id is required for connect"),
        (
            "kn_graph",
            json!({ "action": "connect", "source_id": "nope", "target_id": node, "edge_type": "x" }),
            "Source node not found: nope",
        ),
        (
            "kn_graph",
            json!({ "action": "connect", "source_id": node, "target_id": "nope", "edge_type": "x" }),
            "Target node not found: nope",
        ),
        ("kn_graph", json!({ "action": "remove", "node_id": "nope" }), "Node not found: nope"),
        (
            "kn_graph",
            json!({ "action": "remove", "source_id": node }),
            "Provide node_id or (source_id + target_id + edge_type)",
        ),
        ("kn_project", json!({ "action": "create" }), "name is required for create"),
        (
            "kn_project",
            json!({ "action": "create", "name": "x", "phase": "active" }),
            "phase cannot be set on create (starts at planning)",
        ),
        ("kn_project", json!({ "action": "update" }), "project_id is required for update"),
        (
            "kn_project",
            json!({ "action": "update", "project_id": "p", "name": "x" }),
            "Project not found: p",
        ),
        ("kn_project", json!({ "action": "log" }), "project_id is required for log"),
        (
            "kn_project",
            json!({ "action": "log", "project_id": "p" }),
            "action_text is required for log",
        ),
        (
            "kn_project",
            json!({ "action": "log", "project_id": node, "action_text": "x" }),
            &format!("Project not found: {node}"),
        ),
        ("kn_experience", json!({ "action": "save" }), "content is required for save"),
        ("kn_experience", json!({ "action": "save", "content": "x" }), "type is required for save"),
        (
            "kn_experience",
            json!({ "action": "save", "content": "x", "type": "rumour" }),
            "Invalid type: rumour. Must be one of: decision, gotcha, pattern, solution, workaround",
        ),
        (
            "kn_experience",
            json!({ "action": "save", "content": "x", "type": "gotcha", "confidence": "sure" }),
            "Invalid confidence: sure. Must be one of: high, low, medium",
        ),
        ("kn_idea", json!({ "action": "create" }), "title is required for create"),
        ("kn_idea", json!({ "action": "update" }), "idea_id is required for update"),
        (
            "kn_idea",
            json!({ "action": "update", "idea_id": "i", "title": "x" }),
            "Idea not found: i",
        ),
        ("kn_intel", json!({ "action": "learn" }), "content is required for learn"),
        ("kn_intel", json!({ "action": "crossref" }), "problem is required for crossref"),
        ("kn_intel", json!({ "action": "context" }), "keywords is required for context"),
        ("kn_intel", json!({ "action": "related" }), "node_id is required for related"),
    ];
    for (tool, arguments, wanted) in cases {
        assert_eq!(mind.error(tool, arguments.clone()).await, wanted, "{tool} {arguments}");
    }
}

#[tokio::test]
async fn numbers_out_of_range_fail_like_wrong_arguments() {
    let mind = Mind::fresh().await;
    let cases = [
        ("kn_graph", json!({ "action": "query", "limit": 51 }), "limit is 51"),
        ("kn_graph", json!({ "action": "query", "limit": 0 }), "limit is 0"),
        ("kn_graph", json!({ "action": "query", "offset": -1 }), "offset is -1"),
        ("kn_graph", json!({ "action": "status", "weight": 1.5 }), "weight is 1.5"),
        ("kn_experience", json!({ "action": "prune", "threshold": 2 }), "threshold is 2"),
        ("kn_intel", json!({ "action": "recall", "min_relevance": -0.1 }), "min_relevance is -0.1"),
        ("kn_intel", json!({ "action": "related", "node_id": "x", "depth": 6 }), "depth is 6"),
    ];
    for (tool, arguments, wanted) in cases {
        let failed = mind.try_as(mind.viewer, &Selection::new(), tool, arguments).await;
        assert_eq!(failed.unwrap_err().to_string(), wanted);
    }
}

#[tokio::test]
async fn the_former_names_work_and_are_not_listed() {
    let mind = Mind::fresh().await;
    let a = id(&mind.call("kn_add", json!({ "name": "Alder", "type": "tree" })).await["id"]);
    let b = id(&mind.call("kn_add", json!({ "name": "Birch", "type": "tree" })).await["id"]);
    let edge = json!({ "source_id": a, "target_id": b, "edge_type": "near" });
    mind.call("kn_connect", edge).await;
    assert_eq!(mind.call("kn_query", json!({ "text": "birch" })).await["count"], 1);
    assert_eq!(mind.call("kn_status", json!({})).await["nodes"], 2);
    let project = mind.call("kn_project", json!({ "name": "Wood" })).await;
    let update = json!({ "project_id": project["id"], "name": "Wood", "phase": "active" });
    assert_eq!(mind.call("kn_project", update).await["phase"], "active");
    let log = json!({ "project_id": project["id"], "action": "Felled a tree" });
    assert_eq!(mind.call("kn_log", log).await["action"], "Felled a tree");
    assert_eq!(mind.call("kn_projects", json!({})).await["count"], 1);
    mind.call("kn_save", json!({ "content": "Saws rust", "type": "gotcha" })).await;
    assert_eq!(mind.call("kn_memories", json!({ "text": "saw" })).await["count"], 1);
    assert_eq!(mind.call("kn_prune", json!({})).await["pruned_count"], 0);
    mind.call("kn_idea", json!({ "title": "A mill" })).await;
    assert_eq!(mind.call("kn_ideas", json!({})).await["count"], 1);
    mind.call("kn_learn", json!({ "content": "Axes need care", "type": "pattern" })).await;
    let axes = mind.call("kn_recall", json!({ "topic": "axe care" })).await;
    assert_eq!(axes["results"][0]["description"], "Axes need care");
    let axes = mind.call("kn_crossref", json!({ "problem": "axe care" })).await;
    assert_eq!(axes["results"][0]["description"], "Axes need care");
    let birch = mind.call("kn_context", json!({ "keywords": "birch" })).await;
    assert_eq!(birch["nodes"][0]["id"], json!(b));
    assert_eq!(mind.call("kn_related", json!({ "node_id": a })).await["count"], 1);
    mind.call("kn_remove", json!({ "node_id": a })).await;
    let listed: Vec<_> = mind
        .registry
        .tools(&Selection::new(), Role::Owner)
        .map(|tool| tool.name)
        .filter(|name| name.starts_with("kn_"))
        .collect();
    assert_eq!(listed, ["kn_intel", "kn_graph", "kn_experience", "kn_project", "kn_idea"]);
}

#[tokio::test]
async fn answers_fit_their_token_budget() {
    let mind = Mind::fresh().await;
    for number in 0..8 {
        mind.learn(&format!("Barrel number {number} holds salted herring for the winter"), "low")
            .await;
    }
    let ask = |tokens: u32| json!({ "action": "recall", "topic": "salted herring barrels", "max_tokens": tokens });
    assert_eq!(mind.call("kn_intel", ask(100_000)).await["count"], 8);
    let few = mind.call("kn_intel", ask(200)).await;
    let count = few["count"].as_u64().unwrap();
    assert!((1..8).contains(&count), "{few}");
    assert_eq!(few["left_out"], 8 - count);
    assert_eq!(mind.call("kn_intel", ask(1)).await["count"], 1, "never nothing");
}

#[tokio::test]
async fn no_answer_is_larger_than_its_budget_in_any_action_and_detail() {
    let mut mind = Mind::fresh().await;
    let mut last = String::new();
    for number in 0..12 {
        let learn = json!({
            "action": "learn", "type": "solution", "tags": ["coast", "light"],
            "confidence": if number % 2 == 0 { "high" } else { "medium" },
            "context": "Told by the harbour master",
            "content": format!(
                "Beacon {number} on the north coast is tended by keeper number {number} and burns \
                 whale oil"
            ),
        });
        let learned = mind.call("kn_intel", learn).await;
        last = learned["node_id"].as_str().map_or(last, str::to_owned);
    }
    let asks = [
        json!({ "action": "recall", "topic": "beacon coast keeper" }),
        json!({ "action": "crossref", "problem": "beacon coast keeper" }),
        json!({ "action": "context", "keywords": "beacon coast keeper" }),
        json!({ "action": "context", "keywords": "beacon coast keeper", "detail": "full" }),
        json!({ "action": "related", "node_id": last, "depth": 5 }),
    ];
    let long = "beacon coast keeper ".repeat(400);
    let ask = json!({ "action": "context", "keywords": long, "max_tokens": 100 });
    let answer = mind.call("kn_intel", ask).await;
    assert!(budget::tokens(answer["query"].as_str().unwrap()) <= 20, "{answer}");
    let ask = json!({ "action": "context", "keywords": long, "max_tokens": 500 });
    let answer = mind.call("kn_intel", ask).await;
    assert!(budget::tokens(&answer.to_string()) <= 500, "{answer}");
    assert!(answer["count"].as_u64().unwrap() > 1, "{answer}");
    let mut full = asks[3].clone();
    full["max_tokens"] = json!(1_000);
    let answer = mind.call("kn_intel", full).await;
    let told = |field: &str| answer[field].as_array().unwrap().len();
    assert!(told("nodes") > 0 && told("experiences") > 0, "best first: {answer}");
    for world in ["this", "another"] {
        for (ask, tokens) in asks.iter().flat_map(|ask| [200, 300, 500, 1_000].map(|n| (ask, n))) {
            let mut ask = ask.clone();
            ask["max_tokens"] = json!(tokens);
            ask["limit"] = json!(50);
            let answer = mind.call("kn_intel", ask.clone()).await;
            let spent = budget::tokens(&answer.to_string());
            assert!(spent <= tokens, "{spent} tokens for {ask} in {world} world");
            assert!(world == "another" || answer["count"].as_u64().unwrap() > 0, "{ask}");
        }
        let other = worlds::create(&mind.app, Principal::LOCAL, "Elsewhere", "test").await;
        let Ok(other) = other else { break };
        mind.viewer = mind.app.store.enter(Principal::LOCAL, other.id).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn the_best_answer_is_cut_to_its_budget() {
    let mind = Mind::fresh().await;
    let long = "Tides come and go as they always did. ".repeat(45);
    mind.learn(&format!("{long} The golden pangolin hides in the mill."), "low").await;
    let ask = json!({ "action": "recall", "topic": "golden pangolin", "max_tokens": 200 });
    let answer = mind.call("kn_intel", ask).await;
    assert!(budget::tokens(&answer.to_string()) <= 200, "{answer}");
    assert_eq!(answer["results"][0]["truncated"], true);
    assert!(answer["results"][0]["content"].as_str().unwrap().contains("pangolin"), "{answer}");
}

#[tokio::test]
async fn a_budget_is_used_in_every_script() {
    let mind = Mind::fresh().await;
    for (long, asked) in [
        ("The tide comes and goes as it always did, said the keeper. ", "tide keeper"),
        ("Прилив приходит и уходит, как было всегда, сказал смотритель маяка. ", "прилив"),
        ("Η παλίρροια έρχεται και φεύγει, είπε ο φύλακας του φάρου. ", "παλίρροια"),
        ("潮は満ちては引く、いつもそうだったと灯台守は言った。", "灯台守"),
    ] {
        mind.learn(&long.repeat(1_900 / long.chars().count()), "low").await;
        for tokens in [300, 600] {
            let ask =
                json!({ "action": "recall", "topic": asked, "limit": 1, "max_tokens": tokens });
            let answer = mind.call("kn_intel", ask).await;
            let spent = budget::tokens(&answer.to_string());
            let all = answer["results"][0]["truncated"] != true;
            assert!(spent <= tokens, "{spent} of {tokens}: {answer}");
            assert!(all || spent * 10 >= tokens * 8, "{spent} of {tokens}: {answer}");
        }
    }
}

#[tokio::test]
async fn where_no_word_is_shared_the_nearest_are_told_as_such() {
    let mind = Mind::fresh().await;
    for content in [
        "Customer invoices are generated at midnight",
        "The bakery will open in Porto",
        "Tom is afraid of heights",
    ] {
        mind.learn(content, "high").await;
    }
    for (topic, wanted) in [
        ("when are bills created?", "invoices"),
        ("Which city will the shop be in?", "Porto"),
        ("acrophobia", "heights"),
    ] {
        let ask = json!({ "action": "recall", "topic": topic });
        let answer = mind.call("kn_intel", ask).await;
        assert!(answer["results"].to_string().contains(wanted), "{topic}: {answer}");
        assert_eq!(answer["weak"], true, "{answer}");
    }
    for number in 0..20 {
        mind.learn(&format!("Ship {number} sails on the tide"), "high").await;
    }
    let nonsense = mind.call("kn_intel", json!({ "action": "recall", "topic": "qxv zzgr" })).await;
    assert!(nonsense["weak"] == true || nonsense["count"] == 0, "{nonsense}");
    assert!(nonsense["count"].as_u64().unwrap() <= 5, "only the nearest: {nonsense}");
    let clear = mind.call("kn_intel", json!({ "action": "recall", "topic": "bakery" })).await;
    assert_eq!(clear["weak"], json!(null), "{clear}");
    let listed = mind.call("kn_intel", json!({ "action": "recall" })).await;
    assert_eq!(listed["weak"], json!(null), "{listed}");
}

#[tokio::test]
async fn recall_gives_as_many_as_are_asked_for_if_anything_answers() {
    let mind = Mind::fresh().await;
    for (day, content) in (1..).zip(["Barley is dear", "The ferry was late", "Rain, all day"]) {
        let said = format!("[{day} May 2023] Mara: {content}");
        let save =
            json!({ "action": "save", "type": "pattern", "content": said, "session": "diary" });
        mind.call("kn_experience", save).await;
    }
    let ask = async |topic: &str, limit: u32| {
        let ask = json!({ "action": "recall", "topic": topic, "limit": limit });
        mind.call("kn_intel", ask).await["results"].as_array().unwrap().clone()
    };
    assert_eq!(ask("ferry", 3).await.len(), 3);
    assert_eq!(ask("ferry", 2).await[0]["content"], "[2 May 2023] Mara: The ferry was late");
    assert_eq!(ask("What happened on 3 May 2023?", 1).await[0]["author"], "Mara");
    assert!(ask("🜁", 3).await.is_empty(), "nothing answers this");
    mind.learn("The mill stands empty", "high").await;
    let context = json!({ "action": "context", "keywords": "ferry" });
    let related = mind.call("kn_intel", context).await;
    assert_eq!(related["nodes"], json!([]), "only what is related");
}

#[tokio::test]
async fn any_text_is_a_question() {
    let mind = Mind::fresh().await;
    mind.learn("self-healing pipes mend themselves", "high").await;
    let long = "herring ".repeat(12_500);
    for text in ["self-healing", "why?", "\"", "a AND", "NEAR(", "*", "-", "😀", "", "   ", &long]
    {
        mind.recall(text).await;
        mind.call("kn_graph", json!({ "action": "query", "text": text })).await;
        mind.call("kn_experience", json!({ "action": "search", "text": text })).await;
    }
    assert_eq!(mind.recall("self-healing").await.len(), 1);
}

#[test]
fn every_field_of_every_answer_is_described() {
    fn check(at: &str, schema: &Value) {
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            assert!(field["description"].is_string(), "{at}.{name} has no description");
            check(&format!("{at}.{name}"), field);
            check(&format!("{at}.{name}[]"), &field["items"]);
        }
        for alternative in schema["anyOf"].as_array().into_iter().flatten() {
            check(at, alternative);
        }
    }
    let registry = Registry::standard();
    for tool in registry.all_tools().filter(|tool| tool.name.starts_with("kn_")) {
        check(tool.name, &Value::Object((*tool.answer_schema).clone()));
    }
}

#[tokio::test]
async fn a_conversation_about_something_else_comes_behind_facts() {
    let mind = Mind::fresh().await;
    let facts = [
        "Backups of the orders database are written to cold-harbor every night.",
        "The staging cluster drops idle connections after a minute.",
        "The billing cron runs at three in the morning.",
        "Only Sven may approve refunds above 500 euros.",
    ];
    for fact in facts {
        mind.learn(fact, "high").await;
    }
    for (number, turn) in [
        "Three ideas: chana masala, a sheet-pan roast with paprika, or hummus with cucumber.",
        "A hedgehog cake with almond slivers works well; or a lemon loaf as a rainbow.",
        "For twelve: 600 g flour, 450 g butter, 450 g sugar, 9 eggs, 200 g almond slivers.",
        "Many bakeries sell marzipan for about 25 euros a kilo.",
        "Then give it 45 minutes and turn it once halfway.",
        "My oven only reaches 200 though, and the door is loose.",
        "The chickpeas were soaked overnight in cold water.",
        "Fold the egg whites in slowly, else the dough collapses.",
        "Grandmother used cardamom in the plum jam every autumn.",
    ]
    .into_iter()
    .enumerate()
    {
        let author = ["user", "assistant"][number % 2];
        let turn = json!({
            "action": "save", "type": "pattern", "content": turn, "session": "cooking",
            "author": author, "occurred_at": "2025-01-01",
        });
        mind.call("kn_experience", turn).await;
    }
    for (question, wanted) in [
        ("Which backups do we keep of customer purchases?", 0),
        ("Why do our connections vanish in the test environment?", 1),
        ("When does the invoicing job run?", 2),
        ("Who signs off on big refunds?", 3),
    ] {
        let rows = mind.recall(question).await;
        let first = rows[0]["description"].as_str().or(rows[0]["content"].as_str());
        assert_eq!(first, Some(facts[wanted]), "{question}: {rows:?}");
    }
    let ask = json!({ "action": "recall", "topic": "zqxv blorp" });
    let answer = mind.call("kn_intel", ask).await;
    assert_eq!((&answer["weak"], &answer["count"]), (&json!(true), &json!(5)), "{answer}");
}

#[tokio::test]
async fn what_is_only_faintly_like_is_no_match() {
    let mind = Mind::fresh().await;
    for (name, description) in [
        ("Redis", "Keeps sessions"),
        ("Postgres", "The database of orders"),
        ("Bbb two", "Second"),
        ("Ccc three", "Third"),
    ] {
        let node = json!({
            "action": "add", "name": name, "type": "concept", "description": description,
        });
        mind.call("kn_graph", node).await;
    }
    for text in ["gull", "gul", "xyzzy", "violin"] {
        let found = mind.call("kn_graph", json!({ "action": "query", "text": text })).await;
        assert_eq!(found["count"], 0, "{text}: {found}");
        let recalled = mind.call("kn_intel", json!({ "action": "recall", "topic": text })).await;
        assert_eq!(recalled["weak"], true, "{text}: {recalled}");
    }
}

#[tokio::test]
async fn any_text_can_be_looked_for_but_not_stored() {
    let mind = Mind::fresh().await;
    mind.add("Ferry office", "Its number is +49 170 1234567").await;
    let (number, dark) = ("\u{202a}+49 170 1234567\u{202c}", "\u{202e}\u{e0041}");
    let node = format!("{dark}Ferry office");
    for (tool, ask) in [
        ("kn_intel", json!({ "action": "recall", "topic": number })),
        ("kn_intel", json!({ "action": " Recall ", "topic": format!("Ferry{dark} office") })),
        ("kn_recall", json!({ "topic": number })),
        ("kn_intel", json!({ "action": "context", "keywords": number })),
        ("kn_graph", json!({ "action": "query", "text": format!("Fer{dark}ry") })),
        ("kn_graph", json!({ "action": "query", "node_id": node })),
        ("kn_query", json!({ "node_id": node })),
    ] {
        let found = mind.call(tool, ask.clone()).await.to_string();
        assert!(found.contains("Ferry office") && !found.contains(dark), "{ask}: {found}");
    }
    let mark = "\u{2067}\u{5e9}\u{5dc}\u{5d5}\u{5dd}\u{2069}";
    for (tool, ask) in [
        ("kn_intel", json!({ "action": "crossref", "problem": mark })),
        ("kn_experience", json!({ "action": "search", "text": mark })),
        ("kn_idea", json!({ "action": "list", "category": mark })),
    ] {
        let found = mind.call(tool, ask.clone()).await.to_string();
        assert!(!found.contains("cannot be seen"), "{ask}: {found}");
    }
    for (tool, new) in [
        ("kn_intel", json!({ "action": "learn", "content": number, "type": "gotcha" })),
        ("kn_learn", json!({ "content": number, "type": "gotcha", "action": "recall" })),
        ("kn_graph", json!({ "action": "add", "name": "x", "type": "y", "description": dark })),
        ("kn_graph", json!({ "action": "\u{202e}query", "text": "x" })),
        ("kn_idea", json!({ "action": "create", "title": "x", "category": mark })),
    ] {
        let refused = mind.try_as(mind.viewer, &Selection::new(), tool, new.clone()).await;
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("cannot be seen") && !refused.contains(dark), "{new}: {refused}");
    }
}
