//! A page: its frame, the script and the style that it may use and no others, and what it shows.
//!
//! The modules of `extra/web/` as one script.
//!
//! They are plain modules, each of which imports others by name and exports by `export` before a
//! declaration. One after the other, those that others need first, they are one script as soon as
//! these words and the imports are taken away. Comments are left out.

use super::board::Board;
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
    own: &'static [Module],
    title: String,
    /// The same in plain text, for where nothing is run.
    pub(crate) text: String,
    /// What it is about, columns of a run or of a document.
    main: Vec<u8>,
    /// The runs beside it, by the names under which the main part knows them.
    runs: Vec<(String, Vec<u8>)>,
}

impl Page {
    /// A page of parts, with the runs that they show, by name; `text` says the same.
    pub(crate) fn of_board(board: &Board, text: Vec<u8>, runs: Vec<(String, Vec<u8>)>) -> Self {
        let mut columns = Columns::new("board");
        columns.set("board", serde_json::to_value(board).unwrap_or_default());
        let (title, main) = (board.title.clone(), columns.finish());
        let text = String::from_utf8_lossy(&text).into_owned();
        Page { own: BOARD, title, text, main, runs }
    }

    /// The page of a run; `groups` are the names of the scenario's groups of pods.
    pub(crate) fn of_run(report: &Report<'_>, groups: &[String]) -> Self {
        let (title, text) = (report.heading().title, in_short(report));
        let main = columns_of(report, Some(groups));
        Page { own: RUN, title, text, main, runs: Vec::new() }
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

/// Where the page is no more than its text.
const WITHOUT: &str = "A browser of 2023 or later that may run the script of this page shows more.";

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
    let (script, style) = (script(page.own), style());
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
    let licence = UPLOT_LICENCE.replace("--", "- -");
    writeln!(out, "<!--\nuPlot, which draws the curves:\n{licence}\n-->")?;
    writeln!(out, "<style>{style}</style>\n</head>\n<body>")?;
    // The script puts all else in its place: where none runs, or the browser refuses this one, it stays.
    let text = markup(&page.text);
    writeln!(out, "<main id=\"page\" tabindex=\"-1\"><pre>{text}\n\n{WITHOUT}</pre></main>")?;
    data(out, "main", &page.main)?;
    page.runs.iter().try_for_each(|(name, bytes)| data(out, name, bytes))?;
    writeln!(out, "<script>{script}</script>\n</body>\n</html>")
}

/// Data under a name, which nothing runs.
fn data(out: &mut dyn Write, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::new(6));
    packed.write_all(bytes)?;
    let packed = STANDARD.encode(packed.finish()?);
    let (name, kind) = (markup(name), "application/octet-stream");
    writeln!(out, "<script type=\"{kind}\" data-name=\"{name}\">{packed}</script>")
}

