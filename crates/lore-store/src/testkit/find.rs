//! Contract tests for listing nodes.

use lore_core::{Node, Role, Viewer, Visibility};

use super::Harness;
use super::stage::{Stage, moment, origin, word};
use crate::{
    Batch, Change, Expect, NameMatch, NewNode, NodeOrder, NodePatch, NodeQuery, NodeRef, Page,
};

/// Each page continues where the last one ended.
pub async fn pages_walk_through_everything_in_order_of_creation(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for number in 1..=7 {
        stage.node(&stage.owner, &format!("N{number}")).await;
    }
    let mut seen = Vec::new();
    let mut query = NodeQuery { limit: 3, ..NodeQuery::default() };
    loop {
        let page = find(&stage, &stage.owner, query.clone()).await;
        assert!(page.items.len() <= 3);
        seen.extend(page.items.into_iter().map(|node| node.name));
        query.after = page.next;
        if page.next.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["N1", "N2", "N3", "N4", "N5", "N6", "N7"]);
}

/// It depends neither on the length of the page nor on its position.
pub async fn the_total_does_not_depend_on_the_page(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for number in 1..=5 {
        stage.node(&stage.owner, &format!("N{number}")).await;
    }
    let first = find(&stage, &stage.owner, NodeQuery { limit: 2, ..NodeQuery::default() }).await;
    assert_eq!((first.total, first.items.len()), (5, 2));
    let query = NodeQuery { limit: 3, after: first.next, ..NodeQuery::default() };
    let last = find(&stage, &stage.owner, query).await;
    assert_eq!((last.total, last.items.len(), last.next), (5, 3, None));
}

/// Nodes imported with their numbers are listed by number, page by page.
pub async fn pages_may_go_by_number(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for number in [7, 3, 9, 5] {
        let draft = NewNode { number: Some(number), ..stage.draft(&format!("N{number}")) };
        stage.make(&stage.owner, draft).await;
    }
    let by_number = NodeQuery { order: NodeOrder::Number, limit: 2, ..NodeQuery::default() };
    let first = find(&stage, &stage.owner, by_number.clone()).await;
    let next = first.next;
    assert_eq!((first.total, names(first)), (4, vec!["N3".to_owned(), "N5".to_owned()]));
    let last = find(&stage, &stage.owner, NodeQuery { after: next, ..by_number }).await;
    assert_eq!((last.next, names(last)), (None, vec!["N7".to_owned(), "N9".to_owned()]));
}

/// A list that was asked for before is updated after every change.
pub async fn a_list_follows_every_change(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    stage.node(&stage.owner, "Bilbo").await;
    let of = |name: Option<NameMatch>, subtype: Option<&str>, namespace: Option<&str>| NodeQuery {
        name,
        subtype: subtype.map(Into::into),
        namespace: namespace.map(Into::into),
        ..NodeQuery::default()
    };
    let asked = [
        of(None, None, None),
        of(Some(contains("ndal")), None, None),
        of(None, Some("wizard"), None),
        of(None, None, Some("west")),
    ];
    let counts = async || {
        let mut counts = Vec::new();
        for query in &asked {
            let total = find(&stage, &player, query.clone()).await.total;
            let ids = stage.store().find_ids(&player, query.clone()).await.unwrap();
            assert_eq!(ids.len() as u64, total, "{query:?}");
            counts.push(total);
        }
        counts
    };
    assert_eq!(counts().await, [2, 1, 0, 0]);
    let patch = NodePatch::default;
    let update = |patch| Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, patch);
    let (gm, all) = (Some(Visibility::Gm), Some(Visibility::Members));
    for (change, expected) in [
        (update(NodePatch { subtype: Some(Some("Wizard".into())), ..patch() }), [2, 1, 1, 0]),
        (update(NodePatch { namespace: Some("west".into()), ..patch() }), [2, 1, 1, 1]),
        (update(NodePatch { name: Some("Olorin".into()), ..patch() }), [2, 0, 1, 1]),
        (update(NodePatch { aliases: Some(vec!["Gandalf".into()]), ..patch() }), [2, 1, 1, 1]),
        (update(NodePatch { visibility: gm, ..patch() }), [1, 0, 0, 0]),
        (update(NodePatch { visibility: all, ..patch() }), [2, 1, 1, 1]),
        (Change::DeleteNode(NodeRef::Id(node.id), Expect::Any), [1, 0, 0, 0]),
        (Change::RestoreNode(NodeRef::Id(node.id)), [2, 1, 1, 1]),
        (Change::CreateNode(stage.draft("Gandalf the White")), [3, 2, 1, 1]),
    ] {
        stage.change(&stage.owner, change).await;
        assert_eq!(counts().await, expected);
    }
}

