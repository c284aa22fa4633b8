//! `extra/packaging/fetch` with a `curl` and a `gh` of ours: what was verified is what it says, and what
//! has no attestation is not taken. Nothing is downloaded.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// Fetches into a new folder; `gh` is the body of the program of that name, if there is one.
fn fetched(name: &str, home: &str, gh: Option<&str>) -> (Output, bool) {
    let folder = std::env::temp_dir().join(format!("taintsim-fetch-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).expect("a folder");
    let program = |name: &str, body: &str| {
        let path = bin.join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("it is ours");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    };
    // The file behind `-o`, and the address, which is last.
    program(
        "curl",
        r#"while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done
case $1 in
*SHA256SUMS) (cd "$(dirname "$out")" && sha256sum taintsim-*) >"$out" ;;
*) d=$(mktemp -d); n=$(basename "$1" .tar.gz); mkdir "$d/$n"; echo program >"$d/$n/taintsim"; tar -czf "$out" -C "$d" "$n"; rm -r "$d" ;;
esac"#,
    );
    if let Some(body) = gh {
        program("gh", body);
    }
    // Whatever `gh` the machine has is none of ours.
    let tools = [
        "sh",
        "uname",
        "sed",
        "head",
        "git",
        "mkdir",
        "dirname",
        "basename",
        "mktemp",
        "grep",
        "sha256sum",
        "tar",
        "gzip",
        "rm",
        "mv",
        "cat",
    ];
    for tool in tools {
        let found = ["/usr/bin", "/bin"].map(|d| Path::new(d).join(tool));
        let found = found.iter().find(|p| p.exists()).expect("it is everywhere");
        std::os::unix::fs::symlink(found, bin.join(tool)).expect("a link");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("extra/packaging/fetch");
    let output = Command::new("/bin/sh")
        .arg(script)
        .args([folder.join("program").as_os_str(), "v0.1.0".as_ref()])
        .env_clear()
        .env("PATH", &bin)
        .env("TAINTSIM_HOME_URL", home)
        .output()
        .expect("it starts");
    let is_there = folder.join("program/taintsim").exists();
    fs::remove_dir_all(&folder).expect("it is ours");
    (output, is_there)
}

#[test]
fn what_was_verified_is_said_and_what_is_not_attested_is_not_taken() {
    let home = "https://github.com/some/taintsim";
    let attested = r#"case "$1 $2 $3" in "attestation verify --help" | "auth status "*) ;; "attestation verify "*) [ "$4 $5" = "--repo some/taintsim" ] ;; *) exit 1 ;; esac"#;
    let refused = r#"case "$1 $2 $3" in "attestation verify --help" | "auth status "*) ;; *) echo "no attestations found"; exit 1 ;; esac"#;
    let cases = [
        ("none", home, None, Some("NOT verified: gh, GitHub's command line, is not here")),
        ("old", home, Some("exit 1"), Some("NOT verified: this gh knows no attestations")),
        ("out", home, Some(r#"[ "$1" != auth ]"#), Some("NOT verified: gh is not logged in")),
        (
            "else",
            "https://example.com/a",
            Some(attested),
            Some("NOT verified: releases are attested on github.com"),
        ),
        ("good", home, Some(attested), Some("built by the release workflow of some/taintsim")),
        ("bad", home, Some(refused), None),
    ];
    for (name, home, gh, said) in cases {
        let (output, is_there) = fetched(name, home, gh);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(is_there, said.is_some(), "{name}: {error}");
        assert_eq!(output.status.success(), said.is_some(), "{name}: {error}");
        assert!(error.contains(said.unwrap_or("it is not taken")), "{name}: {error}");
    }
}
