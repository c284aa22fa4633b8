//! Lines of a summary: what is counted, and lists that are cut where they are long.

use std::collections::BTreeMap;

/// Lines of which those that are about nothing are left out.
pub(super) struct Lines(pub(super) Vec<String>);

impl Lines {
    /// Adds a line that is about `n` things.
    pub(super) fn add(&mut self, n: usize, line: String) {
        if n > 0 {
            self.0.push(line);
        }
    }

    /// `3 pods Terminating, and stay so`
    pub(super) fn counted(&mut self, noun: &str, n: usize, what: &str) {
        self.add(n, format!("{} {what}", count(n, noun)));
    }

    /// `2 nodes silent: a-00, a-01`
    pub(super) fn listed(&mut self, noun: &str, names: &[String], what: &str) {
        self.counted(noun, names.len(), &format!("{what}: {}", some(names)));
    }
}

/// `1 node`, `2 nodes`, `3 NetworkPolicies`, `3 PriorityClasses`.
pub(super) fn count(n: usize, noun: &str) -> String {
    if n == 1 || noun == "Endpoints" {
        return format!("{n} {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{n} {stem}ies"),
        _ if noun.ends_with('s') || noun.ends_with('x') => format!("{n} {noun}es"),
        _ => format!("{n} {noun}s"),
    }
}

/// The first few of a list.
pub(super) fn some(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len() {
        n if n > SHOWN => format!("{shown} and {} more", n - SHOWN),
        _ => shown,
    }
}

pub(super) fn counts(all: &BTreeMap<String, usize>) -> String {
    all.iter().map(|(kind, n)| count(*n, kind)).collect::<Vec<_>>().join(", ")
}

pub(super) fn tally(counts: &BTreeMap<String, usize>) -> String {
    counts.iter().map(|(name, n)| format!("{name} ({n})")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals() {
        for (n, noun, text) in [
            (1, "Deployment", "1 Deployment"),
            (3, "Deployment", "3 Deployments"),
            (2, "PriorityClass", "2 PriorityClasses"),
            (2, "NetworkPolicy", "2 NetworkPolicies"),
            (2, "Gateway", "2 Gateways"),
            (2, "Endpoints", "2 Endpoints"),
            (0, "Ingress", "0 Ingresses"),
        ] {
            assert_eq!(count(n, noun), text);
        }
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..7).map(|i| format!("n{i}")).collect();
        assert_eq!(some(&names), "n0, n1, n2, n3, n4 and 2 more");
        assert_eq!(some(&names[..2]), "n0, n1");
    }
}
