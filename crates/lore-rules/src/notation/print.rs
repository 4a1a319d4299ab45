//! Printing an expression in its canonical form.
//!
//! The printed form must always parse back to the same tree, because it is stored in the records of
//! rolls.

use std::fmt::{self, Display, Formatter, Write};

use super::ast::{
    Ast, Binary, Compare, Condition, Dice, Explode, Expression, Faces, Number, Operator, Repeat,
    Reroll, Selection, Selector,
};

impl Display for Ast {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.root.fmt(f)?;
        match &self.comment {
            Some(comment) => write!(f, " # {comment}"),
            None => Ok(()),
        }
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Dice(dice) => dice.fmt(f),
            Self::Negate(inner) => {
                f.write_char('-')?;
                grouped(f, inner, u8::MAX)
            }
            Self::Binary(binary) => binary.fmt(f),
        }
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)?;
        label(f, self.label.as_deref())
    }
}

impl Display for Binary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let strength = self.operator.strength();
        grouped(f, &self.left, strength)?;
        self.operator.fmt(f)?;
        // Operators of equal precedence associate to the left, so the right operand needs
        // parentheses if its precedence is equal.
        grouped(f, &self.right, strength + 1)
    }
}

impl Display for Operator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char(match self {
            Self::Add => '+',
            Self::Subtract => '-',
            Self::Multiply => '*',
            Self::Divide => '/',
        })
    }
}

impl Display for Dice {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write_notation(f)?;
        label(f, self.label.as_deref())
    }
}

impl Dice {
    /// Returns the dice in notation, without their label.
    pub(super) fn notation(&self) -> String {
        let mut text = String::with_capacity(16);
        // Writing into a string cannot fail.
        let _ = self.write_notation(&mut text);
        text
    }

    fn write_notation(&self, f: &mut impl Write) -> fmt::Result {
        write!(f, "{}d", self.count.value())?;
        write_faces(f, self.faces)?;
        if let Some(Reroll { repeat, condition }) = self.reroll {
            f.write_str(if repeat == Repeat::Once { "ro" } else { "r" })?;
            write_condition(f, condition)?;
        }
        if let Some(explode) = self.explode {
            write_explode(f, explode, self)?;
        }
        if let Some(minimum) = self.minimum {
            write!(f, "min{minimum}")?;
        }
        if let Some(maximum) = self.maximum {
            write!(f, "max{maximum}")?;
        }
        self.selectors.iter().try_for_each(|selector| write_selector(f, *selector))?;
        match self.success {
            Some(Condition { compare, value }) => write!(f, "{}{value}", sign(compare)),
            None => Ok(()),
        }
    }
}

/// Prints an expression, in parentheses if its precedence is lower than `strength`.
fn grouped(f: &mut Formatter<'_>, expression: &Expression, strength: u8) -> fmt::Result {
    match expression {
        Expression::Binary(binary) if binary.operator.strength() < strength => {
            write!(f, "({binary})")
        }
        other => other.fmt(f),
    }
}

fn label(f: &mut Formatter<'_>, label: Option<&str>) -> fmt::Result {
    match label {
        Some(text) => write!(f, "[{text}]"),
        None => Ok(()),
    }
}

fn write_faces(f: &mut impl Write, faces: Faces) -> fmt::Result {
    match faces {
        Faces::Numbered(sides) => write!(f, "{}", sides.value()),
        Faces::Percent => f.write_char('%'),
        Faces::Fudge => f.write_char('F'),
    }
}

/// Prints the short form if it is unambiguous. A comparison that follows would be parsed as the
/// condition of the explosion, so dice that count successes get the long form.
fn write_explode(f: &mut impl Write, explode: Explode, dice: &Dice) -> fmt::Result {
    let usual = Condition { compare: Compare::Equal, value: dice.faces.highest() };
    let short = explode.condition == usual && dice.success.is_none();
    match (explode.repeat, short) {
        (Repeat::Always, true) => f.write_char('!'),
        (Repeat::Once, true) => f.write_str("xo"),
        (Repeat::Always, false) => {
            f.write_char('x')?;
            write_condition(f, explode.condition)
        }
        (Repeat::Once, false) => {
            f.write_str("xo")?;
            write_condition(f, explode.condition)
        }
    }
}

/// Prints a condition; equality with a non-negative number as a bare number. A negative number
/// needs the `=` before it, or it would be parsed as a subtraction.
fn write_condition(f: &mut impl Write, Condition { compare, value }: Condition) -> fmt::Result {
    match compare {
        Compare::Equal if value >= 0 => write!(f, "{value}"),
        _ => write!(f, "{}{value}", sign(compare)),
    }
}

fn write_selector(f: &mut impl Write, Selector { selection, count }: Selector) -> fmt::Result {
    let word = match selection {
        Selection::KeepHighest => "kh",
        Selection::KeepLowest => "kl",
        Selection::DropHighest => "dh",
        Selection::DropLowest => "dl",
    };
    write!(f, "{word}{}", count.value())
}

const fn sign(compare: Compare) -> &'static str {
    match compare {
        Compare::Equal => "=",
        Compare::Above => ">",
        Compare::AtLeast => ">=",
        Compare::Below => "<",
        Compare::AtMost => "<=",
    }
}

#[cfg(test)]
mod tests {
    use crate::notation::parse;

    #[test]
    fn every_form_has_one_way_to_be_printed() {
        for (written, printed) in [
            (" 4D6 K3 + 2 ", "4d6kh3+2"),
            ("d20", "1d20"),
            ("d%", "1d%"),
            ("4df", "4dF"),
            ("2d6rr=1", "2d6r1"),
            ("4dFr=-1", "4dFr=-1"),
            ("3d6x", "3d6!"),
            ("3d6!6", "3d6!"),
            ("3d6xo6", "3d6xo"),
            ("3d6!>=5", "3d6x>=5"),
            ("5d10>=8!", "5d10x10>=8"),
            ("5d10xo10>=8", "5d10xo10>=8"),
            ("2d6ma5mi2", "2d6min2max5"),
            ("2d20dl", "2d20dl1"),
            ("4d6 dl1 kh2 r1", "4d6r1dl1kh2"),
            ("2d6[ fire ]", "2d6[fire]"),
            ("2 × 3 ÷ 4 − 1", "2*3/4-1"),
            ("((2d4)+1)*3", "(2d4+1)*3"),
            ("2-(3-1)", "2-(3-1)"),
            ("(2-3)-1", "2-3-1"),
            ("2*(3/4)", "2*(3/4)"),
            ("-(2+3)", "-(2+3)"),
            ("--(-+2)", "---2"),
            ("1d6 # for luck ", "1d6 # for luck"),
            ("1d6 #", "1d6"),
        ] {
            let ast = parse(written).unwrap_or_else(|error| panic!("{written}: {error}"));
            assert_eq!(ast.to_string(), printed);
            assert_eq!(parse(printed), Ok(ast), "{printed}");
        }
    }
}
