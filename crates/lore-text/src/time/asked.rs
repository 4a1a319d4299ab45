//! Dates in questions.

use std::ops::Range;

use jiff::civil::{Date, date};

use super::calendar::{MONTHS, any_day, any_month, is_ambiguous_month, month, year};
use super::digits::{ShortYears, days_of, month_of, short_year};
use super::spans;

/// A date as far as a question gives it. At least one part is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AskedDate {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
}

impl AskedDate {
    fn days(&self, year: i16) -> Option<(Date, Date)> {
        let year = self.year.unwrap_or(year);
        let Some(month) = self.month else {
            return Some((date_of(year, 1, 1)?, date_of(year, 12, 31)?));
        };
        let first = date_of(year, month, 1)?;
        match self.day {
            // "30 February" means the last day of February.
            Some(day) => {
                let day = date(year, month, day.clamp(1, first.days_in_month()));
                Some((day, day))
            }
            None => Some((first, first.last_of_month())),
        }
    }
}

fn date_of(year: i16, month: i8, day: i8) -> Option<Date> {
    Date::new(year, month, day).ok()
}

/// One possible meaning of a date expression: a date, or a range of dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    first: AskedDate,
    last: AskedDate,
    /// The date in the spelling that most texts use: `8 May 2023`.
    pub words: String,
}

impl Reading {
    fn one(date: AskedDate, month: &str) -> Self {
        let parts = [date.day.map(|day| day.to_string()), Some(month.to_owned())];
        let year = date.year.map(|year| year.to_string());
        let words: Vec<String> = parts.into_iter().chain([year]).flatten().collect();
        Self { first: date, last: date, words: words.join(" ") }
    }

    /// Whether it is a range of dates.
    pub fn is_span(&self) -> bool {
        self.first != self.last
    }

    /// The year, if it is given.
    pub fn year(&self) -> Option<i16> {
        self.first.year.or(self.last.year)
    }

    /// The first and the last day it can mean; `year` is used if it gives none itself. A range
    /// across a new year ends in that year.
    pub fn days(&self, year: i16) -> Option<(Date, Date)> {
        let turns = i16::from(self.turns_the_year());
        let begins = self.last.year.unwrap_or(year).checked_sub(turns)?;
        let ends = self.first.year.map_or(Some(year), |year| year.checked_add(turns))?;
        let (first, _) = self.first.days(begins)?;
        let (_, last) = self.last.days(ends)?;
        (first <= last).then_some((first, last))
    }

    /// Whether it is a range across a new year, such as "from November to January", and does not
    /// give both years.
    pub fn turns_the_year(&self) -> bool {
        let gives_both = self.first.year.is_some() && self.last.year.is_some();
        !gives_both && self.first.month.zip(self.last.month).is_some_and(|(one, last)| one > last)
    }
}

/// A date, or a range of two dates, in a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Its position in the question, in bytes.
    pub place: Range<usize>,
    /// What it can mean: `5/8/2023` is either 5 August or 8 May.
    pub readings: Vec<Reading>,
}

/// Finds the dates in a question, in any spelling: a month with a day or year, dates in digits, or
/// a bare year if there is nothing more exact.
pub fn asked_dates(question: &str) -> Vec<Mention> {
    let question = question.get(..question.floor_char_boundary(LONGEST)).unwrap_or_default();
    let digits = pieces(question, |c| c.is_whitespace() || ",;()[]\"".contains(c));
    let words = pieces(question, |c| !c.is_alphanumeric());
    let before = [None].into_iter().chain(digits.iter().map(Some));
    let mut mentions: Vec<Mention> =
        digits.iter().zip(before).filter_map(|(piece, before)| in_digits(piece, before)).collect();
    mentions.extend((0..words.len()).filter_map(|at| by_month(question, &words, at)));
    mentions.sort_by_key(|mention| mention.place.start);
    mentions.dedup_by(|next, one| next.place.start < one.place.end);
    if mentions.is_empty() {
        mentions.extend(words.iter().filter_map(bare_year));
    }
    spans::join(question, mentions)
}

/// Only this many bytes of a question are searched.
const LONGEST: usize = 4_000;

