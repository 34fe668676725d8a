//! Bad input: an error that names the thing, the place and the remedy, and the right exit code.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Stdio;

use proto::v1::register_response::Result as Answer;
use proto::v1::worker_service_client::WorkerServiceClient;
use proto::v1::{RefusalReason, RegisterRequest};

use crate::files::Small;
use crate::process::{Running, Serving, brouhaha, complaint, printed};

#[test]
fn a_wrong_tournament_file_is_told_with_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.toml");
    let good = Small::ROUND_ROBIN.text();
    for (from, to, parts) in [
        ("seed = 9", "sede = 9", &["t.toml:4:1", "sede"][..]),
        ("nodes = 40", "nodes = 0", &["t.toml:", "limit.nodes"][..]),
        ("nodes = 40", "nodes = forty", &["t.toml:14:9"][..]),
        (
            "kind = \"round-robin\"",
            "kind = \"swiss-ish\"",
            &["t.toml:11:8", "swiss-ish"][..],
        ),
        ("name = \"p1\"", "name = \"p0\"", &["p0", "twice"][..]),
        (
            "variant = \"chess\"",
            "variant = \"ches\"",
            &["ches", "chess"][..],
        ),
        (
            "Contempt = 9",
            "Contemt = 10",
            &["t.toml", "`p1`", "`Contemt`", "Contempt"][..],
        ),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        std::fs::write(&file, text).unwrap();
        let errors = complaint(
            brouhaha()
                .arg("run")
                .arg(&file)
                .arg("--data-dir")
                .arg(folder.path().join("d")),
            1,
        );
        for part in parts {
            assert!(errors.contains(part), "{to}: {errors}");
        }
    }
    let errors = complaint(brouhaha().args(["run", "/no/such/file.toml"]), 1);
    assert!(errors.contains("/no/such/file.toml"), "{errors}");
}

#[test]
fn usage_errors_have_their_own_code() {
    for arguments in [
        &["run"][..],
        &["nonsense"],
        &["compare", "--base", "x"],
        &["work", "--slots", "0"],
        &["tournament", "show", "x"],
    ] {
        complaint(brouhaha().args(arguments), 2);
    }
    // Every command tells what it does, with an example.
    let help = printed(brouhaha().arg("--help"));
    for command in [
        "run",
        "serve",
        "work",
        "tournament",
        "ratings",
        "compare",
        "analyze",
        "rules",
        "uci",
        "bench",
        "store",
        "completions",
    ] {
        assert!(help.contains(&format!("\n  {command} ")), "{command}");
        let help = printed(brouhaha().args([command, "--help"]));
        assert!(help.contains("Example"), "{command}: {help}");
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(printed(brouhaha().args(["completions", shell])).contains("tournament"));
    }
}

#[test]
fn numbers_that_cannot_be_read_are_told_in_plain_words() {
    let compare = |option: &'static str, value: &'static str| {
        [
            "compare",
            "--base",
            "builtin",
            "--candidate",
            "builtin",
            "--variant",
            "chess",
            "--pairs",
            "3",
            option,
            value,
        ]
    };
    for (arguments, plain) in [
        (compare("--seed", "x"), "a whole number is needed"),
        (
            compare("--seed", "99999999999999999999"),
            "the number is too large",
        ),
        (compare("--alpha", "x"), "a number is needed"),
    ] {
        let errors = complaint(brouhaha().args(arguments), 2);
        let [.., option, value] = arguments;
        assert!(
            errors.contains(plain) && errors.contains(option) && errors.contains(value),
            "{errors}"
        );
    }
    // Help and the version go to standard output as ever.
    assert!(printed(brouhaha().arg("--version")).starts_with("brouhaha "));
}

#[test]
fn a_data_directory_that_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = Small::ROUND_ROBIN.write(folder.path());
    let errors = complaint(
        brouhaha()
            .arg("run")
            .arg(&file)
            .arg("--data-dir")
            .arg(&file),
        1,
    );
    assert!(errors.contains("round-robin.toml"), "{errors}");
    let missing = folder.path().join("missing");
    let errors = complaint(
        brouhaha()
            .args(["tournament", "list", "--data-dir"])
            .arg(&missing),
        1,
    );
    assert!(errors.contains("missing"), "{errors}");
    assert!(!missing.exists());
}

#[test]
fn nobody_there_is_told_with_the_address() {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let url = format!("http://127.0.0.1:{port}");
    let errors = complaint(
        brouhaha().args(["tournament", "list", "--coordinator", &url]),
        1,
    );
    assert!(errors.contains(&url), "{errors}");
    let errors = complaint(
        brouhaha().args(["work", "--give-up-seconds", "1", "--coordinator", &url]),
        1,
    );
    assert!(errors.contains(&url), "{errors}");
    let errors = complaint(brouhaha().args(["work", "--coordinator", "nonsense"]), 1);
    assert!(errors.contains("nonsense"), "{errors}");
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path());
    let errors = complaint(&mut serving.command(&["tournament", "show", "7"]), 1);
    assert!(errors.contains('7'), "{errors}");
}

