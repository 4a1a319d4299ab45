//! Evaluates expressions.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::read::slice;
use super::{Exec, Flow, arithmetic};
use crate::error::{Result, failed};
use crate::plan::{
    Arithmetic, Comparison, Everything, Expr, Match, Quantifier, Query, Slot, Subquery, TextTest,
};
use crate::value::{List, Value};
use crate::{advice, compare};

impl<'q> Exec<'q> {
    /// Evaluates an expression.
    pub(super) fn eval(&mut self, expr: &'q Expr) -> Result<Value> {
        match expr {
            Expr::Const(value) => Ok(value.clone()),
            Expr::Slot(slot) => Ok(self.get(*slot).clone()),
            Expr::Property { base, name, key, place } => {
                let found = match &**base {
                    // The common case, without cloning the value in the slot.
                    Expr::Slot(slot) => self.property(self.get(*slot), name, *key),
                    base => {
                        let base = self.eval(base)?;
                        self.property(&base, name, *key)
                    }
                };
                let advice = || Some(advice::OF_PROPERTY.to_owned());
                found.map_err(|error| self.placed(error, *place, advice))
            }
            Expr::Parameter(name, place) => self.parameter(name, *place),
            Expr::Compare { first, rest } => Ok(self.comparisons(first, rest)?.into()),
            Expr::Not(inner) => Ok(self.truth(inner)?.map(|truth| !truth).into()),
            Expr::And(parts) => Ok(self.all(parts)?.into()),
            Expr::Or(parts) => Ok(self.any(parts)?.into()),
            Expr::Xor(pair) => {
                let (left, right) = (self.truth(&pair.0)?, self.truth(&pair.1)?);
                Ok(left.zip(right).map(|(left, right)| left != right).into())
            }
            Expr::Arithmetic(operator, pair, place) => {
                let (left, right) = (self.eval(&pair.0)?, self.eval(&pair.1)?);
                self.room_to_join(&left, &right)?;
                let advice = || Some(advice::of_operator(*operator));
                let value = arithmetic::apply(*operator, &left, &right)
                    .map_err(|error| self.placed(error, *place, advice))?;
                self.meter.built(value)
            }
            Expr::Text(test, pair, _) => self.tested(expr, *test, pair),
            Expr::In(pair, _) => {
                let (element, list) = (self.eval(&pair.0)?, self.eval(&pair.1)?);
                let found = self.contains(&list, &element);
                found.map_err(|error| self.advised(error, expr, advice::OF_IN))
            }
            Expr::IsNull(inner) => Ok(Value::Bool(self.eval(inner)?.is_null())),
            Expr::HasLabels { base, test, types, .. } => {
                let base = self.eval(base)?;
                let tested = self.has_labels(&base, test, types);
                tested.map_err(|error| self.advised(error, expr, advice::OF_LABELS))
            }
            Expr::Call(function, arguments, place) => {
                let arguments: Result<Vec<_>> =
                    arguments.iter().map(|argument| self.eval(argument)).collect();
                let arguments = arguments?;
                for argument in &arguments {
                    self.meter.pass(argument)?;
                }
                let value = self.call(*function, &arguments);
                let advice = || Some(advice::of_function(*function));
                value.map_err(|error| self.placed(error, *place, advice))
            }
            other => self.construct(other),
        }
    }

    /// Evaluates a condition; `None` means unknown.
    pub(super) fn truth(&mut self, expr: &'q Expr) -> Result<Option<bool>> {
        match expr {
            Expr::Compare { first, rest } => self.comparisons(first, rest),
            Expr::And(parts) => self.all(parts),
            Expr::Or(parts) => self.any(parts),
            Expr::Not(inner) => Ok(self.truth(inner)?.map(|truth| !truth)),
            _ => match self.eval(expr)? {
                Value::Bool(truth) => Ok(Some(truth)),
                Value::Null => Ok(None),
                other => {
                    let message = format!("a condition has to be a boolean, not {}", other.kind());
                    self.failed_in(expr, message, advice::OF_CONDITION)
                }
            },
        }
    }