/// The question with each date replaced by the words of its readings. Digits with a leading zero
/// are kept if `is_known` says that texts contain them.
pub fn respelt(question: &str, mentions: &[Mention], is_known: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    let mut written = 0;
    for Mention { place, readings } in mentions {
        text.push_str(question.get(written..place.start).unwrap_or_default());
        let readings = readings.iter().map(|reading| reading.words.as_str());
        let said = question.get(place.clone()).unwrap_or_default();
        let digits = said.split(|c: char| !c.is_ascii_digit());
        let padded = digits.filter(|word| word.starts_with('0') && is_known(word));
        text.push_str(&readings.chain(padded).collect::<Vec<_>>().join(" "));
        written = place.end;
    }
    text.push_str(question.get(written..).unwrap_or_default());
    text
}

/// A part of a question, in lower case, with its position.
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) place: Range<usize>,
}

/// Splits a question at the characters for which `apart` is true, without surrounding punctuation.
pub(super) fn pieces(question: &str, apart: impl Fn(char) -> bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for part in question.split(apart) {
        let marks = part.len() - part.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
        let text = part.trim_matches(|c: char| !c.is_alphanumeric());
        if !text.is_empty() {
            let start = at + marks;
            pieces.push(Piece { text: text.to_lowercase(), place: start..start + text.len() });
        }
        let end = at + part.len();
        at = end
            + question.get(end..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
    pieces
}

fn bare_year(word: &Piece) -> Option<Mention> {
    let date = AskedDate { year: Some(year(&word.text)?), month: None, day: None };
    let reading = Reading { first: date, last: date, words: word.text.clone() };
    Some(Mention { place: word.place.clone(), readings: vec![reading] })
}

/// Parses a date in digits, with or without a time: `2023-05-08T14:05:00Z`. With dots, a two-digit
/// year is accepted only after a word that announces a date; otherwise `1.2.10` is a version.
fn in_digits(piece: &Piece, before: Option<&Piece>) -> Option<Mention> {
    let short = match before {
        Some(word) if leads_to_day(&word.text) => ShortYears::Everywhere,
        _ => ShortYears::BehindSlashes,
    };
    let date = piece
        .text
        .split('t')
        .next()
        .filter(|date| date.starts_with(|c: char| c.is_ascii_digit()))?;
    let days =
        days_of(date, short).into_iter().map(|date| (date.year(), date.month(), Some(date.day())));
    let month = month_of(date).map(|(year, month)| (year, month, None));
    let readings = days.chain(month).filter_map(|(of, month, day)| {
        let name = MONTHS.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
        let year = Some(year(&of.to_string())?);
        Some(Reading::one(AskedDate { year, month: Some(month), day }, name))
    });
    let readings: Vec<Reading> = readings.collect();
    (!readings.is_empty()).then(|| Mention { place: piece.place.clone(), readings })
}

/// Parses the date whose month is the word at `at`.
fn by_month(question: &str, words: &[Piece], at: usize) -> Option<Mention> {
    let word = |offset: isize| words.get(at.checked_add_signed(offset)?);
    let is = |offset: isize, said: &[&str]| {
        word(offset).is_some_and(|word| said.contains(&word.text.as_str()))
    };
    let day_at = |offset: isize| word(offset).and_then(|word| any_day(&word.text));
    let name = &word(0)?.text;
    let month = any_month(name)?;
    let before = if is(-1, &OF) { -2 } else { -1 };
    let after = day_at(1).filter(|_| day_at(before).is_none());
    let later = after.and_then(|_| spans::later(question, words, at, at + 1));
    let last = if after.is_some() { later.map_or(at + 1, |(_, place)| place) } else { at };
    let year_at = if after.is_none() && is(1, &OF) { last + 2 } else { last + 1 };
    let day = day_at(before).or(after);
    let year = words.get(year_at).and_then(|word| year_of(question, word, day));
    let date = AskedDate { year, month: Some(month), day };
    let is_certain = day.is_some() || year.is_some();
    let is_led = word(-1).is_some_and(|word| leads_to_month(&word.text, name));
    if !is_certain && !is_led && is_ambiguous_month(name) {
        return None;
    }
    let first = if day_at(before).is_some() { at.checked_add_signed(before)? } else { at };
    let last = if year.is_some() { year_at } else { last };
    let mut reading = Reading::one(date, &said(name, month));
    let mut place = words.get(first)?.place.start..words.get(last)?.place.end;
    if let Some((day, _)) = later {
        reading.last.day = Some(day);
    }
    if let Some((day, at)) = spans::earlier(question, words, first).filter(|_| first < at) {
        reading.first.day = Some(day);
        place.start = words.get(at)?.place.start;
    }
    Some(Mention { place, readings: vec![reading] })
}

/// Words between a day and a month, and between a month and a year.
const OF: [&str; 3] = ["of", "de", "del"];

/// The month to search for, in English as well, because texts carry their dates in English.
fn said(name: &str, number: i8) -> String {
    let english = usize::try_from(number).ok().and_then(|number| MONTHS.get(number - 1));
    match english.filter(|_| month(name).is_none()) {
        Some(english) => format!("{english} {name}"),
        None => name.to_owned(),
    }
}

/// The year after a month. After a day, two digits are accepted if they are not followed by
/// something they could count: `8 May '23`.
fn year_of(question: &str, word: &Piece, day: Option<i8>) -> Option<i16> {
    let short = || {
        let before = question.get(..word.place.start)?.chars().next_back();
        let after = question.get(word.place.end..)?.trim_start().chars().next();
        let is_marked = matches!(before, Some('\'' | '’'));
        let is_last = after.is_none_or(|c| !c.is_alphanumeric());
        day.and_then(|_| short_year(&word.text)).filter(|_| is_marked || is_last)
    };
    year(&word.text).or_else(short)
}

impl Mention {
    /// Extends the range to the end of another date.
    pub(super) fn reach(&mut self, other: Self) {
        for reading in &mut self.readings {
            let Some(last) = other.readings.last() else { continue };
            reading.last = last.last;
            reading.words = format!("{} {}", reading.words, last.words);
        }
        self.place.end = other.place.end;
    }
}

/// Words after which digits are a date.
fn leads_to_day(word: &str) -> bool {
    matches!(word, "on" | "am" | "vom" | "el" | "le" | "before" | "after" | "since" | "until")
}

/// Words after which a name like "May" is a month. "I'd march" is no date, but "d'avril" is one.
fn leads_to_month(word: &str, name: &str) -> bool {
    if word == "d" {
        return month(name).is_none();
    }
    matches!(
        word,
        "in" | "on"
            | "by"
            | "during"
            | "since"
            | "until"
            | "till"
            | "before"
            | "after"
            | "from"
            | "through"
            | "around"
            | "last"
            | "this"
            | "next"
            | "early"
            | "late"
            | "mid"
            | "of"
            | "im"
            | "seit"
            | "ab"
            | "bis"
            | "anfang"
            | "mitte"
            | "ende"
            | "letzten"
            | "en"
            | "de"
            | "desde"
            | "hasta"
            | "depuis"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, expected: &[(Option<i16>, Option<i8>, Option<i8>)]) {
        let found: Vec<_> = asked_dates(question)
            .into_iter()
            .flat_map(|mention| mention.readings)
            .map(|reading| (reading.last.year, reading.last.month, reading.last.day))
            .collect();
        assert_eq!(found, expected, "{question}");
    }

    fn check_days(question: &str, first: Date, last: Date) {
        let found: Vec<_> = asked_dates(question)
            .iter()
            .flat_map(|mention| &mention.readings)
            .filter_map(|reading| reading.days(2024))
            .collect();
        assert_eq!(found, [(first, last)], "{question}");
    }

    #[test]
    fn dates_are_found_in_their_usual_forms() {
        check("What happened on 8 May 2023?", &[(Some(2023), Some(5), Some(8))]);
        check("the 8th of May", &[(None, Some(5), Some(8))]);
        check("May 8th, 2023", &[(Some(2023), Some(5), Some(8))]);
        check("in July", &[(None, Some(7), None)]);
        check("on 2023-05-08 at noon", &[(Some(2023), Some(5), Some(8))]);
        check("before 2019?", &[(Some(2019), None, None)]);
    }

    #[test]
    fn a_day_is_the_same_in_every_spelling() {
        for day in [
            "8 May 2023",
            "May 8, 2023",
            "May 8th, 2023",
            "the 8th of May 2023",
            "2023-05-08",
            "2023/05/08",
            "8.5.2023",
            "8-May-2023",
            "2023-05-08T00:00:00Z",
            "8:15 pm on 8 May, 2023",
            "8. Mai 2023",
            "8 de mayo de 2023",
            "el 8 de mayo del 2023",
            "8 mayo 2023",
            "mayo 8, 2023",
            "8 May '23",
            "8 May 23",
            "May 8, ’23",
            "on 8.5.23",
            "8 maggio 2023",
            "8 de maio de 2023",
            "8 mei 2023",
            "8 мая 2023",
            "2023年5月8日",
        ] {
            let question = format!("What happened on {day}?");
            check_days(&question, date(2023, 5, 8), date(2023, 5, 8));
        }
    }

    #[test]
    fn dates_in_digits_are_asked_for_in_the_words_of_texts() {
        let spelt = |question: &str| respelt(question, &asked_dates(question), |_| false);
        assert_eq!(spelt("And on 2023-05-08?"), "And on 8 May 2023?");
        assert_eq!(spelt("May 8th, 2023, at noon"), "8 may 2023, at noon");
        assert_eq!(spelt("in July: what?"), "in july: what?");
        assert_eq!(spelt("é 8.5.2023 é"), "é 8 May 2023 é");
        assert_eq!(spelt("el 8 de mayo"), "el 8 May mayo");
        let known = "on 2023/05/28";
        assert_eq!(respelt(known, &asked_dates(known), |_| true), "on 28 May 2023 05");
    }

    #[test]
    fn what_may_be_one_of_two_days_is_both() {
        let both = [(Some(2023), Some(8), Some(5)), (Some(2023), Some(5), Some(8))];
        check("on 05/08/2023", &both);
        check("on 5/28/23", &[(Some(2023), Some(5), Some(28))]);
        check("version 1.2.10, chapter 3.4, and/or 1/2", &[]);
    }

    #[test]
    fn what_lies_between_two_dates_is_one_span() {
        let (first, last) = (date(2026, 11, 1), date(2026, 11, 10));
        check_days("between 1 and 10 November 2026", first, last);
        check_days("from 1 November to 10 November 2026", first, last);
        check_days("between 2026-11-01 and 2026-11-10", first, last);
        check_days("between March 2021 and June 2022", date(2021, 3, 1), date(2022, 6, 30));
        for span in [
            "between the 1st and the 10th of November 2026",
            "between the 1st of November and the 10th of November 2026",
            "1-10 November 2026",
            "1–10 November 2026",
            "November 1-10, 2026",
            "from November 1 to 10, 2026",
            "del 1 al 10 de noviembre de 2026",
            "entre el 1 y el 10 de noviembre de 2026",
            "desde el 1 de noviembre hasta el 10 de noviembre de 2026",
            "vom 1. bis zum 10. November 2026",
            "zwischen dem 1. und dem 10. November 2026",
            "du 1er au 10 novembre 2026",
        ] {
            check_days(span, first, last);
        }
        check_days("on 1 and 10 November 2026", last, last);
    }

    #[test]
    fn a_span_may_reach_across_a_new_year() {
        let (first, last) = (date(2023, 12, 28), date(2024, 1, 3));
        check_days("from 28 December to 3 January 2024", first, last);
        check_days("from 28 December 2023 to 3 January", first, last);
        check_days("from 28 December to 3 January", first, last);
        check_days("between November and January", date(2023, 11, 1), date(2024, 1, 31));
        assert!(asked_dates("from 5 May 2024 to 2 March 2024")[0].readings[0].days(2024).is_none());
    }

    #[test]
    fn the_first_of_a_month_has_names_of_its_own() {
        for day in ["1º de mayo de 2023", "primero de mayo de 2023", "1er mai 2023"] {
            check_days(day, date(2023, 5, 1), date(2023, 5, 1));
        }
        check("en setiembre", &[(None, Some(9), None)]);
        check("8 May 23 people came", &[(None, Some(5), Some(8))]);
    }

    #[test]
    fn names_and_counts_are_no_dates() {
        check("May the dragon march?", &[]);
        check("Where I'd march", &[]);
        check("Did June pay 1500 gold for 12 horses?", &[]);
        for question in ["What did Avril sing?", "Was sagte Juli?", "¿Qué dijo Abril?"] {
            check(question, &[]);
        }
        check("les sept samouraïs", &[]);
        for question in ["qu'est-ce qui s'est passé en avril", "à la fin d'avril", "¿Y en abril?"]
        {
            check(question, &[(None, Some(4), None)]);
        }
        check("Was war Ende Juli?", &[(None, Some(7), None)]);
    }

    #[test]
    fn a_date_covers_the_days_it_can_mean() {
        let days = |question: &str| asked_dates(question)[0].readings[0].days(2024).unwrap();
        assert_eq!(days("in February"), (date(2024, 2, 1), date(2024, 2, 29)));
        assert_eq!(days("30 February 2023"), (date(2023, 2, 28), date(2023, 2, 28)));
        assert_eq!(days("2019"), (date(2019, 1, 1), date(2019, 12, 31)));
    }
}
