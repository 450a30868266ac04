//! The sheets of this crate.

/// Their files, by name.
pub(crate) const BUILT_IN: [(&str, &str); 21] = [
    (
        "chat.system.de.md",
        include_str!("../sheets/chat.system.de.md"),
    ),
    ("chat.system.md", include_str!("../sheets/chat.system.md")),
    ("chat.user.md", include_str!("../sheets/chat.user.md")),
    (
        "grade.system.de.md",
        include_str!("../sheets/grade.system.de.md"),
    ),
    ("grade.system.md", include_str!("../sheets/grade.system.md")),
    ("grade.user.md", include_str!("../sheets/grade.user.md")),
    (
        "help.system.de.md",
        include_str!("../sheets/help.system.de.md"),
    ),
    ("help.system.md", include_str!("../sheets/help.system.md")),
    ("help.user.md", include_str!("../sheets/help.user.md")),
    (
        "styles/formal.de.md",
        include_str!("../sheets/styles/formal.de.md"),
    ),
    (
        "styles/formal.md",
        include_str!("../sheets/styles/formal.md"),
    ),
    (
        "styles/plain.de.md",
        include_str!("../sheets/styles/plain.de.md"),
    ),
    ("styles/plain.md", include_str!("../sheets/styles/plain.md")),
    (
        "translate.system.de.md",
        include_str!("../sheets/translate.system.de.md"),
    ),
    (
        "translate.system.md",
        include_str!("../sheets/translate.system.md"),
    ),
    (
        "translate.user.md",
        include_str!("../sheets/translate.user.md"),
    ),
    ("turn.input.md", include_str!("../sheets/turn.input.md")),
    ("turn.policy.md", include_str!("../sheets/turn.policy.md")),
    (
        "turn.system.de.md",
        include_str!("../sheets/turn.system.de.md"),
    ),
    ("turn.system.md", include_str!("../sheets/turn.system.md")),
    ("turn.user.md", include_str!("../sheets/turn.user.md")),
];
