//! Lowering: from the syntax tree to a plan. Names become slots, and mistakes become errors.
//!
//! This is the only module that knows the parser's tree. Clauses that write have no counterpart in
//! the plan; they are refused here by name.

mod check;
mod construct;
mod expr;
mod literal;
mod optimise;
mod order;
mod pattern;
mod project;
mod rewrite;

use std::sync::Arc;

use open_cypher::Span;
use open_cypher::ast::{
    Clause, ClauseKind, MatchClause, Name, QueryKind, RegularQuery, SingleQuery, StatementKind,
    UnionOperator, UnwindClause,
};

use crate::error::{CypherError, Problem, Result};
use crate::graph::Graph;
use crate::plan::{Match, Part, Place, Query, Slot, Stage, Union};
use crate::scope::Scope;
use crate::text::Text;
use optimise::Rows;
use pattern::Pattern;
use project::Projecting;

/// A plan, and the number of slots in its frame.
pub(crate) struct Lowered {
    pub(crate) query: Query,
    pub(crate) slots: usize,
}

/// Lowers a parsed program, resolving its names in a graph.
pub(crate) fn lower(
    text: &Text<'_>,
    program: &open_cypher::ast::Program,
    graph: &Graph,
) -> Result<Lowered> {
    let mut lower = Lower { text, graph, slots: 0, scope: Scope::default(), within: Within::Rows };
    let Some(statement) = program.statements.first() else {
        return lower.invalid(Problem::Syntax, program.span, "the query is empty");
    };
    let StatementKind::Query(statement) = &statement.kind else {
        return lower.invalid(Problem::Syntax, statement.span, "this is not a query");
    };
    if let Some(mode) = &statement.mode {
        return lower.refused(mode.span, "EXPLAIN and PROFILE are not supported");
    }
    let QueryKind::Regular(regular) = &statement.query.kind else {
        return lower.invalid(Problem::Syntax, statement.query.span, "this is not a query");
    };
    let query = lower.query(regular, Ending::Return)?;
    Ok(Lowered { query, slots: lower.slots })
}

/// The state of lowering a query.
struct Lower<'t> {
    text: &'t Text<'t>,
    graph: &'t Graph,
    slots: usize,
    scope: Scope,
    within: Within,
}

/// The context of an expression, which decides whether it may aggregate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    /// Single rows: no aggregation.
    Rows,
    /// A projection, which may aggregate.
    Projection,
    /// The argument of an aggregating function.
    Aggregation,
    /// Something evaluated for each element of a list.
    Elements,
}

/// How a query must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Return,
    /// In any way; with what matters about its final rows.
    Anything(Rows),
}

/// Lowered clauses, and their patterns. Patterns are ordered after all clauses are lowered.
#[derive(Default)]
struct Clauses {
    stages: Vec<Stage>,
    patterns: Vec<(usize, Pattern)>,
}

impl Clauses {
    /// Orders the steps of each pattern, given which slots are read.
    fn settle(self, graph: &Graph) -> Vec<Stage> {
        let Self { mut stages, patterns } = self;
        let of_stages = stages.iter().flat_map(optimise::slots_of);
        let of_patterns = patterns.iter().flat_map(|(_, pattern)| pattern.read());
        let read: Vec<Slot> = of_stages.chain(of_patterns).collect();
        for (number, pattern) in patterns {
            if let Some(Stage::Match(found)) = stages.get_mut(number) {
                found.steps = order::steps(pattern, graph, &|slot| read.contains(&slot));
            }
        }
        stages
    }
}

