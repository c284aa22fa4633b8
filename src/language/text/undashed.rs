//! Names of fields as `ron` reads them: without dashes and quotes.

use super::tokens::Reader;

/// A text of the same length in which the names of fields are identifiers: `kube-apiserver: {…}`,
/// `"kube-apiserver": {…}` and `r#kube-apiserver: {…}` in a struct become `kube_apiserver`. Keys of
/// maps stay as they are.
pub(crate) fn undashed(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let mut reader = Reader { text, at: 0 };
    let mut open: Vec<char> = Vec::new();
    // Where a name may begin: after the bracket of a struct, and after a comma in it.
    let mut may_begin = false;
    loop {
        if reader.blank().is_none() {
            break;
        }
        let start = reader.at;
        let Some(c) = reader.peek() else { break };
        if may_begin && open.last() == Some(&'(') && reader.field_name().is_some() {
            let written = &text[start..reader.at];
            let name = written.strip_prefix("r#").unwrap_or(written);
            if written.contains(['-', '"']) || written != name {
                let bare = name.trim_matches('"');
                if bare
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
                    && !bare.is_empty()
                {
                    let at = start + written.find(bare).unwrap_or(0);
                    out[start..reader.at].fill(b' ');
                    out[at..at + bare.len()].copy_from_slice(bare.replace('-', "_").as_bytes());
                }
            }
            may_begin = false;
            continue;
        }
        may_begin = false;
        match c {
            '"' => {
                if reader.string().is_none() {
                    break;
                }
            }
            '(' | '[' | '{' => {
                open.push(c);
                reader.at += 1;
                may_begin = true;
            }
            ')' | ']' | '}' => {
                open.pop();
                reader.at += 1;
            }
            ',' => {
                reader.at += 1;
                may_begin = true;
            }
            '\'' => {
                if reader.character().is_none() {
                    break;
                }
            }
            _ if reader.raw_string().is_some() => {}
            _ if reader.identifier().is_some() => {}
            other => reader.at += other.len_utf8(),
        }
    }
    // Only ASCII was written over ASCII.
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::place::{Place, at};
    use super::super::syntax::Tree;
    use super::*;

    #[test]
    fn names_with_dashes_become_identifiers_of_the_same_length() {
        for (text, expected) in [
            (
                "(kube-apiserver: {\"a-b\": 1})",
                "(kube_apiserver: {\"a-b\": 1})",
            ),
            (
                "(\"kube-apiserver\" : 1, x: -1)",
                "( kube_apiserver  : 1, x: -1)",
            ),
            ("(r#kube-apiserver: 1)", "(  kube_apiserver: 1)"),
            (
                "(a: \"(kube-apiserver: 1)\", /* (b-c: 2) */ d-e: [(f-g: r#\"(h-i: 1)\"#)])",
                "(a: \"(kube-apiserver: 1)\", /* (b-c: 2) */ d_e: [(f_g: r#\"(h-i: 1)\"#)])",
            ),
            (
                "{\"a-b\": (\"x-y\", \"ä-ö\")}",
                "{\"a-b\": (\"x-y\", \"ä-ö\")}",
            ),
            ("(\"ä-ö\": 1)", "(\"ä-ö\": 1)"),
            ("(\"a", "(\"a"),
            ("(a-: 1)", "(a-: 1)"),
        ] {
            assert_eq!(undashed(text), expected);
        }
        let tree = Tree::read("(flags: (kube-apiserver: {\"a-b\": 10}))").unwrap();
        let place: Place = at!["flags", "kube_apiserver", "a-b"];
        assert_eq!(tree.find(&place).map(|t| t.bytes.clone()), Some(33..35));
    }
}
