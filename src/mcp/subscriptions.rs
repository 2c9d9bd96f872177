//! Subscriptions to resources in both eras: `resources/subscribe` in a session, `subscriptions/listen` without.
//!
//! Invariant: a change after the subscription was confirmed is sent to its client, once for a burst that ends within a
//! second, and to no other client; nothing outside the project is reported. A subscription is one task that ends with
//! its session, its stream or the server. The changed content is never sent: the client reads it if it wants to.

use std::{
    collections::{BTreeSet, HashMap},
    hash::{DefaultHasher, Hash, Hasher},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use dashmap::DashMap;
use fumi_base::{
    changes::{ChangeSubscription, Interest},
    freshness::RootStamp,
    project::Project,
    roots::AllowedRoots,
    shares::{CapacityShare, Shares},
    watched_path::{FileStamp, FileState, WatchedPath, file_stamp},
};
use fumi_kernel::{Access, ToolError, pipeline::CallStopped};
use parking_lot::Mutex;
use rmcp::{
    RoleServer,
    model::ResourceUpdatedNotificationParam,
    service::{Peer, SubscriptionSink},
};
use tokio::{
    task::{JoinHandle, JoinSet},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::{
    protocol_error::McpError,
    uri::{ResourceKind, ResourceUri},
};
use crate::app::App;

/// The longest burst that is sent as one change; a file that is written all the time causes one notification per burst.
const LONGEST: Duration = Duration::from_secs(1);

/// The factor by which a subscription pauses longer than its check took: checking a whole project is expensive.
const REST: u32 = 9;

/// All subscriptions of a process.
#[derive(Debug)]
pub struct Subscriptions {
    /// The subscriptions by session and URI. A guard of the map is never held across an await.
    sessions: DashMap<String, HashMap<String, Subscription>>,
    live: Arc<AtomicUsize>,
    /// The limit of streams of the stateless era.
    streams: Shares,
    prints: Arc<ProjectHashes>,
    ending: CancellationToken,
}

/// One subscription of a session. Ends when dropped.
#[derive(Debug)]
struct Subscription {
    root: PathBuf,
    /// True if its URI names the project itself, so that it stays when the session changes projects.
    is_pinned: bool,
    /// `None` as its result: the caller's rights were revoked.
    task: JoinHandle<Option<()>>,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A session that subscribes.
#[derive(Clone, Copy, Debug)]
pub struct Subscriber<'a> {
    /// The shared parts of the process.
    pub app: &'a Arc<App>,
    /// The id of the session.
    pub session: &'a str,
    /// The access of the caller.
    pub access: &'a Access,
    /// The receiver of notifications.
    pub peer: &'a Peer<RoleServer>,
}

/// A guard that counts a subscription until it is dropped.
#[derive(Debug)]
struct LiveGuard(Arc<AtomicUsize>);

impl LiveGuard {
    fn new(counter: &Arc<AtomicUsize>) -> Self {
        counter.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(counter))
    }
}

impl Drop for LiveGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A stream of the stateless era between its request and its confirmation: it listens already, so that a change after
/// the confirmation is not missed.
#[derive(Debug, Default)]
pub struct PreparedStream {
    watched: Vec<WatchedResource>,
    /// The error of the first resource that could not be watched.
    refused: Option<ToolError>,
    place: Option<CapacityShare>,
}

impl PreparedStream {
    /// Returns the URIs of the watched resources.
    pub fn uris(&self) -> impl Iterator<Item = &str> {
        self.watched.iter().map(|watched| watched.uri.as_str())
    }
}

impl Subscriptions {
    /// Creates it without subscriptions, with the largest number of streams.
    pub(super) fn new(streams: usize) -> Self {
        Self {
            sessions: DashMap::new(),
            live: Arc::default(),
            streams: Shares::new(streams, 1),
            prints: Arc::default(),
            ending: CancellationToken::new(),
        }
    }

    /// Returns the number of subscriptions, of both eras.
    pub fn live(&self) -> usize {
        self.live.load(Ordering::SeqCst)
    }

    /// Returns the number of open streams of the stateless era.
    pub fn streams(&self) -> usize {
        self.streams.taken()
    }

    /// Ends all subscriptions, and all later ones. Streams end with a result, as the protocol requires.
    pub fn end(&self) {
        self.ending.cancel();
        self.sessions.clear();
    }

    /// Removes the subscriptions of a session that ended.
    pub fn forget(&self, session: &str) {
        self.sessions.remove(session);
    }

    /// Subscribes a session. A repeated subscription has no effect. `is_open` returns true while the session is open.
    /// The subscription ends when the caller's token loses rights: the folder may be one of them.
    pub async fn subscribe(
        &self,
        who: &Subscriber<'_>,
        project: Arc<Project>,
        uri: &str,
        is_open: impl Fn() -> bool,
    ) -> Result<(), ToolError> {
        let Subscriber { app, session, access, peer } = *who;
        let limit = app.config.resources.subscriptions;
        let full = |held: &HashMap<String, Subscription>| held.len() >= limit;
        if let Some(mut held) = self.sessions.get_mut(session) {
            held.retain(|_, subscription| !subscription.task.is_finished());
            if held.contains_key(uri) {
                return Ok(());
            }
            if full(&held) {
                return Err(McpError::TooManyInSession { limit }.into());
            }
        }
        let revoked = access.revoked.clone();
        let (parts, prints, own_uri) = (Arc::clone(app), Arc::clone(&self.prints), uri.to_owned());
        let roots = Arc::clone(access.roots(&app.kernel.roots));
        let begun =
            tokio::task::spawn_blocking(move || WatchedResource::begin(&parts, &roots, &project, &prints, own_uri))
                .await;
        let watched = begun.map_err(|_| ToolError::internal())??;
        {
            let mut held = self.sessions.entry(session.to_owned()).or_default();
            // Another request may have subscribed meanwhile.
            if held.contains_key(uri) {
                return Ok(());
            }
            if full(&held) {
                return Err(McpError::TooManyInSession { limit }.into());
            }
            let subscription = Subscription {
                root: watched.project.root().to_path_buf(),
                is_pinned: watched.is_pinned,
                task: tokio::spawn(revoked.run_until_cancelled_owned(self.notification_task(
                    app,
                    watched,
                    NotificationSink::Session(peer.clone()),
                ))),
            };
            held.insert(uri.to_owned(), subscription);
        }
        // The session may have ended meanwhile, before this subscription was registered.
        if !is_open() {
            self.forget(session);
        }
        Ok(())
    }

    /// Returns the URIs of a session's subscriptions.
    pub fn uris(&self, session: &str) -> BTreeSet<String> {
        let held = self.sessions.get(session);
        held.map(|held| held.keys().cloned().collect()).unwrap_or_default()
    }

    /// True if a session is subscribed to exactly these URIs.
    pub fn matches(&self, session: &str, uris: &BTreeSet<String>) -> bool {
        match self.sessions.get(session) {
            Some(held) => held.len() == uris.len() && held.keys().all(|uri| uris.contains(uri)),
            None => uris.is_empty(),
        }
    }

    /// Ends one subscription of a session, if it exists.
    pub fn unsubscribe(&self, session: &str, uri: &str) {
        if let Some(mut held) = self.sessions.get_mut(session) {
            held.remove(uri);
        }
    }

    /// Moves a session's subscriptions to its new project: its URIs now mean files of that project, and the client is
    /// notified of each.
    pub async fn move_to_project(&self, who: &Subscriber<'_>, project: &Arc<Project>, is_open: impl Fn() -> bool) {
        let Subscriber { session, peer, .. } = *who;
        let moved: Vec<_> = match self.sessions.get_mut(session) {
            None => return,
            Some(mut held) => held
                .extract_if(|_, subscription| !subscription.is_pinned && subscription.root != project.root())
                .map(|(uri, _)| uri)
                .collect(),
        };
        for uri in moved {
            let begun = self.subscribe(who, Arc::clone(project), &uri, &is_open).await;
            if let Err(error) = begun {
                tracing::debug!(code = error.code(), "a subscription is not valid in the session's new project");
            }
            if peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_err() {
                return;
            }
        }
    }

    /// Starts listening for a stream, to at most as many URIs as the limit allows. Blocking.
    pub fn prepare(&self, app: &Arc<App>, access: &Access, project: &Arc<Project>, uris: &[String]) -> PreparedStream {
        let mut prepared = PreparedStream::default();
        let (limit, streams) = (app.config.resources.subscriptions, app.config.resources.streams);
        let Some(place) = self.streams.take(&access.principal) else {
            prepared.refused = Some(McpError::TooManyStreams { limit: streams }.into());
            return prepared;
        };
        prepared.place = Some(place);
        for uri in uris {
            if prepared.uris().any(|known| known == uri) {
                continue;
            }
            let begun = if prepared.watched.len() < limit {
                WatchedResource::begin(app, access.roots(&app.kernel.roots), project, &self.prints, uri.clone())
            } else {
                Err(McpError::TooManyInSession { limit }.into())
            };
            match begun {
                Ok(watched) => prepared.watched.push(watched),
                Err(error) => {
                    prepared.refused.get_or_insert(error);
                }
            }
        }
        prepared
    }

    /// Notifies a stream until the stream or the server ends. A stream without any accepted resource ends with the
    /// error.
    pub async fn stream(
        &self,
        app: &Arc<App>,
        prepared: PreparedStream,
        sink: &SubscriptionSink,
        cancelled: CancellationToken,
    ) -> Result<(), ToolError> {
        if let Some(refused) = prepared.refused
            && (prepared.watched.is_empty() || prepared.place.is_none())
        {
            return Err(refused);
        }
        let _place = prepared.place;
        // Dropping the set aborts its tasks.
        let mut tasks = JoinSet::new();
        for watched in prepared.watched {
            tasks.spawn(self.notification_task(app, watched, NotificationSink::Stream(sink.clone())));
        }
        tokio::select! {
            () = cancelled.cancelled() => {}
            () = self.ending.cancelled() => {}
        }
        Ok(())
    }

    /// Returns the task of one subscription.
    fn notification_task(
        &self,
        app: &Arc<App>,
        watched: WatchedResource,
        told: NotificationSink,
    ) -> impl Future<Output = ()> + Send + 'static {
        let counted = LiveGuard::new(&self.live);
        let (app, prints, ending) = (Arc::clone(app), Arc::clone(&self.prints), self.ending.clone());
        async move {
            let _counted = counted;
            tokio::select! {
                () = ending.cancelled() => {}
                () = notify_changes(app, prints, watched, told) => {}
            }
        }
    }
}

