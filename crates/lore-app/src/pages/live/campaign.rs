//! A mirrored Kanka campaign: the connection to it, and how up to date the mirror is.

use std::sync::Arc;
use std::time::Duration;

use lore_core::{Error, Principal, Result, Timestamp, Viewer, WorldId};
use lore_store::NodeQuery;
use tokio::sync::Mutex;

use super::super::scribe::{Scribe, TagsAre};
use super::progress::Kept;
use super::remote::{Pace, Remote};
use super::sync::{self, Report, Side};
use super::tags::Learnt;
use crate::App;

/// The name under which the mirror's writes appear in the audit log.
const MIRROR: &str = "kanka mirror";
/// The first pause after a failed synchronisation. It doubles with every further failure.
const PAUSE: Duration = Duration::from_secs(15);

/// Which campaign is mirrored, and into which world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The campaign's number on Kanka.
    pub campaign: i64,
    /// The name of the world that mirrors it; created if it does not exist.
    pub world: String,
    /// How often to look for changes; never if absent.
    pub refresh: Option<Duration>,
}

/// A campaign on Kanka and the world that mirrors it.
pub struct Campaign {
    pub(super) remote: Arc<dyn Remote>,
    config: Config,
    world: WorldId,
    /// Held while the mirror is brought up to date.
    syncing: Mutex<()>,
    /// Held while something is changed, so that the mirror follows in the same order.
    pub(super) writing: Mutex<()>,
    /// Held while tags are created, so that each is created once. Contains what was last learnt
    /// about tags.
    pub(super) tagging: Mutex<Option<Learnt>>,
}

/// The state of the mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The campaign's number on Kanka.
    pub campaign: i64,
    /// The host it is on.
    pub host: String,
    /// The moment that the mirror shows, by Kanka's clock; `None` until it is complete.
    pub as_of: Option<Timestamp>,
    /// How long ago that was determined.
    pub age: Option<Duration>,
    /// How many entities were changed both there and here.
    pub conflicts: usize,
    /// Why the last synchronisation failed, if it did.
    pub problem: Option<String>,
}

impl Campaign {
    /// Creates the world that will mirror a campaign. Fails if the campaign does not answer, so
    /// that a wrong number or token leaves no empty world behind.
    pub async fn begin(app: &Arc<App>, config: Config, remote: Arc<dyn Remote>) -> Result<Self> {
        remote.heads(Pace::Leisure, None, 1).await?;
        crate::worlds::create(app, Principal::LOCAL, &config.world, MIRROR).await?;
        Self::open(app, config, remote).await
    }

    /// Opens the world that mirrors a campaign, without a request to Kanka. Fails with
    /// [`Error::NotFound`] if there is no such world.
    pub async fn open(app: &Arc<App>, config: Config, remote: Arc<dyn Remote>) -> Result<Self> {
        let world = crate::worlds::resolve(app, Principal::LOCAL, &config.world).await?;
        let campaign = Self {
            remote,
            config,
            world: world.id,
            syncing: Mutex::default(),
            writing: Mutex::default(),
            tagging: Mutex::default(),
        };
        campaign.check_world(app).await?;
        Ok(campaign)
    }

    /// The world that mirrors it.
    pub fn world(&self) -> WorldId {
        self.world
    }

    /// Returns the state of the mirror.
    pub async fn standing(&self, app: &Arc<App>) -> Result<Standing> {
        let scribe = self.scribe(app).await?;
        let progress = Kept::read(&scribe, self.config.campaign).await?.progress;
        let conflicts = sync::open_conflicts(&scribe, &progress.conflicts).await?.len();
        let age = progress.looked_at().map(|at| app.effects.now().duration_since(at));
        Ok(Standing {
            campaign: self.config.campaign,
            host: self.remote.host(),
            as_of: progress.as_of(),
            age: age.and_then(|age| Duration::try_from(age).ok()),
            conflicts,
            problem: progress.problem,
        })
    }

