//! Temporal values: truncation, durations between them, time zones.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use lore_cypher::{Graph, GraphBuilder, Options, Parameters, Value, answer};

/// Expressions and their values as strings.
const VALUES: &[(&str, &str)] = &[
    ("date.truncate('month', date('2026-11-16'))", "2026-11-01"),
    ("date.truncate('quarter', date('2026-11-16'))", "2026-10-01"),
    ("date.truncate('decade', date('2026-11-16'))", "2020-01-01"),
    ("date.truncate('century', date('2026-11-16'), {day: 2})", "2000-01-02"),
    ("date.truncate('week', date('2026-11-18'))", "2026-11-16"),
    ("date.truncate('week', date('2026-11-16'), {dayOfWeek: 3})", "2026-11-18"),
    // 1 January 2027 is in week-year 2026, which starts in 2025.
    ("date.truncate('weekYear', date('2027-01-01'))", "2025-12-29"),
    ("localtime.truncate('minute', localtime('12:31:14.5'))", "12:31"),
    ("time.truncate('day', time('12:31:14.5+02:00'))", "00:00+02:00"),
    ("localdatetime.truncate('day', date('2026-11-16'), {hour: 7})", "2026-11-16T07:00"),
    (
        "datetime.truncate('millisecond', datetime('2026-11-16T12:31:14.645876Z'), {nanosecond: 2})",
        "2026-11-16T12:31:14.645000002Z",
    ),
    (
        "datetime.truncate('year', date('2026-11-16'), {timezone: '+01:00'})",
        "2026-01-01T00:00+01:00",
    ),
    ("duration.between(date('2026-01-31'), date('2026-03-01'))", "P1M1D"),
    ("duration.between(date('2026-03-01'), date('2026-01-31'))", "P-1M-1D"),
    ("duration.between(date('2026-11-16'), localtime('16:30'))", "PT16H30M"),
    ("duration.between(localtime('16:30'), localtime('08:15'))", "PT-8H-15M"),
    ("duration.between(datetime('2026-11-16T10:00Z'), datetime('2026-11-16T12:00+01:00'))", "PT1H"),
    ("duration.inDays(date('2026-11-16'), date('2026-11-10'))", "P-6D"),
    ("duration.inMonths(date('2026-01-01'), date('2027-03-15'))", "P1Y2M"),
    (
        "duration.inSeconds(localdatetime('2026-11-16T00:00:00.5'), \
         localdatetime('2026-11-15T23:59:59'))",
        "PT-1.5S",
    ),
    ("datetime('2017-07-01T12:00[Europe/Stockholm]')", "2017-07-01T12:00+02:00[Europe/Stockholm]"),
    (
        "datetime('2017-10-29T02:30+01:00[Europe/Stockholm]') + duration('PT1H')",
        "2017-10-29T03:30+01:00[Europe/Stockholm]",
    ),
    (
        "datetime('2017-10-28T12:00[europe/stockholm]') + duration('P1D')",
        "2017-10-29T12:00+01:00[Europe/Stockholm]",
    ),
    (
        "datetime('2017-10-28T12:00[Europe/Stockholm]') + duration('PT24H')",
        "2017-10-29T11:00+01:00[Europe/Stockholm]",
    ),
    ("datetime('2017-03-26T02:30[Europe/Stockholm]')", "2017-03-26T03:30+02:00[Europe/Stockholm]"),
    (
        "datetime({datetime: datetime('2017-07-01T12:00Z'), timezone: 'America/New_York'})",
        "2017-07-01T08:00-04:00[America/New_York]",
    ),
    ("time(datetime('2017-07-01T12:00[Europe/Stockholm]'))", "12:00+02:00"),
    ("datetime('2017-07-01T12:00[Europe/Stockholm]').timezone", "Europe/Stockholm"),
    ("duration('P2012-02-02T14:37:21.545')", "P2012Y2M2DT14H37M21.545S"),
    ("duration('P1Y-2M-3D')", "P10M-3D"),
    ("time({time: datetime('2017-07-01T12:00[Europe/Stockholm]'), second: 5})", "12:00:05+02:00"),
    ("date('1984-10-11') - duration('PT36H')", "1984-10-10"),
    ("datetime.fromEpoch(0, 1)", "1970-01-01T00:00:00.000000001Z"),
    ("datetime.fromEpochMillis(-1)", "1969-12-31T23:59:59.999Z"),
    ("date('2024-366')", "2024-12-31"),
    ("date({year: 2024, ordinalDay: 366})", "2024-12-31"),
    ("date({year: 2024, quarter: 1, dayOfQuarter: 91})", "2024-03-31"),
    ("date({year: 2023, quarter: 3, dayOfQuarter: 92})", "2023-09-30"),
    ("date({date: date('2023-05-15'), quarter: 4})", "2023-11-15"),
    // Summer time started on this leap day.
    ("datetime('1948-02-29T12:00[Europe/Rome]')", "1948-02-29T12:00+02:00[Europe/Rome]"),
];

