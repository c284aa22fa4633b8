//! Simpler words in place of single values: times and numbers with fewer digits, delays that do not
//! vary.
//!
//! A time is simpler if it has fewer significant digits, or as many and is smaller; a number if it
//! is smaller. So nothing is simplified for ever.
//!
//! Names with ranges as lists of names, so that single names can be taken away; and back where none
//! was.

use crate::kernel::{Dur, Time};
use crate::language::text::tree::Value;
use crate::language::{Tree, duration, names};

const SECOND: u64 = 1_000_000_000;
/// Numbers up to this are lowered one by one, too.
const STEP_BY_STEP: u64 = 20;

/// What may stand in place of a value that has no brackets, the simplest first.
pub(super) fn simpler(value: &Value) -> Vec<Value> {
    let text = match value {
        Value::Word(word) => {
            let numbers = word.parse().map(numbers).unwrap_or_default();
            let words = numbers.into_iter().map(|n| Value::word(&n.to_string()));
            return words.collect();
        }
        Value::Text(text) => text,
        Value::Brackets { .. } => return Vec::new(),
    };
    if let Some((from, to)) = text.split_once("..")
        && duration::parse(from).is_ok()
        && duration::parse(to).is_ok()
    {
        return vec![Value::text(from), Value::text(to)];
    }
    let unit = text.ends_with(|c: char| c.is_ascii_alphabetic());
    let times = duration::parse(text).ok().filter(|_| unit).into_iter().flat_map(rounded);
    times.map(|t| Value::text(&duration::format(t))).collect()
}

/// The ends that a run may have in place of a later one, the earliest first.
pub(super) fn horizons(horizon: &Tree, violated: Time) -> Vec<String> {
    let Some(now) = horizon.text().and_then(|t| duration::parse(t).ok()) else { return Vec::new() };
    let at = violated.as_nanos();
    let ends = [SECOND, 10 * SECOND, 60 * SECOND]
        .map(|unit| Dur::from_nanos(at.div_ceil(unit).saturating_mul(unit)));
    ends.into_iter().filter(|e| *e < now && !e.is_zero()).map(duration::format).collect()
}

/// How many digits a number has, without the zeros at its end.
fn digits(mut number: u64) -> u32 {
    while number > 0 && number.is_multiple_of(10) {
        number /= 10;
    }
    number.checked_ilog10().map_or(0, |d| d + 1)
}

/// The least numbers, then ever nearer ones; for a large number not the next one, which would take
/// too many steps.
fn numbers(number: u64) -> Vec<u64> {
    let mut all = vec![0, 1, number / 2, number / 4 * 3, number / 10 * 9];
    if number <= STEP_BY_STEP {
        all.push(number.saturating_sub(1));
    }
    all.retain(|n| *n < number);
    all.sort_unstable();
    all.dedup();
    all
}

/// The times near to one that are simpler, by ever smaller units; of each unit the earlier one
/// first.
fn rounded(time: Dur) -> Vec<Dur> {
    let ns = time.as_nanos();
    let units = [
        60 * SECOND,
        10 * SECOND,
        SECOND,
        SECOND / 10,
        SECOND / 100,
        SECOND / 1_000,
        SECOND / 1_000_000,
    ];
    let mut all = Vec::new();
    for unit in units {
        for rounded in [ns / unit * unit, ns.div_ceil(unit).saturating_mul(unit)] {
            let is_simpler = (digits(rounded), rounded) < (digits(ns), ns);
            if is_simpler && !all.contains(&rounded) {
                all.push(rounded);
            }
        }
    }
    all.into_iter().map(Dur::from_nanos).collect()
}

/// The most names that are written out.
const NAMES_MAX: u64 = 20_000;

/// What was written out.
pub(super) struct Names {
    /// The text as it was, and its names.
    ranges: Vec<(String, Vec<String>)>,
}

/// The names that a text with a range stands for.
fn range(tree: &Tree) -> Option<(String, Vec<String>)> {
    let text = tree.text().filter(|t| t.contains('{'))?;
    let all = names::expand(text, NAMES_MAX).ok()?;
    Some((text.to_owned(), all.into_iter().collect()))
}

fn leaf(text: &str) -> Tree {
    Tree::from(Value::text(text))
}

