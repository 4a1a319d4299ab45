//! Replacing parts of expressions by slots that hold their values.

use crate::plan::{Aggregation, Expr, Slot};

/// Whether an expression contains an aggregation.
pub(super) fn aggregates(expr: &Expr) -> bool {
    if matches!(expr, Expr::Aggregate(_)) {
        return true;
    }
    let mut found = false;
    // Subqueries aggregate on their own.
    if !matches!(expr, Expr::Subquery(..)) {
        expr.each_part(&mut |part| found = found || aggregates(part));
    }
    found
}

/// Replaces every part with a known slot, outermost first.
pub(super) fn replace(expr: &mut Expr, known: &dyn Fn(&Expr) -> Option<Slot>) {
    match known(expr) {
        Some(slot) => *expr = Expr::Slot(slot),
        None => each_part_mut(expr, &mut |part| replace(part, known)),
    }
}

/// Rewrites an expression, as far as possible, to use only grouping keys and aggregates.
///
/// Only keys that are variables or properties are replaced: openCypher does not define what larger
/// equal expressions mean.
pub(super) fn settle(
    expr: &mut Expr,
    keys: &[(Slot, Expr)],
    aggregates: &mut Vec<(Slot, Aggregation)>,
    slots: &mut usize,
) {
    if let Expr::Aggregate(call) = expr {
        let known = aggregates.iter().find(|(_, known)| *known == **call).map(|(slot, _)| *slot);
        let slot = known.unwrap_or_else(|| {
            *slots += 1;
            aggregates.push((*slots - 1, (**call).clone()));
            *slots - 1
        });
        *expr = Expr::Slot(slot);
        return;
    }
    let simple = matches!(expr, Expr::Slot(_) | Expr::Property { .. });
    match keys.iter().find(|(_, key)| simple && key == expr) {
        Some((slot, _)) => *expr = Expr::Slot(*slot),
        None => each_part_mut(expr, &mut |part| settle(part, keys, aggregates, slots)),
    }
}

/// Visits every direct subexpression outside nested patterns and queries.
fn each_part_mut(expr: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    match expr {
        Expr::Property { base, .. }
        | Expr::HasLabels { base, .. }
        | Expr::Not(base)
        | Expr::Negate(base, _)
        | Expr::IsNull(base) => visit(base),
        Expr::Index(pair, _)
        | Expr::Xor(pair)
        | Expr::Arithmetic(_, pair, _)
        | Expr::Text(_, pair, _)
        | Expr::In(pair, _) => {
            visit(&mut pair.0);
            visit(&mut pair.1);
        }
        Expr::Slice { base, from, to, .. } => {
            visit(base);
            from.iter_mut().chain(to).for_each(|bound| visit(bound));
        }
        Expr::List(parts) | Expr::And(parts) | Expr::Or(parts) | Expr::Call(_, parts, _) => {
            parts.iter_mut().for_each(visit);
        }
        Expr::Map(entries) => entries.iter_mut().for_each(|(_, value)| visit(value)),
        Expr::Projection { base, entries, .. } => {
            visit(base);
            entries.iter_mut().for_each(|(_, value)| visit(value));
        }
        Expr::Compare { first, rest } => {
            visit(first);
            rest.iter_mut().for_each(|(_, part)| visit(part));
        }
        other => each_part_of_construct_mut(other, visit),
    }
}

fn each_part_of_construct_mut(expr: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    match expr {
        Expr::Case { operand, arms, otherwise } => {
            operand.iter_mut().for_each(|operand| visit(operand));
            for (tests, then) in arms {
                tests.iter_mut().for_each(&mut *visit);
                visit(then);
            }
            visit(otherwise);
        }
        Expr::ListComprehension { list, filter, map, .. } => {
            visit(list);
            filter.iter_mut().for_each(|filter| visit(filter));
            visit(map);
        }
        Expr::Quantified { list, test, .. } => {
            visit(list);
            visit(test);
        }
        Expr::Reduce { start, list, next, .. } => {
            visit(start);
            visit(list);
            visit(next);
        }
        Expr::PatternComprehension { map, .. } => visit(map),
        _ => {}
    }
}
