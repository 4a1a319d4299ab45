//! Types of operands and arguments, as far as the text tells them.

use open_cypher::Span;
use open_cypher::ast::{Expr as Ast, Name};

use super::Lower;
use crate::error::{Problem, Result};
use crate::functions::Spec;
use crate::plan::Arithmetic;
use crate::types::{Accepts, Type};

impl Lower<'_> {
    /// Makes sure that an operand can be what is needed.
    pub(super) fn need(
        &self,
        operand: &Ast,
        given: &Type,
        accepted: &[Accepts],
        what: &str,
    ) -> Result<()> {
        if given.may_be(accepted) {
            return Ok(());
        }
        self.wrong_type(operand.span, what, &names(accepted), given)
    }

    /// Makes sure that a call fits its function.
    pub(super) fn fits(&self, spec: &Spec, name: &str, span: Span, given: &[Type]) -> Result<()> {
        if given.len() < spec.least || given.len() > spec.most {
            let message = format!("{name} was given {} arguments", given.len());
            let hint = match (spec.least, spec.most) {
                (least, usize::MAX) => format!("it takes {least} or more"),
                (least, most) if least == most => format!("it takes {least}"),
                (least, most) => format!("it takes {least} to {most}"),
            };
            return self.invalid_with(Problem::Function, span, message, Some(hint));
        }
        for (number, kind) in given.iter().enumerate() {
            let accepted = spec.accepts.get(number).or(spec.accepts.last());
            let accepted = accepted.copied().unwrap_or_default();
            if !kind.may_be(accepted) {
                let what = format!("argument {} of {name}", number + 1);
                return self.wrong_type(span, &what, &self::names(accepted), kind);
            }
        }
        Ok(())
    }

    /// The type of an arithmetic expression.
    pub(super) fn arithmetic_type(
        &self,
        span: Span,
        operator: Arithmetic,
        left: &Type,
        right: &Type,
    ) -> Result<Type> {
        use Type::{Any, Duration, Float, Int, List, Moment, Null, String};
        Ok(match (operator, left, right) {
            (Arithmetic::Add, List(left), List(right)) => {
                List(Box::new(left.as_ref().clone().join(right.as_ref().clone())))
            }
            (Arithmetic::Add, List(_), _) | (Arithmetic::Add, _, List(_)) => Type::list(),
            (_, Null, _) | (_, _, Null) => Null,
            (_, Any, _) | (_, _, Any) => Any,
            (Arithmetic::Power, Int | Float, Int | Float) => Float,
            (_, Int, Int) => Int,
            (_, Int | Float, Int | Float) => Float,
            (Arithmetic::Add, String, String | Int | Float) => String,
            (Arithmetic::Add, Int | Float, String) => String,
            (Arithmetic::Add, Moment, Duration) | (Arithmetic::Add, Duration, Moment) => Moment,
            (Arithmetic::Subtract, Moment, Duration) => Moment,
            (Arithmetic::Add | Arithmetic::Subtract, Duration, Duration) => Duration,
            (Arithmetic::Multiply | Arithmetic::Divide, Duration, Int | Float) => Duration,
            (Arithmetic::Multiply, Int | Float, Duration) => Duration,
            _ => {
                let message =
                    format!("this operator does not take {} and {}", left.name(), right.name());
                return self.invalid(Problem::Type, span, message);
            }
        })
    }

    /// Makes sure that a variable can be used in a pattern as that.
    pub(super) fn same_kind(&self, name: &Name, known: &Type, wanted: &Type) -> Result<()> {
        let fits = match (known, wanted) {
            (Type::Any | Type::Null, _) => true,
            (Type::List(element), Type::List(wanted)) => {
                matches!(**element, Type::Any | Type::Null) || element == wanted
            }
            (known, wanted) => known == wanted,
        };
        if fits {
            return Ok(());
        }
        let message =
            format!("`{}` is {} and cannot be {}", name.kind.text, known.name(), wanted.name());
        self.invalid(Problem::VariableClash, name.span, message)
    }
}

fn names(accepted: &[Accepts]) -> String {
    let names: Vec<_> = accepted.iter().map(|accepts| accepts.name()).collect();
    names.join(" or ")
}
