//! Matches variable-length patterns.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::marks::Marks;
use super::matching::{Neighbours, allows, neighbours};
use super::{Exec, Flow, Next, ON};
use crate::compare;
use crate::error::Result;
use crate::plan::{
    Binding, Direction, Expand, Expr, Found, LabelTest, Manner, Orientation, Walk, Way,
};
use crate::value::{NodeId, RelId, Value};

/// The properties that every relationship of a walk must have.
pub(super) type Wanted<'q> = Vec<(&'q Arc<str>, Value)>;

impl<'q> Exec<'q> {
    pub(super) fn walk(&mut self, walk: &'q Walk, next: Next<'_, 'q>) -> Result<Flow> {
        let Some(from) = self.node(walk.hop.from) else { return ON };
        let wanted = self.wanted(&walk.properties)?;
        match (walk.hop.binding, walk.manner) {
            (Binding::Bound, _) => self.retrace(walk, from, next),
            (Binding::New, Manner::EveryWay) if walk.hop.found == Found::Number => {
                let mut number = 0_u64;
                let every = &mut |exec: &mut Self| {
                    number = number.saturating_add(exec.weight);
                    ON
                };
                let _ = self.weighing(1, &mut |exec| exec.every_way(walk, from, &wanted, every))?;
                self.times(number, next)
            }
            (Binding::New, Manner::EveryWay) => self.every_way(walk, from, &wanted, next),
            (Binding::New, Manner::EveryNode) => self.every_node(walk, from, &wanted, next),
        }
    }

