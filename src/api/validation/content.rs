//! The forms of names, keys and values (`apimachinery/pkg/util/validation/validation.go`, v1.34).
//!
//! Each function returns what is wrong, in upstream's words; nothing if all is well. Upstream
//! matches regular expressions, whose text is part of its messages; the checks here are written
//! out, and equal to them.

const NAME_LENGTH_MAX: usize = 63;
const SUBDOMAIN_LENGTH_MAX: usize = 253;

const NAME_MESSAGE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
     character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_MESSAGE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
     start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is \
     '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const LABEL_MESSAGE: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and \
     end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN_MESSAGE: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and \
     must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

fn too_long(most: usize) -> String {
    format!("must be no more than {most} characters")
}

/// What is wrong with a text that may be so long, and that has to be of a form, which `message` says.
fn errors(value: &str, most: usize, is_of_form: bool, message: &str) -> Vec<String> {
    let length = (value.len() > most).then(|| too_long(most));
    length.into_iter().chain((!is_of_form).then(|| message.to_owned())).collect()
}

/// Starts and ends with one of `ends`, and has nothing but `inside` between; not empty.
fn framed(text: &str, ends: fn(u8) -> bool, inside: fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    matches!((bytes.first(), bytes.last()), (Some(first), Some(last)) if ends(*first) && ends(*last))
        && bytes.iter().all(|b| ends(*b) || inside(*b))
}

fn is_name(text: &str) -> bool {
    framed(text, |b| b.is_ascii_alphanumeric(), |b| matches!(b, b'-' | b'_' | b'.'))
}

fn is_dns_label(text: &str) -> bool {
    framed(text, |b| b.is_ascii_lowercase() || b.is_ascii_digit(), |b| b == b'-')
}

/// A key of a label, taint or toleration: an optional DNS subdomain of at most 253 characters and
/// `/`, then a name of at most 63 (`IsQualifiedName`).
pub(crate) fn qualified_name(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let parts: Vec<&str> = value.splitn(3, '/').collect();
    let name = match parts[..] {
        [name] => name,
        [prefix, name] => {
            let wrong = match prefix {
                "" => vec!["must be non-empty".to_owned()],
                _ => dns1123_subdomain(prefix),
            };
            errors.extend(wrong.into_iter().map(|e| format!("prefix part {e}")));
            name
        }
        _ => {
            let advice =
                "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return vec![format!("a qualified name {NAME_MESSAGE} {advice}")];
        }
    };
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    } else if name.len() > NAME_LENGTH_MAX {
        errors.push(format!("name part {}", too_long(NAME_LENGTH_MAX)));
    }
    if !is_name(name) {
        errors.push(format!("name part {NAME_MESSAGE}"));
    }
    errors
}

/// A value of a label or taint: empty, or a name of at most 63 characters (`IsValidLabelValue`).
pub(crate) fn label_value(value: &str) -> Vec<String> {
    errors(value, NAME_LENGTH_MAX, value.is_empty() || is_name(value), VALUE_MESSAGE)
}

/// The name of a namespace, and of much else (`IsDNS1123Label`).
pub(crate) fn dns1123_label(value: &str) -> Vec<String> {
    // If its dots are all that is wrong with a text, the error says so.
    let is_dotted = value.split('.').all(is_dns_label);
    let message = if is_dotted { "must not contain dots" } else { LABEL_MESSAGE };
    errors(value, NAME_LENGTH_MAX, is_dns_label(value), message)
}

/// The name of a node, a pod and most other objects (`IsDNS1123Subdomain`).
pub(crate) fn dns1123_subdomain(value: &str) -> Vec<String> {
    let is_of_form = value.split('.').all(is_dns_label);
    errors(value, SUBDOMAIN_LENGTH_MAX, is_of_form, SUBDOMAIN_MESSAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables of upstream's `TestIsQualifiedName` (validation_test.go, v1.34).
    #[test]
    fn qualified_names() {
        let long = |n: usize| "a".repeat(n);
        for good in [
            "simple".to_owned(),
            "now-with-dashes".to_owned(),
            "1-starts-with-num".to_owned(),
            "1234".to_owned(),
            "simple/simple".to_owned(),
            "now-with-dashes/simple".to_owned(),
            "now-with-dashes/now-with-dashes".to_owned(),
            "now.with.dots/simple".to_owned(),
            "now-with.dashes-and.dots/simple".to_owned(),
            "1-num.2-num/3-num".to_owned(),
            "1234/5678".to_owned(),
            "1.2.3.4/5678".to_owned(),
            "Uppercase_Is_OK_123".to_owned(),
            "example.com/Uppercase_Is_OK_123".to_owned(),
            "requests.storage-foo".to_owned(),
            long(63),
            format!("{}/{}", long(253), "b".repeat(63)),
        ] {
            assert_eq!(qualified_name(&good), Vec::<String>::new(), "{good}");
        }
        for bad in [
            "nospecialchars%^=@".to_owned(),
            "cantendwithadash-".to_owned(),
            "-cantstartwithadash-".to_owned(),
            "only/one/slash".to_owned(),
            "Example.com/abc".to_owned(),
            "example_com/abc".to_owned(),
            "example.com/".to_owned(),
            "/simple".to_owned(),
            long(64),
            format!("{}/abc", long(254)),
            String::new(),
            "é".to_owned(),
        ] {
            assert_ne!(qualified_name(&bad), Vec::<String>::new(), "{bad}");
        }
    }

    #[test]
    fn messages_are_upstreams() {
        let name = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character \
                    (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
        assert_eq!(qualified_name("a%"), [format!("name part {name}")]);
        assert_eq!(
            qualified_name(""),
            ["name part must be non-empty".to_owned(), format!("name part {name}")]
        );
        assert_eq!(qualified_name("/a"), ["prefix part must be non-empty"]);
        assert_eq!(
            qualified_name("a/b/c"),
            [format!(
                "a qualified name {name} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )]
        );
        assert_eq!(
            qualified_name(&"a".repeat(64)),
            ["name part must be no more than 63 characters"]
        );
        assert_eq!(
            qualified_name(&format!("{}/a", "a".repeat(254))),
            ["prefix part must be no more than 253 characters"]
        );
    }

    #[test]
    fn values_and_object_names() {
        for good in ["", "simple", "now-with-dashes", "1234", "A", "end.with_1"] {
            assert_eq!(label_value(good), Vec::<String>::new(), "{good}");
        }
        for bad in ["-1", "a-", "sp ace", "a/b", "é", "_"] {
            assert_eq!(label_value(bad), [VALUE_MESSAGE], "{bad}");
        }
        assert_eq!(label_value(&"a".repeat(64)), ["must be no more than 63 characters"]);
        for good in ["a", "node-1", "node-1.example.com", "1"] {
            assert_eq!(dns1123_subdomain(good), Vec::<String>::new(), "{good}");
        }
        for bad in ["", "A", "node_1", ".a", "a.", "a..b", "-a", "a-.b"] {
            assert_eq!(dns1123_subdomain(bad), [SUBDOMAIN_MESSAGE], "{bad}");
        }
        assert_eq!(dns1123_label("a.b"), ["must not contain dots"]);
        assert_eq!(dns1123_label("kube-system"), Vec::<String>::new());
    }
}
