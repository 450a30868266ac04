//! WebVTT and SubRip.

use std::time::Duration;

use turnwise_extract::{Kind, Reason};

use crate::{cut, told};

fn text(kind: Kind, file: &str) -> String {
    let chunks = cut(kind, file).unwrap();
    assert_eq!(chunks.len(), 1);
    chunks[0].text.clone()
}

#[test]
fn a_vtt_file_gives_speech_and_nothing_else() {
    let file = "\u{feff}WEBVTT - Week 1\r\nKind: captions\r\nLanguage: en\r\n\r\nSTYLE\r\n::cue { color: red }\r\n\r\nREGION\r\nid:fred\r\n\r\nNOTE made by hand\r\nfor the class\r\n\r\nintro\r\n00:05.000 --> 00:07.000 align:start position:0%\r\n<v Ms Hopper>Fractions have <b>two</b> parts</v>\r\n<i.loud>and</i> a &lt; b &amp; c < d\r\n\r\nNOTE\r\n\r\n01:00:07.250 --> 01:00:09.000\r\n<v Ada>Which <00:08.000><c>ones?</c>\r\n";
    let chunks = cut(Kind::Vtt, file).unwrap();
    assert_eq!(
        told(&chunks),
        [(
            "",
            "Fractions have two parts and a < b & c < d\n\nWhich ones?"
        )]
    );
    assert_eq!(chunks[0].start, Some(Duration::from_secs(5)));
    assert_eq!(chunks[0].page, 0);
}

#[test]
fn names_of_speakers_are_no_text() {
    let file = "WEBVTT\n\n00:05.000 --> 00:07.000\n<v Ada Lovelace>I am stuck.\n";
    assert_eq!(text(Kind::Vtt, file), "I am stuck.");
}

#[test]
fn captions_that_roll_up_are_told_once() {
    let file = "WEBVTT\n\n00:01.000 --> 00:02.000\nfirst line\n\n00:02.000 --> 00:02.010\nfirst line\n\n00:02.010 --> 00:04.000\nfirst line\nsecond line\n";
    assert_eq!(text(Kind::Vtt, file), "first line second line");
}

#[test]
fn an_srt_file_gives_speech_and_nothing_else() {
    let file = "\u{feff}1\r\n00:00:01,000 --> 00:00:02,500 X1:40 X2:600\r\n{\\an8}<font color=\"#fff\">Add</font> the numerators.\r\n\r\n2\r\n00:00:02,500 --> 00:00:04,000\r\nThen\r\n\r\nsimplify.\r\n3\r\n00:00:05,000 --> 00:00:06,000\r\nDone.\r\n";
    assert_eq!(
        text(Kind::Srt, file),
        "Add the numerators. Then simplify. Done."
    );
}

#[test]
fn a_number_that_is_spoken_stays() {
    let file =
        "1\n00:00:01,000 --> 00:00:02,000\n42\n\n2\n00:00:02,000 --> 00:00:03,000\n7 {x} <y>\n";
    assert_eq!(text(Kind::Srt, file), "42 7 {x} <y>");
}

#[test]
fn each_chunk_begins_at_its_own_time() {
    let cues: String = (0..120)
        .map(|n| {
            format!(
                "{:02}:{:02}.000 --> {:02}:{:02}.900\nThis is sentence number {n} of the lesson.\n\n",
                n / 60,
                n % 60,
                n / 60,
                n % 60
            )
        })
        .collect();
    let chunks = cut(Kind::Vtt, format!("WEBVTT\n\n{cues}")).unwrap();
    assert!(chunks.len() > 3);
    for chunk in &chunks {
        let n: u64 = chunk
            .text
            .split_whitespace()
            .nth(4)
            .unwrap()
            .parse()
            .unwrap();
        assert_eq!(chunk.start, Some(Duration::from_secs(n)));
        assert!(chunk.id.starts_with(&format!("t{n}-")), "{}", chunk.id);
    }
}

#[test]
fn speech_without_full_stops_is_cut_between_captions() {
    let cues: String = (0..100)
        .map(|n| {
            format!(
                "{:02}:{:02}.000 --> 59:00.000\nwe go on talking about it {n}\n\n",
                n / 60,
                n % 60
            )
        })
        .collect();
    let chunks = cut(Kind::Vtt, format!("WEBVTT\n\n{cues}")).unwrap();
    assert!(chunks.len() > 2);
    assert!(
        chunks
            .iter()
            .all(|chunk| chunk.text.starts_with("we go on"))
    );
}

#[test]
fn what_cannot_be_read_is_refused_with_its_line() {
    for (kind, file, place, problem) in [
        (Kind::Vtt, "hello\n", "line 1", "WEBVTT"),
        (Kind::Vtt, "WEBVTTS\n\n", "line 1", "WEBVTT"),
        (Kind::Vtt, "WEBVTT\n\nhello\n", "line 3", "first cue"),
        (
            Kind::Vtt,
            "WEBVTT\n\n00:61.000 --> 01:00.000\nx\n",
            "line 3",
            "times",
        ),
        (
            Kind::Vtt,
            "WEBVTT\n\nid\n00:01.000 --> never\nx\n",
            "line 4",
            "times",
        ),
        (Kind::Srt, "1\n0:0:1 --> 0:0:2\nx\n", "line 2", "times"),
        (Kind::Srt, "hello\n", "", "no cue"),
    ] {
        let error = cut(kind, file).unwrap_err();
        assert_eq!(error.reason, Reason::NotCaptions, "{file}");
        assert_eq!(error.place, place, "{file}");
        assert!(error.problem.contains(problem), "{error}");
        assert!(!error.remedy.is_empty());
    }
    assert_eq!(
        cut(Kind::Vtt, "WEBVTT\n").unwrap_err().reason,
        Reason::Empty
    );
}
