//! The methods of the protocol: one implementation for every transport and protocol revision.

#![expect(deprecated, reason = "older revisions still subscribe and set log levels this way")]

use std::collections::BTreeSet;

use lore_core::Error;
use lore_core::error::named;
use lore_tools::CallError;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
    ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    Tool as McpTool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::SessionRestoreMarker;

use super::{McpServer, contained, is_stateless, key_of, unknown_method};
use crate::listening::Accepted;
use crate::notify::{Follower, SUBSCRIPTIONS_MAX};
use crate::progress::ProgressPump;
use crate::{convert, params};

/// How long a client may cache a list. Lists change only with the program.
const LIST_TTL_MS: u64 = 60_000;

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
        // Accepted because older clients insist on it, but the log goes to stderr.
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
            Err(unknown) => Err(ErrorData::invalid_params(unknown.to_string(), None)),
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
        // A resource that the caller cannot read must not be announced either.
        subscriber.require(&request.uri).await?;
        if self.subscriptions.uris().len() >= SUBSCRIPTIONS_MAX {
            return Err(convert::protocol_error(&too_many_subscriptions()));
        }
        self.subscriptions.add(subscriber, &context.peer, [request.uri]).await?;
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
        // The request was filtered before it got here, see [`Listens`].
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let request = context.request_context();
        let subscriber = self.subscriber(&self.scope(request)?);
        let mut follower = match Accepted::of(request) {
            Some(accepted) => Follower::after(subscriber, accepted.end),
            None => Follower::at_end(subscriber).await?,
        };
        let wanted = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let wanted: BTreeSet<String> = wanted.into_iter().collect();
        loop {
            let changed = tokio::select! {
                changed = follower.next(|| wanted.clone()) => changed,
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
            ErrorData::invalid_params(format!("unknown prompt {:?}", named(&request.name)), None)
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
        Ok(CompleteResult::new(self.suggestions(&scope, call, request).await?))
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

fn too_many_subscriptions() -> Error {
    let limit = SUBSCRIPTIONS_MAX.to_string();
    Error::TooLarge { what: "the number of subscriptions".into(), limit }
}
