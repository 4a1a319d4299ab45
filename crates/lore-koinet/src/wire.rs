//! What travels: manifests, bundles, events, and the requests and replies that
//! hold them. The order of fields is part of the protocol: it is signed.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::canonical::{Floats, compact, content_hash};
use crate::object::object;
use crate::rid::Rid;
use crate::time::WireTime;

/// What a thing is at a moment: enough to tell whether one has it already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Manifest {
    /// The thing.
    pub rid: Rid,
    /// When its owner changed it.
    pub timestamp: WireTime,
    /// The hash of its contents.
    pub sha256_hash: String,
    /// A mark newer nodes add. We keep it and never make one: older nodes drop it
    /// while they check a signature, and then refuse the message.
    #[serde(rename = "@context", default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

object!(both Manifest);

/// A thing with its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Bundle {
    /// What it is.
    pub manifest: Manifest,
    /// The contents, an object.
    pub contents: Contents,
}

object!(both Bundle);

/// An object, kept to the letter: its spelling is signed.
#[derive(Clone, Serialize)]
#[serde(transparent)]
pub struct Contents(Box<RawValue>);

impl Contents {
    /// Wraps the text of an object.
    pub fn parse(json: &str) -> Option<Self> {
        let is_object = serde_json::from_str::<serde_json::Map<String, Value>>(json).is_ok();
        let text = compact(json, Floats::AsIs);
        is_object.then(|| RawValue::from_string(text).ok().map(Self)).flatten()
    }

    /// The text, without white space.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// The object, for reading.
    pub fn value(&self) -> Value {
        serde_json::from_str(self.as_str()).unwrap_or_default()
    }

    /// The hash its manifest must name.
    pub fn hash(&self) -> String {
        content_hash(self.as_str()).unwrap_or_default()
    }
}

impl<'de> Deserialize<'de> for Contents {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <Box<RawValue>>::deserialize(deserializer)?;
        Self::parse(raw.get()).ok_or_else(|| serde::de::Error::custom("contents are no object"))
    }
}

impl PartialEq for Contents {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Contents {}

impl fmt::Debug for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What happened to a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum EventType {
    /// It is there.
    New,
    /// It changed.
    Update,
    /// It is gone.
    Forget,
}

/// Something happened to a thing. Manifest and contents may be left out, and are
/// then fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Event {
    /// The thing.
    pub rid: Rid,
    /// What happened.
    pub event_type: EventType,
    /// What it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Manifest>,
    /// Its contents now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contents: Option<Contents>,
}

object!(both Event);

impl Event {
    /// A thing is gone.
    pub fn forget(rid: Rid) -> Self {
        Self { rid, event_type: EventType::Forget, manifest: None, contents: None }
    }

    /// A thing is there, or changed.
    pub fn about(bundle: Bundle, event_type: EventType) -> Self {
        Self {
            rid: bundle.manifest.rid.clone(),
            event_type,
            manifest: Some(bundle.manifest),
            contents: Some(bundle.contents),
        }
    }
}