/// The receiver of a notification.
enum NotificationSink {
    Session(Peer<RoleServer>),
    Stream(SubscriptionSink),
}

impl NotificationSink {
    /// Returns true if the notification was sent.
    async fn updated(&self, uri: &str) -> bool {
        match self {
            Self::Session(peer) => {
                let param = ResourceUpdatedNotificationParam::new(uri);
                peer.notify_resource_updated(param).await.is_ok()
            }
            Self::Stream(sink) => sink.notify_resource_updated(uri).await.is_ok(),
        }
    }
}

async fn notify_changes(
    app: Arc<App>,
    prints: Arc<ProjectHashes>,
    mut watched: WatchedResource,
    told: NotificationSink,
) {
    let quiet = Duration::from_millis(app.config.resources.settle_ms);
    loop {
        watched.changes.wait().await;
        let end = Instant::now() + LONGEST;
        let (mut is_changed, mut looking) = (false, Duration::ZERO);
        loop {
            let settled = settle(&watched.changes, quiet, end).await;
            let began = Instant::now();
            let cancel = CancellationToken::new();
            // Cancels the check when the subscription ends.
            let _stop = cancel.clone().drop_guard();
            let (app, prints, is_late) = (Arc::clone(&app), Arc::clone(&prints), Instant::now() >= end);
            let looked = tokio::task::spawn_blocking(move || {
                // A change that is just beginning would be seen half finished: the check is repeated, as after changes
                // during it.
                if watched.changes.event_count() != settled && !is_late {
                    return (watched, false, false);
                }
                let is_other = watched.check(&app, &prints, &cancel);
                let is_quiet = watched.changes.event_count() == settled;
                (watched, is_other, is_quiet)
            });
            let Ok((back, is_other, is_quiet)) = looked.await else {
                return;
            };
            watched = back;
            is_changed |= is_other;
            looking += began.elapsed();
            if is_quiet || is_late {
                break;
            }
        }
        if is_changed && !told.updated(&watched.uri).await {
            return;
        }
        tokio::time::sleep(looking * REST).await;
    }
}

