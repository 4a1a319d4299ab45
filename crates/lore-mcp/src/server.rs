//! The server behind every transport and protocol revision: it identifies the caller, selects the
//! tools they may use, and reads resources for them. The protocol's methods are in
//! `server/handler.rs`.

mod handler;
mod suggest;

use std::collections::{BTreeSet, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

use futures::FutureExt;
use lore_app::App;
use lore_app::access::{Doorkeeper, Identity};
use lore_app::sessions;
use lore_core::error::named;
use lore_core::{Error, Role, Viewer, WorldId};
use lore_tools::{Call, Conversation, Registry, Selection, Tool, Toolset};
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, Implementation, ServerCapabilities, ServerConfig, Tool as McpTool};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use crate::convert;
use crate::listening::Listens;
use crate::notify::{self, SUBSCRIPTIONS_MAX, Subscriber, Subscriptions};
use crate::rpc::STATELESS_SINCE;

/// Who sends a request and what they may use. The transport attaches it to each request.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The caller.
    pub identity: Identity,
    /// The world the caller named, if any.
    pub world: Option<String>,
    /// The tools that are switched on for the caller.
    pub selection: Arc<Selection>,
}

/// The parts of a server that all connections share.
pub struct ServerParts {
    /// The application.
    pub app: Arc<App>,
    /// Decides who may enter a world.
    pub doorkeeper: Arc<Doorkeeper>,
    /// The declared tools, resources and prompts.
    pub registry: Arc<Registry>,
    /// Each tool by its name and by whether it is the read-only form.
    tools: HashMap<(&'static str, bool), McpTool>,
    /// The server's description of itself. Prepared once, since rmcp asks for it with each
    /// stateless request.
    info: ServerConfig,
}

impl ServerParts {
    /// Prepares everything that does not depend on a connection.
    pub fn new(app: Arc<App>, doorkeeper: Arc<Doorkeeper>, registry: Arc<Registry>) -> Self {
        let forms = registry.all_tools().flat_map(|tool| [Some(tool), tool.reading.as_ref()]);
        let prepared = |tool: &Arc<Tool>| (key_of(tool), convert::tool(tool));
        let tools = forms.flatten().map(prepared).collect();
        Self { app, doorkeeper, registry, tools, info: info() }
    }
}

fn key_of(tool: &Tool) -> (&'static str, bool) {
    (tool.name, tool.annotations.read_only)
}

#[expect(deprecated, reason = "older revisions still set log levels")]
fn info() -> ServerConfig {
    let capabilities = ServerCapabilities::builder()
        .enable_logging()
        .enable_completions()
        .enable_prompts()
        .enable_resources()
        .enable_resources_subscribe()
        .enable_tools()
        .build();
    ServerConfig::new(capabilities).with_server_info(
        Implementation::new("lorewell", env!("CARGO_PKG_VERSION")).with_title("Lorewell"),
    )
}

fn instructions(on: &BTreeSet<Toolset>) -> String {
    let lines: Vec<_> =
        on.iter().map(|toolset| format!("- {toolset}: {}", toolset.purpose())).collect();
    format!(
        "Lorewell keeps a world for agents and game tables. Everything lives in one world and is \
         found from every toolset:\n{}\nRead lorewell://worlds to see which world you are in. \
         Failures say what to try next.",
        lines.join("\n")
    )
}

/// The protocol handler of one connection.
#[derive(Clone)]
pub struct McpServer {
    pub(crate) parts: Arc<ServerParts>,
    /// The scope of a connection with a single caller, such as stdio. Over HTTP each request brings
    /// its own.
    fixed_scope: Option<Arc<Scope>>,
    subscriptions: Subscriptions,
    conversation: Arc<Conversation>,
    /// The default world as it was at the first request. A conversation stays in it, even if
    /// another world is chosen meanwhile: otherwise its next change would land in that one.
    home: Arc<OnceLock<WorldId>>,
}

impl McpServer {
    /// Creates a handler whose requests carry their own [`Scope`].
    pub(crate) fn new(parts: Arc<ServerParts>) -> Self {
        Self::with_scope(parts, None)
    }

