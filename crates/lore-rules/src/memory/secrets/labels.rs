//! The labels of passwords and keys, in many languages, and what joins them to their values.

/// A label whose value is a secret.
#[derive(Clone, Copy)]
pub(super) struct Label {
    /// The known name that the label ends with.
    pub(super) known: &'static str,
    pub(super) is_password: bool,
    /// Whether the prose that may follow this label is unknown, as for foreign languages. Then only
    /// values that look like credentials count.
    pub(super) is_prose_unknown: bool,
    /// The length in bytes.
    pub(super) length: usize,
}

impl Label {
    /// Returns the label at the start of a text.
    pub(super) fn at(rest: &str) -> Option<Self> {
        named(rest).or_else(|| spelled(rest))
    }
}

/// Matches an identifier that ends with a known English or German name.
fn named(rest: &str) -> Option<Label> {
    let length = super::run(rest, super::is_word);
    let name = rest.get(..length)?.to_ascii_lowercase().replace('-', "_");
    let of = |known: &[&'static str]| known.iter().copied().find(|known| name.ends_with(known));
    let label = |known, is_password| Label { known, is_password, is_prose_unknown: false, length };
    let password = of(&PASSWORDS).map(|known| label(known, true));
    password.or_else(|| of(&SECRETS).map(|known| label(known, false)))
}

/// Matches a name of several words or in another language, as a whole.
fn spelled(rest: &str) -> Option<Label> {
    let first = rest.chars().next()?.to_lowercase().next()?;
    let of = |known: &[&'static str]| {
        let mut likely = known.iter().filter(|known| known.starts_with(first));
        likely.find_map(|known| Some((*known, begins(rest, known)?)))
    };
    let password = of(&PASSWORDS_ABROAD).map(|found| (found, true));
    let ((known, length), is_password) =
        password.or_else(|| of(&SECRETS_SPELLED).map(|found| (found, false)))?;
    Some(Label { known, is_password, is_prose_unknown: true, length })
}

/// Returns the length in bytes of `name` at the start of a text, ignoring case, if the word ends
/// there.
fn begins(text: &str, name: &str) -> Option<usize> {
    let mut letters = text.char_indices();
    for wanted in name.chars() {
        let (_, letter) = letters.next()?;
        let blank = wanted == ' ' && matches!(letter, '-' | '_' | '\u{a0}');
        if !blank && !letter.to_lowercase().eq(wanted.to_lowercase()) {
            return None;
        }
    }
    let end = letters.next().map_or(text.len(), |(at, _)| at);
    let goes_on = text.get(end..)?.starts_with(char::is_alphanumeric);
    // In scripts without spaces between words, the end of a word is not visible.
    let is_apart = name.chars().all(|c| c < '\u{3040}');
    (!goes_on || !is_apart).then_some(end)
}

const PASSWORDS: [&str; 9] =
    ["passphrase", "password", "passwort", "passcode", "kennwort", "passwd", "_pass", "pwd", "pw"];

const SECRETS: [&str; 19] = [
    "aws_secret_access_key",
    "secret_access_key",
    "client_secret",
    "access_token",
    "auth_token",
    "private_key_id",
    "private_key",
    "secret_key",
    "signing_key",
    "encryption_key",
    "access_key",
    "auth_key",
    "sharedaccesskey",
    "accountkey",
    "api_key",
    "apikey",
    "api_secret",
    "secret",
    "token",
];

/// A short form that also means one run of a program over its data.
pub(super) const PASS: &str = "pass";

/// Passwords in other languages, and a short form. A space also matches a hyphen, an underscore and a no-break space.
const PASSWORDS_ABROAD: [&str; 41] = [
    PASS,
    "contraseña",
    "contrasena",
    "contrasenya",
    "clave de acceso",
    "palabra clave",
    "mot de passe",
    "mdp",
    "senha",
    "palavra passe",
    "palavra chave",
    "parola d'ordine",
    "parola",
    "parolă",
    "wachtwoord",
    "lösenord",
    "passord",
    "adgangskode",
    "kodeord",
    "salasana",
    "hasło",
    "heslo",
    "jelszó",
    "geslo",
    "lozinka",
    "zaporka",
    "şifre",
    "zugangscode",
    "losungswort",
    "пароль",
    "парола",
    "лозинка",
    "κωδικός",
    "סיסמה",
    "كلمة المرور",
    "كلمة السر",
    "mật khẩu",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
];

/// Keys as several words, and in other languages.
const SECRETS_SPELLED: [&str; 16] = [
    "api key",
    "access key",
    "secret key",
    "api schlüssel",
    "zugangsschlüssel",
    "geheimschlüssel",
    "clé api",
    "clé d'api",
    "clé secrète",
    "clave api",
    "clave de api",
    "clave secreta",
    "chave de api",
    "chave api",
    "chiave api",
    "ключ api",
];

/// What joins a label to its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Equals,
    Colon,
    /// A verb, as in prose.
    Is,
}

/// Returns the sign after a label, and the text after it.
pub(super) fn sign(after: &str) -> Option<(Sign, &str)> {
    let after = after.trim_start_matches(is_blank);
    let signs = [("=", Sign::Equals), (":", Sign::Colon), ("：", Sign::Colon)];
    let written =
        signs.into_iter().find_map(|(text, sign)| Some((sign, after.strip_prefix(text)?)));
    written.or_else(|| spoken(after))
}

