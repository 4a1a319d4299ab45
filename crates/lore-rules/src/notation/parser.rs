//! The recursive-descent parser for expressions.
//!
//! The parser checks every limit before anything is rolled. Its depth and work are bounded by the
//! limits, and it must reject dice that would reroll or explode forever.

use crate::dice::{Count, Sides};

use super::ast::{
    Ast, Binary, Compare, Condition, Dice, Explode, Expression, Faces, Number, Operator, Repeat,
    Reroll, Selection, Selector,
};
use super::cursor::Cursor;
use super::error::{Expected, ParseError, Problem};
use super::{MAX_CHARACTERS, MAX_DICE, MAX_NESTING, MAX_NUMBER, MAX_TERMS};

/// Parses an expression in the notation of the [module](super).
pub fn parse(text: &str) -> Result<Ast, ParseError> {
    let length = check_length(text)?;
    let mut parser = Parser { cursor: Cursor::new(text), depth: 0, terms: 0, dice: 0 };
    let root = parser.sum()?;
    let comment = parser.comment()?;
    let ast = Ast { root, comment };
    // The printed form is at most three times as long as the written one.
    if length > MAX_CHARACTERS / 3 {
        let end = |error: ParseError| ParseError { position: text.len(), ..error };
        check_length(&ast.to_string()).map_err(end)?;
    }
    Ok(ast)
}

type Parsed<T> = Result<T, ParseError>;

struct Parser<'a> {
    cursor: Cursor<'a>,
    depth: usize,
    terms: usize,
    dice: u64,
}

