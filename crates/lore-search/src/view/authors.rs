//! The authors of the documents in a view.

use lore_text::analysis::name_words;
use rustc_hash::FxHashMap;

use crate::role::Role;

/// An author's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct AuthorId(u32);

/// The authors of a view and how many documents each has.
#[derive(Debug, Clone, Default)]
pub(crate) struct Authors {
    ids: FxHashMap<Box<str>, AuthorId>,
    all: Vec<Author>,
}

#[derive(Debug, Clone)]
struct Author {
    /// The normalised name.
    name: Box<str>,
    documents: usize,
}

impl Authors {
    pub(crate) fn add(&mut self, author: &str) -> AuthorId {
        let name = name_words(author).into_boxed_str();
        let next = AuthorId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        let id = *self.ids.entry(name.clone()).or_insert(next);
        match self.all.get_mut(id.0 as usize) {
            Some(author) => author.documents += 1,
            None => self.all.push(Author { name, documents: 1 }),
        }
        id
    }

    pub(crate) fn remove(&mut self, id: AuthorId) {
        if let Some(author) = self.all.get_mut(id.0 as usize) {
            author.documents = author.documents.saturating_sub(1);
        }
    }

    /// The side of a chat with a chatbot that an author is on. Among people with names, somebody
    /// called like a chatbot is one of them.
    pub(crate) fn role(&self, id: AuthorId) -> Option<Role> {
        let name = &*self.all.get(id.0 as usize)?.name;
        let is_side = || Role::is_label(name) || self.talk_with_a_machine();
        Role::of(name).filter(|_| is_side())
    }

    /// Whether one side is only labelled as the user, or nobody but the sides has said anything.
    fn talk_with_a_machine(&self) -> bool {
        let is_user = |name: &str| matches!(name, "user" | "human");
        self.live().any(|(_, name)| is_user(name))
            || self.live().all(|(_, name)| Role::of(name).is_some())
    }

    /// Authors that have documents, with their normalised names.
    pub(crate) fn live(&self) -> impl Iterator<Item = (AuthorId, &str)> {
        let numbered = (0..).map(AuthorId).zip(&self.all);
        numbered.filter(|(_, author)| author.documents > 0).map(|(id, author)| (id, &*author.name))
    }
}
