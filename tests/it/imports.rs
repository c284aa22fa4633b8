//! Who imports whom: reads the source tree, and holds it to the layers of ARCHITECTURE.md and to
//! having no circles, in any folder.
//!
//! It reads text, not syntax. A path counts wherever it is written in full (`crate::sim::run`),
//! relative to its module (`super::pass`), or from a child on (`pass::Round`); what a module only
//! passes on with `pub use` counts as an import of where it comes from.

use crate::tidy::{code_of, fail_if_any, files, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The layers, each with those that it may import.
const LAYERS: [(&str, &[&str]); 20] = [
    ("kernel", &[]),
    ("api", &["kernel"]),
    ("trace", &["kernel", "api"]),
    ("plan", &["kernel", "api", "trace"]),
    ("apiserver", &["kernel", "api", "trace", "plan"]),
    ("client", &["kernel", "api", "trace", "plan", "apiserver"]),
    (
        "controllers",
        &["kernel", "api", "trace", "plan", "apiserver", "client"],
    ),
    (
        "sim",
        &[
            "kernel",
            "api",
            "trace",
            "plan",
            "apiserver",
            "client",
            "controllers",
        ],
    ),
    ("files", &[]),
    ("profiles", &["kernel", "api", "plan"]),
    ("language", &["kernel", "api", "plan", "files", "profiles"]),
    ("outages", &["language"]),
    (
        "import",
        &["kernel", "api", "plan", "files", "profiles", "language"],
    ),
    (
        "evidence",
        &["kernel", "api", "files", "language", "import"],
    ),
    (
        "scenario",
        &[
            "kernel", "api", "trace", "plan", "files", "profiles", "language", "outages", "import",
        ],
    ),
    (
        "recorded",
        &[
            "kernel", "api", "trace", "plan", "files", "profiles", "language",
        ],
    ),
    (
        "analysis",
        &[
            "kernel", "api", "trace", "plan", "profiles", "language", "scenario", "recorded",
        ],
    ),
    (
        "lab",
        &[
            "kernel", "api", "trace", "plan", "client", "sim", "profiles", "language", "outages",
            "scenario", "recorded", "analysis",
        ],
    ),
    (
        "report",
        &[
            "kernel", "api", "trace", "plan", "files", "profiles", "language", "outages",
            "scenario", "analysis", "lab",
        ],
    ),
    (
        "cli",
        &[
            "kernel", "api", "trace", "plan", "sim", "files", "profiles", "language", "outages",
            "import", "evidence", "scenario", "recorded", "analysis", "lab", "report",
        ],
    ),
];

/// The layer whose modules never import each other.
const SIBLINGS: &str = "controllers";

type Module = Vec<String>;

/// The module that a file of `src` is: `src/client/mod.rs` is `client`, `src/client/delay.rs` is
/// `client::delay`.
fn module_of(file: &str) -> Module {
    let inner = file
        .strip_prefix("src/")
        .unwrap()
        .strip_suffix(".rs")
        .unwrap();
    let mut path: Module = inner.split('/').map(str::to_owned).collect();
    if matches!(
        path.last().map(String::as_str),
        Some("mod" | "lib" | "main")
    ) {
        path.pop();
    }
    path
}

fn identifier(text: &str) -> &str {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    &text[..end]
}

/// Every path that begins here: `a::b` is one, `{a::b, c}` and `a::{b, c}` are two.
fn paths(text: &str) -> Vec<Module> {
    let text = text.trim_start();
    if !text.starts_with('{') {
        let first = identifier(text).to_owned();
        let further = text[first.len()..]
            .strip_prefix("::")
            .filter(|rest| !rest.starts_with('<'))
            .map(paths)
            .filter(|further| !further.is_empty());
        return match further {
            Some(further) => further
                .into_iter()
                .map(|path| [vec![first.clone()], path].concat())
                .collect(),
            None => vec![vec![first]],
        };
    }
    let (mut found, mut depth, mut start) = (Vec::new(), 0_u32, 1);
    for (i, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || c == ',' && depth == 1 {
            if !text[start..i].trim().is_empty() {
                found.extend(paths(&text[start..i]));
            }
            start = i + 1;
        }
        if depth == 0 {
            break;
        }
    }
    found
}

/// The code of the tree: of each module what a stranger to its tests would read.
struct Tree {
    code: BTreeMap<Module, String>,
    /// What modules pass on: by module and name, the path it has where it is defined.
    passed_on: BTreeMap<(Module, String), Module>,
}

impl Tree {
    fn read(files: &[(String, String)]) -> Self {
        let is_test = |file: &str| file.ends_with("/tests.rs") || file.contains("/tests/");
        let mut tree = Tree {
            code: BTreeMap::new(),
            passed_on: BTreeMap::new(),
        };
        for (file, text) in files.iter().filter(|(file, _)| !is_test(file)) {
            let mut code = code_of(text);
            code.truncate(code.find("#[cfg(test)]\nmod tests {").unwrap_or(code.len()));
            tree.code.insert(module_of(file), code);
        }
        for (module, code) in &tree.code {
            for statement in code.split("pub").skip(1) {
                // `pub use`, `pub(crate) use`
                let open = statement.strip_prefix('(').map_or(statement, |rest| {
                    rest.split_once(')').map_or(rest, |(_, after)| after)
                });
                let Some(path) = open.trim_start().strip_prefix("use ") else {
                    continue;
                };
                for path in tree.absolute(module, path) {
                    if let Some(name) = path.last() {
                        let key = (module.clone(), name.clone());
                        tree.passed_on.insert(key, path);
                    }
                }
            }
        }
        tree
    }

    /// The paths that begin at `text` within a module, from the crate's root on.
    fn absolute(&self, module: &Module, text: &str) -> Vec<Module> {
        let (mut base, mut rest) = (module.clone(), text);
        if let Some(further) = rest.strip_prefix("crate::") {
            (base, rest) = (Vec::new(), further);
        }
        rest = rest.strip_prefix("self::").unwrap_or(rest);
        while let Some(further) = rest.strip_prefix("super::") {
            base.pop();
            rest = further;
        }
        let with_base = |path: Module| [base.clone(), path].concat();
        paths(rest).into_iter().map(with_base).collect()
    }

    /// The module that a path leads into.
    fn leads_to(&self, path: &Module) -> Module {
        let mut path = path.clone();
        for _ in 0..8 {
            let depth = (1..=path.len()).rev().find(|n| {
                let module = path[..*n].to_vec();
                self.code.contains_key(&module)
            });
            let Some(depth) = depth else {
                return Vec::new();
            };
            let module = path[..depth].to_vec();
            let next = path
                .get(depth)
                .and_then(|name| self.passed_on.get(&(module.clone(), name.clone())));
            match next {
                Some(origin) if *origin != path[..=depth] => {
                    path = [origin.clone(), path[depth + 1..].to_vec()].concat();
                }
                _ => return module,
            }
        }
        path
    }

    /// The modules that a module imports.
    fn imports(&self, module: &Module) -> BTreeSet<Module> {
        let code = &self.code[module];
        let mut found = BTreeSet::new();
        let mut from = 0;
        while from < code.len() {
            let word = identifier(&code[from..]);
            let end = from + word.len();
            let begins = !code[..from].ends_with("::");
            if !word.is_empty() && begins && code[end..].starts_with("::") {
                let child = [module.clone(), vec![word.to_owned()]].concat();
                if matches!(word, "crate" | "self" | "super") || self.code.contains_key(&child) {
                    found.extend(
                        self.absolute(module, &code[from..])
                            .iter()
                            .map(|path| self.leads_to(path)),
                    );
                }
            }
            let next = code[end..].chars().next().map_or(1, char::len_utf8);
            from = if word.is_empty() { from + next } else { end };
        }
        found.retain(|other| !other.is_empty() && other != module);
        found
    }

    /// For each folder, who imports whom among its files and folders; the folder's own `mod.rs`
    /// goes by `mod`.
    fn by_folder(&self) -> BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> {
        let mut folders: BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for module in self.code.keys() {
            for other in self.imports(module) {
                for depth in 1..=module.len() {
                    if other.len() < depth || module[..depth] != other[..depth] {
                        break;
                    }
                    let own = module.get(depth).map_or("mod", String::as_str);
                    let its = other.get(depth).map_or("mod", String::as_str);
                    if own != its {
                        let folder = folders.entry(module[..depth].to_vec()).or_default();
                        let imports = folder.entry(own.to_owned()).or_default();
                        imports.insert(its.to_owned());
                    }
                }
            }
        }
        folders
    }
}

/// The largest sets of which everyone leads to everyone else.
fn circles(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<BTreeSet<String>> {
    let reach = |from: &str| {
        let mut seen = BTreeSet::new();
        let mut left = vec![from.to_owned()];
        while let Some(at) = left.pop() {
            for next in imports.get(&at).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    left.push(next.clone());
                }
            }
        }
        seen
    };
    let reaches: BTreeMap<&String, BTreeSet<String>> =
        imports.keys().map(|from| (from, reach(from))).collect();
    let mut found: Vec<BTreeSet<String>> = Vec::new();
    for (from, reached) in &reaches {
        if !reached.contains(*from) || found.iter().any(|circle| circle.contains(*from)) {
            continue;
        }
        let back = |other: &&String| reaches.get(other).is_some_and(|r| r.contains(*from));
        found.push(reached.iter().filter(back).cloned().collect());
    }
    found
}