/// A text as markup shows it.
fn markup(text: &str) -> String {
    let plain = shown(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    plain.replace('"', "&quot;").replace('\'', "&#39;")
}

/// A module: its name and its text.
type Module = (&'static str, &'static str);

/// Modules below `extra/web`, by their names.
macro_rules! modules {
    ($($file:literal)*) => {
        &[$(($file, include_str!(concat!("../../../extra/web/", $file)))),*]
    };
}

pub(crate) use modules;

/// The modules that every page has; what one imports comes before it.
pub(crate) const SHARED: &[Module] = modules! {
    "columns.js" "dom.js" "clock.js" "view.js" "palette.js" "run.js" "rows.js" "labels.js"
    "canvas.js" "lanes.js" "course.js" "curves.js" "table.js" "tables.js" "why.js" "link.js"
    "reach.js" "runview.js" "begin.js"
};

/// Those that begin the page of a run, and those of a page of parts, which come after them.
const RUN: &[Module] = modules! { "runpage.js" };
const BOARD: &[Module] = modules! { "svg.js" "steps.js" "beside.js" "board.js" "boardpage.js" };

/// uPlot, which draws curves, as its authors ship it.
pub(crate) const UPLOT: &str = include_str!("../../../extra/web/vendor/uplot/uPlot.iife.min.js");

/// The licence of uPlot, which goes wherever it goes.
pub(crate) const UPLOT_LICENCE: &str = include_str!("../../../extra/web/vendor/uplot/LICENSE");

/// Everything that a page runs.
fn script(own: &[Module]) -> String {
    let mut script = format!("{}\n(()=>{{\"use strict\";\n", UPLOT.trim_end());
    for (_, text) in SHARED.iter().chain(own) {
        plain(text, &mut script);
    }
    script.push_str("})();\n");
    script
}

/// How a page looks; without space that nobody sees. No text of the style has one of these pairs in
/// it.
pub(crate) fn style() -> String {
    let uplot = include_str!("../../../extra/web/vendor/uplot/uPlot.min.css");
    let mut style = format!("{}\n", uplot.trim_end());
    for line in include_str!("../../../extra/web/style.css").lines() {
        let mut tight = line.trim().to_owned();
        for wide in ["; ", " {", "{ ", " }", ": ", ", "] {
            tight = tight.replace(wide, wide.trim());
        }
        style.push_str(&tight);
        if tight.ends_with('}') {
            style.push('\n');
        }
    }
    style
}

/// Adds a module without what only modules have, and without comments. A comment with a type stands
/// within a line, too; no text of ours has `/**` in it.
fn plain(text: &str, out: &mut String) {
    let mut parts = text.split("/**");
    let mut code = parts.next().unwrap_or_default().to_owned();
    code.extend(parts.filter_map(|part| Some(part.split_once("*/")?.1)));
    let mut in_import = false;
    for line in code.lines().map(str::trim) {
        if in_import || line.starts_with("import ") {
            in_import = !line.ends_with(';');
        } else if !line.is_empty() && !line.starts_with("//") {
            out.push_str(line.strip_prefix("export ").unwrap_or(line));
            // None of our texts goes over several lines.
            if !line.ends_with(['{', ';', ',']) {
                out.push('\n');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::Columns;
    use super::*;
    use serde_json::json;
    use std::collections::BTreeSet;

    /// A page that shows nothing and holds a name.
    fn page(name: &str) -> String {
        let mut columns = Columns::new("none");
        columns.set("name", json!(name));
        let page = Page {
            own: RUN,
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

    /// A browser that refuses the script has the text all the same, not only one in which none runs.
    #[test]
    fn a_page_whose_script_is_refused_has_its_text() {
        let text = page("a & b");
        let main = text.split("<main id=\"page\" tabindex=\"-1\">").nth(1).unwrap();
        assert!(main.starts_with("<pre>a &amp; b\n\nA browser of 2023 or later "), "{main}");
        assert!(!text.contains("<noscript>"));
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

    #[test]
    fn a_module_becomes_plain() {
        let mut out = String::new();
        let text = "// Says what it is.\nimport {\n    a,\n} from './a.js';\n\n/**\n * @type {number}\n */\nexport const b = a;\n/** @type {C} */ (d).e(/** @type {F} */ (g));\n";
        plain(text, &mut out);
        assert_eq!(out, "const b = a;(d).e( (g));");
    }

    /// A module that is imported stands before the one that imports it.
    #[test]
    fn modules_come_after_those_that_they_need() {
        for own in [RUN, BOARD] {
            let mut seen = BTreeSet::new();
            for (name, text) in SHARED.iter().chain(own) {
                for part in text.split(" from './").skip(1) {
                    let needed = part.split('\'').next().unwrap_or("");
                    assert!(seen.contains(needed), "{name} imports {needed}, which comes later");
                }
                seen.insert(*name);
            }
        }
    }

    /// What would end the element that holds it must not stand in it.
    #[test]
    fn no_script_or_style_ends_itself() {
        for text in [script(RUN), script(BOARD), style()] {
            let text = text.to_lowercase();
            assert!(
                !text.contains("</script") && !text.contains("</style") && !text.contains("<!--")
            );
            assert!(
                !text.contains(crate::files::acts),
                "its hash would not be that of what is written"
            );
        }
    }

    /// One after the other they share their names: what is declared twice would be another one than a
    /// module means.
    #[test]
    fn no_two_modules_declare_the_same_name() {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let kinds = SHARED.iter().chain(RUN).chain(BOARD);
        for (module, text) in kinds {
            for line in text.lines() {
                let line = line.strip_prefix("export ").unwrap_or(line);
                let line = line.strip_prefix("async ").unwrap_or(line);
                let declared = ["function ", "class ", "const ", "let "]
                    .iter()
                    .find_map(|word| line.strip_prefix(word));
                let Some(declared) = declared else { continue };
                // A pattern declares several: `[a, b] = …`.
                let names = declared.split('=').next().unwrap_or("").split(['(', '{']).next();
                let names = names.unwrap_or("").split(|c: char| !c.is_alphanumeric() && c != '_');
                for name in names.filter(|n| !n.is_empty() && *n != "extends") {
                    assert!(seen.insert(name.to_owned()), "{module} declares {name} again");
                }
            }
        }
    }
}
