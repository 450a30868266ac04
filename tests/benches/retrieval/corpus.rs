//! Generated courses, uploads and questions: the same for the same numbers.

use turnwise_course_pack::{Chunk, ChunkType, Course, Pack, Unit};
use turnwise_retrieval_index::{SourceHead, UploadedChunk};
use turnwise_testing::choices::Choices;

/// The course whose chunks are uploaded.
pub const LARGE: &str = "large";
/// The course whose chunks stand in its pack.
pub const MAPPED: &str = "mapped";
/// Chunks of a unit.
pub const CHUNKS_IN_UNIT: usize = 50;
/// Units of one uploaded source.
pub const UNITS_IN_SOURCE: usize = 100;
/// Words of a chunk, with repetitions.
const WORDS: usize = 90;
/// How many different words there are.
const VOCABULARY: f64 = 60_000.0;
/// Words that a unit has for its own.
const OWN_WORDS: usize = 200;

/// A unit's id.
pub fn unit_id(unit: usize) -> String {
    format!("u{unit:05}")
}

/// Four to ten letters.
fn spell(number: usize) -> String {
    let mut choices = Choices::new(number as u64);
    let letters = 4 + choices.below(7);
    let letter =
        |choices: &mut Choices| char::from(b'a' + u8::try_from(choices.below(26)).unwrap());
    (0..letters).map(|_| letter(&mut choices)).collect()
}

/// A word; low numbers are common ones. A third of a unit's words are its own.
fn word(choices: &mut Choices, unit: usize) -> String {
    if choices.below(3) == 0 {
        let own = choices.below(OWN_WORDS);
        return spell((unit * 7919 + own * own) % VOCABULARY as usize);
    }
    // As frequent as in texts: about one over the rank.
    spell(VOCABULARY.powf(choices.share()) as usize)
}

fn text(choices: &mut Choices, unit: usize, words: usize) -> String {
    let words: Vec<String> = (0..words).map(|_| word(choices, unit)).collect();
    words.join(" ")
}

/// A question about a unit.
pub fn question(choices: &mut Choices, unit: usize) -> String {
    let words = 6 + choices.below(7);
    text(choices, unit, words)
}

/// A course of so many units; `filled` with chunks.
pub fn pack(id: &str, units: usize, filled: bool) -> Pack {
    let mut pack = Pack {
        hash: format!("{id}-{units}"),
        course: Course {
            id: id.to_owned(),
            title: "Generated".to_owned(),
            locale: "en".to_owned(),
            entry_unit: unit_id(0),
            ..Course::default()
        },
        ..Pack::default()
    };
    for unit in 0..units {
        let mut choices = Choices::of_round(1, unit as u64);
        pack.units.push(Unit {
            id: unit_id(unit),
            title: text(&mut choices, unit, 3),
            summary: text(&mut choices, unit, 12),
            tags: vec![text(&mut choices, unit, 2)],
            anchors: vec![text(&mut choices, unit, 6)],
            misconceptions: vec![text(&mut choices, unit, 8).into()],
            ..Unit::default()
        });
        for place in 0..if filled { CHUNKS_IN_UNIT } else { 1 } {
            pack.chunks.push(Chunk {
                id: format!("{}-{place}", unit_id(unit)),
                unit: unit_id(unit),
                chunk_type: ChunkType::Text,
                section_kind: "explanation".to_owned(),
                source: unit_id(unit),
                section: String::new(),
                url: String::new(),
                text: text(&mut choices, unit, WORDS),
            });
        }
    }
    pack
}

/// The upload of so many units from this one on.
pub fn source(first_unit: usize, units: usize) -> (SourceHead, Vec<UploadedChunk>) {
    let chunks: Vec<UploadedChunk> = (first_unit..first_unit + units)
        .flat_map(|unit| (0..CHUNKS_IN_UNIT).map(move |place| chunk(unit, place)))
        .collect();
    let head = SourceHead {
        revision: "r1".into(),
        title: "Generated".into(),
        chunk_type: "text".into(),
        chunks: u32::try_from(chunks.len()).unwrap(),
    };
    (head, chunks)
}

fn chunk(unit: usize, place: usize) -> UploadedChunk {
    let number = unit * CHUNKS_IN_UNIT + place;
    let mut choices = Choices::of_round(2, number as u64);
    UploadedChunk {
        id: format!("{}-{place}", unit_id(unit)).into(),
        unit: unit_id(unit).into(),
        section: text(&mut choices, unit, 3).into(),
        section_kind: "explanation".into(),
        url: format!("https://example.org/{}#{place}", unit_id(unit)).into(),
        page: 0,
        start_ms: None,
        text: text(&mut choices, unit, WORDS).into(),
    }
}