#[test]
fn values_read_as_they_should() {
    for (expression, expected) in VALUES {
        let found = value(&format!("toString({expression})")).unwrap();
        assert_eq!(found, Value::text(*expected), "{expression}");
    }
}

#[test]
fn of_nothing_comes_nothing() {
    for expression in ["duration.between(null, date())", "date.truncate('day', null)"] {
        assert_eq!(value(expression).unwrap(), Value::Null, "{expression}");
    }
}

#[test]
fn what_has_no_such_part_is_refused() {
    for expression in [
        "date.truncate('hour', date())",
        "time.truncate('year', time())",
        "date.truncate('year', localtime())",
        "date.truncate('fortnight', date())",
        "duration.between(date(), duration('P1D'))",
        "duration.between(date(), 1)",
        "datetime.fromEpochMillis(1.5)",
        "datetime.fromEpoch(9223372036854775807, 0)",
        "localtime.truncate('hour', localtime(), {minute: 60})",
        "datetime('2017-07-01T12:00[Europe/Nowhere]')",
        "time('12:00[Europe/Stockholm]')",
        "time({hour: 12, timezone: 'Europe/Stockholm'})",
    ] {
        assert!(value(expression).is_err(), "{expression}");
    }
}

#[test]
fn days_that_a_year_or_quarter_lacks_are_refused() {
    for expression in [
        "date('2023-366')",
        "date('2023366')",
        "date('2023-000')",
        "date({year: 2023, ordinalDay: 366})",
        "date({year: 2023, quarter: 1, dayOfQuarter: 91})",
        "date({year: 2024, quarter: 2, dayOfQuarter: 92})",
        "date({year: 1000000000, ordinalDay: 1})",
        // November has no 31st.
        "date({date: date('2023-05-31'), quarter: 4})",
    ] {
        assert!(value(expression).is_err(), "{expression}");
    }
}

#[test]
fn numbers_in_times_and_dates_are_digits_within_bounds() {
    for expression in [
        "time('12:00+-5')",
        "time('12:00++5')",
        "time('12:00+01:60')",
        "time('12:00+0199')",
        "time('12:00+01:00:60')",
        "time('12:00+0:100')",
        "time('12:00+18:01')",
        "time('1:230')",
        "date('20+1')",
        "date('+-201')",
        "date('2015+7')",
        "date('201507+1')",
        "date('2015W+5')",
        "date('2015-W05-+1')",
    ] {
        assert!(value(expression).is_err(), "{expression}");
    }
}

fn value(expression: &str) -> lore_cypher::Result<Value> {
    let query = format!("RETURN {expression} AS value");
    let table = answer(&empty(), &query, &Parameters::new(), &Options::default())?;
    Ok(table.rows[0][0].clone())
}

fn empty() -> Graph {
    GraphBuilder::new(&[]).build().unwrap()
}
