//! One version of the prompt sheets, compiled.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context, syntax::SyntaxConfig};
use moka::sync::Cache;
use sha2::{Digest, Sha256};
use turnwise_fingerprint::RunSet;
use turnwise_proto::policy::v1::Constraints;

use crate::{
    budget::BudgetedParts,
    built_in::BUILT_IN,
    chat::{self, ChatParts, ChatPrompt},
    check,
    fault::{RenderError, SheetError, SheetFault, engine_fault, fault},
    grade::{self, GradePrompt},
    help::{self, HelpParts, HelpPrompt},
    name::{Kind, Mode, Part, STYLES, SheetName, is_language_tag},
    prompt::{Prompt, Trimmed},
    tokens,
    translate::{self, TranslatePrompt},
    turn::{self, TurnPrompt},
    unit::KnownUnits,
};

/// Changes with everything outside the sheets that changes a prompt: the form of data, the variables, the trimming, the
/// estimate of tokens.
const RENDERER_VERSION: &str = "7";

/// The longest sheet, in bytes.
const MAX_SHEET_BYTES: usize = 64 << 10;
/// The most rules that are remembered.
const MOST_RULES: u64 = 64;

/// The files of a folder, as they were read.
pub(crate) type Files = BTreeMap<PathBuf, SheetFile>;

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SheetFile {
    /// Whether it stands in the folder of styles.
    of_style: bool,
    bytes: Vec<u8>,
}

/// One version of the prompt sheets.
#[derive(Debug)]
pub struct Sheets {
    environment: Environment<'static>,
    hash: String,
    runs: Vec<u64>,
    runs_name: u64,
    /// The names of the styles, in order.
    styles: BTreeSet<String>,
    /// Rules of turns with their tokens, by what they are made from. A course has one.
    rules: Cache<(String, Constraints), Arc<(String, usize)>>,
    units: KnownUnits,
}

/// A sheet before it is compiled.
struct Draft {
    file: PathBuf,
    text: String,
}

impl Sheets {
    /// The sheets of this crate.
    ///
    /// # Errors
    /// A sheet of this crate is broken, which its tests rule out.
    pub fn built_in() -> Result<Self, SheetError> {
        Self::of(&Files::new())
    }

    /// The sheets of a folder and of its folder `styles`, and the built-in ones that they do not replace. Files whose names
    /// begin with a dot or end with `~` are no sheets; anything else there must be one, of at most 64 KiB of UTF-8.
    ///
    /// # Errors
    /// The folder or a file cannot be read, or some sheet is broken: not a sheet's name, no UTF-8, empty or too long, a
    /// syntax error, a variable that does not exist, a block left out that must be there.
    pub fn load(folder: &Path) -> Result<Self, SheetError> {
        Self::of(&read(folder)?)
    }

    /// Compiles the files over the built-in sheets.
    pub(crate) fn of(files: &Files) -> Result<Self, SheetError> {
        let mut faults = Vec::new();
        let mut drafts = BTreeMap::new();
        for (name, text) in BUILT_IN {
            let (of_style, stem) = match name.split_once('/') {
                Some((_, stem)) => (true, stem),
                None => (false, name),
            };
            match SheetName::parse(stem, of_style) {
                Ok(parsed) => {
                    drafts.insert(
                        parsed,
                        Draft {
                            file: name.into(),
                            text: text.to_owned(),
                        },
                    );
                }
                Err(message) => faults.push(fault(Path::new(name), None, message)),
            }
        }
        let mut own: BTreeMap<SheetName, &Path> = BTreeMap::new();
        for (file, read) in files {
            match draft(file, read) {
                Ok((name, draft)) => {
                    if let Some(other) = own.insert(name.clone(), file) {
                        let message = format!("{} is the same sheet; remove one", other.display());
                        faults.push(fault(file, None, message));
                    }
                    drafts.insert(name, draft);
                }
                Err(found) => faults.push(found),
            }
        }
        for (name, draft) in &drafts {
            let whole = SheetName {
                locale: String::new(),
                ..name.clone()
            };
            // Of messages there is a built-in one.
            if !drafts.contains_key(&whole) {
                let message = format!("there is no `{whole}` for other languages; write it, too");
                faults.push(fault(&draft.file, None, message));
            }
        }
        let hash = hash(&drafts);
        let mut runs: Vec<u64> = drafts
            .values()
            .flat_map(|draft| turnwise_fingerprint::runs(&without_statements(&draft.text)))
            .collect();
        runs.sort_unstable();
        runs.dedup();
        let mut environment = empty_environment().map_err(SheetError::Engine)?;
        for (name, draft) in &drafts {
            if let Err(error) = environment.add_template_owned(name.to_string(), draft.text.clone())
            {
                faults.push(engine_fault(&draft.file, &error));
            }
        }
        if faults.is_empty() {
            for (name, draft) in &drafts {
                faults.extend(check::faults(&environment, name, &draft.file)?);
            }
        }
        if faults.is_empty() {
            return Ok(Self {
                environment,
                hash,
                runs_name: RunSet::new(runs.clone()).name(),
                runs,
                styles: drafts.keys().filter_map(style_of).collect(),
                rules: Cache::new(MOST_RULES),
                units: KnownUnits::default(),
            });
        }
        faults.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        Err(SheetError::Faulty(faults))
    }

