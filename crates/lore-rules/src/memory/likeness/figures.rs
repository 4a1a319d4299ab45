//! The words of a statement, with numbers, times and dates in one spelling.

/// Splits a statement into lower-case words. A number is one word however its digits are grouped. A
/// time of day is one word on the 24-hour clock, without its minute if that is zero.
pub(super) fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace(['\u{2019}', '`'], "'");
    let text = ungrouped(&text.replace("a.m.", "am").replace("p.m.", "pm"));
    let words = pieces(&text);
    let mut words = words.iter().map(String::as_str).peekable();
    let mut told: Vec<String> = Vec::new();
    while let Some(word) = words.next() {
        let half = words.peek().and_then(|next| Half::named(next)).filter(|_| is_clock(word));
        if half.is_some() {
            words.next();
        }
        let last = told.last().map_or("", String::as_str);
        let next = words.peek().copied().unwrap_or_default();
        if let Some(month) = month_between(last, word, next) {
            told.push(month.to_string());
        } else if let Some(time) = time(word, half) {
            told.push(time);
        } else {
            told.extend(word.split(':').filter(|part| !part.is_empty()).map(str::to_owned));
        }
    }
    told
}

/// Splits a text at everything that separates words. Numbers with a decimal point, and times, are
/// one piece.
fn pieces(text: &str) -> Vec<String> {
    let inner = |c: char| matches!(c, '\'' | ':' | '.' | ',');
    let rough = text.split(|c: char| !c.is_alphanumeric() && !inner(c));
    let mut rough = rough.filter(|word| word.contains(char::is_alphanumeric)).peekable();
    let mut pieces = Vec::new();
    while let Some(word) = rough.next() {
        let next = rough.peek().map(|next| next.trim_matches(inner));
        // In the middle of a sentence, `8.5.` is a day of a month.
        let is_date = word.ends_with('.') && next.is_some();
        let word = word.trim_matches(inner);
        if word.contains(is_unspaced) {
            pieces.extend(unspaced(word));
            continue;
        }
        let is_time = matches!(next, Some("am" | "pm" | "uhr"));
        let clock = word.replace('.', ":");
        if is_time && is_clock(&clock) {
            pieces.push(clock);
        } else if let Some(number) = decimal(word).filter(|_| !is_date) {
            pieces.push(number);
        } else {
            let parts = word.split(['.', ',']).map(|part| part.trim_matches(['\'', ':']));
            let parts = parts.filter(|part| !part.is_empty());
            pieces.extend(parts.map(|part| cardinal(part).to_owned()));
        }
    }
    pieces
}

/// Whether a character belongs to a script without spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// Splits a word of such a script: its denials, then each two characters that follow each other.
fn unspaced(word: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let is_here = is_unspaced(first);
        let end = rest.find(|c| is_unspaced(c) != is_here).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        if !is_here {
            pieces.push(run.to_owned());
            continue;
        }
        let said = UNSPACED_DENIALS.iter().fold(run.to_owned(), |said, mark| {
            pieces.extend(said.matches(mark).map(|_| UNSPACED_DENIAL.to_owned()));
            said.replace(mark, "")
        });
        let letters: Vec<char> = said.chars().collect();
        pieces.extend(letters.windows(2).map(|pair| pair.iter().collect()));
    }
    pieces
}

/// Denials within the words of scripts without spaces, longer ones first.
const UNSPACED_DENIALS: [&str; 6] = ["なかった", "ません", "ない", "不", "没", "沒"];
/// What stands for them in a statement.
pub(super) const UNSPACED_DENIAL: &str = "不";

/// Returns a number with a decimal point in its canonical spelling: `2500.00` is `2500`.
fn decimal(word: &str) -> Option<String> {
    let (whole, part) = word.split_once(['.', ','])?;
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let is_decimal = is_number(whole) && is_number(part);
    let part = part.trim_end_matches('0');
    let number = if part.is_empty() { whole.to_owned() } else { format!("{whole}.{part}") };
    is_decimal.then_some(number)
}

/// Removes the ending of an ordinal number in digits: `8th`.
fn cardinal(word: &str) -> &str {
    let number = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending));
    number.filter(|number| is_number(number)).unwrap_or(word)
}

/// Removes the separators between groups of digits: `1,000`, `1'000`, `1_000`, `1 000`. A point is
/// kept, because it may be a decimal point.
fn ungrouped(text: &str) -> String {
    let digits = |letters: &mut dyn Iterator<Item = char>| {
        letters.take(4).take_while(char::is_ascii_digit).count()
    };
    let groups = |(at, separator): &(usize, char)| {
        let (before, after) = text.split_at(*at);
        let separates =
            matches!(separator, ',' | '\'' | '_' | ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}');
        separates
            && (1..=3).contains(&digits(&mut before.chars().rev()))
            && digits(&mut after.chars().skip(1)) == 3
    };
    text.char_indices().filter(|letter| !groups(letter)).map(|(_, letter)| letter).collect()
}

/// Half of a day on the 12-hour clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Morning,
    Evening,
}

impl Half {
    fn named(word: &str) -> Option<Self> {
        match word {
            "am" => Some(Self::Morning),
            "pm" => Some(Self::Evening),
            _ => None,
        }
    }

    /// Converts an hour of the 12-hour clock to the 24-hour clock.
    fn hour(self, called: u8) -> Option<u8> {
        let hour = (1..=12).contains(&called).then_some(called % 12)?;
        Some(if self == Self::Evening { hour + 12 } else { hour })
    }
}

