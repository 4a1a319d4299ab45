//! The fields of each kind of resource, besides those that every object has.

mod forms;

use crate::field::{Field, Look};
use crate::table::Kind;
use forms::{
    FLAG, LIST, NUMBER, OBJECT, TEXT, WHOLE, YEAR, author, created, derived, hidden, many, noise,
    one, part, picture, section, several, text, value, world,
};

pub(crate) const USER: &[Field] = &[
    derived("username", -1).typed(TEXT).told("The name."),
    derived("userhash", -1).look(Look::Noise),
    derived("worldCount", 0).typed(WHOLE).told("How many worlds there are."),
    value("avatar", 2).look(Look::Address).named("avatar_url"),
    derived("isGuild", 0).typed(FLAG).told("Whether the account is a paid one."),
];

pub(crate) const WORLD: &[Field] = &[
    derived("ownership", -1),
    text("description", 0).told("What the world is."),
    derived("countFollowers", -1).typed(WHOLE).named("followers").told("How many follow it."),
    derived("countArticles", 0).typed(WHOLE).named("article_count").told("Articles you can see."),
    derived("countMaps", 0).typed(WHOLE).named("map_count").told("Maps you can see."),
    derived("countTimelines", 0).named("timeline_count"),
    derived("countCategories", 0).named("category_count"),
    value("subtitle", 0),
    value("locale", 0),
    value("excerpt", 0),
    value("copyright", 0),
    picture("cover", 0, "cover_image"),
    value("genres", 0),
    derived("genre", 0).typed(TEXT).told("The first of its genres."),
    value("theme", 0),
    value("configuration", 0).typed(OBJECT).told("Settings of the world."),
    created(1),
    value("timeCurrent", 1),
    section("homepageContent1", 1),
    section("homepageContent2", 1),
    section("homepageContent3", 1),
    section("homepageContent4", 1),
    noise("views", 1),
];

pub(crate) const ARTICLE: &[Field] = &[
    derived("excerpt", -1).typed(TEXT).told("How it begins."),
    derived("wordcount", 0),
    created(0).look(Look::Noise),
    noise("publicationDate", 0),
    noise("likes", 0),
    noise("views", 0),
    noise("userMetadata", 0),
    noise("articleMetadata", 0),
    noise("cssClasses", 0),
    derived("templateType", 0)
        .typed(TEXT)
        .named("template")
        .told("What it describes: person, settlement, item…"),
    derived("subtype", 0),
    text("content", 1).look(Look::Extended).told("The text, at granularity 2, Markdown."),
    author(1),
    one("category", 1, Kind::Category, "in_category").told("The category: id, title, url."),
    world(1),
    value("pronunciation", 2),
    value("snippet", 2),
    part("subheading", 2),
    part("sidebarcontent", 2),
    part("sidepanelcontenttop", 2),
    part("sidepanelcontent", 2),
    part("sidebarcontentbottom", 2),
    part("footnotes", 2),
    part("fullfooter", 2),
    part("credits", 2),
    hidden("authornotes", 2),
    hidden("scrapbook", 2),
    derived("sections", 2).typed(OBJECT).told("Further texts by their name."),
    picture("cover", 2, "cover_image").told("Address of the picture on top."),
    value("gallery", 2),
    one("block", 2, Kind::Block, "has_block"),
    one("articleParent", 2, Kind::Article, "parent"),
    many("articleChildren", 2, Kind::Article, "parent"),
    value("articleNext", 2),
    value("articlePrevious", 2),
    many("manuscripts", 2, Kind::Manuscript, "about"),
    many("timelines", 2, Kind::Timeline, "about"),
    derived("secrets", 2).typed(LIST).told("Secrets of the article, for the game master."),
    many("histories", 2, Kind::History, "about"),
    derived("sheet", 2).typed(OBJECT).told("How somebody is played: profile and state."),
    derived("ancestry", 3),
];

pub(crate) const CATEGORY: &[Field] = &[
    derived("articleCount", -1).typed(WHOLE).told("Articles in it that you can see."),
    text("description", 0).told("What belongs in it."),
    value("excerpt", 0),
    noise("isBook", 0),
    noise("isCollapsed", 0),
    noise("position", 0),
    created(0).look(Look::Noise),
    noise("views", 0),
    noise("cssClasses", 1),
    noise("systemMeta", 1),
    picture("pagecover", 2, "cover_image"),
    one("parent", 2, Kind::Category, "parent")
        .named("parent_category")
        .told("The category it is in: id, title, url."),
    many("children", 2, Kind::Category, "parent")
        .named("subcategories")
        .told("The categories in it."),
    world(2),
    one("articleRedirect", 2, Kind::Article, "redirects_to"),
];

