//! What both Markdown and HTML can say, as values.

/// A part of a document that stands on its own lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Block {
    /// Running text.
    Paragraph(Vec<Inline>),
    /// A heading of a level from 1 to 6.
    Heading(usize, Vec<Inline>),
    /// A quotation.
    Quote(Vec<Block>),
    /// A list.
    List(List),
    /// Program text with its language.
    Code(Option<String>, String),
    /// A line across.
    Rule,
    /// A table that Markdown can say.
    Table(Table),
    /// Anything else, as HTML on one line.
    Html(String),
}

/// A list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct List {
    /// The first number; `None` has bullets.
    pub(crate) start: Option<u64>,
    /// Whether there is air between the items.
    pub(crate) loose: bool,
    /// The items.
    pub(crate) items: Vec<Item>,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Item {
    /// Whether it is a task, and done.
    pub(crate) task: Option<bool>,
    /// What is in it.
    pub(crate) blocks: Vec<Block>,
}

/// A table with one head row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    /// One entry for each column.
    pub(crate) columns: Vec<Align>,
    /// The rows, head first; each has as many cells as there are columns.
    pub(crate) rows: Vec<Vec<Vec<Inline>>>,
}

/// How a column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Align {
    /// As it comes.
    #[default]
    None,
    /// To the left.
    Left,
    /// In the middle.
    Center,
    /// To the right.
    Right,
}

/// A part of running text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Inline {
    /// Text; blanks are single, a line break is soft.
    Text(String),
    /// A mention, to the letter.
    Mention(String),
    /// A hard line break.
    Break,
    /// Program text.
    Code(String),
    /// Text in one of the three styles that Markdown has signs for.
    Styled(Style, Vec<Inline>),
    /// A link.
    Link(Target, Vec<Inline>),
    /// A picture with its description.
    Image(Target, String),
    /// An empty element of which Markdown could say only a part, as HTML on one line.
    Html(String),
    /// Text in an element that Markdown has no sign for: its start tag, name and content.
    Tagged(String, String, Vec<Inline>),
}

impl Inline {
    /// The text, if it is program text.
    pub(crate) fn as_code(&self) -> Option<&str> {
        match self {
            Self::Code(text) => Some(text),
            _ => None,
        }
    }
}

/// A style with a sign of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `*text*`
    Emphasis,
    /// `**text**`
    Strong,
    /// `~~text~~`
    Strike,
}

impl Style {
    /// The sign around the text.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Emphasis => "*",
            Self::Strong => "**",
            Self::Strike => "~~",
        }
    }

    /// Another sign that says the same, for where the first would run into its neighbours.
    pub(crate) fn other_sign(self) -> Option<&'static str> {
        match self {
            Self::Emphasis => Some("_"),
            Self::Strong => Some("__"),
            Self::Strike => None,
        }
    }

    /// The element that says the same.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::Emphasis => "em",
            Self::Strong => "strong",
            Self::Strike => "del",
        }
    }
}

/// Where a link or picture leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The address.
    pub(crate) url: String,
    /// What is shown when pointing at it.
    pub(crate) title: Option<String>,
}
