//! `turnwise extract-pdf`: PDFs that are whole, and PDFs that are hostile, read by the real child process.

mod maker;

use std::{fs, os::unix::fs::PermissionsExt, path::Path, time::Duration};

use turnwise_extract::{ExtractError, Extracted, Kind, Reason, extract, pdf::Reader};

use maker::Pdf;
pub(crate) use maker::two_pages;

fn reader() -> Reader {
    Reader::new(Path::new(env!("CARGO_BIN_EXE_turnwise")))
}

async fn read(pdf: Vec<u8>) -> Result<Extracted, ExtractError> {
    extract("lesson.pdf", Kind::Pdf, pdf, &reader()).await
}

async fn refusal(pdf: Vec<u8>) -> ExtractError {
    let error = read(pdf).await.unwrap_err();
    assert_eq!(error.file, "lesson.pdf");
    assert!(!error.problem.is_empty() && !error.remedy.is_empty());
    error
}

#[tokio::test]
async fn two_pages_become_chunks_by_heading_with_their_pages() {
    let found = read(two_pages()).await.unwrap();
    assert_eq!(found.unreadable_pages, [0; 0]);
    let told: Vec<_> = found
        .chunks
        .iter()
        .map(|c| (c.section.as_str(), c.page, c.text.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (
                "Adding fractions",
                1,
                "Two fractions with one denominator are added by their numerators. A common denominator makes other fractions alike.\n\nFirst find a multiple of both.",
            ),
            (
                "Dividing fractions",
                2,
                "Turn the second fraction over, then multiply.",
            ),
        ]
    );
    assert!(found.chunks[0].id.starts_with("p1-"), "{:?}", found.chunks);
    assert_eq!(read(two_pages()).await.unwrap(), found);
}

#[tokio::test]
async fn running_heads_and_page_numbers_are_no_text() {
    let mut pdf = Pdf::default();
    for page in 1..=4 {
        pdf.page(&format!(
            "BT /F1 9 Tf 72 780 Td (Algebra, page {page}) Tj ET BT /F1 11 Tf 72 700 Td (Text number {page} of the book.) Tj ET BT /F1 9 Tf 300 30 Td ({page}) Tj ET"
        ));
    }
    let found = read(pdf.build()).await.unwrap();
    let text: Vec<&str> = found.chunks.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(
        text,
        [
            "Text number 1 of the book. Text number 2 of the book. Text number 3 of the book. Text number 4 of the book."
        ]
    );
}

#[tokio::test]
async fn a_page_that_makes_the_reader_panic_is_named_and_the_others_are_read() {
    let mut pdf = Pdf::default();
    pdf.page("BT /F1 11 Tf 72 700 Td (The first page.) Tj ET");
    pdf.page("BT (no font) 11 Tf 72 700 Td (The second page.) Tj ET");
    pdf.page("BT /F1 11 Tf 72 700 Td (The third page.) Tj ET");
    let found = read(pdf.build()).await.unwrap();
    assert_eq!(found.unreadable_pages, [2]);
    let text: Vec<&str> = found.chunks.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(text, ["The first page. The third page."]);
}

#[tokio::test]
async fn what_is_no_pdf_is_refused() {
    for bytes in [
        &b""[..],
        b"<html>not a PDF</html>",
        b"%PDF-1.7\n",
        b"%PDF-1.7\n\0\xff\xfe trailer << /Root 1 0 R >>",
    ] {
        assert_eq!(refusal(bytes.to_vec()).await.reason, Reason::NotAPdf);
    }
    let whole = two_pages();
    let mut half = whole.clone();
    half.truncate(whole.len() / 2);
    assert_eq!(refusal(half).await.reason, Reason::NotAPdf);
}

#[tokio::test]
async fn a_pdf_without_text_is_empty_and_says_that_it_may_be_a_scan() {
    let mut pdf = Pdf::default();
    pdf.page("0 0 100 100 re f");
    let error = refusal(pdf.build()).await;
    assert_eq!(error.reason, Reason::Empty);
    assert!(error.remedy.contains("OCR"), "{error}");
}

#[tokio::test]
async fn an_encrypted_pdf_is_refused() {
    let mut pdf = Pdf::default();
    pdf.page("BT /F1 11 Tf 72 700 Td (A secret.) Tj ET");
    pdf.encrypted = true;
    assert_eq!(refusal(pdf.build()).await.reason, Reason::Encrypted);
}

