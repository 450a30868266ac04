//! What help must not say, in patterns over plain words, in English and German: lower case, umlauts without dots, one space
//! between words. `~` stands for up to four words, `@` for something that keeps people safe.

use regex::Regex;

/// Patterns cannot be used, which the tests rule out.
#[derive(Debug, thiserror::Error)]
#[error("a pattern for help with procedures cannot be used")]
pub struct RuleError(#[from] regex::Error);

/// To press, click, type, or run code.
const COMMANDS: [&str; 16] = [
    "(?:double |right |left )?click(?:ing)?",
    "press(?:ing)?|push (?:the|this|that|your|it|on)|long press",
    "tap (?:on|here|this|the ~(?:button|icon|key|link|menu|field|screen))",
    "hit ~(?:enter|return|escape|button|key|icon)",
    "type (?:in|the|this|that|your|it|a|following)|key in|paste",
    "(?:run|rerun|execute|launch|invoke) ~(?:code|scripts?|programs?|projects?|commands?|macros?|functions?|simulat(?:or|ion)|it|this|that)",
    "execut(?:e|ing)",
    "(?:must|should|has to|have to|needs? to|ought to) be (?:clicked|pressed|pushed|executed|disabled)",
    "(?:ctrl|strg|cmd|alt) [a-z0-9]+",
    "(?:an|drauf|doppel)?klick(?:e|en|st|t)?|(?:an|drauf)zuklicken",
    "drucke|drucken|druckst|druck (?:die|den|das|auf|jetzt|mal)|betatige|betatigen",
    "tippe|tippen|tippst|tipp (?:die|den|das|auf|mal)|eintippen|antippen|gib ~ein",
    "(?:fuhre|fuhr|fuhren) ~aus|ausfuhren|auszufuhren",
    "(?:starte|starten|lass) ~(?:code|skript|programm|projekt|befehl|simulator|simulation)(?: laufen)?",
    "start ~(?:code|script|program|command|simulator|simulation)",
    "(?:muss|sollte|soll) ~(?:geklickt|gedruckt|ausgefuhrt|abgeschaltet) werden",
];

/// To switch off or leave off what keeps people safe.
const SAFETY_OFF: [&str; 11] = [
    "disabl(?:e|es|ing)|deactivat(?:e|es|ing)|bypass(?:es|ing)?|circumvent(?:s|ing)?|overrid(?:e|es|ing)",
    "(?:turn|switch|shut|take|leave|pull|power)(?:ing)? (?:off|out|down) ~@",
    "(?:turn|switch|shut|take|leave|pull|power)(?:ing)? ~@ (?:off|out|away|down)",
    "(?:remov|ignor|skipp?|forgett?|unplug|detach|loosen|silenc|mut)(?:e|ing|es)? ~@",
    "(?:no need for|(?:do not|dont|neednt) (?:need|wear|use|have to wear)) ~@",
    "deaktivier(?:e|en|st|t)?|uberbruck(?:e|en|st|t)?|aushebeln|ausser kraft",
    "(?:umgehe|umgehen|umgeh|entferne|entfernen|ignoriere|ignorieren|vergiss) ~@",
    "@ ~(?:umgehen|abschalten|ausschalten|abnehmen|ausziehen|weglassen|entfernen|ignorieren)",
    "(?:schalte|schalt|schalten|nimm|nehmen|zieh|ziehe|lass|lassen|stelle|stell|lege|leg) ~@ ~(?:aus|ab|weg|herunter)",
    "(?:brauchst|brauchen|benotigst) ~keine? ~@",
    "unsafe mode|without supervision|ohne aufsicht",
];

const SAFETY: &str = "(?:goggles|(?:safety )?glasses|gloves|guards?|interlocks?|alarms?|fuses?|safety|emergency|protection|protective|shields?|ventilation|fume hood|warnings?|lab coat|[a-z]*(?:schutz|sicherheit|sicherung|notaus|alarm|warnung|abzug|handschuh|kittel|verriegelung)[a-z]*)";

/// What stands before a pattern that is then no command, but a warning or a question.
const NEGATED: &str =
    "(?:dont |do not |never |must not |mustnt |should not |shouldnt |what should |what could )";

/// Parts of apparatus and pages that people use. One that the procedure does not speak of is none of it. English words have
/// other meanings without an article.
const CONTROLS: &str = r"\b(?:(?:the|a|an|this|that|your|another|any|its) (?:[^ .?!,]+ ){0,2}(?P<en>buttons?|switch|switches|knobs?|levers?|dials?|sliders?|valves?|pedals?|menus?|icons?|tabs?|checkbox|checkboxes|panels?|keyboards?|consoles?|terminals?|toggles?|breakers?|pumps?|heaters?|burners?|ovens?|centrifuges?|syringes?|lasers?|motors?|hatch|throttles?)|(?P<de>[a-z]*(?:knopf|knopfe|taste|tasten|schalter|hebel|regler|ventil|ventile|pedal|pedale|schaltflache|schaltflachen|tastatur|konsole|pumpe|pumpen|heizung|brenner|ofen|zentrifuge|spritze|laser|motor|klappe)))\b";

/// The number of a step.
const STEP: &str = r"\b(?:steps?|schritte?) (?:number |nummer |no |nr |\. )*(?P<number>[0-9]+)\b";

/// The patterns, ready to be looked for.
#[derive(Debug)]
pub struct Rules {
    pub(crate) commands: Regex,
    pub(crate) safety_off: Regex,
    pub(crate) controls: Regex,
    pub(crate) steps: Regex,
}

impl Rules {
    /// The rules of this crate.
    ///
    /// # Errors
    /// A pattern is broken, which the tests rule out.
    pub fn built_in() -> Result<Self, RuleError> {
        Ok(Self {
            commands: any_of(&COMMANDS)?,
            safety_off: any_of(&SAFETY_OFF)?,
            controls: Regex::new(CONTROLS)?,
            steps: Regex::new(STEP)?,
        })
    }
}

/// Whether some match of a pattern has no negation before it.
pub(crate) fn is_said(rule: &Regex, plain: &str) -> bool {
    rule.captures_iter(plain)
        .any(|found| found.name("negated").is_none())
}

fn any_of(patterns: &[&str]) -> Result<Regex, regex::Error> {
    let patterns = patterns.join("|");
    let patterns = patterns.replace('@', SAFETY);
    let patterns = patterns.replace('~', "(?:[^ .?!]+ ){0,4}");
    Regex::new(&format!(r"\b(?P<negated>{NEGATED})?(?:{patterns})\b"))
}
