//! Who imports whom: reads the source tree, and holds it to the layers of ARCHITECTURE.md and to
//! having no circles, in any folder.
//!
//! It reads text, not syntax. A path counts wherever it is written in full (`crate::sim::run`),
//! relative to its module (`super::pass`), or from a child on (`pass::Round`); what a module only
//! passes on with `pub use` counts as an import of where it comes from. Where the methods of a type
//! stand in several files, a call from one of these to another counts as well.

use crate::tidy::{code_of, fail_if_any, files, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The layers, each with those that it may import.
const LAYERS: [(&str, &[&str]); 19] = [
    ("kernel", &[]),
    ("api", &["kernel"]),
    ("trace", &["kernel", "api"]),
    ("plan", &["kernel", "api", "trace"]),
    ("apiserver", &["kernel", "api", "trace", "plan"]),
    ("client", &["kernel", "api", "trace", "plan", "apiserver"]),
    ("controllers", &["kernel", "api", "trace", "plan", "apiserver", "client"]),
    ("sim", &["kernel", "api", "trace", "plan", "apiserver", "client", "controllers"]),
    ("files", &[]),
    ("profiles", &["kernel", "api", "plan"]),
    ("language", &["kernel", "api", "plan", "files", "profiles"]),
    ("outages", &["language"]),
    ("import", &["kernel", "api", "plan", "files", "profiles", "language"]),
    ("evidence", &["kernel", "api", "files", "language", "import"]),
    (
        "scenario",
        &["kernel", "api", "trace", "plan", "files", "profiles", "language", "outages", "import"],
    ),
    ("analysis", &["kernel", "api", "trace", "plan", "profiles", "language", "scenario"]),
    (
        "lab",
        &[
            "kernel", "api", "trace", "plan", "client", "sim", "profiles", "language", "outages",
            "scenario", "analysis",
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
            "import", "evidence", "scenario", "analysis", "lab", "report",
        ],
    ),
];

/// Where there is Rust that is not a test.
const ROOTS: [&str; 4] = ["src", "extra/web/playground/src", "extra/python/src", "extra/fuzz/src"];

/// The layer whose modules never import each other, but for its prelude.
const SIBLINGS: &str = "controllers";

type Module = Vec<String>;

/// The module that a file of a `src` is: `src/client/mod.rs` is `client`, `src/client/delay.rs` is
/// `client::delay`.
fn module_of(file: &str) -> Module {
    let (_, inner) = file.split_once("src/").unwrap();
    let inner = inner.strip_suffix(".rs").unwrap();
    let mut path: Module = inner.split('/').map(str::to_owned).collect();
    if matches!(path.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        path.pop();
    }
    path
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
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
            Some(further) => {
                further.into_iter().map(|path| [vec![first.clone()], path].concat()).collect()
            }
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

/// Where the inner test module of some code begins, which is the last of it.
fn tests_begin(code: &str) -> usize {
    let at = code.find("#[cfg(test)]\nmod tests {");
    at.unwrap_or(code.len())
}

/// What stands up to the brace that closes a block.
fn block(inside: &str) -> &str {
    let mut depth = 1_u32;
    let end = inside.find(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    &inside[..end.unwrap_or(inside.len())]
}

/// What comes after each place where a word stands by itself.
fn after<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).filter_map(move |(at, _)| {
        let rest = &code[at + word.len()..];
        let alone = !code[..at].ends_with(is_part) && !rest.starts_with(is_part);
        alone.then_some(rest)
    })
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
        let mut tree = Tree { code: BTreeMap::new(), passed_on: BTreeMap::new() };
        for (file, text) in files.iter().filter(|(file, _)| !is_test(file)) {
            let mut code = code_of(text);
            code.truncate(tests_begin(&code));
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
                        self.absolute(module, &code[from..]).iter().map(|path| self.leads_to(path)),
                    );
                }
            }
            let next = code[end..].chars().next().map_or(1, char::len_utf8);
            from = if word.is_empty() { from + next } else { end };
        }
        found.retain(|other| !other.is_empty() && other != module);
        found
    }

    /// Whether a module defines a type of that name.
    fn defines(&self, module: &Module, name: &str) -> bool {
        let Some(code) = self.code.get(module) else {
            return false;
        };
        let kinds = ["struct", "enum"].into_iter();
        kinds.flat_map(|kind| after(code, kind)).any(|rest| identifier(rest.trim_start()) == name)
    }

    /// Where a type that a module names is defined.
    fn home(&self, module: &Module, name: &str) -> Option<Module> {
        if self.defines(module, name) {
            return Some(module.clone());
        }
        after(&self.code[module], "use")
            .flat_map(|rest| self.absolute(module, rest.trim_start()))
            .find(|path| path.last().is_some_and(|last| last == name))
            .map(|path| self.leads_to(&path))
    }

    /// The methods of each type, by the module that it is defined in and its name, and in which
    /// modules each stands (`impl T {`, `impl<'a> T<'a> {`).
    fn methods(&self) -> BTreeMap<(Module, String), BTreeMap<String, BTreeSet<Module>>> {
        let mut found: BTreeMap<_, BTreeMap<String, BTreeSet<Module>>> = BTreeMap::new();
        for (module, code) in &self.code {
            for rest in after(code, "impl") {
                let rest = match rest.strip_prefix('<') {
                    Some(generics) => generics.split_once("> ").map_or("", |(_, rest)| rest),
                    None => rest.trim_start(),
                };
                let name = identifier(rest);
                let head = rest.split('{').next().unwrap_or_default();
                let is_inherent = rest.len() > head.len() && !head.contains(" for ");
                let Some(home) = self.home(module, name).filter(|_| is_inherent) else {
                    continue;
                };
                let methods = found.entry((home, name.to_owned())).or_default();
                for of in after(block(&rest[head.len() + 1..]), "fn") {
                    let method = identifier(of.trim_start()).to_owned();
                    methods.entry(method).or_default().insert(module.clone());
                }
            }
        }
        found
    }

    /// The calls of methods of one type from one of the files that its methods stand in to another.
    fn calls(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let mut found: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for ((home, name), methods) in self.methods() {
            let mut files: BTreeSet<&Module> = methods.values().flatten().collect();
            files.insert(&home);
            for (method, places) in &methods {
                let (Some(to), 1) = (places.first(), places.len()) else {
                    continue;
                };
                for from in files.iter().filter(|from| **from != to) {
                    let calls = |on: &str| {
                        after(&self.code[*from], on).any(|rest| {
                            let rest = rest.trim_start();
                            let of = rest.strip_prefix("::").or(rest.strip_prefix('.'));
                            of.is_some_and(|of| identifier(of.trim_start()) == method)
                        })
                    };
                    if ["self", "Self", &name].into_iter().any(calls) {
                        found.entry((*from).clone()).or_default().insert(to.clone());
                    }
                }
            }
        }
        found
    }

    /// For each folder, who imports or calls whom among its files and folders; the folder's own
    /// `mod.rs` goes by `mod`.
    fn by_folder(&self) -> BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> {
        let mut folders: BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        let calls = self.calls();
        for module in self.code.keys() {
            let called = calls.get(module).cloned().unwrap_or_default();
            for other in self.imports(module).into_iter().chain(called) {
                for depth in 0..=module.len() {
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
            let is_sibling = other.get(1).is_some_and(|name| name != "prelude");
            if siblings && is_sibling && module.len() > 1 && module[1] != other[1] {
                complaints.push(format!("{from} imports its sibling {to}"));
            }
        }
    }
    fail_if_any("imports past the list of layers", &complaints);
}

#[test]
fn the_list_of_layers_points_upward() {
    for (place, (layer, may)) in LAYERS.iter().enumerate() {
        for other in *may {
            let above = LAYERS[..place].iter().any(|(name, _)| name == other);
            assert!(above, "{layer} may not import {other}");
        }
    }
}

/// What came after them would be read by none of these tests.
#[test]
fn inner_tests_come_last() {
    let items = ["pub ", "pub(", "fn ", "impl", "struct ", "enum ", "const ", "use ", "mod "];
    let mut found = Vec::new();
    for (file, text) in ROOTS.iter().flat_map(|root| files(root, "rs")) {
        let code = code_of(&text);
        let after = code[tests_begin(&code)..].lines().skip(2);
        let item = after.filter(|line| items.iter().any(|item| line.starts_with(item)));
        found.extend(item.map(|line| format!("{file}: {line}")));
    }
    fail_if_any("code after an inner test module", &found);
}

#[test]
fn no_folder_has_a_circle() {
    let mut found = Vec::new();
    for root in ROOTS {
        for (folder, imports) in Tree::read(&files(root, "rs")).by_folder() {
            for circle in circles(&imports) {
                let names: Vec<&str> = circle.iter().map(String::as_str).collect();
                found.push(format!("{root} {}: {}", folder.join("::"), names.join(", ")));
            }
        }
    }
    fail_if_any("files that import or call each other in a circle", &found);
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
        file("src/sim/plan.rs", "\n#[cfg(test)]\nmod tests {\n    use super::super::run;"),
        file("src/sim/faults.rs", ""),
        file("src/cli/mod.rs", ""),
    ]);
    let imports = |module: &str| {
        let module: Module = module.split("::").map(str::to_owned).collect();
        let found = tree.imports(&module).into_iter();
        found.map(|m| m.join("::")).collect::<Vec<_>>()
    };
    assert_eq!(imports("sim::run"), ["kernel::time", "sim::faults", "sim::plan"]);
    assert_eq!(imports("sim"), ["sim::run"]);
    assert_eq!(imports("sim::plan"), [""; 0]);
}

