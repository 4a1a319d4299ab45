//! The ids that clients see: a prefix and the uid in base32.

use data_encoding::BASE32_NOPAD;
use lore_core::{Error, Result, Uid};

use super::call::PlayCall;
use super::{CAMPAIGN, CHARACTER, PARTICIPANT, SESSION};
use crate::id_forms::{self, read_uid};

/// The kinds of things that ids of the table refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thing {
    /// A campaign.
    Campaign,
    /// A participant.
    Participant,
    /// A character.
    Character,
    /// A session.
    Session,
}

impl Thing {
    const ALL: [Self; 4] = [Self::Campaign, Self::Participant, Self::Character, Self::Session];

    /// The prefix of its ids.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Campaign => "camp_",
            Self::Participant => "part_",
            Self::Character => "character_",
            Self::Session => "sess_",
        }
    }

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Campaign => "campaign",
            Self::Participant => "participant",
            Self::Character => "character",
            Self::Session => "session",
        }
    }

    /// Returns the id of a thing as clients see it.
    pub fn show(self, uid: Uid) -> String {
        let body = BASE32_NOPAD.encode(uid.as_bytes()).to_ascii_lowercase();
        format!("{}{body}", self.prefix())
    }

    /// Parses an id with or without its prefix, or in the form of another toolset. `field` is the
    /// name of the argument.
    pub fn read(self, field: &str, text: &str) -> Result<Uid> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::invalid(
                field,
                "is empty",
                format!("give the id of a {}", self.name()),
            ));
        }
        if let Some(other) =
            Self::ALL.into_iter().find(|t| *t != self && text.starts_with(t.prefix()))
        {
            return Err(Error::invalid(
                field,
                format!("is the id of a {}", other.name()),
                format!("give the id of a {}, which starts with {}", self.name(), self.prefix()),
            ));
        }
        let malformed = || format!("is not a {} id", self.name());
        read_uid(text).ok_or_else(|| Error::invalid(field, malformed(), self.where_to_look()))
    }

    /// Like [`Thing::read`], but also accepts a number in the world, a mention or a URI.
    pub async fn find(self, call: &PlayCall, field: &str, text: &str) -> Result<Uid> {
        let read = self.read(field, text);
        if read.is_ok() {
            return read;
        }
        let node = id_forms::find_any(&call.app, &call.viewer, text).await?;
        match node.filter(|node| node.kind.as_str() == self.kind()) {
            Some(node) => Ok(node.uid),
            None => read,
        }
    }

    /// The kind of its nodes.
    fn kind(self) -> &'static str {
        match self {
            Self::Campaign => CAMPAIGN,
            Self::Participant => PARTICIPANT,
            Self::Character => CHARACTER,
            Self::Session => SESSION,
        }
    }

    /// The error for an id that does not exist.
    pub fn unknown(self, id: &str) -> Error {
        Error::not_found(format!("{} {id}", self.name()), self.where_to_look())
    }

    fn where_to_look(self) -> &'static str {
        match self {
            Self::Campaign => "read campaigns://list for the ids there are",
            Self::Participant => "read campaign://{campaign_id}/participants for the ids there are",
            Self::Character => "read campaign://{campaign_id}/characters for the ids there are",
            Self::Session => "read campaign://{campaign_id}/sessions for the ids there are",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lore_core::Timestamp;
    use lore_core::effects::FixedEntropy;

    #[test]
    fn an_id_is_read_in_every_form_it_is_shown_in() {
        let uid = Uid::new(Timestamp::UNIX_EPOCH, &FixedEntropy::new(3));
        let shown = Thing::Campaign.show(uid);
        assert_eq!(shown.len(), "camp_".len() + 26);
        let bare = shown.strip_prefix("camp_").unwrap();
        for form in [&shown, bare, &uid.to_string(), &format!(" {shown} ")] {
            assert_eq!(Thing::Campaign.read("campaign_id", form).unwrap(), uid, "{form}");
        }
    }

    #[test]
    fn the_id_of_another_kind_is_named_as_such() {
        let uid = Uid::new(Timestamp::UNIX_EPOCH, &FixedEntropy::new(3));
        let session = Thing::Session.show(uid);
        let error = Thing::Campaign.read("campaign_id", &session).unwrap_err();
        assert_eq!(error.to_string(), "campaign_id is the id of a session");
    }

    #[test]
    fn what_cannot_be_an_id_is_invalid() {
        for (text, said) in
            [("camp_nope", "campaign_id is not a campaign id"), ("  ", "campaign_id is empty")]
        {
            let error = Thing::Campaign.read("campaign_id", text).unwrap_err();
            assert_eq!(error.to_string(), said);
        }
    }
}