/// Waits until no change is reported for a while, or until `end`. Returns the number of reported changes by then.
async fn settle(changes: &ChangeSubscription, quiet: Duration, end: Instant) -> u64 {
    let mut before = changes.known_event_count();
    loop {
        tokio::time::sleep(quiet).await;
        let times = changes.known_event_count();
        if times == before || Instant::now() >= end {
            return times;
        }
        before = times;
    }
}

/// A watched resource, with the state that its client knows.
#[derive(Debug)]
struct WatchedResource {
    uri: String,
    project: Arc<Project>,
    is_pinned: bool,
    changes: ChangeSubscription,
    known: KnownState,
}

#[derive(Debug)]
enum KnownState {
    File { place: WatchedPath, mark: Option<FileStamp> },
    Files { print: u64 },
}

impl WatchedResource {
    /// Starts listening to a resource. Blocking.
    fn begin(
        app: &App,
        roots: &AllowedRoots,
        project: &Arc<Project>,
        prints: &ProjectHashes,
        uri: String,
    ) -> Result<Self, ToolError> {
        let asked = ResourceUri::parse(&uri)?;
        let is_pinned = asked.project_root.is_some();
        let project = match &asked.project_root {
            Some(root) => roots.project(root)?,
            None => Arc::clone(project),
        };
        let listen = |interest| app.kernel.freshness.subscribe(project.root(), interest);
        let (changes, known) = match asked.what {
            ResourceKind::File(path) => {
                let place = WatchedPath::new(&project, &path)?;
                let changes = listen(interest(&place.state()?));
                // Checked again, now that no change can be missed.
                let look = place.state()?;
                changes.set_interest(interest(&look));
                (changes, KnownState::File { place, mark: look.stamp })
            }
            ResourceKind::Stats(_) => {
                let changes = listen(Interest { paths: Vec::new(), everything: true });
                let print = prints.get(app, &project, &CancellationToken::new())?;
                (changes, KnownState::Files { print })
            }
        };
        Ok(Self { uri, project, is_pinned, changes, known })
    }