#[test]
fn layers_import_only_what_they_may() {
    let allowed: BTreeMap<&str, &[&str]> = LAYERS.into_iter().collect();
    let mut complaints = Vec::new();
    let sources = files("src", "rs");
    let tree = Tree::read(&sources);
    for module in tree.code.keys() {
        let Some(own) = module.first() else { continue };
        let Some(may) = allowed.get(own.as_str()) else {
            complaints.push(format!("`{own}` is not in the list of layers"));
            continue;
        };
        for other in tree.imports(module) {
            let (from, to) = (module.join("::"), other.join("::"));
            if other[0] != *own && !may.contains(&other[0].as_str()) {
                complaints.push(format!("{from} imports {to}"));
            }
            let siblings = own == SIBLINGS && other[0] == SIBLINGS;
            if siblings && module.len() > 1 && other.len() > 1 && module[1] != other[1] {
                complaints.push(format!("{from} imports its sibling {to}"));
            }
        }
    }
    fail_if_any("imports past the list of layers", &complaints);
}

#[test]
fn no_folder_has_a_circle() {
    let tree = Tree::read(&files("src", "rs"));
    let mut found = Vec::new();
    for (folder, imports) in tree.by_folder() {
        for circle in circles(&imports) {
            let names: Vec<&str> = circle.iter().map(String::as_str).collect();
            found.push(format!("{}: {}", folder.join("::"), names.join(", ")));
        }
    }
    fail_if_any("files that import each other in a circle", &found);
}

