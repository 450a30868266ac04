//! TLS for a listener: its own certificate, and, where it asks for them, its clients'.

use std::{error::Error, sync::Arc};

use rustls::{
    RootCertStore, ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::WebPkiClientVerifier,
};
use tokio_rustls::TlsAcceptor;

use crate::client::Tls;

/// What accepts TLS with these certificates; `None` if the listener has none of its own.
pub(crate) fn acceptor(
    tls: &Tls,
    client_certificates: bool,
) -> Result<Option<TlsAcceptor>, Box<dyn Error + Send + Sync>> {
    let Some(identity) = &tls.identity else {
        return Ok(None);
    };
    let builder = ServerConfig::builder();
    let builder = match &tls.authority {
        Some(authority) if client_certificates => {
            let mut roots = RootCertStore::empty();
            for certificate in CertificateDer::pem_slice_iter(authority) {
                roots.add(certificate?)?;
            }
            builder.with_client_cert_verifier(WebPkiClientVerifier::builder(roots.into()).build()?)
        }
        _ => builder.with_no_client_auth(),
    };
    let chain = CertificateDer::pem_slice_iter(&identity.certificate).collect::<Result<_, _>>()?;
    let key = PrivateKeyDer::from_pem_slice(&identity.key)?;
    let mut config = builder.with_single_cert(chain, key)?;
    config.alpn_protocols.push(b"h2".to_vec());
    Ok(Some(TlsAcceptor::from(Arc::new(config))))
}
