//! Matches patterns.

use std::sync::Arc;

use super::table::Table;
use super::{Exec, Flow, Next, ON};
use crate::advice;
use crate::error::Result;
use crate::graph::{Graph, KeyId, LabelId, Neighbour};
use crate::plan::{
    Binding, Direction, Expand, Found, LabelTest, Match, PathPart, Slot, Source, Step, Types,
};
use crate::value::{NodeId, Path, RelId, Value};

impl<'q> Exec<'q> {
    /// Matches a clause. If it is optional and nothing matches, its slots become null.
    pub(super) fn match_clause(&mut self, found: &'q Match, next: Next<'_, 'q>) -> Result<Flow> {
        let Some(introduced) = &found.optional else { return self.steps(&found.steps, next) };
        let mut matched = false;
        let flow = self.steps(&found.steps, &mut |exec| {
            matched = true;
            next(exec)
        })?;
        if matched {
            return Ok(flow);
        }
        for slot in introduced {
            self.set(*slot, Value::Null);
        }
        next(self)
    }

    /// Executes the remaining steps of a pattern.
    pub(super) fn steps(&mut self, steps: &'q [Step], next: Next<'_, 'q>) -> Result<Flow> {
        let Some((step, rest)) = steps.split_first() else { return next(self) };
        match step {
            Step::Filter(condition) => match self.truth(condition)? {
                Some(true) => self.steps(rest, next),
                _ => ON,
            },
            Step::Check { slot, labels } => match self.node(*slot) {
                Some(node) if has(self.graph, node, labels) => self.steps(rest, next),
                _ => ON,
            },
            Step::Scan { slot, source, labels } => {
                self.scan(*slot, source, labels, &mut |exec| exec.steps(rest, next))
            }
            Step::Expand(hop) => self.expand(hop, &mut |exec| exec.steps(rest, next)),
            Step::Walk(walk) => self.walk(walk, &mut |exec| exec.steps(rest, next)),
            Step::Shortest(walk) => self.shortest(walk, &mut |exec| exec.steps(rest, next)),
            Step::Path { slot, parts } => {
                if let Some(path) = self.path(parts) {
                    self.meter.work(path.nodes.len() as u64)?;
                    self.set(*slot, Value::Path(Arc::new(path)));
                    return self.steps(rest, next);
                }
                ON
            }
        }
    }

    /// Returns the node in a slot.
    pub(super) fn node(&self, slot: Slot) -> Option<NodeId> {
        match self.get(slot) {
            Value::Node(node) => Some(*node),
            _ => None,
        }
    }

    /// Whether one of these slots of the clause holds the relationship.
    pub(super) fn taken(&self, unlike: &[Slot], relationship: RelId) -> bool {
        unlike.iter().any(|slot| match self.get(*slot) {
            Value::Relationship(other) => *other == relationship,
            Value::List(others) => others.items().contains(&Value::Relationship(relationship)),
            _ => false,
        })
    }

    /// The cost of [`Self::taken`] for these slots, in steps of the meter.
    pub(super) fn burden(&self, unlike: &[Slot]) -> u64 {
        let items = unlike.iter().map(|slot| match self.get(*slot) {
            Value::List(others) => others.items().len(),
            _ => 0,
        });
        items.sum::<usize>() as u64 / 8
    }

    /// Whether a node can be the far end of a step; a new one is bound.
    pub(super) fn arrive(&mut self, hop: &Expand, node: NodeId) -> bool {
        match hop.target {
            Binding::Bound => self.node(hop.to) == Some(node),
            Binding::New if has(self.graph, node, &hop.labels) => {
                self.set(hop.to, Value::Node(node));
                true
            }
            Binding::New => false,
        }
    }