    /// Evaluates the required properties of a walk once.
    pub(super) fn wanted(&mut self, properties: &'q [(Arc<str>, Expr)]) -> Result<Wanted<'q>> {
        properties.iter().map(|(name, value)| Ok((name, self.eval(value)?))).collect()
    }

    /// Whether a relationship has the required properties.
    pub(super) fn satisfies(&self, relationship: RelId, wanted: &Wanted<'_>) -> bool {
        wanted.iter().all(|(name, value)| {
            let key = self.graph.key_id(name);
            let known = key.and_then(|key| self.graph.relationship_property(relationship, key));
            known.is_some_and(|known| compare::equals(&known, value) == Some(true))
        })
    }

    /// Enumerates every path depth first, on an explicit stack, so that long paths need no
    /// recursion.
    fn every_way(
        &mut self,
        walk: &'q Walk,
        from: NodeId,
        wanted: &Wanted<'q>,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        let hop = &walk.hop;
        let mut way: Vec<RelId> = Vec::new();
        // For short paths, a linear search is faster than hashing.
        let mut on_way: FxHashSet<RelId> = FxHashSet::default();
        let short = walk.max <= 16;
        let burden = self.burden(&hop.unlike);
        if walk.min == 0 && self.arrived(walk, &way, from, next)?.is_break() {
            return Ok(Flow::Break(()));
        }
        let look = |node| neighbours(self.graph, node, hop.direction, &hop.types);
        let mut open: Vec<Neighbours<'q>> =
            if walk.max > 0 { vec![look(from)] } else { Vec::new() };
        while let Some(around) = open.last_mut() {
            let Some(neighbour) = around.next() else {
                open.pop();
                step_back(&mut way, &mut on_way);
                continue;
            };
            self.meter.step()?;
            self.meter.work(burden)?;
            let relationship = neighbour.relationship;
            if (short && way.contains(&relationship))
                || on_way.contains(&relationship)
                || self.taken(&hop.unlike, relationship)
                || !self.satisfies(relationship, wanted)
            {
                continue;
            }
            way.push(relationship);
            if !short {
                on_way.insert(relationship);
            }
            self.meter.room_for(way.len() as u64 * 80)?;
            if way.len() >= walk.min as usize
                && self.arrived(walk, &way, neighbour.node, next)?.is_break()
            {
                return Ok(Flow::Break(()));
            }
            let more = way.len() < walk.max as usize;
            if let (true, Some(number)) = (more, self.last_hops(walk, neighbour.node, &way)) {
                let _ = self.times(number, next)?;
                step_back(&mut way, &mut on_way);
            } else if more {
                open.push(neighbours(self.graph, neighbour.node, hop.direction, &hop.types));
            } else {
                step_back(&mut way, &mut on_way);
            }
        }
        ON
    }

    /// The number of paths that continue by one last relationship, if it is known without following
    /// them.
    fn last_hops(&self, walk: &'q Walk, node: NodeId, way: &[RelId]) -> Option<u64> {
        let hop = &walk.hop;
        let last = way.len() + 1 == walk.max as usize && walk.min <= walk.max;
        let plain =
            hop.unlike.is_empty() && hop.labels == LabelTest::Any && walk.properties.is_empty();
        if hop.found == Found::Each || !last || !plain {
            return None;
        }
        let all = neighbours(self.graph, node, hop.direction, &hop.types).exactly()?;
        let gone = way.iter().filter(|gone| self.leads(hop, **gone, node).is_some()).count();
        Some(all.saturating_sub(gone) as u64)
    }

    fn arrived(
        &mut self,
        walk: &'q Walk,
        way: &[RelId],
        node: NodeId,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        if !self.arrive(&walk.hop, node) {
            return ON;
        }
        if walk.way == Way::Forgotten {
            return next(self);
        }
        self.meter.work(way.len() as u64)?;
        let mut way: Vec<_> = way.iter().map(|found| Value::Relationship(*found)).collect();
        if walk.orientation == Orientation::Reversed {
            way.reverse();
        }
        self.set(walk.hop.relationship, Value::list(way));
        next(self)
    }

    /// Finds every reachable node once, breadth first.
    fn every_node(
        &mut self,
        walk: &'q Walk,
        from: NodeId,
        wanted: &Wanted<'q>,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        let mut reached = self.clean_marks()?;
        let flow = self.spread(walk, from, wanted, &mut reached, next);
        self.marks.push(reached);
        flow
    }

    fn clean_marks(&mut self) -> Result<Marks> {
        if let Some(mut marks) = self.marks.pop() {
            marks.wipe();
            return Ok(marks);
        }
        let nodes = self.graph.node_count();
        self.meter.hold_bytes(4 * nodes as u64)?;
        Ok(Marks::new(nodes))
    }

    fn spread(
        &mut self,
        walk: &'q Walk,
        from: NodeId,
        wanted: &Wanted<'q>,
        reached: &mut Marks,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        let hop = &walk.hop;
        if walk.min == 0 {
            reached.insert(from);
            if self.arrive(hop, from) && next(self)?.is_break() {
                return Ok(Flow::Break(()));
            }
        }
        let (mut edge, mut depth) = (vec![from], 0);
        while !edge.is_empty() && depth < walk.max {
            depth += 1;
            let mut beyond = Vec::new();
            for node in edge {
                for neighbour in neighbours(self.graph, node, hop.direction, &hop.types) {
                    self.meter.step()?;
                    if !self.satisfies(neighbour.relationship, wanted)
                        || !reached.insert(neighbour.node)
                    {
                        continue;
                    }
                    if neighbour.node != from {
                        beyond.push(neighbour.node);
                    }
                    if self.arrive(hop, neighbour.node) && next(self)?.is_break() {
                        return Ok(Flow::Break(()));
                    }
                }
            }
            edge = beyond;
        }
        ON
    }

    /// Checks a walk whose relationships are already bound.
    fn retrace(&mut self, walk: &'q Walk, from: NodeId, next: Next<'_, 'q>) -> Result<Flow> {
        let Value::List(known) = self.get(walk.hop.relationship).clone() else { return ON };
        let length = known.items().len() as u64;
        self.meter.work(length)?;
        if length < u64::from(walk.min) || length > u64::from(walk.max) {
            return ON;
        }
        let mut items: Vec<_> = known.items().iter().collect();
        if walk.orientation == Orientation::Reversed {
            items.reverse();
        }
        let mut at = from;
        for item in items {
            let Value::Relationship(id) = item else { return ON };
            match self.leads(&walk.hop, *id, at) {
                Some(node) => at = node,
                None => return ON,
            }
        }
        if self.arrive(&walk.hop, at) { next(self) } else { ON }
    }

    fn leads(&self, hop: &Expand, id: RelId, from: NodeId) -> Option<NodeId> {
        let relationship = self.graph.relationship(id)?;
        let forwards = hop.direction != Direction::In && relationship.start == from;
        let backwards = hop.direction != Direction::Out && relationship.end == from;
        let fits = allows(&hop.types, relationship.kind) && (forwards || backwards);
        fits.then_some(if forwards { relationship.end } else { relationship.start })
    }
}

/// Removes the last relationship of a path.
fn step_back(way: &mut Vec<RelId>, on_way: &mut FxHashSet<RelId>) {
    if let Some(left) = way.pop() {
        on_way.remove(&left);
    }
}
