//! Expressions.

use std::sync::Arc;

use open_cypher::ast::{
    BinaryOperator, CaseExpression, Expr as Ast, ExprKind, FunctionInvocation, IsPredicate,
    LabelExpression, LabelExpressionKind, ListComprehension, MapEntry, MapProjection,
    MapProjectionItemKind, Name, ParameterName, PatternComprehension, QuantifiedPredicate,
    QuantifiedPredicateKind, QueryKind, ReduceExpression, SetQuantifier, SubqueryExpression,
    SubqueryExpressionKind, UnaryOperator,
};

use super::pattern::Names;
use super::{Ending, Lower, Within, optimise, order};
use crate::error::{Problem, Result};
use crate::functions::{self, Aggregate, Function};
use crate::plan::{
    Aggregation, Arithmetic, Comparison, Distinct, Everything, Expr, LabelTest, Match, Quantifier,
    Subquery, TextTest,
};
use crate::types::{Accepts, Type};
use crate::value::Value;

const BOOL: &[Accepts] = &[Accepts::Bool];

impl Lower<'_> {
    /// A condition: something that is true, false or unknown.
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

    /// An expression and what is known about its value.
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
            ExprKind::Parameter(parameter) => Ok((parameter_of(&parameter.name), Type::Any)),
            ExprKind::Parenthesized(inner) => self.expr(inner),
            ExprKind::List(items) => self.list(items),
            ExprKind::Map(entries) => Ok((constant_map(self.entries(entries)?), Type::Map)),
            ExprKind::MapProjection(projection) => self.map_projection(projection),
            ExprKind::Unary { operator, operand } => self.unary(operator.kind, operand),
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

    /// Expressions with an inside of their own.
    fn construct(&mut self, ast: &Ast) -> Result<(Expr, Type)> {
        match &ast.kind {
            ExprKind::Function(call) => self.call(ast, call),
            ExprKind::Case(case) => self.case(case),
            ExprKind::ListComprehension(comprehension) => self.list_comprehension(comprehension),
            ExprKind::PatternComprehension(found) => self.pattern_comprehension(found),
            ExprKind::Reduce(reduce) => self.reduce(reduce),
            ExprKind::QuantifiedPredicate(predicate) => self.quantified(predicate),
            ExprKind::Subquery(subquery) => self.subquery(subquery),
            ExprKind::Pattern(pattern) => {
                let message = "a pattern can only be a condition, as in WHERE";
                let hint = "count matches with count { ... }, list them with [ ... | ... ]";
                self.invalid_with(Problem::Syntax, pattern.span, message, Some(hint.to_owned()))
            }
            ExprKind::Wildcard => {
                self.invalid(Problem::Syntax, ast.span, "`*` cannot be used as a value")
            }
            _ => self.invalid(Problem::Syntax, ast.span, "this is no expression"),
        }
    }

    fn checked_condition(&mut self, ast: &Ast) -> Result<Expr> {
        let (condition, kind) = self.expr(ast)?;
        self.need(ast, &kind, BOOL, "a condition")?;
        Ok(condition)
    }

    /// `a AND b AND c` as three parts; long chains are no deep trees.
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
        const ACCEPTED: &[Accepts] = &[Accepts::Node, Accepts::Relationship, Accepts::Map];
        let (base, kind) = self.expr(&projection.base)?;
        self.need(&projection.base, &kind, ACCEPTED, "a map projection")?;
        let (mut all, mut entries) = (Everything::No, Vec::new());
        for item in &projection.items {
            match &item.kind {
                MapProjectionItemKind::AllProperties => all = Everything::Yes,
                MapProjectionItemKind::Property(name) => {
                    let value = self.property_of(base.clone(), name);
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

    fn unary(&mut self, operator: UnaryOperator, operand: &Ast) -> Result<(Expr, Type)> {
        const ACCEPTED: &[Accepts] = &[Accepts::Number, Accepts::Temporal];
        if operator == UnaryOperator::Not {
            let (inner, kind) = self.expr(operand)?;
            self.need(operand, &kind, BOOL, "NOT")?;
            return Ok((Expr::Not(Box::new(inner)), Type::Bool));
        }
        if operator == UnaryOperator::Minus
            && let Some(number) = self.negated_literal(operand)
        {
            return Ok((Expr::Const(Value::Int(number)), Type::Int));
        }
        let (inner, kind) = self.expr(operand)?;
        self.need(operand, &kind, ACCEPTED, "a sign")?;
        if operator == UnaryOperator::Plus {
            return Ok((inner, kind));
        }
        Ok((Expr::Negate(Box::new(inner)), kind))
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
                self.need(right, &kind, &[Accepts::List], "IN")?;
                Ok((Expr::In(Box::new((element, list))), Type::Bool))
            }
            _ => self.invalid(Problem::Syntax, ast.span, "unknown operator"),
        }
    }

    fn logic(&mut self, left: &Ast, operator: BinaryOperator, right: &Ast) -> Result<(Expr, Type)> {
        let mut operands = Vec::new();
        for operand in chain(left, right, operator) {
            let (part, kind) = self.expr(operand)?;
            self.need(operand, &kind, BOOL, "AND, OR and XOR")?;
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
        Ok((Expr::Arithmetic(operator, Box::new((left, right))), kind))
    }

    fn text_test(&mut self, test: TextTest, left: &Ast, right: &Ast) -> Result<(Expr, Type)> {
        // What is no text is unknown, not wrong.
        let (text, part) = (self.expr(left)?.0, self.expr(right)?.0);
        Ok((Expr::Text(test, Box::new((text, part))), Type::Bool))
    }

    fn is(&mut self, ast: &Ast, expression: &Ast, predicate: &IsPredicate) -> Result<Expr> {
        match predicate {
            IsPredicate::Null => Ok(Expr::IsNull(Box::new(self.expr(expression)?.0))),
            IsPredicate::Label(labels) => {
                const ACCEPTED: &[Accepts] = &[Accepts::Node, Accepts::Relationship];
                let (base, kind) = self.expr(expression)?;
                self.need(expression, &kind, ACCEPTED, "a test on labels")?;
                let test = self.labels(labels)?;
                let types = type_names(labels);
                Ok(Expr::HasLabels { base: Box::new(base), test, types })
            }
            _ => self.refused(ast.span, "tests on value types are not supported"),
        }
    }

    fn property(&mut self, ast: &Ast, expression: &Ast, key: &Name) -> Result<(Expr, Type)> {
        const ACCEPTED: &[Accepts] =
            &[Accepts::Node, Accepts::Relationship, Accepts::Map, Accepts::Temporal];
        let (base, kind) = self.expr(expression)?;
        if !kind.may_be(ACCEPTED) {
            let what = format!("reading `.{}`", key.kind.text);
            return self.wrong_type(ast.span, &what, "a node, relationship or map", &kind);
        }
        Ok((self.property_of(base, key), Type::Any))
    }

    pub(super) fn property_of(&self, base: Expr, key: &Name) -> Expr {
        let name = key.kind.text.as_str();
        Expr::Property { base: Box::new(base), name: name.into(), key: self.graph.key_id(name) }
    }

    fn index(&mut self, base: &Ast, index: &Ast) -> Result<(Expr, Type)> {
        const ACCEPTED: &[Accepts] =
            &[Accepts::List, Accepts::Map, Accepts::Node, Accepts::Relationship];
        const KEYS: &[Accepts] = &[Accepts::Int, Accepts::String];
        let (inner, kind) = self.expr(base)?;
        self.need(base, &kind, ACCEPTED, "`[...]`")?;
        let (at, at_kind) = self.expr(index)?;
        self.need(index, &at_kind, KEYS, "an index")?;
        if matches!(kind, Type::List(_)) {
            self.need(index, &at_kind, &[Accepts::Int], "the index of a list")?;
        }
        Ok((Expr::Index(Box::new((inner, at))), kind.element()))
    }

    fn slice(&mut self, base: &Ast, from: Option<&Ast>, to: Option<&Ast>) -> Result<(Expr, Type)> {
        let (inner, kind) = self.expr(base)?;
        self.need(base, &kind, &[Accepts::List], "a slice")?;
        let mut bound = |ast: Option<&Ast>| -> Result<Option<Box<Expr>>> {
            let Some(ast) = ast else { return Ok(None) };
            let (bound, kind) = self.expr(ast)?;
            self.need(ast, &kind, &[Accepts::Int], "the bound of a slice")?;
            Ok(Some(Box::new(bound)))
        };
        let (from, to) = (bound(from)?, bound(to)?);
        Ok((Expr::Slice { base: Box::new(inner), from, to }, kind))
    }

    fn call(&mut self, ast: &Ast, call: &FunctionInvocation) -> Result<(Expr, Type)> {
        let parts: Vec<_> = call.name.parts.iter().map(|part| part.kind.text.as_str()).collect();
        let name = parts.join(".");
        if let Some((aggregate, arguments)) = functions::aggregate(&name) {
            return self.aggregate(ast, call, &name, aggregate, arguments);
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
        let mut arguments = Vec::new();
        let mut kinds = Vec::new();
        for argument in &call.arguments {
            let (argument, kind) = self.expr(argument)?;
            arguments.push(argument);
            kinds.push(kind);
        }
        self.fits(spec, &name, ast.span, &kinds)?;
        let kind = spec.result.of(kinds.first().unwrap_or(&Type::Any));
        Ok((Expr::Call(spec.function, arguments), kind))
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
        let call = Aggregation { function, distinct, argument, parameter };
        Ok((Expr::Aggregate(Box::new(call)), result))
    }

    fn case(&mut self, case: &CaseExpression) -> Result<(Expr, Type)> {
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

    fn list_comprehension(&mut self, found: &ListComprehension) -> Result<(Expr, Type)> {
        let (list, kind) = self.expr(&found.list)?;
        self.need(&found.list, &kind, &[Accepts::List], "a list comprehension")?;
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
        let list = Box::new(list);
        Ok((Expr::ListComprehension { slot, list, filter, map }, Type::List(Box::new(map_kind))))
    }

    fn quantified(&mut self, found: &QuantifiedPredicate) -> Result<(Expr, Type)> {
        let (list, kind) = self.expr(&found.list)?;
        self.need(&found.list, &kind, &[Accepts::List], "a quantifier")?;
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
        let (list, test) = (Box::new(list), Box::new(test));
        Ok((Expr::Quantified { quantifier, slot, list, test }, Type::Bool))
    }

    fn reduce(&mut self, found: &ReduceExpression) -> Result<(Expr, Type)> {
        let (start, start_kind) = self.expr(&found.initial)?;
        let (list, kind) = self.expr(&found.list)?;
        self.need(&found.list, &kind, &[Accepts::List], "reduce")?;
        let (sum, slot) = (self.slot(), self.slot());
        // What is accumulated may change its type on the way.
        let names = [(&found.accumulator, sum, Type::Any), (&found.variable, slot, kind.element())];
        let (next, next_kind) = self.inside(&names, |lower| lower.expr(&found.expression))?;
        let (start, list, next) = (Box::new(start), Box::new(list), Box::new(next));
        Ok((Expr::Reduce { sum, start, slot, list, next }, start_kind.join(next_kind)))
    }

    /// Names that exist only inside an expression.
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
        let mut steps = order::steps(pattern, self.graph);
        optimise::reach(&mut steps, optimise::Rows::Merged, |_| false);
        Ok(Expr::Exists(Box::new(Match { steps, optional: None })))
    }

    fn pattern_comprehension(&mut self, found: &PatternComprehension) -> Result<(Expr, Type)> {
        let (mark, within) = (self.scope.mark(), self.within);
        self.within = if within == Within::Rows { within } else { Within::Elements };
        let mut pattern = self.pattern_named(found.binding.as_ref(), &found.pattern)?;
        if let Some(condition) = &found.predicate {
            pattern.conditions.push(self.condition(condition)?);
        }
        let (map, kind) = self.expr(&found.projection)?;
        self.within = within;
        self.scope.forget(mark);
        let steps = order::steps(pattern, self.graph);
        let pattern = Box::new(Match { steps, optional: None });
        let map = Box::new(map);
        Ok((Expr::PatternComprehension { pattern, map }, Type::List(Box::new(kind))))
    }

    fn subquery(&mut self, found: &SubqueryExpression) -> Result<(Expr, Type)> {
        let QueryKind::Regular(regular) = &found.query.kind else {
            return self.invalid(Problem::Syntax, found.query.span, "this is no query");
        };
        let (subquery, ending, kind) = match found.kind.kind {
            SubqueryExpressionKind::Exists => (Subquery::Exists, Ending::Anything, Type::Bool),
            SubqueryExpressionKind::Count => (Subquery::Count, Ending::Anything, Type::Int),
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

    /// A test on labels.
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
            _ => return self.invalid(Problem::Syntax, found.span, "this is no label"),
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

fn parameter_of(name: &ParameterName) -> Expr {
    let (ParameterName::Named(name) | ParameterName::Positional(name)) = name else {
        return Expr::Const(Value::Null);
    };
    Expr::Parameter(name.as_str().into())
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

/// The names a test on a relationship's type is about.
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
