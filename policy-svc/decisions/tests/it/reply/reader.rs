//! A second reader of JSON, slow and plain, after the grammar of RFC 8259. It shares no code with the first one.

use std::collections::BTreeSet;

/// The most bytes that a reply may have.
pub const MOST_BYTES: usize = 64 * 1024;

/// The deepest nesting that a reply may have.
pub const MOST_DEPTH: usize = 8;

/// A JSON value. An object is a list, so that a test can write a key twice.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The value of an object's key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Object(entries) = self else {
            return None;
        };
        entries.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub fn items(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }
}

/// The first thing that is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    NotJson,
    KeyTwice,
    TooDeep,
}

/// Reads one value and nothing after it.
pub fn read(bytes: &[u8]) -> Result<Json, Fault> {
    let mut reader = Reader { rest: bytes };
    let value = reader.value(0)?;
    reader.spaces();
    match reader.rest {
        [] => Ok(value),
        _ => Err(Fault::NotJson),
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn spaces(&mut self) {
        let space = |b: &&u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r');
        let count = self.rest.iter().take_while(space).count();
        self.rest = &self.rest[count..];
    }

    fn eat(&mut self, token: &[u8]) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &[u8]) -> Result<(), Fault> {
        self.eat(token).then_some(()).ok_or(Fault::NotJson)
    }

    fn value(&mut self, depth: usize) -> Result<Json, Fault> {
        self.spaces();
        match self.rest.first() {
            Some(b'n') => self.expect(b"null").map(|()| Json::Null),
            Some(b't') => self.expect(b"true").map(|()| Json::Bool(true)),
            Some(b'f') => self.expect(b"false").map(|()| Json::Bool(false)),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'[' | b'{') if depth == MOST_DEPTH => Err(Fault::TooDeep),
            Some(b'[') => self.list(depth + 1),
            Some(b'{') => self.object(depth + 1),
            _ => self.number(),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json, Fault> {
        self.expect(b"[")?;
        self.spaces();
        let mut items = Vec::new();
        if self.eat(b"]") {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.spaces();
            if self.eat(b"]") {
                return Ok(Json::List(items));
            }
            self.expect(b",")?;
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, Fault> {
        self.expect(b"{")?;
        self.spaces();
        let mut entries = Vec::new();
        let mut keys = BTreeSet::new();
        if self.eat(b"}") {
            return Ok(Json::Object(entries));
        }
        loop {
            self.spaces();
            let key = self.string()?;
            if !keys.insert(key.clone()) {
                return Err(Fault::KeyTwice);
            }
            self.spaces();
            self.expect(b":")?;
            entries.push((key, self.value(depth)?));
            self.spaces();
            if self.eat(b"}") {
                return Ok(Json::Object(entries));
            }
            self.expect(b",")?;
        }
    }

    fn string(&mut self) -> Result<String, Fault> {
        self.expect(b"\"")?;
        let mut text = Vec::new();
        loop {
            let (&byte, rest) = self.rest.split_first().ok_or(Fault::NotJson)?;
            self.rest = rest;
            match byte {
                b'"' => return String::from_utf8(text).map_err(|_| Fault::NotJson),
                b'\\' => {
                    let mut utf8 = [0; 4];
                    text.extend_from_slice(self.escape()?.encode_utf8(&mut utf8).as_bytes());
                }
                0..0x20 => return Err(Fault::NotJson),
                _ => text.push(byte),
            }
        }
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Result<char, Fault> {
        let (&byte, rest) = self.rest.split_first().ok_or(Fault::NotJson)?;
        self.rest = rest;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let mut units = vec![self.hex()?];
                if (0xd800..0xdc00).contains(&units[0]) {
                    self.expect(b"\\u")?;
                    units.push(self.hex()?);
                }
                let mut chars = char::decode_utf16(units);
                match (chars.next(), chars.next()) {
                    (Some(Ok(c)), None) => c,
                    _ => return Err(Fault::NotJson),
                }
            }
            _ => return Err(Fault::NotJson),
        })
    }

    fn hex(&mut self) -> Result<u16, Fault> {
        let (digits, rest) = self.rest.split_at_checked(4).ok_or(Fault::NotJson)?;
        self.rest = rest;
        digits.iter().try_fold(0, |value, digit| {
            let digit = char::from(*digit).to_digit(16).ok_or(Fault::NotJson)?;
            Ok(value * 16 + u16::try_from(digit).map_err(|_| Fault::NotJson)?)
        })
    }

    fn number(&mut self) -> Result<Json, Fault> {
        let all = self.rest;
        self.eat(b"-");
        if !self.eat(b"0") {
            self.digits()?;
        }
        if self.eat(b".") {
            self.digits()?;
        }
        if self.eat(b"e") || self.eat(b"E") {
            let _ = self.eat(b"+") || self.eat(b"-");
            self.digits()?;
        }
        let text = &all[..all.len() - self.rest.len()];
        let number = std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse::<f64>().ok())
            .filter(|number| number.is_finite())
            .ok_or(Fault::NotJson)?;
        Ok(Json::Number(number))
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let count = self.rest.iter().take_while(|b| b.is_ascii_digit()).count();
        self.rest = &self.rest[count..];
        (count > 0).then_some(()).ok_or(Fault::NotJson)
    }
}