impl Parser<'_> {
    fn sum(&mut self) -> Parsed<Expression> {
        let mut left = self.product()?;
        while let Some(sign) = self.cursor.eat_any(&['+', '-', '−', '–']) {
            let operator = if sign == '+' { Operator::Add } else { Operator::Subtract };
            left = binary(operator, left, self.product()?);
        }
        Ok(left)
    }

    fn product(&mut self) -> Parsed<Expression> {
        let mut left = self.signed()?;
        while let Some(sign) = self.cursor.eat_any(&['*', '×', '/', '÷']) {
            let times = matches!(sign, '*' | '×');
            let operator = if times { Operator::Multiply } else { Operator::Divide };
            left = binary(operator, left, self.signed()?);
        }
        Ok(left)
    }

    fn signed(&mut self) -> Parsed<Expression> {
        match self.cursor.eat_any(&['+', '-', '−', '–']) {
            Some('+') => self.deeper(Self::signed),
            Some(_) => Ok(Expression::Negate(Box::new(self.deeper(Self::signed)?))),
            None => self.operand(),
        }
    }

    fn operand(&mut self) -> Parsed<Expression> {
        match self.cursor.peek() {
            Some('(') => self.deeper(Self::parenthesis),
            Some('d') => self.dice(self.cursor, 1),
            Some('0'..='9') => self.number_or_dice(),
            _ => Err(self.cursor.unexpected(Expected::Operand)),
        }
    }

    fn parenthesis(&mut self) -> Parsed<Expression> {
        self.cursor.eat("(");
        let inner = self.sum()?;
        if !self.cursor.eat(")") {
            return Err(self.cursor.unexpected(Expected::ClosingParenthesis));
        }
        Ok(inner)
    }

    /// Parses something nested, one level deeper.
    fn deeper(&mut self, read: fn(&mut Self) -> Parsed<Expression>) -> Parsed<Expression> {
        if self.depth >= MAX_NESTING {
            return Err(self.cursor.broken(Problem::TooDeep { max: MAX_NESTING }));
        }
        self.depth += 1;
        let inner = read(self)?;
        self.depth -= 1;
        Ok(inner)
    }

    fn number_or_dice(&mut self) -> Parsed<Expression> {
        let start = self.cursor;
        let value = self.number(0, MAX_NUMBER)?;
        if self.cursor.peek() == Some('d') {
            return self.dice(start, value);
        }
        self.count_term(start)?;
        Ok(Expression::Number(Number { value, label: self.label()? }))
    }

    /// Parses dice from the `d` on. `start` is where their count begins, or the `d` if there is
    /// none.
    fn dice(&mut self, start: Cursor<'_>, count: i64) -> Parsed<Expression> {
        self.count_term(start)?;
        self.cursor.eat("d");
        let count = count_of(start, count)?;
        self.count_dice(start, count)?;
        let mut dice = plain(count, self.faces()?);
        while self.rule(&mut dice)? {}
        dice.label = self.label()?;
        check_rest(&dice).map_err(|problem| start.broken(problem))?;
        Ok(Expression::Dice(Box::new(dice)))
    }

    fn count_term(&mut self, start: Cursor<'_>) -> Parsed<()> {
        self.terms += 1;
        if self.terms > MAX_TERMS {
            return Err(start.broken(Problem::TooManyTerms { max: MAX_TERMS }));
        }
        Ok(())
    }

    fn count_dice(&mut self, start: Cursor<'_>, count: Count) -> Parsed<()> {
        self.dice += u64::from(count.value());
        if self.dice > MAX_DICE {
            return Err(start.broken(Problem::TooManyDice { max: MAX_DICE }));
        }
        Ok(())
    }

    fn faces(&mut self) -> Parsed<Faces> {
        if self.cursor.eat("%") {
            return Ok(Faces::Percent);
        }
        if self.cursor.eat("f") {
            return Ok(Faces::Fudge);
        }
        if !matches!(self.cursor.peek(), Some('0'..='9')) {
            return Err(self.cursor.unexpected(Expected::Sides));
        }
        let start = self.cursor;
        let (min, max) = (i64::from(Sides::MIN), i64::from(Sides::MAX));
        let sides = Sides::new(self.number(min, max)?);
        sides.map(Faces::Numbered).map_err(|_| start.broken(Problem::OutOfRange { min, max }))
    }

    /// Parses one rule for the dice, if one comes next.
    fn rule(&mut self, dice: &mut Dice) -> Parsed<bool> {
        let start = self.cursor;
        let given_before = match self.cursor.peek() {
            Some('r') => dice.reroll.replace(self.reroll()?).is_some(),
            Some('x' | '!') => dice.explode.replace(self.explode(dice.faces)?).is_some(),
            Some('<' | '>' | '=') => dice.success.replace(self.condition()?).is_some(),
            Some('m') => return self.bound(dice),
            Some('k' | 'd') => return self.selector(dice),
            _ => return Ok(false),
        };
        once(start, given_before)
    }

    fn reroll(&mut self) -> Parsed<Reroll> {
        let repeat = if self.cursor.eat("ro") { Repeat::Once } else { Repeat::Always };
        if repeat == Repeat::Always && !self.cursor.eat("rr") {
            self.cursor.eat("r");
        }
        match self.cursor.peek() {
            Some('0'..='9' | '<' | '>' | '=') => {
                Ok(Reroll { repeat, condition: self.condition()? })
            }
            _ => Err(self.cursor.unexpected(Expected::Condition)),
        }
    }

    fn explode(&mut self, faces: Faces) -> Parsed<Explode> {
        let repeat = if self.cursor.eat("xo") { Repeat::Once } else { Repeat::Always };
        if repeat == Repeat::Always {
            self.cursor.eat_any(&['x', '!']);
        }
        let condition = match self.cursor.peek() {
            Some('0'..='9' | '<' | '>' | '=') => self.condition()?,
            _ => Condition { compare: Compare::Equal, value: faces.highest() },
        };
        Ok(Explode { repeat, condition })
    }

    fn bound(&mut self, dice: &mut Dice) -> Parsed<bool> {
        let start = self.cursor;
        let bound = if self.cursor.eat("min") || self.cursor.eat("mi") {
            &mut dice.minimum
        } else if self.cursor.eat("max") || self.cursor.eat("ma") {
            &mut dice.maximum
        } else {
            return Ok(false);
        };
        once(start, bound.replace(self.signed_number()?).is_some())
    }

    fn selector(&mut self, dice: &mut Dice) -> Parsed<bool> {
        const WORDS: [(&str, Selection); 5] = [
            ("kh", Selection::KeepHighest),
            ("kl", Selection::KeepLowest),
            ("dh", Selection::DropHighest),
            ("dl", Selection::DropLowest),
            ("k", Selection::KeepHighest),
        ];
        let Some((_, selection)) = WORDS.iter().find(|(word, _)| self.cursor.eat(word)) else {
            return Ok(false);
        };
        let start = self.cursor;
        let number = self.cursor.eat_number().unwrap_or(1);
        dice.selectors.push(Selector { selection: *selection, count: count_of(start, number)? });
        Ok(true)
    }

    /// Parses a comparison; a bare number means equality.
    fn condition(&mut self) -> Parsed<Condition> {
        const SIGNS: [(&str, Compare); 5] = [
            (">=", Compare::AtLeast),
            ("<=", Compare::AtMost),
            (">", Compare::Above),
            ("<", Compare::Below),
            ("=", Compare::Equal),
        ];
        let compare = SIGNS.iter().find(|(sign, _)| self.cursor.eat(sign));
        let compare = compare.map_or(Compare::Equal, |(_, compare)| *compare);
        Ok(Condition { compare, value: self.signed_number()? })
    }

    fn signed_number(&mut self) -> Parsed<i64> {
        let negative = self.cursor.eat_any(&['-', '−', '–']).is_some();
        let value = self.number(0, MAX_NUMBER)?;
        Ok(if negative { -value } else { value })
    }

    fn number(&mut self, min: i64, max: i64) -> Parsed<i64> {
        self.cursor.skip_space();
        let start = self.cursor;
        match self.cursor.eat_number() {
            Some(value) if (min..=max).contains(&value) => Ok(value),
            Some(_) => Err(start.broken(Problem::OutOfRange { min, max })),
            None => Err(self.cursor.unexpected(Expected::Number)),
        }
    }

    fn label(&mut self) -> Parsed<Option<String>> {
        if !self.cursor.eat("[") {
            return Ok(None);
        }
        let start = self.cursor;
        let Some(text) = self.cursor.eat_until(']') else {
            return Err(start.at_end().unexpected(Expected::ClosingBracket));
        };
        match text.trim() {
            "" => Err(start.unexpected(Expected::LabelText)),
            text => Ok(Some(text.to_owned())),
        }
    }

    /// Parses what follows the expression: nothing or a comment.
    fn comment(&mut self) -> Parsed<Option<String>> {
        if self.cursor.eat("#") {
            let text = self.cursor.rest().trim();
            return Ok((!text.is_empty()).then(|| text.to_owned()));
        }
        match self.cursor.peek() {
            None => Ok(None),
            Some(_) => Err(self.cursor.unexpected(Expected::Operator)),
        }
    }
}

