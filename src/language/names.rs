//! Name ranges: `a-{00..09}`, `{a,b,c}-{1..3}`. Several ranges multiply, the last one running
//! fastest.

/// Why a text is not a list of names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct NamesError {
    text: String,
    /// There are more names than a run can hold.
    pub(crate) is_too_many: bool,
}

impl NamesError {
    fn new(text: String) -> Self {
        Self { text, is_too_many: false }
    }
}

/// The longest name of an object with its namespace, `namespace/name`: a label of DNS, and a
/// subdomain.
const NAME_MAX: usize = 63 + 1 + 253;

/// What a list of one name was to be.
fn meant(inside: &str) -> String {
    let is_number = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    match inside.split_once('-').filter(|(low, high)| is_number(low) && is_number(high)) {
        Some((low, high)) => format!("did you mean {{{low}..{high}}}?"),
        None => "a range is written {0..3}, a list {a,b,c}".to_owned(),
    }
}

/// How much of a text a message shows.
const SHOWN_MAX: usize = 60;

enum Piece<'a> {
    Text(&'a str),
    List(Vec<&'a str>),
    Range { first: u64, last: u64, width: usize },
}

impl Piece<'_> {
    fn count(&self) -> u128 {
        match self {
            Self::Text(_) => 1,
            Self::List(words) => words.len() as u128,
            Self::Range { first, last, .. } => u128::from(last - first) + 1,
        }
    }

    /// How long the longest of them is.
    fn length(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::List(words) => words.iter().map(|w| w.len()).max().unwrap_or(0),
            Self::Range { last, width, .. } => last.to_string().len().max(*width),
        }
    }

    fn push(&self, i: u64, out: &mut String) {
        use std::fmt::Write;
        match self {
            Self::Text(text) => out.push_str(text),
            Self::List(words) => out.push_str(words[i as usize]),
            // Writing to a string cannot fail.
            Self::Range { first, width, .. } => _ = write!(out, "{:0width$}", first + i),
        }
    }
}

/// The names a text stands for, at most `limit` of them; a text without braces stands for itself.
pub fn expand(text: &str, limit: u64) -> Result<Vec<String>, NamesError> {
    let pieces = pieces(text)?;
    // Lengths come before names: these are made one by one.
    let length = pieces.iter().fold(0, |all: usize, p| all.saturating_add(p.length()));
    if length > NAME_MAX {
        return Err(NamesError::new(format!(
            "`{}` stands for names of {length} characters; must be no more than {NAME_MAX} characters",
            start_of(text)
        )));
    }
    let count = pieces.iter().try_fold(1u128, |n, p| n.checked_mul(p.count()));
    let Some(fitting) = count.filter(|n| *n <= u128::from(limit)) else {
        let names = match count {
            Some(1) => "a name".to_owned(),
            Some(count) => format!("{count} names"),
            None => format!("over {} names", u128::MAX),
        };
        let room = if limit == 0 { "none".to_owned() } else { limit.to_string() };
        let text = format!("`{}` stands for {names}, and there is room for {room}", start_of(text));
        return Err(NamesError { text, is_too_many: true });
    };
    Ok((0..fitting as u64)
        .map(|n| {
            // Digits of n in the mixed base of the pieces' counts, the last piece running fastest.
            let mut left = n;
            let mut digits = vec![0; pieces.len()];
            for (digit, piece) in digits.iter_mut().zip(&pieces).rev() {
                let base = piece.count() as u64;
                (*digit, left) = (left % base, left / base);
            }
            let mut name = String::new();
            digits.iter().zip(&pieces).for_each(|(&d, p)| p.push(d, &mut name));
            name
        })
        .collect())
}

