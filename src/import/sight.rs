//! What a text is at first sight: an export, or something else that a person may have given for one.
//!
//! What kubectl prints for people (tables, `describe`, `-o name`, its messages), what an API server
//! answers instead of objects, and what a proxy answers instead of an API server are refused with
//! the command to use.

use super::error::KUBECTL;
use super::yaml;
use crate::api::spelling::shortened;
use crate::files;
use crate::import::prelude::*;

/// The beginnings of what kubectl and its plugins write to standard error.
const MESSAGES: [&str; 7] = [
    "error:",
    "Error from server",
    "Error in configuration",
    "Unable to connect",
    "The connection to the server",
    "Unable to use a TTY",
    "Please enter ",
];

/// How long what a text begins with may be, where it is asked whether that is an answer instead of objects.
const ANSWER_BYTES: usize = 1 << 16;

/// How many lines at the end of a text are looked at.
const LAST_LINES: usize = 5;

/// Whether a file is called as an export is, and holds something that does not begin as a scenario.
pub(crate) fn is_meant_as_export(name: &str, bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 12)]);
    name.ends_with(".json") && first_line(&head).is_some_and(|line| !is_scenario(line))
}

/// Whether bytes look like an export, or like something that stands where one was meant, and not
/// like a text of the scenario language: gzip, JSON, a line of YAML, or what kubectl prints
/// for people.
pub(crate) fn is_export(bytes: &[u8]) -> bool {
    if files::is_gzip(bytes) {
        return true;
    }
    let head = files::text_anyway(&bytes[..bytes.len().min(1 << 12)]);
    let head = head.as_str();
    let Some(line) = first_line(head) else { return false };
    // A list in the scenario language holds what begins with a parenthesis.
    let is_json = |l: &str| {
        let inside = l.strip_prefix('[').map(str::trim_start);
        l.starts_with('{') || inside.is_some_and(|rest| !rest.starts_with('('))
    };
    // `kind: List`, `- kind: Node`
    let is_yaml = |l: &str| {
        let l = l.strip_prefix("- ").unwrap_or(l);
        let key = l.split_once(':').filter(|(_, rest)| rest.is_empty() || rest.starts_with(' '));
        key.is_some_and(|(key, _)| {
            ["apiVersion", "kind", "items", "metadata"].contains(&key.trim_matches('"'))
        })
    };
    is_json(line) || is_yaml(line) || other_output(line, head).is_some_and(|o| o.is_known)
}

/// Why a text holds no objects that could be read.
pub(super) fn refuse(file: &str, text: &str) -> Option<ImportError> {
    let Some(line) = first_line(text) else {
        return Some(ImportError::Wrong(format!("{file} is empty; write `{KUBECTL}` into it")));
    };
    let what = match other_output(line, text) {
        Some(other) => other.what,
        None => answer(text).or_else(|| message_at_the_end(text))?,
    };
    Some(ImportError::other_output(file, &what))
}

/// The first line that says anything.
fn first_line(text: &str) -> Option<&str> {
    let says_nothing = |l: &&str| {
        l.is_empty() || l.starts_with('#') || *l == "---" || *l == "..." || l.starts_with('%')
    };
    text.lines().map(str::trim).find(|l| !says_nothing(l))
}

/// Something that is no export.
struct Other {
    /// What it is, as the predicate of a sentence about the file.
    what: String,
    /// It is something that kubectl or a server printed, and not just any text.
    is_known: bool,
}

/// Whether a text begins as a scenario does.
pub(crate) fn is_scenario(text: &str) -> bool {
    ["Scenario", "(", "//", "/*"].iter().any(|with| text.starts_with(with))
}

fn known(what: impl Into<String>) -> Option<Other> {
    Some(Other { what: what.into(), is_known: true })
}

