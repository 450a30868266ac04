//! Small PDFs, written by hand.

use std::fmt::Write as _;

/// A PDF in the making: catalog 1, page tree 2, font 3, then two objects a page.
pub(crate) struct Pdf {
    pages: Vec<(String, Vec<u8>)>,
    /// The page tree's kids, instead of the pages.
    pub(super) kids: Option<&'static str>,
    /// The size of each page.
    pub(super) media_box: &'static str,
    /// What the page tree says of a parent.
    pub(super) pages_parent: &'static str,
    /// What else stands in the catalog.
    pub(super) extra: String,
    /// Whether it says that it needs a password.
    pub(super) encrypted: bool,
}

impl Default for Pdf {
    fn default() -> Self {
        Self {
            pages: Vec::new(),
            kids: None,
            media_box: "/MediaBox [0 0 612 792]",
            pages_parent: "",
            extra: String::new(),
            encrypted: false,
        }
    }
}

impl Pdf {
    /// Adds a page that draws this.
    pub(crate) fn page(&mut self, content: &str) {
        self.page_of_stream("", content.as_bytes());
    }

    /// Adds a page whose content is packed.
    pub(super) fn page_of_stream(&mut self, filter: &str, content: &[u8]) {
        self.pages.push((filter.to_owned(), content.to_vec()));
    }

    /// The file.
    pub(crate) fn build(&self) -> Vec<u8> {
        let first = 4;
        let kids = self.kids.map_or_else(
            || {
                (0..self.pages.len()).fold(String::new(), |mut kids, page| {
                    write!(kids, "{} 0 R ", first + page * 2).unwrap();
                    kids
                })
            },
            str::to_owned,
        );
        let mut objects: Vec<Vec<u8>> = vec![
            format!("<< /Type /Catalog /Pages 2 0 R {} >>", self.extra).into(),
            format!(
                "<< /Type /Pages /Count {} /Kids [{kids}] {} >>",
                self.pages.len(),
                self.pages_parent
            )
            .into(),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
                .into(),
        ];
        for (place, (filter, content)) in self.pages.iter().enumerate() {
            objects.push(
                format!(
                    "<< /Type /Page /Parent 2 0 R {} /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
                    self.media_box,
                    first + place * 2 + 1
                )
                .into(),
            );
            let mut stream =
                format!("<< {filter} /Length {} >>\nstream\n", content.len()).into_bytes();
            stream.extend_from_slice(content);
            stream.extend_from_slice(b"\nendstream");
            objects.push(stream);
        }
        let mut trailer = format!("/Size {} /Root 1 0 R", objects.len() + 1);
        if self.encrypted {
            let hash = "5a".repeat(32);
            objects.push(
                format!(
                    "<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <{hash}> /U <{hash}> >>"
                )
                .into(),
            );
            trailer = format!(
                "/Size {0} /Root 1 0 R /Encrypt {1} 0 R /ID [<00112233> <00112233>]",
                objects.len() + 1,
                objects.len()
            );
        }
        let mut file = b"%PDF-1.7\n".to_vec();
        let mut offsets = Vec::new();
        for (number, object) in objects.iter().enumerate() {
            offsets.push(file.len());
            file.extend_from_slice(format!("{} 0 obj\n", number + 1).as_bytes());
            file.extend_from_slice(object);
            file.extend_from_slice(b"\nendobj\n");
        }
        let xref = file.len();
        let mut end = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
        for offset in offsets {
            writeln!(end, "{offset:010} 00000 n ").unwrap();
        }
        writeln!(end, "trailer << {trailer} >>\nstartxref\n{xref}\n%%EOF").unwrap();
        file.extend_from_slice(end.as_bytes());
        file
    }
}

/// A PDF of two pages with a heading each; a word of the first is parted at the end of its line.
pub(crate) fn two_pages() -> Vec<u8> {
    let mut pdf = Pdf::default();
    pdf.page(
        "BT /F1 18 Tf 72 720 Td (Adding fractions) Tj ET
         BT /F1 11 Tf 72 690 Td (Two fractions with one denominator are added by their numera-) Tj
         0 -14 Td (tors. A common denominator makes) Tj 0 -14 Td (other fractions alike.) Tj ET
         BT /F1 11 Tf 72 620 Td (First find a multiple of both.) Tj ET
         BT /F1 11 Tf 300 30 Td (1) Tj ET",
    );
    pdf.page(
        "BT /F1 18 Tf 72 720 Td (Dividing fractions) Tj ET
         BT /F1 11 Tf 72 690 Td [(Turn the sec) 20 (ond frac) (tion over, then)] TJ
         0 -14 Td (multiply.) Tj ET
         BT /F1 11 Tf 300 30 Td (2) Tj ET",
    );
    pdf.build()
}

/// A zlib stream of so many zeros: one literal, then the longest match of it over and over (RFC 1951, 3.2.6).
pub(super) fn zeros(count: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    // The last block, with the fixed codes.
    bits.push("110");
    bits.push("00110000");
    for _ in 0..count / 258 {
        // Length 258, distance 1.
        bits.push("1100010100000");
    }
    bits.push("0000000");
    let mut stream = vec![0x78, 0x9c];
    stream.extend(bits.finish());
    stream
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: u8,
}

impl Bits {
    /// Codes go in from their highest bit on, bytes fill from their lowest.
    fn push(&mut self, code: &str) {
        for bit in code.bytes() {
            if self.used == 0 {
                self.bytes.push(0);
            }
            *self.bytes.last_mut().unwrap() |= (bit - b'0') << self.used;
            self.used = (self.used + 1) % 8;
        }
    }

    fn finish(self) -> Vec<u8> {
        self.bytes
    }
}
