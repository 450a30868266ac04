//! Tokens of the development issuer: good ones, and claims and headers to spoil.

use std::fs;

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};
use turnwise::data_dir::{DEV_AUDIENCE, DEV_ISSUER, DataDir, DevToken};

/// The id of the development key in its JWKS.
const KEY_ID: &str = "dev";

/// A good token of a student in one class.
pub fn student(data_dir: &DataDir, student: &str, class: &str) -> String {
    with_role(data_dir, student, class, "student")
}

/// A good token of somebody with this role.
pub fn with_role(data_dir: &DataDir, subject: &str, class: &str, role: &str) -> String {
    of_tenant(data_dir, "default", subject, class, role)
}

/// The same of any tenant.
pub fn of_tenant(
    data_dir: &DataDir,
    tenant: &str,
    subject: &str,
    class: &str,
    role: &str,
) -> String {
    data_dir
        .mint(&DevToken {
            tenant: tenant.to_owned(),
            subject: subject.to_owned(),
            role: role.to_owned(),
            classes: vec![class.to_owned()],
            on_behalf_of: None,
            ttl_seconds: 3600,
        })
        .unwrap()
}

/// The claims of a good token, `lifetime` seconds from now; negative: it has expired so long ago.
pub fn claims(student: &str, class: &str, lifetime: i64) -> Value {
    let now = jiff::Timestamp::now().as_second();
    json!({
        "iss": DEV_ISSUER, "aud": DEV_AUDIENCE, "sub": student, "tenant": "default",
        "role": "student", "classes": [class], "iat": now - 7200, "exp": now + lifetime,
    })
}

/// The header of a good token.
pub fn header() -> Header {
    let mut header = Header::new(Algorithm::EdDSA);
    header.kid = Some(KEY_ID.to_owned());
    header
}

/// A token with any header and claims, signed with the issuer's real key.
pub fn signed(data_dir: &DataDir, header: &Header, claims: &Value) -> String {
    let key = fs::read(data_dir.root().join("keys/dev-signing-key.pk8")).unwrap();
    encode(header, claims, &EncodingKey::from_ed_der(&key)).unwrap()
}

/// The issuer's public key as it stands in the JWKS: base64url without padding.
pub fn public_key(data_dir: &DataDir) -> String {
    let jwks: Value = serde_json::from_slice(&fs::read(data_dir.jwks_file()).unwrap()).unwrap();
    jwks["keys"][0]["x"].as_str().unwrap().to_owned()
}
