//! Numbers as they are written.

use open_cypher::ast::{Expr as Ast, ExprKind, IntegerLiteral, IntegerRadix, Literal, LiteralKind};

use super::Lower;
use crate::error::{Problem, Result};
use crate::types::Type;
use crate::value::Value;

impl Lower<'_> {
    pub(super) fn literal(&self, literal: &Literal) -> Result<(Value, Type)> {
        Ok(match &literal.kind {
            LiteralKind::Null => (Value::Null, Type::Null),
            LiteralKind::Boolean(truth) => (Value::Bool(*truth), Type::Bool),
            LiteralKind::String(text) => (Value::text(text.value.as_str()), Type::String),
            LiteralKind::Integer(number) => match integer(number, "") {
                Some(number) => (Value::Int(number), Type::Int),
                None => return self.beyond(literal, "an integer has 64 bits"),
            },
            LiteralKind::Float(number) => match number.text.parse::<f64>() {
                Ok(number) if number.is_finite() => (Value::Float(number), Type::Float),
                _ => return self.beyond(literal, "a float has 64 bits"),
            },
            _ => return self.invalid(Problem::Syntax, literal.span, "unknown literal"),
        })
    }

    /// The smallest integer can only be written with its sign.
    pub(super) fn negated_literal(&self, operand: &Ast) -> Option<i64> {
        let ExprKind::Literal(literal) = &operand.kind else { return None };
        let LiteralKind::Integer(number) = &literal.kind else { return None };
        integer(number, "-")
    }

    fn beyond<T>(&self, literal: &Literal, why: &str) -> Result<T> {
        self.invalid(Problem::Number, literal.span, format!("the number is too large: {why}"))
    }
}

fn integer(number: &IntegerLiteral, sign: &str) -> Option<i64> {
    let text = number.text.replace('_', "");
    let (digits, radix) = match number.radix {
        IntegerRadix::Hexadecimal => (text.get(2..)?, 16),
        IntegerRadix::Octal => {
            let digits = text.strip_prefix("0o").or_else(|| text.strip_prefix("0O"));
            (digits.unwrap_or(&text), 8)
        }
        _ => (text.as_str(), 10),
    };
    i64::from_str_radix(&format!("{sign}{digits}"), radix).ok()
}
