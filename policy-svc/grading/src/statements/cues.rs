//! Words that say how a formula beside them is meant, in English and German, in lower case.

use std::{collections::HashSet, sync::OnceLock};

/// What says a relation in words.
pub(super) const RELATIONS: &[(&str, char)] = &[
    ("equals ", '='),
    ("is equal to ", '='),
    ("ist gleich ", '='),
    ("is greater than ", '>'),
    ("is bigger than ", '>'),
    ("is larger than ", '>'),
    ("ist größer als ", '>'),
    ("is less than ", '<'),
    ("is smaller than ", '<'),
    ("ist kleiner als ", '<'),
];

/// What says so of a formula with a variable that is to be worked out: `(x + 1)² is x² + 2x + 1`.
pub(super) const EQUATING: &[&str] = &[
    "is the same as ",
    "is ",
    "gives ",
    "becomes ",
    "expands to ",
    "simplifies to ",
    "multiplies out to ",
    "ist dasselbe wie ",
    "ist ",
    "ergibt ",
    "wird zu ",
];

/// Words of a sentence that compares without signs: `In size, -8 is greater than 3.`
pub(super) static SIZE: Words =
    Words::new("size magnitude absolute distance away betrag absolutbetrag abstand betragsmäßig");

/// Words between two statements, and between two parts of one.
pub(super) static AND: Words = Words::new("and or und oder");

/// Words that work on the number after them: what follows is not all of a side.
pub(super) static BINDING: Words = Words::new(
    "of times plus minus by to from and or than over per half halves third thirds quarter quarters fourth fourths \
    fifth fifths tenth tenths double twice thrice triple percent squared cubed root opposite negative inverse \
    reciprocal add adding subtract subtracting multiply multiplying divide dividing more less into between every each another remainder one two three four \
    five six seven eight nine ten hundred thousand von mal durch um mit zu und oder als pro je hälfte drittel \
    viertel fünftel zehntel halb halbe doppelt doppelte dreifache prozent hoch quadrat wurzel gegenzahl kehrwert \
    betrag addiere subtrahiere multipliziere dividiere teile mehr weniger zwischen jede jeder jedes rest eins zwei \
    drei vier fünf sechs sieben acht neun zehn hundert tausend aus auf with in at nach vor modulo mod log sin cos \
    tan ln exp max min gcd lcm ggt kgv zweimal dreimal viermal fünfmal sechsmal zehnmal sqrt cbrt lg ld",
);

/// Words before a statement that begins with a number alone.
pub(super) static LEADING: Words = Words::new(
    "so then that because since as given just why how like while when think always really only have has gives give get gets but therefore thus hence indeed is are know means see \
    shows remember note write e.g also dann dass weil denn da gilt ist sind ergibt aber daher somit folglich deshalb \
    wie warum wieso weshalb ja doch nämlich immer nur haben hat weiß heißt zeigt beachte merke schreibe damit nun now again finally schließlich gibt das dies which \
    where wobei sum summe",
);

/// Words after a statement that go on with the sentence.
pub(super) static FOLLOWING: Words = Words::new(
    "and or so because since but which that then when where as is are was holds for if while with by after before in \
    on we you this it the now again just too exactly always generally also have immer stets und oder weil denn da dann wenn wobei wo aber ist \
    sind gilt für falls während mit durch nach vor bei wir du dies das es die der nun wieder auch genau stimmt \
    ergibt gives makes shows means works fits sein weiter here hier there",
);

/// Words after a number that make another number of it.
pub(super) static SCALING: Words = Words::new(
    "hundred hundreds thousand thousands million millions billion dozen tens ones tenth tenths hundredth hundredths \
    percent pct half halves third thirds quarter quarters fourths fifths sixths sevenths eighths times more less \
    plus minus remainder rest of to r squared cubed over hundert tausend millionen dutzend zehner einer zehntel \
    hundertstel prozent halbe drittel viertel fünftel sechstel siebtel achtel mal mehr weniger von zu bis hoch \
    quadrat through modulo mod uhr clock kilo kilos jahr jahre year years monat monate month months dezimeter hektar \
    pfund zentner",
);