    /// Names this version: SHA-256, in hex, over the version of the renderer and, by name, the names and bytes of all
    /// sheets, the built-in ones included.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The hashed runs of all sheets, so that whoever must not repeat them can be held to it.
    #[must_use]
    pub fn runs(&self) -> &[u64] {
        &self.runs
    }

    /// What names them.
    #[must_use]
    pub fn runs_name(&self) -> u64 {
        self.runs_name
    }

    /// The writing styles that there are sheets for, in order.
    pub fn styles(&self) -> impl Iterator<Item = &str> {
        self.styles.iter().map(String::as_str)
    }

    /// Whether there is a sheet for a writing style.
    #[must_use]
    pub fn has_style(&self, name: &str) -> bool {
        self.styles.contains(name)
    }

    /// The prompt of a turn, of at most `max_tokens` if what must be in it allows that. The same input gives the same
    /// bytes. The locale is the course's.
    ///
    /// # Errors
    /// The locale is no language tag, or a sheet fails in a part that was not tried when it was loaded.
    pub fn turn(
        &self,
        locale: &str,
        input: &TurnPrompt<'_>,
        max_tokens: usize,
    ) -> Result<Prompt, RenderError> {
        let bounds = input.policy.constraints.unwrap_or_default();
        let rules = self.rules(&bounds, locale)?;
        let variables = turn::policy_variables(input.policy, locale)?;
        let policy = self.message(Mode::Turn, Part::Policy, locale, variables)?;
        let variables = turn::input_variables(input, locale)?;
        let said = self.message(Mode::Turn, Part::Input, locale, variables)?;
        // A style whose sheet was removed since it was asked for is none.
        let style = match turn::style(input).filter(|name| self.has_style(name)) {
            Some(name) => self.render(Kind::Style(name.to_owned()), locale, context! { locale })?,
            None => String::new(),
        };
        let mut parts = BudgetedParts::all(input, &self.units, max_tokens)?;
        let fixed = rules.1 + tokens::of_message(&policy) + tokens::of_message(&said);
        loop {
            let variables = turn::user_variables(input, &parts, style.trim(), locale)?;
            let user = self.message(Mode::Turn, Part::User, locale, variables)?;
            let taken = fixed + tokens::of_message_around(&user, parts.unit.known());
            let excess = taken.saturating_sub(max_tokens);
            if excess == 0 || !parts.reduce(excess)? {
                let contents = [rules.0.clone(), user, policy, said];
                return Ok(Prompt::new(contents, taken, parts.trimmed(), max_tokens));
            }
        }
    }

    /// The rules of a turn, and their tokens.
    fn rules(
        &self,
        bounds: &Constraints,
        locale: &str,
    ) -> Result<Arc<(String, usize)>, RenderError> {
        let key = (locale.to_owned(), *bounds);
        if let Some(rules) = self.rules.get(&key) {
            return Ok(rules);
        }
        let variables = turn::system_variables(bounds, locale);
        let text = self.message(Mode::Turn, Part::System, locale, variables)?;
        let tokens = tokens::of_message(&text);
        let rules = Arc::new((text, tokens));
        self.rules.insert(key, Arc::clone(&rules));
        Ok(rules)
    }

