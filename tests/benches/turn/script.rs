//! What the students of the benchmark say: one short thread, again and again.

/// The messages of a thread, in order. A thread ends with the last one, so that a turn's history stays typical: none in
/// the first turn, and all the messages that a turn reads from the fourth on.
pub const MESSAGES: [&str; 8] = [
    "why does minus a minus make a plus?",
    "ok so -3 - (-8) is 5?",
    "I don't get how to collect like terms, where do I start",
    "so 3x + 2x is 5x but 3x + 2 stays as it is?",
    "how do I solve 2x + 3 = 11",
    "is it x = 4? I took away 3 and then halved it",
    "what do I do when x is on both sides, like 5x - 2 = 3x + 8",
    "can you give me another one to try",
];