    /// Creates a handler that serves a single caller.
    pub fn for_caller(parts: Arc<ServerParts>, scope: Scope) -> Self {
        Self::with_scope(parts, Some(Arc::new(scope)))
    }

    fn with_scope(parts: Arc<ServerParts>, fixed_scope: Option<Arc<Scope>>) -> Self {
        Self {
            parts,
            fixed_scope,
            subscriptions: Subscriptions::default(),
            conversation: Arc::default(),
            home: Arc::default(),
        }
    }

    /// The scope of a request.
    pub(crate) fn scope(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Arc<Scope>, ErrorData> {
        let carried = || {
            let parts = context.extensions.get::<http::request::Parts>()?;
            parts.extensions.get::<Arc<Scope>>().cloned()
        };
        let scope = self.fixed_scope.clone().or_else(carried);
        scope.ok_or_else(|| ErrorData::internal_error("the request has no scope", None))
    }

    /// Checks that the caller may enter their world and returns their view of it.
    pub(crate) async fn viewer(&self, scope: &Scope) -> Result<Viewer, ErrorData> {
        let doorkeeper = &self.parts.doorkeeper;
        let named = scope.world.as_deref();
        if named.is_some() || scope.identity.world.is_some() {
            return contained(doorkeeper.enter(scope.identity, named)).await;
        }
        if let Some(home) = self.home.get() {
            return contained(doorkeeper.stay(scope.identity, *home)).await;
        }
        let viewer = contained(doorkeeper.enter(scope.identity, None)).await?;
        // Of two first requests, the one that was faster decides.
        match *self.home.get_or_init(|| viewer.world) {
            home if home == viewer.world => Ok(viewer),
            home => contained(doorkeeper.stay(scope.identity, home)).await,
        }
    }

    async fn call(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<(Arc<Scope>, Call), ErrorData> {
        // The arrival is taken before the first await, so that pipelined requests keep their order.
        let arrived = whole(async { Ok(self.parts.app.arrival()) }).await?;
        let scope = self.scope(context)?;
        let mut call = self.call_of(&scope).await?;
        call.arrived = arrived;
        call.cancel = context.ct.clone();
        Ok((scope, call))
    }

    async fn call_of(&self, scope: &Scope) -> Result<Call, ErrorData> {
        let made = async {
            let mut call = Call::new(Arc::clone(&self.parts.app), self.viewer(scope).await?);
            call.presence = scope.identity.presence();
            call.conversation = Arc::clone(&self.conversation);
            Ok(call)
        };
        whole(made).await
    }

    fn subscriber(&self, scope: &Arc<Scope>) -> Subscriber {
        Subscriber::new(self.clone(), Arc::clone(scope))
    }

    /// Reads a resource as the caller sees it now.
    pub(crate) async fn read(&self, scope: &Scope, uri: &str) -> Result<Value, ErrorData> {
        self.document(scope, self.call_of(scope).await?, uri).await
    }

    /// Whether the caller can read a resource now.
    ///
    /// A resource without URI variables exists for everybody who may use it and can be long, so it
    /// is not read for this check.
    pub(crate) async fn can_read(&self, scope: &Scope, uri: &str) -> bool {
        let Ok(viewer) = self.viewer(scope).await else { return false };
        match self.parts.registry.resource(&scope.selection, viewer.role, uri) {
            None => false,
            Some((resource, _)) if !resource.uri.is_template() => true,
            Some(_) => self.read(scope, uri).await.is_ok(),
        }
    }

    async fn document(&self, scope: &Scope, call: Call, uri: &str) -> Result<Value, ErrorData> {
        let registry = &self.parts.registry;
        let found = registry.resource(&scope.selection, call.viewer.role, uri);
        let (resource, captures) = found.ok_or_else(|| no_resource(uri))?;
        let document = contained(resource.document(call, captures)).await;
        document.map_err(|error| naming(uri, error))
    }

    /// The instructions for a client, which describe the toolsets that are on for it.
    async fn instructions(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        let scope = self.scope(context)?;
        // A caller without access is told so by their calls, not here.
        let role = self.viewer(&scope).await.map_or(Role::Reader, |viewer| viewer.role);
        let on: BTreeSet<Toolset> =
            self.parts.registry.tools(&scope.selection, role).map(|tool| tool.toolset).collect();
        Ok(instructions(&on))
    }

    async fn remember_subscriptions(&self, context: &RequestContext<RoleServer>) {
        let Some(id) = session_id(context) else { return };
        let uris = self.subscriptions.uris().into_iter().collect();
        if let Err(error) = sessions::subscribe(&self.parts.app, &id, uris).await {
            tracing::warn!(
                code = error.code().meaning().name,
                "a subscription will not survive a restart"
            );
        }
    }

    /// Restores the subscriptions of a session that was opened before a restart of the server.
    async fn restore(&self, id: &str, context: &RequestContext<RoleServer>) {
        let Ok(scope) = self.scope(context) else { return };
        let found = sessions::load(&self.parts.app, scope.identity.principal, id).await;
        let Ok(Some(record)) = found else { return };
        if !record.subscriptions.is_empty() {
            let (peer, uris) = (&context.peer, record.subscriptions);
            let added = self.subscriptions.add(self.subscriber(&scope), peer, uris.clone()).await;
            if added.is_err() {
                tracing::warn!("the subscriptions of a session were not restored");
            }
            // Nobody knows what changed while no process served the session, so all are announced.
            let all = uris.iter().map(|uri| notify::plain(uri).to_owned()).collect();
            self.subscriptions.notify(self.subscriber(&scope), peer, all);
        }
    }
}

impl Listens for McpServer {
    async fn readable(&self, scope: &Arc<Scope>, asked: Vec<String>) -> Vec<String> {
        let subscriber = self.subscriber(scope);
        let mut readable = Vec::new();
        for uri in asked.into_iter().take(SUBSCRIPTIONS_MAX) {
            if subscriber.require(&uri).await.is_ok() {
                readable.push(uri);
            }
        }
        readable
    }

    fn end(&self) -> i64 {
        *self.parts.app.store.watch().borrow()
    }
}

/// Runs a handler and converts its error into a protocol error.
async fn contained<T>(work: impl Future<Output = lore_core::Result<T>>) -> Result<T, ErrorData> {
    whole(async { work.await.map_err(|error| convert::protocol_error(&error)) }).await
}

/// Runs a part of a request's work and converts a panic into an error. Without this, a panic in one
/// of rmcp's tasks would leave the caller without an answer.
async fn whole<T>(work: impl Future<Output = Result<T, ErrorData>>) -> Result<T, ErrorData> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!("a handler panicked");
        Err(convert::protocol_error(&Error::Bug { what: "the handler".into() }))
    })
}

/// Whether a request uses a protocol revision without sessions.
pub(crate) fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= STATELESS_SINCE)
}

pub(crate) fn unknown_method(name: &str) -> ErrorData {
    let message = format!("unknown method {:?}", named(name));
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

fn no_resource(uri: &str) -> ErrorData {
    let error = Error::not_found(
        format!("the resource {uri:?}"),
        "list resources and resource templates to see what can be read",
    );
    naming(uri, convert::protocol_error(&error))
}

/// Adds the URI to an error's data, where MCP clients look for it.
fn naming(uri: &str, mut error: ErrorData) -> ErrorData {
    if let Some(data) = error.data.as_mut().and_then(Value::as_object_mut) {
        data.insert("uri".into(), named(uri).into());
    }
    error
}

fn session_id(context: &RequestContext<RoleServer>) -> Option<String> {
    let parts = context.extensions.get::<http::request::Parts>()?;
    Some(parts.headers.get("mcp-session-id")?.to_str().ok()?.to_owned())
}