    fn scan(
        &mut self,
        slot: Slot,
        source: &'q Source,
        labels: &'q LabelTest,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        match source {
            Source::All => self.try_nodes(self.graph.nodes(), slot, labels, next),
            Source::Label(label) => {
                let nodes = self.graph.with_label(*label).iter().copied();
                self.try_nodes(nodes, slot, labels, next)
            }
            Source::Index { key, value } => {
                let value = self.eval(value)?;
                self.seek(*key, &value, slot, labels, next)
            }
            Source::IndexIn { key, list } => {
                let list = match self.eval(list)? {
                    Value::List(list) => list,
                    Value::Null => return ON,
                    other => {
                        let message = format!("IN needs a list, not {}", other.kind());
                        return self.failed_in(list, message, advice::OF_IN);
                    }
                };
                self.seek_any(*key, list.items(), slot, labels, next)
            }
            Source::Nothing => ON,
        }
    }

    /// Scans the nodes with one of several indexed values, each node once.
    fn seek_any(
        &mut self,
        key: KeyId,
        values: &[Value],
        slot: Slot,
        labels: &'q LabelTest,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        let in_index = |value: &Value| matches!(value, Value::String(_) | Value::Null);
        if !values.iter().all(in_index) {
            // One scan finds the nodes with any of the values. Combined with a look into the index
            // it would find some nodes twice.
            return self.try_nodes(self.graph.nodes(), slot, labels, next);
        }
        let mut tried = Table::new(1);
        for value in values {
            self.meter.step()?;
            if !tried.insert(std::slice::from_ref(value), &mut self.meter)? {
                continue;
            }
            if self.seek(key, value, slot, labels, next)?.is_break() {
                return Ok(Flow::Break(()));
            }
        }
        ON
    }

    /// Scans the nodes with an indexed value. The index only contains strings; for other values all
    /// nodes are scanned, and a later filter selects those that match.
    fn seek(
        &mut self,
        key: KeyId,
        value: &Value,
        slot: Slot,
        labels: &'q LabelTest,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        match (value, self.graph.index(key)) {
            (Value::String(text), Some(index)) => {
                let nodes = self.graph.indexed(index, text).iter().copied();
                self.try_nodes(nodes, slot, labels, next)
            }
            (Value::Null, _) => ON,
            _ => self.try_nodes(self.graph.nodes(), slot, labels, next),
        }
    }

    fn try_nodes(
        &mut self,
        nodes: impl Iterator<Item = NodeId>,
        slot: Slot,
        labels: &'q LabelTest,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        for node in nodes {
            self.meter.step()?;
            if has(self.graph, node, labels) {
                self.set(slot, Value::Node(node));
                if next(self)?.is_break() {
                    return Ok(Flow::Break(()));
                }
            }
        }
        ON
    }

    fn expand(&mut self, hop: &'q Expand, next: Next<'_, 'q>) -> Result<Flow> {
        if hop.binding == Binding::Bound {
            return self.along(hop, next);
        }
        let Some(from) = self.node(hop.from) else { return ON };
        let graph = self.graph;
        if hop.found == Found::Number {
            let number = self.how_many(hop, from)?;
            return self.times(number, next);
        }
        if hop.target == Binding::Bound {
            let Some(to) = self.node(hop.to) else { return ON };
            // From the end with fewer relationships.
            let there = |direction| neighbours(graph, from, direction, &hop.types);
            let back = |direction| neighbours(graph, to, direction, &hop.types);
            let turned = hop.direction.turned();
            if back(turned).size() < there(hop.direction).size() {
                return self.try_neighbours(back(turned).to(from), hop, next);
            }
            return self.try_neighbours(there(hop.direction).to(to), hop, next);
        }
        self.try_neighbours(neighbours(graph, from, hop.direction, &hop.types), hop, next)
    }

    /// The number of matches of a step.
    fn how_many(&mut self, hop: &'q Expand, from: NodeId) -> Result<u64> {
        let around = neighbours(self.graph, from, hop.direction, &hop.types);
        let plain = hop.unlike.is_empty() && hop.labels == LabelTest::Any;
        if let (true, Some(number)) = (plain, around.exactly()) {
            self.meter.step()?;
            return Ok(number as u64);
        }
        let (mut number, burden) = (0, self.burden(&hop.unlike));
        for neighbour in around {
            self.meter.step()?;
            self.meter.work(burden)?;
            let fits = has(self.graph, neighbour.node, &hop.labels)
                && !self.taken(&hop.unlike, neighbour.relationship);
            number += u64::from(fits);
        }
        Ok(number)
    }

    fn try_neighbours(
        &mut self,
        neighbours: impl Iterator<Item = &'q Neighbour>,
        hop: &'q Expand,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        let burden = self.burden(&hop.unlike);
        for neighbour in neighbours {
            self.meter.step()?;
            self.meter.work(burden)?;
            if !hop.unlike.is_empty() && self.taken(&hop.unlike, neighbour.relationship) {
                continue;
            }
            if hop.target == Binding::New && !self.arrive(hop, neighbour.node) {
                continue;
            }
            self.set(hop.relationship, Value::Relationship(neighbour.relationship));
            if next(self)?.is_break() {
                return Ok(Flow::Break(()));
            }
        }
        ON
    }

    /// Follows a relationship that is already bound.
    fn along(&mut self, hop: &'q Expand, next: Next<'_, 'q>) -> Result<Flow> {
        let Value::Relationship(id) = *self.get(hop.relationship) else { return ON };
        let Some(relationship) = self.graph.relationship(id) else { return ON };
        if !allows(&hop.types, relationship.kind) || self.taken(&hop.unlike, id) {
            return ON;
        }
        let (start, end) = (relationship.start, relationship.end);
        let ways: &[(NodeId, NodeId)] = match hop.direction {
            Direction::Out => &[(start, end)],
            Direction::In => &[(end, start)],
            Direction::Both if start == end => &[(start, end)],
            Direction::Both => &[(start, end), (end, start)],
        };
        for (from, to) in ways {
            let leaves = match hop.origin {
                Binding::Bound => self.node(hop.from) == Some(*from),
                Binding::New => has(self.graph, *from, &hop.origin_labels),
            };
            if !leaves {
                continue;
            }
            self.set(hop.from, Value::Node(*from));
            if self.arrive(hop, *to) && next(self)?.is_break() {
                return Ok(Flow::Break(()));
            }
        }
        ON
    }

    fn path(&self, parts: &[PathPart]) -> Option<Path> {
        let mut path = Path { nodes: Vec::new(), relationships: Vec::new() };
        for part in parts {
            match part {
                PathPart::Node(slot) if path.nodes.len() > path.relationships.len() => {
                    // The relationships before have already added this node.
                    self.node(*slot)?;
                }
                PathPart::Node(slot) => path.nodes.push(self.node(*slot)?),
                PathPart::Relationships(slot) => match self.get(*slot) {
                    Value::Relationship(relationship) => path.relationships.push(*relationship),
                    Value::List(walked) => {
                        for relationship in walked.items() {
                            let Value::Relationship(id) = relationship else { return None };
                            let at = *path.nodes.last()?;
                            path.relationships.push(*id);
                            path.nodes.push(self.other_end(*id, at)?);
                        }
                    }
                    _ => return None,
                },
            }
        }
        Some(path)
    }

    pub(super) fn other_end(&self, relationship: RelId, node: NodeId) -> Option<NodeId> {
        let relationship = self.graph.relationship(relationship)?;
        Some(if relationship.start == node { relationship.end } else { relationship.start })
    }
}

