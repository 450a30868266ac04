//! TLS: our own certificate and whom we trust, from files that are read again when they change. Connections that are there
//! stay; those made from then on use what is new.

use std::{path::PathBuf, sync::Arc, time::Duration};

use rustls::{
    CertificateError, ClientConfig, RootCertStore, ServerConfig,
    client::verify_server_cert_signed_by_trust_anchor,
    pki_types::{CertificateDer, PrivateKeyDer, UnixTime, pem::PemObject},
    server::{ParsedCertificate, WebPkiClientVerifier},
};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use crate::{
    Kit,
    files::{Current, Followed, NamedFile, Unusable},
    settings::SettingsError,
};

/// After every certificate's end, in seconds since 1970: the year 9999.
const FOR_EVER: Duration = Duration::from_secs(253_402_300_799);

/// Whom we trust, and who we are.
#[derive(Clone)]
pub struct Tls(Followed<Certificates>);

struct Certificates {
    /// What a client shows and trusts; `None`: it trusts nobody.
    client: Option<ClientTlsConfig>,
    /// The authority's certificates.
    authority: Vec<CertificateDer<'static>>,
    /// What a listener says to clients of whom it wants no certificate.
    open: Option<Arc<ServerConfig>>,
    /// What it says to those that must show one.
    mutual: Option<Arc<ServerConfig>>,
    /// When the first of our own ends, in seconds since 1970.
    expires: Option<i64>,
}

impl Tls {
    /// A client that trusts this authority, PEM, and shows no certificate.
    ///
    /// # Errors
    ///
    /// If it holds no certificate.
    pub fn trusting(authority: &[u8]) -> Result<Self, String> {
        let certificates = certificates(Some(authority), None);
        let certificates = certificates.map_err(|Unusable(_, problem)| problem)?;
        Ok(Self(Followed::fixed(certificates)))
    }

    /// The certificates in these files: the authority that signs those of our peers (`None`: no peer is trusted), and our
    /// own with its key (`None`: a client that shows none).
    ///
    /// # Errors
    ///
    /// If a file cannot be used, or our own certificate is not valid now.
    pub fn load(
        authority: Option<NamedFile>,
        identity: Option<[NamedFile; 2]>,
    ) -> Result<Self, SettingsError> {
        let (trusts, shows) = (authority.is_some(), identity.is_some());
        let files = authority.into_iter().chain(identity.into_iter().flatten());
        Followed::load(files.collect(), move |contents| {
            let (authority, own) = contents.split_at(usize::from(trusts));
            let own = shows.then(|| (own[0].as_slice(), own[1].as_slice()));
            let authority = authority.first().map(Vec::as_slice);
            certificates(authority, own)
        })
        .map(Self)
    }

    /// Reads the files again when they change, until the process ends.
    pub fn follow(&self, kit: &Kit) {
        self.0.follow(kit);
        let (tls, mut changes, end) = (self.clone(), self.changes(), kit.shutdown.clone());
        let gauge = kit.metrics.certificate_expires();
        kit.tasks.spawn(async move {
            while let Some(expires) = tls.0.get().expires {
                gauge.set(expires);
                if end.run_until_cancelled(changes.changed()).await.is_none() {
                    return;
                }
            }
        });
    }

    /// Whether there is an authority that we trust.
    pub fn trusts(&self) -> bool {
        !self.0.get().authority.is_empty()
    }

    /// The authority's certificates, DER.
    pub(crate) fn authority(&self) -> Vec<Vec<u8>> {
        let authority = &self.0.get().authority;
        authority.iter().map(|der| der.to_vec()).collect()
    }

    /// Told of changes from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.0.changes()
    }

    /// The endpoint with TLS, for a server of this name; `None` if no peer is trusted, or it cannot be made.
    pub(crate) fn endpoint(&self, endpoint: Endpoint, name: Option<&str>) -> Option<Endpoint> {
        let mut config = self.0.get().client.clone()?;
        if let Some(name) = name {
            config = config.domain_name(name);
        }
        endpoint.tls_config(config).ok()
    }

    /// What accepts a connection that comes now; `None` if we have no certificate of our own, so that none can.
    pub(crate) fn acceptor(&self, client_certificates: bool) -> Option<TlsAcceptor> {
        let now = self.0.get();
        let mutual = now.mutual.as_ref().filter(|_| client_certificates);
        let config = mutual.or(now.open.as_ref())?;
        Some(TlsAcceptor::from(Arc::clone(config)))
    }
}

/// What a client of a store needs to trust the authority in this file, each time that it connects; `None` if no file is
/// named. The file may hold several certificates, such as the system's bundle.
///
/// # Errors
///
/// If the file cannot be used.
pub fn authority(
    setting: &'static str,
    file: Option<&PathBuf>,
    kit: &Kit,
) -> Result<Option<Current<Arc<ClientConfig>>>, SettingsError> {
    let Some(path) = file.filter(|path| !path.as_os_str().is_empty()) else {
        return Ok(None);
    };
    let followed = Followed::load(vec![NamedFile::public(setting, path)], |contents| {
        let (roots, _) = roots(&contents[0])?;
        let config = ClientConfig::builder().with_root_certificates(roots);
        Ok(Arc::new(config.with_no_client_auth()))
    })?;
    followed.follow(kit);
    Ok(Some(followed.current()))
}

