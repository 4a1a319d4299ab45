//! Queries of the code graph: their answers, forms and errors.

use lore_tools::CallError;
use lore_tools::koi::Ask;
use serde_json::json;

use crate::world::kitchen;

#[tokio::test]
async fn the_api_numbers_columns_and_the_tool_names_them() {
    let world = kitchen().await;
    world.scan().await;
    let cypher = "MATCH (f:Function {name: 'brew'}) RETURN f.name, f.line_start, f";
    let told = world.post("code/query", json!({ "cypher": cypher })).await;
    let row = &told["results"][0];
    assert_eq!((&row["c1"], &row["c2"]), (&json!("\"brew\""), &json!("11")));
    assert!(row["c3"].as_str().unwrap().ends_with("::vertex"), "{row}");
    assert_eq!(told["count"], 1);
    let row = world.rows(cypher).await.remove(0);
    assert_eq!((&row["f.name"], &row["f.line_start"]), (&json!("brew"), &json!(11)));
    assert_eq!(row["f"]["labels"], json!(["Function"]));
    assert_eq!(row["f"]["properties"]["repo"], "me/repo");
    let given = json!({ "cypher": "RETURN $names[1] AS n", "params": { "names": ["a", "b"] } });
    assert_eq!(world.call("code_query", given).await["results"], json!([{ "n": "b" }]));
    let help = world.call("code_query", json!({ "cypher": " " })).await;
    assert_eq!(help["labels"]["Function"], 3);
    assert!(help["help"].as_str().unwrap().matches("\nMATCH ").count() >= 3);
    let nothing = world.try_ask(world.owner, Ask::post(["code", "query"], json!({}))).await;
    assert!(format!("{nothing:?}").contains("is required"), "{nothing:?}");
}

#[tokio::test]
async fn floats_without_a_fraction_stay_floats() {
    let world = kitchen().await;
    let asked = json!({
        "cypher": "RETURN $f / 2 AS half, toString($f) AS text, $list AS list, $i / 2 AS whole",
        "params": { "f": 7.0, "list": [1.0, { "a": 2.0 }], "i": 7 },
    });
    let half = json!({ "half": 3.5, "text": "7.0", "list": [1.0, { "a": 2.0 }], "whole": 3 });
    assert_eq!(world.call("code_query", asked.clone()).await["results"], json!([half]));
    let told = world.post("code/query", asked).await;
    assert_eq!(told["results"][0]["c2"], "\"7.0\"", "{told}");
    for cypher in ["RETURN [1, 2, 3][$i]", "RETURN 1 LIMIT $i"] {
        let asked = json!({ "cypher": cypher, "params": { "i": 1.0 } });
        let answer = world.try_call(world.owner, "code_query", asked).await;
        assert!(answer.is_err(), "{cypher}: {answer:?}");
    }
}

#[tokio::test]
async fn advice_is_given_once() {
    let world = kitchen().await;
    for (cypher, advice) in [
        ("RETURN x", "only variables of MATCH"),
        ("RETURN siz([1])", "did you mean"),
        ("RETURN 1 / 0", "takes two numbers"),
    ] {
        let asked = json!({ "cypher": cypher });
        let error = world.try_call(world.owner, "code_query", asked).await.unwrap_err();
        let CallError::Failed(error) = error else { panic!("{error}") };
        let told = format!("{error} {}", error.hint());
        assert_eq!(told.matches(advice).count(), 1, "{told}");
        assert!(told.contains("line 1"), "{told}");
    }
}

#[tokio::test]
async fn nothing_that_writes_is_answered() {
    let world = kitchen().await;
    world.scan().await;
    let before = world.rows("MATCH (n) RETURN count(n) AS n").await;
    for cypher in [
        "MATCH (n) DETACH DELETE n",
        "MATCH (n) DELETE n",
        "CREATE (n:Function {name: 'x'})",
        "MERGE (n:Function {name: 'x'})",
        "MATCH (n) SET n.name = 'x'",
        "MATCH (n) REMOVE n.name",
        "CALL db.labels()",
        "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
        "MATCH (n) FOREACH (x IN [1] | SET n.y = x)",
        "DROP INDEX x",
    ] {
        let why = world.refusal(cypher).await;
        assert!(why.starts_with("cypher was not answered"), "{cypher}: {why}");
    }
    assert_eq!(world.rows("MATCH (n) RETURN count(n) AS n").await, before);
    assert!(world.refusal("MATCH (n RETURN n").await.contains("line 1"));
}

#[tokio::test]
async fn a_question_that_costs_too_much_is_stopped_and_says_why() {
    let world = kitchen().await;
    world.scan().await;
    for (cypher, why) in [
        ("MATCH (a), (b), (c), (d), (e), (f), (g), (h) RETURN count(*)", "stopped"),
        ("UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y RETURN count(*)", "stopped"),
        ("UNWIND range(1, 5000) AS x RETURN x", "more than 1000 rows"),
        ("RETURN reduce(s = 'x', i IN range(1, 21) | s + s) AS s", "bytes"),
    ] {
        let told = world.refusal(cypher).await;
        assert!(told.contains(why), "{cypher}: {told}");
    }
    assert_eq!(world.rows("RETURN 1 AS one").await, [json!({ "one": 1 })]);
}
