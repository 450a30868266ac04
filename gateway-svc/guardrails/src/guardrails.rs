//! The checks themselves.

use std::{collections::BTreeMap, fmt, fs, path::Path};

use turnwise_text_classifier::{Classifier, Level, fold};

use crate::{
    fault::ProfileError,
    phrases::Phrases,
    profile::{LocaleProfile, Profile},
    verdicts::Verdicts,
    words,
};

const BUILT_IN_FILE: &str = "profile.yaml";
const BUILT_IN: &str = include_str!("../profile.yaml");
const WEIGHTS: &[u8] = include_bytes!("../data/weights.bin");

/// What was found, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HitKind {
    /// The student may harm themselves.
    SelfHarm,
    /// Somebody close may harm the student.
    Abuse,
    /// The student, or somebody else, may be in danger.
    Danger,
    /// Others torment the student.
    Bullying,
    /// A term that the school does not want.
    BlockedTerm,
}

impl HitKind {
    const SAFEGUARDING: [Self; 4] = [Self::SelfHarm, Self::Abuse, Self::Danger, Self::Bullying];

    /// Whether staff have to know.
    #[must_use]
    pub fn is_safeguarding(self) -> bool {
        Self::SAFEGUARDING.contains(&self)
    }

    /// The name in records, in the profile and in the model.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SelfHarm => "self_harm",
            Self::Abuse => "abuse",
            Self::Danger => "danger",
            Self::Bullying => "bullying",
            Self::BlockedTerm => "blocked_term",
        }
    }
}

/// What a student's text was found to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The gravest, if there is more than one.
    pub kind: HitKind,
    /// Whether the text goes no further. What is not certain is told and does not stop the student.
    pub stops: bool,
    /// How the model judged; none: the profile has the words.
    pub judgement: Option<Judgement>,
}

/// How the model judged a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The model's version.
    pub model: String,
    /// The probability that the text is a call for help, 0 to 1.
    pub score: f32,
    /// The least score that stops.
    pub threshold: f32,
    /// The features that spoke most for it, the strongest first. They hold words of the text.
    pub features: Vec<String>,
}

/// How many features a judgement tells.
const FEATURES: usize = 8;

/// Whether what a student wrote reaches a person, so that the student may be told so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaches {
    /// Nobody is told.
    Nobody,
    /// Staff are.
    Staff,
}

/// One profile, ready to be used.
pub struct Guardrails {
    /// By language tag in lower case.
    locales: BTreeMap<String, Locale>,
    /// For a locale that the profile does not have.
    other: Locale,
    /// Judges what no phrase matches; none: phrases alone count.
    model: Option<Classifier>,
    blocked_terms: Vec<u64>,
    /// Of texts that were checked without a locale.
    verdicts: Verdicts,
}

struct Locale {
    phrases: Phrases,
    /// The safeguarding phrases in the form of [`words::squeezed`].
    squeezed: Phrases,
    safeguarding_text: String,
    /// With the sentence that staff are told.
    told_text: String,
    blocked_text: String,
}

impl fmt::Debug for Guardrails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let locales: Vec<_> = self.locales.keys().collect();
        f.debug_struct("Guardrails")
            .field("locales", &locales)
            .finish_non_exhaustive()
    }
}

impl Guardrails {
    /// The profile of this crate, with English and German.
    ///
    /// # Errors
    /// The profile of this crate is broken, which its tests rule out.
    pub fn built_in() -> Result<Self, ProfileError> {
        Self::parse(Path::new(BUILT_IN_FILE), BUILT_IN)
    }

    /// The profile of a file.
    ///
    /// # Errors
    /// The file cannot be read, is no UTF-8, or is no profile within its bounds.
    pub fn load(file: &Path) -> Result<Self, ProfileError> {
        let yaml = fs::read_to_string(file).map_err(|source| ProfileError::Unreadable {
            file: file.to_owned(),
            source,
        })?;
        Self::parse(file, &yaml)
    }

    fn parse(file: &Path, yaml: &str) -> Result<Self, ProfileError> {
        let profile = Profile::parse(file, yaml)?;
        let model = profile
            .model
            .then(|| Classifier::read(WEIGHTS))
            .transpose()?;
        Self::of(&profile, model).map_err(|error| ProfileError::Faulty {
            file: file.to_owned(),
            line: None,
            message: format!("{error}; use fewer or shorter phrases"),
        })
    }