/// Words that say that what stands beside them is not so.
pub(super) static DENYING: Words = Words::new(
    "no not never cannot wrong false incorrect mistake mistakes mistaken error errors misconception untrue invalid \
    instead neither nor unequal impossible contradiction trap slip tempting tempted careless confuse confusing \
    confused nicht nie niemals kein keine keinen keiner falsch falsche falschen falscher fehler irrtum unwahr \
    ungleich statt stattdessen verwechselt verwechseln widerspruch unmöglich weder",
);

/// Phrases that do.
pub(super) const DENYING_PHRASES: &[&str] = &[
    "your answer",
    "your result",
    "your line",
    "your equation",
    "your step",
    "your calculation",
    "your idea",
    "your work",
    "you added",
    "might think",
    "could think",
    "seem to think",
    "you got",
    "you say",
    "you write",
    "you think",
    "you claim",
    "you believe",
    "you put",
    "you get the",
    "you have as",
    "far from",
    "too big",
    "too small",
    "off by",
    "should be",
    "deine antwort",
    "deiner antwort",
    "dein ergebnis",
    "deinem ergebnis",
    "deine rechnung",
    "deiner rechnung",
    "deine zeile",
    "deine idee",
    "du hast",
    "bei dir",
    "zu groß",
    "zu klein",
];

/// Words behind which a denial says nothing: `Don't worry`, `Kein Problem`.
pub(super) static REASSURING: Words = Words::new(
    "worry worries forget mind trick tricks problem problems rush hurry doubt wonder fear panic matter sorge sorgen \
    vergiss vergessen eile zweifel wunder angst panik schlimm",
);

/// Words that say that somebody else says what stands beside them, or that it is supposed.
pub(super) static TELLING: Words = Words::new(
    "incorrectly wrongly whether would suppose imagine pretend assume otherwise somebody someone students pupils \
    classmate says said claims claimed thinks thinking thought writes wrote written calculates computes computed believes \
    guess guessed guesses answered irrtümlich fälschlich ob wäre würde würdest hätte hättest könnte angenommen sonst \
    jemand manche schüler sagt sagte behauptet meint glaubt denkt schreibt schrieb geschrieben rechnet rechnete \
    gerechnet geraten sagst sagtest meinst meintest schreibst schriebst rechnest denkst glaubst dachtest world welt",
);

/// What says only what is so: `The rule says`.
pub(super) static LAWS: Words = Words::new("rule law regel gesetz");

/// Phrases that tell of others.
pub(super) const TELLING_PHRASES: &[&str] = &[
    "they get",
    "they got",
    "they write",
    "they say",
    "they add",
    "many people write",
    "many people think",
    "some people",
    "some say",
    "some write",
    "manche",
    "people often",
    "viele rechnen",
    "viele schreiben",
    "viele denken",
];

/// Words that a condition begins with.
pub(super) static SUPPOSING: Words = Words::new("if unless wenn falls");

/// Words before who said the same, and words that say that it was right.
pub(super) static AGREEING: Words = Words::new("as like wie");
pub(super) static RIGHTLY: Words = Words::new("correctly rightly richtig korrekt");

/// Words that say that it was not.
pub(super) static WRONGLY: Words = Words::new("incorrectly wrongly irrtümlich fälschlich");

/// Words of saying something.
pub(super) static SAYING: Words = Words::new(
    "said say wrote write written told noted mentioned gesagt sagst sagtest schreibst schriebst geschrieben meintest",
);

/// Words of a verdict on what the student answered.
pub(super) static ANSWERING: Words = Words::new(
    "no nope not quite exactly yet right correct wrong incorrect false sorry unfortunately that that's it it's is \
    isn't nein leider nicht ganz genau richtig korrekt falsch ist stimmt",
);

/// Words that speak to the student.
pub(super) static ADDRESSING: Words =
    Words::new("you your yours you're you've du dein deine deinen deinem deiner dir dich");

/// Words that give a reason or a conclusion.
pub(super) static REASONING: Words = Words::new("because since so denn weil");

/// Words that set one clause against another.
pub(super) static OPPOSING: Words = Words::new("but aber");

/// Words that go on with the clause before, whatever stands between.
pub(super) static SUBORDINATING: Words = Words::new("that dass daß whether ob to zu");

