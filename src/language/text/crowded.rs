//! How much a text may hold, counted before anything is built of it.

use super::tokens::Reader;

/// The most entries of a timeline, the most elements of any other list at the top of a file, and
/// the most structs, lists and maps in all of it: far more than a scenario that people write or
/// that is imported has, and as many as can be held.
const ENTRIES_MAX: usize = 100_000;
const ELEMENTS_MAX: usize = 200_000;
const BRACKETS_MAX: usize = 4_000_000;

/// What there is too much of in a text, with the limit, and where it goes beyond. The text alone is
/// looked at: nothing is built of what is counted.
pub(crate) fn crowded(text: &str) -> Option<(String, usize)> {
    let mut reader = Reader { text, at: 0 };
    let (mut depth, mut brackets, mut elements) = (0_usize, 0, 0);
    // The field of the file that comes next; whether its value is a list that is being read, and an
    // element of it may begin.
    let (mut field, mut in_list, mut begins) = (String::new(), false, false);
    loop {
        reader.blank()?;
        let start = reader.at;
        let c = reader.peek()?;
        if depth == 2 && in_list && begins && !matches!(c, ']' | ',') {
            (elements, begins) = (elements + 1, false);
            let (most, what) = match field.as_str() {
                "timeline" => (
                    ENTRIES_MAX,
                    "the limit of a timeline; `every` and `times` repeat an entry",
                ),
                _ => (ELEMENTS_MAX, "the limit of a list"),
            };
            if elements > most {
                return Some((
                    format!("`{field}` has more than {most} elements, {what}"),
                    start,
                ));
            }
        }
        match c {
            '"' => drop(reader.string()?),
            '\'' => drop(reader.character()?),
            '(' | '[' | '{' => {
                reader.at += 1;
                (depth, brackets) = (depth + 1, brackets + 1);
                if depth == 2 {
                    (elements, in_list, begins) = (0, c == '[', true);
                }
                if brackets > BRACKETS_MAX {
                    return Some((
                        format!(
                            "there are more than {BRACKETS_MAX} structs, lists and maps, the limit of a file"
                        ),
                        start,
                    ));
                }
            }
            ')' | ']' | '}' => {
                reader.at += 1;
                depth = depth.checked_sub(1)?;
            }
            ',' => {
                reader.at += 1;
                begins |= depth == 2;
            }
            _ if reader.raw_string().is_some() => {}
            c => match reader.identifier() {
                Some(name) if depth == 1 => field = name,
                Some(_) => {}
                None => reader.at += c.len_utf8(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_counted_and_not_built() {
        let list = |field: &str, n: usize, end: &str| {
            format!(
                "(version: 1, {field}: [{}{end}])",
                vec!["(a: [1, 2], b: \"),(\")"; n].join(",")
            )
        };
        let said = |text: &str| crowded(text).map(|(what, _)| what);
        for end in ["", ",", ", // (),()\n"] {
            assert_eq!(said(&list("timeline", 100_000, end)), None, "{end:?}");
            assert!(
                said(&list("timeline", 100_001, end))
                    .unwrap()
                    .starts_with("`timeline` has more than 100000 elements"),
                "{end:?}"
            );
            assert_eq!(said(&list("pods", 200_000, end)), None, "{end:?}");
        }
        assert!(
            said(&list("pods", 200_001, ""))
                .unwrap()
                .starts_with("`pods` has more than 200000 elements")
        );
        let deep = format!("(nodes: [(labels: [{}])])", "(),".repeat(4_000_000));
        assert!(said(&deep).unwrap().contains("more than 4000000 structs"));
        for text in ["", "(", "((((", "))))", "(timeline: [", "[]", "\"", "/*"] {
            assert_eq!(said(text), None, "{text:?}");
        }
    }
}
