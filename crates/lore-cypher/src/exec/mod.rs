//! Executes plans.
//!
//! Execution is push-based: each clause binds its slots in one frame and calls the next one, which
//! may answer that it needs no more rows. Nothing here can change the graph, which is only
//! borrowed.

mod aggregate;
mod arithmetic;
mod call;
mod convert;
mod eval;
mod failing;
mod marks;
mod matching;
mod meter;
mod pattern;
mod project;
mod read;
mod shortest;
mod table;
mod texts;
mod type_name;
mod walk;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

pub(crate) use meter::Meter;

use crate::error::{CypherError, Result};
use crate::graph::Graph;
use crate::lower::Lowered;
use crate::plan::{Part, Place, Query, Slot, Stage, Union};
use crate::text::Text;
use crate::value::Value;
use crate::{Options, Parameters};
use marks::Marks;
use pattern::Pattern;
use project::State;
use table::Table;

/// Whether more rows are needed.
pub(crate) type Flow = ControlFlow<()>;

/// More rows are needed.
const ON: Result<Flow> = Ok(Flow::Continue(()));

/// The continuation that receives a row in the frame.
type Next<'n, 'q> = &'n mut dyn FnMut(&mut Exec<'q>) -> Result<Flow>;

/// Executes a query and returns its rows.
pub(crate) fn run<'q>(
    text: &'q Text<'q>,
    lowered: &'q Lowered,
    graph: &'q Graph,
    parameters: &'q Parameters,
    options: &'q Options,
    start: Instant,
) -> Result<Vec<Vec<Value>>> {
    let mut exec = Exec {
        text,
        graph,
        parameters,
        frame: vec![Value::Null; lowered.slots],
        weight: 1,
        marks: Vec::new(),
        meter: Meter::new(&options.limits, &options.cancel, start),
        patterns: Vec::new(),
        random: options.seed,
        now: options.now,
    };
    exec.meter.look()?;
    let mut rows = Vec::new();
    exec.query(&lowered.query, &mut |exec, outputs| {
        let row: Vec<_> = outputs.iter().map(|slot| exec.get(*slot).clone()).collect();
        exec.meter.hold(&row)?;
        rows.push(row);
        exec.meter.rows(rows.len())?;
        Ok(Flow::Continue(()))
    })?;
    Ok(rows)
}

/// The state of a running query.
pub(crate) struct Exec<'q> {
    /// The text, for the positions of errors.
    text: &'q Text<'q>,
    graph: &'q Graph,
    parameters: &'q Parameters,
    frame: Vec<Value>,
    /// The number of equal rows that the current one stands for.
    weight: u64,
    /// Unused marks, kept for reuse.
    marks: Vec<Marks>,
    meter: Meter<'q>,
    patterns: Vec<(Arc<str>, Pattern)>,
    random: u64,
    now: i64,
}

impl<'q> Exec<'q> {
    /// Executes all parts of a union.
    fn query(
        &mut self,
        query: &'q Query,
        row: &mut dyn FnMut(&mut Self, &[Slot]) -> Result<Flow>,
    ) -> Result<()> {
        let mut seen = (query.union == Union::Distinct).then(|| Table::new(query.columns.len()));
        for part in &query.parts {
            let (mut scratch, mut enough) = (Vec::new(), false);
            self.part(part, &mut |exec| {
                if let Some(seen) = &mut seen {
                    scratch.clear();
                    scratch.extend(part.outputs.iter().map(|slot| exec.get(*slot).clone()));
                    if !seen.insert(&scratch, &mut exec.meter)? {
                        return Ok(Flow::Continue(()));
                    }
                }
                let flow = row(exec, &part.outputs)?;
                enough |= flow.is_break();
                Ok(flow)
            })?;
            // A `LIMIT` that is reached ends only its own part.
            if enough {
                break;
            }
        }
        Ok(())
    }

