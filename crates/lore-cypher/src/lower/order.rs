//! The order in which a pattern is matched, starting from its most selective end.
//!
//! The order is chosen greedily: from bound nodes, the relationship that multiplies rows least; if
//! there is none, the cheapest node to find. Conditions are checked as early as possible.

use super::pattern::{Length, NodeSpec, Pattern, RelationshipSpec};
use crate::graph::Graph;
use crate::plan::{
    Binding, Comparison, Direction, Expand, Expr, Found, LabelTest, Manner, Orientation, Shortest,
    Slot, Source, Step, Types, Walk, Way,
};
use crate::value::Value;

/// Returns the steps that match a pattern, given which slots are read.
pub(super) fn steps(pattern: Pattern, graph: &Graph, read: &dyn Fn(Slot) -> bool) -> Vec<Step> {
    let mut unbound: Vec<Slot> = Vec::new();
    for (slot, binding) in slots(&pattern) {
        if binding == Binding::New && !unbound.contains(&slot) {
            unbound.push(slot);
        }
    }
    let conditions = pattern.conditions.into_iter().flat_map(conjuncts).collect();
    let (nodes, walked, steps) = (pattern.nodes, Vec::new(), Vec::new());
    let mut order = Order { graph, unbound, nodes, conditions, walked, steps };
    order.check_bound_nodes();
    let (shortest, mut relationships): (Vec<_>, Vec<_>) =
        pattern.relationships.into_iter().partition(RelationshipSpec::is_shortest);
    loop {
        order.filter();
        match order.next_relationship(&relationships) {
            Some(number) => order.follow(relationships.swap_remove(number)),
            None if !order.scan(read) => break,
            None => {}
        }
    }
    // A shortest path avoids the relationships matched elsewhere, so it comes after all of them: the
    // one of several that is found first must not decide what else can match.
    for relationship in shortest {
        order.follow(relationship);
        order.filter();
    }
    for (slot, parts) in pattern.paths {
        order.steps.push(Step::Path { slot, parts });
        order.unbound.retain(|unbound| *unbound != slot);
        order.filter();
    }
    order.steps
}

struct Order<'g> {
    graph: &'g Graph,
    unbound: Vec<Slot>,
    nodes: Vec<NodeSpec>,
    conditions: Vec<Expr>,
    /// The relationships that have been followed.
    walked: Vec<(Slot, Types)>,
    steps: Vec<Step>,
}