impl Names {
    /// Writes all ranges out: the names of groups and those that lists of names hold.
    pub(super) fn expand(tree: &mut Tree) -> Self {
        let mut names = Names { ranges: Vec::new() };
        names.expand_in(tree);
        names
    }

    fn expand_in(&mut self, tree: &mut Tree) {
        if tree.is_named("names")
            && let Some((text, all)) = range(tree)
        {
            tree.value = Value::brackets('[', all.iter().map(|n| leaf(n)).collect());
            self.ranges.push((text, all));
            return;
        }
        let is_list = tree.open() == Some('[');
        let Some(parts) = tree.parts_mut() else { return };
        if is_list {
            let mut items = Vec::with_capacity(parts.len());
            for item in parts.drain(..) {
                match range(&item).filter(|(text, _)| !text.contains(':')) {
                    Some((text, all)) => {
                        items.extend(all.iter().map(|n| leaf(n)));
                        self.ranges.push((text, all));
                    }
                    None => items.push(item),
                }
            }
            *parts = items;
        }
        parts.iter_mut().for_each(|p| self.expand_in(p));
    }

    /// Writes ranges again that are there as a whole; a single name is no list.
    pub(super) fn collapse(&self, tree: &mut Tree) {
        let is_list = tree.open() == Some('[');
        let Some(parts) = tree.parts_mut() else { return };
        parts.iter_mut().for_each(|p| self.collapse(p));
        if !is_list {
            return;
        }
        for (text, all) in self.ranges.iter().filter(|(_, all)| all.len() > 1) {
            let same = |w: &[Tree]| w.iter().zip(all).all(|(part, name)| part.text() == Some(name));
            while let Some(from) = parts.windows(all.len()).position(same) {
                parts.splice(from..from + all.len(), [leaf(text)]);
            }
        }
        if tree.is_named("names")
            && let [only] = tree.parts()
            && let Some(text) = only.text()
        {
            let name = if text.contains('{') { "names" } else { "name" };
            *tree = leaf(text).named(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Tree {
        Tree::read(text).unwrap()
    }

    #[test]
    fn values_become_simpler_and_never_the_same() {
        let simpler = |text: &str| {
            let values = simpler(&tree(text).value).into_iter();
            let texts: Vec<String> = values.map(|v| Tree::from(v).flat()).collect();
            texts.join(" | ")
        };
        assert_eq!(
            simpler("\"40.002s\""),
            "\"0s\" | \"1m\" | \"40s\" | \"50s\" | \"41s\" | \"40.1s\" | \"40.01s\""
        );
        assert_eq!(simpler("30"), "0 | 1 | 15 | 21 | 27");
        assert_eq!(simpler("3"), "0 | 1 | 2");
        assert_eq!(simpler("\"1ms..4ms\""), "\"1ms\" | \"4ms\"");
        for kept in ["\"cut b + 50s\"", "\"web\"", "Exists", "\"0\"", "\"0s\"", "0"] {
            assert_eq!(simpler(kept), "", "{kept}");
        }
    }

    #[test]
    fn a_run_ends_after_the_violation() {
        let ends = |horizon: &str| horizons(&tree(horizon), Time::from_millis(150_500));
        assert_eq!(ends("\"4m\""), ["2m31s", "2m40s", "3m"]);
        assert!(ends("\"2m31s\"").is_empty());
    }

    #[test]
    fn ranges_come_back_unless_a_name_is_gone() {
        let text = "(nodes: [(names: \"n-{1..3}\"), (names: [\"a-{1..2}\", \"b\"])], on: Nodes([\"n-{1..3}\"]))";
        let written = Tree::read(text).unwrap();
        assert_eq!(written.flat(), text);
        let mut tree = written.clone();
        let names = Names::expand(&mut tree);
        let long = "(nodes: [(names: [\"n-1\", \"n-2\", \"n-3\"]), (names: [\"a-1\", \"a-2\", \"b\"])], on: Nodes([\"n-1\", \"n-2\", \"n-3\"]))";
        assert_eq!(tree.flat(), long);
        let mut back = tree.clone();
        names.collapse(&mut back);
        assert_eq!(back.flat(), text);
        let mut less = Tree::read("(nodes:[(names:[\"n-2\"]),(names:[\"n-1\",\"n-3\"])])").unwrap();
        names.collapse(&mut less);
        assert_eq!(less.flat(), "(nodes: [(name: \"n-2\"), (names: [\"n-1\", \"n-3\"])])");
    }
}
