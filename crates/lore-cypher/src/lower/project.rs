//! `WITH` and `RETURN`: columns, grouping, order, limits.

use std::sync::Arc;

use open_cypher::Span;
use open_cypher::ast::{
    Expr as Ast, ExprKind, LiteralKind, NullOrder, ProjectionClause, ProjectionItem,
    ProjectionItemKind, SetQuantifier, SortDirection as WrittenDirection, SortItem, UnaryOperator,
};

use super::check::Need;
use super::rewrite::{aggregates, replace, settle};
use super::{Lower, Within};
use crate::error::{Problem, Result};
use crate::plan::{Distinct, Expr, Grouping, Nulls, Place, Project, Slot, Sort, SortDirection};
use crate::scope::Scope;
use crate::types::Type;

/// The projecting clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Projecting {
    With,
    Return,
}

/// A lowered projection, and the scope after it.
pub(super) struct Projected {
    pub(super) project: Project,
    pub(super) columns: Vec<Arc<str>>,
    pub(super) scope: Scope,
    /// Set if rows are merged; then `ORDER BY` and `WHERE` can only use columns.
    merged: Option<Merged>,
}

/// The columns of a projection that merges rows, and the scope before it.
struct Merged {
    columns: Vec<(Slot, Expr)>,
    old: Scope,
}

/// A lowered column.
struct Column {
    name: Arc<str>,
    expr: Expr,
    kind: Type,
    slot: Slot,
}

