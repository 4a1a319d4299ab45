//! Determines which of the things referred to in values and texts of the local world the viewer
//! sees, by asking the store about each of them.

use std::collections::{HashMap, HashSet};

use lore_anvil::{IdForm, Kind};
use lore_core::{Result, Text, Uid};
use lore_store::NodeKey;
use serde_json::Value;

use super::references::{Name, Names};
use super::{Sight, Strangers};
use crate::atlas::ids::uid_of;
use crate::atlas::keys::counted_number;
use crate::atlas::source::Atlas;
use crate::play::word;

/// A name, and a node it may mean.
type Meant = (Name, NodeKey);

impl Atlas {
    /// Determines what the viewer sees of everything that values refer to; `None` for viewers who
    /// see everything.
    pub(in crate::atlas) async fn sight_of(&self, values: &[&Value]) -> Result<Option<Sight>> {
        if self.viewer().sees_gm_side() {
            return Ok(None);
        }
        let mut names = Names::default();
        values.iter().for_each(|value| names.collect(value));
        let meant = meant_by(names)?;
        let mut known = self.seen_of(&meant).await?;
        known.extend(self.hidden_of(&meant).await?);
        Ok(Some(Sight::new(known, Strangers::Stay)))
    }

    /// Does the same for running texts. There, everything not known to be hidden stays as it is.
    async fn sight_of_words(&self, texts: impl Iterator<Item = &str>) -> Result<Option<Sight>> {
        if self.viewer().sees_gm_side() {
            return Ok(None);
        }
        let mut names = Names::default();
        texts.for_each(|text| names.collect_text(text));
        let known = self.hidden_of(&meant_by(names)?).await?;
        Ok(Some(Sight::new(known, Strangers::Stay)))
    }

    /// Removes references to hidden things from texts.
    pub(in crate::atlas) async fn without_hidden(&self, texts: &mut [Text]) -> Result<()> {
        let sight = self.sight_of_words(texts.iter().map(|text| text.body.as_str())).await?;
        if let Some(sight) = sight {
            texts.iter_mut().for_each(|text| text.body = sight.words(&text.body));
        }
        Ok(())
    }

    async fn hidden_of(&self, meant: &[Meant]) -> Result<HashMap<Name, bool>> {
        let keys: Vec<NodeKey> = meant.iter().map(|(_, key)| key.clone()).collect();
        let hidden = self.app().store.concealed(self.viewer(), &keys).await?;
        let hidden: HashSet<NodeKey> = hidden.into_iter().collect();
        let names = meant.iter().filter(|(_, key)| hidden.contains(key));
        Ok(names.map(|(name, _)| (name.clone(), false)).collect())
    }

    async fn seen_of(&self, meant: &[Meant]) -> Result<HashMap<Name, bool>> {
        let store = &self.app().store;
        let uids = meant.iter().filter_map(|(_, key)| match key {
            NodeKey::Uid(uid) => Some(*uid),
            _ => None,
        });
        let uids: Vec<Uid> = uids.collect();
        let seen = store.nodes_by_uid(self.viewer(), &uids).await?;
        let seen: HashSet<Uid> = seen.into_iter().map(|node| node.uid).collect();
        let mut known = HashMap::new();
        for (name, key) in meant {
            let is_seen = match key {
                NodeKey::Uid(uid) => seen.contains(uid),
                other => store.node(self.viewer(), other.clone()).await?.is_some(),
            };
            if is_seen {
                known.insert(name.clone(), true);
            }
        }
        Ok(known)
    }
}

/// Every node that names may mean. A number without a kind may mean any kind with numeric ids.
fn meant_by(names: Names) -> Result<Vec<Meant>> {
    let mut meant = Vec::new();
    for name in names.told.union(&names.written) {
        match name {
            Name::Uid(uid) => meant.push((name.clone(), NodeKey::Uid(*uid))),
            Name::Counted(kind, number) => meant.extend(numbered(name, *kind, *number)?),
            Name::Number(number) => {
                for kind in Kind::ALL.iter().filter(|kind| kind.row().id == IdForm::Number) {
                    meant.extend(numbered(name, *kind, *number)?);
                }
            }
        }
    }
    Ok(meant)
}

/// What a number of a kind may mean: a copy with that number, or a thing made here.
fn numbered(name: &Name, kind: Kind, number: i64) -> Result<[Meant; 2]> {
    let copy = NodeKey::Uid(uid_of(kind, &number.to_string()));
    let counted = NodeKey::KindNumber(word(kind.row().path)?, counted_number(number));
    Ok([(name.clone(), copy), (name.clone(), counted)])
}