/// Declares a request or reply: its `type`, then its fields in order.
macro_rules! payload {
    ($(#[$doc:meta])* $name:ident($tag:ident = $text:literal) {
        $($(#[$field_doc:meta])* $field:ident: $kind:ty,)*
    }) => {
        #[doc = concat!("The mark of `", $text, "`.")]
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        enum $tag {
            /// The only one.
            #[default]
            #[serde(rename = $text)]
            Mark,
        }

        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(remote = "Self")]
        pub struct $name {
            #[serde(rename = "type", default)]
            mark: $tag,
            $($(#[$field_doc])* pub $field: $kind,)*
        }

        object!(both $name);

        impl $name {
            /// Puts one together.
            pub fn new($($field: $kind),*) -> Self {
                Self { mark: $tag::Mark, $($field),* }
            }
        }
    };
}

payload! {
    /// Asks for what happened since the last time.
    PollEvents(PollEventsMark = "poll_events") {
        /// At most this many; 0 is no limit.
        #[serde(default)]
        limit: u32,
    }
}
payload! {
    /// Asks which things there are.
    FetchRids(FetchRidsMark = "fetch_rids") {
        /// Of these types; none means all.
        #[serde(default)]
        rid_types: Vec<String>,
    }
}
payload! {
    /// Asks what things are now.
    FetchManifests(FetchManifestsMark = "fetch_manifests") {
        /// All of these types, when no things are named.
        #[serde(default)]
        rid_types: Vec<String>,
        /// These things.
        #[serde(default)]
        rids: Vec<Rid>,
    }
}
payload! {
    /// Asks for things.
    FetchBundles(FetchBundlesMark = "fetch_bundles") {
        /// These things.
        rids: Vec<Rid>,
    }
}
payload! {
    /// Which things there are.
    RidsPayload(RidsMark = "rids_payload") {
        /// The things.
        rids: Vec<Rid>,
    }
}
payload! {
    /// What things are now.
    ManifestsPayload(ManifestsMark = "manifests_payload") {
        /// What they are.
        manifests: Vec<Manifest>,
        /// Those that are not there.
        #[serde(default)]
        not_found: Vec<Rid>,
    }
}
payload! {
    /// Things.
    BundlesPayload(BundlesMark = "bundles_payload") {
        /// The things.
        bundles: Vec<Bundle>,
        /// Those that are not there.
        #[serde(default)]
        not_found: Vec<Rid>,
        /// Those that may come later.
        #[serde(default)]
        deferred: Vec<Rid>,
    }
}
payload! {
    /// What happened.
    EventsPayload(EventsMark = "events_payload") {
        /// What happened, in order.
        events: Vec<Event>,
    }
}
payload! {
    /// Says that events of the last poll arrived: an extension of some nodes.
    ConfirmEvents(ConfirmEventsMark = "confirm_events") {
        /// Names of the events, as the other extension gives them.
        #[serde(default)]
        event_ids: Vec<String>,
    }
}
payload! {
    /// How many events were confirmed.
    ConfirmEventsResponse(ConfirmedMark = "confirm_events_response") {
        /// So many.
        confirmed: u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_written_and_absent_parts_are_not() {
        let text = |value: &dyn erased::Json| value.json();
        assert_eq!(text(&PollEvents::new(0)), r#"{"type":"poll_events","limit":0}"#);
        assert_eq!(text(&FetchRids::default()), r#"{"type":"fetch_rids","rid_types":[]}"#);
        assert_eq!(
            text(&ManifestsPayload::default()),
            r#"{"type":"manifests_payload","manifests":[],"not_found":[]}"#
        );
        assert_eq!(
            text(&BundlesPayload::default()),
            r#"{"type":"bundles_payload","bundles":[],"not_found":[],"deferred":[]}"#
        );
        let rid = Rid::parse("orn:a.b:c").unwrap();
        assert_eq!(
            text(&FetchManifests::new(vec![], vec![rid.clone()])),
            r#"{"type":"fetch_manifests","rid_types":[],"rids":["orn:a.b:c"]}"#
        );
        assert_eq!(
            text(&EventsPayload::new(vec![Event::forget(rid)])),
            r#"{"type":"events_payload","events":[{"rid":"orn:a.b:c","event_type":"FORGET"}]}"#
        );
    }

    #[test]
    fn contents_keep_their_spelling() {
        let sent = r#"{"type":"events_payload","events":[{"rid":"orn:a.b:c","event_type":"NEW","contents":{"b":1,"a":2.0,"c":100000.0,"d":1e+21,"g":123456789012345678901234567890,"h":null,"i":"é \u0001/","j":-0.0,"k":1e-7,"l":{"z":1,"y":[]}}}]}"#;
        let events: EventsPayload = serde_json::from_str(sent).unwrap();
        assert_eq!(serde_json::to_string(&events).unwrap(), sent);
    }

    #[test]
    fn unknown_fields_are_passed_over_and_wrong_marks_are_not() {
        let extra = r#"{"type":"fetch_rids","rid_types":["a"],"event_id":7}"#;
        assert_eq!(serde_json::from_str::<FetchRids>(extra).unwrap().rid_types, ["a"]);
        assert!(serde_json::from_str::<FetchRids>(r#"{"type":"poll_events"}"#).is_err());
        for contents in ["[]", "1", "\"x\""] {
            let event = format!(r#"{{"rid":"a:b","event_type":"NEW","contents":{contents}}}"#);
            assert!(serde_json::from_str::<Event>(&event).is_err(), "{contents}");
        }
    }

    #[test]
    fn lists_in_place_of_objects_are_refused() {
        let manifest = r#"{"rid":"a:b","timestamp":"2026-01-01T00:00:00Z","sha256_hash":"00"}"#;
        let listed = r#"["a:b","2026-01-01T00:00:00Z","00"]"#;
        assert!(serde_json::from_str::<Manifest>(manifest).is_ok());
        assert!(serde_json::from_str::<Manifest>(listed).is_err());
        for (good, manifest) in [(true, manifest), (false, listed)] {
            let event = format!(
                r#"{{"rid":"a:b","event_type":"NEW","manifest":{manifest},"contents":{{}}}}"#
            );
            assert_eq!(serde_json::from_str::<Event>(&event).is_ok(), good, "{event}");
            let bundle = format!(r#"{{"manifest":{manifest},"contents":{{}}}}"#);
            assert_eq!(serde_json::from_str::<Bundle>(&bundle).is_ok(), good, "{bundle}");
        }
        assert!(serde_json::from_str::<Event>(r#"["a:b","FORGET"]"#).is_err());
        assert!(serde_json::from_str::<PollEvents>(r#"["poll_events",0]"#).is_err());
        assert!(serde_json::from_str::<EventsPayload>(r#"["events_payload",[]]"#).is_err());
    }

    mod erased {
        pub(super) trait Json {
            fn json(&self) -> String;
        }

        impl<T: serde::Serialize> Json for T {
            fn json(&self) -> String {
                serde_json::to_string(self).unwrap()
            }
        }
    }
}