#[test]
fn every_way_to_write_a_path_is_seen() {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let tree = Tree::read(&[
        file("src/kernel/mod.rs", "mod time;\npub use time::Time;"),
        file("src/kernel/time.rs", ""),
        file("src/sim/mod.rs", "mod run;\nfn f() { run::run() }"),
        file(
            "src/sim/run.rs",
            "use super::{faults, plan::Plan};\nuse crate::{kernel::{Time}};\n\
             // use crate::cli;\nlet s = \"crate::cli\";",
        ),
        file(
            "src/sim/plan.rs",
            "\n#[cfg(test)]\nmod tests {\n    use super::super::run;",
        ),
        file("src/sim/faults.rs", ""),
        file("src/cli/mod.rs", ""),
    ]);
    let imports = |module: &str| {
        let module: Module = module.split("::").map(str::to_owned).collect();
        let found = tree.imports(&module).into_iter();
        found.map(|m| m.join("::")).collect::<Vec<_>>()
    };
    assert_eq!(
        imports("sim::run"),
        ["kernel::time", "sim::faults", "sim::plan"]
    );
    assert_eq!(imports("sim"), ["sim::run"]);
    assert_eq!(imports("sim::plan"), [""; 0]);
}

#[test]
fn a_circle_is_found_whole() {
    let imports = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e")];
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in imports {
        graph
            .entry(from.to_owned())
            .or_default()
            .insert(to.to_owned());
    }
    let circle: BTreeSet<String> = ["a", "b", "c"].map(str::to_owned).into();
    assert_eq!(circles(&graph), [circle]);
}

#[test]
fn the_crate_documentation_and_architecture_list_the_layers_in_order() {
    for name in ["src/lib.rs", "ARCHITECTURE.md"] {
        let text = fs::read_to_string(root().join(name)).unwrap();
        let mut from = 0;
        for (layer, _) in LAYERS {
            let written = if name == "src/lib.rs" {
                format!("[`{layer}`]")
            } else {
                format!("`src/{layer}/`")
            };
            let found = text[from..]
                .find(&written)
                .unwrap_or_else(|| panic!("{name}: {written} is missing or out of order"));
            from += found;
        }
    }
}