/// An offset skips the first nodes.
pub async fn a_page_begins_where_it_is_told_to(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for number in 1..=5 {
        stage.node(&stage.owner, &format!("N{number}")).await;
    }
    let query = NodeQuery { offset: 2, limit: 2, ..NodeQuery::default() };
    let page = find(&stage, &stage.owner, query).await;
    assert_eq!((page.total, names(page)), (5, vec!["N3".to_owned(), "N4".to_owned()]));
    let beyond = NodeQuery { offset: 9, limit: 2, ..NodeQuery::default() };
    let page = find(&stage, &stage.owner, beyond).await;
    assert_eq!((page.total, page.items.len(), page.next), (5, 0, None));
}

/// Ignores paging; returns only nodes that are named in the query and that the viewer sees.
pub async fn ids_are_those_of_all_that_is_found(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let a = stage.node(&stage.owner, "A").await;
    let hidden = NewNode { visibility: Visibility::Gm, ..stage.draft("B") };
    let b = stage.make(&stage.owner, hidden).await;
    let c = stage.node(&stage.owner, "C").await;
    let ids = async |viewer: &Viewer, query: NodeQuery| {
        stage.store().find_ids(viewer, query).await.unwrap()
    };
    let paged = NodeQuery { limit: 1, offset: 1, after: Some(a.id), ..NodeQuery::default() };
    assert_eq!(ids(&stage.owner, paged).await, [a.id, b.id, c.id]);
    let among = NodeQuery { among: Some(vec![c.id, b.id]), ..NodeQuery::default() };
    assert_eq!(ids(&stage.owner, among.clone()).await, [b.id, c.id]);
    assert_eq!(ids(&player, among.clone()).await, [c.id]);
    assert_eq!(find(&stage, &player, among).await.total, 1);
    let none = NodeQuery { among: Some(Vec::new()), ..NodeQuery::default() };
    assert_eq!(ids(&stage.owner, none).await, []);
}

/// Up to the store's own maximum.
pub async fn no_limit_means_everything(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for number in 1..=30 {
        stage.node(&stage.owner, &format!("N{number}")).await;
    }
    let page = find(&stage, &stage.owner, NodeQuery::default()).await;
    assert_eq!((page.total, page.items.len(), page.next), (30, 30, None));
}

/// All other kinds are returned.
pub async fn none_of_several_kinds(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for kind in ["character", "place", "item"] {
        stage.make(&stage.owner, NewNode::new(stage.uid(), word(kind), kind)).await;
    }
    let except_kinds = vec![word("item"), word("unheard-of")];
    let query = NodeQuery { except_kinds, ..NodeQuery::default() };
    let page = find(&stage, &stage.owner, query.clone()).await;
    assert_eq!((page.total, names(page)), (2, vec!["character".into(), "place".into()]));
    let kinds = vec![word("item"), word("place")];
    let page = find(&stage, &stage.owner, NodeQuery { kinds, ..query }).await;
    assert_eq!(names(page), ["place"]);
}

/// An empty list does not restrict.
pub async fn any_of_several_kinds(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for kind in ["character", "place", "item"] {
        stage.make(&stage.owner, NewNode::new(stage.uid(), word(kind), kind)).await;
    }
    let kinds = vec![word("item"), word("place"), word("unheard-of")];
    let query = NodeQuery { kinds, ..NodeQuery::default() };
    assert_eq!(names(find(&stage, &stage.owner, query).await), ["place", "item"]);
}