impl Lower<'_> {
    /// Lowers a projection. Afterwards the scope is that of `ORDER BY` and `WHERE`, where new names
    /// shadow old ones.
    pub(super) fn project(
        &mut self,
        written: &ProjectionClause,
        projecting: Projecting,
    ) -> Result<Projected> {
        let columns = self.columns(written, projecting)?;
        let distinct = match &written.quantifier {
            Some(quantifier) if quantifier.kind == SetQuantifier::Distinct => Distinct::Yes,
            _ => Distinct::No,
        };
        let old = self.scope.clone();
        let mut scope = Scope::default();
        for column in &columns {
            scope.add(&column.name, column.slot, column.kind.clone());
            self.scope.add(&column.name, column.slot, column.kind.clone());
        }
        let grouped = columns.iter().any(|column| aggregates(&column.expr));
        let mut project = Project {
            outputs: columns.iter().map(|column| column.slot).collect(),
            items: Vec::new(),
            grouping: None,
            distinct,
            order: Vec::new(),
            skip: None,
            limit: None,
            filter: None,
            carried: Vec::new(),
            place: Place(written.span.start),
        };
        let mut order = self.sort_keys(written, grouped)?;
        project.items = columns.iter().map(|column| (column.slot, column.expr.clone())).collect();
        let merged = (grouped || distinct == Distinct::Yes)
            .then(|| Merged { columns: project.items.clone(), old });
        if let Some(merged) = &merged {
            for (sort, span) in &mut order {
                self.only_columns(&mut sort.key, merged, *span)?;
            }
        }
        project.order = order.into_iter().map(|(sort, _)| sort).collect();
        if let (true, Some(merged)) = (grouped, &merged) {
            self.group(&mut project, merged, written.span)?;
        }
        project.skip = self.bound(written.skip.as_ref().or(written.offset.as_ref()), "SKIP")?;
        project.limit = self.bound(written.limit.as_ref(), "LIMIT")?;
        let columns = columns.into_iter().map(|column| column.name).collect();
        Ok(Projected { project, columns, scope, merged })
    }

    /// Lowers the condition of `WITH ... WHERE`.
    pub(super) fn with_where(&mut self, with: &mut Projected, condition: &Ast) -> Result<()> {
        let mut filter = self.condition(condition)?;
        if let Some(merged) = &with.merged {
            self.only_columns(&mut filter, merged, condition.span)?;
        }
        let project = &mut with.project;
        let carried = filter.slots().into_iter();
        project.carried = carried.filter(|slot| !project.outputs.contains(slot)).collect();
        project.filter = Some(filter);
        Ok(())
    }

    fn columns(
        &mut self,
        written: &ProjectionClause,
        projecting: Projecting,
    ) -> Result<Vec<Column>> {
        let mut columns: Vec<Column> = Vec::new();
        self.within = Within::Projection;
        for item in &written.items {
            match &item.kind {
                ProjectionItemKind::Wildcard => {
                    let visible = self.scope.visible();
                    if visible.is_empty() && projecting == Projecting::Return {
                        let message = "there is nothing that `*` could stand for";
                        return self.invalid(Problem::Columns, item.span, message);
                    }
                    columns.extend(visible.into_iter().map(|variable| Column {
                        name: Arc::clone(&variable.name),
                        expr: Expr::Slot(variable.slot),
                        kind: variable.kind.clone(),
                        slot: variable.slot,
                    }));
                }
                ProjectionItemKind::Expression { expression, alias } => {
                    let (expr, kind) = self.expr(expression)?;
                    let alias = alias.as_ref().map(|alias| alias.kind.text.as_str());
                    let name = self.column_name(item, expression, alias, projecting)?;
                    let slot = match &expr {
                        Expr::Slot(slot) => *slot,
                        _ => self.slot(),
                    };
                    columns.push(Column { name, expr, kind, slot });
                }
                _ => return self.invalid(Problem::Syntax, item.span, "unknown projection"),
            }
            self.unique_names(item, &columns)?;
        }
        self.within = Within::Rows;
        Ok(columns)
    }

    fn unique_names(&self, item: &ProjectionItem, columns: &[Column]) -> Result<()> {
        let Some((last, before)) = columns.split_last() else { return Ok(()) };
        if before.iter().any(|column| column.name == last.name) {
            let message = format!("there are two columns `{}`", last.name);
            return self.invalid(Problem::Columns, item.span, message);
        }
        Ok(())
    }

    fn column_name(
        &self,
        item: &ProjectionItem,
        expression: &Ast,
        alias: Option<&str>,
        projecting: Projecting,
    ) -> Result<Arc<str>> {
        if let Some(alias) = alias {
            return Ok(alias.into());
        }
        if let ExprKind::Variable(name) = &expression.kind {
            return Ok(name.kind.text.as_str().into());
        }
        if projecting == Projecting::With {
            let message = "an expression in WITH needs a name: add AS";
            return self.invalid(Problem::Columns, item.span, message);
        }
        Ok(self.text.slice(expression.span).into())
    }

    /// Lowers the sort keys, each with its position in the text.
    fn sort_keys(
        &mut self,
        written: &ProjectionClause,
        grouped: bool,
    ) -> Result<Vec<(Sort, Span)>> {
        let items: &[SortItem] = written.order_by.as_ref().map_or(&[], |order| &order.items);
        self.within = if grouped { Within::Projection } else { Within::Rows };
        let keys = items.iter().map(|item| {
            let (key, _) = self.expr(&item.expression)?;
            let direction = match item.direction.as_ref().map(|direction| direction.kind) {
                Some(WrittenDirection::Descending) => SortDirection::Descending,
                _ => SortDirection::Ascending,
            };
            let nulls = match (item.nulls.as_ref().map(|nulls| nulls.kind), direction) {
                (Some(NullOrder::First), _) => Nulls::First,
                (Some(_), _) | (None, SortDirection::Ascending) => Nulls::Last,
                (None, SortDirection::Descending) => Nulls::First,
            };
            Ok((Sort { key, direction, nulls }, item.span))
        });
        let keys = keys.collect();
        self.within = Within::Rows;
        keys
    }

    /// Rewrites an expression after merged rows to use columns; fails if it needs anything else.
    fn only_columns(&self, expr: &mut Expr, merged: &Merged, span: Span) -> Result<()> {
        replace(expr, &|part| {
            merged.columns.iter().find(|(_, column)| column == part).map(|(slot, _)| *slot)
        });
        let lost = |slot: &Slot| {
            merged.old.has_slot(*slot) && !merged.columns.iter().any(|(kept, _)| kept == slot)
        };
        if aggregates(expr) || expr.slots().iter().any(lost) {
            let message = "only columns can be used after DISTINCT or an aggregation";
            return self.invalid(Problem::UndefinedVariable, span, message);
        }
        Ok(())
    }

    /// Splits columns into grouping keys and expressions over groups.
    fn group(&mut self, project: &mut Project, merged: &Merged, span: Span) -> Result<()> {
        let columns = std::mem::take(&mut project.items);
        let (results, keys): (Vec<_>, Vec<_>) =
            columns.into_iter().partition(|(_, expr)| aggregates(expr));
        let mut grouping = Grouping { aggregates: Vec::new(), results };
        for (_, result) in &mut grouping.results {
            settle(result, &keys, &mut grouping.aggregates, &mut self.slots);
            let loose = |slot: &Slot| {
                merged.old.has_slot(*slot) && !keys.iter().any(|(_, key)| *key == Expr::Slot(*slot))
            };
            if result.slots().iter().any(loose) {
                let message = "an expression with an aggregation mixes in what is not grouped by";
                let hint = "return that part as a column of its own, or use WITH before";
                return self.invalid_with(
                    Problem::Aggregation,
                    span,
                    message,
                    Some(hint.to_owned()),
                );
            }
        }
        project.items = keys;
        project.grouping = Some(grouping);
        Ok(())
    }

    /// Lowers `SKIP` or `LIMIT`. They cannot use variables, because they are the same for all rows.
    fn bound(&mut self, written: Option<&Ast>, what: &'static str) -> Result<Option<Expr>> {
        let Some(ast) = written else { return Ok(None) };
        if is_negative(ast) {
            return self.invalid(Problem::Number, ast.span, format!("{what} cannot be negative"));
        }
        let scope = std::mem::take(&mut self.scope);
        let lowered = self.expr(ast);
        self.scope = scope;
        let (bound, kind) = lowered?;
        self.need(ast, &kind, &Need::bound(what))?;
        Ok(Some(bound))
    }
}

fn is_negative(ast: &Ast) -> bool {
    let ExprKind::Unary { operator, operand } = &ast.kind else { return false };
    let ExprKind::Literal(literal) = &operand.kind else { return false };
    operator.kind == UnaryOperator::Minus && matches!(literal.kind, LiteralKind::Integer(_))
}
