//! Shortest paths: breadth first from both ends, level by level.

use rustc_hash::FxHashMap;

use super::matching::{neighbours, turned};
use super::walk::Wanted as Properties;
use super::{Exec, Flow, Next};
use crate::error::Result;
use crate::plan::{Direction, Shortest, Wanted};
use crate::value::{NodeId, RelId, Value};

const ON: Result<Flow> = Ok(Flow::Continue(()));

/// What was seen from one end: how each node was come to.
struct Side {
    direction: Direction,
    edge: Vec<NodeId>,
    depth: u32,
    /// The depth of a node, and the last steps of all shortest ways to it.
    known: FxHashMap<NodeId, (u32, Vec<(RelId, NodeId)>)>,
}

impl Side {
    fn new(start: NodeId, direction: Direction) -> Self {
        let known = FxHashMap::from_iter([(start, (0, Vec::new()))]);
        Self { direction, edge: vec![start], depth: 0, known }
    }

    /// All shortest ways back to the start, nearest step first.
    fn ways_back(&self, node: NodeId, wanted: Wanted) -> Vec<Vec<RelId>> {
        let mut done = Vec::new();
        let mut open = vec![(node, Vec::new())];
        while let Some((node, way)) = open.pop() {
            match self.known.get(&node) {
                Some((_, steps)) if !steps.is_empty() => {
                    let taken = if wanted == Wanted::One { 1 } else { steps.len() };
                    for (relationship, before) in steps.iter().take(taken) {
                        let mut longer: Vec<RelId> = way.clone();
                        longer.push(*relationship);
                        open.push((*before, longer));
                    }
                }
                _ => done.push(way),
            }
        }
        done
    }
}

impl<'q> Exec<'q> {
    pub(super) fn shortest(&mut self, walk: &'q Shortest, next: Next<'_, 'q>) -> Result<Flow> {
        let hop = &walk.hop;
        let (Some(from), Some(to)) = (self.node(hop.from), self.node(hop.to)) else { return ON };
        if from == to {
            if walk.min > 0 {
                return ON;
            }
            self.set(hop.relationship, Value::list(Vec::new()));
            return next(self);
        }
        let wanted = self.wanted(&walk.properties)?;
        for way in self.shortest_ways(walk, from, to, &wanted)? {
            self.meter.steps(way.len())?;
            if way.iter().any(|relationship| self.taken(&hop.unlike, *relationship)) {
                continue;
            }
            let way = way.into_iter().map(Value::Relationship).collect();
            self.set(hop.relationship, Value::list(way));
            if next(self)?.is_break() {
                return Ok(Flow::Break(()));
            }
        }
        ON
    }

    fn shortest_ways(
        &mut self,
        walk: &'q Shortest,
        from: NodeId,
        to: NodeId,
        wanted: &Properties<'q>,
    ) -> Result<Vec<Vec<RelId>>> {
        let mut ahead = Side::new(from, walk.hop.direction);
        let mut behind = Side::new(to, turned(walk.hop.direction));
        while ahead.depth + behind.depth < walk.max {
            let forwards = ahead.edge.len() <= behind.edge.len();
            let (side, other) = match forwards {
                true => (&mut ahead, &behind),
                false => (&mut behind, &ahead),
            };
            if side.edge.is_empty() {
                break;
            }
            self.level(walk, side, wanted)?;
            let meeting: Vec<_> =
                side.edge.iter().copied().filter(|node| other.known.contains_key(node)).collect();
            if !meeting.is_empty() {
                return self.join(&ahead, &behind, &meeting, walk.wanted);
            }
        }
        Ok(Vec::new())
    }

    /// One level further out.
    fn level(
        &mut self,
        walk: &'q Shortest,
        side: &mut Side,
        wanted: &Properties<'q>,
    ) -> Result<()> {
        side.depth += 1;
        let mut beyond = Vec::new();
        for node in std::mem::take(&mut side.edge) {
            for neighbour in neighbours(self.graph, node, side.direction, &walk.hop.types) {
                self.meter.step()?;
                if !self.satisfies(neighbour.relationship, wanted) {
                    continue;
                }
                let step = (neighbour.relationship, node);
                match side.known.get_mut(&neighbour.node) {
                    Some((depth, steps)) if *depth == side.depth && walk.wanted == Wanted::All => {
                        steps.push(step);
                    }
                    Some(_) => {}
                    None => {
                        side.known.insert(neighbour.node, (side.depth, vec![step]));
                        beyond.push(neighbour.node);
                    }
                }
            }
        }
        side.edge = beyond;
        Ok(())
    }

    fn join(
        &mut self,
        ahead: &Side,
        behind: &Side,
        meeting: &[NodeId],
        wanted: Wanted,
    ) -> Result<Vec<Vec<RelId>>> {
        let mut ways = Vec::new();
        for node in meeting {
            for first in ahead.ways_back(*node, wanted) {
                for second in behind.ways_back(*node, wanted) {
                    let way: Vec<_> = first.iter().rev().chain(&second).copied().collect();
                    self.meter.hold_bytes(24 + 4 * way.len() as u64)?;
                    ways.push(way);
                    if wanted == Wanted::One {
                        return Ok(ways);
                    }
                }
            }
        }
        Ok(ways)
    }
}