/// Whether a node passes a label test.
pub(super) fn has(graph: &Graph, node: NodeId, test: &LabelTest) -> bool {
    test.holds(&|label| graph.has_label(node, label))
}

impl LabelTest {
    /// Whether the test holds for these labels.
    pub(super) fn holds(&self, has: &dyn Fn(LabelId) -> bool) -> bool {
        match self {
            Self::Any => true,
            Self::Is(label) => label.is_some_and(has),
            Self::All(tests) => tests.iter().all(|test| test.holds(has)),
            Self::OneOf(tests) => tests.iter().any(|test| test.holds(has)),
            Self::Not(test) => !test.holds(has),
        }
    }
}

/// Whether a relationship type is allowed.
pub(super) fn allows(types: &Types, kind: crate::graph::TypeId) -> bool {
    match types {
        Types::Any => true,
        Types::OneOf(types) => types.contains(&kind),
    }
}

/// The relationships of a node with these types, in one or both directions.
pub(super) fn neighbours<'q>(
    graph: &'q Graph,
    node: NodeId,
    direction: Direction,
    types: &'q Types,
) -> Neighbours<'q> {
    let outgoing = || narrow(graph.outgoing(node), types);
    let incoming = || narrow(graph.incoming(node), types);
    let (first, second): (&[Neighbour], &[Neighbour]) = match direction {
        Direction::Out => (outgoing(), &[]),
        Direction::In => (incoming(), &[]),
        Direction::Both => (outgoing(), incoming()),
    };
    Neighbours { first: first.iter(), second: second.iter(), types, node }
}

/// An iterator over relationships.
#[derive(Clone)]
pub(super) struct Neighbours<'q> {
    first: std::slice::Iter<'q, Neighbour>,
    second: std::slice::Iter<'q, Neighbour>,
    types: &'q Types,
    node: NodeId,
}

impl<'q> Neighbours<'q> {
    /// An upper bound of their number.
    fn size(&self) -> usize {
        self.first.len() + self.second.len()
    }

    /// Their number, if it is known without iterating.
    pub(super) fn exactly(&self) -> Option<usize> {
        let sure = match self.types {
            Types::Any => true,
            Types::OneOf(types) => types.len() <= 1,
        };
        (sure && self.second.len() == 0).then(|| self.first.len())
    }

    /// Keeps only relationships to a node.
    fn to(self, node: NodeId) -> impl Iterator<Item = &'q Neighbour> {
        self.filter(move |neighbour| neighbour.node == node)
    }
}

impl<'q> Iterator for Neighbours<'q> {
    type Item = &'q Neighbour;

    fn next(&mut self) -> Option<Self::Item> {
        let types = self.types;
        if let Some(found) = self.first.by_ref().find(|found| allows(types, found.kind)) {
            return Some(found);
        }
        // A loop was already among the outgoing relationships.
        let node = self.node;
        self.second.by_ref().find(|found| found.node != node && allows(types, found.kind))
    }
}

/// The run of relationships between the smallest and the largest of the types, which are sorted.
fn narrow<'q>(all: &'q [Neighbour], types: &Types) -> &'q [Neighbour] {
    let Types::OneOf(types) = types else { return all };
    let (Some(least), Some(most)) = (types.first(), types.last()) else { return &[] };
    let start = all.partition_point(|neighbour| neighbour.kind < *least);
    let rest = all.get(start..).unwrap_or_default();
    let end = rest.partition_point(|neighbour| neighbour.kind <= *most);
    rest.get(..end).unwrap_or_default()
}
