//! The syntax of taints on kubectl's command line (`parseTaints`, `parseTaint`).

use super::edit::TaintEdit;
use crate::api::spelling;
use crate::api::taint::{Effect, Taint};
use crate::api::validation::{label_value, qualified_name};
use thiserror::Error;

/// Why kubectl refuses a command, in its own words, and what may have been meant.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{text}")]
pub struct TaintSyntaxError {
    /// kubectl's words.
    pub text: String,
    /// What may have been meant; kubectl does not say that.
    pub hint: Option<String>,
}

impl TaintSyntaxError {
    fn new(text: String) -> Self {
        Self { text, hint: None }
    }

    fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Reads the taints of one command, one per argument: `key=value:Effect` and `key:Effect` add,
/// `key-`, `key:Effect-` and `key=value:Effect-` (whose value is ignored) remove.
/// [`TaintEdit::overwrite`] is left unset.
///
/// # Errors
/// What kubectl refuses before it looks at any node: malformed taints, the same key and effect
/// twice, one taint both added and removed, no taint at all.
pub fn parse(args: &[&str]) -> Result<TaintEdit, TaintSyntaxError> {
    if args.is_empty() {
        return Err(TaintSyntaxError::new("at least one taint update is required".to_owned()));
    }
    let mut edit = TaintEdit::default();
    for arg in args {
        if let Some(spec) = arg.strip_suffix('-') {
            let spec = Spec::parse(spec)?;
            edit.remove.push((spec.key.to_owned(), spec.effect));
            continue;
        }
        let spec = Spec::parse(arg)?;
        let Some(effect) = spec.effect else {
            let hint = format!(
                "add an effect, \"{arg}:NoExecute\" say, or \"{arg}-\" to remove the taint"
            );
            return Err(TaintSyntaxError::new(format!("invalid taint spec: {arg}")).with_hint(hint));
        };
        let taint = Taint { value: spec.value.to_owned(), ..Taint::new(spec.key, effect) };
        if edit.add.iter().any(|earlier| earlier.matches(&taint)) {
            // Go's print of the struct.
            let printed = format!("{{{} {} {} <nil>}}", taint.key, taint.value, taint.effect);
            return Err(TaintSyntaxError::new(format!(
                "duplicated taints with the same key and effect: {printed}"
            )));
        }
        edit.add.push(taint);
    }
    refuse_conflicts(&edit)?;
    Ok(edit)
}

/// Taints as recorded timelines write them: `key=value:Effect`, several with commas; to be removed,
/// if so said, by `key` or `key:Effect` without a trailing `-`. Keys and values are taken as they
/// stand.
///
/// # Errors
/// An effect that is none, and an added taint without one.
pub fn parse_recorded(text: &str, removes: bool) -> Result<TaintEdit, TaintSyntaxError> {
    let mut edit = TaintEdit::default();
    for item in text.split(',') {
        let (head, effect) = match item.split_once(':') {
            Some((head, effect)) => (head, Some(effect_of(effect)?)),
            None => (item, None),
        };
        let (key, value) = head.split_once('=').unwrap_or((head, ""));
        match (removes, effect) {
            (true, effect) => edit.remove.push((key.to_owned(), effect)),
            (false, Some(effect)) => {
                edit.add.push(Taint { value: value.to_owned(), ..Taint::new(key, effect) })
            }
            (false, None) => {
                return Err(TaintSyntaxError::new(format!("invalid taint spec: {item}")));
            }
        }
    }
    Ok(edit)
}

/// A taint without what says whether it is added or removed.
struct Spec<'a> {
    key: &'a str,
    value: &'a str,
    effect: Option<Effect>,
}

