//! What help must not say: commands, safety switched off, steps, controls and names that the procedure has not.

use std::collections::HashSet;

use turnwise_course_pack::{Procedure, gates::Kind};
use turnwise_reply_guard::plain_words;

use crate::rules::{Rules, is_said};

/// What a text was refused for: a closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// It tells the student to press, click or type something, or to run code.
    Command,
    /// It speaks for switching off or leaving off what keeps people safe.
    SafetyOff,
    /// It names a step by a number that the procedure has not.
    UnknownStep,
    /// It speaks of a control that no text of the procedure speaks of.
    UnknownControl,
    /// It quotes a name that no text of the procedure has.
    UnknownName,
}

impl Flag {
    /// Every flag.
    pub const ALL: [Self; 5] = [
        Self::Command,
        Self::SafetyOff,
        Self::UnknownStep,
        Self::UnknownControl,
        Self::UnknownName,
    ];

    /// The name that records and logs use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::SafetyOff => "safety_off",
            Self::UnknownStep => "unknown_step",
            Self::UnknownControl => "unknown_control",
            Self::UnknownName => "unknown_name",
        }
    }
}

/// What a procedure speaks of.
#[derive(Debug)]
pub(crate) struct Known {
    /// Its texts, in plain words.
    text: String,
    /// The stems of its words.
    stems: HashSet<String>,
    steps: usize,
}

impl Known {
    pub(crate) fn of(procedure: &Procedure) -> Self {
        let mut text = String::new();
        let mut add = |part: &str| text.push_str(&plain_words(part));
        add(&procedure.title);
        for phase in &procedure.phases {
            add(&phase.title);
        }
        for step in &procedure.steps {
            add(&step.official_step);
            add(&step.short_explanation);
            step.tutor_prompts.iter().for_each(|prompt| add(prompt));
        }
        for target in &procedure.targets {
            add(&target.id);
            add(&target.label);
        }
        for entry in &procedure.telemetry {
            add(&entry.var.name);
            add(&entry.var.unit);
            if let Kind::Enum(words) = &entry.var.kind {
                words.iter().for_each(|word| add(word));
            }
        }
        Self {
            stems: text.split(' ').map(stem).map(str::to_owned).collect(),
            text,
            steps: procedure.steps.len(),
        }
    }

    /// Whether a sentence stands in the procedure.
    pub(crate) fn says(&self, sentence: &str) -> bool {
        self.text.contains(&plain_words(sentence))
    }

    /// What these texts are refused for.
    pub(crate) fn flags(&self, texts: &[&str], rules: &Rules) -> Vec<&'static str> {
        let plain: Vec<String> = texts.iter().map(|text| plain_words(text)).collect();
        let is_found = |flag: &Flag| match flag {
            Flag::Command => plain.iter().any(|plain| is_said(&rules.commands, plain)),
            Flag::SafetyOff => plain.iter().any(|plain| is_said(&rules.safety_off, plain)),
            Flag::UnknownStep => plain
                .iter()
                .any(|plain| self.counts_other_steps(plain, rules)),
            Flag::UnknownControl => plain
                .iter()
                .any(|plain| self.has_other_controls(plain, rules)),
            Flag::UnknownName => texts.iter().any(|text| self.quotes_others(text)),
        };
        let found = Flag::ALL.into_iter().filter(is_found);
        found.map(Flag::as_str).collect()
    }

    fn counts_other_steps(&self, plain: &str, rules: &Rules) -> bool {
        rules.steps.captures_iter(plain).any(|found| {
            let number: Option<usize> = found["number"].parse().ok();
            !number.is_some_and(|number| (1..=self.steps).contains(&number))
        })
    }

    fn has_other_controls(&self, plain: &str, rules: &Rules) -> bool {
        rules.controls.captures_iter(plain).any(|found| {
            let control = found.name("en").or_else(|| found.name("de"));
            control.is_some_and(|control| !self.stems.contains(stem(control.as_str())))
        })
    }

    /// Whether the text quotes words that do not stand so in the procedure.
    fn quotes_others(&self, text: &str) -> bool {
        quoted(text).any(|name| {
            let plain = plain_words(name);
            let name = plain.trim_end_matches([' ', '.', '?', '!']);
            !name.trim().is_empty() && !self.text.contains(&format!("{name} "))
        })
    }
}

/// A word without the ends that English and German put to it.
fn stem(word: &str) -> &str {
    word.trim_end_matches(['e', 'n', 's'])
}

/// What stands between quotation marks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let (at, open) = rest.char_indices().find(|(_, c)| closing(*c).is_some())?;
            rest = &rest[at + open.len_utf8()..];
            let Some(end) = rest.find(closing(open)?) else {
                continue;
            };
            let (name, behind) = rest.split_at(end);
            rest = behind.get(behind.chars().next()?.len_utf8()..)?;
            return Some(name);
        }
    })
}

/// The marks that end a quotation.
fn closing(open: char) -> Option<&'static [char]> {
    Some(match open {
        '"' => &['"'],
        '`' => &['`'],
        '“' => &['”', '"'],
        '„' => &['“', '”', '"'],
        '«' => &['»'],
        '»' => &['«'],
        '‘' | '‚' => &['’', '‘'],
        _ => return None,
    })
}