/// Certificates from what stands in their files.
fn certificates(
    authority: Option<&[u8]>,
    own: Option<(&[u8], &[u8])>,
) -> Result<Certificates, Unusable> {
    let trusted = authority.map(roots).transpose()?;
    let client = authority.map(|pem| {
        let config = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem));
        match own {
            Some((chain, key)) => config.identity(Identity::from_pem(chain, key)),
            None => config,
        }
    });
    let first = usize::from(authority.is_some());
    let at = |place: usize| move |problem: String| Unusable(first + place, problem);
    let (mut listener, mut expires) = ((None, None), None);
    if let Some((chain, key)) = own {
        let chain = chain_of(chain).map_err(at(0))?;
        chain.iter().try_for_each(in_time).map_err(at(0))?;
        expires = chain.iter().filter_map(end_of).min();
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| {
            at(1)(format!("it holds no whole private key, PEM ({error}); write it again, or correct the setting"))
        })?;
        let make =
            |builder: rustls::ConfigBuilder<ServerConfig, rustls::server::WantsServerCert>| {
                let mut config = builder
                    .with_single_cert(chain.clone(), key.clone_key())
                    .map_err(|error| {
                        at(1)(format!(
                            "it is no key of the certificate ({error}); write both of one issue"
                        ))
                    })?;
                config.alpn_protocols.push(b"h2".to_vec());
                Ok::<_, Unusable>(Some(Arc::new(config)))
            };
        listener.0 = make(ServerConfig::builder().with_no_client_auth())?;
        if let Some((roots, _)) = &trusted {
            let verifier = WebPkiClientVerifier::builder(Arc::new(roots.clone())).build();
            let verifier = verifier.map_err(|error| error.to_string())?;
            listener.1 = make(ServerConfig::builder().with_client_cert_verifier(verifier))?;
        }
    }
    Ok(Certificates {
        client,
        authority: trusted.map(|(_, der)| der).unwrap_or_default(),
        open: listener.0,
        mutual: listener.1,
        expires,
    })
}

/// The certificates of an authority's file, as what is trusted and as they are.
fn roots(pem: &[u8]) -> Result<(RootCertStore, Vec<CertificateDer<'static>>), String> {
    let chain = chain_of(pem)?;
    let mut roots = RootCertStore::empty();
    for certificate in &chain {
        let added = roots.add(certificate.clone());
        added.map_err(|error| format!("it holds a certificate that cannot be read ({error})"))?;
    }
    Ok((roots, chain))
}

fn chain_of(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match chain {
        Ok(chain) if !chain.is_empty() => Ok(chain),
        Ok(_) => Err("it holds no certificate, PEM; correct the setting".to_owned()),
        Err(error) => Err(format!(
            "it holds no whole certificate, PEM ({error}); write it again"
        )),
    }
}

/// Refuses a certificate that is not valid now.
fn in_time(certificate: &CertificateDer<'static>) -> Result<(), String> {
    match fault_at(certificate, UnixTime::now()) {
        Some(CertificateError::ExpiredContext { not_after, .. }) => Err(format!(
            "its certificate expired {}; write a new one and its key",
            date(not_after)
        )),
        Some(CertificateError::NotValidYetContext { not_before, .. }) => Err(format!(
            "its certificate is not valid before {}; look at this machine's clock",
            date(not_before)
        )),
        Some(CertificateError::BadEncoding) => {
            Err("it holds a certificate that cannot be read; write it again".to_owned())
        }
        _ => Ok(()),
    }
}

/// When a certificate ends, in seconds since 1970.
fn end_of(certificate: &CertificateDer<'static>) -> Option<i64> {
    match fault_at(certificate, UnixTime::since_unix_epoch(FOR_EVER)) {
        Some(CertificateError::ExpiredContext { not_after, .. }) => {
            i64::try_from(not_after.as_secs()).ok()
        }
        _ => None,
    }
}

/// What is wrong with a certificate at this time. The time is looked at before the authority, of which none is known here.
fn fault_at(certificate: &CertificateDer<'static>, at: UnixTime) -> Option<CertificateError> {
    let fault = match ParsedCertificate::try_from(certificate) {
        Err(error) => error,
        Ok(parsed) => {
            let nobody = RootCertStore::empty();
            verify_server_cert_signed_by_trust_anchor(&parsed, &nobody, &[], at, &[]).err()?
        }
    };
    match fault {
        rustls::Error::InvalidCertificate(fault) => Some(fault),
        _ => None,
    }
}

fn date(time: UnixTime) -> String {
    let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    jiff::Timestamp::from_second(seconds)
        .map_or_else(|_| "long ago".to_owned(), |at| at.to_string())
}