fn other_output(line: &str, text: &str) -> Option<Other> {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_heading = |w: &str| {
        w.len() > 1 && w.bytes().all(|b| b.is_ascii_uppercase() || matches!(b, b'-' | b'(' | b')'))
    };
    let shown = shortened(line, 160);
    if is_heading(first) && words.next().is_some_and(is_heading) {
        known("is the table that kubectl prints for people, with only a part of each object")
    } else if line.starts_with("Name:")
        && text.lines().any(|l| l.starts_with("Labels:") || l.starts_with("Annotations:"))
    {
        known("is what `kubectl describe` prints for people")
    } else if line.starts_with("No resources found") {
        known("says that kubectl found no resources")
    } else if is_message(line) {
        let more = text.lines().any(|l| l.starts_with(['{', '[']) || l.starts_with("apiVersion:"));
        known(match more {
            true => format!(
                "begins with an error message of kubectl ({shown}), so that the objects behind it may not be all; mend that, and keep standard error out of the file (`2>/dev/null`)"
            ),
            false => format!("holds an error message of kubectl ({shown})"),
        })
    } else if line.starts_with("Warning:") || is_klog(line) {
        known(format!(
            "begins with a warning of kubectl ({shown}); keep standard error out of the file (`2>/dev/null`)"
        ))
    } else if line.starts_with('<') {
        known(
            "is a page of HTML or XML, as a proxy or a login page answers instead of the API server",
        )
    } else if is_scenario(line) {
        Some(Other { what: "is a scenario already, not an export".to_owned(), is_known: false })
    } else if !line.contains([' ', ':', '{', '[', '"', '('])
        && line.split('/').filter(|w| !w.is_empty()).count() == 2
    {
        known("is a list of names (`-o name`), without the objects")
    } else if line.starts_with(['{', '[', '-', '&', '!', '"', '\'', '?'])
        || line.contains(": ")
        || line.ends_with(':')
    {
        None
    } else {
        let what = format!("begins with {shown:?}, which is neither JSON nor YAML of an object");
        Some(Other { what, is_known: false })
    }
}

/// What an API server answers instead of objects: the first thing in the text.
fn answer(text: &str) -> Option<String> {
    let document = text.strip_prefix("---").unwrap_or(text).split("\n---").next()?;
    let head = &document[..document.floor_char_boundary(ANSWER_BYTES)];
    let first =
        |json: &str| serde_json::Deserializer::from_str(json).into_iter::<Value>().next()?.ok();
    let answer = first(head).or_else(|| first(&yaml::to_json(head).unwrap_or_default()))?;
    let said = answer["message"].as_str().unwrap_or("no reason given");
    let said: String = said.chars().take(160).collect();
    match answer["kind"].as_str() {
        Some("Status") => Some(format!("is the API server's refusal ({said})")),
        None if !answer["object"].is_null() && answer["type"].is_string() => {
            Some("holds what a watch delivers (`--output-watch-events`)".to_owned())
        }
        _ => None,
    }
}

/// What kubectl complained about while it printed the rest: the objects of which it speaks are
/// missing.
fn message_at_the_end(text: &str) -> Option<String> {
    let last = text.lines().rev().filter(|l| !l.trim().is_empty()).take(LAST_LINES);
    let line = last.filter(|l| is_message(l) || l.starts_with("Warning:") || is_klog(l)).last()?;
    let shown: String = line.chars().take(120).collect();
    Some(format!(
        "ends with what kubectl wrote to standard error ({shown}), so that it may lack objects; see to that, or ask for less, and keep standard error out of the file (`2>/dev/null`)"
    ))
}

fn is_message(line: &str) -> bool {
    MESSAGES.iter().any(|m| line.starts_with(m))
}

/// A line of kubectl's own log: `E1122 10:04:05.123456   12345 memcache.go:265] couldn't get …`.
fn is_klog(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let head = words.next().unwrap_or_default();
    let digits = head.strip_prefix(['I', 'W', 'E', 'F']).unwrap_or_default();
    digits.len() == 4
        && digits.bytes().all(|b| b.is_ascii_digit())
        && words.next().is_some_and(|time| time.matches(':').count() == 2)
}

#[cfg(test)]
mod tests {
    use super::super::Input;
    use super::*;

    fn error(bytes: &[u8]) -> String {
        Input::from_bytes("f", bytes.to_vec()).unwrap_err().to_string()
    }

    #[test]
    fn what_kubectl_prints_for_people_is_refused() {
        for (text, words) in [
            (
                "NAME     STATUS   ROLES    AGE   VERSION\nn1       Ready    <none>   1d    v1.34.0\n",
                "is the table",
            ),
            ("NAMESPACE   NAME   READY\ndefault     a      1/1\n", "is the table"),
            ("\nNAME  READY\n", "is the table"),
            (
                "Name:               n1\nRoles:              <none>\nLabels:             a=b\n",
                "kubectl describe",
            ),
            ("No resources found in default namespace.\n", "found no resources"),
            ("error: the server doesn't have a resource type \"nods\"\n", "error message"),
            ("Error from server (Forbidden): nodes is forbidden\n", "error message"),
            (
                "The connection to the server localhost:8080 was refused - did you specify the right host or port?\n",
                "error message",
            ),
            (
                "Warning: v1 ComponentStatus is deprecated in v1.19+\napiVersion: v1\n",
                "keep standard error out",
            ),
            ("node/n1\nnode/n2\n", "list of names"),
            ("deployment.apps/web\n", "list of names"),
            ("n1   Ready   <none>   1d   v1.34.0\n", "neither JSON nor YAML"),
            ("// A cluster.\nScenario(version: 1)\n", "scenario already"),
            ("(version: 1, horizon: \"1m\")\n", "scenario already"),
        ] {
            let e = error(text.as_bytes());
            assert!(e.contains(words), "{text:?}: {e}");
            assert!(
                e.contains("kubectl get nodes,pods,leases,deployments,")
                    && e.contains(" -A -o json"),
                "{e}"
            );
        }
    }