impl<'a> Spec<'a> {
    /// `key=value:Effect`, `key:Effect` or `key` (`parseTaint`).
    fn parse(text: &'a str) -> Result<Self, TaintSyntaxError> {
        let invalid = |errors: &[String]| {
            let why = if errors.is_empty() { "" } else { &format!(", {}", errors.join("; ")) };
            TaintSyntaxError::new(format!("invalid taint spec: {text}{why}"))
        };
        let mut parts = text.splitn(3, ':');
        let head = parts.next().unwrap_or_default();
        let effect = parts.next();
        if parts.next().is_some() {
            return Err(invalid(&[]));
        }
        let Some(effect) = effect else {
            let errors = qualified_name(head);
            return match errors.as_slice() {
                [] => Ok(Self { key: head, value: "", effect: None }),
                // A value without an effect is read as part of the key, which kubectl's words do
                // not make plain.
                _ if head.contains('=') => {
                    let hint = format!("add an effect, \"{head}:NoExecute\" say");
                    Err(invalid(&errors).with_hint(hint))
                }
                _ => Err(invalid(&errors)),
            };
        };
        let effect = effect_of(effect)?;
        let (key, value) = head.split_once('=').unwrap_or((head, ""));
        if value.contains('=') {
            return Err(invalid(&[]));
        }
        for errors in [label_value(value), qualified_name(key)] {
            if !errors.is_empty() {
                return Err(invalid(&errors));
            }
        }
        Ok(Self { key, value, effect: Some(effect) })
    }
}

/// `validateTaintEffect`, and what may have been meant.
fn effect_of(text: &str) -> Result<Effect, TaintSyntaxError> {
    let all = [Effect::NoSchedule, Effect::PreferNoSchedule, Effect::NoExecute].map(Effect::as_str);
    Effect::parse(text).ok_or_else(|| {
        let error = TaintSyntaxError::new(format!(
            "invalid taint effect: {text}, unsupported taint effect"
        ));
        match spelling::nearest(text, all) {
            Some(near) => error.with_hint(format!("did you mean {near}?")),
            None => error.with_hint(format!("effects are {}", all.join(", "))),
        }
    })
}

