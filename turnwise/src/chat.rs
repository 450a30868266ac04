//! `turnwise chat`: a conversation in the terminal.

use std::{io::Write, process::ExitCode};

use anyhow::Result;
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};
use turnwise_proto::tutor::v1::{Button, StudentInput, TakeTurnRequest};

use crate::{
    client::{ConnectArgs, Student},
    render,
};

/// Arguments of `turnwise chat`.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct ChatArgs {
    /// Who speaks, about what, and where to.
    #[command(flatten)]
    pub connect: ConnectArgs,
    /// The thread to go on with; a new one without it
    #[arg(long)]
    pub thread: Option<String>,
}

/// What the student typed.
enum Typed {
    Text(String),
    Latex(String),
    Press(Button),
    Quit,
    Nothing,
}

/// Talks until the input ends.
pub async fn run(args: ChatArgs) -> Result<ExitCode> {
    let mut student = Student::connect(args.connect)?;
    let thread_id = match args.thread {
        Some(thread) => thread,
        None => match student.create_thread().await {
            Ok(thread) => thread,
            Err(fault) => {
                eprintln!("refused: {fault}");
                return Ok(ExitCode::FAILURE);
            }
        },
    };
    println!("thread {thread_id}");
    println!("Type a message, `$ …` for LaTeX, a number for a button, or /quit.");
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut buttons: Vec<Button> = Vec::new();
    loop {
        let typed = match read(&mut lines).await? {
            Some(line) => understand(&line, &buttons),
            None => Typed::Quit,
        };
        let mut turn = TakeTurnRequest {
            thread_id: thread_id.clone(),
            ..TakeTurnRequest::default()
        };
        match typed {
            Typed::Quit => {
                println!();
                return Ok(ExitCode::SUCCESS);
            }
            Typed::Nothing => continue,
            Typed::Text(text) => {
                turn.input = Some(StudentInput {
                    text,
                    ..StudentInput::default()
                });
            }
            Typed::Latex(latex) => {
                turn.input = Some(StudentInput {
                    latex,
                    ..StudentInput::default()
                });
            }
            Typed::Press(button) => turn.event = button.event,
        }
        match student.take_turn(turn).await {
            Ok(answer) => {
                print!("{}", render::answer(&answer));
                buttons = answer
                    .messages
                    .last()
                    .map(|message| message.buttons.clone())
                    .unwrap_or_default();
            }
            Err(fault) => println!("  refused: {fault}"),
        }
    }
}

async fn read(lines: &mut Lines<BufReader<Stdin>>) -> Result<Option<String>> {
    print!("\n   you  ");
    std::io::stdout().flush()?;
    Ok(lines.next_line().await?)
}

fn understand(line: &str, buttons: &[Button]) -> Typed {
    let line = line.trim();
    if line.is_empty() {
        return Typed::Nothing;
    }
    if matches!(line, "/quit" | "/q" | "/exit") {
        return Typed::Quit;
    }
    if let Some(latex) = line.strip_prefix("$ ") {
        return Typed::Latex(latex.trim().to_owned());
    }
    // A bare number is a button while there is one with it; otherwise it is an answer.
    line.parse::<usize>()
        .ok()
        .and_then(|n| buttons.get(n.checked_sub(1)?))
        .map_or_else(
            || Typed::Text(line.to_owned()),
            |button| Typed::Press(button.clone()),
        )
}
