//! TLS: trusts the certificate authorities of the system, or Mozilla's if it has none.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::{ClientConfig, Error, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

/// Returns the TLS configuration for all connections. It names its crypto provider, because rustls
/// would panic if a process-wide one were not installed first.
pub(crate) fn configuration() -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let mut configuration = match with_system_roots(Arc::clone(&provider)) {
        Ok(configuration) => configuration,
        Err(error) => {
            tracing::info!(%error, "no system certificates, using the built-in ones");
            with_built_in_roots(provider)?
        }
    };
    configuration.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(configuration)
}

fn with_system_roots(provider: Arc<CryptoProvider>) -> Result<ClientConfig, Error> {
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions()?.with_platform_verifier()?;
    Ok(builder.with_no_client_auth())
}

fn with_built_in_roots(provider: Arc<CryptoProvider>) -> Result<ClientConfig, Error> {
    let roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions()?.with_root_certificates(roots);
    Ok(builder.with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_can_be_built_without_system_certificates() {
        assert!(with_built_in_roots(Arc::new(ring::default_provider())).is_ok());
        assert!(configuration().is_ok());
    }
}
