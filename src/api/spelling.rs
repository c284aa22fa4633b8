//! "Did you mean": the nearest of a few known words.
//!
//! Used wherever a person wrote a word that must be one of a list: effects, operators, flags,
//! feature gates, fields.

/// The candidate nearest to `word`, if it is near enough to be a slip of the keyboard: at most a
/// third of the word's letters are wrong (but one always may be), or it differs in case alone. Of
/// equally near ones the first wins.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let folded = fold(word);
    if folded.is_empty() {
        return None;
    }
    let allowed = (folded.len() / 3).max(1);
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        let other = fold(candidate);
        // A length that differs too much cannot be near, which also bounds the work on absurdly
        // long words.
        if other.len().abs_diff(folded.len()) > allowed {
            continue;
        }
        let distance = edit_distance(&folded, &other);
        if distance <= allowed && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Lower case, and one of `-` and `_`: neither is what a reader notices first.
fn fold(word: &str) -> Vec<char> {
    word.chars()
        .flat_map(char::to_lowercase)
        .map(|c| if c == '_' { '-' } else { c })
        .collect()
}

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut before_last: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut row = vec![i + 1; width];
        for (j, cb) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(ca != cb);
            row[j + 1] = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *ca == b[j - 1] && a[i - 1] == *cb {
                row[j + 1] = row[j + 1].min(before_last[j - 1] + 1);
            }
        }
        before_last = last;
        last = row;
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_a_different_word_is_not() {
        let effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
        for (word, expected) in [
            ("NoExcute", Some("NoExecute")),
            ("noexecute", Some("NoExecute")),
            ("NoExecuet", Some("NoExecute")),
            ("NoShedule", Some("NoSchedule")),
            ("prefer_no_schedule", Some("PreferNoSchedule")),
            ("Evict", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, effects), expected, "{word:?}");
        }
    }

    #[test]
    fn distances_are_those_of_the_definition() {
        let d = |a: &str, b: &str| {
            edit_distance(
                &a.chars().collect::<Vec<_>>(),
                &b.chars().collect::<Vec<_>>(),
            )
        };
        // kitten -> sitten -> sittin -> sitting
        assert_eq!(d("kitten", "sitting"), 3);
        // One swap of neighbours, one insertion, nothing, everything.
        assert_eq!(
            [
                d("ab", "ba"),
                d("abc", "abxc"),
                d("abc", "abc"),
                d("", "abc")
            ],
            [1, 1, 0, 3]
        );
    }

    #[test]
    fn a_very_long_word_costs_nothing() {
        assert_eq!(nearest(&"x".repeat(5_000_000), ["NoExecute"]), None);
    }
}
