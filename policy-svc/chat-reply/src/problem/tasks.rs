//! What words say is to be done with formulas.

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tasks {
    pub(super) expand: bool,
    pub(super) factor: bool,
    pub(super) simplify: bool,
    pub(super) percent: bool,
    pub(super) decimal: bool,
    pub(super) unknown: Option<char>,
}

/// Reads it from all words of a text.
pub(super) fn task(words: &[String]) -> Tasks {
    let begins = |stems: &[&str]| {
        words
            .iter()
            .any(|word| stems.iter().any(|stem| word.starts_with(stem)))
    };
    let unknown = words.windows(2).find_map(|two| {
        let [before, name] = two else { return None };
        let mut letters = name.chars();
        match (before.as_str(), letters.next(), letters.next()) {
            ("for" | "nach", Some(letter), None) if letter != 'a' => Some(letter),
            _ => None,
        }
    });
    Tasks {
        expand: begins(&[
            "expand",
            "ausmultiplizier",
            "multiplizier",
            "multiply",
            "auflös",
            "aufgelös",
            "distribut",
        ]),
        factor: begins(&["factor", "faktor", "ausklammer", "klammer", "zerleg"]),
        simplify: begins(&[
            "simplif",
            "vereinfach",
            "zusammen",
            "kürz",
            "reduce",
            "combine",
            "collect",
        ]),
        percent: begins(&["percent", "prozent"]),
        decimal: begins(&["decimal", "dezimal", "kommazahl"]),
        unknown,
    }
}
