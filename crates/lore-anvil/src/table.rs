//! The table: one row for each kind of resource.

use crate::resource::{Cache, IdForm, List, Presence, Resource, Sensitivity};
use crate::{fields, offered};

/// Declares the kinds together with their rows, so that every kind has one.
macro_rules! table {
    ($($(#[$doc:meta])* $kind:ident { $($field:ident: $value:expr),+ $(,)? })+) => {
        /// A kind of resource.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind { $($(#[$doc])* $kind),+ }

        impl Kind {
            /// Every kind, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$kind),+];

            /// Its row.
            pub fn row(self) -> &'static Resource {
                match self {
                    $(Self::$kind => {
                        static ROW: Resource = Resource { $($field: $value,)+ ..Resource::PLAIN };
                        &ROW
                    })+
                }
            }
        }
    };
}

impl Kind {
    /// Returns the kind that is read and written at a route of the API.
    pub fn at(path: &str) -> Option<Self> {
        let is_at = |kind: &Self| kind.row().path == path || kind.row().other_path == Some(path);
        Self::ALL.iter().copied().find(is_at)
    }

    /// Returns the kind that is listed at a route of the API, with the list.
    pub fn listed_at(path: &str) -> Option<(Self, &'static List)> {
        Self::ALL.iter().copied().find_map(|kind| {
            let list = kind.row().lists.iter().find(|list| list.path == path)?;
            Some((kind, list))
        })
    }
}

const fn under(parent: Kind, path: &'static str) -> List {
    List { parent: Some(parent), path, presence: Presence::Sure }
}

/// Like [`under`], for a list that the service may not have.
const fn perhaps_under(parent: Kind, path: &'static str) -> List {
    List { presence: Presence::Doubtful, ..under(parent, path) }
}

const fn of_all(path: &'static str) -> List {
    List { parent: None, path, presence: Presence::Sure }
}

table! {
    /// A user of the service.
    User {
        one: "user", many: "users", path: "user", class: "User", fields: fields::USER,
        cache: Cache::User, get_tool: Some("get_user_identity"), id_argument: "user_id",
    }
    /// A world.
    World {
        one: "world", many: "worlds", path: "world", class: "World", fields: fields::WORLD,
        granularities: &[-1, 0, 1], lists: &[under(Kind::User, "user/worlds")],
        cache: Cache::World, get_tool: Some("get_world"), list_tool: Some("list_user_worlds"),
        id_argument: "world_id",
    }
    /// A page about anything.
    Article {
        one: "article", many: "articles", path: "article", class: "Article",
        about: "people, places, groups, things and everything else that has a page",
        fields: fields::ARTICLE, granularities: &[-1, 0, 1, 2, 3],
        lists: &[under(Kind::World, "world/articles")], cache: Cache::Article,
        get_tool: Some("get_article"), list_tool: Some("list_articles"),
        id_argument: "article_id", writes: offered::ARTICLE,
    }
    /// A folder of articles.
    Category {
        one: "category", many: "categories", path: "category", class: "Category",
        about: "the folders that articles are in", fields: fields::CATEGORY,
        granularities: &[-1, 0, 1, 2], standard: 2,
        lists: &[under(Kind::World, "world/categories")],
        cache: Cache::Category, get_tool: Some("get_category"),
        list_tool: Some("list_categories"), id_argument: "category_id",
        writes: offered::CATEGORY,
    }
    /// A picture with markers on it.
    Map {
        one: "map", many: "maps", path: "map", class: "Map",
        about: "pictures with markers on them", fields: fields::MAP,
        lists: &[under(Kind::World, "world/maps")], get_tool: Some("get_map"),
        list_tool: Some("list_maps"), id_argument: "map_id",
    }
    /// A layer of a map.
    Layer {
        one: "map layer", many: "map layers", path: "layer", class: "Layer",
        fields: fields::MAP_PART, lists: &[under(Kind::Map, "map/layers")],
    }
    /// A group of markers.
    MarkerGroup {
        one: "marker group", many: "marker groups", path: "markergroup", class: "MarkerGroup",
        fields: fields::MAP_PART, lists: &[under(Kind::Map, "map/markergroups")],
    }
    /// A marker on a map.
    Marker {
        one: "map marker", many: "map markers", path: "marker", class: "Marker",
        about: "with coordinates and what they lead to", fields: fields::MARKER,
        granularities: &[-1, 0, 1, 2],
        lists: &[
            under(Kind::Map, "map/markers"),
            under(Kind::MarkerGroup, "markergroup/markers"),
        ],
        list_tool: Some("get_map_markers"), id_argument: "marker_id",
        writes: offered::MARKER,
    }
    /// The look of a marker.
    MarkerType {
        one: "marker type", many: "marker types", path: "markertype", class: "MarkerType",
        fields: fields::MARKER_TYPE, lists: &[of_all("markertypes")],
    }
    /// A campaign that is played in a world.
    Campaign {
        one: "campaign", many: "campaigns", path: "campaign", class: "Campaign",
        about: "who plays and how often they met", fields: fields::CAMPAIGN,
        granularities: &[-1, 0, 1, 2], lists: &[perhaps_under(Kind::World, "world/campaigns")],
        cache: Cache::Article, get_tool: Some("get_campaign"), id_argument: "campaign_id",
    }
    /// A character whom the game master plays.
    Npc {
        one: "NPC", many: "NPCs", path: "npc", class: "Npc",
        about: "whom the game master plays", fields: fields::NPC,
        granularities: &[-1, 0, 1, 2], lists: &[perhaps_under(Kind::Campaign, "campaign/npcs")],
        get_tool: Some("get_campaign_npc"), list_tool: Some("list_campaign_npcs"),
        id_argument: "npc_id",
    }
    /// A text for the game master's side.
    Secret {
        one: "secret", many: "secrets", path: "secret", class: "Secret",
        about: "what only the game master may know", fields: fields::SECRET,
        lists: &[under(Kind::World, "world/secrets")], cache: Cache::Never,
        sensitivity: Sensitivity::Secret, get_tool: Some("get_secret"),
        list_tool: Some("list_secrets"), id_argument: "secret_id",
        writes: offered::SECRET,
    }
    /// Events in order.
    Timeline {
        one: "timeline", many: "timelines", path: "timeline", class: "Timeline",
        about: "events in their order", fields: fields::TIMELINE,
        granularities: &[-1, 0, 1, 2], standard: 2,
        lists: &[under(Kind::World, "world/timelines")],
        get_tool: Some("get_timeline"), list_tool: Some("list_timelines"),
        id_argument: "timeline_id", writes: offered::TIMELINE,
    }
    /// An event.
    History {
        one: "history", many: "histories", path: "history", class: "History",
        about: "what happened, journals of the table among it", fields: fields::HISTORY,
        granularities: &[-1, 0, 1, 2], lists: &[under(Kind::World, "world/histories")],
        get_tool: Some("get_history"), list_tool: Some("list_histories"),
        id_argument: "history_id", writes: offered::HISTORY,
    }
    /// A picture.
    Image {
        one: "image", many: "images", path: "image", class: "Image",
        about: "pictures with their address and size", fields: fields::IMAGE,
        id: IdForm::Number, lists: &[under(Kind::World, "world/images")], cache: Cache::User,
        get_tool: Some("get_image"), list_tool: Some("list_images"), id_argument: "image_id",
    }
    /// A timeline on a map.
    Chronicle {
        one: "chronicle", many: "chronicles", path: "chronicle", class: "Chronicle",
        about: "events shown on a map", fields: fields::CHRONICLE,
        granularities: &[-1, 0, 1, 2], lists: &[perhaps_under(Kind::World, "world/chronicles")],
        get_tool: Some("get_chronicle"), list_tool: Some("list_chronicles"),
        id_argument: "chronicle_id",
    }
    /// A drawing board.
    Canvas {
        one: "canvas", many: "canvases", path: "canvas", class: "Canvas",
        about: "boards with cards and drawings", fields: fields::CANVAS,
        lists: &[under(Kind::World, "world/canvases")], get_tool: Some("get_canvas"),
        list_tool: Some("list_canvases"), id_argument: "canvas_id",
    }
    /// A book of notes.
    Notebook {
        one: "notebook", many: "notebooks", path: "notebook", class: "Notebook",
        about: "the author's own notes", fields: fields::NOTEBOOK,
        lists: &[perhaps_under(Kind::World, "world/notebooks"), perhaps_under(Kind::User, "user/notebooks")],
        get_tool: Some("get_notebook"), list_tool: Some("list_notebooks"),
        id_argument: "notebook_id",
    }
    /// A section of a notebook.
    NoteSection {
        one: "note section", many: "note sections", path: "notesection", class: "NoteSection",
        fields: fields::NOTE_SECTION, lists: &[under(Kind::Notebook, "notebook/notesections")],
    }
    /// A note.
    Note {
        one: "note", many: "notes", path: "note", class: "Note", fields: fields::NOTE,
        lists: &[
            under(Kind::NoteSection, "notesection/notes"),
            perhaps_under(Kind::World, "world/notes"),
        ],
        id_argument: "note_id",
        writes: offered::NOTE,
    }
    /// A book being written.
    Manuscript {
        one: "manuscript", many: "manuscripts", path: "manuscript", class: "Manuscript",
        about: "books being written", fields: fields::MANUSCRIPT,
        granularities: &[-1, 0, 1, 2], lists: &[under(Kind::World, "world/manuscripts")],
        get_tool: Some("get_manuscript"), list_tool: Some("list_manuscripts"),
        id_argument: "manuscript_id",
    }
    /// A version of a manuscript.
    ManuscriptVersion {
        one: "manuscript version", many: "manuscript versions", path: "manuscript_version",
        class: "ManuscriptVersion", fields: fields::MANUSCRIPT_PART,
        granularities: &[-1, 0, 1, 2],
        lists: &[under(Kind::Manuscript, "manuscript/manuscript_versions")],
    }
    /// A part of a version.
    ManuscriptPart {
        one: "manuscript part", many: "manuscript parts", path: "manuscript_part",
        class: "ManuscriptPart", fields: fields::MANUSCRIPT_PART,
        granularities: &[-1, 0, 1, 2],
        lists: &[under(Kind::ManuscriptVersion, "manuscript_version/manuscript_parts")],
    }
    /// A beat of a part.
    ManuscriptBeat {
        one: "manuscript beat", many: "manuscript beats", path: "manuscript_beat",
        class: "ManuscriptBeat", fields: fields::MANUSCRIPT_PART,
        granularities: &[-1, 0, 1, 2],
        lists: &[under(Kind::ManuscriptPart, "manuscript_part/manuscript_beats")],
    }
    /// A bookmark in a manuscript.
    ManuscriptBookmark {
        one: "manuscript bookmark", many: "manuscript bookmarks", path: "manuscript_bookmark",
        class: "ManuscriptBookmark", fields: fields::MANUSCRIPT_PART,
        granularities: &[-1, 0, 1, 2],
        lists: &[under(Kind::Manuscript, "manuscript/manuscript_bookmarks")],
    }
    /// A tag in a manuscript.
    ManuscriptTag {
        one: "manuscript tag", many: "manuscript tags", path: "manuscript_tag",
        class: "ManuscriptTag", fields: fields::MANUSCRIPT_PART,
        granularities: &[-1, 0, 1, 2],
        lists: &[under(Kind::Manuscript, "manuscript/manuscript_tags")],
    }
    /// How much was written, and when.
    ManuscriptStat {
        one: "manuscript statistic", many: "manuscript statistics", path: "manuscript_stat",
        class: "ManuscriptStat", fields: fields::MANUSCRIPT_PART,
        granularities: &[-1, 0, 1, 2],
        lists: &[under(Kind::ManuscriptVersion, "manuscript_version/manuscript_stats")],
    }
    /// A label in a manuscript.
    ManuscriptLabel {
        one: "manuscript label", many: "manuscript labels", path: "manuscript_label",
        class: "ManuscriptLabel", fields: fields::MANUSCRIPT_PART,
        granularities: &[-1, 0, 1, 2],
        lists: &[under(Kind::Manuscript, "manuscript/manuscript_labels")],
    }
    /// A plot of a version.
    ManuscriptPlot {
        one: "manuscript plot", many: "manuscript plots", path: "manuscript_plot",
        class: "ManuscriptPlot", fields: fields::MANUSCRIPT_PART,
        granularities: &[-1, 0, 1, 2],
        lists: &[under(Kind::ManuscriptVersion, "manuscript_version/manuscript_plots")],
    }
    /// A stat block: values for a block template.
    Block {
        one: "block", many: "blocks", path: "block", class: "Block",
        about: "stat blocks: values in a form of the game's rules", fields: fields::BLOCK,
        id: IdForm::Number,
        lists: &[
            under(Kind::BlockFolder, "blockfolder/blocks"),
            perhaps_under(Kind::World, "world/blocks"),
        ],
        get_tool: Some("get_block"), list_tool: Some("list_blocks"), id_argument: "block_id",
    }
    /// A folder of blocks.
    BlockFolder {
        one: "block folder", many: "block folders", path: "blockfolder", class: "BlockFolder",
        about: "where stat blocks are kept", fields: fields::BLOCK_FOLDER, id: IdForm::Number,
        lists: &[under(Kind::World, "world/blockfolders")], get_tool: Some("get_block_folder"),
        list_tool: Some("list_block_folders"), id_argument: "block_folder_id",
    }
    /// A form for stat blocks.
    BlockTemplate {
        one: "block template", many: "block templates", path: "blocktemplate",
        class: "BlockTemplate", about: "the forms of stat blocks",
        fields: fields::BLOCK_TEMPLATE, granularities: &[-1, 0, 1, 2], id: IdForm::Number,
        lists: &[under(Kind::User, "user/blocktemplates")], get_tool: Some("get_block_template"),
        list_tool: Some("list_block_templates"), id_argument: "block_template_id",
    }
    /// A part of a block template.
    BlockTemplatePart {
        one: "block template part", many: "block template parts", path: "blocktemplatepart",
        class: "BlockTemplatePart", fields: fields::BLOCK_TEMPLATE_PART, id: IdForm::Number,
        lists: &[under(Kind::BlockTemplate, "blocktemplate/blocktemplateparts")],
    }
    /// A folder of objects of any kind.
    Folder {
        one: "folder", many: "folders", path: "folder", class: "Folder",
        fields: fields::FOLDER, lists: &[perhaps_under(Kind::World, "world/folders")],
    }
    /// A rule system.
    RpgSystem {
        one: "RPG system", many: "RPG systems", path: "rpgsystem", class: "RpgSystem",
        about: "the rules that are played by", fields: fields::RPG_SYSTEM,
        granularities: &[-1, 0], id: IdForm::Number, lists: &[of_all("rpgsystems")],
        get_tool: Some("get_rpg_system"), list_tool: Some("list_rpg_systems"),
        id_argument: "rpg_system_id",
    }
    /// A group of readers who may see restricted objects.
    SubscriberGroup {
        one: "subscriber group", many: "subscriber groups", path: "subscribergroup",
        class: "SubscriberGroup", about: "who may read what",
        fields: fields::SUBSCRIBER_GROUP, granularities: &[-1, 0, 1],
        lists: &[under(Kind::World, "world/subscribergroups")],
        get_tool: Some("get_subscriber_group"), list_tool: Some("list_subscriber_groups"),
        id_argument: "subscriber_group_id",
    }
    /// A value that texts can refer to.
    Variable {
        one: "variable", many: "variables", path: "variable", class: "Variable",
        about: "values that texts name as [prefix:key]", fields: fields::VARIABLE,
        granularities: &[-1, 0, 1, 2],
        lists: &[
            under(Kind::VariableCollection, "variablecollection/variables"),
            under(Kind::VariableCollection, "variable_collection/variables"),
        ],
        get_tool: Some("get_variable"), list_tool: Some("list_variables"),
        id_argument: "variable_id",
    }
    /// Variables with a common prefix.
    VariableCollection {
        one: "variable collection", many: "variable collections", path: "variablecollection",
        other_path: Some("variable_collection"), class: "VariableCollection",
        about: "variables with a common prefix", fields: fields::VARIABLE_COLLECTION,
        lists: &[under(Kind::World, "world/variablecollections")],
        get_tool: Some("get_variable_collection"),
        list_tool: Some("list_variable_collections"), id_argument: "variable_collection_id",
    }
    /// A span of years.
    Era {
        one: "era", many: "eras", path: "era", class: "Era",
        about: "spans of years on a timeline", fields: fields::ERA,
        granularities: &[-1, 0, 1, 2],
        lists: &[perhaps_under(Kind::Timeline, "timeline/eras"), perhaps_under(Kind::World, "eras")],
        get_tool: Some("get_era"), list_tool: Some("list_eras"), id_argument: "era_id",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::field::Form;

    #[test]
    fn the_contract_has_45_tools_of_the_table() {
        let rows = || Kind::ALL.iter().map(|kind| kind.row());
        let gets = rows().filter_map(|row| row.get_tool).count();
        let lists = rows().filter_map(|row| row.list_tool).count();
        // `search_articles` is the 46th.
        assert_eq!((gets, lists), (23, 22));
    }

    #[test]
    fn paths_lead_to_one_kind_and_back() {
        let mut seen = BTreeSet::new();
        for kind in Kind::ALL {
            assert!(seen.insert(kind.row().path), "{kind:?}");
            assert_eq!(Kind::at(kind.row().path), Some(*kind));
            for list in kind.row().lists {
                assert!(seen.insert(list.path), "{}", list.path);
                assert_eq!(Kind::listed_at(list.path).map(|found| found.0), Some(*kind));
            }
        }
        assert_eq!(Kind::at("variable_collection"), Some(Kind::VariableCollection));
        assert_eq!(Kind::at("nonsense"), None);
    }

    #[test]
    fn fields_are_named_once_and_edges_are_words() {
        for kind in Kind::ALL {
            let mut names = BTreeSet::new();
            for field in kind.row().fields {
                assert!(names.insert(field.name), "{kind:?}.{}", field.name);
                if let Form::One(_, edge) | Form::Many(_, edge) | Form::Several(_, edge) =
                    field.form
                {
                    assert!(edge.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{edge}");
                }
            }
        }
    }

    #[test]
    fn parts_know_their_wholes() {
        let of = |kind: Kind| kind.row().holders().map(|(field, ..)| field).collect::<Vec<_>>();
        assert_eq!(of(Kind::Marker), ["map", "group"], "and not the map it leads to");
        assert_eq!(of(Kind::Variable), ["collection"]);
        assert_eq!(of(Kind::Note), ["notesection"]);
        for whole in [Kind::Article, Kind::Category, Kind::Map, Kind::History, Kind::Chronicle] {
            assert!(of(whole).is_empty(), "{whole:?}");
        }
    }

    #[test]
    fn granularities_are_mapped_to_what_is_allowed() {
        let of = |kind: Kind| [0, 1, 2, 9].map(|asked| kind.row().granularity(asked));
        assert_eq!(of(Kind::Article), [0, 1, 2, 2]);
        assert_eq!(of(Kind::Map), [0, 2, 2, 2]);
        assert_eq!(of(Kind::Category), [0, 2, 2, 2], "its parent and its world");
        assert_eq!(of(Kind::Timeline), [0, 2, 2, 2], "what is on it");
        assert_eq!(of(Kind::World), [0, 1, 1, 1]);
        assert_eq!(of(Kind::RpgSystem), [0, 0, 0, 0]);
    }

    #[test]
    fn what_the_service_documents_is_listed_for_sure() {
        let doubtful =
            |kind: &&Kind| !kind.row().lists.is_empty() && !kind.row().is_surely_listed();
        let doubtful: Vec<Kind> = Kind::ALL.iter().filter(doubtful).copied().collect();
        let wanted =
            [Kind::Campaign, Kind::Npc, Kind::Chronicle, Kind::Notebook, Kind::Folder, Kind::Era];
        assert_eq!(doubtful, wanted);
    }

    #[test]
    fn secrets_are_never_kept() {
        for kind in Kind::ALL {
            let row = kind.row();
            let secret = row.sensitivity == Sensitivity::Secret;
            assert_eq!(secret, row.cache == Cache::Never, "{kind:?}");
        }
    }
}