/// Words before a number that is put beside a statement because it is not so: `5/6, not 2/5`.
pub(super) static EXCLUDING: Words = Words::new("not nicht never");

/// Words before what a statement stands for: `5/6 instead of 2/5`.
pub(super) static REPLACING: Words = Words::new("instead statt");

/// Words that a correction begins with: `Wrong: … Right: …`
pub(super) static CORRECTING: Words =
    Words::new("right correct correctly better richtig korrekt besser");

/// Words that come before or after an equation to solve.
pub(super) static POSING: Words = Words::new(
    "equation equations solve solves solved solution solutions unknown true holds satisfy satisfies satisfied find \
    gleichung gleichungen löse lösen löst lösung lösungen unbekannte wahr erfüllt finde setze check checks probe \
    prüfe",
);

/// Words that say of an equality that it holds for all numbers.
pub(super) static RULING: Words =
    Words::new("always rule law general generally immer regel gesetz allgemein stets");

/// Words that name a rule that stands beside them.
pub(super) static NAMING: Words =
    Words::new("rule law formula identity regel gesetz formel identität");

/// Phrases that say so.
pub(super) const FOR_ALL: &[&str] = &[
    "for all ",
    "for every ",
    "for each ",
    "for any ",
    "whatever ",
    "no matter ",
    "für alle ",
    "für jede",
    "für beliebige",
    "egal ",
];

/// Words that say for all of which kind.
pub(super) static LIMITING: Words = Words::new(
    "in of that which where with whose such between except only from von mit außer nur wo zwischen aus denen",
);

/// Words of a sentence about an equation and what solves it.
pub(super) static SOLVING: Words = Words::new(
    "equation equations solve solves solved solution solutions unknown satisfy satisfies satisfied find gleichung \
    gleichungen löse lösen löst lösung lösungen unbekannte erfüllt finde",
);

/// Words of a sentence about the one beside it.
pub(super) static REFUTING: Words = Words::new(
    "wrong false incorrect untrue mistake mistakes error errors slip misconception trap falsch falsche fehler irrtum \
    unwahr",
);

/// Of them, those that may be of another statement: `What mistake did you make before?`
pub(super) static MISTAKES: Words = Words::new("mistake mistakes error errors fehler");

/// Words that a task to find what is wrong begins with.
pub(super) static SEEKING: Words =
    Words::new("find finde spot see can could kannst siehst findest look correct korrigiere");

/// Words that announce such a sentence.
pub(super) static ANNOUNCING: Words = Words::new(
    "common often typical frequent usual popular following here häufig häufiger häufige oft typisch typischer beliebt \
    beliebter folgender hier",
);

/// Words that a sentence about the one before begins with.
pub(super) static REFERRING: Words = Words::new(
    "that this it but however no which not why where what is both das dies aber nein doch warum wo was stimmt ist \
    beides",
);

/// Words that say that something is left of a division.
pub(super) static REMAINING: Words =
    Words::new("remainder rem remaining rest übrig bleibt bleiben r leftover");

/// Words before a number that is put in for a variable.
pub(super) static TRYING: Words = Words::new(
    "try test put substitute set let for if when with check insert probiere teste setze für wenn sei mit prüfe probe \
    suppose",
);

/// Words before a value for which something is said to come out.
pub(super) static GIVING: Words =
    Words::new("with for if when since let suppose take at mit für wenn falls da bei sei");

/// Words between what is said and the value that it is said for.
pub(super) static CONDITIONING: Words = Words::new("when if for wenn falls für");

/// Words before a value that is put into something.
pub(super) static PUTTING: Words = Words::new(
    "put putting plug plugging substitute substituting insert inserting set setting in setze setzt",
);

/// Words that say what comes out for a value.
pub(super) static YIELDING: Words = Words::new(
    "get gets have has gives give find means is ist gilt erhältst erhält erhalten bekommst bekommt bekommen hast haben \
    ergibt folgt",
);

/// Words that may stand beside them.
pub(super) static PASSING: Words = Words::new(
    "you we one so then it this that which and in dann du man wir sich das es also und ein",
);

