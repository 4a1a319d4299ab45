//! Lists: their rows, their routes and their totals.

use super::*;

#[tokio::test]
async fn a_list_that_knows_no_pages_is_cut_here() {
    let rows: Vec<Value> = (0..120).map(|n| json!({ "id": n, "title": "x" })).collect();
    let all = json!({ "success": true, "entities": rows });
    let stage = Stage::set(move |_| json_answer(200, all.clone()));
    for (offset, limit, wanted) in [(0, 10, 10), (100, 50, 20), (115, 10, 5), (500, 50, 0)] {
        let query = ListQuery { offset, limit, ..ListQuery::of(Kind::RpgSystem) };
        let found = stage.anvil.list(&query).await.unwrap();
        assert_eq!((found.rows.len(), found.total), (wanted, 120), "from {offset}");
    }
    let query = ListQuery::of(Kind::RpgSystem);
    assert_eq!(stage.anvil.every_row(&query).await.unwrap().len(), 120);
}

#[tokio::test]
async fn rows_say_what_lists_of_the_contract_say() {
    let lists = json!({
        "world/maps?w": [{ "id": "m", "title": "M" }, { "id": "gone", "title": "G" }],
        "world/timelines?w": [{ "id": "t", "title": "T" }],
    });
    let things = json!({
        "map?m": { "id": "m", "title": "M", "description": "Long.", "markers": [{}, {}],
            "image": { "id": 1, "url": "https://x.example/m.png" } },
        "timeline?t": { "id": "t", "title": "T", "eras": [{ "id": "e", "title": "E" }] },
        "era?e": { "id": "e", "title": "E", "startingYear": "-3", "endingYear": "7" },
    });
    let stage = Stage::set(service(lists, things));
    let listed = async |kind: Kind| {
        let query = ListQuery { world: Some(WORLD.into()), ..ListQuery::of(kind) };
        stage.anvil.list(&query).await.unwrap().rows
    };
    let maps = listed(Kind::Map).await;
    assert_eq!(
        (&maps[0]["imageUrl"], &maps[0]["markerCount"], maps[0].get("description")),
        (&json!("https://x.example/m.png"), &json!(2), None)
    );
    assert_eq!(maps[1]["title"], "G", "what tells no more is listed all the same");
    let eras = listed(Kind::Era).await;
    assert_eq!((&eras[0]["startingYear"], &eras[0]["endingYear"]), (&json!("-3"), &json!("7")));
    assert_eq!(eras[0]["timeline"]["title"], "T");
}

#[tokio::test]
async fn totals_come_from_going_through_the_list() {
    let stage = Stage::set(|asking| {
        let of = |name: &str| -> usize {
            asking.body.as_ref().unwrap()[name].as_str().unwrap().parse().unwrap()
        };
        let rows: Vec<Value> = (of("offset")..120.min(of("offset") + of("limit")))
            .map(|number| json!({ "id": number.to_string(), "title": "x" }))
            .collect();
        json_answer(200, json!({ "success": true, "entities": rows }))
    });
    let query = ListQuery { world: Some(WORLD.into()), limit: 10, ..ListQuery::of(Kind::Article) };
    let found = stage.anvil.list(&query).await.unwrap();
    assert_eq!((found.rows.len(), found.total), (10, 120));
    let beyond = ListQuery { offset: 500, ..query };
    let found = stage.anvil.list(&beyond).await.unwrap();
    assert_eq!((found.rows.len(), found.total), (0, 120));
}

