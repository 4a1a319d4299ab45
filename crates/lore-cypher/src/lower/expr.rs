//! Lowering expressions.

use std::sync::Arc;

use open_cypher::ast::{
    BinaryOperator, Expr as Ast, ExprKind, IsPredicate, LabelExpression, LabelExpressionKind,
    MapEntry, MapProjection, MapProjectionItemKind, Name, ParameterName, UnaryOperator,
};

use super::Lower;
use super::check::Need;
use crate::advice;
use crate::error::{Problem, Result};
use crate::plan::{Arithmetic, Comparison, Everything, Expr, LabelTest, Place, TextTest};
use crate::types::{Accepts, Type};
use crate::value::Value;

impl Lower<'_> {
    /// Lowers a condition: an expression that is true, false or null.
    pub(super) fn condition(&mut self, ast: &Ast) -> Result<Expr> {
        match &ast.kind {
            ExprKind::Parenthesized(inner) => self.condition(inner),
            ExprKind::Unary { operator, operand } if operator.kind == UnaryOperator::Not => {
                Ok(Expr::Not(Box::new(self.condition(operand)?)))
            }
            ExprKind::Binary { left, operator, right } => match operator.kind {
                BinaryOperator::And => {
                    Ok(Expr::And(self.conditions(left, right, operator.kind)?))
                }
                BinaryOperator::Or => Ok(Expr::Or(self.conditions(left, right, operator.kind)?)),
                BinaryOperator::Xor => {
                    Ok(Expr::Xor(Box::new((self.condition(left)?, self.condition(right)?))))
                }
                _ => self.checked_condition(ast),
            },
            ExprKind::Pattern(pattern) => self.pattern_exists(pattern),
            _ => self.checked_condition(ast),
        }
    }

    /// Lowers an expression and determines its type.
    pub(super) fn expr(&mut self, ast: &Ast) -> Result<(Expr, Type)> {
        match &ast.kind {
            ExprKind::Literal(literal) => {
                let (value, kind) = self.literal(literal)?;
                Ok((Expr::Const(value), kind))
            }
            ExprKind::Variable(name) => match self.scope.get(&name.kind.text) {
                Some(variable) => Ok((Expr::Slot(variable.slot), variable.kind.clone())),
                None => self.undefined(name),
            },
            ExprKind::Parameter(parameter) => {
                let place = Place(ast.span.start);
                Ok((parameter_of(&parameter.name, place), Type::Any))
            }
            ExprKind::Parenthesized(inner) => self.expr(inner),
            ExprKind::List(items) => self.list(items),
            ExprKind::Map(entries) => Ok((constant_map(self.entries(entries)?), Type::Map)),
            ExprKind::MapProjection(projection) => self.map_projection(projection),
            ExprKind::Unary { operator, operand } => self.unary(ast, operator.kind, operand),
            ExprKind::Binary { left, operator, right } => {
                self.binary(ast, left, operator.kind, right)
            }
            ExprKind::Is { expression, negated, predicate } => {
                let test = self.is(ast, expression, predicate)?;
                let test = if *negated { Expr::Not(Box::new(test)) } else { test };
                Ok((test, Type::Bool))
            }
            ExprKind::Property { expression, key } => self.property(ast, expression, key),
            ExprKind::DynamicProperty { expression, key } => self.index(expression, key),
            ExprKind::Index { expression, index } => self.index(expression, index),
            ExprKind::Slice { expression, lower, upper } => {
                self.slice(expression, lower.as_deref(), upper.as_deref())
            }
            _ => self.construct(ast),
        }
    }

    /// Lowers expressions with their own syntax, such as calls and `CASE`.
    fn construct(&mut self, ast: &Ast) -> Result<(Expr, Type)> {
        match &ast.kind {
            ExprKind::Function(call) => self.call(ast, call),
            ExprKind::Case(case) => self.case(case),
            ExprKind::ListComprehension(comprehension) => {
                self.list_comprehension(ast, comprehension)
            }
            ExprKind::PatternComprehension(found) => self.pattern_comprehension(found),
            ExprKind::Reduce(reduce) => self.reduce(ast, reduce),
            ExprKind::QuantifiedPredicate(predicate) => self.quantified(ast, predicate),
            ExprKind::Subquery(subquery) => self.subquery(subquery),
            ExprKind::Pattern(pattern) => {
                let message = "a pattern can only be a condition, as in WHERE";
                let hint = "count matches with count { ... }, list them with [ ... | ... ]";
                self.invalid_with(Problem::Syntax, pattern.span, message, Some(hint.to_owned()))
            }
            ExprKind::Wildcard => {
                self.invalid(Problem::Syntax, ast.span, "`*` cannot be used as a value")
            }
            _ => self.invalid(Problem::Syntax, ast.span, "this is not an expression"),
        }
    }

    fn checked_condition(&mut self, ast: &Ast) -> Result<Expr> {
        let (condition, kind) = self.expr(ast)?;
        self.need(ast, &kind, &Need::CONDITION)?;
        Ok(condition)
    }

    /// Lowers `a AND b AND c` to three parts, so that long chains do not become deep trees.
    fn conditions(
        &mut self,
        left: &Ast,
        right: &Ast,
        operator: BinaryOperator,
    ) -> Result<Vec<Expr>> {
        let operands = chain(left, right, operator);
        operands.into_iter().map(|operand| self.condition(operand)).collect()
    }

    fn list(&mut self, items: &[Ast]) -> Result<(Expr, Type)> {
        let mut kind = Type::Null;
        let mut parts = Vec::with_capacity(items.len());
        for item in items {
            let (part, part_kind) = self.expr(item)?;
            kind = kind.join(part_kind);
            parts.push(part);
        }
        if items.is_empty() {
            kind = Type::Any;
        }
        let values: Option<Vec<_>> = parts.iter().map(constant).collect();
        let list = values.map_or(Expr::List(parts), |values| Expr::Const(Value::list(values)));
        Ok((list, Type::List(Box::new(kind))))
    }

    fn entries(&mut self, entries: &[MapEntry]) -> Result<Vec<(Arc<str>, Expr)>> {
        let entry = |entry: &MapEntry| {
            Ok((Arc::from(entry.key.kind.text.as_str()), self.expr(&entry.value)?.0))
        };
        entries.iter().map(entry).collect()
    }

    fn map_projection(&mut self, projection: &MapProjection) -> Result<(Expr, Type)> {
        let (base, kind) = self.expr(&projection.base)?;
        self.need(&projection.base, &kind, &Need::PROJECTION)?;
        let (mut all, mut entries) = (Everything::No, Vec::new());
        for item in &projection.items {
            match &item.kind {
                MapProjectionItemKind::AllProperties => all = Everything::Yes,
                MapProjectionItemKind::Property(name) => {
                    let value = self.property_of(base.clone(), name, Place(name.span.start));
                    entries.push((Arc::from(name.kind.text.as_str()), value));
                }
                MapProjectionItemKind::Variable(name) => {
                    let Some(variable) = self.scope.get(&name.kind.text) else {
                        return self.undefined(name);
                    };
                    entries.push((Arc::clone(&variable.name), Expr::Slot(variable.slot)));
                }
                MapProjectionItemKind::Entry(entry) => {
                    entries.extend(self.entries(std::slice::from_ref(entry))?);
                }
                _ => return self.invalid(Problem::Syntax, item.span, "unknown projection"),
            }
        }
        Ok((Expr::Projection { base: Box::new(base), all, entries }, Type::Map))
    }

    fn unary(&mut self, ast: &Ast, operator: UnaryOperator, operand: &Ast) -> Result<(Expr, Type)> {
        if operator == UnaryOperator::Not {
            let (inner, kind) = self.expr(operand)?;
            self.need(operand, &kind, &Need::NOT)?;
            return Ok((Expr::Not(Box::new(inner)), Type::Bool));
        }
        if operator == UnaryOperator::Minus
            && let Some(number) = self.negated_literal(operand)
        {
            return Ok((Expr::Const(Value::Int(number)), Type::Int));
        }
        let (inner, kind) = self.expr(operand)?;
        self.need(operand, &kind, &Need::SIGN)?;
        if operator == UnaryOperator::Plus {
            return Ok((inner, kind));
        }
        Ok((Expr::Negate(Box::new(inner), Place(ast.span.start)), kind))
    }

    fn binary(
        &mut self,
        ast: &Ast,
        left: &Ast,
        operator: BinaryOperator,
        right: &Ast,
    ) -> Result<(Expr, Type)> {
        use BinaryOperator as B;
        match operator {
            B::And | B::Or | B::Xor => self.logic(left, operator, right),
            B::Equal | B::NotEqual | B::Less | B::LessEqual | B::Greater | B::GreaterEqual => {
                self.comparison(ast)
            }
            B::Add | B::Concat => self.arithmetic(ast, Arithmetic::Add, left, right),
            B::Subtract => self.arithmetic(ast, Arithmetic::Subtract, left, right),
            B::Multiply => self.arithmetic(ast, Arithmetic::Multiply, left, right),
            B::Divide => self.arithmetic(ast, Arithmetic::Divide, left, right),
            B::Remainder => self.arithmetic(ast, Arithmetic::Remainder, left, right),
            B::Power => self.arithmetic(ast, Arithmetic::Power, left, right),
            B::StartsWith => self.text_test(TextTest::StartsWith, left, right),
            B::EndsWith => self.text_test(TextTest::EndsWith, left, right),
            B::Contains => self.text_test(TextTest::Contains, left, right),
            B::RegexMatch => self.text_test(TextTest::Matches, left, right),
            B::In => {
                let (element, _) = self.expr(left)?;
                let (list, kind) = self.expr(right)?;
                self.need(right, &kind, &Need::IN)?;
                let place = Place(right.span.start);
                Ok((Expr::In(Box::new((element, list)), place), Type::Bool))
            }
            _ => self.invalid(Problem::Syntax, ast.span, "unknown operator"),
        }
    }

    fn logic(&mut self, left: &Ast, operator: BinaryOperator, right: &Ast) -> Result<(Expr, Type)> {
        let mut operands = Vec::new();
        for operand in chain(left, right, operator) {
            let (part, kind) = self.expr(operand)?;
            self.need(operand, &kind, &Need::LOGIC)?;
            operands.push(part);
        }
        let logic = match operator {
            BinaryOperator::And => Expr::And(operands),
            BinaryOperator::Or => Expr::Or(operands),
            _ => {
                let mut operands = operands.into_iter();
                let first = operands.next().unwrap_or(Expr::Const(Value::Null));
                operands.fold(first, |left, right| Expr::Xor(Box::new((left, right))))
            }
        };
        Ok((logic, Type::Bool))
    }

    fn comparison(&mut self, ast: &Ast) -> Result<(Expr, Type)> {
        let mut links = Vec::new();
        let mut first = ast;
        while let ExprKind::Binary { left, operator, right } = &first.kind {
            let Some(comparison) = comparison_of(operator.kind) else { break };
            links.push((comparison, right.as_ref()));
            first = left;
        }
        let first = Box::new(self.expr(first)?.0);
        let rest: Result<_> = links
            .into_iter()
            .rev()
            .map(|(comparison, operand)| Ok((comparison, self.expr(operand)?.0)))
            .collect();
        Ok((Expr::Compare { first, rest: rest? }, Type::Bool))
    }

    fn arithmetic(
        &mut self,
        ast: &Ast,
        operator: Arithmetic,
        left: &Ast,
        right: &Ast,
    ) -> Result<(Expr, Type)> {
        let (left, left_kind) = self.expr(left)?;
        let (right, right_kind) = self.expr(right)?;
        let kind = self.arithmetic_type(ast.span, operator, &left_kind, &right_kind)?;
        let place = Place(ast.span.start);
        Ok((Expr::Arithmetic(operator, Box::new((left, right)), place), kind))
    }

    fn text_test(&mut self, test: TextTest, left: &Ast, right: &Ast) -> Result<(Expr, Type)> {
        // An operand that is not a string makes the result null; it is not an error.
        let (text, part) = (self.expr(left)?.0, self.expr(right)?.0);
        let place = Place(right.span.start);
        Ok((Expr::Text(test, Box::new((text, part)), place), Type::Bool))
    }

    fn is(&mut self, ast: &Ast, expression: &Ast, predicate: &IsPredicate) -> Result<Expr> {
        match predicate {
            IsPredicate::Null => Ok(Expr::IsNull(Box::new(self.expr(expression)?.0))),
            IsPredicate::Label(labels) => {
                let (base, kind) = self.expr(expression)?;
                self.need(expression, &kind, &Need::LABELED)?;
                let test = self.labels(labels)?;
                let types = type_names(labels);
                let place = Place(ast.span.start);
                Ok(Expr::HasLabels { base: Box::new(base), test, types, place })
            }
            _ => self.refused(ast.span, "tests on value types are not supported"),
        }
    }

    fn property(&mut self, ast: &Ast, expression: &Ast, key: &Name) -> Result<(Expr, Type)> {
        const ACCEPTED: &[Accepts] =
            &[Accepts::Node, Accepts::Relationship, Accepts::Map, Accepts::Temporal];
        let (base, kind) = self.expr(expression)?;
        if !kind.may_be(ACCEPTED) {
            let what = format!("reading `.{}` needs a node, relationship or map", key.kind.text);
            return self.wrong_type(ast.span, &what, &kind, advice::OF_PROPERTY.to_owned());
        }
        Ok((self.property_of(base, key, Place(ast.span.start)), Type::Any))
    }

    pub(super) fn property_of(&self, base: Expr, key: &Name, place: Place) -> Expr {
        let name = key.kind.text.as_str();
        Expr::Property {
            base: Box::new(base),
            name: name.into(),
            key: self.graph.key_id(name),
            place,
        }
    }

    fn index(&mut self, base: &Ast, index: &Ast) -> Result<(Expr, Type)> {
        let (inner, kind) = self.expr(base)?;
        self.need(base, &kind, &Need::INDEXED)?;
        let (at, at_kind) = self.expr(index)?;
        self.need(index, &at_kind, &Need::INDEX)?;
        if matches!(kind, Type::List(_)) {
            self.need(index, &at_kind, &Need::PLACE)?;
        }
        Ok((Expr::Index(Box::new((inner, at)), Place(base.span.start)), kind.element()))
    }

    fn slice(&mut self, base: &Ast, from: Option<&Ast>, to: Option<&Ast>) -> Result<(Expr, Type)> {
        let (inner, kind) = self.expr(base)?;
        self.need(base, &kind, &Need::SLICED)?;
        let mut bound = |ast: Option<&Ast>| -> Result<Option<Box<Expr>>> {
            let Some(ast) = ast else { return Ok(None) };
            let (bound, kind) = self.expr(ast)?;
            self.need(ast, &kind, &Need::SLICE)?;
            Ok(Some(Box::new(bound)))
        };
        let (from, to) = (bound(from)?, bound(to)?);
        let place = Place(base.span.start);
        Ok((Expr::Slice { base: Box::new(inner), from, to, place }, kind))
    }

    /// Lowers a test on labels.
    pub(super) fn labels(&self, found: &LabelExpression) -> Result<LabelTest> {
        let each = |parts: &[LabelExpression]| -> Result<Vec<_>> {
            parts.iter().map(|part| self.labels(part)).collect()
        };
        Ok(match &found.kind {
            LabelExpressionKind::Name(name) => LabelTest::Is(self.graph.label_id(&name.kind.text)),
            LabelExpressionKind::Wildcard => LabelTest::Any,
            LabelExpressionKind::Not(inner) => LabelTest::Not(Box::new(self.labels(inner)?)),
            LabelExpressionKind::And(parts) => LabelTest::All(each(parts)?),
            LabelExpressionKind::Or(parts) => LabelTest::OneOf(each(parts)?),
            LabelExpressionKind::Parenthesized(inner) => self.labels(inner)?,
            _ => return self.invalid(Problem::Syntax, found.span, "this is not a label"),
        })
    }
}