pub(crate) const MAP: &[Field] = &[
    derived("markerCount", -1).typed(WHOLE).told("Markers you can see."),
    value("imageUrl", -1).typed(TEXT).told("Address of the picture."),
    text("description", 0).told("What it shows."),
    value("legend", 0),
    created(0).look(Look::Noise),
    noise("displayOnHomepage", 0),
    noise("views", 0),
    noise("position", 0),
    value("width", 0),
    value("height", 0),
    noise("zoomOriginal", 0),
    noise("zoomMin", 0),
    noise("zoomMax", 0),
    noise("centerX", 0),
    noise("centerY", 0),
    one("category", 2, Kind::Category, "in_category"),
    one("image", 2, Kind::Image, "shows").look(Look::Noise),
    one("organization", 2, Kind::Article, "shows_organization"),
    one("location", 2, Kind::Article, "shows_location"),
    world(2),
    many("markers", 2, Kind::Marker, "on_map").told("Its markers: id, title, url."),
];

pub(crate) const MARKER: &[Field] = &[
    derived("label", -1).typed(TEXT).told("What stands on the map."),
    one("map", 1, Kind::Map, "on_map"),
    value("geoX", -1).typed(NUMBER).named("latitude").told("Where it is."),
    value("geoY", -1).typed(NUMBER).named("longitude").told("Where it is."),
    one("targetArticle", -1, Kind::Article, "points_to")
        .named("linked_article")
        .told("The article it leads to: id, title, url."),
    text("description", -1).told("What is there."),
    noise("position", 0),
    noise("htmlMarker", 0),
    value("type", 0).look(Look::Noise),
    noise("isDirectLink", 0),
    noise("isDraggable", 0),
    value("labelTitle", 0).look(Look::Noise),
    noise("labelType", 0),
    noise("className", 0),
    value("geoZ", 1),
    value("polygonPoints", 1),
    value("circleRadius", 1),
    value("color", 1),
    noise("opacity", 1),
    one("markertype", 2, Kind::MarkerType, "of_type"),
    one("group", 2, Kind::MarkerGroup, "in_group"),
    one("targetMap", 2, Kind::Map, "points_to_map"),
    one("targetCategory", 2, Kind::Category, "points_to_category"),
    one("targetHistoricalEntry", 2, Kind::History, "points_to_history"),
    world(2),
];

/// Layers, marker groups and other parts of a map.
pub(crate) const MAP_PART: &[Field] = &[
    text("description", 0),
    created(0).look(Look::Noise),
    noise("position", 0),
    one("image", 2, Kind::Image, "shows"),
    one("map", 0, Kind::Map, "on_map"),
    many("markers", 2, Kind::Marker, "in_group"),
];

pub(crate) const MARKER_TYPE: &[Field] =
    &[text("description", 0), value("html", 0), value("css", 0), value("color", 0)];

pub(crate) const SECRET: &[Field] = &[
    derived("articleId", -1).typed(TEXT).told("The article it belongs to."),
    text("content", 0).told("What nobody else may know, Markdown."),
    created(0).look(Look::Noise),
    author(2),
    one("article", 2, Kind::Article, "secret_of")
        .told("The article it belongs to: id, title, url."),
    world(2),
];

pub(crate) const TIMELINE: &[Field] = &[
    text("description", 0).told("What it tells."),
    created(0).look(Look::Noise),
    value("utdOffset", 0),
    value("type", 0).named("timeline_type"),
    noise("showInToc", 0),
    noise("views", 0),
    noise("likes", 0),
    noise("presentationParameters", 0),
    world(1),
    many("histories", 2, Kind::History, "on_timeline").told("What happened on it."),
    many("eras", 2, Kind::Era, "of_timeline").told("Its eras."),
    one("article", 2, Kind::Article, "about"),
    one("category", 2, Kind::Category, "in_category"),
    author(2),
];

pub(crate) const ERA: &[Field] = &[
    text("description", 0).told("What the era was."),
    value("startingYear", -1).typed(YEAR).told("First year."),
    value("endingYear", -1).typed(YEAR).told("Last year."),
    value("abbreviation", 0),
    value("color", 0),
    one("timeline", -1, Kind::Timeline, "of_timeline").told("The timeline: id, title, url."),
    world(2),
];