#[test]
fn workers_without_the_token_or_of_another_protocol_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(&folder.path().join("open"));
    let answer = tokio::runtime::Runtime::new().unwrap().block_on(async {
        let endpoint = tonic::transport::Endpoint::from_shared(serving.url.clone()).unwrap();
        let mut client = WorkerServiceClient::new(endpoint.connect().await.unwrap());
        let request = RegisterRequest {
            protocol_version: proto::PROTOCOL_VERSION + 1,
            name: "later".into(),
            instance: "0123456789abcdef".into(),
            slots: 1,
            ..RegisterRequest::default()
        };
        client.register(request).await.unwrap().into_inner().result
    });
    let Some(Answer::Refused(refusal)) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(refusal.reason(), RefusalReason::ProtocolVersion);
    assert_eq!(refusal.protocol_version, proto::PROTOCOL_VERSION);
    assert!(
        refusal.message.contains("same release"),
        "{}",
        refusal.message
    );

    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let listen = format!("127.0.0.1:{port}");
    let mut serve = brouhaha();
    serve
        .args(["serve", "--listen", &listen, "--data-dir"])
        .arg(folder.path().join("closed"));
    let _closed = Running::start(serve.env("BROUHAHA_TOKEN", "secret"));
    let url = format!("http://{listen}");
    let errors = complaint(brouhaha().args(["work", "--coordinator", &url]), 1);
    assert!(errors.contains("token"), "{errors}");
    let list = || {
        let mut command = brouhaha();
        command.args(["tournament", "list", "--coordinator", &url]);
        command
    };
    let errors = complaint(&mut list(), 1);
    assert!(errors.contains("token"), "{errors}");
    printed(list().env("BROUHAHA_TOKEN", "secret"));
}

#[test]
fn options_of_the_built_in_engine_are_checked_before_anything_starts() {
    let folder = tempfile::tempdir().unwrap();
    let positions = folder.path().join("positions");
    std::fs::write(
        &positions,
        printed(brouhaha().args(["rules", "start", "chess", "0"])),
    )
    .unwrap();
    let mut analyze = brouhaha();
    analyze.args([
        "analyze",
        "--variant",
        "chess",
        "--nodes",
        "10",
        "--with",
        "builtin:Foo=1",
    ]);
    let errors = complaint(analyze.arg(&positions), 1);
    assert!(
        errors.contains("`Foo`") && errors.contains("Contempt"),
        "{errors}"
    );
    let data_dir = folder.path().join("data");
    let mut compare = brouhaha();
    compare.args([
        "compare",
        "--variant",
        "chess",
        "--pairs",
        "1",
        "--base",
        "builtin",
    ]);
    compare.args(["--candidate", "builtin:Hash=0", "--data-dir"]);
    let errors = complaint(compare.arg(&data_dir), 1);
    for part in ["engine `candidate`", "`Hash`", "1 to"] {
        assert!(errors.contains(part), "{errors}");
    }
    assert!(!data_dir.exists());
}

#[test]
fn a_reader_that_has_read_enough_is_no_error() {
    for (arguments, input) in [
        (&["completions", "bash"][..], ""),
        (&["rules", "start", "chess", "0"], ""),
        (&["rules", "batch"], "start\tchess\t0\n"),
        (&["uci"], "uci\nisready\nquit\n"),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = brouhaha()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // It may have ended before it reads anything.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let ended = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(
            (ended.status.code(), &*errors),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn a_data_directory_asked_for_counts_more_than_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let mut list = brouhaha();
    list.env("BROUHAHA_COORDINATOR", "http://127.0.0.1:1")
        .args(["tournament", "list"]);
    let errors = complaint(&mut list, 1);
    assert!(errors.contains("http://127.0.0.1:1"), "{errors}");
    printed(list.arg("--data-dir").arg(folder.path()));
    // Asked for both is asked for something that cannot be.
    complaint(list.args(["--coordinator", "http://127.0.0.1:1"]), 2);
}

#[test]
fn an_empty_token_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["serve", "work", "ratings"] {
        let mut command = brouhaha();
        command
            .arg(name)
            .env("BROUHAHA_TOKEN", "")
            .current_dir(folder.path());
        let errors = complaint(&mut command, 2);
        assert!(errors.contains("the token is empty"), "{name}: {errors}");
    }
}

#[test]
fn addresses_to_listen_on_may_be_names() {
    let folder = tempfile::tempdir().unwrap();
    let mut serve = brouhaha();
    serve.args(["serve", "--listen", "localhost:0", "--data-dir"]);
    serve
        .arg(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut serving = Running(serve.spawn().unwrap());
    let mut line = String::new();
    let mut lines = BufReader::new(serving.0.stdout.take().unwrap());
    lines.read_line(&mut line).unwrap();
    assert!(line.starts_with("listening on http://127.0.0.1:"), "{line}");
    let errors = complaint(brouhaha().args(["serve", "--listen", "7700"]), 2);
    assert!(errors.contains("localhost:7700"), "{errors}");
}