#[tokio::test]
async fn everything_of_a_list_is_a_request_for_each_page() {
    let rows: Vec<Value> = (0..120).map(|n| json!({ "id": n.to_string(), "title": "x" })).collect();
    // Secrets are never cached, so every call is a request.
    let stage = Stage::set(service(json!({ "world/secrets?w": rows }), json!({})));
    let query = ListQuery { world: Some(WORLD.into()), ..ListQuery::of(Kind::Secret) };
    let whole = async || assert_eq!(stage.anvil.list_whole(&query).await.unwrap().len(), 120);
    assert_eq!(stage.count(whole()).await, 3);
    // Paging with `Detail::Heads` does not count the whole list for each page.
    let next = ListQuery { offset: 50, detail: Detail::Heads, ..query.clone() };
    let page = async || assert_eq!(stage.anvil.list(&next).await.unwrap().rows.len(), 50);
    assert_eq!(stage.count(page()).await, 2, "the page, and whether it is the first again");
    let counted = stage.anvil.list(&ListQuery { detail: Detail::Rows, ..next }).await.unwrap();
    assert_eq!(counted.total, 120);
}

#[tokio::test]
async fn a_list_that_the_service_does_not_have_says_what_to_do() {
    let stage = Stage::set(service(json!({}), json!({ "world?w": { "id": WORLD } })));
    for (kind, says) in [
        (Kind::Chronicle, "get_chronicle reads one whose id you know"),
        (Kind::Chronicle, "lorewell import world-anvil"),
        (Kind::Notebook, "get_notebook"),
        (Kind::Article, "try again later"),
        (Kind::Variable, "try again later"),
    ] {
        let query = ListQuery { world: Some(WORLD.into()), ..ListQuery::of(kind) };
        let error = stage.anvil.list(&query).await.unwrap_err();
        assert_eq!(error.code(), Code::NotFound, "{error}");
        assert!(error.hint().contains(says), "{kind:?}: {}", error.hint());
    }
}

fn below(kind: Kind, parent: Kind, id: &str) -> ListQuery {
    ListQuery {
        parent: Some((parent, id.into())),
        world: Some(WORLD.into()),
        ..ListQuery::of(kind)
    }
}

fn ids_of(rows: &Rows) -> Vec<String> {
    rows.rows.iter().map(|row| text_of(row, "id")).collect()
}

#[tokio::test]
async fn a_list_that_is_nowhere_is_told_by_what_holds_it() {
    let lists = json!({
        "world/blockfolders?w": [{ "id": 5, "title": "A" }, { "id": 6, "title": "B" }],
        "world/timelines?w": [{ "id": "t", "title": "T" }, { "id": "s", "title": "S" }],
    });
    let things = json!({
        "blockfolder?5": { "id": 5, "title": "A", "blocks": [{ "id": 1, "title": "x" }] },
        "blockfolder?6": { "id": 6, "title": "B", "blocks": [{ "id": 2, "title": "y" }] },
        "timeline?t": { "id": "t", "title": "T", "eras": [{ "id": "e", "title": "E" }] },
        "timeline?s": { "id": "s", "title": "S", "eras": [{ "id": "f", "title": "F" }] },
    });
    let stage = Stage::set(service(lists, things));
    for (query, wanted) in [
        (below(Kind::Block, Kind::BlockFolder, "6"), &["2"][..]),
        (below(Kind::Era, Kind::Timeline, "s"), &["f"]),
    ] {
        let found = stage.anvil.list(&query).await.unwrap();
        assert_eq!(
            (ids_of(&found), found.total),
            (wanted.iter().map(|id| (*id).to_owned()).collect(), wanted.len())
        );
        let whole = stage.anvil.list(&ListQuery { parent: None, ..query }).await.unwrap();
        assert_eq!(whole.total, 2, "of the whole world");
    }
    let era = stage.anvil.list(&below(Kind::Era, Kind::Timeline, "t")).await.unwrap();
    assert_eq!(era.rows[0]["timeline"]["title"], "T");
}

