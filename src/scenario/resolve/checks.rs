//! What the API server would refuse, at its place in the scenario.

use crate::api::kubectl_taint;
use crate::api::quantity::Quantity;
use crate::api::toleration::Toleration;
use crate::api::usage::{Usages, Used};
use crate::api::validation;
use crate::scenario::prelude::*;

/// The name of an image, of the letters that one may have (`distribution/reference`).
pub(super) fn image_name(name: &str, place: &Spot) -> Option<Rc<str>> {
    let may_be = |c: char| c.is_ascii_alphanumeric() || "._-/:@".contains(c);
    if name.is_empty() || !name.chars().all(may_be) {
        return place.deny(format!("{name:?} is not the name of an image, such as \"shop/web:2\""));
    }
    Some(name.into())
}

/// Whether the gate TaintTolerationComparisonOperators is on: `Lt` and `Gt` are valid.
pub(super) type ComparisonOperators = bool;

/// The name of a node or pod.
pub(super) fn object_name(kind: &str, name: &str) -> Result<(), Problem> {
    first(kind, name, validation::dns1123_subdomain(name))
}

/// The name of a namespace.
pub(super) fn namespace(name: &str) -> Result<(), Problem> {
    first("namespace", name, validation::dns1123_label(name))
}

/// A value of a label.
pub(super) fn label_value(value: &str) -> Result<(), Problem> {
    first("label value", value, validation::label_value(value))
}

/// A label.
pub(super) fn label(key: &str, value: &str) -> Result<(), Problem> {
    first("label key", key, validation::qualified_name(key)).and_then(|()| label_value(value))
}

fn first(what: &str, text: &str, errors: Vec<String>) -> Result<(), Problem> {
    // Of a text of megabytes only the beginning is shown.
    let shown: String = text.chars().take(100).collect();
    let error = errors.into_iter().next();
    error.map_or(Ok(()), |error| Err(Problem::new(format!("{what} `{shown}`: {error}"))))
}

/// Taints in kubectl's syntax.
pub(super) fn taint_edit(texts: &[String]) -> Result<TaintEdit, Problem> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    kubectl_taint::parse(&texts).map_err(|e| match e.hint {
        // What is missing comes first; kubectl's own words end in a pattern of several lines.
        Some(hint) if hint.starts_with("add an effect") => {
            let said = e.text.split(", name part").next().unwrap_or(&e.text);
            let effects = hint.trim_start_matches("add an effect, ");
            Problem::new(format!("this taint has no effect: {effects}"))
                .help(format!("kubectl says: {said}"))
        }
        hint => Problem::new(e.text).maybe_help(hint),
    })
}

/// A single taint that is set, in kubectl's form.
pub(super) fn taint(text: &str) -> Result<Taint, Problem> {
    let set = text.trim_end_matches('-');
    let wrong = |what: &str| {
        let effect = if set.contains(':') { "" } else { ":NoExecute" };
        Problem::new(format!("`{text}` {what}")).help(format!("write \"{set}{effect}\", say"))
    };
    if set == text && !text.contains(':') {
        return Err(wrong("is a taint without an effect"));
    }
    let mut edit = taint_edit(&[text.to_owned()])?;
    edit.add.pop().ok_or_else(|| wrong("removes a taint, and here one is set"))
}

/// A number, or a share such as `such_as`.
pub(super) fn number_or_share(value: &FlagValue, such_as: &str) -> Result<IntOrPercent, Problem> {
    let wrong = || format!("expected a number or a share such as {such_as:?}, found {value}");
    IntOrPercent::parse(&value.to_string()).ok_or_else(|| Problem::new(wrong()))
}

/// Sets `timeAdded` of the taints that are named, `key:Effect`.
pub(super) fn times_added(
    taints: &mut [Taint],
    times: &BTreeMap<String, DurationText>,
    place: &Spot,
) {
    for (name, text) in times {
        let seconds = place.part(name).take(values::stored_seconds(text));
        match taints.iter_mut().find(|t| Taint::new(&t.key, t.effect).to_string() == *name) {
            Some(taint) => taint.time_added = seconds.map(Timestamp),
            None => place.part(name).add_name(
                Problem::new(format!("the group has no taint `{name}`"))
                    .help("`key:Effect`, without the value, of a taint in `taints`"),
            ),
        }
    }
}

/// Labels that Kubernetes accepts; complaints about the others.
pub(super) fn checked_labels(labels: &BTreeMap<String, String>, place: &Spot) -> Labels {
    for (key, value) in labels {
        if let Err(problem) = label(key, value) {
            // A problem of the value is reported at the value.
            let of_key = label(key, "").is_err();
            if of_key { place.part(key).add_name(problem) } else { place.part(key).add(problem) }
        }
    }
    labels.clone()
}

/// What is used of each resource, by shares of what is requested or there; complaints about what cannot be read.
pub(super) fn usages(
    texts: &BTreeMap<String, UsageText>,
    of: &Resources,
    place: &Spot,
) -> Option<Rc<Usages>> {
    if texts.is_empty() {
        return None;
    }
    let whole = |used: Used| i64::try_from(of.get(used.as_str())?.value()).ok();
    match eviction::usages(texts, whole) {
        Ok(usages) => Some(Rc::new(usages)),
        Err((name, problem)) => place.part(&name).refuse(problem),
    }
}

/// Amounts of resources; nothing if one of them cannot be read.
pub(super) fn resources(texts: &BTreeMap<String, QuantityText>, place: &Spot) -> Option<Resources> {
    let mut all = Resources::new();
    let mut fine = true;
    for (name, text) in texts {
        match place.part(name).take(amount(text)) {
            Some(quantity) => drop(all.insert(name.clone(), quantity)),
            None => fine = false,
        }
    }
    fine.then_some(all)
}

/// An amount that is not negative.
pub(super) fn amount(text: &QuantityText) -> Result<Quantity, Problem> {
    eviction::quantity(text).and_then(|q| match q.is_negative() {
        true => Err(Problem::new(format!("{text} is negative"))),
        false => Ok(q),
    })
}

/// Tolerations that the API accepts; complaints about the others.
pub(super) fn read_tolerations(
    written: &[language::Toleration],
    place: &Spot,
    operators: ComparisonOperators,
) -> Vec<Toleration> {
    let all: Vec<Toleration> = written.iter().map(language::Toleration::of_api).collect();
    for (place, toleration) in place.each(&all) {
        let one = std::slice::from_ref(toleration);
        for error in validation::validate_tolerations(one, "", operators) {
            let text = error.to_string();
            // The path begins with the toleration's own place, which the complaint has already.
            let text = text.strip_prefix("[0].").unwrap_or(&text);
            let gate = matches!(toleration.operator, Operator::Lt | Operator::Gt) && !operators;
            let help = gate
                .then(|| "`Lt` and `Gt` need `feature_gates: { \"TaintTolerationComparisonOperators\": true }`, from 1.35 on".to_owned());
            let field = text.split(':').next().unwrap_or_default();
            place.part(field).add(Problem::new(text).maybe_help(help.or(error.hint)));
        }
    }
    all
}