    fn construct(&mut self, expr: &'q Expr) -> Result<Value> {
        match expr {
            Expr::List(parts) => {
                let parts: Result<_> = parts.iter().map(|part| self.eval(part)).collect();
                self.meter.built(Value::list(parts?))
            }
            Expr::Map(entries) => self.map(BTreeMap::new(), entries),
            Expr::Projection { base, all, entries } => self.projection(base, *all, entries),
            Expr::Index(pair, _) => {
                let (base, index) = (self.eval(&pair.0)?, self.eval(&pair.1)?);
                let found = self.index(&base, &index);
                found.map_err(|error| self.advised(error, expr, advice::OF_INDEX))
            }
            Expr::Slice { base, from, to, .. } => {
                let base = self.eval(base)?;
                let from = from.as_ref().map(|from| self.eval(from)).transpose()?;
                let to = to.as_ref().map(|to| self.eval(to)).transpose()?;
                self.meter.pass(&base)?;
                slice(&base, from, to).map_err(|error| self.advised(error, expr, advice::OF_SLICE))
            }
            Expr::Case { operand, arms, otherwise } => {
                self.case(operand.as_deref(), arms, otherwise)
            }
            Expr::ListComprehension { slot, list, filter, map, .. } => {
                let what = "a list comprehension";
                let Some(items) = self.items(expr, list, what)? else { return Ok(Value::Null) };
                self.comprehension(*slot, &items, filter.as_deref(), map)
            }
            Expr::Quantified { quantifier, slot, list, test, .. } => {
                let what = "a quantifier";
                let Some(items) = self.items(expr, list, what)? else { return Ok(Value::Null) };
                Ok(self.quantified(*quantifier, *slot, &items, test)?.into())
            }
            Expr::Reduce { sum, start, slot, list, next, .. } => {
                let start = self.eval(start)?;
                let Some(items) = self.items(expr, list, "reduce")? else {
                    return Ok(Value::Null);
                };
                self.set(*sum, start);
                for item in items.items() {
                    self.meter.step()?;
                    self.set(*slot, item.clone());
                    let value = self.eval(next)?;
                    self.set(*sum, value);
                }
                Ok(self.get(*sum).clone())
            }
            Expr::Negate(inner, place) => {
                let value = self.eval(inner)?;
                let advice = || Some(advice::of_operator(Arithmetic::Subtract));
                arithmetic::negate(&value).map_err(|error| self.placed(error, *place, advice))
            }
            Expr::Exists(pattern) => Ok(Value::Bool(self.exists(pattern)?)),
            Expr::PatternComprehension { pattern, map } => self.matches(pattern, map),
            Expr::Subquery(kind, query) => self.subquery(*kind, query),
            // Lowering replaces aggregations by slots.
            _ => failed("an aggregation was left over"),
        }
    }

    fn tested(&mut self, expr: &Expr, test: TextTest, pair: &'q (Expr, Expr)) -> Result<Value> {
        let (text, part) = (self.eval(&pair.0)?, self.eval(&pair.1)?);
        let passed = self.text_test(test, &text, &part);
        Ok(passed.map_err(|error| self.advised(error, expr, advice::OF_PATTERN))?.into())
    }

    fn comparisons(
        &mut self,
        first: &'q Expr,
        rest: &'q [(Comparison, Expr)],
    ) -> Result<Option<bool>> {
        let mut left = self.eval(first)?;
        let mut known = true;
        for (comparison, right) in rest {
            let right = self.eval(right)?;
            self.meter.compare(&left, &right)?;
            match compared(*comparison, &left, &right) {
                Some(true) => {}
                Some(false) => return Ok(Some(false)),
                None => known = false,
            }
            left = right;
        }
        Ok(known.then_some(true))
    }

    fn all(&mut self, parts: &'q [Expr]) -> Result<Option<bool>> {
        let mut known = true;
        for part in parts {
            match self.truth(part)? {
                Some(true) => {}
                Some(false) => return Ok(Some(false)),
                None => known = false,
            }
        }
        Ok(known.then_some(true))
    }

    fn any(&mut self, parts: &'q [Expr]) -> Result<Option<bool>> {
        let mut known = true;
        for part in parts {
            match self.truth(part)? {
                Some(true) => return Ok(Some(true)),
                Some(false) => {}
                None => known = false,
            }
        }
        Ok(known.then_some(false))
    }

    /// Checks limits before concatenation, which copies strings and lists.
    fn room_to_join(&mut self, left: &Value, right: &Value) -> Result<()> {
        let weight = left.shape().weight.saturating_add(right.shape().weight);
        match (left, right) {
            (Value::List(_), _) | (_, Value::List(_)) => {
                self.meter.over(weight)?;
                self.meter.room_for(weight)
            }
            (Value::String(_), _) | (_, Value::String(_)) => {
                self.meter.over(weight)?;
                self.meter.room_for_text(weight)
            }
            _ => Ok(()),
        }
    }

    fn map(
        &mut self,
        mut map: BTreeMap<Arc<str>, Value>,
        entries: &'q [(Arc<str>, Expr)],
    ) -> Result<Value> {
        for (name, value) in entries {
            let value = self.eval(value)?;
            map.insert(Arc::clone(name), value);
        }
        self.meter.built(Value::map(map))
    }

    fn projection(
        &mut self,
        base: &'q Expr,
        all: Everything,
        entries: &'q [(Arc<str>, Expr)],
    ) -> Result<Value> {
        let base = self.eval(base)?;
        if base.is_null() {
            return Ok(Value::Null);
        }
        self.meter.pass(&base)?;
        let start = match all {
            Everything::Yes => self.properties(&base)?,
            Everything::No => BTreeMap::new(),
        };
        self.map(start, entries)
    }

