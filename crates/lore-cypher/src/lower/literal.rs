//! Number and string literals.

use std::str::Chars;

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
            LiteralKind::String(text) => {
                let written = self.text.slice(literal.span);
                let value = match written.contains(LONG_ESCAPE) {
                    true => match unescaped(written) {
                        Some(value) => Value::text(value.as_str()),
                        None => return self.invalid(Problem::Syntax, literal.span, NO_LETTER),
                    },
                    false => Value::text(text.value.as_str()),
                };
                (value, Type::String)
            }
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

    /// Parses a negated integer literal: the smallest integer can only be written with its sign.
    pub(super) fn negated_literal(&self, operand: &Ast) -> Option<i64> {
        let ExprKind::Literal(literal) = &operand.kind else { return None };
        let LiteralKind::Integer(number) = &literal.kind else { return None };
        integer(number, "-")
    }

    fn beyond<T>(&self, literal: &Literal, why: &str) -> Result<T> {
        self.invalid(Problem::Number, literal.span, format!("the number is too large: {why}"))
    }
}

/// Starts an eight-digit escape for characters beyond the first 65536; the parser would take only
/// six digits.
const LONG_ESCAPE: &str = "\\U";
const NO_LETTER: &str = "\\u and \\U stand before the four or eight digits of a letter";

/// The content of a string literal; `None` if it contains an invalid escape.
fn unescaped(written: &str) -> Option<String> {
    let mut letters = written.chars();
    let quote = letters.next()?;
    letters.next_back();
    let mut text = String::with_capacity(written.len());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => text.push(escaped(&mut letters)?),
            // A doubled quote stands for one quote.
            letter if letter == quote => text.extend(letters.next()),
            letter => text.push(letter),
        }
    }
    Some(text)
}

fn escaped(letters: &mut Chars<'_>) -> Option<char> {
    let digits = match letters.next()? {
        't' => return Some('\t'),
        'b' => return Some('\u{8}'),
        'n' => return Some('\n'),
        'r' => return Some('\r'),
        'f' => return Some('\u{c}'),
        'u' => 4,
        'U' => 8,
        other => return Some(other),
    };
    let number = letters.as_str().get(..digits)?;
    letters.nth(digits - 1);
    u32::from_str_radix(number, 16).ok().and_then(char::from_u32)
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
