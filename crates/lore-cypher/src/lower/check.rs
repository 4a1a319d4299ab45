//! Static type checks of operands and arguments.

use open_cypher::Span;
use open_cypher::ast::{Expr as Ast, Name};

use super::Lower;
use crate::advice;
use crate::error::{Problem, Result};
use crate::functions::Spec;
use crate::plan::Arithmetic;
use crate::types::{Accepts, Type};

impl Lower<'_> {
    /// Fails if an operand cannot have one of the required types.
    pub(super) fn need(&self, operand: &Ast, given: &Type, need: &Need) -> Result<()> {
        if given.may_be(need.accepts) {
            return Ok(());
        }
        let what = format!("{} needs {}", need.what, names(need.accepts));
        self.wrong_type(operand.span, &what, given, need.advice.to_owned())
    }

    pub(super) fn wrong_type<T>(
        &self,
        span: Span,
        what: &str,
        given: &Type,
        advice: String,
    ) -> Result<T> {
        let message = format!("{what}, not {}", given.name());
        self.invalid_with(Problem::Type, span, message, Some(advice))
    }

    /// Fails if the arguments of a call do not match the function's signature.
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
                let what = format!("argument {} of {name} needs {}", number + 1, names(accepted));
                return self.wrong_type(span, &what, kind, advice::of_function(spec.function));
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
                let advice = Some(advice::of_operator(operator));
                return self.invalid_with(Problem::Type, span, message, advice);
            }
        })
    }

    /// Fails if a variable cannot be used with this type in a pattern.
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
        let advice = "give one of them another name".to_owned();
        self.invalid_with(Problem::VariableClash, name.span, message, Some(advice))
    }
}

/// A requirement for an operand: what requires it, the accepted types, and a hint.
pub(super) struct Need {
    what: &'static str,
    accepts: &'static [Accepts],
    advice: &'static str,
}

impl Need {
    pub(super) const CONDITION: Self = Self::condition("a condition");
    pub(super) const NOT: Self = Self::condition("NOT");
    pub(super) const LOGIC: Self = Self::condition("AND, OR and XOR");
    pub(super) const IN: Self =
        Self { what: "IN", accepts: &[Accepts::List], advice: advice::OF_IN };
    pub(super) const COMPREHENSION: Self = Self::list("a list comprehension");
    pub(super) const QUANTIFIER: Self = Self::list("a quantifier");
    pub(super) const REDUCE: Self = Self::list("reduce");
    pub(super) const PROJECTION: Self = Self {
        what: "a map projection",
        accepts: &[Accepts::Node, Accepts::Relationship, Accepts::Map],
        advice: advice::OF_PROPERTY,
    };
    pub(super) const SIGN: Self = Self {
        what: "a sign",
        accepts: &[Accepts::Number, Accepts::Temporal],
        advice: "make a number with toInteger or toFloat",
    };
    pub(super) const LABELED: Self = Self {
        what: "a test on labels",
        accepts: &[Accepts::Node, Accepts::Relationship],
        advice: advice::OF_LABELS,
    };
    pub(super) const INDEXED: Self = Self {
        what: "`[...]`",
        accepts: &[Accepts::List, Accepts::Map, Accepts::Node, Accepts::Relationship],
        advice: advice::OF_INDEX,
    };
    pub(super) const INDEX: Self = Self {
        what: "an index",
        accepts: &[Accepts::Int, Accepts::String],
        advice: advice::OF_INDEX,
    };
    pub(super) const PLACE: Self =
        Self { what: "the index of a list", accepts: &[Accepts::Int], advice: advice::OF_INDEX };
    pub(super) const SLICED: Self =
        Self { what: "a slice", accepts: &[Accepts::List], advice: advice::OF_SLICE };
    pub(super) const SLICE: Self =
        Self { what: "the bound of a slice", accepts: &[Accepts::Int], advice: advice::OF_SLICE };

    /// The requirement of `SKIP` or `LIMIT`.
    pub(super) const fn bound(what: &'static str) -> Self {
        Self { what, accepts: &[Accepts::Int], advice: advice::OF_BOUND }
    }

    const fn condition(what: &'static str) -> Self {
        Self { what, accepts: &[Accepts::Bool], advice: advice::OF_CONDITION }
    }

    const fn list(what: &'static str) -> Self {
        Self { what, accepts: &[Accepts::List], advice: advice::OF_LIST }
    }
}

fn names(accepted: &[Accepts]) -> String {
    let names: Vec<_> = accepted.iter().map(|accepts| accepts.name()).collect();
    names.join(" or ")
}