#[tokio::test]
async fn a_list_that_nobody_tells_is_an_error_and_not_an_endless_search() {
    let lists = json!({ "world/blockfolders?w": [{ "id": 5, "title": "A" }] });
    let things = json!({ "blockfolder?5": { "id": 5, "title": "A" } });
    let stage = Stage::set(service(lists, things));
    for query in [
        below(Kind::Block, Kind::BlockFolder, "5"),
        below(Kind::Block, Kind::BlockFolder, "9"),
        ListQuery { parent: None, ..below(Kind::Block, Kind::BlockFolder, "5") },
    ] {
        let error = stage.anvil.list(&query).await.unwrap_err();
        assert_eq!(error.code(), Code::NotFound, "{error}");
    }
}

#[tokio::test]
async fn totals_are_true_above_ten_thousand_and_lists_without_end_end() {
    let rows: Vec<Value> = (0..10_060).map(|n| json!({ "id": n, "title": "x" })).collect();
    let stage = Stage::set(service(json!({ "world/articles?w": rows }), json!({})));
    let query = ListQuery { world: Some(WORLD.into()), ..ListQuery::of(Kind::Article) };
    assert_eq!(stage.anvil.list(&query).await.unwrap().total, 10_060);
    let endless = Stage::set(|_| {
        let rows: Vec<Value> = (0..50).map(|n| json!({ "id": n, "title": "x" })).collect();
        json_answer(200, json!({ "success": true, "entities": rows }))
    });
    assert_eq!(endless.anvil.list(&query).await.unwrap().total, 50);
}

#[tokio::test]
async fn what_the_contract_tells_is_found_where_the_service_tells_it() {
    let things = json!({
        "map?m": { "id": "m", "title": "M", "image": { "id": 1, "url": "https://x.example/m.png" },
            "markers": [{ "id": "k", "title": "K" }] },
        "marker?k": { "id": "k", "title": "K", "labelTitle": "", "geoX": "1.5", "geoY": 2 },
        "world?w": { "id": WORLD, "title": "W", "genres": [{ "id": 1, "title": "Dark" }] },
        "category?c": { "id": "c", "title": "C", "world": { "id": "w", "title": "W" } },
    });
    let lists = json!({ "world/articles?w": [{ "id": "a", "title": "A" }] });
    let stage = Stage::set(service(lists, things));
    let read = async |kind: Kind, id: &str| {
        Value::Object(stage.anvil.read(kind, Some(id), 2).await.unwrap())
    };
    let map = read(Kind::Map, "m").await;
    assert_eq!(
        (&map["imageUrl"], &map["markerCount"]),
        (&json!("https://x.example/m.png"), &json!(1))
    );
    let marker = read(Kind::Marker, "k").await;
    assert_eq!((&marker["label"], &marker["geoX"]), (&json!("K"), &json!(1.5)));
    assert_eq!(read(Kind::World, WORLD).await["genre"], "Dark");
    assert_eq!(read(Kind::Category, "c").await["articleCount"], 1);
}

#[tokio::test]
async fn odd_paths_are_tried_in_both_spellings() {
    let stage = Stage::set(|asking| match asking.path {
        "variablecollection" => json_answer(404, json!({ "success": false })),
        _ => thing(asking),
    });
    let found = stage.anvil.read(Kind::VariableCollection, Some("v"), 2).await.unwrap();
    assert_eq!(found["title"], "The Keep");
    for path in ["variablecollection/variables", "variable_collection/variables"] {
        let lists = json!({ (format!("{path}?c")): [{ "id": "v", "title": "V" }] });
        let stage = Stage::set(service(lists, json!({})));
        let query = below(Kind::Variable, Kind::VariableCollection, "c");
        assert_eq!(ids_of(&stage.anvil.list(&query).await.unwrap()), ["v"], "{path}");
    }
}