impl Order<'_> {
    /// Nodes from earlier clauses may be null or lack the labels required here.
    fn check_bound_nodes(&mut self) {
        for node in &self.nodes {
            if node.binding == Binding::Bound {
                let labels = node.labels.clone();
                self.steps.push(Step::Check { slot: node.slot, labels });
            }
        }
    }

    /// Adds the conditions whose slots are all bound by now.
    fn filter(&mut self) {
        let unbound = &self.unbound;
        let open = |condition: &Expr| condition.slots().iter().any(|slot| unbound.contains(slot));
        let (later, now) = std::mem::take(&mut self.conditions).into_iter().partition(open);
        self.conditions = later;
        let now: Vec<Expr> = now;
        self.steps.extend(now.into_iter().map(Step::Filter));
    }

    fn is_bound(&self, slot: Slot) -> bool {
        !self.unbound.contains(&slot)
    }

    /// The cheapest relationship to follow now, if any can be followed.
    fn next_relationship(&self, relationships: &[RelationshipSpec]) -> Option<usize> {
        let costs = relationships.iter().enumerate().filter_map(|(number, relationship)| {
            Some((self.cost_of_following(relationship)?, number))
        });
        costs.min_by(|left, right| left.0.total_cmp(&right.0)).map(|(_, number)| number)
    }

    /// The estimated number of rows per row, or `None` if it cannot be followed yet.
    fn cost_of_following(&self, relationship: &RelationshipSpec) -> Option<f64> {
        let ends = [relationship.from, relationship.to].map(|slot| self.is_bound(slot));
        if relationship.binding == Binding::Bound && relationship.length == Length::One {
            return Some(0.0);
        }
        let far = match ends {
            [true, true] => return Some(self.cost_of_closing(relationship)),
            [true, false] => relationship.to,
            [false, true] => relationship.from,
            [false, false] => return None,
        };
        let nodes = self.graph.node_count().max(1) as f64;
        let degree = self.relationships_of(&relationship.types) as f64 / nodes;
        let selectivity = self.source(far).1 / nodes;
        let fan_out = match relationship.length {
            Length::Between(_, max) => (1.0 + degree).powi(max.min(8) as i32) + 10.0,
            _ => degree,
        };
        Some(1.0 + fan_out * selectivity.max(0.001))
    }

    /// Two bound nodes multiply nothing, unless many paths join them.
    fn cost_of_closing(&self, relationship: &RelationshipSpec) -> f64 {
        if relationship.length == Length::One { 0.5 } else { 2.0 }
    }

    fn relationships_of(&self, types: &Types) -> usize {
        match types {
            Types::Any => self.graph.relationship_count(),
            Types::OneOf(types) => types.iter().map(|kind| self.graph.with_type(*kind)).sum(),
        }
    }

    fn follow(&mut self, relationship: RelationshipSpec) {
        let unlike = overlapping(&self.walked, &relationship.types);
        self.walked.push((relationship.slot, relationship.types.clone()));
        let reversed = !self.is_bound(relationship.from)
            && (self.is_bound(relationship.to) || self.better_start(&relationship));
        let (from, to) = match reversed {
            true => (relationship.to, relationship.from),
            false => (relationship.from, relationship.to),
        };
        let direction =
            if reversed { relationship.direction.turned() } else { relationship.direction };
        let target = if self.is_bound(to) { Binding::Bound } else { Binding::New };
        let origin = if self.is_bound(from) { Binding::Bound } else { Binding::New };
        let labels = match relationship.length {
            Length::One | Length::Between(1.., _) => {
                self.not_implied(self.labels_when(target, to), direction, &relationship.types)
            }
            _ => self.labels_when(target, to),
        };
        let hop = Expand {
            from,
            to,
            relationship: relationship.slot,
            direction,
            types: relationship.types,
            origin,
            target,
            origin_labels: self.labels_when(origin, from),
            labels,
            binding: relationship.binding,
            unlike,
            found: Found::Each,
        };
        let orientation = if reversed { Orientation::Reversed } else { Orientation::AsWritten };
        let properties = relationship.properties;
        self.steps.push(match relationship.length {
            Length::One => Step::Expand(hop),
            Length::Between(min, max) => {
                let manner = Manner::EveryWay;
                let way = Way::Kept;
                Step::Walk(Box::new(Walk { hop, min, max, properties, manner, way, orientation }))
            }
            Length::Shortest(min, max, wanted) => {
                Step::Shortest(Box::new(Shortest { hop, min, max, properties, wanted }))
            }
        });
        let bound = [from, to, relationship.slot];
        self.unbound.retain(|slot| !bound.contains(slot));
    }

    /// Whether the written end is the cheaper start. A bound relationship has no better start.
    fn better_start(&self, relationship: &RelationshipSpec) -> bool {
        relationship.binding == Binding::New
            && self.source(relationship.to).1 < self.source(relationship.from).1
    }

    fn labels_when(&self, target: Binding, slot: Slot) -> LabelTest {
        match target {
            Binding::New => self.labels_of(slot).clone(),
            // Checked when it was bound.
            Binding::Bound => LabelTest::Any,
        }
    }

    /// Drops the test of a label that all nodes at this end of the relationships have.
    fn not_implied(&self, labels: LabelTest, direction: Direction, types: &Types) -> LabelTest {
        let (LabelTest::Is(Some(label)), Types::OneOf(types)) = (&labels, types) else {
            return labels;
        };
        let implied = types.iter().all(|kind| {
            let ends = self.graph.ends_of(*kind);
            match direction {
                Direction::Out => ends.end == Some(*label),
                Direction::In => ends.start == Some(*label),
                Direction::Both => false,
            }
        });
        if implied { LabelTest::Any } else { labels }
    }

    fn labels_of(&self, slot: Slot) -> &LabelTest {
        let node = self.nodes.iter().find(|node| node.slot == slot);
        node.map_or(&LabelTest::Any, |node| &node.labels)
    }

    /// Adds a scan for the cheapest unbound node; false if all are bound.
    ///
    /// Of nodes with the same cost, one that is read is preferred. Nodes that are not read should
    /// come last, where they only have to be counted.
    fn scan(&mut self, read: &dyn Fn(Slot) -> bool) -> bool {
        let open = self.nodes.iter().filter(|node| self.unbound.contains(&node.slot));
        let costs = open.map(|node| (node.slot, self.source(node.slot)));
        let cheapest = costs.min_by(|left, right| {
            left.1.1.total_cmp(&right.1.1).then_with(|| read(right.0).cmp(&read(left.0)))
        });
        let Some((slot, (source, _))) = cheapest else { return false };
        let labels = match (&source, self.labels_of(slot)) {
            (Source::Label(label), LabelTest::Is(Some(only))) if label == only => LabelTest::Any,
            (_, labels) => labels.clone(),
        };
        self.steps.push(Step::Scan { slot, source, labels });
        self.unbound.retain(|unbound| *unbound != slot);
        true
    }

    /// The cheapest way to find a node, with the estimated number of nodes that it yields.
    fn source(&self, slot: Slot) -> (Source, f64) {
        let indexed = self.conditions.iter().filter_map(|condition| self.seek(slot, condition));
        let labelled = required(self.labels_of(slot)).into_iter().map(|label| match label {
            Some(label) => (Source::Label(label), self.graph.with_label(label).len() as f64),
            None => (Source::Nothing, 0.0),
        });
        let all = (Source::All, self.graph.node_count() as f64);
        indexed
            .chain(labelled)
            .min_by(|left, right| left.1.total_cmp(&right.1))
            .filter(|(_, cost)| *cost <= all.1)
            .unwrap_or(all)
    }

    /// Converts a condition to an index lookup, with the estimated number of nodes.
    fn seek(&self, slot: Slot, condition: &Expr) -> Option<(Source, f64)> {
        match condition {
            Expr::Compare { first, rest } => {
                let [(Comparison::Equal, second)] = rest.as_slice() else { return None };
                let (key, value) = self
                    .indexed_property(slot, first)
                    .map(|key| (key, second))
                    .or_else(|| Some((self.indexed_property(slot, second)?, &**first)))?;
                self.can_evaluate(value).then(|| {
                    let count = match value {
                        Expr::Const(Value::String(text)) => self.count(key, text),
                        _ => 8.0,
                    };
                    (Source::Index { key, value: value.clone() }, count)
                })
            }
            Expr::In(pair, _) => {
                let key = self.indexed_property(slot, &pair.0)?;
                let count = match &pair.1 {
                    Expr::Const(Value::List(list)) => 8.0 * list.items().len() as f64,
                    _ => 64.0,
                };
                let list = pair.1.clone();
                self.can_evaluate(&list).then_some((Source::IndexIn { key, list }, count))
            }
            _ => None,
        }
    }

    fn count(&self, key: crate::graph::KeyId, text: &str) -> f64 {
        let index = self.graph.index(key);
        index.map_or(0, |index| self.graph.indexed(index, text).len()) as f64
    }

    fn indexed_property(&self, slot: Slot, expr: &Expr) -> Option<crate::graph::KeyId> {
        match expr {
            Expr::Property { base, key: Some(key), .. } if **base == Expr::Slot(slot) => {
                self.graph.index(*key).map(|_| *key)
            }
            _ => None,
        }
    }

    /// Whether a value can be evaluated: all slots it reads are already bound.
    fn can_evaluate(&self, value: &Expr) -> bool {
        value.slots().iter().all(|slot| self.is_bound(*slot))
    }
}

