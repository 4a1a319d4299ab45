//! Properties in columns, one per key, so that reading a property accesses only its column.

use super::KeyId;
use crate::value::Value;

/// The properties of all nodes or of all relationships, which are called owners here.
#[derive(Debug, Default)]
pub(super) struct Columns {
    columns: Vec<Column>,
    owners: u32,
}

#[derive(Debug)]
enum Column {
    /// One value per owner, null where it has none.
    Dense(Vec<Value>),
    /// Only owners with a value, in order.
    Sparse(Vec<(u32, Value)>),
}

impl Columns {
    /// Adds the next owner with its properties.
    pub(super) fn push(&mut self, properties: impl IntoIterator<Item = (KeyId, Value)>) {
        for (key, value) in properties {
            let at = key.0 as usize;
            while self.columns.len() <= at {
                self.columns.push(Column::Sparse(Vec::new()));
            }
            if let Some(Column::Sparse(column)) = self.columns.get_mut(at) {
                column.push((self.owners, value));
            }
        }
        self.owners += 1;
    }

    /// Makes columns dense if at least a third of the owners have a value.
    pub(super) fn settle(&mut self) {
        let owners = self.owners as usize;
        for column in &mut self.columns {
            let Column::Sparse(values) = column else { continue };
            if values.len() * 3 < owners {
                values.shrink_to_fit();
                continue;
            }
            let mut dense = vec![Value::Null; owners];
            for (owner, value) in std::mem::take(values) {
                if let Some(place) = dense.get_mut(owner as usize) {
                    *place = value;
                }
            }
            *column = Column::Dense(dense);
        }
    }

    /// The number of owners.
    pub(super) fn owners(&self) -> u32 {
        self.owners
    }

    /// Returns one property of an owner.
    pub(super) fn get(&self, owner: u32, key: KeyId) -> Option<&Value> {
        self.columns.get(key.0 as usize)?.get(owner)
    }

    /// All properties of an owner.
    pub(super) fn of(&self, owner: u32) -> impl Iterator<Item = (KeyId, &Value)> {
        let columns = self.columns.iter().enumerate();
        columns.filter_map(move |(key, column)| Some((KeyId(key as u32), column.get(owner)?)))
    }

    /// Their approximate size in bytes.
    pub(super) fn bytes(&self) -> usize {
        let weight = |value: &Value| value.shape().weight as usize;
        self.columns
            .iter()
            .map(|column| match column {
                Column::Dense(values) => values.iter().map(weight).sum::<usize>(),
                Column::Sparse(values) => values.iter().map(|(_, value)| 8 + weight(value)).sum(),
            })
            .sum()
    }
}

impl Column {
    fn get(&self, owner: u32) -> Option<&Value> {
        match self {
            Self::Dense(values) => values.get(owner as usize).filter(|value| !value.is_null()),
            Self::Sparse(values) => {
                let at = values.binary_search_by_key(&owner, |(known, _)| *known).ok()?;
                values.get(at).map(|(_, value)| value)
            }
        }
    }
}
