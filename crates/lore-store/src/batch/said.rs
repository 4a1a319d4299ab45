//! Which strings of a batch are shown to readers. Tags are left out: they are keys of pages and
//! must not be rewritten.

use serde_json::Value;

use super::{Batch, Change, NewEvent};
use crate::veil::{Rewrite, Says};

impl Says for Batch {
    fn each_said(&mut self, rewrite: &mut Rewrite<'_>) {
        self.changes.iter_mut().for_each(|change| change.each_said(rewrite));
    }
}

impl Says for Change {
    fn each_said(&mut self, rewrite: &mut Rewrite<'_>) {
        match self {
            Self::CreateNode(new) => {
                new.name.each_said(rewrite);
                new.subtype.each_said(rewrite);
                new.aliases.each_said(rewrite);
                new.properties.each_said(rewrite);
            }
            Self::UpdateNode(_, _, patch) => {
                patch.name.each_said(rewrite);
                patch.subtype.each_said(rewrite);
                patch.aliases.each_said(rewrite);
                patch.properties.each_said(rewrite);
            }
            Self::CreateText(new) => {
                new.title.each_said(rewrite);
                new.body.each_said(rewrite);
            }
            Self::UpdateText(_, _, patch) => {
                patch.title.each_said(rewrite);
                patch.body.each_said(rewrite);
            }
            Self::PutEdge(new) => new.properties.each_said(rewrite),
            Self::UpdateEdge(_, _, patch) => patch.properties.each_said(rewrite),
            Self::PutState(new) => new.value.each_said(rewrite),
            Self::AppendEvents(new) => {
                new.events.iter_mut().for_each(|event| event.each_said(rewrite));
            }
            Self::DeleteNode(..)
            | Self::RestoreNode(_)
            | Self::MoveText(..)
            | Self::DeleteText(..)
            | Self::RestoreText(_)
            | Self::DeleteEdge(..)
            | Self::RestoreEdge(_)
            | Self::CountAccess(_)
            | Self::SkipNumbers { .. } => {}
        }
    }
}

impl Says for NewEvent {
    fn each_said(&mut self, rewrite: &mut Rewrite<'_>) {
        for json in std::iter::once(&mut self.payload).chain(&mut self.secret) {
            let Ok(told) = serde_json::from_str::<Value>(json) else { continue };
            let mut said = told.clone();
            said.each_said(rewrite);
            if said != told {
                *json = said.to_string();
            }
        }
    }
}
