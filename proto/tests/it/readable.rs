//! Every string of a reply and its card is a text that a student can read, or stands here with the reason why it is none.

use std::collections::BTreeSet;

use prost::Message;
use prost_reflect::DescriptorPool;
use turnwise_proto::{DESCRIPTORS, policy::v1::Reply, readable::Author};
use turnwise_testing::filled::filled;

/// Strings that nobody reads, and why.
const NO_TEXT: [(&str, &str); 17] = [
    ("turnwise.policy.v1.Reply.target_unit_id", "an id"),
    ("turnwise.policy.v1.Reply.drill_id", "an id"),
    ("turnwise.tutor.v1.TutorCard.unit_id", "an id"),
    ("turnwise.tutor.v1.DrillCard.drill_token", "a proof"),
    ("turnwise.tutor.v1.ExamCard.question_id", "an id"),
    ("turnwise.tutor.v1.ExamCard.offer_token", "a proof"),
    ("turnwise.tutor.v1.ExamOption.option_id", "an id"),
    (
        "turnwise.tutor.v1.Button.label_key",
        "a key of the client's own words",
    ),
    (
        "turnwise.tutor.v1.Button.unit_title",
        "a title, which no button of a card has",
    ),
    ("turnwise.tutor.v1.Button.card_token", "a proof"),
    (
        "turnwise.tutor.v1.Button.label",
        "the catalogue's words, or the course's",
    ),
    (
        "turnwise.tutor.v1.StudentInput.text",
        "the student's own words, which no button of a card has",
    ),
    (
        "turnwise.tutor.v1.StudentInput.latex",
        "the student's own words, which no button of a card has",
    ),
    (
        "turnwise.tutor.v1.StudentInput.voice_transcript",
        "the student's own words, which no button has",
    ),
    ("turnwise.tutor.v1.ClientEvent.card_token", "a proof"),
    ("turnwise.tutor.v1.ClientEvent.unit_id", "an id"),
    ("turnwise.tutor.v1.ClientEvent.question_id", "an id"),
];

/// A reply with each kind of card, and the names of all their strings.
fn replies() -> (Vec<Reply>, BTreeSet<String>) {
    let pool = DescriptorPool::decode(DESCRIPTORS).unwrap();
    let reply = pool
        .get_message_by_name("turnwise.policy.v1.Reply")
        .unwrap();
    let filled = filled(&reply, "turnwise.", str::to_owned);
    let replies = filled.messages.iter().map(|reply| {
        assert!(reply.has_field_by_name("card"));
        Reply::decode(reply.encode_to_vec().as_slice()).unwrap()
    });
    (replies.collect(), filled.words)
}

#[test]
fn every_string_is_readable_or_known_to_be_none() {
    let (replies, names) = replies();
    let mut known: BTreeSet<String> = replies
        .iter()
        .flat_map(Reply::readable_texts)
        .map(|readable| readable.text.to_owned())
        .collect();
    for (name, why) in NO_TEXT {
        assert!(
            known.insert(name.to_owned()),
            "{name} is read, so it is more than {why}"
        );
    }
    assert_eq!(names, known);
}

#[test]
fn only_exam_questions_are_the_catalogues_words() {
    let (replies, _) = replies();
    for readable in replies.iter().flat_map(Reply::readable_texts) {
        let exam = readable.text.starts_with("turnwise.tutor.v1.Exam");
        assert_eq!(
            readable.author == Author::Catalogue,
            exam,
            "{}",
            readable.text
        );
    }
}
