//! Hash tables of rows and values, for grouping and removing duplicates.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::meter::Meter;
use crate::compare;
use crate::error::Result;
use crate::value::{NodeId, Value};

const NONE: u32 = u32::MAX;

/// A set of rows of the same width, numbered in the order of insertion.
#[derive(Debug)]
pub(super) struct Table {
    width: usize,
    values: Vec<Value>,
    first: FxHashMap<u64, u32>,
    /// The number of the next row with the same hash, for each row.
    following: Vec<u32>,
}

/// A set of values.
#[derive(Debug)]
pub(super) struct Seen {
    /// Nodes are stored as numbers, which are cheaper to hash and compare than values.
    nodes: FxHashSet<NodeId>,
    others: Table,
}

impl Seen {
    pub(super) fn new() -> Self {
        Self { nodes: FxHashSet::default(), others: Table::new(1) }
    }

    /// Adds a value; false if it is already in the set.
    pub(super) fn insert(&mut self, value: &Value, meter: &mut Meter<'_>) -> Result<bool> {
        let Value::Node(node) = value else {
            return self.others.insert(std::slice::from_ref(value), meter);
        };
        let new = self.nodes.insert(*node);
        if new {
            meter.hold_bytes(8)?;
        }
        Ok(new)
    }
}

impl Table {
    pub(super) fn new(width: usize) -> Self {
        Self { width, values: Vec::new(), first: FxHashMap::default(), following: Vec::new() }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.following.len()
    }

    /// Adds a row; false if it is already in the table.
    pub(super) fn insert(&mut self, row: &[Value], meter: &mut Meter<'_>) -> Result<bool> {
        let before = self.len();
        self.find_or_insert(row, meter)?;
        Ok(self.len() > before)
    }

    /// Returns the number of a row, adding it if it is new.
    pub(super) fn find_or_insert(&mut self, row: &[Value], meter: &mut Meter<'_>) -> Result<usize> {
        let mut hasher = FxHasher::default();
        for value in row {
            meter.pass(value)?;
            compare::hash(value, &mut hasher);
        }
        let hash = hasher.finish();
        let head = self.first.get(&hash).copied().unwrap_or(NONE);
        let mut at = head;
        while at != NONE {
            // Hash collisions are rare unless provoked, so each comparison is metered.
            row.iter().try_for_each(|value| meter.pass(value))?;
            meter.work(1)?;
            if self.is(at, row) {
                return Ok(at as usize);
            }
            at = self.following.get(at as usize).copied().unwrap_or(NONE);
        }
        meter.hold(row)?;
        let number = self.following.len();
        self.values.extend_from_slice(row);
        self.following.push(head);
        self.first.insert(hash, number as u32);
        Ok(number)
    }

    /// Returns a row.
    pub(super) fn row(&self, number: usize) -> &[Value] {
        self.values.get(number * self.width..(number + 1) * self.width).unwrap_or_default()
    }

    fn is(&self, number: u32, row: &[Value]) -> bool {
        let known = self.row(number as usize);
        known.iter().zip(row).all(|(left, right)| compare::equivalent(left, right))
    }
}
