//! One real process of the suite: found beside the tests, started, waited for, and gone when the value is dropped.

use std::{
    ffi::OsString,
    net::SocketAddr,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use crate::output::Output;

/// How long a process may take until it takes calls. A debug build on a busy machine reads the imported course slowly.
const START_BOUND: Duration = Duration::from_secs(120);
/// How long a process may take to end after it was told to.
const END_BOUND: Duration = Duration::from_secs(30);

/// The built binary of this name, beside the test's own.
pub fn binary(name: &str) -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let path = exe
        .parent()
        .and_then(Path::parent)
        .expect("a test runs in a folder below its profile's")
        .join(name);
    assert!(
        path.is_file(),
        "{} is not there; build it first: cargo build --workspace --bins",
        path.display()
    );
    path
}

/// The repository's root.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// A command without anything of this process's environment but PATH: settings come from the test alone.
pub fn clean_command(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .current_dir(home)
        .stdin(Stdio::null());
    command
}

/// Ends a child of this process (SIGKILL) or stops it (SIGSTOP), and returns when it does nothing more. Nobody may have
/// waited for its end before.
pub fn strike(child: Pid, signal: Signal) {
    kill_process(child, signal).unwrap();
    // The signal was only sent: until it takes effect, the process may do more, and even answer.
    let taken_effect = WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(child), taken_effect).unwrap();
}

/// What to start.
#[derive(Debug, Clone)]
pub struct Program {
    /// The binary's name, and the name in its `listening` line.
    pub name: &'static str,
    /// Where the binary is; `None`: beside the test's own.
    pub folder: Option<PathBuf>,
    /// Arguments.
    pub args: Vec<OsString>,
    /// Its whole environment beside PATH and HOME. A later entry wins.
    pub env: Vec<(String, String)>,
    /// Its home and working directory.
    pub home: PathBuf,
}

/// Where a process takes calls.
#[derive(Debug, Clone, Copy)]
pub struct Listening {
    /// gRPC.
    pub address: SocketAddr,
    /// The calls of the suite's other processes, if they have a listener of their own.
    pub internal: Option<SocketAddr>,
    /// The admin port, if there is one.
    pub admin: Option<SocketAddr>,
}

/// A running process.
pub struct Process {
    name: &'static str,
    child: Child,
    ended: Option<ExitStatus>,
    stdout: Arc<Output>,
    stderr: Arc<Output>,
}

impl Process {
    /// Starts it and does not wait.
    pub fn spawn(program: &Program) -> Self {
        let file = match &program.folder {
            Some(folder) => folder.join(program.name),
            None => binary(program.name),
        };
        let mut child = clean_command(&file, &program.home)
            .args(&program.args)
            .envs(program.env.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = Output::follow(child.stdout.take().unwrap());
        let stderr = Output::follow(child.stderr.take().unwrap());
        Self {
            name: program.name,
            child,
            ended: None,
            stdout,
            stderr,
        }
    }

    /// Waits for the line `listening NAME ADDRESS [internal ADDRESS] [admin ADDRESS]`.
    pub fn listening(&self) -> Listening {
        let read = |line: &str| {
            let rest = line.strip_prefix("listening ")?;
            let words: Vec<_> = rest.strip_prefix(self.name)?.split_whitespace().collect();
            let after = |name: &str| {
                let at = words.iter().position(|word| *word == name)?;
                words.get(at + 1)?.parse().ok()
            };
            Some(Listening {
                address: words.first()?.parse().ok()?,
                internal: after("internal"),
                admin: after("admin"),
            })
        };
        self.stdout.wait_for(START_BOUND, read).unwrap_or_else(|| {
            panic!(
                "{} does not take calls\nstdout:\n{}\nstderr:\n{}",
                self.name,
                self.stdout.all().join("\n"),
                self.stderr.all().join("\n")
            )
        })
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the line in which `turnwise up` tells people where its admin port is.
    pub fn printed_admin(&self) -> SocketAddr {
        let read = |line: &str| {
            let url = line.trim_start().strip_prefix("admin ")?.trim_start();
            let address = url.strip_prefix("http://")?.strip_suffix("/metrics")?;
            address.parse().ok()
        };
        let printed = self.stdout.wait_for(START_BOUND, read);
        printed.unwrap_or_else(|| panic!("no admin port in\n{}", self.stdout.all().join("\n")))
    }

    /// What it writes to standard output.
    pub fn stdout(&self) -> &Output {
        &self.stdout
    }

    /// What it logs.
    pub fn log(&self) -> &Output {
        &self.stderr
    }

    /// Ends it as a crash would: SIGKILL. Returns when it is gone.
    pub fn kill(&mut self) {
        if self.ended.is_none() {
            self.child.kill().unwrap();
            self.ended = Some(self.child.wait().unwrap());
        }
    }

    /// Asks it to end: SIGTERM. Does not wait.
    pub fn terminate(&self) {
        kill_process(self.pid(), Signal::TERM).unwrap();
    }

    /// What ends it (SIGKILL) or stops it (SIGSTOP) from anywhere, and returns when it does nothing more.
    pub fn striker(&self, signal: Signal) -> impl FnOnce() + Send + 'static {
        let pid = self.pid();
        // The process is not waited for before its value is dropped, so the id stands for no other.
        move || strike(pid, signal)
    }

    /// Stops it in the middle of whatever it does (SIGSTOP): its connections stay, and nothing is answered until
    /// [`Self::go_on`].
    pub fn pause(&self) {
        self.striker(Signal::STOP)();
    }

    /// Lets a paused process go on (SIGCONT).
    pub fn go_on(&self) {
        kill_process(self.pid(), Signal::CONT).unwrap();
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Waits until it has ended by itself.
    pub fn exit_status(&mut self) -> ExitStatus {
        if let Some(status) = self.ended {
            return status;
        }
        assert!(
            self.stderr.wait_for_end(END_BOUND),
            "{} does not end; its log:\n{}",
            self.name,
            self.stderr.all().join("\n")
        );
        let status = self.child.wait().unwrap();
        self.ended = Some(status);
        status
    }

    /// Asks it to end, and insists on an orderly end.
    pub fn stop(&mut self) {
        self.terminate();
        let status = self.exit_status();
        assert!(
            status.success(),
            "{} ended with {status} (signal {:?}); its log:\n{}",
            self.name,
            status.signal(),
            self.stderr.all().join("\n")
        );
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.ended.is_none() {
            // Both fail only if it is gone already.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
