//! Lowering calls, comprehensions, quantifiers, `CASE` and subqueries.

use open_cypher::ast::{
    CaseExpression, Expr as Ast, ExprKind, FunctionInvocation, ListComprehension, Name,
    PatternComprehension, QuantifiedPredicate, QuantifiedPredicateKind, QueryKind,
    ReduceExpression, SetQuantifier, SubqueryExpression, SubqueryExpressionKind,
};

use super::check::Need;
use super::optimise::{self, Rows};
use super::pattern::Names;
use super::{Ending, Lower, Within, order};
use crate::error::{Problem, Result};
use crate::functions::{self, Aggregate, Function};
use crate::plan::{Aggregation, Distinct, Expr, Match, Place, Quantifier, Subquery, Wanted};
use crate::types::Type;
use crate::value::Value;

impl Lower<'_> {
    pub(super) fn call(&mut self, ast: &Ast, call: &FunctionInvocation) -> Result<(Expr, Type)> {
        let parts: Vec<_> = call.name.parts.iter().map(|part| part.kind.text.as_str()).collect();
        let name = parts.join(".");
        if let Some((aggregate, arguments)) = functions::aggregate(&name) {
            return self.aggregate(ast, call, &name, aggregate, arguments);
        }
        if let (Some(wanted), [argument]) = (shortest(&name), call.arguments.as_slice())
            && let ExprKind::Pattern(pattern) = &argument.kind
        {
            return self.shortest_value(pattern, wanted);
        }
        let Some(spec) = functions::function(&name) else {
            let message = format!("there is no function `{name}`");
            let hint = functions::similar(&name).map(|known| format!("did you mean `{known}`?"));
            return self.invalid_with(Problem::Function, call.name.span, message, hint);
        };
        if spec.function == Function::Exists
            && let [argument] = call.arguments.as_slice()
            && let ExprKind::Pattern(pattern) = &argument.kind
        {
            return Ok((self.pattern_exists(pattern)?, Type::Bool));
        }
        if spec.function == Function::Rand && self.within == Within::Aggregation {
            let message = "rand() inside an aggregating function means nothing";
            return self.invalid(Problem::Aggregation, ast.span, message);
        }
        if let Some(quantifier) = &call.quantifier {
            let message = format!("{name} does not gather rows, so none can be left out");
            let hint = "DISTINCT is for count, collect and their like, and after RETURN and WITH";
            let hint = Some(hint.to_owned());
            return self.invalid_with(Problem::Function, quantifier.span, message, hint);
        }
        let mut arguments = Vec::new();
        let mut kinds = Vec::new();
        for argument in &call.arguments {
            let (argument, kind) = self.expr(argument)?;
            arguments.push(argument);
            kinds.push(kind);
        }
        self.fits(spec, &name, ast.span, &kinds)?;
        let kind = spec.result.of(kinds.first().unwrap_or(&Type::Any));
        Ok((Expr::Call(spec.function, arguments, Place(ast.span.start)), kind))
    }

    fn aggregate(
        &mut self,
        ast: &Ast,
        call: &FunctionInvocation,
        name: &str,
        function: Aggregate,
        arguments: usize,
    ) -> Result<(Expr, Type)> {
        let why = match self.within {
            Within::Projection => None,
            Within::Rows => Some("can only be used in WITH and RETURN"),
            Within::Aggregation => Some("cannot aggregate an aggregate; use WITH in between"),
            Within::Elements => Some("cannot be used for the elements of a list"),
        };
        if let Some(why) = why {
            return self.invalid(Problem::Aggregation, ast.span, format!("{name}() {why}"));
        }
        if call.arguments.len() != arguments {
            let message = format!("{name} takes {arguments} arguments");
            return self.invalid(Problem::Function, ast.span, message);
        }
        let distinct = match &call.quantifier {
            Some(quantifier) if quantifier.kind == SetQuantifier::Distinct => Distinct::Yes,
            _ => Distinct::No,
        };
        self.within = Within::Aggregation;
        let mut lowered = call.arguments.iter().map(|argument| match &argument.kind {
            ExprKind::Wildcard if function == Aggregate::Count => Ok((None, Type::Any)),
            _ => self.expr(argument).map(|(argument, kind)| (Some(argument), kind)),
        });
        let (argument, kind) = lowered.next().unwrap_or(Ok((None, Type::Any)))?;
        let parameter = lowered.next().transpose()?.and_then(|(parameter, _)| parameter);
        self.within = Within::Projection;
        let result = match function {
            Aggregate::Count => Type::Int,
            Aggregate::Collect => Type::List(Box::new(kind)),
            _ => Type::Any,
        };
        let place = Place(ast.span.start);
        let call = Aggregation { function, distinct, argument, parameter, place };
        Ok((Expr::Aggregate(Box::new(call)), result))
    }

    pub(super) fn case(&mut self, case: &CaseExpression) -> Result<(Expr, Type)> {
        let operand = match &case.operand {
            Some(operand) => Some(Box::new(self.expr(operand)?.0)),
            None => None,
        };
        let mut kind = Type::Null;
        let mut arms = Vec::new();
        for arm in &case.alternatives {
            let tests: Result<_> = arm
                .when
                .iter()
                .map(|test| match operand {
                    Some(_) => self.expr(test).map(|(test, _)| test),
                    None => self.condition(test),
                })
                .collect();
            let (then, then_kind) = self.expr(&arm.then)?;
            kind = kind.join(then_kind);
            arms.push((tests?, then));
        }
        let otherwise = match &case.else_expression {
            Some(otherwise) => {
                let (otherwise, otherwise_kind) = self.expr(otherwise)?;
                kind = kind.join(otherwise_kind);
                otherwise
            }
            None => Expr::Const(Value::Null),
        };
        Ok((Expr::Case { operand, arms, otherwise: Box::new(otherwise) }, kind))
    }

    pub(super) fn list_comprehension(
        &mut self,
        ast: &Ast,
        found: &ListComprehension,
    ) -> Result<(Expr, Type)> {
        let (list, kind) = self.expr(&found.list)?;
        self.need(&found.list, &kind, &Need::COMPREHENSION)?;
        let slot = self.slot();
        let (filter, map, map_kind) =
            self.inside(&[(&found.variable, slot, kind.element())], |lower| {
                let filter =
                    found.predicate.as_ref().map(|test| lower.condition(test)).transpose()?;
                let (map, map_kind) = match &found.projection {
                    Some(map) => lower.expr(map)?,
                    None => (Expr::Slot(slot), kind.element()),
                };
                Ok((filter.map(Box::new), Box::new(map), map_kind))
            })?;
        let (list, place) = (Box::new(list), Place(ast.span.start));
        let made = Expr::ListComprehension { slot, list, filter, map, place };
        Ok((made, Type::List(Box::new(map_kind))))
    }

    pub(super) fn quantified(
        &mut self,
        ast: &Ast,
        found: &QuantifiedPredicate,
    ) -> Result<(Expr, Type)> {
        let (list, kind) = self.expr(&found.list)?;
        self.need(&found.list, &kind, &Need::QUANTIFIER)?;
        let slot = self.slot();
        let test = self.inside(&[(&found.variable, slot, kind.element())], |lower| {
            lower.condition(&found.predicate)
        })?;
        let quantifier = match found.kind.kind {
            QuantifiedPredicateKind::All => Quantifier::All,
            QuantifiedPredicateKind::Any => Quantifier::Any,
            QuantifiedPredicateKind::None => Quantifier::None,
            _ => Quantifier::Single,
        };
        let (list, test, place) = (Box::new(list), Box::new(test), Place(ast.span.start));
        Ok((Expr::Quantified { quantifier, slot, list, test, place }, Type::Bool))
    }

    pub(super) fn reduce(&mut self, ast: &Ast, found: &ReduceExpression) -> Result<(Expr, Type)> {
        let (start, start_kind) = self.expr(&found.initial)?;
        let (list, kind) = self.expr(&found.list)?;
        self.need(&found.list, &kind, &Need::REDUCE)?;
        let (sum, slot) = (self.slot(), self.slot());
        // The type of the accumulator may change between elements.
        let names = [(&found.accumulator, sum, Type::Any), (&found.variable, slot, kind.element())];
        let (next, next_kind) = self.inside(&names, |lower| lower.expr(&found.expression))?;
        let (start, list, next) = (Box::new(start), Box::new(list), Box::new(next));
        let place = Place(ast.span.start);
        Ok((Expr::Reduce { sum, start, slot, list, next, place }, start_kind.join(next_kind)))
    }

    /// Lowers something with variables that exist only inside an expression.
    fn inside<T>(
        &mut self,
        names: &[(&Name, usize, Type)],
        lower: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let (mark, within) = (self.scope.mark(), self.within);
        for (name, slot, kind) in names {
            self.scope.add(&name.kind.text, *slot, kind.clone());
        }
        self.within = if within == Within::Rows { within } else { Within::Elements };
        let lowered = lower(self);
        self.within = within;
        self.scope.forget(mark);
        lowered
    }

    pub(super) fn pattern_exists(&mut self, found: &open_cypher::ast::Pattern) -> Result<Expr> {
        let pattern = self.pattern(found, Names::Known)?;
        let mut steps = order::steps(pattern, self.graph, &|_| true);
        optimise::matching(&mut steps, Rows::Merged, |_| false);
        let place = Place(found.span.start);
        Ok(Expr::Exists(Box::new(Match { steps, optional: None, place })))
    }

    /// Lowers `shortestPath(…)` as a value: the first path found, or null; `allShortestPaths(…)` is
    /// a list of all.
    fn shortest_value(
        &mut self,
        found: &open_cypher::ast::Pattern,
        wanted: Wanted,
    ) -> Result<(Expr, Type)> {
        let (pattern, path) = self.pattern_between(found, wanted)?;
        let steps = order::steps(pattern, self.graph, &|_| true);
        let place = Place(found.span.start);
        let pattern = Box::new(Match { steps, optional: None, place });
        let map = Box::new(Expr::Slot(path));
        let paths = Expr::PatternComprehension { pattern, map };
        Ok(match wanted {
            Wanted::One => (Expr::Call(Function::Head, vec![paths], place), Type::Path),
            Wanted::All => (paths, Type::List(Box::new(Type::Path))),
        })
    }

    pub(super) fn pattern_comprehension(
        &mut self,
        found: &PatternComprehension,
    ) -> Result<(Expr, Type)> {
        let (mark, within) = (self.scope.mark(), self.within);
        self.within = if within == Within::Rows { within } else { Within::Elements };
        let mut pattern = self.pattern_named(found.binding.as_ref(), &found.pattern)?;
        if let Some(condition) = &found.predicate {
            pattern.conditions.push(self.condition(condition)?);
        }
        let (map, kind) = self.expr(&found.projection)?;
        self.within = within;
        self.scope.forget(mark);
        let steps = order::steps(pattern, self.graph, &|_| true);
        let place = Place(found.pattern.span.start);
        let pattern = Box::new(Match { steps, optional: None, place });
        let map = Box::new(map);
        Ok((Expr::PatternComprehension { pattern, map }, Type::List(Box::new(kind))))
    }

    pub(super) fn subquery(&mut self, found: &SubqueryExpression) -> Result<(Expr, Type)> {
        let QueryKind::Regular(regular) = &found.query.kind else {
            return self.invalid(Problem::Syntax, found.query.span, "this is not a query");
        };
        let (subquery, ending, kind) = match found.kind.kind {
            SubqueryExpressionKind::Exists => {
                (Subquery::Exists, Ending::Anything(Rows::Merged), Type::Bool)
            }
            SubqueryExpressionKind::Count => {
                (Subquery::Count, Ending::Anything(Rows::Counted), Type::Int)
            }
            _ => (Subquery::Collect, Ending::Return, Type::list()),
        };
        let within = std::mem::replace(&mut self.within, Within::Rows);
        let query = self.query(regular, ending)?;
        self.within = within;
        if subquery == Subquery::Collect && query.columns.len() != 1 {
            let message = "COLLECT { } needs a query with one column";
            return self.invalid(Problem::Columns, found.query.span, message);
        }
        Ok((Expr::Subquery(subquery, Box::new(query)), kind))
    }
}

/// The shortest paths that a function name stands for.
fn shortest(name: &str) -> Option<Wanted> {
    match name.to_lowercase().as_str() {
        "shortestpath" => Some(Wanted::One),
        "allshortestpaths" => Some(Wanted::All),
        _ => None,
    }
}