fn slots(pattern: &Pattern) -> impl Iterator<Item = (Slot, Binding)> {
    let nodes = pattern.nodes.iter().map(|node| (node.slot, node.binding));
    let relationships = pattern.relationships.iter().map(|found| (found.slot, found.binding));
    let paths = pattern.paths.iter().map(|(slot, _)| (*slot, Binding::New));
    nodes.chain(relationships).chain(paths)
}

/// Splits a condition into parts that must all hold.
fn conjuncts(condition: Expr) -> Vec<Expr> {
    match condition {
        Expr::And(parts) => parts.into_iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}

/// The labels that a node must have; `None` for one that does not occur.
fn required(test: &LabelTest) -> Vec<Option<crate::graph::LabelId>> {
    match test {
        LabelTest::Is(label) => vec![*label],
        LabelTest::All(parts) => parts.iter().flat_map(required).collect(),
        LabelTest::Any | LabelTest::OneOf(_) | LabelTest::Not(_) => Vec::new(),
    }
}

/// The relationships followed before that could be the same as one with these types.
fn overlapping(walked: &[(Slot, Types)], types: &Types) -> Vec<Slot> {
    let may_meet = |other: &Types| match (types, other) {
        (Types::OneOf(left), Types::OneOf(right)) => left.iter().any(|kind| right.contains(kind)),
        _ => true,
    };
    walked.iter().filter(|(_, other)| may_meet(other)).map(|(slot, _)| *slot).collect()
}
