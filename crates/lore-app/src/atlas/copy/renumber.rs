//! Renumbers local things whose numbers are needed by copies. Everything that refers to them by
//! number is updated in the same batch, because the old number means the copy afterwards.

use std::collections::HashMap;

use lore_anvil::{IdForm, Kind, Object};
use lore_core::{Node, NodeId, Result, Role};
use lore_markup::anvil;
use lore_store::{
    Batch, Change, Expect, NodeKey, NodePatch, NodeQuery, NodeRef, TextPatch, TextQuery, TextRef,
};
use serde_json::{Value, json};

use super::record::Seen;
use crate::atlas::keys::{GAVE_WAY, MOVED, OWN_NUMBERS, number_of};
use crate::atlas::read::head;
use crate::atlas::sight::references::{ADDRESS, words_of};
use crate::atlas::source::Atlas;
use crate::play::word;

/// Things of one kind that get new numbers.
struct Moves {
    kind: Kind,
    /// Old numbers to new ones.
    numbers: HashMap<i64, i64>,
    /// Nodes to their new numbers.
    nodes: HashMap<NodeId, i64>,
}

impl Atlas {
    /// Renumbers local things, in this and every other world the caller manages, whose numbers are
    /// among `ids` of arriving copies: a number must mean one thing only.
    pub(super) async fn make_way(
        &self,
        kind: Kind,
        ids: impl Iterator<Item = String>,
    ) -> Result<()> {
        if kind.row().id != IdForm::Number {
            return Ok(());
        }
        let coming: Vec<i64> = ids.filter_map(|id| id.parse().ok()).collect();
        // Another instance of this program counts from the same start.
        let own = coming.iter().copied().filter(|number| (OWN_NUMBERS..GAVE_WAY).contains(number));
        if let Some(last) = own.max() {
            self.leave_numbers(last).await?;
        }
        for place in self.everywhere().await? {
            let is_kept = place.viewer().role >= Role::Gm;
            if is_kept && place.scribe.require_local("the articles").is_ok() {
                place.give_way(kind, &coming).await?;
            }
        }
        Ok(())
    }

    /// Renumbers the things of this world.
    async fn give_way(&self, kind: Kind, coming: &[i64]) -> Result<()> {
        let mut moves = Moves { kind, numbers: HashMap::new(), nodes: HashMap::new() };
        for number in coming.iter().copied() {
            let there = NodeKey::KindNumber(word(kind.row().path)?, number);
            let found = self.app().store.node(self.viewer(), there).await?;
            let is_in_the_way =
                |node: &Node| number_of(node) == number && Seen::of_node(node).is_none();
            if let Some(node) = found.filter(is_in_the_way) {
                moves.numbers.insert(number, GAVE_WAY + number);
                moves.nodes.insert(node.id, GAVE_WAY + number);
            }
        }
        if moves.numbers.is_empty() {
            return Ok(());
        }
        let batch = self.nodes_follow(self.scribe.batch(), &moves).await?;
        let batch = self.texts_follow(batch, &moves).await?;
        self.app().store.commit(self.viewer(), batch).await?;
        Ok(())
    }

    /// Gives nodes their new numbers, and updates references in fields that were written here.
    async fn nodes_follow(&self, mut batch: Batch, moves: &Moves) -> Result<Batch> {
        let mut after = None;
        loop {
            let wanted = NodeQuery { after, ..NodeQuery::default() };
            let page = self.app().store.find_nodes(self.viewer(), wanted).await?;
            for node in page.items.iter().filter(|node| Seen::of_node(node).is_none()) {
                let own = head::own_fields(&node.properties).into_iter().flatten();
                let changed = own.filter_map(|(name, value)| {
                    let now = moves.value(value.clone());
                    (now != *value).then(|| (name.clone(), now))
                });
                let mut changed: Object = changed.collect();
                let moved = moves.nodes.get(&node.id);
                changed.extend(moved.map(|number| (MOVED.to_owned(), json!(number))));
                if !changed.is_empty() {
                    batch = batch.change(with_own(node, &changed));
                }
            }
            after = page.next;
            if after.is_none() {
                return Ok(batch);
            }
        }
    }