/// Matches a word such as *is*; with a colon after it, it counts as a colon.
fn spoken(after: &str) -> Option<(Sign, &str)> {
    let joined = JOINED.iter().find_map(|word| after.strip_prefix(word));
    if let Some(rest) = joined {
        return Some((Sign::Is, rest));
    }
    let word = word(after);
    let mut rest = after.get(word.len()..)?;
    if !IS.contains(&word.to_lowercase().as_str()) {
        return None;
    }
    let next = rest.trim_start_matches(is_blank);
    let still = self::word(next);
    if STILL.contains(&still.to_lowercase().as_str()) {
        rest = next.get(still.len()..)?;
    }
    match rest.strip_prefix(':') {
        Some(rest) => Some((Sign::Colon, rest)),
        None => rest.starts_with(is_blank).then_some((Sign::Is, rest)),
    }
}

/// Returns the word at the start of a text.
fn word(text: &str) -> &str {
    text.get(..super::run(super::near(text), char::is_alphabetic)).unwrap_or_default()
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{a0}' | '\u{202f}' | '\u{3000}')
}

/// Verbs that introduce a value.
pub(super) const IS: [&str; 22] = [
    "is",
    "was",
    "reads",
    "ist",
    "lautet",
    "heißt",
    "heisst",
    "war",
    "est",
    "es",
    "è",
    "é",
    "luidt",
    "är",
    "er",
    "jest",
    "brzmi",
    "je",
    "это",
    "είναι",
    "là",
    "equals",
];

/// Adverbs that may follow the verb.
pub(super) const STILL: [&str; 12] = [
    "now",
    "still",
    "currently",
    "jetzt",
    "nun",
    "noch",
    "aktuell",
    "maintenant",
    "ahora",
    "agora",
    "ora",
    "nu",
];

/// Verbs that introduce a value in languages without spaces between words.
const JOINED: [&str; 6] = ["是", "为", "為", "は", "는", "은"];

#[cfg(test)]
mod tests {
    fn mask(text: &str) -> String {
        super::super::mask(text, |_| false).text
    }

    #[test]
    fn passwords_are_known_in_many_languages() {
        for (text, wanted) in [
            ("contraseña: Qwerty#99", "contraseña: [masked password]"),
            ("La contraseña es Qwerty#99, creo", "La contraseña es [masked password], creo"),
            ("mot de passe : Azerty!2024", "mot de passe : [masked password]"),
            ("Mot de passe\u{a0}: Azerty!2024", "Mot de passe\u{a0}: [masked password]"),
            ("le mot de passe est Azerty!2024.", "le mot de passe est [masked password]."),
            ("das Passwort lautet Geheim!42x", "das Passwort lautet [masked password]"),
            (
                "Das Passwort lautet jetzt: Geheim!42x",
                "Das Passwort lautet jetzt: [masked password]",
            ),
            ("Kennwort ist nun Geheim!42x", "Kennwort ist nun [masked password]"),
            ("the password was Tr0ub4dor&3", "the password was [masked password]"),
            ("senha = s3nh4forte", "senha = [masked password]"),
            ("La password è Segreta#1x", "La password è [masked password]"),
            ("wachtwoord: Geheim1x", "wachtwoord: [masked password]"),
            ("hasło: Tajne#77", "hasło: [masked password]"),
            ("пароль: Tajna77x", "пароль: [masked password]"),
            ("Пароль — это Tajna77x", "Пароль — это Tajna77x"),
            ("пароль это Tajna77x", "пароль это [masked password]"),
            ("我的密码是Qwerty#99", "我的密码是[masked password]"),
            ("密码：Qwerty#99", "密码：[masked password]"),
            ("パスワードは Qwerty#99", "パスワードは [masked password]"),
            ("비밀번호는 Qwerty#99", "비밀번호는 [masked password]"),
            ("API key: ab12cd34ef", "API key: [masked secret]"),
            ("Der API-Schlüssel lautet ab12cd34ef", "Der API-Schlüssel lautet [masked secret]"),
            ("clé API : ab12cd34ef", "clé API : [masked secret]"),
        ] {
            assert_eq!(mask(text), wanted);
            assert_eq!(mask(wanted), wanted);
        }
    }

    #[test]
    fn what_is_said_of_passwords_stays_in_every_language() {
        for text in [
            "contraseña: obligatoria",
            "contraseña: la misma de 2023",
            "La contraseña es obligatoria desde 2023",
            "mot de passe : oublié ?",
            "Le mot de passe est dans le coffre",
            "das Passwort lautet wie immer",
            "Das Passwort lautet anders als 2023",
            "Das Kennwort war Schwertfisch",
            "parola: casa",
            "In una parola: meraviglioso",
            "{\"senha\": \"obrigatória\"}",
            "пароль: не задан",
            "密码是必填的",
            "API key: required",
            "the api key is stored in the vault",
            "the password was changed on 12 May",
            "the token was issued in 2023",
            "access_key: see 1Password",
        ] {
            assert_eq!(mask(text), text);
        }
    }
}
