//! What the students of the benchmark say: one short thread, again and again, to the tutor or beside a lesson.

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

/// What opens a conversation with the homework helper.
pub const CHAT_OPENING: &str = "What is a two-step equation?";

/// The messages of a conversation with the homework helper, in order, once it has begun: each is answered with a memory
/// of what was said before.
pub const CHAT_MESSAGES: [&str; MESSAGES.len()] = [
    "Why do I undo the sum first in a two-step equation?",
    "How do I start with 4y - 9 = 23?",
    "So I add 9 to both sides of the equation and get 4y = 32?",
    "And then I divide both sides by 4, right?",
    "What changes in an equation with x/3 + 2 = 7?",
    "Why does the equation stay true when I do the same on both sides?",
    "I got x = 15 for that equation, is that correct?",
    "How can I check my solution of a two-step equation?",
];
