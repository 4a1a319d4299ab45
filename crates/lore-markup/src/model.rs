//! The document model shared by Markdown and HTML.

/// A block element.
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
    /// A code block with its language.
    Code(Option<String>, String),
    /// A horizontal rule.
    Rule,
    /// A table that Markdown can express.
    Table(Table),
    /// Anything else, as HTML on one line.
    Html(String),
}

/// A list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct List {
    /// The first number of an ordered list; `None` for bullets.
    pub(crate) start: Option<u64>,
    /// Whether blank lines separate the items.
    pub(crate) loose: bool,
    /// The items.
    pub(crate) items: Vec<Item>,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Item {
    /// Whether it is a completed task; `None` if it is not a task.
    pub(crate) task: Option<bool>,
    /// The content.
    pub(crate) blocks: Vec<Block>,
}

/// A table with one head row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    /// The alignment of each column.
    pub(crate) columns: Vec<Align>,
    /// The rows, head first; each has one cell per column.
    pub(crate) rows: Vec<Vec<Vec<Inline>>>,
}

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Align {
    /// Not specified.
    #[default]
    None,
    /// Left.
    Left,
    /// Centred.
    Center,
    /// Right.
    Right,
}

/// An inline element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Inline {
    /// Text; white space is collapsed, and a line break is soft.
    Text(String),
    /// A mention, verbatim.
    Mention(String),
    /// A hard line break.
    Break,
    /// Inline code.
    Code(String),
    /// Text in one of the three styles that Markdown has delimiters for.
    Styled(Style, Vec<Inline>),
    /// A link.
    Link(Target, Vec<Inline>),
    /// An image with its description.
    Image(Target, String),
    /// A void element that Markdown could express only in part, as HTML on one line.
    Html(String),
    /// Text in an element without Markdown syntax: its start tag, name and content.
    Tagged(String, String, Vec<Inline>),
}

impl Inline {
    /// Returns the text if this is inline code.
    pub(crate) fn as_code(&self) -> Option<&str> {
        match self {
            Self::Code(text) => Some(text),
            _ => None,
        }
    }
}

/// A style with Markdown delimiters.
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
    /// The delimiter around the text.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Emphasis => "*",
            Self::Strong => "**",
            Self::Strike => "~~",
        }
    }

    /// An alternative delimiter, for where the first would run into its neighbours.
    pub(crate) fn other_sign(self) -> Option<&'static str> {
        match self {
            Self::Emphasis => Some("_"),
            Self::Strong => Some("__"),
            Self::Strike => None,
        }
    }

    /// The equivalent HTML element.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::Emphasis => "em",
            Self::Strong => "strong",
            Self::Strike => "del",
        }
    }
}

/// The target of a link or image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The URL.
    pub(crate) url: String,
    /// The tooltip.
    pub(crate) title: Option<String>,
}
