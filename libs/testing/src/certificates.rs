//! An authority of the test's own, the certificates that it signs, and the files in which services find them.

// What fails here ends the test.
#![allow(clippy::expect_used)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};

use crate::write_secret;

/// An authority and one certificate of it that all services share, in files that are written when the test says so.
pub struct Certificates {
    /// The authority's certificate, PEM.
    pub authority: Vec<u8>,
    /// The services' certificate, PEM.
    pub certificate: Vec<u8>,
    /// Its key, PEM.
    pub key: Vec<u8>,
    issuer: Issuer<'static, KeyPair>,
    /// How many bytes of `authority` are of the one that signs.
    newest: usize,
    dir: PathBuf,
}

impl Certificates {
    /// Makes an authority and a certificate for this machine's loopback, and writes them as files below `dir`.
    ///
    /// # Panics
    ///
    /// If they cannot be made or written, as below.
    pub fn make(dir: &Path) -> Self {
        let (authority, issuer) = authority();
        let (certificate, key) = issue(&issuer, &["127.0.0.1", "localhost"], 4096);
        let made = Self {
            newest: authority.len(),
            authority,
            certificate,
            key,
            issuer,
            dir: dir.to_owned(),
        };
        made.write();
        made
    }

    /// Takes a new certificate of the authority for these names, which ends with this year, in the place of the one before.
    pub fn issue(&mut self, names: &[&str], until: i32) {
        (self.certificate, self.key) = issue(&self.issuer, names, until);
    }

    /// Takes another authority, which signs from now on, and trusts the one before as well.
    pub fn replace_authority(&mut self) {
        let (mut authority, issuer) = authority();
        self.newest = authority.len();
        authority.append(&mut self.authority);
        (self.authority, self.issuer) = (authority, issuer);
    }

    /// Trusts the authority that signs now, and none before it.
    pub fn forget_authorities(&mut self) {
        self.authority.truncate(self.newest);
    }

    /// Writes the files, each in the place of the one before as a whole.
    pub fn write(&self) {
        for ((_, file), pem) in
            self.files()
                .into_iter()
                .zip([&self.authority, &self.certificate, &self.key])
        {
            write_secret(file, pem).expect("a file of certificates is written");
        }
    }

    /// The settings that name the files.
    pub fn settings(&self) -> impl Iterator<Item = (&'static str, String)> {
        let named = |(name, file): (_, PathBuf)| (name, file.display().to_string());
        self.files().into_iter().map(named)
    }

    /// The files of authority, certificate and key, with their settings.
    pub fn files(&self) -> [(&'static str, PathBuf); 3] {
        [
            ("TLS_CLIENT_CA_FILE", "authority.pem"),
            ("TLS_CERT_FILE", "service.pem"),
            ("TLS_KEY_FILE", "service.key"),
        ]
        .map(|(setting, name)| (setting, self.dir.join(name)))
    }

    /// Leaves a file with the first part of what it held, as whoever writes it slowly does. Which: as in [`Self::files`].
    pub fn cut(&self, place: usize) {
        let (_, file) = &self.files()[place];
        let whole = fs::read(file).expect("the file is there");
        write_secret(file, &whole[..whole.len() / 2]).expect("the file is written");
    }
}

/// An authority's certificate, PEM, and what signs for it.
fn authority() -> (Vec<u8>, Issuer<'static, KeyPair>) {
    let key = KeyPair::generate().expect("there is randomness");
    let mut params = CertificateParams::default();
    params
        .distinguished_name
        .push(DnType::CommonName, "the test's authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let certificate = params.self_signed(&key).expect("an authority signs itself");
    (certificate.pem().into_bytes(), Issuer::new(params, key))
}

/// A certificate for servers and clients, and its key, PEM.
fn issue(issuer: &Issuer<'static, KeyPair>, names: &[&str], until: i32) -> (Vec<u8>, Vec<u8>) {
    let key = KeyPair::generate().expect("there is randomness");
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).expect("the names are names");
    params.not_after = date_time_ymd(until, 12, 31);
    params.extended_key_usages = vec![
        ExtendedKeyUsagePurpose::ServerAuth,
        ExtendedKeyUsagePurpose::ClientAuth,
    ];
    let certificate = params
        .signed_by(&key, issuer)
        .expect("the authority signs a certificate");
    (
        certificate.pem().into_bytes(),
        key.serialize_pem().into_bytes(),
    )
}
