//! Holding back pieces of a text while it is converted.

/// Pieces that no parser may see, each replaced by a placeholder of letters and digits.
pub(super) struct Held {
    stem: String,
    pieces: Vec<String>,
}

impl Held {
    /// Creates an empty store whose placeholders do not occur in `text`.
    pub(super) fn for_text(text: &str) -> Self {
        let mut stem = String::from("0hb");
        while text.contains(&stem) {
            stem.push('q');
        }
        Self { stem, pieces: Vec::new() }
    }

    /// Holds back a piece and returns its placeholder.
    pub(super) fn hold(&mut self, piece: &str) -> String {
        self.pieces.push(piece.to_owned());
        format!("{}{}z", self.stem, self.pieces.len() - 1)
    }

    /// Replaces the placeholders by their pieces, each converted by `written`.
    pub(super) fn restore(&self, text: &str, written: impl Fn(&str) -> String) -> String {
        let mut out = String::with_capacity(text.len());
        let mut parts = text.split(self.stem.as_str());
        out.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let found = part.split_once('z').and_then(|(number, rest)| {
                Some((self.pieces.get(number.parse::<usize>().ok()?)?, rest))
            });
            match found {
                Some((piece, rest)) => {
                    out.push_str(&written(piece));
                    out.push_str(rest);
                }
                None => {
                    out.push_str(&self.stem);
                    out.push_str(part);
                }
            }
        }
        out
    }
}
