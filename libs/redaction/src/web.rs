//! Finds web addresses that carry a user's data. Any other web address stays as it is, and its digits are no number.

use std::ops::Range;

use crate::{Kind, text::Text};

/// Names of parameters that say who somebody is, or let one in as somebody.
const PERSONAL_PARAMETERS: [&str; 62] = [
    "access_token",
    "account",
    "accountid",
    "address",
    "apikey",
    "api_key",
    "auth",
    "authkey",
    "authtoken",
    "birthday",
    "code",
    "credential",
    "credentials",
    "dob",
    "e-mail",
    "email",
    "email_address",
    "emailaddress",
    "first_name",
    "firstname",
    "full_name",
    "fullname",
    "id_token",
    "jwt",
    "key",
    "last_name",
    "lastname",
    "login",
    "mail",
    "mobile",
    "name",
    "nick",
    "nickname",
    "pass",
    "passwd",
    "password",
    "phone",
    "pin",
    "pw",
    "pwd",
    "secret",
    "session",
    "session_id",
    "sessionid",
    "sid",
    "sig",
    "signature",
    "ssn",
    "sso",
    "student",
    "student_id",
    "studentid",
    "surname",
    "tel",
    "telephone",
    "token",
    "uid",
    "user",
    "user_id",
    "user_name",
    "userid",
    "username",
];

/// Sites whose paths name their users.
const SOCIAL_SITES: [&str; 15] = [
    "facebook.com",
    "fb.com",
    "instagram.com",
    "twitter.com",
    "x.com",
    "tiktok.com",
    "snapchat.com",
    "linkedin.com",
    "t.me",
    "wa.me",
    "discord.gg",
    "discord.com",
    "reddit.com",
    "twitch.tv",
    "threads.net",
];

/// First parts of paths after which a user's name stands.
const USER_PATHS: [&str; 10] = [
    "u", "user", "users", "profile", "profiles", "student", "students", "member", "members",
    "people",
];

/// Claims every web address with user data.
pub fn find(text: &mut Text) {
    for range in addresses(text) {
        let address: String = text.chars()[range.clone()].iter().collect();
        if carries_user_data(&address.to_lowercase()) {
            text.claim(range, Kind::WebAddress);
        }
    }
}

/// The web addresses of a text: with a scheme, with `www.`, or a host with a path or parameters behind it.
pub fn addresses(text: &Text) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut place = 0;
    while place < text.chars().len() {
        let end = text.skip(place, is_address);
        if end == place {
            place += 1;
            continue;
        }
        let may_be = end - place > 4 && text.chars()[place..end].iter().any(|c| "/?.".contains(*c));
        if may_be && let Some(start) = address_start(text, place..end) {
            let end = text.skip_back(end, |c| ".,;:!?)]}'*".contains(c));
            if start < end {
                found.push(start..end);
            }
        }
        place = end;
    }
    found
}

fn is_address(c: char) -> bool {
    c.is_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%|{}".contains(c)
}

/// Where an address begins in a stretch of characters that an address may hold.
fn address_start(text: &Text, stretch: Range<usize>) -> Option<usize> {
    let chars = &text.chars()[stretch.clone()];
    if let Some(colon) = chars.windows(3).position(|part| part == [':', '/', '/']) {
        let scheme = text.skip_back(stretch.start + colon, |c| {
            c.is_ascii_alphanumeric() || c == '+' || c == '-'
        });
        return Some(scheme.max(stretch.start));
    }
    // A host without a scheme: `www.`, or labels with a letter in the last, and then a path or a question.
    let host_start = chars.iter().position(|c| c.is_alphanumeric())?;
    let host = chars[host_start..]
        .iter()
        .position(|c| !(c.is_alphanumeric() || "-._".contains(*c)))
        .map_or(chars.len(), |end| host_start + end);
    let name = &chars[host_start..host];
    let last_dot = name.iter().rposition(|c| *c == '.')?;
    let top = &name[last_dot + 1..];
    let has_more = matches!(chars.get(host), Some('/' | '?' | ':'));
    let is_host = top.len() >= 2 && top.iter().all(|c| c.is_ascii_alphabetic()) && has_more;
    let is_www = name.len() > 4
        && name[..4]
            .iter()
            .collect::<String>()
            .eq_ignore_ascii_case("www.");
    (is_host || is_www).then_some(stretch.start + host_start)
}

/// Whether an address in lower case says who its user is.
fn carries_user_data(address: &str) -> bool {
    if address.contains('@') || address.contains("%40") || holds_phone_number(address) {
        return true;
    }
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let (path, parameters) = match rest.find(['?', '#']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let personal = parameters
        .split(['?', '&', ';', '#', '/'])
        .filter_map(|pair| pair.split_once('='))
        .any(|(key, value)| !value.is_empty() && PERSONAL_PARAMETERS.contains(&key));
    let mut parts = path.split('/');
    let host = parts.next().unwrap_or_default();
    let site = SOCIAL_SITES.iter().any(|site| {
        host == *site
            || host
                .strip_suffix(site)
                .is_some_and(|rest| rest.ends_with('.'))
    });
    let mut parts = parts.filter(|part| !part.is_empty());
    let named = match parts.next() {
        Some(first) => site || USER_PATHS.contains(&first) && parts.next().is_some(),
        None => false,
    };
    let home = path.contains("/~");
    personal || named || home
}

/// A number in international writing, which no other part of an address looks like.
fn holds_phone_number(address: &str) -> bool {
    address
        .split('+')
        .skip(1)
        .chain(address.split("%2b").skip(1))
        .any(|rest| rest.bytes().take_while(u8::is_ascii_digit).count() >= 8)
}
