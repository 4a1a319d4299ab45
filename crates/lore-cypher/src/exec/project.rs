//! Executes `WITH` and `RETURN`.

use std::cmp::Ordering;

use super::aggregate::Gathered;
use super::table::Table;
use super::{Exec, Flow, Meter, Next, meter};
use crate::advice;
use crate::compare;
use crate::error::Result;
use crate::plan::{Distinct, Expr, Nulls, Project, Slot, Sort, SortDirection};
use crate::value::Value;

/// The state of a projection.
pub(super) struct State<'q> {
    skip: u64,
    limit: Option<u64>,
    skipped: u64,
    taken: u64,
    seen: Option<Table>,
    groups: Table,
    /// The accumulators of all groups, one per aggregating call.
    gathered: Vec<Gathered>,
    memory: Memory,
    rows: Vec<Row>,
    /// The sort keys of the last row needed so far; rows sorted after it are dropped.
    worst: Option<Vec<Value>>,
    scratch: Vec<Value>,
    project: &'q Project,
}

/// A row to be sorted.
struct Row {
    keys: Vec<Value>,
    values: Vec<Value>,
    weight: u64,
}

impl<'q> State<'q> {
    pub(super) fn new(exec: &mut Exec<'q>, project: &'q Project) -> Result<Self> {
        let skip = project.skip.as_ref().map(|skip| exec.bound(skip, "SKIP")).transpose()?;
        let limit = project.limit.as_ref().map(|limit| exec.bound(limit, "LIMIT")).transpose()?;
        let distinct = project.distinct == Distinct::Yes;
        Ok(Self {
            skip: skip.unwrap_or(0),
            limit,
            skipped: 0,
            taken: 0,
            seen: distinct.then(|| Table::new(project.outputs.len())),
            groups: Table::new(project.items.len()),
            gathered: Vec::new(),
            memory: Memory::new(project),
            rows: Vec::new(),
            worst: None,
            scratch: Vec::new(),
            project,
        })
    }

    /// Sorts the rows and drops those beyond `SKIP` and `LIMIT`.
    fn sort(&mut self, meter: &mut Meter<'_>) -> Result<()> {
        let order = &self.project.order;
        meter.over(self.rows.iter().fold(0, |sum, row| row.weight.saturating_add(sum)))?;
        self.rows.sort_by(|left, right| compare_rows(order, &left.keys, &right.keys));
        if let Some(wanted) = self.wanted()
            && self.rows.len() >= wanted
        {
            self.rows.drain(wanted..).for_each(|row| meter.release(row.weight));
            self.worst = self.rows.last().map(|row| row.keys.clone());
        }
        Ok(())
    }

    fn wanted(&self) -> Option<usize> {
        let wanted = self.limit?.saturating_add(self.skip);
        usize::try_from(wanted).ok()
    }
}

