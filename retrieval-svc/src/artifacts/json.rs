//! A JSON document as its values' places in the text.
//!
//! serde_json says first whether it is JSON at all; then the places are noted without recursion, so that no nesting ends
//! the stack. Of members with the same key the last one counts, as with serde_json.

use std::ops::Range;

use serde::de::IgnoredAny;

use super::{ArtifactError, Piece, path};

/// The deepest nesting that is read; the same as serde_json's own.
const MAX_DEPTH: usize = 127;
/// The most bytes of an object that is suggested whole.
const SMALL_OBJECT_BYTES: usize = 1_024;

/// A document and all values in it, each after what holds it.
pub(super) struct Document<'a> {
    content: &'a str,
    nodes: Vec<Node>,
}

/// One value.
#[derive(Debug)]
struct Node {
    /// Where it stands in the content.
    range: Range<usize>,
    /// Its key with the quotes, if an object holds it; else empty.
    key: Range<usize>,
    /// The number of what holds it; the document's own value has its own.
    parent: usize,
    /// Its number in the list that holds it.
    index: usize,
    kind: Kind,
    /// How many values it holds.
    children: usize,
    /// Whether one of them is an object or a list.
    nested: bool,
    /// The number of the last value that it holds.
    last_child: usize,
    /// The number of the value before it in what holds it; its own if it is the first.
    previous: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Leaf,
    List,
    Object,
}

/// Reads a document.
pub(super) fn read(content: &str) -> Result<Document<'_>, ArtifactError> {
    serde_json::from_str::<IgnoredAny>(content)
        .map_err(|error| unsupported(&format!("is not JSON: {error}")))?;
    let mut scan = Scan {
        content,
        nodes: Vec::new(),
        open: Vec::new(),
        key: 0..0,
    };
    scan.run()?;
    Ok(Document {
        content,
        nodes: scan.nodes,
    })
}

fn unsupported(what: &str) -> ArtifactError {
    ArtifactError::Unsupported {
        field: "content",
        message: format!("the content {what}; correct it, or send it with another artifact_type"),
    }
}

impl Document<'_> {
    /// Where the value stands that a path leads to.
    pub(super) fn resolve(&self, steps: &[String]) -> Option<Range<usize>> {
        self.find(steps).map(|node| self.nodes[node].range.clone())
    }

    fn find(&self, steps: &[String]) -> Option<usize> {
        let mut at = 0;
        for step in steps {
            let index = path::index(step);
            at = self.children(at).find(|child| {
                let child = &self.nodes[*child];
                match self.nodes[child.parent].kind {
                    Kind::Object => self.has_key(child, step),
                    _ => Some(child.index) == index,
                }
            })?;
        }
        (!self.nodes.is_empty()).then_some(at)
    }

    /// What a value holds, the last first.
    fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let first = self
            .nodes
            .get(node)
            .filter(|node| node.children > 0)
            .map(|node| node.last_child);
        std::iter::successors(first, |child| {
            let previous = self.nodes[*child].previous;
            (previous != *child).then_some(previous)
        })
    }

    fn has_key(&self, node: &Node, key: &str) -> bool {
        let quoted = &self.content[node.key.clone()];
        if quoted.contains('\\') {
            return self.key(node).is_some_and(|its| its == key);
        }
        quoted.len() == key.len() + 2 && quoted[1..].starts_with(key)
    }

    fn key(&self, node: &Node) -> Option<String> {
        serde_json::from_str(&self.content[node.key.clone()]).ok()
    }

    /// What may be suggested: single values, and small objects of single values.
    pub(super) fn pieces(&self) -> Vec<Piece> {
        let fit = |node: &Node| match node.kind {
            Kind::Leaf => true,
            Kind::List => false,
            Kind::Object => {
                node.children > 0 && !node.nested && node.range.len() <= SMALL_OBJECT_BYTES
            }
        };
        let nodes = self.nodes.iter().enumerate();
        nodes
            .filter(|(_, node)| fit(node))
            .map(|(number, node)| Piece {
                range: node.range.clone(),
                name: node.key.clone(),
                node: number,
            })
            .collect()
    }

    /// The path of a value in the dotted form; `None` if no path leads to it, because a later member has the same key.
    pub(super) fn path_of(&self, node: usize) -> Option<String> {
        let mut chain = Vec::new();
        let mut at = node;
        while at != 0 {
            chain.push(at);
            at = self.nodes[at].parent;
        }
        let mut written = String::new();
        for at in chain.into_iter().rev() {
            let step = &self.nodes[at];
            match self.nodes[step.parent].kind {
                Kind::Object => path::push_key(&mut written, &self.key(step)?),
                _ => path::push_index(&mut written, step.index),
            }
            if written.len() > super::MAX_PATH_BYTES {
                return None;
            }
        }
        let steps = path::parse(&written).ok()?;
        (self.find(&steps) == Some(node)).then_some(written)
    }
}

/// A document that is being read. It is known to be JSON, so what stands where needs no second look.
struct Scan<'a> {
    content: &'a str,
    nodes: Vec<Node>,
    /// The objects and lists that are open, the outermost first.
    open: Vec<usize>,
    /// The key that was read last, for the value that follows.
    key: Range<usize>,
}

impl Scan<'_> {
    fn run(&mut self) -> Result<(), ArtifactError> {
        let bytes = self.content.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            let start = at;
            at += 1;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' => {}
                b'{' | b'[' => {
                    if self.open.len() == MAX_DEPTH {
                        return Err(self.too_deep(start));
                    }
                    let kind = if *byte == b'{' {
                        Kind::Object
                    } else {
                        Kind::List
                    };
                    let node = self.add(start..start, kind);
                    self.open.push(node);
                }
                b'}' | b']' => {
                    if let Some(node) = self.open.pop() {
                        self.nodes[node].range.end = at;
                    }
                }
                b'"' => {
                    at = string_end(bytes, at);
                    let is_key = bytes[at..]
                        .iter()
                        .find(|b| !b.is_ascii_whitespace())
                        .is_some_and(|b| *b == b':');
                    if is_key {
                        self.key = start..at;
                    } else {
                        self.add(start..at, Kind::Leaf);
                    }
                }
                _ => {
                    let rest = bytes[at..].iter();
                    at += rest
                        .take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b))
                        .count();
                    self.add(start..at, Kind::Leaf);
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, range: Range<usize>, kind: Kind) -> usize {
        let number = self.nodes.len();
        let parent = self.open.last().copied();
        let mut node = Node {
            range,
            key: std::mem::take(&mut self.key),
            parent: parent.unwrap_or(number),
            index: 0,
            kind,
            children: 0,
            nested: false,
            last_child: number,
            previous: number,
        };
        if let Some(parent) = parent {
            let parent = &mut self.nodes[parent];
            if parent.children > 0 {
                node.previous = parent.last_child;
            }
            node.index = parent.children;
            parent.children += 1;
            parent.nested |= kind != Kind::Leaf;
            parent.last_child = number;
        }
        self.nodes.push(node);
        number
    }

    fn too_deep(&self, at: usize) -> ArtifactError {
        let before = &self.content[..at];
        let line = before.matches('\n').count() + 1;
        let column = at - before.rfind('\n').map_or(0, |newline| newline + 1) + 1;
        unsupported(&format!(
            "is nested deeper than {MAX_DEPTH} levels at line {line} column {column}"
        ))
    }
}

/// The place behind a string's closing quote; `at` is behind the opening one.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}
