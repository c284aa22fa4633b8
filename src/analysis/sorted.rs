//! The order of names: as people count, `n-9` before `n-10`.

/// A name in parts that sort as people count: a text, then a number by its length, its digits, and
/// how many there are with zeros before it.
pub(super) fn as_people_count(mut name: &str) -> Vec<(&str, usize, &str, usize)> {
    let mut parts = Vec::new();
    while !name.is_empty() {
        let (text, rest) = name.split_at(until(name, true));
        let (number, rest) = rest.split_at(until(rest, false));
        let digits = number.trim_start_matches('0');
        parts.push((text, digits.len(), digits, number.len()));
        name = rest;
    }
    parts
}

/// How many bytes it is to the first digit, or to the first character that is none.
fn until(text: &str, digit: bool) -> usize {
    text.bytes().position(|c| c.is_ascii_digit() == digit).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count() {
        let mut names =
            ["n-10", "n-9", "n-09", "a-1x", "n", "n-9a", "", "ä-2", "n-010-b", "n-10-a"];
        names.sort_by_key(|&name| as_people_count(name));
        assert_eq!(
            names,
            ["", "a-1x", "n", "n-9", "n-9a", "n-09", "n-10", "n-10-a", "n-010-b", "ä-2"]
        );
    }
}
