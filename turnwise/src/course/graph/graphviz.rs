//! Graphviz's program `dot`, which makes a picture of DOT: bounded in time, and heard if it complains.

use std::io::ErrorKind;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

/// The most lines of what the program says that are shown.
const MOST_LINES: usize = 20;

/// A picture, and what the program said while it drew.
pub(super) struct Picture {
    /// The picture.
    pub(super) svg: Vec<u8>,
    /// What it said, in short.
    pub(super) said: String,
}

/// Draws DOT as SVG.
///
/// # Errors
/// There is no such program, it fails, or it takes longer than `limit`; the message says what to do.
pub(super) fn svg(source: &str, limit: Duration) -> anyhow::Result<Picture> {
    // Commands run inside a runtime, and another one can be waited for only on a thread of its own.
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .context("a runtime for Graphviz does not start")?
                    .block_on(draw(source, limit))
            })
            .join()
            .map_err(|_| anyhow!("the thread that waits for Graphviz ended early"))?
    })
}

async fn draw(source: &str, limit: Duration) -> anyhow::Result<Picture> {
    let mut child = Command::new("dot")
        .arg("-Tsvg")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => anyhow!(
                "SVG is drawn by Graphviz's program `dot`, which is not here: install the Debian package graphviz, or \
                 take the DOT with --format dot"
            ),
            _ => anyhow!("Graphviz's program `dot` does not start: {error}"),
        })?;
    let (Some(mut stdin), Some(mut stdout), Some(mut stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        bail!("Graphviz's program `dot` has no standard streams");
    };
    let (mut svg, mut said) = (Vec::new(), Vec::new());
    // All four at once: whoever waits for one of them alone may wait for ever.
    let end = tokio::time::timeout(limit, async {
        tokio::join!(
            async move {
                // It is closed at the block's end. That it cannot be written is told by the program's own end.
                let _ = stdin.write_all(source.as_bytes()).await;
            },
            stdout.read_to_end(&mut svg),
            stderr.read_to_end(&mut said),
            child.wait(),
        )
    })
    .await;
    let said = in_short(&said);
    let Ok(((), drawn, heard, status)) = end else {
        // Killed and waited for, so that nothing is left behind.
        let _ = child.kill().await;
        bail!(
            "Graphviz did not finish within {} s; allow it more with --timeout, draw a part with --unit, or take the \
             DOT with --format dot{}",
            limit.as_secs(),
            quoted(&said)
        );
    };
    drawn.and(heard).context("Graphviz cannot be listened to")?;
    let status = status.context("Graphviz cannot be waited for")?;
    if !status.success() {
        bail!("Graphviz failed, {}{}", describe(status), quoted(&said));
    }
    if !svg.trim_ascii_end().ends_with(b"</svg>") {
        bail!(
            "Graphviz gave no whole picture; see whether `dot -V` is Graphviz's{}",
            quoted(&said)
        );
    }
    Ok(Picture { svg, said })
}

fn describe(status: ExitStatus) -> String {
    status.code().map_or_else(
        || "ended by a signal".to_owned(),
        |code| format!("exit code {code}"),
    )
}

/// The first lines of what the program said.
fn in_short(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    let mut lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
    if text.lines().nth(MOST_LINES).is_some() {
        lines.push("…");
    }
    lines.join("\n")
}

/// What the program said, to stand below a message.
fn quoted(said: &str) -> String {
    if said.is_empty() {
        return String::new();
    }
    format!("; it said:\n{said}")
}
