//! Addresses of bundles. Each names the content by its hash, so that whoever serves it can change nothing.

use reqwest::Url;

/// Where a bundle is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    /// A file that an HTTP server has, and its SHA-256.
    Http { url: Url, sha256: String },
    /// An artifact of a registry, and its manifest's digest.
    Registry(Artifact),
}

/// An artifact of a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Artifact {
    /// The registry, such as `https://ghcr.io/`.
    pub(crate) registry: Url,
    pub(crate) repository: String,
    /// SHA-256 of the manifest, in hex.
    pub(crate) digest: String,
}

/// What to write in place of what is none.
pub(crate) const FORMS: &str = "write one line, `https://HOST/NAME.tar.zst#sha256=HASH` or \
    `oci://HOST/REPOSITORY@sha256:DIGEST`; http:// and oci+http:// are for servers of your own network";

impl Address {
    /// Reads the one line that is neither empty nor a comment (`#`).
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let lines = text.lines().map(str::trim);
        let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let (Some(line), None) = (lines.next(), lines.next()) else {
            return Err("there is not exactly one address");
        };
        let registry = [("oci://", "https://"), ("oci+http://", "http://")];
        for (scheme, over) in registry {
            if let Some(rest) = line.strip_prefix(scheme) {
                return Self::registry(over, rest);
            }
        }
        let mut url = Url::parse(line).map_err(|_| "this is no address")?;
        if !["http", "https"].contains(&url.scheme()) {
            return Err("this is an address of an unknown kind");
        }
        no_login(&url)?;
        let sha256 = url.fragment().and_then(|f| f.strip_prefix("sha256="));
        let sha256 = sha256
            .and_then(hash)
            .ok_or("there is no `#sha256=` with 64 hexadecimal digits at the end")?;
        url.set_fragment(None);
        Ok(Self::Http { url, sha256 })
    }

    fn registry(over: &str, rest: &str) -> Result<Self, &'static str> {
        let digest = "there is no `@sha256:` with 64 hexadecimal digits at the end; a tag may change, so it is none";
        let (place, sha256) = rest.rsplit_once("@sha256:").ok_or(digest)?;
        let sha256 = hash(sha256).ok_or(digest)?;
        let (host, repository) = place
            .split_once('/')
            .ok_or("there is no repository behind the host")?;
        let known = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b"/._-".contains(&c);
        if !repository.bytes().all(known) || repository.split('/').any(|part| !is_name(part)) {
            return Err("the repository's name has small letters, digits and `/._-`, and no tag");
        }
        let registry = Url::parse(&format!("{over}{host}/")).map_err(|_| "this is no host")?;
        no_login(&registry)?;
        if registry.path() != "/" || registry.query().is_some() || registry.fragment().is_some() {
            return Err("this is no host");
        }
        Ok(Self::Registry(Artifact {
            registry,
            repository: repository.to_owned(),
            digest: sha256,
        }))
    }

    /// What names the content.
    pub(crate) fn digest(&self) -> &str {
        match self {
            Self::Http { sha256, .. } => sha256,
            Self::Registry(artifact) => &artifact.digest,
        }
    }

    /// For people and logs: without a query, which may be a secret.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Http { url, .. } => {
                let mut url = url.clone();
                url.set_query(None);
                url.into()
            }
            Self::Registry(artifact) => format!("{}{}", artifact.registry, artifact.repository),
        }
    }
}

/// Part of a repository's name, which is part of a path.
fn is_name(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_alphanumeric())
}

fn no_login(url: &Url) -> Result<(), &'static str> {
    if url.username().is_empty() && url.password().is_none() {
        return Ok(());
    }
    Err("a name or password is in the address; have them in COURSE_BUNDLE_LOGINS_FILE")
}

fn hash(text: &str) -> Option<String> {
    let is_hash = text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash.then(|| text.to_ascii_lowercase())
}