    fn part(&mut self, part: &'q Part, next: Next<'_, 'q>) -> Result<()> {
        let mut states = Vec::with_capacity(part.stages.len());
        for stage in &part.stages {
            states.push(match stage {
                Stage::Project(project) => {
                    let state = State::new(self, project);
                    Some(state.map_err(|error| self.placed(error, stage.place(), || None))?)
                }
                _ => None,
            });
        }
        let _ = self.push(&part.stages, &mut states, next)?;
        // Passes on rows that were grouped or sorted, stage by stage.
        let mut stages = part.stages.as_slice();
        let mut states = states.as_mut_slice();
        while let (Some((stage, later)), Some((state, later_states))) =
            (stages.split_first(), states.split_first_mut())
        {
            if let (Stage::Project(project), Some(state)) = (stage, state) {
                let after = self
                    .flush(project, state, &mut |exec| exec.push(later, later_states, &mut *next));
                let _ = after.map_err(|error| self.placed(error, stage.place(), || None))?;
            }
            (stages, states) = (later, later_states);
        }
        Ok(())
    }

    fn push(
        &mut self,
        stages: &'q [Stage],
        states: &mut [Option<State<'q>>],
        next: Next<'_, 'q>,
    ) -> Result<Flow> {
        let (Some((stage, later)), Some((state, later_states))) =
            (stages.split_first(), states.split_first_mut())
        else {
            return next(self);
        };
        let mut rest = |exec: &mut Self| exec.push(later, &mut *later_states, &mut *next);
        let done = match (stage, state) {
            (Stage::Match(found), _) => self.match_clause(found, &mut rest),
            (Stage::Unwind { list, slot, .. }, _) => {
                self.eval(list).and_then(|list| self.unwind(&list, *slot, &mut rest))
            }
            (Stage::Project(project), Some(state)) => self.project(project, state, &mut rest),
            (Stage::Project(_), None) => Ok(Flow::Continue(())),
        };
        // Errors without a position get that of their clause.
        done.map_err(|error| self.placed(error, stage.place(), || None))
    }

    fn unwind(&mut self, list: &Value, slot: Slot, next: Next<'_, 'q>) -> Result<Flow> {
        match list {
            Value::Null => Ok(Flow::Continue(())),
            Value::List(list) => {
                for item in list.items() {
                    self.meter.step()?;
                    self.set(slot, item.clone());
                    if next(self)?.is_break() {
                        return Ok(Flow::Break(()));
                    }
                }
                Ok(Flow::Continue(()))
            }
            single => {
                self.set(slot, single.clone());
                next(self)
            }
        }
    }

    /// Continues with the weight of the current row multiplied by a number.
    fn times(&mut self, number: u64, next: Next<'_, 'q>) -> Result<Flow> {
        if number == 0 {
            return Ok(Flow::Continue(()));
        }
        let many = || CypherError::failure("there are too many rows to count".to_owned());
        let weight = self.weight.checked_mul(number).ok_or_else(many)?;
        self.weighing(weight, next)
    }

    /// Continues with a given weight of the current row.
    fn weighing(&mut self, weight: u64, next: Next<'_, 'q>) -> Result<Flow> {
        let before = std::mem::replace(&mut self.weight, weight);
        let flow = next(self);
        self.weight = before;
        flow
    }

    fn get(&self, slot: Slot) -> &Value {
        self.frame.get(slot).unwrap_or(&Value::Null)
    }

    fn set(&mut self, slot: Slot, value: Value) {
        if let Some(place) = self.frame.get_mut(slot) {
            *place = value;
        }
    }

    fn parameter(&self, name: &str, place: Place) -> Result<Value> {
        self.parameters.get(name).cloned().ok_or_else(|| {
            let error =
                CypherError::failure(format!("the parameter ${name} was not given in params"));
            self.placed(error, place, || Some(format!("give a value of {name:?} in params")))
        })
    }
}