/// Rejects a rule that was given before.
fn once(start: Cursor<'_>, given_before: bool) -> Parsed<bool> {
    if given_before { Err(start.broken(Problem::Repeated)) } else { Ok(true) }
}

fn count_of(start: Cursor<'_>, value: i64) -> Parsed<Count> {
    let (min, max) = (i64::from(Count::MIN), i64::from(Count::MAX));
    Count::new(value).map_err(|_| start.broken(Problem::OutOfRange { min, max }))
}

fn check_length(text: &str) -> Parsed<usize> {
    // A text has at least as many bytes as characters, and bytes are quicker to count.
    if text.len() <= MAX_CHARACTERS {
        return Ok(text.len());
    }
    let given = text.chars().count();
    if given <= MAX_CHARACTERS {
        return Ok(given);
    }
    let position = text.char_indices().nth(MAX_CHARACTERS).map_or(text.len(), |(at, _)| at);
    Err(ParseError { position, problem: Problem::TooLong { given, max: MAX_CHARACTERS } })
}

/// Rejects dice that would reroll or explode forever.
fn check_rest(dice: &Dice) -> Result<(), Problem> {
    if dice.reroll.is_some() && dice.rerolls_forever() {
        return Err(Problem::EndlessReroll);
    }
    if dice.explodes_forever() {
        return Err(Problem::EndlessExplosion);
    }
    Ok(())
}

