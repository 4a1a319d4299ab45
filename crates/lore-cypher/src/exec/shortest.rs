//! Shortest paths: bidirectional breadth-first search.
//!
//! Paths are produced one at a time, so that a large number of equally short paths takes no memory,
//! and the search ends when no more are needed. If the path must be longer than the shortest one,
//! the lengths are tried in order.
//!
//! A relationship that the clause matched elsewhere is left out of the search, like one without the
//! required properties: the result is the shortest path among those that the pattern allows.

use rustc_hash::FxHashMap;

use super::matching::{Neighbours, neighbours};
use super::walk::Wanted as Properties;
use super::{Exec, Flow, Next, ON};
use crate::error::Result;
use crate::plan::{Direction, Shortest, Wanted};
use crate::value::{NodeId, RelId, Value};

/// The approximate memory per reached node, in bytes.
const REACHED: u64 = 80;

/// The search from one end.
struct Side {
    direction: Direction,
    edge: Vec<NodeId>,
    depth: u32,
    known: FxHashMap<NodeId, Reached>,
}

/// How a node was reached.
struct Reached {
    depth: u32,
    /// The last steps of the shortest paths to it: one, or all if all paths are needed.
    steps: Vec<(RelId, NodeId)>,
}

impl Side {
    fn new(start: NodeId, direction: Direction) -> Self {
        let known = FxHashMap::from_iter([(start, Reached { depth: 0, steps: Vec::new() })]);
        Self { direction, edge: vec![start], depth: 0, known }
    }
}

/// Enumerates the shortest paths from a node back to the start of a side.
struct WaysBack<'s> {
    side: &'s Side,
    wanted: Wanted,
    /// The nodes on the current path, each with the number of its steps tried.
    open: Vec<(NodeId, usize)>,
    way: Vec<RelId>,
}

impl<'s> WaysBack<'s> {
    fn new(side: &'s Side, from: NodeId, wanted: Wanted) -> Self {
        Self { side, wanted, open: vec![(from, 0)], way: Vec::new() }
    }

    /// Returns the next path, starting at the node where the sides meet.
    fn next_way(&mut self) -> Option<&[RelId]> {
        while let Some((node, tried)) = self.open.last_mut() {
            let reached = self.side.known.get(node)?;
            let enough = *tried > 0 && (reached.depth == 0 || self.wanted == Wanted::One);
            let step = reached.steps.get(*tried).filter(|_| !enough);
            *tried += 1;
            if reached.depth == 0 && !enough {
                return Some(&self.way);
            }
            match step {
                Some((relationship, before)) => {
                    self.way.push(*relationship);
                    self.open.push((*before, 0));
                }
                None => {
                    self.open.pop();
                    self.way.pop();
                }
            }
        }
        None
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
        let mut ahead = Side::new(from, hop.direction);
        let mut behind = Side::new(to, hop.direction.turned());
        let meeting = self.meet(walk, &mut ahead, &mut behind, &wanted)?;
        if meeting.is_empty() {
            return ON;
        }
        if ahead.depth + behind.depth < walk.min {
            return self.longer(walk, (from, to), &wanted, next);
        }
        for node in meeting {
            let mut firsts = WaysBack::new(&ahead, node, walk.wanted);
            while let Some(first) = firsts.next_way() {
                let mut seconds = WaysBack::new(&behind, node, walk.wanted);
                while let Some(second) = seconds.next_way() {
                    let way = first.iter().rev().chain(second).copied();
                    if self.pass_on(walk, way, next)?.is_break() {
                        return Ok(Flow::Break(()));
                    }
                    if walk.wanted == Wanted::One {
                        return ON;
                    }
                }
            }
        }
        ON
    }

    /// Whether a path may use a relationship.
    fn usable(&mut self, walk: &Shortest, id: RelId, wanted: &Properties<'q>) -> Result<bool> {
        let unlike = &walk.hop.unlike;
        self.meter.work(self.burden(unlike))?;
        Ok(!self.taken(unlike, id) && self.satisfies(id, wanted))
    }

