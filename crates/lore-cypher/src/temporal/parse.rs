//! Parsing dates, times and durations.

use super::calendar::{day_of_year, days_of};
use super::make::{Amounts, Parts, week_date};
use super::zone::{Local, Zone};
use super::{SECOND, Temporal};
use crate::error::{CypherError, Result, failed};
use crate::functions::TemporalFunction;

/// Parses a text as a value of the type that a function creates.
pub(super) fn parse(function: TemporalFunction, text: &str) -> Result<Temporal> {
    let unreadable = || CypherError::failure(format!("{text:?} is not a date, time or duration"));
    if function == TemporalFunction::Duration {
        return duration(text).ok_or_else(unreadable)?.span().map(Temporal::Duration);
    }
    let (date_text, time_text) = match function {
        TemporalFunction::Date => (Some(text), None),
        TemporalFunction::Time | TemporalFunction::LocalTime => (None, Some(text)),
        _ => match text.split_once('T') {
            Some((date, time)) => (Some(date), Some(time)),
            None => (Some(text), None),
        },
    };
    let mut parts = Parts::default();
    if let Some(text) = date_text {
        parts.day = Some(date(text).ok_or_else(unreadable)?);
    }
    if let Some(text) = time_text {
        let (text, name) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
            Some((text, name)) => (text, Some(name)),
            None => (text, None),
        };
        let (clock, offset) = split_offset(text)?;
        let nanos = time(clock).ok_or_else(unreadable)?;
        parts.nanos = Some(nanos);
        parts.zone = offset.map(Zone::Offset);
        if let (Some(name), Some(day)) = (name, parts.day) {
            parts = named(zone(name)?, Local { day, nanos, offset: offset.unwrap_or(0) }, offset);
        } else if name.is_some() {
            return Err(unreadable());
        }
    }
    parts.make(function)
}

/// A time in a named zone; an offset beside it determines the instant.
fn named(zone: Zone, written: Local, offset: Option<i32>) -> Parts {
    let Local { day, nanos, .. } = written;
    match offset {
        None => Parts { day: Some(day), nanos: Some(nanos), zone: Some(zone) },
        Some(_) => {
            let seen = zone.seen(written.instant());
            let zone = Some(zone.preferring(seen.offset));
            Parts { day: Some(seen.day), nanos: Some(seen.nanos), zone }
        }
    }
}

/// Parses a zone: an offset or a name.
pub(super) fn zone(text: &str) -> Result<Zone> {
    match offset(text).map(Zone::Offset).or_else(|| Zone::named(text)) {
        Some(zone) => Ok(zone),
        None => failed(format!(
            "{text:?} is neither an offset like +01:00 nor a zone like Europe/Stockholm"
        )),
    }
}

fn split_offset(text: &str) -> Result<(&str, Option<i32>)> {
    let Some(at) = text.find(['Z', 'z', '+', '-']) else { return Ok((text, None)) };
    let (clock, written) = text.split_at(at);
    match offset(written) {
        Some(offset) => Ok((clock, Some(offset))),
        None => failed(format!("{written:?} is not an offset like +01:00")),
    }
}

fn offset(text: &str) -> Option<i32> {
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes, seconds) = clock(digits)?;
    let seconds = hours * 3600 + minutes * 60 + seconds;
    (seconds <= 18 * 3600).then_some(sign * seconds as i32)
}

/// Parses hours, perhaps minutes and perhaps seconds, two digits each, with colons or without.
fn clock(text: &str) -> Option<(i64, i64, i64)> {
    let pairs: Vec<&str> = match text.contains(':') {
        true => text.split(':').collect(),
        false => {
            let starts = (0..text.len()).step_by(2);
            starts.map(|start| text.get(start..start + 2)).collect::<Option<_>>()?
        }
    };
    let below = |text: &str, end: i64| match text.len() {
        2 => number(text).filter(|number| *number < end),
        _ => None,
    };
    let (hours, minutes, seconds) = match *pairs.as_slice() {
        [hours] => (hours, "00", "00"),
        [hours, minutes] => (hours, minutes, "00"),
        [hours, minutes, seconds] => (hours, minutes, seconds),
        _ => return None,
    };
    Some((below(hours, 24)?, below(minutes, 60)?, below(seconds, 60)?))
}