/// The beginning of a text that may be long.
fn start_of(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A name in camel case as words in small letters: `ReplicaSets` by blanks is `replica sets`.
pub(crate) fn apart(name: &str, by: char) -> String {
    let begins_word = |(i, c): (usize, char)| (c.is_ascii_uppercase() && i > 0).then_some(by);
    let chars = name.char_indices();
    chars.flat_map(|at| begins_word(at).into_iter().chain([at.1.to_ascii_lowercase()])).collect()
}

/// The text up to its first brace without a trailing separator: what people call the group, `a` for
/// `a-{00..09}`.
pub fn stem(text: &str) -> &str {
    text.split('{').next().unwrap_or(text).trim_end_matches(['-', '.', '_'])
}

fn pieces(text: &str) -> Result<Vec<Piece<'_>>, NamesError> {
    let unpaired = || NamesError::new(format!("`{text}` has a brace without its partner"));
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(brace) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(brace);
        let (inside, after) =
            from.strip_prefix('{').and_then(|r| r.split_once('}')).ok_or_else(unpaired)?;
        if inside.contains('{') {
            return Err(unpaired());
        }
        pieces.push(Piece::Text(before));
        pieces.push(alternatives(inside)?);
        rest = after;
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

fn alternatives(inside: &str) -> Result<Piece<'_>, NamesError> {
    let wrong = |what: String| Err(NamesError::new(format!("`{{{inside}}}` {what}")));
    let Some((first, last)) = inside.split_once("..") else {
        let words: Vec<&str> = inside.split(',').map(str::trim).collect();
        return match words.as_slice() {
            words if words.contains(&"") => wrong("has an empty alternative".to_owned()),
            [_] => wrong(format!("is a list of a single name; {}", meant(inside))),
            _ => Ok(Piece::List(words)),
        };
    };
    let number =
        |s: &str| s.bytes().all(|b| b.is_ascii_digit()).then(|| s.parse::<u64>().ok()).flatten();
    let (Some(low), Some(high)) = (number(first), number(last)) else {
        return wrong(
            "is neither a range of whole numbers, such as {00..09}, nor a list, such as {a,b,c}"
                .to_owned(),
        );
    };
    if low > high {
        return wrong("runs backwards".to_owned());
    }
    // As in a shell: a leading zero at either end pads all to the same width.
    let padded = |s: &str| s.len() > 1 && s.starts_with('0');
    let width = if padded(first) || padded(last) { first.len().max(last.len()) } else { 0 };
    Ok(Piece::Range { first: low, last: high, width })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> String {
        expand(text, 100).map_or_else(|e| format!("error: {e}"), |n| n.join(" "))
    }

    #[test]
    fn ranges_and_lists_multiply() {
        assert_eq!(names("a"), "a");
        assert_eq!(names("a-{0..3}"), "a-0 a-1 a-2 a-3");
        assert_eq!(names("a-{08..11}"), "a-08 a-09 a-10 a-11", "a leading zero pads");
        assert_eq!(names("{a,b}-{1..2}.x"), "a-1.x a-2.x b-1.x b-2.x", "the last runs fastest");
        assert_eq!(names("{7..7}"), "7");
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(names("a-{0..3"), "error: `a-{0..3` has a brace without its partner");
        assert_eq!(names("a-0..3}"), "error: `a-0..3}` has a brace without its partner");
        assert_eq!(names("{a{b}}"), "error: `{a{b}}` has a brace without its partner");
        assert_eq!(names("{a,}"), "error: `{a,}` has an empty alternative");
        assert_eq!(names("{}"), "error: `{}` has an empty alternative");
        assert_eq!(
            names("a-{0-3}"),
            "error: `{0-3}` is a list of a single name; did you mean {0..3}?"
        );
        assert!(names("{a}-0").contains("a range is written {0..3}, a list {a,b,c}"));
        assert_eq!(names("{3..1}"), "error: `{3..1}` runs backwards");
        assert!(names("{-1..1}").starts_with("error: `{-1..1}` is neither"));
        assert!(names("{a..c}").starts_with("error: `{a..c}` is neither"));
    }

    #[test]
    fn counting_comes_before_making() {
        assert_eq!(
            names("n-{0..9999999}"),
            "error: `n-{0..9999999}` stands for 10000000 names, and there is room for 100"
        );
        let all = "{0..18446744073709551615}".repeat(3);
        assert!(names(&all).contains("stands for over"), "{}", names(&all));
    }

    #[test]
    fn lengths_come_before_names() {
        // Ten thousand characters and six digits.
        let long = format!("{}{{0..199999}}", "x".repeat(10_000));
        let shown = "x".repeat(60);
        let error = expand(&long, 200_000).expect_err("no name is that long");
        assert_eq!(
            error.to_string(),
            format!(
                "`{shown}…` stands for names of 10006 characters; must be no more than 317 characters"
            )
        );
        let list = format!("{{a,{}}}", "x".repeat(400));
        assert!(expand(&list, 10).unwrap_err().to_string().contains("names of 400 characters"));
        assert!(
            matches!(expand(&format!("{{0..9}}{}", "0".repeat(316)), 10), Ok(names) if names.len() == 10)
        );
    }

    #[test]
    fn a_group_is_called_by_its_stem() {
        assert_eq!(stem("a-{00..09}"), "a");
        assert_eq!(stem("gpu"), "gpu");
        assert_eq!(stem("{a,b}-x"), "");
    }
}