impl<'q> Exec<'q> {
    /// Processes an input row.
    pub(super) fn project(
        &mut self,
        project: &'q Project,
        state: &mut State<'q>,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        if project.grouping.is_some() {
            return self.gather(project, state);
        }
        for (slot, item) in &project.items {
            if !matches!(item, Expr::Slot(same) if same == slot) {
                let value = self.eval(item)?;
                self.set(*slot, value);
            }
        }
        // The weight no longer matters: without grouping, it exceeds 1 only if `DISTINCT` merges
        // the rows.
        self.weighing(1, &mut |exec| exec.projected(project, state, next))
    }

    /// Passes on rows that had to wait for all others.
    pub(super) fn flush(
        &mut self,
        project: &'q Project,
        state: &mut State<'q>,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        let flow = self.flush_groups(project, state, next)?;
        if project.order.is_empty() || flow.is_break() {
            return Ok(flow);
        }
        state.sort(&mut self.meter)?;
        for row in std::mem::take(&mut state.rows) {
            let slots = project.outputs.iter().chain(&project.carried);
            for (slot, value) in slots.zip(row.values) {
                self.set(*slot, value);
            }
            if self.emit(project, state, next)?.is_break() {
                return Ok(Flow::Break(()));
            }
        }
        Ok(Flow::Continue(()))
    }

    fn gather(&mut self, project: &'q Project, state: &mut State<'q>) -> Result<Flow> {
        let Some(grouping) = &project.grouping else { return Ok(Flow::Continue(())) };
        let group = match state.memory.recall(self) {
            Some(group) => group,
            None => {
                let group = self.group(project, state)?;
                state.memory.remember(self, group)?;
                group
            }
        };
        let calls = &grouping.aggregates;
        let from = group * calls.len();
        if from >= state.gathered.len() {
            self.meter.hold_bytes((calls.len() * size_of::<Gathered>()) as u64)?;
            state.gathered.extend(Gathered::all(calls));
        }
        let gathered = state.gathered.get_mut(from..).unwrap_or_default();
        for (gathered, (_, call)) in gathered.iter_mut().zip(calls) {
            self.add(gathered, call)?;
        }
        Ok(Flow::Continue(()))
    }

    /// The number of the current row's group.
    fn group(&mut self, project: &'q Project, state: &mut State<'q>) -> Result<usize> {
        if project.items.is_empty() && state.groups.len() == 1 {
            return Ok(0);
        }
        let mut scratch = std::mem::take(&mut state.scratch);
        scratch.clear();
        for (_, key) in &project.items {
            scratch.push(self.eval(key)?);
        }
        let group = state.groups.find_or_insert(&scratch, &mut self.meter);
        state.scratch = scratch;
        group
    }

    fn flush_groups(
        &mut self,
        project: &'q Project,
        state: &mut State<'q>,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        let Some(grouping) = &project.grouping else { return Ok(Flow::Continue(())) };
        let mut gathered = std::mem::take(&mut state.gathered);
        let mut groups = state.groups.len();
        if groups == 0 && project.items.is_empty() {
            // Without keys there is one group, even if there are no rows.
            gathered.extend(Gathered::all(&grouping.aggregates));
            groups = 1;
        }
        let mut gathered = gathered.into_iter();
        for number in 0..groups {
            for ((slot, _), value) in project.items.iter().zip(state.groups.row(number)) {
                self.set(*slot, value.clone());
            }
            for ((slot, _), gathered) in grouping.aggregates.iter().zip(&mut gathered) {
                let value = gathered.result(self)?;
                self.set(*slot, value);
            }
            for (slot, result) in &grouping.results {
                let value = self.eval(result)?;
                self.set(*slot, value);
            }
            if self.projected(project, state, next)?.is_break() {
                return Ok(Flow::Break(()));
            }
        }
        Ok(Flow::Continue(()))
    }

    /// Processes a row whose columns are computed.
    fn projected(
        &mut self,
        project: &'q Project,
        state: &mut State<'q>,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        if state.seen.is_some() {
            let mut scratch = std::mem::take(&mut state.scratch);
            scratch.clear();
            scratch.extend(project.outputs.iter().map(|slot| self.get(*slot).clone()));
            let new = match &mut state.seen {
                Some(seen) => seen.insert(&scratch, &mut self.meter)?,
                None => true,
            };
            state.scratch = scratch;
            if !new {
                return Ok(Flow::Continue(()));
            }
        }
        if project.order.is_empty() {
            return self.emit(project, state, next);
        }
        self.keep(project, state)?;
        Ok(Flow::Continue(()))
    }

    fn keep(&mut self, project: &'q Project, state: &mut State<'q>) -> Result<()> {
        // The keys are compared in a reused buffer, so that rows which are not needed allocate
        // nothing.
        let mut keys = std::mem::take(&mut state.scratch);
        keys.clear();
        for sort in &project.order {
            keys.push(self.eval(&sort.key)?);
        }
        keys.iter().try_for_each(|key| self.meter.pass(key))?;
        if let Some(worst) = &state.worst
            && compare_rows(&project.order, &keys, worst) != Ordering::Less
        {
            state.scratch = keys;
            return Ok(());
        }
        let slots = project.outputs.iter().chain(&project.carried);
        let values: Vec<_> = slots.map(|slot: &Slot| self.get(*slot).clone()).collect();
        if let Some(wanted) = state.wanted()
            && state.rows.len() > wanted.saturating_mul(2).saturating_add(64)
        {
            state.sort(&mut self.meter)?;
        }
        let weight = meter::weight(&keys).saturating_add(meter::weight(&values));
        self.meter.hold_bytes(weight)?;
        state.rows.push(Row { keys, values, weight });
        Ok(())
    }

    /// Applies `SKIP`, `LIMIT` and `WHERE`, and passes the row on.
    fn emit(
        &mut self,
        project: &'q Project,
        state: &mut State<'q>,
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        if state.limit.is_some_and(|limit| state.taken >= limit) {
            return Ok(Flow::Break(()));
        }
        if state.skipped < state.skip {
            state.skipped += 1;
            return Ok(Flow::Continue(()));
        }
        state.taken += 1;
        let wanted = match &project.filter {
            Some(filter) => self.truth(filter)? == Some(true),
            None => true,
        };
        let flow = if wanted { next(self)? } else { Flow::Continue(()) };
        let enough = state.limit.is_some_and(|limit| state.taken >= limit);
        Ok(if enough { Flow::Break(()) } else { flow })
    }

    fn bound(&mut self, expr: &'q Expr, what: &str) -> Result<u64> {
        match self.eval(expr)? {
            Value::Int(bound) if bound >= 0 => Ok(bound as u64),
            Value::Int(_) => {
                self.failed_in(expr, format!("{what} cannot be negative"), advice::OF_BOUND)
            }
            other => {
                let message = format!("{what} needs an integer, not {}", other.kind());
                self.failed_in(expr, message, advice::OF_BOUND)
            }
        }
    }
}

