//! Reads `PATH=VALUE`.

use crate::language::Problem;

/// One name of a path, with what stands in brackets behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) name: String,
    pub(super) index: Option<String>,
}

/// The text before and after the `=` that ends the path.
pub(super) fn split(text: &str) -> Result<(&str, &str), Problem> {
    let mut brackets = 0usize;
    let mut quoted = false;
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => brackets += 1,
            ']' | '}' if !quoted => brackets = brackets.saturating_sub(1),
            '=' if !quoted && brackets == 0 => return Ok((text[..i].trim(), &text[i + 1..])),
            _ => {}
        }
    }
    Err(Problem::new(format!("`{text}` is not PATH=VALUE"))
        .help("such as `pods.web.tolerations[unreachable].tolerationSeconds=120`"))
}

/// A path and the values that a sweep gives it: `PATH=V1,V2,…`.
///
/// # Errors
/// No `=`, or an empty value.
pub fn split_values(text: &str) -> Result<(String, Vec<String>), Problem> {
    let (path, values) = split(text)?;
    let values: Vec<String> = parted(values).map(|v| v.trim().to_owned()).collect();
    if values.iter().any(String::is_empty) {
        return Err(Problem::new(format!("`{text}` has an empty value"))
            .help("values are separated by commas: PATH=60,120,300"));
    }
    Ok((path.to_owned(), values))
}

/// The parts of a text between its commas; one in brackets, braces or quotes parts nothing:
/// `Zone("b"),Nodes(["a-0", "a-1"])` has two.
fn parted(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut quoted) = (0_i32, false);
    text.split(move |c| {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
        c == ',' && depth <= 0 && !quoted
    })
}

/// The names of a path.
pub(super) fn segments(path: &str) -> Result<Vec<Segment>, Problem> {
    let wrong = |what: &str| Problem::new(format!("`{path}` is not a path: {what}"));
    let mut all = Vec::new();
    let mut rest = path;
    loop {
        let (name, after) = name(rest).ok_or_else(|| wrong("a quote or brace is not closed"))?;
        rest = after;
        let mut index = None;
        if let Some(inside) = rest.strip_prefix('[') {
            let (text, after) =
                inside.split_once(']').ok_or_else(|| wrong("a bracket is not closed"))?;
            index = Some(text.trim().trim_matches('"').to_owned());
            rest = after;
        }
        if name.is_empty() {
            return Err(wrong("a name is empty"));
        }
        all.push(Segment { name, index });
        match rest.strip_prefix('.') {
            Some(after) => rest = after,
            None if rest.is_empty() => return Ok(all),
            None => return Err(wrong("expected a dot after a bracket")),
        }
    }
}

/// A name, in quotes or up to the next dot or bracket that is not between braces.
fn name(text: &str) -> Option<(String, &str)> {
    if let Some(inside) = text.strip_prefix('"') {
        let (name, rest) = inside.split_once('"')?;
        return Some((name.to_owned(), rest));
    }
    let mut braces = false;
    for (i, c) in text.char_indices() {
        match c {
            '{' => braces = true,
            '}' => braces = false,
            '.' | '[' if !braces => return Some((text[..i].to_owned(), &text[i..])),
            _ => {}
        }
    }
    (!braces).then(|| (text.to_owned(), ""))
}

/// The names of a path's rest, where none has brackets.
pub(super) fn names_of(fields: &[Segment]) -> Vec<&str> {
    if fields.iter().any(|f| f.index.is_some()) {
        Vec::new()
    } else {
        fields.iter().map(|f| f.name.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> String {
        match segments(path) {
            Ok(all) => all
                .iter()
                .map(|s| {
                    format!(
                        "{}{}",
                        s.name,
                        s.index.as_ref().map_or(String::new(), |i| format!("[{i}]"))
                    )
                })
                .collect::<Vec<_>>()
                .join(" | "),
            Err(problem) => problem.message,
        }
    }

    #[test]
    fn names_brackets_and_quotes() {
        assert_eq!(
            read("pods.web.tolerations[node.kubernetes.io/unreachable].tolerationSeconds"),
            "pods | web | tolerations[node.kubernetes.io/unreachable] | tolerationSeconds"
        );
        assert_eq!(read("nodes.a-{00..09}.zone"), "nodes | a-{00..09} | zone");
        assert_eq!(read("timeline.\"v1.2 out\".at"), "timeline | v1.2 out | at");
        assert_eq!(read("timeline.cut b.at"), "timeline | cut b | at");
        assert_eq!(read("nodes[0].zone"), "nodes[0] | zone");
        assert_eq!(read("a..b"), "`a..b` is not a path: a name is empty");
        assert_eq!(read("a[0"), "`a[0` is not a path: a bracket is not closed");
        assert_eq!(read("a[0]b"), "`a[0]b` is not a path: expected a dot after a bracket");
        assert_eq!(read("\"a"), "`\"a` is not a path: a quote or brace is not closed");
    }

    #[test]
    fn the_first_free_equals_sign_ends_the_path() {
        assert_eq!(
            split("timeline.x.taint=a=b:NoExecute").unwrap(),
            ("timeline.x.taint", "a=b:NoExecute")
        );
        assert_eq!(split("timeline.\"a=b\".at=3s").unwrap(), ("timeline.\"a=b\".at", "3s"));
        assert!(split("horizon").unwrap_err().message.contains("is not PATH=VALUE"));
    }

    #[test]
    fn a_sweep_has_several_values() {
        assert_eq!(
            split_values("pods.web.count=1, 2,3").unwrap(),
            ("pods.web.count".to_owned(), vec!["1".to_owned(), "2".to_owned(), "3".to_owned()])
        );
        assert!(split_values("pods.web.count=1,,3").is_err());
    }
}