/// Whether a word can be the time before `am` or `pm`: `10`, `10:30`.
fn is_clock(word: &str) -> bool {
    hour_and_minute(word).is_some()
}

fn hour_and_minute(word: &str) -> Option<(u8, u8)> {
    let (hour, minute) = word.split_once(':').unwrap_or((word, "00"));
    let in_digits = is_number(hour) && hour.len() <= 2 && is_number(minute) && minute.len() == 2;
    let (hour, minute) = (hour.parse().ok()?, minute.parse().ok()?);
    (in_digits && hour < 24 && minute < 60).then_some((hour, minute))
}

/// Returns a time of day in its canonical spelling: `10:30`, `10pm`, or a word that is followed by
/// `am` or `pm`.
fn time(word: &str, half: Option<Half>) -> Option<String> {
    let end = word.char_indices().rev().nth(1).map_or(0, |(at, _)| at);
    let (digits, ending) = word.split_at(end);
    let (word, half) = match Half::named(ending) {
        Some(half) => (digits, Some(half)),
        None => (word, half),
    };
    if half.is_none() && !word.contains(':') {
        return None;
    }
    let (hour, minute) = hour_and_minute(word)?;
    let hour = half.map_or(Some(hour), |half| half.hour(hour))?;
    Some(if minute > 0 { format!("{hour}:{minute:02}") } else { hour.to_string() })
}

/// Returns the month that a word names only between such words: `may` and abbreviations.
fn month_between(last: &str, word: &str, next: &str) -> Option<u8> {
    let (_, month) = SHORT_MONTHS.iter().find(|(name, _)| *name == word)?;
    let is_month = is_number(last) || is_number(next) || LEADS.contains(&last);
    is_month.then_some(*month)
}

/// Returns a number, month or time in its canonical spelling; `None` for other words.
pub(super) fn number(word: &str) -> Option<String> {
    let named = MONTHS.iter().chain(&NUMBERS).find(|(name, _)| *name == word);
    let named = named.map(|(_, number)| number.to_string());
    let plain = word.trim_start_matches('0');
    let plain = if plain.is_empty() { "0" } else { plain };
    let is_figure = word.split([':', '.']).all(is_number);
    let plain = if is_number(word) { plain } else { word };
    named.or_else(|| is_figure.then(|| plain.to_owned()))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(char::is_numeric)
}

/// Returns the weekday that a word names, in English and singular.
pub(super) fn weekday(word: &str) -> Option<&'static str> {
    let single = word.strip_suffix('s').unwrap_or(word);
    let named = WEEKDAYS.iter().find(|(english, german)| [*english, *german].contains(&single));
    named.map(|(english, _)| *english)
}

const WEEKDAYS: [(&str, &str); 7] = [
    ("monday", "montag"),
    ("tuesday", "dienstag"),
    ("wednesday", "mittwoch"),
    ("thursday", "donnerstag"),
    ("friday", "freitag"),
    ("saturday", "samstag"),
    ("sunday", "sonntag"),
];

/// The months whose names also mean something else, or are easily part of a name.
const SHORT_MONTHS: [(&str, u8); 18] = [
    ("jan", 1),
    ("feb", 2),
    ("mar", 3),
    ("mars", 3),
    ("apr", 4),
    ("may", 5),
    ("mai", 5),
    ("jun", 6),
    ("jul", 7),
    ("julio", 7),
    ("aug", 8),
    ("sep", 9),
    ("sept", 9),
    ("oct", 10),
    ("okt", 10),
    ("nov", 11),
    ("dec", 12),
    ("dez", 12),
];

/// The numbers of the other months.
const MONTHS: [(&str, u8); 43] = [
    ("january", 1),
    ("february", 2),
    ("march", 3),
    ("april", 4),
    ("june", 6),
    ("july", 7),
    ("august", 8),
    ("september", 9),
    ("october", 10),
    ("november", 11),
    ("december", 12),
    ("januar", 1),
    ("jänner", 1),
    ("februar", 2),
    ("märz", 3),
    ("juni", 6),
    ("juli", 7),
    ("oktober", 10),
    ("dezember", 12),
    ("janvier", 1),
    ("février", 2),
    ("fevrier", 2),
    ("avril", 4),
    ("juin", 6),
    ("juillet", 7),
    ("août", 8),
    ("aout", 8),
    ("septembre", 9),
    ("octobre", 10),
    ("novembre", 11),
    ("décembre", 12),
    ("decembre", 12),
    ("enero", 1),
    ("febrero", 2),
    ("marzo", 3),
    ("abril", 4),
    ("mayo", 5),
    ("junio", 6),
    ("agosto", 8),
    ("septiembre", 9),
    ("octubre", 10),
    ("noviembre", 11),
    ("diciembre", 12),
];

/// Words after which a word that can be a month is one.
const LEADS: [&str; 15] = [
    "in", "im", "since", "until", "during", "last", "next", "every", "seit", "bis", "en", "fin",
    "début", "de", "desde",
];

/// Numbers in words, except those that often mean something else, such as `one`.
const NUMBERS: [(&str, u8); 43] = [
    ("zero", 0),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("hundred", 100),
    ("zwei", 2),
    ("drei", 3),
    ("vier", 4),
    ("fünf", 5),
    ("sechs", 6),
    ("sieben", 7),
    ("acht", 8),
    ("neun", 9),
    ("zehn", 10),
    ("zwölf", 12),
    ("zwanzig", 20),
    ("dreißig", 30),
    ("vierzig", 40),
    ("fünfzig", 50),
    ("hundert", 100),
];