    fn of<'a>(
        profile: &'a Profile,
        model: Option<Classifier>,
    ) -> Result<Self, aho_corasick::BuildError> {
        let locale = |own: &'a LocaleProfile| {
            let of = |kind, phrases: &'a [String]| phrases.iter().map(move |phrase| (kind, phrase));
            let safeguarding = own
                .safeguarding
                .iter()
                .flat_map(|(kind, own)| of(*kind, own));
            let squeezed: Vec<(HitKind, String)> = (safeguarding.clone())
                .map(|(kind, phrase)| (kind, words::squeezed(phrase)))
                .collect();
            let blocked = of(HitKind::BlockedTerm, &profile.blocked_terms);
            Ok(Locale {
                squeezed: Phrases::new(squeezed.iter().map(|(kind, phrase)| (*kind, phrase)))?,
                phrases: Phrases::new(safeguarding.chain(blocked))?,
                told_text: format!("{} {}", own.safeguarding_text, own.told_text)
                    .trim_end()
                    .to_owned(),
                safeguarding_text: own.safeguarding_text.clone(),
                blocked_text: own.blocked_text.clone(),
            })
        };
        Ok(Self {
            model,
            verdicts: Verdicts::default(),
            locales: profile
                .locales
                .iter()
                .map(|(tag, own)| Ok((tag.clone(), locale(own)?)))
                .collect::<Result<_, _>>()?,
            other: locale(&profile.other)?,
            blocked_terms: profile
                .blocked_terms
                .iter()
                .filter_map(|term| turnwise_fingerprint::phrase(term))
                .collect(),
        })
    }

    /// What a student's text calls for: first by the phrases of its locale, then by the model, which reads English and
    /// German whatever the locale. Time grows with the length of the text alone.
    #[must_use]
    pub fn check(&self, locale: &str, text: &str) -> Option<Hit> {
        if text.is_empty() {
            return None;
        }
        let hit = self.found(locale, text);
        if locale.is_empty() {
            let stops = hit.as_ref().is_some_and(|hit| hit.stops);
            self.verdicts.keep(text, stops);
        }
        hit
    }

    /// Whether [`check`](Self::check) without a locale stops a text. It is checked once, as long as that is remembered.
    #[must_use]
    pub fn stops(&self, text: &str) -> bool {
        let anew = || self.check("", text).is_some_and(|hit| hit.stops);
        !text.is_empty() && self.verdicts.of(text).unwrap_or_else(anew)
    }

    fn found(&self, locale: &str, text: &str) -> Option<Hit> {
        let folded = fold(text);
        let locale = self.locale(locale);
        let words = words::as_message(&words::of_folded(&folded));
        let mut phrase = locale.phrases.gravest(&words);
        if words::is_drawn_out(&folded) {
            // `ä` is one letter before it is two, and `ß` after.
            let words = words::as_message(&words::of_folded(&words::squeezed(&folded)));
            let squeezed = locale.squeezed.gravest(&words::squeezed(&words));
            phrase = phrase.into_iter().chain(squeezed).min();
        }
        let of_phrase = |kind| Hit {
            kind,
            stops: true,
            judgement: None,
        };
        match phrase {
            Some(kind) if kind.is_safeguarding() => Some(of_phrase(kind)),
            // A call for help that holds a swear word is a call for help.
            _ => match (self.judged(&folded), phrase) {
                (Some(judged), _) if judged.stops => Some(judged),
                (_, Some(kind)) => Some(of_phrase(kind)),
                (judged, None) => judged,
            },
        }
    }

    fn judged(&self, folded: &str) -> Option<Hit> {
        let model = self.model.as_ref()?;
        let folded = &words::once(folded);
        let verdict = model.judge_folded(folded);
        if verdict.level == Level::Harmless {
            return None;
        }
        let kind = HitKind::SAFEGUARDING
            .into_iter()
            .find(|kind| kind.name() == verdict.class)?;
        let reasons = model.explain_folded(folded, FEATURES).reasons;
        Some(Hit {
            kind,
            stops: verdict.level == Level::Certain,
            judgement: Some(Judgement {
                model: model.version(),
                score: verdict.score,
                threshold: verdict.alarm.certain,
                features: reasons.into_iter().map(|reason| reason.feature).collect(),
            }),
        })
    }

    /// The answer to what was found, in this locale. That staff are told is said where it is so.
    #[must_use]
    pub fn text(&self, locale: &str, kind: HitKind, reaches: Reaches) -> &str {
        let locale = self.locale(locale);
        match (kind.is_safeguarding(), reaches) {
            (false, _) => &locale.blocked_text,
            (true, Reaches::Nobody) => &locale.safeguarding_text,
            (true, Reaches::Staff) => &locale.told_text,
        }
    }

    /// The blocked terms as hashes of their words, for whoever must not say them either.
    #[must_use]
    pub fn blocked_terms(&self) -> &[u64] {
        &self.blocked_terms
    }

    fn locale(&self, tag: &str) -> &Locale {
        let tag = tag.to_ascii_lowercase();
        let mut tag = tag.as_str();
        loop {
            if let Some(locale) = self.locales.get(tag) {
                return locale;
            }
            let Some((shorter, _)) = tag.rsplit_once('-') else {
                return &self.other;
            };
            tag = shorter;
        }
    }
}
