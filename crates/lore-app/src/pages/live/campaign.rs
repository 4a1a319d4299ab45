//! The campaign a world mirrors: who carries requests to it, and how old the mirror is.

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
/// The first pause after a failed look.
const PAUSE: Duration = Duration::from_secs(15);

/// Which campaign is mirrored, and where to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The campaign's number on Kanka.
    pub campaign: i64,
    /// The name of the world that mirrors it; made when there is none.
    pub world: String,
    /// How often it is looked for changes; never when absent.
    pub refresh: Option<Duration>,
}

/// A campaign on Kanka and the world that mirrors it.
pub struct Campaign {
    pub(super) remote: Arc<dyn Remote>,
    config: Config,
    world: WorldId,
    /// Held by who brings the mirror up to date.
    syncing: Mutex<()>,
    /// Held by who changes something, so that the mirror follows in the same order.
    pub(super) writing: Mutex<()>,
    /// Held by who makes tags, so that each is made once; what was last found out about them.
    pub(super) tagging: Mutex<Option<Learnt>>,
}

/// How the mirror stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The campaign's number on Kanka.
    pub campaign: i64,
    /// Where it is.
    pub host: String,
    /// The moment the mirror shows, by Kanka's clock; absent until it is whole.
    pub as_of: Option<Timestamp>,
    /// How long ago that was found out.
    pub age: Option<Duration>,
    /// How many entities are changed there and here.
    pub conflicts: usize,
    /// Why the last look failed, if it did.
    pub problem: Option<String>,
}

impl Campaign {
    /// Opens the world that mirrors a campaign; nothing is asked of Kanka yet.
    pub async fn open(app: &Arc<App>, config: Config, remote: Arc<dyn Remote>) -> Result<Self> {
        let owner = Principal::LOCAL;
        let world = match crate::worlds::resolve(app, owner, &config.world).await {
            Ok(world) => world,
            Err(Error::NotFound { .. }) => {
                crate::worlds::create(app, owner, &config.world, MIRROR).await?
            }
            Err(other) => return Err(other),
        };
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

    /// How the mirror stands.
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

    /// Brings the mirror up to date, from the start or from where it is.
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

    /// Looks for changes, once there is a whole mirror. What goes wrong is told by its
    /// standing: an old answer is better than none.
    pub(in super::super) async fn freshen(&self, app: &Arc<App>) -> Result<()> {
        if self.standing(app).await?.as_of.is_none() {
            return Ok(());
        }
        if let Err(error) = self.sync(app, Pace::Waiting, Side::Neither, &|_, _| {}).await {
            tracing::warn!(%error, "the mirror could not be brought up to date");
        }
        Ok(())
    }

    /// Brings the mirror up to date unless another process did; tells when it is due next.
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

    /// Who writes the mirror: the owner of the machine, whose campaign it is.
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

    /// Fails when the world has things of its own and was never a mirror: their numbers
    /// would be in the way of Kanka's.
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