fn binary(operator: Operator, left: Expression, right: Expression) -> Expression {
    Expression::Binary(Box::new(Binary { operator, left, right }))
}

/// Creates dice without any rules.
const fn plain(count: Count, faces: Faces) -> Dice {
    Dice {
        count,
        faces,
        reroll: None,
        explode: None,
        minimum: None,
        maximum: None,
        selectors: Vec::new(),
        success: None,
        label: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dice(text: &str) -> Dice {
        match parse(text).unwrap().root {
            Expression::Dice(dice) => *dice,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn broken(text: &str) -> (usize, Problem) {
        let error = parse(text).expect_err(text);
        assert!(!error.expected().is_empty() && error.hint().ends_with('.'), "{error:?}");
        (error.position, error.problem)
    }

    fn condition(compare: Compare, value: i64) -> Condition {
        Condition { compare, value }
    }

    #[test]
    fn dice_take_every_rule() {
        let read = dice("10d8 ro<3 !>=7 min 2 max 7 dl1 kh 5 >=-4 [cold]");
        let keep = |selection, count| Selector { selection, count: Count::new(count).unwrap() };
        let repeat = Repeat::Once;
        let reroll = Reroll { repeat, condition: condition(Compare::Below, 3) };
        let repeat = Repeat::Always;
        let explode = Explode { repeat, condition: condition(Compare::AtLeast, 7) };
        let expected = Dice {
            reroll: Some(reroll),
            explode: Some(explode),
            minimum: Some(2),
            maximum: Some(7),
            selectors: vec![keep(Selection::DropLowest, 1), keep(Selection::KeepHighest, 5)],
            success: Some(condition(Compare::AtLeast, -4)),
            label: Some("cold".to_owned()),
            ..plain(Count::new(10).unwrap(), Faces::Numbered(Sides::new(8).unwrap()))
        };
        assert_eq!(read, expected);
        assert_eq!(dice("10d8[cold]"), dice(" 10 D 8 [ cold ] "));
    }

    #[test]
    fn rules_may_come_in_any_order() {
        assert_eq!(dice("5d10>=8!kh3r1mi2"), dice("5d10r1!=10min2kh3>=8"));
    }

    #[test]
    fn products_bind_stronger_than_sums() {
        assert_eq!(parse("1+2*3"), parse("1+(2*3)"));
        assert_eq!(parse("-2*3"), parse("(-2)*3"));
        assert_eq!(parse("8/2/2"), parse("(8/2)/2"));
        assert_ne!(parse("8-2-2"), parse("8-(2-2)"));
    }

    #[test]
    fn a_minus_after_an_explosion_subtracts() {
        assert_eq!(parse("3d6!-1"), parse("(3d6!)-1"));
        assert_eq!(parse("4dF!=-1").unwrap().to_string(), "4dFx=-1");
    }

    #[test]
    fn errors_say_where_and_what() {
        use Expected::{
            ClosingBracket, ClosingParenthesis, Condition, LabelText, Number, Operand, Operator,
            Sides,
        };
        let unexpected = |found, expected| Problem::Unexpected { found, expected };
        for (text, position, problem) in [
            ("", 0, Problem::Ended(Operand)),
            ("  # only words", 2, unexpected('#', Operand)),
            ("2d", 2, Problem::Ended(Sides)),
            ("2dx", 2, unexpected('x', Sides)),
            ("2d6 kz", 5, unexpected('z', Operator)),
            ("2d6r", 4, Problem::Ended(Condition)),
            ("2d6r-1", 4, unexpected('-', Condition)),
            ("2d6>", 4, Problem::Ended(Number)),
            ("2d6min", 6, Problem::Ended(Number)),
            ("(2d6", 4, Problem::Ended(ClosingParenthesis)),
            ("2d6)", 3, unexpected(')', Operator)),
            ("2d6[fire", 8, Problem::Ended(ClosingBracket)),
            ("2d6[ ]", 5, unexpected(']', LabelText)),
            ("2d6 1d8", 4, unexpected('1', Operator)),
            ("1.5", 1, unexpected('.', Operator)),
            ("d6+é", 3, unexpected('é', Operand)),
            ("2d6d8", 3, unexpected('d', Operator)),
            ("2d6r1r2", 5, Problem::Repeated),
            ("2d6min1max2mi1", 11, Problem::Repeated),
            ("1+2d6r<=6", 2, Problem::EndlessReroll),
            ("d1!", 0, Problem::EndlessExplosion),
            ("2d6r<6!", 0, Problem::EndlessExplosion),
        ] {
            assert_eq!(broken(text), (position, problem), "{text}");
        }
    }

    #[test]
    fn dice_that_come_to_rest_are_accepted() {
        for text in ["d6ro<=6", "d1xo", "d6r<6", "d6r0", "d6!>6", "d2r1", "d6r<6xo", "2d6ro<6!"] {
            assert!(parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn numbers_have_limits() {
        for (text, position, min, max) in [
            ("0d6", 0, 1, 1_000),
            ("2+1001d6", 2, 1, 1_000),
            ("2d0", 2, 1, 1_000_000),
            ("2d1000001", 2, 1, 1_000_000),
            ("2d4294967302", 2, 1, 1_000_000),
            ("1000000001", 0, 0, 1_000_000_000),
            ("99999999999999999999999d6", 0, 0, 1_000_000_000),
            ("4d6kh0", 5, 1, 1_000),
            ("4d6>1000000001", 4, 0, 1_000_000_000),
        ] {
            assert_eq!(broken(text), (position, Problem::OutOfRange { min, max }), "{text}");
        }
        assert!(parse("1000d1000000+1000000000").is_ok());
    }

    #[test]
    fn expressions_have_limits() {
        let long = format!("1 # {}", "é".repeat(496));
        assert!(parse(&long).is_ok());
        assert_eq!(broken(&format!("{long}é")).1, Problem::TooLong { given: 501, max: 500 });

        let hundred = vec!["1"; 100].join("+");
        assert!(parse(&hundred).is_ok());
        assert_eq!(broken(&format!("{hundred}+1")), (200, Problem::TooManyTerms { max: 100 }));

        let deep = |open: &str, depth, close: &str| {
            parse(&format!("{}1{}", open.repeat(depth), close.repeat(depth))).map(|_| ())
        };
        let too_deep = ParseError { position: 50, problem: Problem::TooDeep { max: 50 } };
        assert_eq!(deep("(", 50, ")"), Ok(()));
        assert_eq!(deep("(", 51, ")"), Err(too_deep));
        assert!(deep("-", 51, "").is_err());

        let dice = ["1000d6"; 10].join("+");
        assert!(parse(&dice).is_ok());
        assert_eq!(broken(&format!("{dice}+1d6")), (70, Problem::TooManyDice { max: 10_000 }));
    }

    #[test]
    fn what_would_print_too_long_is_refused() {
        let short = vec!["d6k"; 80].join("+");
        assert!(short.len() < MAX_CHARACTERS);
        assert!(matches!(broken(&short).1, Problem::TooLong { .. }));
    }
}