/// The whole name must match, not a part.
pub async fn a_whole_name_matches_ignoring_case(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    stage.node(&stage.owner, "Gandalf").await;
    stage.node(&stage.owner, "Gandalf the White").await;
    for name in ["Gandalf", "GANDALF", " gandalf "] {
        assert_eq!(by_name(&stage, exact(name)).await, ["Gandalf"]);
    }
    assert!(by_name(&stage, exact("Gand")).await.is_empty());
}

/// Aliases count as names.
pub async fn a_whole_alias_matches_too(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    with_aliases(&stage, "Gandalf", &["Mithrandir", "Olórin"]).await;
    stage.node(&stage.owner, "Bilbo").await;
    assert_eq!(by_name(&stage, exact("mithrandir")).await, ["Gandalf"]);
    assert_eq!(by_name(&stage, exact("OLÓRIN")).await, ["Gandalf"]);
}

/// At the beginning, in the middle or at the end.
pub async fn a_part_of_a_name_or_alias_matches(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    with_aliases(&stage, "Gandalf", &["Mithrandir"]).await;
    stage.node(&stage.owner, "Bilbo").await;
    for part in ["gan", "NDA", "alf", "thran", ""] {
        let found = by_name(&stage, contains(part)).await;
        assert!(found.contains(&"Gandalf".to_owned()), "{part:?}");
        assert_eq!(found.len(), if part.is_empty() { 2 } else { 1 }, "{part:?}");
    }
}