    /// Checks the resource. Returns true if its state differs from the one that the client knows. Blocking.
    fn check(&mut self, app: &App, prints: &ProjectHashes, cancel: &CancellationToken) -> bool {
        let heard = self.changes.take();
        match &mut self.known {
            KnownState::File { place, mark } => {
                // If the system fails to tell, the file counts as changed: there may be no other event.
                let Ok(look) = place.state() else { return true };
                self.changes.set_interest(interest(&look));
                let was = std::mem::replace(mark, look.stamp);
                // The file state can stay the same when a file is written twice within a tick of the clock; the kernel
                // reported both.
                *mark != was || (heard.named && was.is_some())
            }
            KnownState::Files { print } => match prints.get(app, &self.project, cancel) {
                Ok(now) => std::mem::replace(print, now) != now,
                Err(_) => false,
            },
        }
    }
}

fn interest(look: &FileState) -> Interest {
    Interest { paths: look.names.clone(), everything: look.by_link }
}

/// Hashes of the files that statistics count: their names, sizes and times. Computed once for each state of a project,
/// however many subscriptions ask.
#[derive(Debug, Default)]
struct ProjectHashes {
    roots: DashMap<PathBuf, Arc<Mutex<Option<ProjectHash>>>>,
}

/// The hash of one state.
#[derive(Clone, Copy, Debug)]
struct ProjectHash {
    of: RootStamp,
    hash: u64,
}

impl ProjectHashes {
    fn get(&self, app: &App, project: &Arc<Project>, cancel: &CancellationToken) -> Result<u64, ToolError> {
        let kept = Arc::clone(&self.roots.entry(project.root().to_path_buf()).or_default());
        // Locked while the project is walked: other subscriptions wait for the result instead of walking too.
        let mut kept = kept.lock();
        let stamp = app.kernel.freshness.stamp(project.root());
        if let Some(print) = *kept
            && print.of == stamp
        {
            return Ok(print.hash);
        }
        let hash = hash(app, project, cancel)?;
        *kept = Some(ProjectHash { of: stamp, hash });
        Ok(hash)
    }
}

fn hash(app: &App, project: &Arc<Project>, cancel: &CancellationToken) -> Result<u64, ToolError> {
    let mut hasher = DefaultHasher::new();
    for path in app.resources.files(project, cancel)? {
        if cancel.is_cancelled() {
            return Err(CallStopped::Cancelled.into());
        }
        path.relative().hash(&mut hasher);
        file_stamp(&path)?.map(|mark| (mark.size, mark.modified)).hash(&mut hasher);
    }
    Ok(hasher.finish())
}