    #[test]
    fn what_is_no_answer_of_kubectl_s_is_named() {
        for (text, words) in [
            ("<!DOCTYPE html>\n<html><body>Sign in</body></html>\n", "a page of HTML"),
            (
                r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"nodes is forbidden: User \"dev\" cannot list resource","reason":"Forbidden","code":403}"#,
                "is the API server's refusal (nodes is forbidden: User \"dev\"",
            ),
            ("kind: Status\nmessage: Unauthorized\n", "refusal (Unauthorized)"),
            (r#"{"type":"ADDED","object":{"kind":"Node"}}"#, "what a watch delivers"),
            (
                "{\"kind\": \"List\", \"items\": []}\nError from server (Forbidden): leases is forbidden\n",
                "standard error (Error from server (Forbidden): leases is forbidden)",
            ),
            (
                "kind: List\nitems: []\nerror: unable to read\nexit status 1\n",
                "standard error (error: unable to read)",
            ),
            (
                "E1122 10:04:05.123456   12345 memcache.go:265] couldn't get current server API group list\n{\"kind\": \"List\"}\n",
                "begins with a warning of kubectl (E1122",
            ),
            (
                "Error from server (Forbidden): leases is forbidden\n{\"kind\": \"List\"}\n",
                "begins with an error message of kubectl",
            ),
        ] {
            let e = error(text.as_bytes());
            assert!(e.contains(words), "{text:?}: {e}");
        }
    }

    /// kubectl's own message about nodes has 127 letters.
    #[test]
    fn what_is_cut_of_a_message_has_a_mark() {
        let message = "Error from server (Forbidden): nodes is forbidden: User \"dev\" cannot list resource \"nodes\" in API group \"\" at the cluster scope";
        let said = error(message.as_bytes());
        assert!(said.contains(&format!("({message})")), "{said}");
        let long = format!("Error from server: {}", "x".repeat(161 - 19));
        let said = error(long.as_bytes());
        assert!(said.contains(&format!("({}…)", &long[..160])), "{said}");
    }

    /// A number is no scenario; whether it was meant as an export its file's name says.
    #[test]
    fn a_file_of_json_is_an_export_whatever_it_holds() {
        for (name, text, is) in [
            ("a.json", "42", true),
            ("a.json", "web\n", true),
            ("a.ron", "42", false),
            ("a.json", "Scenario(version: 1)", false),
            ("a.json", "// mine\n(version: 1)", false),
            ("a.json", "\n", false),
        ] {
            assert_eq!(is_meant_as_export(name, text.as_bytes()), is, "{name} {text:?}");
        }
    }

    #[test]
    fn exports_and_scenarios_are_told_apart() {
        for text in [
            "{\"kind\": \"List\"}",
            "{\n  \"apiVersion\": \"v1\"",
            "[{\"kind\": \"Node\"}]",
            "[\n  {",
            "[]",
            "[[{\"kind\": \"Node\"}]]",
            "[null]",
            "---\napiVersion: v1\nitems:\n",
            "- kind: Node\n",
            "items:\n- apiVersion: v1\n",
            "NAME   STATUS\n",
            "<html>\n",
            "Error from server (Forbidden): nodes is forbidden\n",
            "\u{feff}{\"kind\": \"List\"}",
        ] {
            assert!(is_export(text.as_bytes()), "{text:?}");
        }
        assert!(is_export(b"\x1f\x8b\x08"));
        // As PowerShell's `>` writes.
        assert!(is_export(b"\xff\xfe{\0\"\0k\0\"\0"));
        for text in [
            "",
            "(version: 1)",
            "Scenari(version: 1, horizon: \"1m\")",
            "version: 1,\n",
            "nodes: [(name: \"a\")]",
            "[(name: \"a\")]",
            "web",
        ] {
            assert!(!is_export(text.as_bytes()), "{text:?}");
        }
    }
}
