//! Where one command or reply of Redis ends and the next begins.

/// The length of the first whole frame of these bytes: a command, a reply or a push; `None` while it is not there yet.
pub fn first_frame(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut frames: usize = 1;
    while frames > 0 {
        let line_end = at + bytes.get(at..)?.windows(2).position(|w| w == b"\r\n")?;
        let (kind, rest) = (bytes[at], &bytes[at + 1..line_end]);
        at = line_end + 2;
        frames -= 1;
        // -1 stands for no value.
        let count = || std::str::from_utf8(rest).unwrap().parse::<i64>().unwrap();
        let items = || usize::try_from(count()).unwrap_or(0);
        match kind {
            b'$' | b'!' | b'=' => at += usize::try_from(count()).map_or(0, |length| length + 2),
            b'*' | b'~' | b'>' => frames += items(),
            b'%' => frames += 2 * items(),
            _ => {}
        }
    }
    (at <= bytes.len()).then_some(at)
}

/// Whether a frame is no answer to a command.
pub fn is_push(frame: &[u8]) -> bool {
    frame.first() == Some(&b'>')
}