/// Wildcards in the name have no meaning.
pub async fn a_part_is_taken_literally(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for name in ["100% true", "100 true", "a_b", "axb", r"back\slash", "it's", "a*b", "[x]"] {
        stage.node(&stage.owner, name).await;
    }
    for (part, whole) in [
        ("0%", "100% true"),
        ("a_b", "a_b"),
        (r"\", r"back\slash"),
        ("'", "it's"),
        ("a*b", "a*b"),
        ("[x]", "[x]"),
    ] {
        assert_eq!(by_name(&stage, contains(part)).await, [whole]);
    }
    assert!(by_name(&stage, contains("%_")).await.is_empty());
}

/// Case folding works for all scripts.
pub async fn case_is_ignored_beyond_ascii(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for name in ["Älfréd", "ΟΔΥΣΣΕΑ", "Ольга"] {
        stage.node(&stage.owner, name).await;
    }
    assert_eq!(by_name(&stage, exact("äLFRÉD")).await, ["Älfréd"]);
    assert_eq!(by_name(&stage, contains("δυσσ")).await, ["ΟΔΥΣΣΕΑ"]);
    assert_eq!(by_name(&stage, contains("ЛЬГ")).await, ["Ольга"]);
}

/// A node that matches by name and by alias is still one node.
pub async fn a_node_that_matches_twice_is_listed_once(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    with_aliases(&stage, "Grey", &["grey", "Grey Pilgrim", "Greyhame"]).await;
    for name in [exact("grey"), contains("grey")] {
        let query = NodeQuery { name: Some(name), ..NodeQuery::default() };
        let page = find(&stage, &stage.owner, query).await;
        assert_eq!((page.total, page.items.len()), (1, 1));
    }
}

/// The empty namespace matches exactly as well.
pub async fn a_namespace_matches_exactly(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for (name, namespace) in [("A", ""), ("B", "north"), ("C", "North")] {
        let draft = NewNode { namespace: namespace.into(), ..stage.draft(name) };
        stage.make(&stage.owner, draft).await;
    }
    for (namespace, name) in [("", "A"), ("north", "B"), ("North", "C")] {
        let query = NodeQuery { namespace: Some(namespace.into()), ..NodeQuery::default() };
        assert_eq!(names(find(&stage, &stage.owner, query).await), [name]);
    }
}

/// A node without a subtype matches none.
pub async fn a_subtype_matches_ignoring_case(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    stage.node(&stage.owner, "A").await;
    let draft = NewNode { subtype: Some("Händler".into()), ..stage.draft("B") };
    stage.make(&stage.owner, draft).await;
    let query = |subtype: &str| NodeQuery { subtype: Some(subtype.into()), ..Default::default() };
    assert_eq!(names(find(&stage, &stage.owner, query("HÄNDLER")).await), ["B"]);
    assert!(names(find(&stage, &stage.owner, query("")).await).is_empty());
}

/// A node must have all of the tags, not just one.
pub async fn all_tags_must_be_there_ignoring_case(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for (name, tags) in [("A", vec!["Red"]), ("B", vec!["Red", "Blue"]), ("C", vec!["Blue"])] {
        let tags = tags.into_iter().map(str::to_owned).collect();
        stage.make(&stage.owner, NewNode { tags, ..stage.draft(name) }).await;
    }
    for (tags, expected) in [
        (vec!["red"], vec!["A", "B"]),
        (vec!["BLUE", "red"], vec!["B"]),
        (vec!["red", "RED"], vec!["A", "B"]),
        (vec!["red", "green"], vec![]),
    ] {
        let tags = tags.into_iter().map(str::to_owned).collect();
        let query = NodeQuery { tags, ..NodeQuery::default() };
        assert_eq!(names(find(&stage, &stage.owner, query).await), expected);
    }
}

/// A change at exactly that time does not count.
pub async fn only_what_changed_since_a_moment(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    stage.node(&stage.owner, "Old").await;
    let late = Batch::new(origin(), moment(9)).change(Change::CreateNode(stage.draft("New")));
    stage.commit(&stage.owner, late).await;
    let since = |seconds| NodeQuery { since: Some(moment(seconds)), ..NodeQuery::default() };
    assert_eq!(names(find(&stage, &stage.owner, since(0)).await), ["Old", "New"]);
    assert_eq!(names(find(&stage, &stage.owner, since(8)).await), ["New"]);
    assert_eq!(names(find(&stage, &stage.owner, since(9)).await), [""; 0]);
}

/// Every filter must match.
pub async fn filters_combine(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let full = |name: &str, subtype: &str, tag: &str| NewNode {
        subtype: Some(subtype.into()),
        tags: vec![tag.into()],
        namespace: "north".into(),
        ..stage.draft(name)
    };
    for (name, subtype, tag) in
        [("Gandalf", "npc", "wizard"), ("Gandalf", "pc", "wizard"), ("Gandalf", "npc", "fake")]
    {
        stage.make(&stage.owner, full(name, subtype, tag)).await;
    }
    let query = NodeQuery {
        kinds: vec![word("character")],
        namespace: Some("north".into()),
        name: Some(contains("gand")),
        subtype: Some("NPC".into()),
        tags: vec!["Wizard".into()],
        limit: 10,
        ..NodeQuery::default()
    };
    let page = find(&stage, &stage.owner, query).await;
    assert_eq!((page.total, page.items.len()), (1, 1));
    assert_eq!(page.items[0].number, 1);
}

/// An empty result is not an error.
pub async fn nothing_is_an_empty_page(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let page = find(&stage, &stage.owner, NodeQuery::default()).await;
    assert_eq!(page, Page { items: vec![], total: 0, next: None });
}

async fn find(stage: &Stage, viewer: &Viewer, query: NodeQuery) -> Page<Node> {
    stage.store().find_nodes(viewer, query).await.unwrap()
}

async fn by_name(stage: &Stage, name: NameMatch) -> Vec<String> {
    let query = NodeQuery { name: Some(name), ..NodeQuery::default() };
    names(find(stage, &stage.owner, query).await)
}

async fn with_aliases(stage: &Stage, name: &str, aliases: &[&str]) {
    let aliases = aliases.iter().map(|&alias| alias.to_owned()).collect();
    stage.make(&stage.owner, NewNode { aliases, ..stage.draft(name) }).await;
}

fn exact(name: &str) -> NameMatch {
    NameMatch::Exact(name.into())
}

fn contains(part: &str) -> NameMatch {
    NameMatch::Contains(part.into())
}

fn names(page: Page<Node>) -> Vec<String> {
    page.items.into_iter().map(|node| node.name).collect()
}
