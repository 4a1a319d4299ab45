//! Decides what a client may subscribe to, before the subscription is acknowledged.
//!
//! rmcp acknowledges `subscriptions/listen` itself, synchronously and without passing the caller.
//! This module therefore filters the request before rmcp gets it and removes the resources that the
//! caller cannot read, so that no client is promised notifications that would never come.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{ClientNotification, ClientRequest, ProtocolVersion, ServerConfig, ServerResult};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, Service};
use serde_json::Value;

use crate::rpc;
use crate::server::{McpServer, Scope, is_stateless, unknown_method};

/// The method whose requests are filtered.
pub(crate) const LISTEN: &str = "subscriptions/listen";

/// A handler that knows what each caller may subscribe to.
pub(crate) trait Listens {
    /// Returns those of the resources that the caller can read now. Hidden resources are dropped
    /// just like resources that do not exist.
    fn readable(
        &self,
        scope: &Arc<Scope>,
        asked: Vec<String>,
    ) -> impl Future<Output = Vec<String>> + Send;

    /// The current end of the change log.
    fn end(&self) -> i64;
}

/// Travels with an accepted `subscriptions/listen` request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accepted {
    /// The end of the change log when the request arrived. The client must not miss changes that
    /// are committed before [`ServerHandler::listen`] runs.
    pub(crate) end: i64,
}

impl Accepted {
    /// Returns the value carried by a request, whatever its transport.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        let carried = || context.extensions.get::<http::request::Parts>()?.extensions.get();
        context.extensions.get().or_else(carried).copied()
    }
}

/// Filters a subscription request that came over HTTP. A malformed request passes unchanged, so
/// that rmcp reports what is wrong with it.
pub(crate) async fn screened(listens: &impl Listens, request: Request<Bytes>) -> Request<Bytes> {
    let (mut parts, body) = request.into_parts();
    parts.extensions.insert(Accepted { end: listens.end() });
    let scope = parts.extensions.get::<Arc<Scope>>().cloned();
    let message = serde_json::from_slice::<Value>(&body);
    let (Some(scope), Ok(mut message)) = (scope, message) else {
        return Request::from_parts(parts, body);
    };
    let asked = message.pointer_mut("/params/notifications/resourceSubscriptions");
    let Some((asked, uris)) = asked.and_then(|asked| Some((strings(asked)?, asked))) else {
        return Request::from_parts(parts, body);
    };
    *uris = listens.readable(&scope, asked).await.into();
    Request::from_parts(parts, Bytes::from(message.to_string()))
}

fn strings(list: &Value) -> Option<Vec<String>> {
    list.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

/// A server that filters subscriptions first, for transports that pass decoded requests to rmcp one
/// by one, such as stdio.
#[derive(Clone)]
pub(crate) struct Screened(pub(crate) McpServer);

impl Service<RoleServer> for Screened {
    async fn handle_request(
        &self,
        mut request: ClientRequest,
        mut context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        if let ClientRequest::SubscriptionsListenRequest(listen) = &mut request {
            context.extensions.insert(Accepted { end: self.0.end() });
            let scope = self.0.scope(&context)?;
            if let Some(uris) = &mut listen.params.notifications.resource_subscriptions {
                *uris = self.0.readable(&scope, std::mem::take(uris)).await;
            }
        }
        // rmcp's own error would only repeat the name of the method.
        let is_opening = matches!(request, ClientRequest::InitializeRequest(_));
        if !is_opening && is_stateless(&context) && rpc::successor(request.method()).is_some() {
            return Err(unknown_method(request.method()));
        }
        self.0.handle_request(request, context).await
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        ServerHandler::get_info(&self.0)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ServerHandler::supported_protocol_versions(&self.0)
    }
}
