//! Words of the calendar.

use jiff::civil::Weekday;

/// Whether a word can be part of a date expression: a month, a day, a year, "last", "week",
/// "yesterday".
pub fn is_date_word(surface: &str) -> bool {
    let word = surface.to_lowercase();
    let is_weekday = weekday(&word).is_some() && word.len() > 4;
    let span = word.strip_suffix('s').unwrap_or(&word);
    is_weekday
        || month(&word).is_some()
        || day(&word).is_some()
        || year(&word).is_some()
        || count(&word).is_some()
        || matches!(span, "day" | "week" | "weekend" | "month" | "year" | "spring" | "summer")
        || matches!(
            span,
            "autumn" | "fall" | "winter" | "today" | "tonight" | "yesterday" | "night"
        )
        || matches!(span, "morning" | "afternoon" | "evening" | "last" | "past" | "previou" | "ago")
        || matches!(span, "early" | "late" | "mid" | "couple" | "beginning" | "end")
}

/// Whether a word names a recurring time that texts may be about: a weekday or a season.
pub fn names_time(surface: &str) -> bool {
    let word = surface.to_lowercase();
    let season = matches!(word.as_str(), "spring" | "summer" | "autumn" | "fall" | "winter");
    season || weekday(&word).is_some() && word.len() > 4
}

/// The number of a month, from its English name or a usual abbreviation, in lower case.
pub fn month(word: &str) -> Option<i8> {
    Some(match word {
        "january" | "jan" => 1,
        "february" | "feb" => 2,
        "march" | "mar" => 3,
        "april" | "apr" => 4,
        "may" => 5,
        "june" | "jun" => 6,
        "july" | "jul" => 7,
        "august" | "aug" => 8,
        "september" | "sept" | "sep" => 9,
        "october" | "oct" => 10,
        "november" | "nov" => 11,
        "december" | "dec" => 12,
        _ => return None,
    })
}

/// The names of the months.
pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The number of a month, from its name in lower case in English, German, French, Spanish, Italian,
/// Portuguese, Dutch, Polish or Russian.
pub(super) fn any_month(word: &str) -> Option<i8> {
    month(word).or(match word {
        "januar" | "jänner" | "janvier" | "enero" | "ene" | "gennaio" | "janeiro" | "januari"
        | "stycznia" | "января" => Some(1),
        "februar" | "février" | "fevrier" | "febrero" | "febbraio" | "fevereiro" | "februari"
        | "lutego" | "февраля" => Some(2),
        "märz" | "maerz" | "mars" | "marzo" | "março" | "maart" | "marca" | "марта" => {
            Some(3)
        }
        "avril" | "abril" | "abr" | "aprile" | "kwietnia" | "апреля" => Some(4),
        "mai" | "mayo" | "maggio" | "maio" | "mei" | "maja" | "мая" => Some(5),
        "juni" | "juin" | "junio" | "giugno" | "junho" | "czerwca" | "июня" => Some(6),
        "juli" | "juillet" | "julio" | "luglio" | "julho" | "lipca" | "июля" => Some(7),
        "août" | "aout" | "agosto" | "augustus" | "sierpnia" | "августа" => Some(8),
        "septembre" | "septiembre" | "setiembre" | "settembre" | "setembro" | "września"
        | "сентября" => Some(9),
        "oktober" | "okt" | "octobre" | "octubre" | "ottobre" | "outubro" | "października"
        | "октября" => Some(10),
        "novembre" | "noviembre" | "novembro" | "listopada" | "ноября" => Some(11),
        "dezember" | "dez" | "décembre" | "decembre" | "diciembre" | "dic" | "dicembre"
        | "dezembro" | "grudnia" | "декабря" => Some(12),
        _ => None,
    })
}

/// Whether the name of a month is also a common word or a name. *Sept* is seven in French.
pub(super) fn is_ambiguous_month(word: &str) -> bool {
    const WORDS: [&str; 8] = ["may", "march", "mar", "jan", "august", "mars", "mai", "sept"];
    const NAMES: [&str; 13] = [
        "april",
        "avril",
        "abril",
        "june",
        "jun",
        "juli",
        "julio",
        "augustus",
        "maja",
        "marca",
        "mei",
        "марта",
        "мая",
    ];
    WORDS.contains(&word) || NAMES.contains(&word)
}

/// A day of the month in lower case: `8`, `8th`, `31st`.
pub fn day(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = word.get(digits.len()..).unwrap_or_default();
    let number = digits.parse().ok().filter(|day| (1..=31).contains(day))?;
    matches!(ending, "" | "st" | "nd" | "rd" | "th").then_some(number)
}

/// The same, including the first day as French and Spanish write it.
pub(super) fn any_day(word: &str) -> Option<i8> {
    let is_first = matches!(word, "1er" | "1º" | "1ro" | "1ero" | "primero" | "premier");
    day(word).or(is_first.then_some(1))
}

/// A year from 1900 to 2100, which is hardly ever a count.
pub(super) fn year(word: &str) -> Option<i16> {
    let four = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|year| four && (1900..=2100).contains(year))
}

/// A weekday, from its English name, its plural or its abbreviation, in lower case.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    Some(match word.strip_suffix('s').unwrap_or(word) {
        "monday" | "mon" => Weekday::Monday,
        "tuesday" | "tue" => Weekday::Tuesday,
        "wednesday" | "wed" => Weekday::Wednesday,
        "thursday" | "thu" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

/// Whether a word in lower case is a weekday in German, French, Spanish, Italian, Portuguese or
/// Dutch.
pub(super) fn is_foreign_weekday(word: &str) -> bool {
    const DAYS: [&str; 41] = [
        "montag",
        "dienstag",
        "mittwoch",
        "donnerstag",
        "freitag",
        "samstag",
        "sonnabend",
        "sonntag",
        "lundi",
        "mardi",
        "mercredi",
        "jeudi",
        "vendredi",
        "samedi",
        "dimanche",
        "lunes",
        "martes",
        "miércoles",
        "jueves",
        "viernes",
        "sábado",
        "domingo",
        "lunedì",
        "martedì",
        "mercoledì",
        "giovedì",
        "venerdì",
        "sabato",
        "domenica",
        "segunda",
        "terça",
        "quarta",
        "quinta",
        "sexta",
        "maandag",
        "dinsdag",
        "woensdag",
        "donderdag",
        "vrijdag",
        "zaterdag",
        "zondag",
    ];
    DAYS.contains(&word.trim_end_matches("-feira"))
}

/// A count, from a number or a usual word; "a few" is 3.
pub(super) fn count(word: &str) -> Option<i64> {
    match word {
        "a" | "an" => Some(1),
        "couple" => Some(2),
        "few" | "several" => Some(3),
        _ if word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit()) => word.parse().ok(),
        _ => (1..).zip(NUMBERS).find(|(_, name)| *name == word).map(|(number, _)| number),
    }
}

const NUMBERS: [&str; 20] = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// The same, including German, French and Spanish.
pub(super) fn any_count(word: &str) -> Option<i64> {
    count(word).or(match word {
        "un" | "una" | "une" | "ein" | "eine" | "einem" | "einer" | "einen" => Some(1),
        "zwei" | "dos" | "deux" => Some(2),
        "drei" | "tres" | "trois" => Some(3),
        "vier" | "cuatro" | "quatre" => Some(4),
        "fünf" | "cinco" | "cinq" => Some(5),
        "sechs" | "seis" => Some(6),
        _ => None,
    })
}