/// A type whose methods stand in two files that call each other; the import of `size`, of which the type
/// has a method of its own file, too, is no call of it.
#[test]
fn methods_of_one_type_in_two_files_call_each_other() {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let tree = Tree::read(&[
        file(
            "src/sim/cluster.rs",
            "struct Cluster { size: u32 }\n\
             impl Cluster {\n    fn crash(&self) { self\n        .restart() }\n    fn size(&self) {}\n}",
        ),
        file(
            "src/sim/crashes.rs",
            "use super::cluster::Cluster;\nimpl<'a> Cluster {\n    fn restart(&self) { Self::crash(self) }\n}",
        ),
        file(
            "src/sim/run.rs",
            "use super::cluster::Cluster;\nimpl Run for Cluster {\n    fn run(&self) { self.crash() }\n}",
        ),
    ]);
    let name = |module: &Module| module.join("::");
    let calls: Vec<(String, Vec<String>)> = (tree.calls().iter())
        .map(|(from, to)| (name(from), to.iter().map(name).collect()))
        .collect();
    let arrow = |from: &str, to: &str| (from.to_owned(), vec![to.to_owned()]);
    let expected = [arrow("sim::cluster", "sim::crashes"), arrow("sim::crashes", "sim::cluster")];
    assert_eq!(calls, expected);
    let found: Vec<_> = tree.by_folder().values().flat_map(circles).collect();
    assert_eq!(found, [BTreeSet::from(["cluster", "crashes"].map(str::to_owned))]);
}

#[test]
fn a_circle_is_found_whole() {
    let imports = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e")];
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in imports {
        graph.entry(from.to_owned()).or_default().insert(to.to_owned());
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