    /// The prompt that grades an answer, or words the feedback on one that is decided; as [`turn`](Self::turn).
    ///
    /// # Errors
    /// As [`turn`](Self::turn).
    pub fn grade(
        &self,
        locale: &str,
        input: &GradePrompt<'_>,
        max_tokens: usize,
    ) -> Result<Prompt, RenderError> {
        let mut parts = grade::BudgetedParts::all(input);
        loop {
            let variables = grade::system_variables(input, &parts, locale)?;
            let system = self.message(Mode::Grade, Part::System, locale, variables)?;
            let variables = grade::user_variables(input, &parts, locale)?;
            let user = self.message(Mode::Grade, Part::User, locale, variables)?;
            let taken = tokens::of_message(&system) + tokens::of_message(&user);
            let excess = taken.saturating_sub(max_tokens);
            if excess == 0 || !parts.reduce(excess) {
                let contents = [system, user];
                return Ok(Prompt::new(contents, taken, parts.trimmed(), max_tokens));
            }
        }
    }

    /// The prompt of a chat with the homework helper, and how many of its chunks are in it, from the first; as
    /// [`turn`](Self::turn).
    ///
    /// # Errors
    /// As [`turn`](Self::turn).
    pub fn chat(
        &self,
        locale: &str,
        input: &ChatPrompt<'_>,
        max_tokens: usize,
    ) -> Result<(Prompt, usize), RenderError> {
        let mut parts = ChatParts::all(input);
        loop {
            let variables = chat::system_variables(input, &parts, locale)?;
            let system = self.message(Mode::Chat, Part::System, locale, variables)?;
            let variables = chat::user_variables(input, &parts, locale)?;
            let user = self.message(Mode::Chat, Part::User, locale, variables)?;
            let taken = tokens::of_message(&system) + tokens::of_message(&user);
            let excess = taken.saturating_sub(max_tokens);
            if excess == 0 || !parts.reduce(excess)? {
                let contents = [system, user];
                let prompt = Prompt::new(contents, taken, parts.trimmed(), max_tokens);
                return Ok((prompt, parts.source_count()));
            }
        }
    }

    /// The prompt that translates a question into the language of `locale`. Nothing can be left out of it.
    ///
    /// # Errors
    /// As [`turn`](Self::turn).
    pub fn translate(
        &self,
        locale: &str,
        input: &TranslatePrompt<'_>,
        max_tokens: usize,
    ) -> Result<Prompt, RenderError> {
        if !is_language_tag(input.source_locale) {
            return Err(RenderError::Locale(input.source_locale.to_owned()));
        }
        let variables = translate::system_variables(input, locale);
        let system = self.message(Mode::Translate, Part::System, locale, variables)?;
        let variables = translate::user_variables(input, locale)?;
        let user = self.message(Mode::Translate, Part::User, locale, variables)?;
        let taken = tokens::of_message(&system) + tokens::of_message(&user);
        let nothing = Trimmed::default();
        Ok(Prompt::new([system, user], taken, nothing, max_tokens))
    }

    /// The prompt of help with a procedure; as [`turn`](Self::turn). The locale is the procedure's.
    ///
    /// # Errors
    /// As [`turn`](Self::turn).
    pub fn help(
        &self,
        locale: &str,
        input: &HelpPrompt<'_>,
        max_tokens: usize,
    ) -> Result<Prompt, RenderError> {
        let variables = help::system_variables(locale);
        let system = self.message(Mode::Help, Part::System, locale, variables)?;
        let mut parts = HelpParts::all(input);
        loop {
            let variables = help::user_variables(input, &parts, locale)?;
            let user = self.message(Mode::Help, Part::User, locale, variables)?;
            let taken = tokens::of_message(&system) + tokens::of_message(&user);
            if taken <= max_tokens || !parts.reduce() {
                let contents = [system, user];
                return Ok(Prompt::new(contents, taken, parts.trimmed(), max_tokens));
            }
        }
    }

    fn message(
        &self,
        mode: Mode,
        part: Part,
        locale: &str,
        variables: Value,
    ) -> Result<String, RenderError> {
        self.render(Kind::Message(mode, part), locale, variables)
    }

