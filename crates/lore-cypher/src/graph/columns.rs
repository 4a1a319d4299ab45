//! Properties, one column a key: reading one property touches one place.

use super::KeyId;
use crate::value::Value;

/// Properties of all nodes or of all relationships.
#[derive(Debug, Default)]
pub(super) struct Columns {
    columns: Vec<Column>,
    owners: u32,
}

#[derive(Debug)]
enum Column {
    /// A place for every owner; null where there is nothing.
    Dense(Vec<Value>),
    /// Only the owners that have something, in order.
    Sparse(Vec<(u32, Value)>),
}

impl Columns {
    /// The next owner, with its properties.
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

    /// Lays out columns that most owners have a value in.
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

    /// How many owners there are.
    pub(super) fn owners(&self) -> u32 {
        self.owners
    }

    /// One property.
    pub(super) fn get(&self, owner: u32, key: KeyId) -> Option<&Value> {
        self.columns.get(key.0 as usize)?.get(owner)
    }

    /// All properties of an owner.
    pub(super) fn of(&self, owner: u32) -> impl Iterator<Item = (KeyId, &Value)> {
        let columns = self.columns.iter().enumerate();
        columns.filter_map(move |(key, column)| Some((KeyId(key as u32), column.get(owner)?)))
    }

    /// About how many bytes they take.
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