#[tokio::test]
async fn categories_are_listed_with_how_many_are_in_them() {
    let stage = Stage::set(|asking| {
        let rows = match (asking.path, asking.body.as_ref().map(|body| &body["category"]["id"])) {
            ("world/categories", _) => {
                json!([{ "id": "c", "title": "C" }, { "id": "d", "title": "D" }])
            }
            ("world/articles", Some(category)) if category == "c" => json!([{ "id": "a" }]),
            _ => json!([]),
        };
        json_answer(200, json!({ "success": true, "entities": rows }))
    });
    let query = ListQuery { world: Some(WORLD.into()), ..ListQuery::of(Kind::Category) };
    let rows = stage.anvil.list(&query).await.unwrap().rows;
    assert_eq!((&rows[0]["articleCount"], &rows[1]["articleCount"]), (&json!(1), &json!(0)));
}

#[tokio::test]
async fn a_timeline_without_eras_takes_away_none_of_the_others() {
    let lists = json!({
        "user/worlds?u": [{ "id": "w", "title": "Waste" }],
        "world/timelines?w": [{ "id": "t" }, { "id": "n" }, { "id": "s" }],
    });
    let things = json!({
        "timeline?t": { "id": "t", "title": "T", "eras": null },
        "timeline?n": { "id": "n", "title": "N" },
        "timeline?s": { "id": "s", "title": "S", "eras": [{ "id": "e", "title": "E" }] },
    });
    let stage = Stage::set(service(lists, things));
    let all = stage.anvil.list(&ListQuery::of(Kind::Era)).await.unwrap();
    assert_eq!((ids_of(&all), all.total), (vec!["e".to_owned()], 1));
    for none in ["t", "n"] {
        let found = stage.anvil.list(&below(Kind::Era, Kind::Timeline, none)).await.unwrap();
        assert_eq!(found.total, 0, "{none}");
    }
}

#[tokio::test]
async fn texts_of_a_template_are_sections_and_the_folder_of_a_block_is_its_folder() {
    let stage = Stage::set(|asking| {
        let told = match asking.path {
            "block" => json!({ "success": true, "id": 6, "folder": { "id": 5, "title": "BF" } }),
            _ => json!({ "success": true, "id": "a", "title": "A", "geography": "[i]hills[/i]" }),
        };
        json_answer(200, told)
    });
    let article = stage.anvil.read(Kind::Article, Some("a"), 2).await.unwrap();
    assert_eq!(article["sections"], json!({ "geography": "*hills*" }));
    assert!(!article.contains_key("geography"));
    let block = stage.anvil.read(Kind::Block, Some("6"), 2).await.unwrap();
    assert_eq!(block["blockfolder"]["id"], 5);
}

#[tokio::test]
async fn what_the_account_has_is_listed_by_the_world_it_says() {
    const OTHER: &str = "0190a1b2-0000-7000-8000-0000000000fe";
    let rows: Vec<Value> = (0..120)
        .map(|number| match number % 3 {
            0 => json!({ "id": number, "title": "Here", "world": { "id": WORLD } }),
            1 => json!({ "id": number, "title": "There", "world": { "id": OTHER } }),
            _ => json!({ "id": number, "title": "Everywhere" }),
        })
        .collect();
    let lists = json!({ "user/blocktemplates?u": rows, "user/worlds?u": [] });
    let stage = Stage::set(service(lists, json!({ "world?w": { "id": WORLD } })));
    let of = |world: &str, offset: usize| ListQuery {
        world: Some(world.into()),
        offset,
        ..ListQuery::of(Kind::BlockTemplate)
    };
    let first = stage.anvil.list(&of(WORLD, 0)).await.unwrap();
    assert_eq!((first.rows.len(), first.total), (50, 80));
    assert!(first.rows.iter().all(|row| row["title"] != "There" && !row.contains_key("world")));
    assert_eq!(stage.anvil.list(&of(WORLD, 50)).await.unwrap().rows.len(), 30);
    let all = stage.anvil.list(&ListQuery::of(Kind::BlockTemplate)).await.unwrap();
    assert_eq!(all.total, 120);
    let unknown = stage.anvil.list(&of(OTHER, 0)).await.unwrap_err();
    assert_eq!(unknown.code(), Code::NotFound, "{unknown}");
}