/// One taint cannot be both added and removed (`TaintOptions.Validate`).
fn refuse_conflicts(edit: &TaintEdit) -> Result<(), TaintSyntaxError> {
    let mut conflicts = Vec::new();
    for add in &edit.add {
        for (key, effect) in &edit.remove {
            if add.key == *key && effect.is_none_or(|effect| effect == add.effect) {
                conflicts.push(format!("{key}={}", effect.map_or("", Effect::as_str)));
            }
        }
    }
    if conflicts.is_empty() {
        return Ok(());
    }
    let list = conflicts.join(", ");
    Err(TaintSyntaxError::new(format!(
        "can not both modify and remove the following taint(s) in the same command: {list}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
         alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
         '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

    fn args(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    /// kubectl's `TestParseTaints` (utils_test.go, v0.34).
    #[test]
    fn what_kubectl_reads() {
        let all = "foo=abc:NoSchedule bar=abc:NoSchedule baz:NoSchedule qux:NoExecute foobar=:PreferNoSchedule foo:NoExecute- \
                   bar=x:PreferNoSchedule- dedicated-";
        let edit = parse(&args(all)).expect("all forms");
        let added: Vec<String> = edit.add.iter().map(ToString::to_string).collect();
        assert_eq!(
            added,
            [
                "foo=abc:NoSchedule",
                "bar=abc:NoSchedule",
                "baz:NoSchedule",
                "qux:NoExecute",
                "foobar:PreferNoSchedule"
            ]
        );
        assert_eq!(
            edit.remove,
            [
                ("foo".to_owned(), Some(Effect::NoExecute)),
                ("bar".to_owned(), Some(Effect::PreferNoSchedule)),
                ("dedicated".to_owned(), None)
            ]
        );
        assert!(!edit.overwrite);
        assert!(edit.add.iter().all(|taint| taint.time_added.is_none()));
    }

    /// Texts printed by kubectl's `parseTaints` (v0.34.4), run on these inputs.
    #[test]
    fn what_kubectl_refuses() {
        for (text, expected) in [
            ("foo=bar:NoSchedule foo=x:NoSchedule", "duplicated taints with the same key and effect: {foo x NoSchedule <nil>}".to_owned()),
            ("a=b", format!("invalid taint spec: a=b, {NAME}")),
            ("a:NoExcute", "invalid taint effect: NoExcute, unsupported taint effect".to_owned()),
            ("a", "invalid taint spec: a".to_owned()),
            ("=b:NoExecute", format!("invalid taint spec: =b:NoExecute, name part must be non-empty; {NAME}")),
            ("a==b:NoExecute", "invalid taint spec: a==b:NoExecute".to_owned()),
            ("a:b:NoExecute", "invalid taint spec: a:b:NoExecute".to_owned()),
            ("a=b-", format!("invalid taint spec: a=b, {NAME}")),
            ("a:-", "invalid taint effect: , unsupported taint effect".to_owned()),
            ("-", format!("invalid taint spec: , name part must be non-empty; {NAME}")),
            ("a:noexecute-", "invalid taint effect: noexecute, unsupported taint effect".to_owned()),
            ("foo:", "invalid taint effect: , unsupported taint effect".to_owned()),
            // From taint.go: Validate and Complete.
            (
                "foo=1:NoExecute foo:NoExecute-",
                "can not both modify and remove the following taint(s) in the same command: foo=NoExecute".to_owned(),
            ),
            (
                "foo=1:NoExecute bar:NoSchedule foo- bar-",
                "can not both modify and remove the following taint(s) in the same command: foo=, bar=".to_owned(),
            ),
            ("", "at least one taint update is required".to_owned()),
        ] {
            assert_eq!(parse(&args(text)).expect_err(text).to_string(), expected, "{text}");
        }
        let value = parse(&["a=sp ace:NoExecute"]).expect_err("a blank").text;
        assert!(value.starts_with("invalid taint spec: a=sp ace:NoExecute, a valid label must be an empty string or consist of"));
        // The same key with another effect is another taint.
        assert!(parse(&args("foo:NoExecute foo:NoSchedule")).is_ok());
        assert!(parse(&args("foo:NoExecute foo:NoSchedule-")).is_ok());
    }

    #[test]
    fn refusals_say_what_may_have_been_meant() {
        for (text, hint) in [
            ("a=b:NoExcute", "did you mean NoExecute?"),
            ("a:noschedule-", "did you mean NoSchedule?"),
            ("a:PreferNoShedule", "did you mean PreferNoSchedule?"),
            ("a:Evict", "effects are NoSchedule, PreferNoSchedule, NoExecute"),
            ("a=b", "add an effect, \"a=b:NoExecute\" say"),
            ("a", "add an effect, \"a:NoExecute\" say, or \"a-\" to remove the taint"),
        ] {
            assert_eq!(parse(&[text]).expect_err(text).hint.as_deref(), Some(hint), "{text}");
        }
    }

    #[test]
    fn recorded_timelines_have_their_own_form() {
        let added = parse_recorded("a=1:NoExecute,a=2:NoExecute", false).expect("adding");
        assert_eq!(
            added.add.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["a=1:NoExecute", "a=2:NoExecute"]
        );
        let removed = parse_recorded("a,b:NoExecute", true).expect("removing");
        assert_eq!(
            removed.remove,
            [("a".to_owned(), None), ("b".to_owned(), Some(Effect::NoExecute))]
        );
        assert!(parse_recorded("a", false).is_err());
        assert!(parse_recorded("a:Nope", true).is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-c=:/.-]{0,8}(:No(Schedule|Execute))?-?|\\PC{0,20}") {
            if let Ok(edit) = parse(&text.split(',').collect::<Vec<_>>()) {
                for taint in &edit.add {
                    let again = parse(&[&taint.to_string()]).map(|edit| edit.add);
                    proptest::prop_assert_eq!(again, Ok(vec![taint.clone()]));
                }
            }
            let _ = parse_recorded(&text, false);
        }
    }
}