    fn render(&self, kind: Kind, locale: &str, variables: Value) -> Result<String, RenderError> {
        if !is_language_tag(locale) {
            return Err(RenderError::Locale(locale.to_owned()));
        }
        let mut name = String::new();
        for candidate in SheetName::candidates(kind, locale) {
            name = candidate.to_string();
            if let Ok(sheet) = self.environment.get_template(&name) {
                return sheet
                    .render(variables)
                    .map_err(|error| RenderError::Sheet(engine_fault(Path::new(&name), &error)));
            }
        }
        let message = "there is no such sheet".to_owned();
        Err(RenderError::Sheet(fault(Path::new(&name), None, message)))
    }
}

/// A sheet's own words: statements are left out, and a variable ends a clause.
fn without_statements(sheet: &str) -> String {
    let mut words = String::new();
    let mut rest = sheet;
    while let Some(at) = rest.find("{%") {
        words.push_str(&rest[..at]);
        rest = rest[at..].split_once("%}").map_or("", |(_, after)| after);
    }
    words.push_str(rest);
    words
}

/// An engine that knows no variable of its own.
fn empty_environment() -> Result<Environment<'static>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // Sheets are Markdown, and data is made safe before it gets there.
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    // A statement on a line of its own leaves no empty line behind.
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()?;
    environment.set_syntax(syntax);
    let globals: Vec<String> = environment.globals().map(|(n, _)| n.to_owned()).collect();
    for name in globals {
        environment.remove_global(&name);
    }
    Ok(environment)
}

/// The files of a folder that are meant as sheets, and those of its folder of styles.
pub(crate) fn read(folder: &Path) -> Result<Files, SheetError> {
    let mut files = read_folder(folder, false)?;
    let styles = folder.join(STYLES);
    if styles.is_dir() {
        files.extend(read_folder(&styles, true)?);
    }
    Ok(files)
}

fn read_folder(folder: &Path, of_style: bool) -> Result<Files, SheetError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| SheetError::Unreadable { path, source }
    };
    let mut files = Files::new();
    for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
        let name = entry.map_err(unreadable(folder))?.file_name();
        let bytes = name.as_encoded_bytes();
        let path = folder.join(&name);
        let is_styles = !of_style && bytes == STYLES.as_bytes() && path.is_dir();
        if !bytes.starts_with(b".") && !bytes.ends_with(b"~") && !is_styles {
            let bytes = fs::read(&path).map_err(unreadable(&path))?;
            files.insert(path, SheetFile { of_style, bytes });
        }
    }
    Ok(files)
}

fn style_of(name: &SheetName) -> Option<String> {
    match &name.kind {
        Kind::Style(style) => Some(style.clone()),
        Kind::Message(..) => None,
    }
}

fn draft(file: &Path, read: &SheetFile) -> Result<(SheetName, Draft), SheetFault> {
    let refuse = |line, message: &str| Err(fault(file, line, message.to_owned()));
    let name = file.file_name().and_then(|name| name.to_str());
    let name = SheetName::parse(name.unwrap_or_default(), read.of_style)
        .map_err(|message| fault(file, None, message))?;
    let bytes = &read.bytes;
    if bytes.len() > MAX_SHEET_BYTES {
        return refuse(None, "a sheet has at most 64 KiB; shorten it");
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            let line = before.iter().filter(|b| **b == b'\n').count() + 1;
            return refuse(Some(line), "this is no UTF-8; save the file as UTF-8");
        }
    };
    // Windows editors begin a file with a mark, which is no part of its text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return refuse(None, "the sheet is empty; write it, or remove the file");
    }
    let draft = Draft {
        file: file.to_owned(),
        text: text.to_owned(),
    };
    Ok((name, draft))
}

fn hash(drafts: &BTreeMap<SheetName, Draft>) -> String {
    let mut hasher = Sha256::new();
    let mut add = |text: &str| {
        hasher.update((text.len() as u64).to_be_bytes());
        hasher.update(text);
    };
    add(RENDERER_VERSION);
    for (name, draft) in drafts {
        add(&name.to_string());
        add(&draft.text);
    }
    hex::encode(hasher.finalize())
}
