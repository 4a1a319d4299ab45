//! The arguments of writing tools.

use crate::TEMPLATES;
use crate::resource::{Need, Offered, Takes, Writes};

const fn text(argument: &'static str, field: &'static str) -> Offered {
    Offered { argument, field, takes: Takes::Text, gist: "", need: Need::Free }
}

const fn needed(argument: &'static str, field: &'static str) -> Offered {
    Offered { need: Need::New, ..text(argument, field) }
}

const fn markdown(argument: &'static str) -> Offered {
    let gist = "Markdown; mention others as @[Label](type:id).";
    Offered { gist, ..text(argument, argument) }
}

const fn number(argument: &'static str, field: &'static str, gist: &'static str) -> Offered {
    Offered { takes: Takes::Number, gist, ..text(argument, field) }
}

const TITLE: Offered = needed("title", "title");
const WORLD: Offered = Offered {
    need: Need::OnlyNew,
    gist: "The world it belongs to, where there are several.",
    ..text("world_id", "world")
};
const TAGS: Offered = Offered { takes: Takes::Texts, gist: "All tags.", ..text("tags", "tags") };
const STATE: Offered = Offered {
    takes: Takes::Choice(&["private", "public"]),
    gist: "public shows it to everybody: only when asked to.",
    ..text("state", "state")
};

pub(crate) const ARTICLE: Writes = Writes::Tools {
    names: ["create_article", "update_article", "delete_article"],
    offered: &[
        TITLE,
        WORLD,
        markdown("content"),
        Offered { takes: Takes::Choice(&TEMPLATES), ..text("template", "templateType") },
        Offered { gist: "What refines the template, such as NPC.", ..text("subtype", "subtype") },
        text("category_id", "category"),
        text("parent_id", "articleParent"),
        TAGS,
        Offered {
            takes: Takes::Named,
            gist: "Further texts by name, such as sidebarcontent.",
            ..text("sections", "sections")
        },
        STATE,
    ],
};

pub(crate) const CATEGORY: Writes = Writes::Tools {
    names: ["create_category", "update_category", "delete_category"],
    offered: &[TITLE, WORLD, markdown("description"), text("parent_id", "parent"), TAGS, STATE],
};

pub(crate) const MARKER: Writes = Writes::Tools {
    names: ["create_map_marker", "update_map_marker", "delete_map_marker"],
    offered: &[
        needed("map_id", "map"),
        TITLE,
        WORLD,
        number("latitude", "geoX", "Where it is."),
        number("longitude", "geoY", "Where it is."),
        markdown("description"),
        text("article_id", "targetArticle"),
        STATE,
    ],
};

pub(crate) const TIMELINE: Writes = Writes::Tools {
    names: ["create_timeline", "update_timeline", "delete_timeline"],
    offered: &[
        TITLE,
        WORLD,
        markdown("description"),
        text("category_id", "category"),
        text("article_id", "article"),
        STATE,
    ],
};

pub(crate) const HISTORY: Writes = Writes::Tools {
    names: ["create_history", "update_history", "delete_history"],
    offered: &[
        TITLE,
        WORLD,
        markdown("content"),
        Offered { gist: "As the world counts them.", ..text("year", "year") },
        Offered { takes: Takes::Count, gist: "Of the year.", ..text("month", "month") },
        Offered { takes: Takes::Count, gist: "Of the month.", ..text("day", "day") },
        Offered {
            takes: Takes::Texts,
            gist: "The timelines it is on.",
            ..text("timeline_ids", "timelines")
        },
        text("location_id", "location"),
        text("article_id", "article"),
        STATE,
    ],
};

pub(crate) const SECRET: Writes = Writes::Tools {
    names: ["create_secret", "update_secret", "delete_secret"],
    offered: &[TITLE, WORLD, markdown("content"), text("article_id", "article")],
};

pub(crate) const NOTE: Writes = Writes::Tools {
    names: ["create_notebook_note", "update_notebook_note", "delete_notebook_note"],
    offered: &[
        TITLE,
        WORLD,
        markdown("content"),
        text("note_section_id", "notesection"),
        text("article_id", "article"),
    ],
};
