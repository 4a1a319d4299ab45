//! Writing secrets. A secret is a text of an article, or of a node of its own.

use lore_anvil::{Kind, Object};
use lore_core::{Error, Node, Result, Role, Text, Uid};
use lore_store::{Batch, Change, Expect, NewNode, NewText, NodePatch, NodeRef, TextPatch, TextRef};

use super::input::{State, id_of};
use crate::atlas::keys;
use crate::atlas::read::secrets;
use crate::atlas::source::Atlas;
use crate::play::word;

/// Where a secret belongs after an update.
enum Home {
    /// Where it is now.
    Same,
    /// To an article.
    Article(NodeRef),
    /// To no article: it gets a node of its own.
    Own,
}

impl Atlas {
    /// Creates a secret with the given uid.
    pub(in crate::atlas) async fn create_secret(
        &self,
        fields: &Object,
        uid: Uid,
    ) -> Result<Object> {
        let (title, body) = self.secret_fields(fields).await?;
        let title =
            title.ok_or_else(|| Error::invalid("title", "is required", "give it a title"))?;
        let visibility = self.scribe.visibility(true);
        let mut batch = self.scribe.batch();
        let holder = match self.article_of(fields).await?.flatten() {
            Some(article) => NodeRef::Id(article.id),
            None => {
                let holder = secrets::holder_of(uid);
                batch = batch.change(Change::CreateNode(self.holder(holder, &title)?));
                NodeRef::Uid(holder)
            }
        };
        let body = body.unwrap_or_default();
        let mut text = NewText::new(uid, holder, word(secrets::SECRET)?, body);
        text.title = title;
        text.position = 1;
        text.visibility = visibility;
        batch = batch.change(Change::CreateText(text));
        self.commit_followed(batch).await?;
        self.secret(&uid.to_string(), 2).await
    }

    /// Changes a secret, including the article it belongs to.
    pub(super) async fn update_secret(&self, id: &str, fields: &Object) -> Result<Object> {
        let (title, body) = self.secret_fields(fields).await?;
        let (place, text, node) = self.secret_text(id).await?;
        let home = match place.article_of(fields).await? {
            Some(Some(article)) if article.id != node.id => Home::Article(NodeRef::Id(article.id)),
            Some(None) if node.kind.as_str() != keys::SECRET => Home::Own,
            _ => Home::Same,
        };
        check_movable(&home, &text, &node)?;
        let mut batch = place.scribe.batch();
        if node.kind.as_str() == keys::SECRET && title.is_some() && matches!(home, Home::Same) {
            let patch = NodePatch { name: title.clone(), ..NodePatch::default() };
            batch = batch.change(Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, patch));
        }
        let called = title.clone().unwrap_or_else(|| text.title.clone());
        let patch = TextPatch { title, body, ..TextPatch::default() };
        let expect = Expect::Version(text.version);
        batch = batch.change(Change::UpdateText(TextRef::Id(text.id), expect, patch));
        place.commit_moved(batch, &text, &node, home, &called).await?;
        place.secret(id, 2).await
    }

    /// Deletes a secret. A node that holds nothing else is deleted with it.
    pub(super) async fn delete_secret(&self, id: &str) -> Result<()> {
        self.viewer().require(Role::Gm)?;
        let (place, text, node) = self.secret_text(id).await?;
        let change = if node.kind.as_str() == keys::SECRET {
            Change::DeleteNode(NodeRef::Id(node.id), Expect::Version(node.version))
        } else {
            Change::DeleteText(TextRef::Id(text.id), Expect::Version(text.version))
        };
        place.commit(move |batch| batch.change(change)).await
    }

    async fn commit_moved(
        &self,
        batch: Batch,
        text: &Text,
        from: &Node,
        home: Home,
        title: &str,
    ) -> Result<()> {
        let to = |node: NodeRef| Change::MoveText(TextRef::Id(text.id), Expect::Any, node);
        let batch = match home {
            Home::Same => batch,
            Home::Article(article) if from.kind.as_str() == keys::SECRET => batch
                .change(to(article))
                .change(Change::DeleteNode(NodeRef::Id(from.id), Expect::Any)),
            Home::Article(article) => batch.change(to(article)),
            Home::Own => {
                let holder = secrets::holder_of(text.uid);
                let node = NodeRef::Uid(holder);
                let name = NodePatch { name: Some(title.to_owned()), ..NodePatch::default() };
                // It may have had a node of its own before; that one is restored from the bin.
                let again = batch
                    .clone()
                    .change(Change::RestoreNode(node))
                    .change(Change::UpdateNode(node, Expect::Any, name))
                    .change(to(node));
                match self.commit_followed(again).await {
                    Err(Error::NotFound { .. }) => {}
                    done => return done,
                }
                batch.change(Change::CreateNode(self.holder(holder, title)?)).change(to(node))
            }
        };
        self.commit_followed(batch).await
    }

    /// A node for a secret that belongs to no article.
    fn holder(&self, uid: Uid, title: &str) -> Result<NewNode> {
        let visibility = self.scribe.visibility(true);
        Ok(NewNode { visibility, ..NewNode::new(uid, word(keys::SECRET)?, title) })
    }

    /// The article that the fields name. `None` if they name none, `Some(None)` if they remove it.
    async fn article_of(&self, fields: &Object) -> Result<Option<Option<Node>>> {
        let Some(given) = fields.get("article").or_else(|| fields.get("articleId")) else {
            return Ok(None);
        };
        let Some(id) = id_of("article", given)? else { return Ok(Some(None)) };
        Ok(Some(Some(self.target("article", Kind::Article, &id).await?)))
    }

    /// The title and text of a secret, if given.
    async fn secret_fields(&self, fields: &Object) -> Result<(Option<String>, Option<String>)> {
        self.viewer().require(Role::Gm)?;
        let fields: Object = fields
            .iter()
            .filter(|(name, _)| ["title", "state", "content"].contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let written = self.understand(Kind::Secret, &fields).await?;
        if written.state == Some(State::Public) {
            let hint = "write it into the article's content to tell everybody";
            return Err(Error::invalid("state", "of a secret cannot be public", hint));
        }
        Ok((written.title, written.text))
    }
}

/// Refuses to move a character's notes: they are a text of that character and mean nothing
/// elsewhere.
fn check_movable(home: &Home, text: &Text, node: &Node) -> Result<()> {
    if matches!(home, Home::Same) || text.kind.as_str() != secrets::NOTES {
        return Ok(());
    }
    let problem = format!("cannot change: these are the notes about {}", node.name);
    Err(Error::invalid("article", problem, "make a new secret for the other article"))
}