pub(crate) const HISTORY: &[Field] = &[
    value("significance", 0),
    value("year", -1).typed(YEAR).told("The year, as written."),
    value("month", 0),
    value("day", 0),
    value("hour", 0),
    value("minute", 0),
    value("endingYear", 0),
    value("endingMonth", 0),
    value("endingDay", 0),
    noise("lane", 0),
    noise("backgroundColor", 0),
    value("category", 0),
    value("displayRange", 0),
    noise("alternativeDisplayRange", 0),
    text("content", 1).told("What happened, Markdown."),
    section("fullcontent", 1),
    value("displayDateName", 1),
    created(1).look(Look::Noise),
    noise("meta", 1),
    noise("likes", 1),
    world(1),
    author(2),
    one("article", 2, Kind::Article, "about"),
    one("location", 2, Kind::Article, "happened_at"),
    one("report", 2, Kind::Article, "reported_in"),
    picture("cover", 2, "cover_image"),
    several("characters", 2, Kind::Article, "involves"),
    several("organizations", 2, Kind::Article, "involves_organization"),
    several("timelines", 2, Kind::Timeline, "on_timeline"),
];

pub(crate) const IMAGE: &[Field] = &[
    value("filename", 0).typed(TEXT).told("The name of the file."),
    value("path", 0).look(Look::Noise),
    value("size", 0).typed(NUMBER).told("Bytes."),
    value("width", 0).typed(NUMBER).told("Pixels."),
    value("height", 0).typed(NUMBER).told("Pixels."),
    value("extension", 0),
    text("description", 0),
    value("alt", 0),
    value("credit", 0),
    noise("views", 0),
    noise("likes", 0),
    value("linkUrl", 0),
    value("pageUrl", 0),
    one("article", 2, Kind::Article, "about"),
    author(2).named("owner"),
    world(2),
];

pub(crate) const CANVAS: &[Field] = &[
    created(0).look(Look::Noise),
    value("data", 0).told("Pages and assets."),
    author(2),
    world(2),
];

pub(crate) const CHRONICLE: &[Field] = &[
    text("description", 0).told("What it tells."),
    created(0).look(Look::Noise),
    one("map", 2, Kind::Map, "on_map"),
    one("timeline", 2, Kind::Timeline, "of_timeline"),
    value("data", 2),
    author(2),
    world(1),
];

pub(crate) const NOTEBOOK: &[Field] = &[
    created(0).look(Look::Noise),
    value("color", 0),
    noise("weight", 0),
    noise("isSelected", 0),
    many("notesections", 2, Kind::NoteSection, "in_notebook").told("Its sections."),
    derived("notes", 2).typed(LIST).told("The notes in them: id, title, url."),
    picture("cover", 2, "cover_image"),
    one("campaign", 2, Kind::Campaign, "for_campaign"),
    world(2),
    author(2),
];

pub(crate) const NOTE_SECTION: &[Field] = &[
    created(0).look(Look::Noise),
    value("color", 0),
    noise("weight", 0),
    one("notebook", 0, Kind::Notebook, "in_notebook"),
    many("notes", 2, Kind::Note, "in_section"),
    world(2),
    author(2),
];

pub(crate) const NOTE: &[Field] = &[
    text("content", 0),
    value("importance", 0),
    value("color", 0),
    noise("weight", 0),
    noise("isSelected", 0),
    one("notesection", 2, Kind::NoteSection, "in_section"),
    one("image", 2, Kind::Image, "shows"),
    one("campaign", 2, Kind::Campaign, "for_campaign"),
    one("article", 2, Kind::Article, "about"),
    author(2),
    world(2),
];

pub(crate) const MANUSCRIPT: &[Field] = &[
    text("description", 0).told("What it is about."),
    created(0).look(Look::Noise),
    value("subtitle", 0),
    picture("cover", 2, "cover_image"),
    many("versions", 2, Kind::ManuscriptVersion, "of_manuscript").told("Its versions."),
    one("article", 2, Kind::Article, "about"),
    world(1),
    author(2),
];

/// The parts of a manuscript, of any kind.
pub(crate) const MANUSCRIPT_PART: &[Field] = &[
    text("content", 0),
    created(0).look(Look::Noise),
    value("type", 0).named("part_type"),
    noise("position", 0),
    value("color", 0),
    value("data", 0),
    one("manuscript", 0, Kind::Manuscript, "of_manuscript"),
    one("version", 0, Kind::ManuscriptVersion, "of_version"),
    one("part", 0, Kind::ManuscriptPart, "of_part"),
];

