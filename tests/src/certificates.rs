//! An authority of the test's own, and certificates that it signs.

use std::{fs, path::Path};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

/// An authority and one certificate of it that all services share.
pub struct Certificates {
    /// The authority's certificate, PEM.
    pub authority: Vec<u8>,
    /// The services' certificate, PEM.
    pub certificate: Vec<u8>,
    /// Its key, PEM.
    pub key: Vec<u8>,
    settings: Vec<(&'static str, String)>,
}

impl Certificates {
    /// Makes an authority and a certificate for this machine's loopback, and writes them as files below `dir`.
    pub fn make(dir: &Path) -> Self {
        let authority_key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params
            .distinguished_name
            .push(DnType::CommonName, "the test's authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let authority = params.self_signed(&authority_key).unwrap();
        let issuer = Issuer::new(params, authority_key);

        let key = KeyPair::generate().unwrap();
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let mut params = CertificateParams::new(names).unwrap();
        params.extended_key_usages = vec![
            ExtendedKeyUsagePurpose::ServerAuth,
            ExtendedKeyUsagePurpose::ClientAuth,
        ];
        let certificate = params.signed_by(&key, &issuer).unwrap();

        let write = |name: &str, pem: &str| {
            let file = dir.join(name);
            fs::write(&file, pem).unwrap();
            file.display().to_string()
        };
        let (authority, certificate, key) =
            (authority.pem(), certificate.pem(), key.serialize_pem());
        Self {
            settings: vec![
                ("TLS_CLIENT_CA_FILE", write("authority.pem", &authority)),
                ("TLS_CERT_FILE", write("service.pem", &certificate)),
                ("TLS_KEY_FILE", write("service.key", &key)),
            ],
            authority: authority.into_bytes(),
            certificate: certificate.into_bytes(),
            key: key.into_bytes(),
        }
    }

    /// The settings that name the files.
    pub fn settings(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.settings.clone().into_iter()
    }
}
