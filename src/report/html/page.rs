//! A page: its frame, the script and the style that it may use and no others, and what it shows.

use super::board::Board;
use super::bundle::{Kind, UPLOT_LICENCE, script, style};
use super::columns::Columns;
use super::run::columns_of;
use crate::files::shown;
use crate::report::{Report, text};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use hmac_sha256::Hash;
use std::io::{self, Write};

/// The name of a page's file in a folder of results.
pub(crate) const FILE: &str = "report.html";

/// What a page shows.
pub(crate) struct Page {
    kind: Kind,
    /// Its title.
    pub(crate) title: String,
    /// The same in plain text, for where nothing is run.
    pub(crate) text: String,
    /// What it is about, columns of a run or of a document.
    pub(crate) main: Vec<u8>,
    /// The runs beside it, by the names under which the main part knows them.
    pub(crate) runs: Vec<(String, Vec<u8>)>,
}

impl Page {
    /// A page of parts, with the runs that they show, by name; `text` says the same.
    pub(crate) fn of_board(board: &Board, text: Vec<u8>, runs: Vec<(String, Vec<u8>)>) -> Self {
        let mut columns = Columns::new("board");
        let board_of = serde_json::to_value(board).unwrap_or_default();
        columns.set("board", board_of);
        Page {
            kind: Kind::Board,
            title: board.title.clone(),
            text: String::from_utf8_lossy(&text).into_owned(),
            main: columns.finish(),
            runs,
        }
    }

    /// The page of a run; `groups` are the names of the scenario's groups of pods.
    pub(crate) fn of_run(report: &Report<'_>, groups: &[String]) -> Self {
        Page {
            kind: Kind::Run,
            title: report.heading().title,
            text: in_short(report),
            main: columns_of(report, groups),
            runs: Vec::new(),
        }
    }
}

/// What a run came to, for where nothing is run.
fn in_short(report: &Report<'_>) -> String {
    let mut lines = vec![report.heading().title, report.heading().subtitle];
    lines.extend(report.notes());
    let summary = text::summary_lines(report);
    lines.extend(summary.iter().map(|(name, said)| format!("{name}: {said}")));
    lines.extend(text::workload_lines(report));
    lines.push("`taintsim report FOLDER` prints all of it.".to_owned());
    lines.join("\n")
}

/// How pages begin.
const BEGINS: &str = "<!doctype html>";
/// What tells in a page's head that it is one of these.
const GENERATOR: &str = "<meta name=\"generator\" content=\"taintsim ";

/// Whether a file that begins so is such a page, of this or another version.
pub(crate) fn is_page(beginning: &[u8]) -> bool {
    let text = String::from_utf8_lossy(beginning);
    text.starts_with(BEGINS) && text.contains(GENERATOR)
}

/// Writes a page.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(out: &mut dyn Write, page: &Page) -> io::Result<()> {
    let (script, style) = (script(page.kind), style());
    let allowed = |text: &str| format!("'sha256-{}'", STANDARD.encode(Hash::hash(text.as_bytes())));
    writeln!(out, "{BEGINS}\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(
        out,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'\">",
        allowed(&script),
        allowed(&style)
    )?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(out, "<meta name=\"referrer\" content=\"no-referrer\">")?;
    writeln!(out, "{GENERATOR}{}\">", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "<title>{}</title>", markup(&page.title))?;
    writeln!(
        out,
        "<!--\nuPlot, which draws the curves:\n{}\n-->",
        UPLOT_LICENCE.replace("--", "- -")
    )?;
    writeln!(out, "<style>{style}</style>\n</head>\n<body>")?;
    writeln!(out, "<noscript><pre>{}</pre></noscript>", markup(&page.text))?;
    writeln!(out, "<main id=\"page\" tabindex=\"-1\"></main>")?;
    data(out, "main", &page.main)?;
    for (name, bytes) in &page.runs {
        data(out, name, bytes)?;
    }
    writeln!(out, "<script>{script}</script>\n</body>\n</html>")
}

/// Data under a name, which nothing runs.
fn data(out: &mut dyn Write, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::new(6));
    packed.write_all(bytes)?;
    let packed = STANDARD.encode(packed.finish()?);
    writeln!(
        out,
        "<script type=\"application/octet-stream\" data-name=\"{}\">{packed}</script>",
        markup(name)
    )
}

/// A text as markup shows it.
fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in shown(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::columns::Columns;
    use super::*;
    use serde_json::json;

    /// A page that shows nothing and holds a name.
    fn page(name: &str) -> String {
        let mut columns = Columns::new("none");
        columns.set("name", json!(name));
        let page = Page {
            kind: Kind::Run,
            title: name.to_owned(),
            text: name.to_owned(),
            main: columns.finish(),
            runs: Vec::new(),
        };
        let mut out = Vec::new();
        write(&mut out, &page).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn nothing_of_a_name_is_markup() {
        let name = "</title><script>alert(1)</script>\u{202e}'\"&";
        let text = page(name);
        assert!(!text.contains("alert(1)</script>"));
        assert_eq!(text.matches("</script>").count(), 2, "data and script");
        assert!(text.contains("<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}&#39;&quot;&amp;</title>"));
    }

    /// The hash of the policy is that of the script which the page holds.
    #[test]
    fn the_policy_allows_the_pages_own_script_and_nothing_else() {
        let text = page("");
        let held = text.split("<script>").nth(1).unwrap().split("</script>").next().unwrap();
        let hash = STANDARD.encode(Hash::hash(held.as_bytes()));
        assert!(text.contains("default-src 'none'; "));
        assert!(text.contains(&format!("script-src 'sha256-{hash}';")));
        assert!(!text.contains("unsafe-"));
    }
}