pub(crate) const BLOCK: &[Field] = &[
    value("identifier", 0),
    noise("dataParser", 0),
    text("textualdata", 0).told("What it says."),
    value("tabulardata", 0),
    value("jsondata", 0).told("Its values."),
    noise("isShared", 0),
    noise("isSRD", 0),
    one("template", 2, Kind::BlockTemplate, "of_template").told("The template: id, title, url."),
    one("RPGSRD", 2, Kind::RpgSystem, "of_system").named("rpg_system"),
    one("blockfolder", -1, Kind::BlockFolder, "in_folder")
        .named("folder")
        .told("The folder: id, title, url."),
    author(2),
    world(2),
];

pub(crate) const BLOCK_FOLDER: &[Field] = &[
    value("identifier", 0),
    many("blocks", 2, Kind::Block, "in_folder").told("What is in it: id, title, url."),
    one("parent", 2, Kind::BlockFolder, "parent"),
    author(2),
    world(2),
];

pub(crate) const BLOCK_TEMPLATE: &[Field] = &[
    value("listtitle", 0),
    value("identifier", 0),
    text("description", 0).told("What it is for."),
    noise("formSchemaParser", 0),
    value("formSchema", 0).told("Its fields."),
    noise("isShared", 1),
    noise("heroesEnabled", 1),
    noise("systemMeta", 1),
    many("parts", 2, Kind::BlockTemplatePart, "of_template"),
    one("RPGSRD", 2, Kind::RpgSystem, "of_system").named("rpg_system"),
    author(2),
];

pub(crate) const BLOCK_TEMPLATE_PART: &[Field] = &[
    value("type", 0).named("part_type"),
    text("content", 0),
    value("data", 0),
    one("template", 0, Kind::BlockTemplate, "of_template"),
];

pub(crate) const FOLDER: &[Field] =
    &[value("entityType", -1), one("parent", 0, Kind::Folder, "parent"), world(2)];

pub(crate) const RPG_SYSTEM: &[Field] = &[
    value("reference", 0),
    text("description", 0).told("What the system is."),
    value("publisher", 0),
    value("copyright", 0),
    noise("logo", 0),
    noise("styles", 0),
    noise("heroesEnabled", 0),
    noise("weight", 0),
];

pub(crate) const SUBSCRIBER_GROUP: &[Field] = &[
    text("description", 0).told("Who is in it."),
    noise("position", 0),
    value("isDefault", 0),
    created(1).look(Look::Noise),
    value("isHidden", 1),
    value("isAssignable", 1),
    one("campaign", 1, Kind::Campaign, "for_campaign"),
    world(1),
    value("paidsubscribers", 1),
];

pub(crate) const VARIABLE: &[Field] = &[
    value("k", -1).typed(TEXT).named("key").told("Its name in texts."),
    value("v", -1).named("value").told("What stands for it."),
    value("type", -1).named("variable_type"),
    one("collection", 0, Kind::VariableCollection, "in_collection")
        .told("The collection: id, title, url."),
    world(2),
];

pub(crate) const VARIABLE_COLLECTION: &[Field] = &[
    text("description", 0).told("What it holds."),
    value("prefix", 0).typed(TEXT).told("What stands before the colon in texts."),
    many("variables", 2, Kind::Variable, "in_collection").told("What is in it."),
    world(2),
];

pub(crate) const CAMPAIGN: &[Field] = &[
    derived("name", -1).typed(TEXT).told("Its name."),
    derived("description", 0).typed(TEXT).told("What it is about."),
    derived("participants", 1).typed(LIST).told("Who takes part: id, name, role."),
    derived("sessionCount", 0).typed(WHOLE).told("Sessions so far."),
    derived("gmMode", 0),
    world(0),
];

pub(crate) const NPC: &[Field] = &[
    derived("name", -1).typed(TEXT).told("Its name."),
    derived("articleId", -1).typed(TEXT).told("Its article."),
    derived("role", -1).typed(TEXT).told("Towards the heroes."),
    derived("status", -1).typed(TEXT).told("Whether it lives."),
    derived("notes", 1).typed(TEXT).told("What is noted about it."),
    derived("campaign", 1).typed(OBJECT).told("The campaign: id, title, url."),
    derived("article", 2),
    world(2),
];