/// The operands of a chain of one operator, in order.
fn chain<'a>(left: &'a Ast, right: &'a Ast, operator: BinaryOperator) -> Vec<&'a Ast> {
    let mut operands = vec![right];
    let mut first = left;
    while let ExprKind::Binary { left, operator: next, right } = &first.kind {
        if next.kind != operator {
            break;
        }
        operands.push(right);
        first = left;
    }
    operands.push(first);
    operands.reverse();
    operands
}

fn comparison_of(operator: BinaryOperator) -> Option<Comparison> {
    Some(match operator {
        BinaryOperator::Equal => Comparison::Equal,
        BinaryOperator::NotEqual => Comparison::NotEqual,
        BinaryOperator::Less => Comparison::Less,
        BinaryOperator::LessEqual => Comparison::LessEqual,
        BinaryOperator::Greater => Comparison::Greater,
        BinaryOperator::GreaterEqual => Comparison::GreaterEqual,
        _ => return None,
    })
}

fn parameter_of(name: &ParameterName, place: Place) -> Expr {
    let (ParameterName::Named(name) | ParameterName::Positional(name)) = name else {
        return Expr::Const(Value::Null);
    };
    Expr::Parameter(name.as_str().into(), place)
}

fn constant(part: &Expr) -> Option<Value> {
    match part {
        Expr::Const(value) => Some(value.clone()),
        _ => None,
    }
}

fn constant_map(entries: Vec<(Arc<str>, Expr)>) -> Expr {
    let values: Option<_> =
        entries.iter().map(|(name, value)| Some((Arc::clone(name), constant(value)?))).collect();
    values.map_or(Expr::Map(entries), |values| Expr::Const(Value::map(values)))
}

/// The type names in a label test, for use on relationships. Negations are ignored.
fn type_names(labels: &LabelExpression) -> Vec<Arc<str>> {
    match &labels.kind {
        LabelExpressionKind::Name(name) => vec![name.kind.text.as_str().into()],
        LabelExpressionKind::And(parts) | LabelExpressionKind::Or(parts) => {
            parts.iter().flat_map(type_names).collect()
        }
        LabelExpressionKind::Parenthesized(inner) => type_names(inner),
        _ => Vec::new(),
    }
}
