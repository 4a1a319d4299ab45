//! The wire format: manifests, bundles, events, and the requests and replies that contain them. The
//! order of fields is part of the protocol, because it is signed.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::canonical::{Floats, compact, content_hash};
use crate::object::object;
use crate::rid::Rid;
use crate::time::WireTime;

/// The version of an object: enough to tell whether one has it already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Manifest {
    /// The object.
    pub rid: Rid,
    /// When its owner last changed it.
    pub timestamp: WireTime,
    /// The hash of its contents.
    pub sha256_hash: String,
    /// A field that newer nodes add. It is kept but never created here: older nodes drop it while
    /// verifying a signature, and then refuse the message.
    #[serde(rename = "@context", default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

object!(both Manifest);

/// An object with its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Bundle {
    /// The object's version.
    pub manifest: Manifest,
    /// The contents, a JSON object.
    pub contents: Contents,
}

object!(both Bundle);

/// A JSON object, with its exact spelling, which is signed.
#[derive(Clone, Serialize)]
#[serde(transparent)]
pub struct Contents(Box<RawValue>);

impl Contents {
    /// Wraps the text of a JSON object; `None` if it is none.
    pub fn parse(json: &str) -> Option<Self> {
        let is_object = serde_json::from_str::<serde_json::Map<String, Value>>(json).is_ok();
        let text = compact(json, Floats::AsIs);
        is_object.then(|| RawValue::from_string(text).ok().map(Self)).flatten()
    }

    /// The text, without white space.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Parses the contents.
    pub fn value(&self) -> Value {
        serde_json::from_str(self.as_str()).unwrap_or_default()
    }

    /// Returns the hash that the manifest must contain.
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

/// What happened to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum EventType {
    /// It was created.
    New,
    /// It changed.
    Update,
    /// It was removed.
    Forget,
}

/// A change to an object. Manifest and contents may be omitted; the receiver then fetches them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Event {
    /// The object.
    pub rid: Rid,
    /// What happened.
    pub event_type: EventType,
    /// Its new version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Manifest>,
    /// Its new contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contents: Option<Contents>,
}

object!(both Event);

impl Event {
    /// The removal of an object.
    pub fn forget(rid: Rid) -> Self {
        Self { rid, event_type: EventType::Forget, manifest: None, contents: None }
    }

    /// The creation or change of an object.
    pub fn about(bundle: Bundle, event_type: EventType) -> Self {
        Self {
            rid: bundle.manifest.rid.clone(),
            event_type,
            manifest: Some(bundle.manifest),
            contents: Some(bundle.contents),
        }
    }
}

/// Declares a request or reply: its `type` tag, then its fields in order.
macro_rules! payload {
    ($(#[$doc:meta])* $name:ident($tag:ident = $text:literal) {
        $($(#[$field_doc:meta])* $field:ident: $kind:ty,)*
    }) => {
        #[doc = concat!("The mark of `", $text, "`.")]
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        enum $tag {
            /// The only value.
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
            /// Creates a payload with these fields.
            pub fn new($($field: $kind),*) -> Self {
                Self { mark: $tag::Mark, $($field),* }
            }
        }
    };
}

payload! {
    /// Asks for events since the last poll.
    PollEvents(PollEventsMark = "poll_events") {
        /// Most events to return; 0 means no limit.
        #[serde(default)]
        limit: u32,
    }
}
payload! {
    /// Asks for the RIDs of objects.
    FetchRids(FetchRidsMark = "fetch_rids") {
        /// The wanted types; empty means all.
        #[serde(default)]
        rid_types: Vec<String>,
    }
}
payload! {
    /// Asks for manifests.
    FetchManifests(FetchManifestsMark = "fetch_manifests") {
        /// The wanted types, if `rids` is empty.
        #[serde(default)]
        rid_types: Vec<String>,
        /// The wanted objects.
        #[serde(default)]
        rids: Vec<Rid>,
    }
}
payload! {
    /// Asks for objects with their contents.
    FetchBundles(FetchBundlesMark = "fetch_bundles") {
        /// The wanted objects.
        rids: Vec<Rid>,
    }
}
payload! {
    /// A list of RIDs.
    RidsPayload(RidsMark = "rids_payload") {
        /// The RIDs.
        rids: Vec<Rid>,
    }
}
payload! {
    /// A list of manifests.
    ManifestsPayload(ManifestsMark = "manifests_payload") {
        /// The manifests.
        manifests: Vec<Manifest>,
        /// Requested RIDs that do not exist or are not visible.
        #[serde(default)]
        not_found: Vec<Rid>,
    }
}
payload! {
    /// A list of objects with their contents.
    BundlesPayload(BundlesMark = "bundles_payload") {
        /// The objects.
        bundles: Vec<Bundle>,
        /// Requested RIDs that do not exist or are not visible.
        #[serde(default)]
        not_found: Vec<Rid>,
        /// RIDs left out of this reply, to be requested again.
        #[serde(default)]
        deferred: Vec<Rid>,
    }
}
payload! {
    /// A list of events.
    EventsPayload(EventsMark = "events_payload") {
        /// The events, in order.
        events: Vec<Event>,
    }
}
payload! {
    /// Confirms events of the last poll; an extension of some nodes.
    ConfirmEvents(ConfirmEventsMark = "confirm_events") {
        /// Ids of the events, as another extension assigns them.
        #[serde(default)]
        event_ids: Vec<String>,
    }
}
payload! {
    /// The answer to [`ConfirmEvents`].
    ConfirmEventsResponse(ConfirmedMark = "confirm_events_response") {
        /// How many events were confirmed.
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
