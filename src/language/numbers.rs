//! Numbers of things in words.

use std::borrow::Borrow;

/// A number with commas between groups of three digits.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, d) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(d);
    }
    out
}

/// A number as somebody wrote it or as it came out, with no more digits than a person reads: `0.25`, `1000000`, `1e99`.
pub(crate) fn legible(x: f64) -> String {
    let is_plain = x == 0.0 || !x.is_finite() || (1e-9..1e15).contains(&x.abs());
    if is_plain { x.to_string() } else { format!("{x:e}") }
}

/// The first three names, and how many more there are.
pub(crate) fn listed(names: &[&str]) -> String {
    few(3, names.iter().copied())
}

/// The first of these names, at most so many, and how many more there are.
pub(crate) fn few<T: Borrow<str>>(most: usize, names: impl IntoIterator<Item = T>) -> String {
    cut(most, names, ", ", " and ")
}

/// The same of texts that have commas themselves.
pub(crate) fn clauses<T: Borrow<str>>(most: usize, texts: impl IntoIterator<Item = T>) -> String {
    cut(most, texts, "; ", "; and ")
}

fn cut<T: Borrow<str>>(
    most: usize,
    all: impl IntoIterator<Item = T>,
    between: &str,
    and: &str,
) -> String {
    let mut all = all.into_iter();
    let first = all.by_ref().take(most).collect::<Vec<T>>().join(between);
    match all.count() {
        0 => first,
        more => format!("{first}{and}{} more", grouped(more as u64)),
    }
}

/// `1 node`, `1,234 nodes`, `2 entries`, `3 NetworkPolicies`, `3 PriorityClasses`
pub(crate) fn counted(n: impl TryInto<u64>, noun: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    let number = grouped(n);
    if n == 1 || noun == "Endpoints" {
        return format!("{number} {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{number} {stem}ies"),
        _ if noun.ends_with(['s', 'x']) => format!("{number} {noun}es"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred digits are no number that anybody reads.
    #[test]
    fn no_number_fills_a_screen() {
        for (x, text) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (-3.0, "-3"),
            (1e6, "1000000"),
            (300_000.5, "300000.5"),
            (1e99, "1e99"),
            (-4.5e120, "-4.5e120"),
            (1e-99, "1e-99"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(legible(x), text);
        }
    }

    /// Five of which three are told leave two.
    #[test]
    fn lists_are_cut() {
        let all = ["a", "b", "c", "d", "e"];
        assert_eq!(listed(&all), "a, b, c and 2 more");
        assert_eq!(clauses(3, all), "a; b; c; and 2 more");
        assert_eq!((few(5, all), clauses(0, [""; 0])), ("a, b, c, d, e".to_owned(), String::new()));
    }

    #[test]
    fn plurals() {
        for (n, noun, text) in [
            (1, "Deployment", "1 Deployment"),
            (1234, "Deployment", "1,234 Deployments"),
            (2, "PriorityClass", "2 PriorityClasses"),
            (2, "NetworkPolicy", "2 NetworkPolicies"),
            (2, "Gateway", "2 Gateways"),
            (2, "Endpoints", "2 Endpoints"),
            (0, "Ingress", "0 Ingresses"),
        ] {
            assert_eq!(counted(n, noun), text);
        }
    }
}