/// The group of each node, if all grouping keys depend on the same node.
///
/// Looking it up by node is much cheaper than hashing the keys.
struct Memory {
    node: Option<Slot>,
    groups: Vec<u32>,
}

impl Memory {
    const UNKNOWN: u32 = u32::MAX;

    fn new(project: &Project) -> Self {
        let node_of = |key: &Expr| match key {
            Expr::Property { base, .. } => match **base {
                Expr::Slot(slot) => Some(slot),
                _ => None,
            },
            Expr::Slot(slot) => Some(*slot),
            _ => None,
        };
        let mut nodes = project.items.iter().map(|(_, key)| node_of(key));
        let first = nodes.next().flatten();
        Self { node: first.filter(|_| nodes.all(|node| node == first)), groups: Vec::new() }
    }

    fn recall(&self, exec: &Exec<'_>) -> Option<usize> {
        let node = exec.node(self.node?)?;
        let group = *self.groups.get(node.0 as usize)?;
        (group != Self::UNKNOWN).then_some(group as usize)
    }

    fn remember(&mut self, exec: &mut Exec<'_>, group: usize) -> Result<()> {
        let Some(node) = self.node.and_then(|slot| exec.node(slot)) else { return Ok(()) };
        if self.groups.is_empty() {
            let nodes = exec.graph.node_count();
            exec.meter.hold_bytes(4 * nodes as u64)?;
            self.groups = vec![Self::UNKNOWN; nodes];
        }
        if let Some(place) = self.groups.get_mut(node.0 as usize) {
            *place = group as u32;
        }
        Ok(())
    }
}

fn compare_rows(order: &[Sort], left: &[Value], right: &[Value]) -> Ordering {
    for (sort, (left, right)) in order.iter().zip(left.iter().zip(right)) {
        let ordering = compare_keys(sort, left, right);
        if ordering.is_ne() {
            return ordering;
        }
    }
    Ordering::Equal
}

fn compare_keys(sort: &Sort, left: &Value, right: &Value) -> Ordering {
    let nulls_first = |left_null: bool| match (left_null, sort.nulls) {
        (true, Nulls::First) | (false, Nulls::Last) => Ordering::Less,
        _ => Ordering::Greater,
    };
    match (left.is_null(), right.is_null()) {
        (true, true) => Ordering::Equal,
        (true, false) => nulls_first(true),
        (false, true) => nulls_first(false),
        (false, false) => match sort.direction {
            SortDirection::Ascending => compare::order(left, right),
            SortDirection::Descending => compare::order(right, left),
        },
    }
}
