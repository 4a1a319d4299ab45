//! The protocol handler of the conformance build: it answers for the fixtures itself and passes
//! everything else on to the product's handler.

#![expect(deprecated, reason = "older revisions still subscribe and set log levels this way")]

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam,
    CompleteRequestParams, CompleteResult, CompletionInfo, CustomNotification, CustomRequest,
    CustomResult, DiscoverResult, GetPromptRequestParams, GetPromptResponse, GetTaskParams,
    GetTaskResult, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Reference, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};

use super::{Fixtures, prompts, resources, streams, tools, widened};
use crate::listening::Listens;
use crate::server::Scope;

type Context = RequestContext<RoleServer>;

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        widened(self.product.get_info())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.product.supported_protocol_versions()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        Ok(widened(self.product.initialize(request, context).await?))
    }

    async fn discover(&self, context: Context) -> Result<DiscoverResult, ErrorData> {
        let mut found = self.product.discover(context).await?;
        found.capabilities = self.get_info().capabilities;
        Ok(found)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut listed = self.product.list_tools(request, context).await?;
        listed.tools.extend(tools::list());
        Ok(listed)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::get(name).or_else(|| self.product.get_tool(name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        if tools::has(&request.name) {
            return tools::call(request, context).await;
        }
        self.product.call_tool(request, context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut listed = self.product.list_resources(request, context).await?;
        listed.resources.extend(resources::list());
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut listed = self.product.list_resource_templates(request, context).await?;
        listed.resource_templates.extend(resources::templates());
        Ok(listed)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match resources::read(&request.uri) {
            Some(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            None => self.product.read_resource(request, context).await,
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        if resources::read(&request.uri).is_some() {
            return Ok(());
        }
        self.product.subscribe(request, context).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        self.product.unsubscribe(request, context).await
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.listening.start();
        self.product.accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let relay = streams::relay(self.listening.take(), context.sink().clone());
        tokio::select! {
            ended = self.product.listen(context) => ended,
            () = relay => Ok(()),
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut listed = self.product.list_prompts(request, context).await?;
        listed.prompts.extend(prompts::list());
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        match prompts::get(&request, &context) {
            Some(opened) => opened,
            None => self.product.get_prompt(request, context).await,
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        if let Reference::Prompt(prompt) = &request.r#ref
            && let Some(values) = prompts::complete(&prompt.name, &request.argument.value)
        {
            let mut info = CompletionInfo::default();
            info.values = values;
            return Ok(CompleteResult::new(info));
        }
        self.product.complete(request, context).await
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        self.product.set_level(request, context).await
    }

    async fn ping(&self, context: Context) -> Result<(), ErrorData> {
        self.product.ping(context).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> Result<CustomResult, ErrorData> {
        self.product.on_custom_request(request, context).await
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        context: NotificationContext<RoleServer>,
    ) {
        self.product.on_custom_notification(notification, context).await;
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.product.on_initialized(context).await;
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        self.product.on_cancelled(notification, context).await;
    }

    async fn on_progress(
        &self,
        notification: ProgressNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        self.product.on_progress(notification, context).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.product.on_roots_list_changed(context).await;
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: Context,
    ) -> Result<GetTaskResult, ErrorData> {
        self.product.get_task(request, context).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        self.product.update_task(request, context).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        self.product.cancel_task(request, context).await
    }
}

impl Listens for Fixtures {
    async fn readable(&self, scope: &Arc<Scope>, asked: Vec<String>) -> Vec<String> {
        // The suite subscribes to fixture resources, which the product does not have.
        let is_fixture = |uri: &String| resources::read(uri).is_some();
        let (fixtures, others): (Vec<_>, Vec<_>) = asked.into_iter().partition(is_fixture);
        fixtures.into_iter().chain(self.product.readable(scope, others).await).collect()
    }

    fn end(&self) -> i64 {
        self.product.end()
    }
}