/// Words that a problem is set with, none of which asks for some of its solutions only.
pub(super) static ASKING: Words = Words::new(
    "solve find determine calculate work out give state write the an and all every each for of in to your its \
    equation equations inequality solution solutions root roots value values unknown missing number variable by \
    factoring factorising using completing square quadratic formula following please that both sides löse bestimme \
    berechne finde gib an die der das den dem von alle gleichung gleichungen ungleichung lösung lösungen lösungsmenge \
    nach auf für und wert werte unbekannte fehlende zahl variable durch mit quadratische",
);

/// Words that an expression is set with, none of which changes its value.
pub(super) static COMPUTING: Words = Words::new(
    "work out calculate compute evaluate simplify expand factor factorise factorize berechne vereinfache",
);

/// Words of an example in which some solutions are left out on purpose.
pub(super) static PICKING: Words = Words::new(
    "positive negative nonnegative nonzero larger largest greater greatest bigger biggest smaller smallest lesser only \
    reject rejected rejects discard discarded ignore ignored exclude excluded excludes extraneous drop dropped length \
    lengths width height radius distance natural whole integer integers sense allowed positiv positiven positives \
    negativ negativen größer größere größte größten kleiner kleinere kleinste kleinsten nur verwirf verworfen entfällt \
    ausgeschlossen scheinlösung länge längen breite höhe abstand natürliche natürlichen ganze ganzen ganzzahlig \
    ganzzahlige sinn definitionsmenge definitionsbereich",
);

/// Words of an answer for solutions that it does not write as `x = 3`.
pub(super) static OTHER: Words = Words::new(
    "other others another zero one two three four five six seven eight nine ten opposite null andere anderen anderer \
    weitere eins zwei drei vier fünf sechs sieben acht neun zehn gegenzahl pm",
);

/// Words of a question about what stands before it.
pub(super) static DOUBTING: Words = Words::new(
    "is so right true correct agree sure really hold holds work works ok okay makes make sense stimmt richtig wahr \
    oder sicher wirklich einverstanden passt korrekt das can could",
);

/// Words that a question whether something is true begins with.
pub(super) static VERIFYING: Words = Words::new(
    "is are does do can could which what who ist sind stimmt gilt passt kann könnte welche welcher welches was wer",
);

/// Words that it has.
pub(super) static HOLDING: Words = Words::new(
    "right true correct agree hold holds work works think richtig wahr korrekt stimmt stimmen gilt passt meinst denkst",
);

/// Words that a claim may begin with in a question: `So 2 + 3 = 5, do you see why?`
pub(super) static CONCLUDING: Words = Words::new(
    "so then and also now because since as given that just dann und nun da weil denn wie therefore daher",
);

/// Words that ask for the reason of something that is so.
pub(super) static WHY: Words = Words::new("why warum wieso weshalb");

/// Words of knowing something that is so.
pub(super) static KNOWING: Words = Words::new(
    "see know understand notice remember realise realize explain show siehst weißt verstehst merkst erklären erklärst \
    erkennst zeigen sehen",
);

/// Words before what is known.
pub(super) static INTRODUCING: Words = Words::new("that how dass wie");

/// What a claim ends with that asks for a nod.
pub(super) const TAGS: &[&str] = &[
    "right",
    "correct",
    "ok",
    "okay",
    "agreed",
    "yes",
    "you see",
    "isn't it",
    "isn’t it",
    "oder",
    "nicht wahr",
    "richtig",
    "gell",
    "ja",
];

/// A list of words.
pub(super) struct Words {
    list: &'static str,
    set: OnceLock<HashSet<&'static str>>,
}

impl Words {
    /// The words between the spaces of a text in lower case.
    pub(super) const fn new(list: &'static str) -> Self {
        Self {
            list,
            set: OnceLock::new(),
        }
    }

    /// Whether a word is one of them, in whatever case.
    pub(super) fn has(&self, word: &str) -> bool {
        let words = self.set.get_or_init(|| self.list.split(' ').collect());
        if word.contains(char::is_uppercase) {
            words.contains(word.to_lowercase().as_str())
        } else {
            words.contains(word)
        }
    }
}

/// Whether a word joins a formula to its sentence: it is no product of variables.
pub(super) fn is_joining(word: &str) -> bool {
    [&AND, &BINDING, &LEADING, &FOLLOWING]
        .iter()
        .any(|list| list.has(word))
}