    /// Brings the mirror up to date, continuing from where it is. `tell` receives the number of
    /// copied entities and the total, if known.
    pub async fn sync(
        &self,
        app: &Arc<App>,
        pace: Pace,
        side: Side,
        tell: &(dyn Fn(usize, Option<usize>) + Send + Sync),
    ) -> Result<Report> {
        let _alone = self.syncing.lock().await;
        let scribe = self.scribe(app).await?;
        let kept = Kept::read(&scribe, self.config.campaign).await?;
        sync::run(self, &scribe, kept, pace, side, tell).await
    }

    /// Looks for changes, if the mirror is complete. Errors are only logged and recorded in the
    /// standing: an outdated answer is better than none.
    pub(in super::super) async fn freshen(&self, app: &Arc<App>) -> Result<()> {
        if self.standing(app).await?.as_of.is_none() {
            return Ok(());
        }
        if let Err(error) = self.sync(app, Pace::Waiting, Side::Neither, &|_, _| {}).await {
            tracing::warn!(%error, "the mirror could not be brought up to date");
        }
        Ok(())
    }

    /// Brings the mirror up to date unless another process did so recently. Returns when it is due
    /// next.
    async fn look_in_turn(&self, app: &Arc<App>) -> Result<Option<Duration>> {
        let standing = self.standing(app).await?;
        let since = standing.age.filter(|_| standing.as_of.is_some());
        let due =
            self.config.refresh.zip(since).and_then(|(refresh, age)| refresh.checked_sub(age));
        if let Some(due) = due.filter(|due| !due.is_zero()) {
            return Ok(Some(due));
        }
        self.sync(app, Pace::Leisure, Side::Neither, &|_, _| {}).await?;
        Ok(self.config.refresh)
    }

    /// The context in which the mirror is written: the local user, whose campaign it is.
    pub(super) async fn scribe(&self, app: &Arc<App>) -> Result<Scribe> {
        let viewer: Option<Viewer> = app.store.enter(Principal::LOCAL, self.world).await?;
        let viewer = viewer.ok_or_else(|| {
            Error::not_found("the world of the mirror", "choose another with [kanka] world")
        })?;
        Ok(Scribe {
            app: app.as_mirror(),
            viewer,
            tool: MIRROR,
            request_id: app.effects.uid().to_string(),
            tags_are: TagsAre::Pages,
            at: None,
        })
    }

    /// Fails if the world was never a mirror and is not empty: its numbers could collide with
    /// Kanka's.
    async fn check_world(&self, app: &Arc<App>) -> Result<()> {
        let scribe = self.scribe(app).await?;
        let known = Kept::root(&scribe).await?.is_some();
        let query = NodeQuery { limit: 1, ..NodeQuery::default() };
        if !known && app.store.find_nodes(&scribe.viewer, query).await?.total > 0 {
            return Err(Error::Precondition {
                message: format!("the world {:?} has things of its own", self.config.world),
                hint: "name another world for the campaign with [kanka] world".into(),
            });
        }
        Kept::read(&scribe, self.config.campaign).await?;
        Ok(())
    }
}

/// Keeps the mirror up to date for as long as the program runs.
pub async fn keep_mirrored(app: Arc<App>) {
    let campaign = app.kanka.get().filter(|campaign| campaign.config.refresh.is_some()).cloned();
    let Some(campaign) = campaign else { return };
    let mut pause = PAUSE;
    loop {
        let next = match campaign.look_in_turn(&app).await {
            Ok(next) => {
                pause = PAUSE;
                next
            }
            Err(error) => {
                tracing::warn!(%error, "the mirror of the campaign is not up to date");
                let next = campaign.config.refresh.map(|refresh| pause.min(refresh));
                pause = pause.saturating_mul(2);
                next
            }
        };
        let Some(next) = next else { return };
        tokio::time::sleep(next).await;
    }
}