/// Parses digits. Signs are refused: the callers parse those that are allowed.
fn number(text: &str) -> Option<i64> {
    match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => text.parse().ok(),
        false => None,
    }
}

fn date(text: &str) -> Option<i64> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let dashed: Vec<_> = unsigned.split('-').collect();
    match dashed.as_slice() {
        [year, week] if week.starts_with('W') => {
            week_day(sign * number(year)?, week.get(1..)?, "1")
        }
        [year, week, day] if week.starts_with('W') => {
            week_day(sign * number(year)?, week.get(1..)?, day)
        }
        [year, month, day] => days_of(sign * number(year)?, number(month)?, number(day)?),
        [year, ordinal] if ordinal.len() == 3 => {
            day_of_year(sign * number(year)?, number(ordinal)?)
        }
        [year, month] => days_of(sign * number(year)?, number(month)?, 1),
        [compact] => compact_date(sign, compact),
        _ => None,
    }
}

fn compact_date(sign: i64, text: &str) -> Option<i64> {
    let number = |range: std::ops::Range<usize>| number(text.get(range)?);
    let year = sign * number(0..4)?;
    match text.len() {
        4 => days_of(year, 1, 1),
        6 => days_of(year, number(4..6)?, 1),
        7 if text.get(4..5) == Some("W") => week_day(year, text.get(5..)?, "1"),
        7 => day_of_year(year, number(4..7)?),
        8 if text.get(4..5) == Some("W") => week_day(year, text.get(5..7)?, text.get(7..)?),
        8 => days_of(year, number(4..6)?, number(6..8)?),
        _ => None,
    }
}

fn week_day(year: i64, week: &str, day: &str) -> Option<i64> {
    let (week, day) = (number(week)?, number(day)?);
    let exists = (1..=53).contains(&week) && (1..=7).contains(&day);
    if exists { week_date(year, week, day).ok() } else { None }
}

fn time(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let (hour, minute, second) = clock(whole)?;
    if fraction.len() > 9 {
        return None;
    }
    let nanos = number(&format!("{fraction:0<9}"))?;
    Some((hour * 3600 + minute * 60 + second) * SECOND + nanos)
}

fn duration(text: &str) -> Option<Amounts> {
    let (date, time) = match text.strip_prefix('P')?.split_once('T') {
        Some((date, time)) => (date, time),
        None => (text.strip_prefix('P')?, ""),
    };
    let mut amounts = Amounts::default();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if let [years, months, days] = date.split('-').collect::<Vec<_>>().as_slice()
        && [years, months, days].iter().all(|part| is_number(part))
    {
        return as_a_moment([years, months, days], time);
    }
    let of_date = [('Y', "years"), ('M', "months"), ('W', "weeks"), ('D', "days")];
    let of_time = [('H', "hours"), ('M', "minutes"), ('S', "seconds")];
    amounts_of(date, &of_date, &mut amounts)?;
    amounts_of(time, &of_time, &mut amounts)?;
    Some(amounts)
}

/// Parses a duration in the format of a date and a time: `P0001-02-03T04:05:06`.
fn as_a_moment(date: [&str; 3], clock: &str) -> Option<Amounts> {
    let mut amounts = Amounts::default();
    let clock: Vec<_> = clock.split(':').filter(|part| !part.is_empty()).collect();
    let dates = ["years", "months", "days"].into_iter().zip(date);
    let clocks = ["hours", "minutes", "seconds"].into_iter().zip(clock);
    for (unit, number) in dates.chain(clocks) {
        let plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        amounts.add(unit, number.parse().ok().filter(|_| plain)?).ok()?;
    }
    Some(amounts)
}

fn amounts_of(mut text: &str, units: &[(char, &str)], amounts: &mut Amounts) -> Option<()> {
    while !text.is_empty() {
        let end = text.find(|letter: char| letter.is_ascii_alphabetic())?;
        let (number, rest) = text.split_at(end);
        let letter = rest.chars().next()?;
        let (_, unit) = units.iter().find(|(known, _)| *known == letter)?;
        amounts.add(unit, number.parse().ok()?).ok()?;
        text = rest.get(1..)?;
    }
    Some(())
}
