//! Access to properties, labels and elements of values.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::Exec;
use super::matching::has;
use crate::compare;
use crate::error::{Result, failed};
use crate::graph::KeyId;
use crate::plan::LabelTest;
use crate::value::Value;

impl Exec<'_> {
    pub(super) fn property(&self, base: &Value, name: &str, key: Option<KeyId>) -> Result<Value> {
        let known = match base {
            Value::Node(node) => key.and_then(|key| self.graph.node_property(*node, key)),
            Value::Relationship(relationship) => {
                let known =
                    key.and_then(|key| self.graph.relationship_property(*relationship, key));
                return Ok(known.map_or(Value::Null, Cow::into_owned));
            }
            Value::Map(map) => map.get(name),
            Value::Null => None,
            Value::Temporal(temporal) => return temporal.component(name),
            other => return failed(format!("{} has no properties", other.kind())),
        };
        Ok(known.cloned().unwrap_or_default())
    }

    /// Returns the properties of a node, relationship or map.
    pub(super) fn properties(&self, value: &Value) -> Result<BTreeMap<Arc<str>, Value>> {
        Ok(match value {
            Value::Node(node) => {
                let known = self.graph.node_properties(*node);
                known.map(|(name, value)| (Arc::clone(name), value.clone())).collect()
            }
            Value::Relationship(relationship) => {
                let known = self.graph.relationship_properties(*relationship);
                known.map(|(name, value)| (Arc::clone(name), value.into_owned())).collect()
            }
            Value::Map(map) => map.entries().clone(),
            other => return failed(format!("{} has no properties", other.kind())),
        })
    }

    pub(super) fn index(&self, base: &Value, index: &Value) -> Result<Value> {
        match (base, index) {
            (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
            (Value::List(list), Value::Int(index)) => {
                let at = place(*index, list.items().len());
                Ok(at.and_then(|at| list.items().get(at)).cloned().unwrap_or_default())
            }
            (Value::Map(_) | Value::Node(_) | Value::Relationship(_), Value::String(name)) => {
                self.property(base, name, self.graph.key_id(name))
            }
            _ => failed(format!("{} cannot be read by {}", base.kind(), index.kind())),
        }
    }

    pub(super) fn contains(&mut self, list: &Value, element: &Value) -> Result<Value> {
        self.meter.pass(list)?;
        let Value::List(list) = list else {
            return match list {
                Value::Null => Ok(Value::Null),
                other => failed(format!("IN needs a list, not {}", other.kind())),
            };
        };
        self.meter.steps(list.items().len())?;
        let mut known = true;
        for item in list.items() {
            match compare::equals(element, item) {
                Some(true) => return Ok(Value::Bool(true)),
                Some(false) => {}
                None => known = false,
            }
        }
        Ok(known.then_some(false).into())
    }

    pub(super) fn has_labels(
        &self,
        base: &Value,
        test: &LabelTest,
        types: &[Arc<str>],
    ) -> Result<Value> {
        match base {
            Value::Null => Ok(Value::Null),
            Value::Node(node) => Ok(Value::Bool(has(self.graph, *node, test))),
            Value::Relationship(relationship) => {
                let kind = self.graph.type_name(*relationship);
                Ok(Value::Bool(kind.is_some_and(|kind| types.contains(kind))))
            }
            other => failed(format!("{} has no labels", other.kind())),
        }
    }
}

/// Converts an index to a position in a list; negative ones count from the end.
fn place(index: i64, length: usize) -> Option<usize> {
    let length = i64::try_from(length).ok()?;
    let at = if index < 0 { index.checked_add(length)? } else { index };
    usize::try_from(at).ok()
}

/// Returns a slice of a list.
pub(super) fn slice(base: &Value, from: Option<Value>, to: Option<Value>) -> Result<Value> {
    let Value::List(list) = base else {
        return match base {
            Value::Null => Ok(Value::Null),
            other => failed(format!("a slice is taken of a list, not of {}", other.kind())),
        };
    };
    let length = list.items().len();
    let bound = |bound: Option<Value>, default: usize| match bound {
        None => Ok(Some(default)),
        Some(Value::Null) => Ok(None),
        Some(Value::Int(bound)) => {
            let before_start = if bound < 0 { 0 } else { length };
            Ok(Some(place(bound, length).unwrap_or(before_start).min(length)))
        }
        Some(other) => failed(format!("a slice has integer bounds, not {}", other.kind())),
    };
    let (Some(from), Some(to)) = (bound(from, 0)?, bound(to, length)?) else {
        return Ok(Value::Null);
    };
    Ok(Value::list(list.items().get(from..to).unwrap_or_default().to_vec()))
}
