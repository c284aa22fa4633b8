//! CodeMirror, of which the editor is made: the modules of its packages as their authors ship them.

/// A package: the name under which modules import it, the name of its file, its module and its
/// licence.
pub(super) struct Package {
    /// As modules import it.
    pub(super) name: &'static str,
    /// The name of its file beside the page.
    pub(super) file: &'static str,
    /// Its module.
    pub(super) text: &'static str,
    /// Its licence.
    pub(super) licence: &'static str,
}

/// Packages of `extra/web/vendor/codemirror`, by their names and their folders there.
macro_rules! packages {
    ($($name:literal in $folder:literal),* $(,)?) => {
        [$(Package {
            name: $name,
            file: concat!($folder, ".js"),
            text: include_str!(concat!("../../../extra/web/vendor/codemirror/", $folder, "/index.js")),
            licence: include_str!(concat!("../../../extra/web/vendor/codemirror/", $folder, "/LICENSE")),
        }),*]
    };
}

/// All of them.
pub(super) const PACKAGES: [Package; 14] = packages![
    "@codemirror/autocomplete" in "codemirror-autocomplete",
    "@codemirror/commands" in "codemirror-commands",
    "@codemirror/language" in "codemirror-language",
    "@codemirror/lint" in "codemirror-lint",
    "@codemirror/search" in "codemirror-search",
    "@codemirror/state" in "codemirror-state",
    "@codemirror/streamparser" in "codemirror-streamparser",
    "@codemirror/view" in "codemirror-view",
    "@lezer/common" in "lezer-common",
    "@lezer/highlight" in "lezer-highlight",
    "@marijn/find-cluster-break" in "find-cluster-break",
    "crelt" in "crelt",
    "style-mod" in "style-mod",
    "w3c-keyname" in "w3c-keyname",
];

#[cfg(test)]
mod tests {
    use super::PACKAGES;

    /// A package that another one needs is there, too.
    #[test]
    fn no_package_is_missing() {
        for package in &PACKAGES {
            let needed = package.text.split(" from '").skip(1);
            let needed = needed.chain(package.text.split(" from \"").skip(1));
            for name in needed.filter_map(|rest| rest.split(['\'', '"']).next()) {
                let known = PACKAGES.iter().any(|p| p.name == name);
                let prose = name.contains([' ', '\n']);
                assert!(known || prose, "{} needs {name}", package.name);
            }
        }
    }
}