    /// Binds a path and continues with the next step.
    fn pass_on(
        &mut self,
        walk: &'q Shortest,
        way: impl Iterator<Item = RelId>,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        let way: Vec<_> = way.collect();
        self.meter.steps(way.len())?;
        let way = way.into_iter().map(Value::Relationship).collect();
        self.set(walk.hop.relationship, Value::list(way));
        next(self)
    }

    /// Searches from both ends until they meet, and returns the nodes where they do.
    fn meet(
        &mut self,
        walk: &'q Shortest,
        ahead: &mut Side,
        behind: &mut Side,
        wanted: &Properties<'q>,
    ) -> Result<Vec<NodeId>> {
        while ahead.depth + behind.depth < walk.max {
            let forwards = ahead.edge.len() <= behind.edge.len();
            let (side, other) = match forwards {
                true => (&mut *ahead, &*behind),
                false => (&mut *behind, &*ahead),
            };
            if side.edge.is_empty() {
                break;
            }
            self.level(walk, side, wanted)?;
            let reached = (side.known.len() + other.known.len()) as u64;
            self.meter.room_for(reached.saturating_mul(REACHED))?;
            let meeting: Vec<_> =
                side.edge.iter().copied().filter(|node| other.known.contains_key(node)).collect();
            if !meeting.is_empty() {
                return Ok(meeting);
            }
        }
        Ok(Vec::new())
    }

    /// Extends the search from one end by one level.
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
                if !self.usable(walk, neighbour.relationship, wanted)? {
                    continue;
                }
                let step = (neighbour.relationship, node);
                match side.known.get_mut(&neighbour.node) {
                    Some(reached) if reached.depth == side.depth && walk.wanted == Wanted::All => {
                        reached.steps.push(step);
                    }
                    Some(_) => {}
                    None => {
                        let reached = Reached { depth: side.depth, steps: vec![step] };
                        side.known.insert(neighbour.node, reached);
                        beyond.push(neighbour.node);
                    }
                }
            }
        }
        side.edge = beyond;
        Ok(())
    }

    /// Finds the shortest paths of at least the minimum length when shorter ones exist. All paths
    /// of each length have to be tried.
    fn longer(
        &mut self,
        walk: &'q Shortest,
        ends: (NodeId, NodeId),
        wanted: &Properties<'q>,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        for length in walk.min..=walk.max {
            let (mut found, mut enough) = (false, false);
            let mut noted = |exec: &mut Self| {
                found = true;
                enough = next(exec)?.is_break();
                let stop = enough || walk.wanted == Wanted::One;
                Ok(if stop { Flow::Break(()) } else { Flow::Continue(()) })
            };
            let so_long = self.of_length(walk, ends, length as usize, wanted, &mut noted)?;
            if enough {
                return Ok(Flow::Break(()));
            }
            if found || !so_long {
                return ON;
            }
        }
        ON
    }

    /// Passes on every path of one length, without repeating a relationship. Returns whether any
    /// path from the start has that length.
    fn of_length(
        &mut self,
        walk: &'q Shortest,
        (from, to): (NodeId, NodeId),
        length: usize,
        wanted: &Properties<'q>,
        next: Next<'_, 'q>,
    ) -> Result<bool> {
        let hop = &walk.hop;
        let graph = self.graph;
        let look = |node| neighbours(graph, node, hop.direction, &hop.types);
        let mut so_long = false;
        let mut way: Vec<RelId> = Vec::new();
        let mut open: Vec<Neighbours<'q>> = vec![look(from)];
        while let Some(around) = open.last_mut() {
            let Some(neighbour) = around.next() else {
                open.pop();
                way.pop();
                continue;
            };
            self.meter.steps(1 + way.len() / 8)?;
            let relationship = neighbour.relationship;
            if way.contains(&relationship) || !self.usable(walk, relationship, wanted)? {
                continue;
            }
            if way.len() + 1 < length {
                way.push(relationship);
                open.push(look(neighbour.node));
                continue;
            }
            so_long = true;
            let whole = way.iter().copied().chain([relationship]);
            if neighbour.node == to && self.pass_on(walk, whole, next)?.is_break() {
                break;
            }
        }
        Ok(so_long)
    }
}
