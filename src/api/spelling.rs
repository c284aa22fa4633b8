//! "Did you mean": the nearest of a few known words.
//!
//! Used wherever a person wrote a word that must be one of a list: effects, operators, flags,
//! feature gates, fields. And how much is said again of a text that is none.

/// The beginning of a text, with a mark where it is cut.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let shown: String = text.chars().take(most).collect();
    if shown.len() < text.len() { shown + "…" } else { shown }
}

/// A text for an error message: not longer than a line.
pub(crate) fn shown(text: &str) -> String {
    shortened(text, 40)
}

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
    let letters = length(&folded);
    let allowed = (letters / 3).max(1);
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        let other = fold(candidate);
        // A length that differs too much cannot be near, which also bounds the work on absurdly
        // long words.
        if length(&other).abs_diff(letters) > allowed {
            continue;
        }
        // Insertions, deletions, replacements and swaps of neighbours.
        let distance = strsim::osa_distance(&folded, &other);
        if distance <= allowed && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn length(word: &str) -> usize {
    word.chars().count()
}

/// Lower case, and one of `-` and `_`: neither is what a reader notices first.
fn fold(word: &str) -> String {
    word.chars().flat_map(char::to_lowercase).map(|c| if c == '_' { '-' } else { c }).collect()
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
    fn a_very_long_word_costs_nothing() {
        assert_eq!(nearest(&"x".repeat(5_000_000), ["NoExecute"]), None);
    }
}
