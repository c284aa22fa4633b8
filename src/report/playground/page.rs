//! The page of the playground, which says what it may use and no more.

use super::editor::PACKAGES;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac_sha256::Hash;
use serde_json::{Map, Value, json};

/// The page. `modules` are the files of those that it loads, so that the browser asks for all of
/// them at once.
pub(super) fn page(modules: &[&str]) -> String {
    let names = import_map();
    let allowed = STANDARD.encode(Hash::hash(names.as_bytes()));
    // Attributes of style are what Chromium's own editing writes into text that is typed over coloured text, before the editor takes it away again.
    let policy = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-{allowed}'; style-src 'self'; style-src-attr 'unsafe-inline'; connect-src 'self'; worker-src 'self'; \
         img-src 'self' data:; base-uri 'none'; form-action 'none'"
    );
    let preloads: String = modules
        .iter()
        .map(|file| format!("<link rel=\"modulepreload\" href=\"{file}\">\n"))
        .collect();
    format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"referrer\" content=\"no-referrer\">
<meta name=\"generator\" content=\"taintsim {}\">
<title>taintsim playground</title>
<link rel=\"icon\" href=\"icon.svg\">
<link rel=\"preload\" href=\"simulation.bin\" as=\"fetch\" crossorigin>
<script type=\"importmap\">{names}</script>
{preloads}<link rel=\"stylesheet\" href=\"style.css\">
<link rel=\"stylesheet\" href=\"playground.css\">
<script src=\"uplot.js\"></script>
<script type=\"module\" src=\"playground.js\"></script>
</head>
<body>
<noscript><p>The playground simulates in the browser, for which it needs JavaScript. The program does without: taintsim run FILE.</p></noscript>
<main id=\"page\" tabindex=\"-1\"></main>
</body>
</html>
",
        env!("CARGO_PKG_VERSION")
    )
}

/// Where the packages are that modules import by name.
fn import_map() -> String {
    let files = PACKAGES.iter().map(|p| {
        let place = Value::from(format!("./{}", p.file));
        (p.name.to_owned(), place)
    });
    json!({ "imports": files.collect::<Map<_, _>>() }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_allows_the_map_of_names_and_nothing_else_within_the_page() {
        let text = page(&["a.js"]);
        let (_, rest) = text.split_once("<script type=\"importmap\">").unwrap();
        let (map, _) = rest.split_once("</script>").unwrap();
        let hash = STANDARD.encode(Hash::hash(map.as_bytes()));
        assert!(text.contains(&format!("'sha256-{hash}'")));
        assert_eq!(text.matches("unsafe-inline").count(), 1);
        assert!(
            text.contains("style-src-attr 'unsafe-inline';") && !text.contains("'unsafe-eval'")
        );
        assert_eq!(text.matches("<script>").count(), 0, "no script within the page");
    }
}