#[tokio::test]
async fn a_stream_that_unpacks_to_more_than_the_memory_is_refused() {
    let mut pdf = Pdf::default();
    pdf.page_of_stream("/Filter /FlateDecode", &maker::zeros(1_000_000_000));
    assert_eq!(refusal(pdf.build()).await.reason, Reason::TooLarge);
}

#[tokio::test]
async fn trees_that_lead_back_to_themselves_end() {
    let mut loops = Pdf::default();
    loops.page("BT /F1 11 Tf 72 700 Td (Nobody gets here.) Tj ET");
    loops.kids = Some("2 0 R 2 0 R");
    assert_eq!(refusal(loops.build()).await.reason, Reason::NotAPdf);

    // Without its own, a page's size is that of its parent, and so on up.
    let mut parents = Pdf::default();
    parents.page("BT /F1 11 Tf 72 700 Td (Nobody gets here.) Tj ET");
    parents.media_box = "";
    parents.pages_parent = "/Parent 2 0 R";
    let error = refusal(parents.build()).await;
    assert_eq!((error.reason, error.place.as_str()), (Reason::Crashed, ""));
}

#[tokio::test]
async fn deep_nesting_does_no_harm() {
    let deep = "[".repeat(1_000_000);
    let mut content = Pdf::default();
    content.page("BT /F1 11 Tf 72 700 Td (The first page.) Tj ET");
    content.page(&format!("{deep} TJ"));
    match read(content.build()).await {
        Ok(found) => assert_eq!(found.chunks[0].text, "The first page."),
        Err(error) => assert_eq!(error.reason, Reason::Crashed),
    }
    let mut object = Pdf::default();
    object.page("BT /F1 11 Tf 72 700 Td (A page.) Tj ET");
    object.extra = format!("/Deep {deep}");
    assert!(matches!(
        read(object.build()).await.map_err(|error| error.reason),
        Ok(_) | Err(Reason::NotAPdf | Reason::Crashed)
    ));
}

#[tokio::test]
async fn the_number_of_pages_is_bounded() {
    let mut pdf = Pdf::default();
    for _ in 0..2_001 {
        pdf.page("");
    }
    let error = refusal(pdf.build()).await;
    assert_eq!(error.reason, Reason::TooLarge);
    assert!(error.problem.contains("2000 pages"), "{error}");
}

/// A program in the child's place.
fn stand_in(dir: &Path, script: &str) -> Reader {
    let path = dir.join("child");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    Reader::new(&path)
}

async fn refusal_of(reader: Reader) -> Reason {
    let read = extract("lesson.pdf", Kind::Pdf, two_pages(), &reader).await;
    read.unwrap_err().reason
}

#[tokio::test]
async fn a_child_that_does_not_end_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let told = dir.path().join("pid");
    let reader = stand_in(
        dir.path(),
        &format!("echo $$ > {}\nexec /bin/sleep 600", told.display()),
    );
    let reason = refusal_of(reader.within(Duration::from_secs(10))).await;
    assert_eq!(reason, Reason::Timeout);
    let pid = fs::read_to_string(&told).unwrap();
    assert!(!Path::new("/proc").join(pid.trim()).exists());
}

#[tokio::test]
async fn a_child_that_never_stops_talking_is_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    let reason = refusal_of(stand_in(dir.path(), "exec /usr/bin/yes")).await;
    assert_eq!(reason, Reason::TooLarge);
    let loud = "i=0; while [ $i -lt 20000 ]; do echo complaint >&2; i=$((i+1)); done; exit 3";
    let reason = refusal_of(stand_in(dir.path(), loud)).await;
    assert_eq!(reason, Reason::Crashed);
}

#[tokio::test]
async fn a_child_that_talks_nonsense_or_is_not_there_is_a_crash() {
    let dir = tempfile::tempdir().unwrap();
    for script in ["echo '{\"page\":'", "echo '\"done\"'; exit 1", "exit 0"] {
        assert_eq!(
            refusal_of(stand_in(dir.path(), script)).await,
            Reason::Crashed
        );
    }
    let nowhere = Reader::new(&dir.path().join("nowhere"));
    assert_eq!(refusal_of(nowhere).await, Reason::Crashed);
}

#[tokio::test]
async fn a_pdf_over_the_bound_starts_no_child() {
    let mut large = two_pages();
    large.resize(50_000_001, b' ');
    let nowhere = Reader::new(Path::new("/nowhere"));
    let error = extract("lesson.pdf", Kind::Pdf, large, &nowhere)
        .await
        .unwrap_err();
    assert_eq!(error.reason, Reason::TooLarge);
}
