//! What it costs to mask the secrets of a long text.

use std::time::{Duration, Instant};

use lore_rules::memory::secrets::mask;

/// The shortest of several runs, so that what else the machine does hardly counts.
fn cost(text: &str) -> Duration {
    let run = |_| {
        let begin = Instant::now();
        assert!(mask(text, |_| false).text.len() <= 2 * text.len());
        begin.elapsed()
    };
    (0..2).map(run).min().unwrap_or_default()
}

/// Letters as in base64, without a blank or a line break.
fn base64(length: usize) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 7_u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let letter = usize::try_from(state >> 26).ok().and_then(|place| LETTERS.get(place));
        letter.map_or('A', |letter| char::from(*letter))
    };
    std::iter::repeat_with(next).take(length).collect()
}

#[test]
fn a_text_four_times_as_long_costs_about_four_times_as_much() {
    let repeated = |part: &str| [16_000, 64_000].map(|length| part.repeat(length / part.len()));
    let texts = [
        ("base64", [16_000, 64_000].map(base64)),
        ("ideographs", repeated("中")),
        ("dotted letters", repeated("a.")),
        ("beginnings of web tokens", repeated("eyJ.")),
        ("commands", repeated("curl sshpass -p mysql ")),
        ("logins", repeated("user admin login ")),
        ("labels", repeated("the token is one, the password was none ")),
        ("labels among ideographs", repeated("密码中token中")),
        ("lines", repeated("a.b/c.d/e.f/g.h/i.j/k.l/m.n/o.p/q.r\n")),
    ];
    for (name, texts) in texts {
        let [short, long] = texts.map(|text| cost(&text));
        // Costs that grow with the square would make it 16 times as much.
        assert!(long < short * 10 + Duration::from_millis(5), "{name}: {short:?}, {long:?}");
    }
}
