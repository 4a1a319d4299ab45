//! The protocol handler: one implementation for every transport and era.

#![expect(deprecated, reason = "older revisions still subscribe and set log levels this way")]

use std::collections::{BTreeSet, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use lore_app::App;
use lore_app::access::{Doorkeeper, Identity};
use lore_app::sessions;
use lore_core::error::short;
use lore_core::{Error, Role, Viewer};
use lore_tools::{Call, CallError, Conversation, Registry, Selection, Tool, Toolset};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CompletionInfo, CustomRequest, CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    Reference, ResourceContents, ServerCapabilities, ServerConfig, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, Tool as McpTool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::SessionRestoreMarker;
use serde_json::Value;

use crate::convert;
use crate::listening::{Accepted, Listens};
use crate::notify::{self, Follower, SUBSCRIPTIONS_MAX, Subscriber, Subscriptions};
use crate::params;
use crate::progress::ProgressPump;
use crate::rpc::STATELESS_SINCE;

/// Who asks and what they may use: put into a request by its transport.
#[derive(Debug, Clone)]
pub struct Scope {
    /// Who asks.
    pub identity: Identity,
    /// The world they named, if they did.
    pub world: Option<String>,
    /// The tools that are on for them.
    pub selection: Arc<Selection>,
}

/// What a server is made of, shared by all connections.
pub struct ServerParts {
    /// The application.
    pub app: Arc<App>,
    /// Who may enter.
    pub doorkeeper: Arc<Doorkeeper>,
    /// The declarations.
    pub registry: Arc<Registry>,
    /// Each tool by its name and by whether it is the form for readers.
    tools: HashMap<(&'static str, bool), McpTool>,
    /// What the server says of itself; rmcp asks for it with each stateless request.
    info: ServerConfig,
}

impl ServerParts {
    /// Prepares everything that does not depend on a connection, once.
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

/// One connection's handler.
#[derive(Clone)]
pub struct McpServer {
    pub(crate) parts: Arc<ServerParts>,
    /// The scope of a connection that serves one caller; HTTP brings it with each request.
    fixed_scope: Option<Arc<Scope>>,
    subscriptions: Subscriptions,
    conversation: Arc<Conversation>,
}

/// How long a client may keep a list: it changes only with the program.
const LIST_TTL_MS: u64 = 60_000;

impl McpServer {
    /// A handler whose requests carry their own [`Scope`].
    pub fn new(parts: Arc<ServerParts>) -> Self {
        Self::with_scope(parts, None)
    }

    /// A handler that serves one caller.
    pub fn for_caller(parts: Arc<ServerParts>, scope: Scope) -> Self {
        Self::with_scope(parts, Some(Arc::new(scope)))
    }

    fn with_scope(parts: Arc<ServerParts>, fixed_scope: Option<Arc<Scope>>) -> Self {
        Self {
            parts,
            fixed_scope,
            subscriptions: Subscriptions::default(),
            conversation: Arc::default(),
        }
    }

    /// Who sends a request.
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

    /// Lets a caller into their world.
    pub(crate) async fn viewer(&self, scope: &Scope) -> Result<Viewer, ErrorData> {
        contained(self.parts.doorkeeper.enter(scope.identity, scope.world.as_deref())).await
    }

    async fn call(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<(Arc<Scope>, Call), ErrorData> {
        // Before anything is waited for: whoever sends without waiting keeps their order.
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

    /// What a resource shows to a caller now.
    pub(crate) async fn read(&self, scope: &Scope, uri: &str) -> Result<Value, ErrorData> {
        self.document(scope, self.call_of(scope).await?, uri).await
    }

    /// Whether a caller can read a resource now. One without variables is always there for
    /// those who may have it, and may be long; so it is not read for that.
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
        let document = contained((resource.read)(call, captures)).await;
        document.map_err(|error| naming(uri, error))
    }

    /// What a client is told of the tools that are on for it.
    async fn instructions(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        let scope = self.scope(context)?;
        // Who cannot enter learns so from the calls.
        let role = self.viewer(&scope).await.map_or(Role::Reader, |viewer| viewer.role);
        let on: BTreeSet<Toolset> =
            self.parts.registry.tools(&scope.selection, role).map(|tool| tool.toolset).collect();
        Ok(instructions(&on))
    }

    async fn remember_subscriptions(&self, context: &RequestContext<RoleServer>) {
        let Some(id) = session_id(context) else { return };
        let uris = self.subscriptions.uris().into_iter().collect();
        if let Err(error) = sessions::subscribe(&self.parts.app, &id, uris).await {
            tracing::warn!(%error, "a subscription will not survive a restart");
        }
    }

    /// Brings a session back that another process of this server had opened.
    async fn restore(&self, id: &str, context: &RequestContext<RoleServer>) {
        let Ok(scope) = self.scope(context) else { return };
        let found = sessions::load(&self.parts.app, scope.identity.principal, id).await;
        let Ok(Some(record)) = found else { return };
        if !record.subscriptions.is_empty() {
            let (peer, uris) = (&context.peer, record.subscriptions);
            self.subscriptions.add(self.subscriber(&scope), peer, uris.clone()).await;
            // What changed while nobody served the session is not known; so look at all.
            let all = uris.iter().map(|uri| notify::plain(uri).to_owned()).collect();
            self.subscriptions.notify(self.subscriber(&scope), peer, all);
        }
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        self.parts.info.clone()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        if let Some(marker) = context.extensions.get::<SessionRestoreMarker>() {
            self.restore(&marker.id.clone(), &context).await;
        }
        let mut result = self.negotiate_initialize(&request)?;
        result.instructions = Some(self.instructions(&context).await?);
        Ok(result)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let info = self.get_info().with_instructions(self.instructions(&context).await?);
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), info))
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Accepted because older clients insist on it; our log goes to stderr.
        if is_stateless(&context) { Err(unknown_method("logging/setLevel")) } else { Ok(()) }
    }

    async fn list_tools(
        &self,
        asked: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        params::first_page(asked.as_ref())?;
        let scope = self.scope(&context)?;
        let viewer = self.viewer(&scope).await?;
        let on = self.parts.registry.tools(&scope.selection, viewer.role);
        let tools = on.filter_map(|tool| self.parts.tools.get(&key_of(tool)).cloned()).collect();
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<McpTool> {
        let tool = self.parts.registry.tool(name)?;
        self.parts.tools.get(&key_of(tool)).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (scope, mut call) = self.call(&context).await?;
        let (pump, progress) =
            ProgressPump::start(&context.peer, context.meta.get_progress_token());
        call.progress = progress;
        let arguments = request.arguments.unwrap_or_default();
        let registry = &self.parts.registry;
        let outcome = registry.call(&scope.selection, &request.name, call, arguments).await;
        pump.finish().await;
        let touched: BTreeSet<_> = self.conversation.take_touched().into_iter().collect();
        if !touched.is_empty() {
            self.subscriptions.notify(self.subscriber(&scope), &context.peer, touched);
        }
        match outcome {
            Ok(answer) => Ok(convert::answer(answer).into()),
            Err(CallError::Failed(error)) => Ok(convert::failure(&error).into()),
            Err(unknown @ CallError::UnknownTool(_)) => {
                Err(ErrorData::invalid_params(unknown.to_string(), None))
            }
        }
    }

    async fn list_resources(
        &self,
        asked: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        params::first_page(asked.as_ref())?;
        let scope = self.scope(&context)?;
        let viewer = self.viewer(&scope).await?;
        let on = self.parts.registry.resources(&scope.selection, viewer.role);
        let concrete = on.filter(|resource| !resource.uri.is_template()).map(convert::resource);
        Ok(ListResourcesResult::with_all_items(concrete.collect())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(
        &self,
        asked: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        params::first_page(asked.as_ref())?;
        let scope = self.scope(&context)?;
        let viewer = self.viewer(&scope).await?;
        let on = self.parts.registry.resources(&scope.selection, viewer.role);
        let templates = on.filter(|resource| resource.uri.is_template()).map(convert::template);
        Ok(ListResourceTemplatesResult::with_all_items(templates.collect())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (scope, call) = self.call(&context).await?;
        let document = self.document(&scope, call, &request.uri).await?;
        let contents = ResourceContents::text(convert::pretty(&document), request.uri)
            .with_mime_type(convert::JSON_MIME);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let subscriber = self.subscriber(&self.scope(&context)?);
        // What cannot be read must not be told of either.
        subscriber.require(&request.uri).await?;
        if self.subscriptions.uris().len() >= SUBSCRIPTIONS_MAX {
            return Err(convert::protocol_error(&too_many_subscriptions()));
        }
        self.subscriptions.add(subscriber, &context.peer, [request.uri]).await;
        self.remember_subscriptions(&context).await;
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        self.remember_subscriptions(&context).await;
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        // Who may listen to what was decided before, see [`Listens`].
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let request = context.request_context();
        let subscriber = self.subscriber(&self.scope(request)?);
        let mut follower = match Accepted::of(request) {
            Some(accepted) => Follower::after(subscriber, accepted.end),
            None => Follower::at_end(subscriber).await,
        };
        let wanted = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let wanted = wanted.into_iter().collect();
        loop {
            let changed = tokio::select! {
                changed = follower.next() => changed,
                () = context.cancelled() => return Ok(()),
            };
            for uri in follower.news(&wanted, &changed).await {
                if context.sink().notify_resource_updated(uri).await.is_err() {
                    return Ok(());
                }
            }
        }
    }

    async fn list_prompts(
        &self,
        asked: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        params::first_page(asked.as_ref())?;
        let scope = self.scope(&context)?;
        let prompts = self.parts.registry.prompts(&scope.selection).map(convert::prompt);
        Ok(ListPromptsResult::with_all_items(prompts.collect())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (scope, call) = self.call(&context).await?;
        let mut prompts = self.parts.registry.prompts(&scope.selection);
        let prompt = prompts.find(|prompt| prompt.name == request.name).ok_or_else(|| {
            ErrorData::invalid_params(format!("unknown prompt {:?}", short(&request.name)), None)
        })?;
        let messages = contained(prompt.open(call, request.arguments.unwrap_or_default())).await?;
        let messages = messages.into_iter().map(convert::prompt_message).collect();
        Ok(GetPromptResult::new(messages).with_description(prompt.description).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let (scope, call) = self.call(&context).await?;
        let typed = request.argument.value;
        let values = match &request.r#ref {
            Reference::Prompt(prompt) => {
                self.suggest_for_prompt(&scope, &prompt.name, &request.argument.name, &typed)
            }
            Reference::Resource(template) => {
                self.suggest_for_resource(&scope, call, &template.uri, request.argument.name, typed)
                    .await?
            }
            _ => Vec::new(),
        };
        Ok(CompleteResult::new(first_page(values)))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let known = params::error_in(&request.method, request.params, is_stateless(&context));
        Err(known.map_or_else(
            || unknown_method(&request.method),
            |error| convert::protocol_error(&error),
        ))
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

impl McpServer {
    fn suggest_for_prompt(
        &self,
        scope: &Scope,
        prompt: &str,
        argument: &str,
        typed: &str,
    ) -> Vec<String> {
        let mut prompts = self.parts.registry.prompts(&scope.selection);
        let found = prompts.find(|candidate| candidate.name == prompt);
        let arguments = found.map_or(&[][..], |prompt| prompt.arguments);
        let suggestions = arguments.iter().filter(|known| known.name == argument);
        let suggestions = suggestions.flat_map(|known| known.suggestions.iter());
        suggestions.filter(|value| value.starts_with(typed)).map(|&value| value.into()).collect()
    }

    async fn suggest_for_resource(
        &self,
        scope: &Scope,
        call: Call,
        template: &str,
        variable: String,
        typed: String,
    ) -> Result<Vec<String>, ErrorData> {
        let mut on = self.parts.registry.resources(&scope.selection, call.viewer.role);
        let Some(complete) = on.find(|r| r.uri.is_spelled(template)).and_then(|r| r.complete)
        else {
            return Ok(Vec::new());
        };
        contained(complete(call, variable, typed)).await
    }
}

/// Runs a handler; its error becomes one of the protocol.
async fn contained<T>(work: impl Future<Output = lore_core::Result<T>>) -> Result<T, ErrorData> {
    whole(async { work.await.map_err(|error| convert::protocol_error(&error)) }).await
}

/// Does a part of a request's work; a panic becomes an error, so that the caller gets an
/// answer. In a task of rmcp's it would leave them waiting.
async fn whole<T>(work: impl Future<Output = Result<T, ErrorData>>) -> Result<T, ErrorData> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!("a handler panicked");
        Err(convert::protocol_error(&Error::Bug { what: "the handler".into() }))
    })
}

/// Whether a request is of a revision without sessions.
pub(crate) fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= STATELESS_SINCE)
}

pub(crate) fn unknown_method(name: &str) -> ErrorData {
    let message = format!("unknown method {:?}", short(name));
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

fn no_resource(uri: &str) -> ErrorData {
    let error = Error::not_found(
        format!("the resource {uri:?}"),
        "list resources and resource templates to see what can be read",
    );
    naming(uri, convert::protocol_error(&error))
}

fn too_many_subscriptions() -> Error {
    let limit = SUBSCRIPTIONS_MAX.to_string();
    Error::TooLarge { what: "the number of subscriptions".into(), limit }
}

/// Adds the URI to an error's data, where clients of the protocol look for it.
fn naming(uri: &str, mut error: ErrorData) -> ErrorData {
    if let Some(data) = error.data.as_mut().and_then(Value::as_object_mut) {
        data.insert("uri".into(), short(uri).into());
    }
    error
}

fn first_page(mut values: Vec<String>) -> CompletionInfo {
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let mut info = CompletionInfo::default();
    info.has_more = Some(total > values.len());
    info.total = u32::try_from(total).ok();
    info.values = values;
    info
}

fn session_id(context: &RequestContext<RoleServer>) -> Option<String> {
    let parts = context.extensions.get::<http::request::Parts>()?;
    Some(parts.headers.get("mcp-session-id")?.to_str().ok()?.to_owned())
}
