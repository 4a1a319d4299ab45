//! Cuts texts into chunks at headings and between paragraphs.

/// A piece of a text that can be read on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// The byte offset in the text where it begins.
    pub start: usize,
    /// The text of the chunk, in which an empty line separates blocks.
    pub text: String,
}

/// The size up to which blocks are joined into a chunk, and at which the pieces of a cut block aim,
/// in bytes.
const AIM: usize = 1200;
/// The size above which a single block is cut, in bytes.
const MOST: usize = 2400;

/// Cuts Markdown into chunks. Blocks up to the maximum size stay whole. A heading starts a new
/// chunk, and is a chunk itself if nothing follows below it.
pub fn chunks(markdown: &str) -> Vec<Chunk> {
    let mut made = Vec::new();
    let mut headings: Vec<(usize, String)> = Vec::new();
    let mut open: Option<Chunk> = None;
    let mut bare: Option<(usize, Chunk)> = None;
    for block in blocks(markdown) {
        if let Some((level, title)) = heading(block.text) {
            made.extend(open.take());
            made.extend(bare.take().filter(|(other, _)| *other >= level).map(|(_, chunk)| chunk));
            headings.retain(|(other, _)| *other < level);
            bare = Some((level, below(&headings, block.start, &title)));
            headings.push((level, title));
            continue;
        }
        for piece in pieces(&block) {
            bare = None;
            open = Some(match open.take() {
                Some(chunk) if chunk.text.len() + piece.text.len() <= AIM => {
                    joined(chunk, piece.text)
                }
                full => {
                    made.extend(full);
                    below(&headings, piece.start, piece.text)
                }
            });
        }
    }
    made.extend(open);
    made.extend(bare.map(|(_, chunk)| chunk));
    made.retain(|chunk| !chunk.text.is_empty());
    made
}

/// Creates a chunk below some headings.
fn below(headings: &[(usize, String)], start: usize, text: &str) -> Chunk {
    let headings = headings.iter().map(|(_, title)| title.clone()).collect();
    Chunk { headings, start, text: text.to_owned() }
}

/// A block of a text, and the byte offset where it begins.
struct Block<'a> {
    start: usize,
    text: &'a str,
}

fn joined(mut chunk: Chunk, text: &str) -> Chunk {
    chunk.text.push_str("\n\n");
    chunk.text.push_str(text);
    chunk
}

/// The line that opens fenced code.
#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    /// Returns the fence that a line opens, if it opens one.
    fn opened_by(line: &str) -> Option<Self> {
        let mark = line.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
        let after = line.trim_start_matches(mark);
        let length = line.len() - after.len();
        // Backticks with more of them behind are code within a line.
        let is_inline = mark == '`' && after.contains('`');
        (length >= 3 && !is_inline).then_some(Self { mark, length })
    }

    /// Whether a line closes the fence: the same mark, at least as often, and nothing else.
    fn is_closed_by(self, line: &str) -> bool {
        line.len() >= self.length && line.chars().all(|mark| mark == self.mark)
    }
}

/// Splits a text into blocks: headings, paragraphs, lists, tables, and fenced code, which may
/// contain empty lines.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut begin = None;
    let mut fence: Option<Fence> = None;
    let mut place = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        let is_heading = fence.is_none() && heading(bare).is_some();
        let ends = fence.is_none() && (bare.is_empty() || is_heading);
        if ends && let Some(start) = begin.take() {
            push(text, start, place, &mut found);
        }
        if is_heading {
            push(text, place, place + line.len(), &mut found);
        } else if !bare.is_empty() || fence.is_some() {
            begin.get_or_insert(place);
        }
        fence = match fence {
            None => Fence::opened_by(bare),
            Some(open) if open.is_closed_by(bare) => None,
            open => open,
        };
        place += line.len();
    }
    if let Some(start) = begin {
        push(text, start, place, &mut found);
    }
    found
}

fn push<'a>(text: &'a str, start: usize, end: usize, found: &mut Vec<Block<'a>>) {
    if let Some(block) = text.get(start..end).map(str::trim_end).filter(|block| !block.is_empty()) {
        found.push(Block { start, text: block });
    }
}