impl Lower<'_> {
    fn query(&mut self, regular: &RegularQuery, ending: Ending) -> Result<Query> {
        let outer = self.scope.clone();
        // The parts of a union may have to be told apart or merged, so each row counts.
        let ending = match ending {
            Ending::Anything(_) if !regular.unions.is_empty() => Ending::Anything(Rows::Each),
            ending => ending,
        };
        let (head, columns) = self.single(&regular.head, ending)?;
        let mut parts = vec![head];
        let union = self.union_kind(regular)?;
        for branch in &regular.unions {
            self.scope = outer.clone();
            let (part, names) = self.single(&branch.query, ending)?;
            if names != columns {
                let message = "all parts of a UNION must return the same columns";
                return self.invalid(Problem::Columns, branch.query.span, message);
            }
            parts.push(part);
        }
        self.scope = outer;
        parts.iter_mut().for_each(|part| optimise::part(part, ending));
        Ok(Query { columns, parts, union })
    }

    fn union_kind(&self, regular: &RegularQuery) -> Result<Union> {
        let mut kinds = regular.unions.iter().map(|branch| match branch.operator.kind {
            UnionOperator::All => Union::All,
            _ => Union::Distinct,
        });
        let Some(first) = kinds.next() else { return Ok(Union::All) };
        match regular.unions.iter().skip(1).zip(kinds).find(|(_, kind)| *kind != first) {
            Some((branch, _)) => {
                let message = "UNION and UNION ALL cannot be mixed";
                self.invalid(Problem::Clause, branch.operator.span, message)
            }
            None => Ok(first),
        }
    }

    fn single(&mut self, query: &SingleQuery, ending: Ending) -> Result<(Part, Vec<Arc<str>>)> {
        let clauses = &query.kind.clauses;
        let mut lowered = Clauses::default();
        let (mut columns, mut outputs) = (Vec::new(), Vec::new());
        for (number, clause) in clauses.iter().enumerate() {
            let last = number + 1 == clauses.len();
            match &clause.kind {
                ClauseKind::Return(returned) if last => {
                    let returned = self.project(&returned.projection, Projecting::Return)?;
                    outputs.clone_from(&returned.project.outputs);
                    columns = returned.columns;
                    lowered.stages.push(Stage::Project(Box::new(returned.project)));
                }
                ClauseKind::Return(_) => {
                    let message = "nothing can follow RETURN";
                    return self.invalid(Problem::Clause, clause.span, message);
                }
                _ if last && ending == Ending::Return => {
                    self.reading(clause, &mut lowered)?;
                    let message = "a query has to end with RETURN";
                    return self.invalid(Problem::Clause, clause.span, message);
                }
                _ => self.reading(clause, &mut lowered)?,
            }
        }
        Ok((Part { stages: lowered.settle(self.graph), outputs }, columns))
    }

    fn reading(&mut self, clause: &Clause, lowered: &mut Clauses) -> Result<()> {
        let stage = match &clause.kind {
            ClauseKind::Match(found) => {
                let (pattern, optional) = self.match_clause(found)?;
                lowered.patterns.push((lowered.stages.len(), pattern));
                Stage::Match(Match { steps: Vec::new(), optional, place: Place(clause.span.start) })
            }
            ClauseKind::Unwind(unwind) => self.unwind(unwind, Place(clause.span.start))?,
            ClauseKind::With(with) => {
                let mut with_rows = self.project(&with.projection, Projecting::With)?;
                if let Some(condition) = &with.where_clause {
                    self.with_where(&mut with_rows, condition)?;
                }
                self.scope = with_rows.scope;
                Stage::Project(Box::new(with_rows.project))
            }
            other => return self.refused(clause.span, &refusal(other)),
        };
        lowered.stages.push(stage);
        Ok(())
    }

    /// Lowers a `MATCH` clause; the slots are those that become null if it is optional and nothing
    /// matches.
    fn match_clause(&mut self, found: &MatchClause) -> Result<(Pattern, Option<Vec<Slot>>)> {
        if let Some(mode) = &found.mode {
            return self.refused(mode.span, "path modes are not supported");
        }
        let first_new = self.slots;
        let mut pattern = self.pattern(&found.pattern, pattern::Names::New)?;
        if let Some(condition) = &found.where_clause {
            pattern.conditions.push(self.condition(condition)?);
        }
        let optional = found.optional.then(|| pattern.introduced(first_new));
        Ok((pattern, optional))
    }

    fn unwind(&mut self, unwind: &UnwindClause, place: Place) -> Result<Stage> {
        let (list, kind) = self.expr(&unwind.expression)?;
        if self.scope.get(&unwind.variable.kind.text).is_some() {
            return self.already(&unwind.variable);
        }
        let slot = self.slot();
        self.scope.add(&unwind.variable.kind.text, slot, kind.element());
        Ok(Stage::Unwind { list, slot, place })
    }

    fn slot(&mut self) -> Slot {
        self.slots += 1;
        self.slots - 1
    }

    fn already<T>(&self, name: &Name) -> Result<T> {
        let message = format!("`{}` stands for something already", name.kind.text);
        self.invalid(Problem::VariableClash, name.span, message)
    }

    fn undefined<T>(&self, name: &Name) -> Result<T> {
        let message = format!("`{}` is not defined here", name.kind.text);
        let hint =
            self.scope.similar(&name.kind.text).map(|known| format!("did you mean `{known}`?"));
        let hint = hint.or_else(|| {
            let text = "only variables of MATCH, UNWIND and the last WITH can be used";
            Some(text.to_owned())
        });
        self.invalid_with(Problem::UndefinedVariable, name.span, message, hint)
    }

    fn invalid<T>(&self, problem: Problem, span: Span, message: impl Into<String>) -> Result<T> {
        self.invalid_with(problem, span, message, None)
    }

    fn invalid_with<T>(
        &self,
        problem: Problem,
        span: Span,
        message: impl Into<String>,
        hint: Option<String>,
    ) -> Result<T> {
        let position = Some(self.text.position(span.start));
        Err(CypherError::Invalid { problem, message: message.into(), position, hint })
    }

    fn refused<T>(&self, span: Span, message: &str) -> Result<T> {
        let position = Some(self.text.position(span.start));
        Err(CypherError::Refused { message: message.to_owned(), position })
    }
}

fn refusal(clause: &ClauseKind) -> String {
    let name = match clause {
        ClauseKind::Create(_) => "CREATE",
        ClauseKind::Insert(_) => "INSERT",
        ClauseKind::Merge(_) => "MERGE",
        ClauseKind::Delete(_) => "DELETE",
        ClauseKind::Set(_) => "SET",
        ClauseKind::Remove(_) => "REMOVE",
        ClauseKind::Foreach(_) => "FOREACH",
        ClauseKind::LoadCsv(_) => "LOAD CSV",
        ClauseKind::Call(_) => "CALL",
        ClauseKind::Use(_) => "USE",
        _ => "this clause",
    };
    refusal_of(name)
}

/// The message for a refused clause.
pub(crate) fn refusal_of(name: &str) -> String {
    format!(
        "{name} is refused: this graph can only be read, with MATCH, OPTIONAL MATCH, WHERE, \
         WITH, UNWIND, UNION and RETURN"
    )
}
