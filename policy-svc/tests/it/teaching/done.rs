//! Whoever is done with a drill, or asks whether it is right, is told where an answer is checked.

use turnwise_course_pack::load;
use turnwise_kit::Kit;
use turnwise_proto::{
    policy::v1::{OpenDrill, ResolveReplyRequest},
    tutor::v1::StudentInput,
};

use super::{taught_pack, turn};
use crate::fixture::*;

#[tokio::test]
async fn an_answer_is_asked_for_where_somebody_is_done() {
    for (locale, told, messages) in [
        (
            "en",
            "Type your answer below the exercise and press “Check answer”: then you will know.",
            ["is that right?", "i did it", "ez"],
        ),
        (
            "de",
            "Schreib deine Antwort unter die Aufgabe und drück auf „Antwort prüfen“: Dann weißt du es.",
            ["Stimmt das?", "geschafft", "das ist zu leicht"],
        ),
    ] {
        let folder = taught_pack(locale);
        let client = start(folder.path(), &Kit::for_tests()).await;
        let pack = load(&folder.path().join(COURSE)).unwrap();
        let drill = &pack.units[1].templates[0].instances[0].drill;
        for message in messages {
            for is_open in [true, false] {
                let request = ResolveReplyRequest {
                    open_drill: is_open.then(|| OpenDrill {
                        unit_id: "ONE".to_owned(),
                        prompt: drill.prompt.clone(),
                        question_latex: drill.question_latex.clone(),
                        said: String::new(),
                    }),
                    typed: Some(StudentInput {
                        text: message.to_owned(),
                        ..StudentInput::default()
                    }),
                    ..ResolveReplyRequest::default()
                };
                let text = turn(&client, request, None).await;
                assert_eq!(text == told, is_open, "{message}: {text}");
            }
        }
    }
}