fn heading(line: &str) -> Option<(usize, String)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    let fits = (1..=6).contains(&level) && title.starts_with(' ') && !line.contains('\n');
    fits.then(|| (level, title.trim().trim_end_matches('#').trim_end().to_owned()))
}

/// Returns a block as it is or, if it is too large, cut at line ends, sentence ends or spaces.
fn pieces<'a>(block: &Block<'a>) -> Vec<Block<'a>> {
    let mut found = Vec::new();
    let (mut start, mut rest) = (block.start, block.text);
    while rest.len() > MOST {
        let cut = cut(rest);
        let (piece, after) = rest.split_at_checked(cut).unwrap_or((rest, ""));
        found.push(Block { start, text: piece.trim_end() });
        start += piece.len();
        rest = after;
    }
    if !rest.trim().is_empty() {
        found.push(Block { start, text: rest });
    }
    found
}

/// Returns the last good place to cut within the aimed size, or else the last possible one.
fn cut(text: &str) -> usize {
    let end = (0..=AIM).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0);
    let head = text.get(..end).unwrap_or_default();
    let good = ["\n", ". ", "! ", "? ", " "].into_iter().find_map(|mark| {
        head.rfind(mark).map(|place| place + mark.len()).filter(|place| *place > AIM / 2)
    });
    good.unwrap_or(end.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_remembered() {
        let text = "intro\n\n# A\n\none\n\n## B\n\ntwo\n\nthree\n\n# C\nfour";
        let found: Vec<_> =
            chunks(text).into_iter().map(|c| (c.headings.join("/"), c.text)).collect();
        let expected = [("", "intro"), ("A", "one"), ("A/B", "two\n\nthree"), ("C", "four")];
        assert_eq!(found, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
    }

    #[test]
    fn a_heading_with_nothing_below_it_is_a_text() {
        let text = "# Herring\n\n## Boats\n\n## Nets\n\nTwo.\n\n# Tides\n";
        let found: Vec<_> =
            chunks(text).into_iter().map(|c| (c.headings.join("/"), c.text)).collect();
        let expected = [("Herring", "Boats"), ("Herring/Nets", "Two."), ("", "Tides")];
        assert_eq!(found, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
    }

    #[test]
    fn code_stays_whole_and_its_comments_are_no_headings() {
        let text = "```sh\n# not a heading\n\necho\n```\n\nafter";
        let found = chunks(text);
        assert_eq!(found.len(), 1);
        assert!(found[0].headings.is_empty() && found[0].text.contains("# not a heading\n\necho"));
    }

    #[test]
    fn a_code_block_ends_at_its_own_fence_only() {
        for code in [
            "````md\n```sh\n\n# inner\n```\n\n# inner\n````",
            "```\n```text\n\n# inner\n```",
            "```\n~~~\n\n# inner\n```",
            "~~~ `x`\n\n# inner\n~~~~~",
        ] {
            let found = chunks(&format!("{code}\n\n# After\n\ntext"));
            let headings: Vec<_> = found.iter().map(|chunk| chunk.headings.as_slice()).collect();
            assert_eq!(headings, [&[][..], &["After".to_owned()]], "{code}");
            assert_eq!(found[0].text, code);
        }
        // Code within a line opens nothing.
        assert_eq!(chunks("```let```\n\n# A\n\ntext")[1].headings, ["A"]);
    }

    #[test]
    fn long_texts_are_cut_at_sentences_and_nothing_is_lost() {
        let sentence = "The river ran over the weir with a roar. ";
        let text = sentence.repeat(200);
        let found = chunks(&text);
        assert!(found.len() > 3);
        for chunk in &found {
            assert!(chunk.text.len() <= MOST && chunk.text.ends_with('.'), "{:?}", chunk.text);
            assert!(text[chunk.start..].starts_with(chunk.text.as_str()));
        }
        let length: usize = found.iter().map(|chunk| chunk.text.split_whitespace().count()).sum();
        assert_eq!(length, text.split_whitespace().count());
    }

    #[test]
    fn any_text_can_be_cut() {
        for text in [
            "",
            "\n\n\n",
            "#",
            "```",
            "é".repeat(9000).as_str(),
            "漢".repeat(5000).as_str(),
            "# \n#\n",
        ] {
            let total: usize = chunks(text).iter().map(|chunk| chunk.text.len()).sum();
            assert!(total <= text.len());
        }
    }
}