    /// Updates references in texts that were written here.
    async fn texts_follow(&self, mut batch: Batch, moves: &Moves) -> Result<Batch> {
        let mut changed = Vec::new();
        let mut offset = 0;
        loop {
            let query = TextQuery { offset, ..TextQuery::default() };
            let page = self.app().store.find_texts(self.viewer(), query).await?;
            offset += page.items.len();
            let is_last = page.items.is_empty();
            changed.extend(page.items.into_iter().filter_map(|text| {
                let body = moves.text(&text.body);
                (body != text.body).then_some((text, body))
            }));
            if is_last {
                break;
            }
        }
        let nodes: Vec<NodeId> = changed.iter().map(|(text, _)| text.node).collect();
        let nodes = self.app().store.nodes(self.viewer(), &nodes).await?;
        let is_copy =
            |id: NodeId| nodes.iter().any(|node| node.id == id && Seen::of_node(node).is_some());
        for (text, body) in changed.into_iter().filter(|(text, _)| !is_copy(text.node)) {
            let patch = TextPatch { body: Some(body), ..TextPatch::default() };
            let expect = Expect::Version(text.version);
            batch = batch.change(Change::UpdateText(TextRef::Id(text.id), expect, patch));
        }
        Ok(batch)
    }
}

impl Moves {
    /// A value with the new numbers in place of the old.
    fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.text(&text).into(),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => {
                let is_it = fields.get("entityClass") == Some(&json!(self.kind.row().class));
                let moved = fields.get("id").and_then(Value::as_i64);
                let moved = moved.filter(|_| is_it).and_then(|id| self.numbers.get(&id)).copied();
                let mut fields: Object =
                    fields.into_iter().map(|(name, value)| (name, self.value(value))).collect();
                fields.extend(moved.map(|number| ("id".to_owned(), json!(number))));
                Value::Object(fields)
            }
            other => other,
        }
    }

    /// A text with the new numbers, in tags such as `[block:6]`, in mentions and in URLs.
    fn text(&self, text: &str) -> String {
        let mut text = anvil::replaced(text, |found| {
            let is_it = words_of(self.kind).any(|word| word.eq_ignore_ascii_case(found.kind));
            let to = self.numbers.get(&found.id.parse().ok()?).filter(|_| is_it)?;
            Some(anvil::mention(found.label, found.kind, &to.to_string()))
        });
        for word in words_of(self.kind) {
            for before in [format!("[{word}:"), format!("{ADDRESS}{word}/")] {
                if text.contains(&before) {
                    text = self.after(&text, &before);
                }
            }
        }
        text
    }

    /// A text in which old numbers directly after `words` are replaced.
    fn after(&self, text: &str, words: &str) -> String {
        let mut pieces = text.split(words);
        let mut out = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            out.push_str(words);
            let length = piece.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = piece.split_at_checked(length).unwrap_or((piece, ""));
            let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-');
            let to = number.parse().ok().and_then(|number: i64| self.numbers.get(&number));
            match to.filter(|_| ends) {
                Some(to) => out.push_str(&format!("{to}{rest}")),
                None => out.push_str(piece),
            }
        }
        out
    }
}

fn with_own(node: &Node, changes: &Object) -> Change {
    let properties = head::merged(&node.properties, changes);
    let seen = head::seen(&node.properties, &properties);
    let patch = NodePatch { properties: Some(properties), seen, ..NodePatch::default() };
    Change::UpdateNode(NodeRef::Id(node.id), Expect::Version(node.version), patch)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves() -> Moves {
        let numbers = HashMap::from([(6, 206)]);
        Moves { kind: Kind::Image, numbers, nodes: HashMap::new() }
    }

    #[test]
    fn whatever_names_a_number_follows() {
        for (text, now) in [
            (r"A \[img:6\] and \[image:6\|Wolf\].", r"A \[img:206\] and \[image:206\|Wolf\]."),
            (
                "@[Wolf](image:6) lorewell://atlas/image/6.",
                "@[Wolf](image:206) lorewell://atlas/image/206.",
            ),
            (
                r"\[img:66\] \[img:6a\] \[block:6\] [img:6]",
                r"\[img:66\] \[img:6a\] \[block:6\] [img:206]",
            ),
            ("6 and image 6", "6 and image 6"),
        ] {
            assert_eq!(moves().text(text), now);
        }
        let value = json!({
            "a": "see [img:6]", "b": [{ "id": 6, "entityClass": "Image" }, { "id": 6 }, 6],
        });
        let now = json!({
            "a": "see [img:206]", "b": [{ "id": 206, "entityClass": "Image" }, { "id": 6 }, 6],
        });
        assert_eq!(moves().value(value), now);
    }
}