    fn case(
        &mut self,
        operand: Option<&'q Expr>,
        arms: &'q [(Vec<Expr>, Expr)],
        otherwise: &'q Expr,
    ) -> Result<Value> {
        let operand = operand.map(|operand| self.eval(operand)).transpose()?;
        for (tests, then) in arms {
            for test in tests {
                let chosen = match &operand {
                    Some(operand) => {
                        let test = self.eval(test)?;
                        self.meter.compare(operand, &test)?;
                        compare::equals(operand, &test)
                    }
                    None => self.truth(test)?,
                };
                if chosen == Some(true) {
                    return self.eval(then);
                }
            }
        }
        self.eval(otherwise)
    }

    /// Evaluates the list that an expression iterates over; `None` if it is null.
    fn items(&mut self, of: &Expr, list: &'q Expr, what: &str) -> Result<Option<Arc<List>>> {
        match self.eval(list)? {
            Value::Null => Ok(None),
            Value::List(list) => Ok(Some(list)),
            other => {
                let message = format!("{what} needs a list, not {}", other.kind());
                self.failed_in(of, message, advice::OF_LIST)
            }
        }
    }

    fn comprehension(
        &mut self,
        slot: Slot,
        items: &List,
        filter: Option<&'q Expr>,
        map: &'q Expr,
    ) -> Result<Value> {
        let (mut found, mut weight) = (Vec::new(), 0_u64);
        for item in items.items() {
            self.meter.step()?;
            self.set(slot, item.clone());
            let keep = match filter {
                Some(filter) => self.truth(filter)? == Some(true),
                None => true,
            };
            if keep {
                let value = self.eval(map)?;
                weight = weight.saturating_add(value.shape().weight);
                self.meter.room_for(weight)?;
                found.push(value);
            }
        }
        self.meter.built(Value::list(found))
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        slot: Slot,
        items: &List,
        test: &'q Expr,
    ) -> Result<Option<bool>> {
        let (mut held, mut unknown, mut broken) = (0_u64, 0_u64, 0_u64);
        for item in items.items() {
            self.meter.step()?;
            self.set(slot, item.clone());
            match self.truth(test)? {
                Some(true) => held += 1,
                Some(false) => broken += 1,
                None => unknown += 1,
            }
        }
        Ok(match quantifier {
            Quantifier::All if broken > 0 => Some(false),
            Quantifier::Any if held > 0 => Some(true),
            Quantifier::None if held > 0 => Some(false),
            Quantifier::Single if held > 1 => Some(false),
            _ if unknown > 0 => None,
            Quantifier::All | Quantifier::None => Some(true),
            Quantifier::Any => Some(false),
            Quantifier::Single => Some(held == 1),
        })
    }

    fn exists(&mut self, pattern: &'q Match) -> Result<bool> {
        let mut found = false;
        let _ = self.steps(&pattern.steps, &mut |_| {
            found = true;
            Ok(Flow::Break(()))
        })?;
        Ok(found)
    }

    fn matches(&mut self, pattern: &'q Match, map: &'q Expr) -> Result<Value> {
        let (mut found, mut weight) = (Vec::new(), 0_u64);
        let _ = self.steps(&pattern.steps, &mut |exec| {
            let value = exec.eval(map)?;
            weight = weight.saturating_add(value.shape().weight);
            exec.meter.room_for(weight)?;
            found.push(value);
            Ok(Flow::Continue(()))
        })?;
        self.meter.built(Value::list(found))
    }

    fn subquery(&mut self, kind: Subquery, query: &'q Query) -> Result<Value> {
        let (mut count, mut found, mut weight) = (0_i64, Vec::new(), 0_u64);
        // The weight of the surrounding row does not apply to rows of the subquery.
        let around = std::mem::replace(&mut self.weight, 1);
        let done = self.query(query, &mut |exec, outputs| {
            count = count.saturating_add_unsigned(exec.weight);
            match kind {
                Subquery::Exists => return Ok(Flow::Break(())),
                Subquery::Count => {}
                Subquery::Collect => {
                    let value = outputs.first().map(|slot| exec.get(*slot).clone());
                    let value = value.unwrap_or_default();
                    weight = weight.saturating_add(value.shape().weight);
                    exec.meter.room_for(weight)?;
                    found.push(value);
                }
            }
            Ok(Flow::Continue(()))
        });
        self.weight = around;
        done?;
        match kind {
            Subquery::Exists => Ok(Value::Bool(count > 0)),
            Subquery::Count => Ok(Value::Int(count)),
            Subquery::Collect => self.meter.built(Value::list(found)),
        }
    }
}

fn compared(comparison: Comparison, left: &Value, right: &Value) -> Option<bool> {
    let ordered = |holds: fn(Ordering) -> bool| {
        compare::compare(left, right).map(|ordering| ordering.is_some_and(holds))
    };
    match comparison {
        Comparison::Equal => compare::equals(left, right),
        Comparison::NotEqual => compare::equals(left, right).map(|equal| !equal),
        Comparison::Less => ordered(Ordering::is_lt),
        Comparison::LessEqual => ordered(Ordering::is_le),
        Comparison::Greater => ordered(Ordering::is_gt),
        Comparison::GreaterEqual => ordered(Ordering::is_ge),
    }
}
