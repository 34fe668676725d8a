//! Processes of the binary: started, asked, killed.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long anything may take before a test fails.
pub const LONG: Duration = Duration::from_secs(120);

pub fn brouhaha() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brouhaha"));
    for name in [
        "BROUHAHA_TOKEN",
        "BROUHAHA_COORDINATOR",
        "BROUHAHA_DATA",
        "BROUHAHA_LOG",
    ] {
        command.env_remove(name);
    }
    command
}

/// Runs it to its end.
pub fn output(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap()
}

/// Runs it to its end, which must be a good one; gives what it printed.
pub fn printed(command: &mut Command) -> String {
    let output = output(command);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?}: {}\n{errors}",
        output.status
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Runs it to its end, which must be a bad one with this code; gives what it complained of.
pub fn complaint(command: &mut Command, code: i32) -> String {
    let output = output(command);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{command:?}\n{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    errors
}

pub fn json(command: &mut Command) -> Value {
    serde_json::from_str(&printed(command)).unwrap()
}

/// Asks again and again until there is an answer.
pub fn wait_for<T>(ask: impl Fn() -> Option<T>) -> T {
    let by = Instant::now() + LONG;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < by, "it does not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A process that does not outlive its test.
pub struct Running(pub Child);

impl Running {
    pub fn start(command: &mut Command) -> Self {
        Self(command.stdin(Stdio::null()).spawn().unwrap())
    }

    /// As `kill -9`.
    pub fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Asks it to stop and waits for its end.
    #[cfg(unix)]
    pub fn stop(&mut self) -> std::process::ExitStatus {
        let pid = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        self.wait()
    }

    pub fn wait(&mut self) -> std::process::ExitStatus {
        let by = Instant::now() + LONG;
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < by, "the process does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A coordinator process.
pub struct Serving {
    pub process: Running,
    pub url: String,
}

impl Serving {
    /// On a free port.
    pub fn start(data_dir: &Path) -> Self {
        Self::on(data_dir, "127.0.0.1:0")
    }

    /// Again after a stop, where it was.
    pub fn again(self, data_dir: &Path) -> Self {
        let listen = self.url.trim_start_matches("http://").to_owned();
        drop(self.process);
        Self::on(data_dir, &listen)
    }

    fn on(data_dir: &Path, listen: &str) -> Self {
        let mut command = brouhaha();
        command
            .args([
                "serve",
                "--listen",
                listen,
                "--lease-seconds",
                "4",
                "--grace-seconds",
                "1",
                "--data-dir",
            ])
            .arg(data_dir)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        lines.read_line(&mut line).unwrap();
        let url = line.trim().trim_start_matches("listening on ").to_owned();
        assert!(url.starts_with("http://127.0.0.1:"), "{line}");
        Self {
            process: Running(child),
            url,
        }
    }

    /// A command that talks to it.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = brouhaha();
        command.args(arguments).args(["--coordinator", &self.url]);
        command
    }

    pub fn worker(&self, name: &str) -> Running {
        Running::start(&mut self.command(&["work", "--slots", "1", "--name", name]))
    }

    /// Makes the tournament of a file.
    pub fn create(&self, file: &Path) -> String {
        let id = printed(self.command(&["tournament", "create"]).arg(file));
        id.trim().to_owned()
    }

    /// How a tournament stands.
    pub fn show(&self, id: &str) -> Value {
        json(&mut self.command(&["tournament", "show", id, "--format", "json"]))
    }

    /// Waits until so many games are stored.
    pub fn wait_for_games(&self, id: &str, games: u64) -> Value {
        let by = Instant::now() + LONG;
        loop {
            let shown = self.show(id);
            if shown["stored_games"].as_u64() >= Some(games) {
                return shown;
            }
            assert!(Instant::now() < by, "{shown}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The games of a tournament in a data directory or at a coordinator, one JSON object each.
pub fn games(command: &mut Command) -> Vec<Value> {
    printed(command)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
