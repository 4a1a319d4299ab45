//! The words of a statement, with numbers, times and dates in one spelling.

/// Splits a statement into lower-case words. A number is one word however its digits are grouped. A
/// time of day becomes its hour on the 24-hour clock, and its minute unless that is zero.
pub(super) fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace(['\u{2019}', '`'], "'");
    let text = ungrouped(&text.replace("a.m.", "am").replace("p.m.", "pm"));
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | ':'));
    let words = words.map(|word| word.trim_matches(['\'', ':'])).filter(|word| !word.is_empty());
    let mut words = words.peekable();
    let mut told: Vec<String> = Vec::new();
    while let Some(word) = words.next() {
        let half = words.peek().and_then(|next| Half::named(next)).filter(|_| is_clock(word));
        if half.is_some() {
            words.next();
        }
        let last = told.last().map_or("", String::as_str);
        if word == "may" && is_may(last, words.peek().unwrap_or(&"")) {
            told.push("5".to_owned());
        } else if let Some(time) = time(word, half) {
            told.extend(time);
        } else {
            told.extend(word.split(':').filter(|part| !part.is_empty()).map(str::to_owned));
        }
    }
    told
}

/// Removes the separators between groups of digits: `1,000`, `1'000`, `1_000`. A point is kept,
/// because it may be a decimal point.
fn ungrouped(text: &str) -> String {
    let digits = |letters: &mut dyn Iterator<Item = char>| {
        letters.take(4).take_while(char::is_ascii_digit).count()
    };
    let groups = |(at, separator): &(usize, char)| {
        let (before, after) = text.split_at(*at);
        matches!(separator, ',' | '\'' | '_')
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

/// Returns the words for a time of day: `10:30`, `10pm`, or a word that is followed by `am` or
/// `pm`.
fn time(word: &str, half: Option<Half>) -> Option<Vec<String>> {
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
    let minute = (minute > 0).then(|| minute.to_string());
    Some(std::iter::once(hour.to_string()).chain(minute).collect())
}

/// Whether `may` between these words is the month.
fn is_may(last: &str, next: &str) -> bool {
    is_number(last)
        || is_number(next)
        || matches!(last, "in" | "since" | "until" | "during" | "last" | "next" | "every")
}

/// Returns a number or month in its canonical spelling; `None` for other words.
pub(super) fn number(word: &str) -> Option<String> {
    let named = MONTHS.iter().chain(&NUMBERS).find(|(name, _)| *name == word);
    let named = named.map(|(_, number)| number.to_string());
    let plain = word.trim_start_matches('0');
    let plain = if plain.is_empty() { "0" } else { plain };
    named.or_else(|| is_number(word).then(|| plain.to_owned()))
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

/// The numbers of the months; `may` is one only where [`words`] detects it.
const MONTHS: [(&str, u8); 18] = [
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
    ("februar", 2),
    ("märz", 3),
    ("mai", 5),
    ("juni", 6),
    ("juli", 7),
    ("dezember", 12),
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
