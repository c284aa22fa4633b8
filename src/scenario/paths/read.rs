//! Reads `PATH=VALUE`, with paths to the seconds of a toleration:
//! `tolerations[KEY].tolerationSeconds`.

use crate::api::taint;
use crate::language::duration::whole_seconds;
use crate::scenario::prelude::*;

/// How entries of the timeline are set.
pub(super) const OF_TIMELINE: &str = "`timeline.NAME.FIELD=VALUE`; `timeline=[]` leaves out all of it, `timeline[+]=(at: \"1m\", do: …)` adds an entry";

/// One name of a path, with what stands in brackets behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) name: String,
    pub(super) index: Option<String>,
}

impl Segment {
    /// Whether it goes into a list.
    pub(super) fn is_in_list(&self) -> bool {
        self.index.is_some()
    }
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
    let what = if brackets > 0 { "has a bracket that is not closed" } else { "is not PATH=VALUE" };
    let such = match text.starts_with("timeline") {
        true => OF_TIMELINE,
        false => "such as `pods.web.tolerations[unreachable].tolerationSeconds=120`",
    };
    Err(Problem::new(format!("`{text}` {what}")).help(such))
}

/// A path and the values that a sweep gives it: `PATH=V1,V2,…`.
///
/// # Errors
/// No `=`, an empty value, or a bracket in one that keeps the others.
pub fn split_values(text: &str) -> Result<(String, Vec<String>), Problem> {
    let (path, values) = split(text)?;
    let values: Vec<String> = parted(values).map(|v| v.trim().to_owned()).collect();
    let count = |v: &String, brackets| v.matches(brackets).count();
    let is_open = |v: &&String| count(v, ['(', '[', '{']) > count(v, [')', ']', '}']);
    if let Some(open) = values.iter().filter(|v| v.contains(',')).find(is_open) {
        return Err(Problem::new(format!("`{open}` has a bracket that is not closed")));
    }
    if values.iter().any(String::is_empty) {
        return Err(Problem::new(format!("`{text}` has an empty value"))
            .help("values are separated by commas: PATH=60,120,300"));
    }
    Ok((path.to_owned(), values))
}

/// The parts of a text between its commas; one in brackets, braces or quotes, or behind a `\`, parts nothing:
/// `Zone("b"),Nodes(["a-0", "a-1"])` has two.
pub(crate) fn parted(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut quoted, mut escaped) = (0_i32, false, false);
    text.split(move |c| {
        let parts = !std::mem::replace(&mut escaped, c == '\\');
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
        c == ',' && depth <= 0 && !quoted && parts
    })
}

/// A list without the brackets that make one value of it where commas part values:
/// `nodes.a.taints=[a=b:NoExecute,c=d:NoExecute],[]`.
pub(super) fn without_brackets(value: &str) -> &str {
    let value = value.trim();
    value.strip_prefix('[').and_then(|v| v.strip_suffix(']')).unwrap_or(value)
}

/// A flag's value without the brackets or quotes that make one of it, or the `\` before its commas.
pub(super) fn of_flag(value: &str) -> String {
    let value = without_brackets(value);
    let quoted = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
    quoted.filter(|v| !v.contains('"')).unwrap_or(value).replace("\\,", ",")
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

/// Taint keys that may be written without `node.kubernetes.io/`.
const WELL_KNOWN: [&str; 8] = [
    taint::NOT_READY,
    taint::UNREACHABLE,
    taint::UNSCHEDULABLE,
    taint::MEMORY_PRESSURE,
    taint::DISK_PRESSURE,
    taint::PID_PRESSURE,
    taint::NETWORK_UNAVAILABLE,
    taint::OUT_OF_SERVICE,
];

/// The key without its prefix.
pub(super) fn short(key: &str) -> &str {
    key.rsplit_once('/').map_or(key, |(_, name)| name)
}

/// The whole of a taint's key that a path names, with or without its prefix: a well-known one, or one of a taint or of a
/// toleration of the scenario. A number is that of a toleration.
pub(super) fn taint_key(spec: &Scenario, key: &str) -> Result<String, Problem> {
    fn add(tree: &Tree, is_key: bool, found: &mut BTreeSet<String>) {
        let is_key = is_key || ["taint", "taints", "key"].iter().any(|n| tree.is_named(n));
        let key = tree.text().filter(|_| is_key).and_then(|text| text.split(['=', ':']).next());
        found.extend(key.map(|key| key.trim_end_matches('-').to_owned()));
        tree.parts().iter().for_each(|part| add(part, is_key, found));
    }
    let well_known = WELL_KNOWN.into_iter().find(|k| *k == key || short(k) == key);
    if well_known.is_some() || key.parse::<usize>().is_ok() {
        return Ok(well_known.unwrap_or(key).to_owned());
    }
    let mut own = BTreeSet::new();
    add(&Tree::of(spec), false, &mut own);
    let meant: Vec<&String> = own.iter().filter(|k| *k == key || short(k) == key).collect();
    match meant[..] {
        [one] => Ok(one.clone()),
        [..] if own.contains(key) => Ok(key.to_owned()),
        [..] => {
            let known = own.iter().map(String::as_str).filter(|k| !WELL_KNOWN.contains(k));
            let known: Vec<&str> = WELL_KNOWN.into_iter().map(short).chain(known).collect();
            let text = format!("no taint and no toleration here has the key `{key}`");
            Err(Problem::new(text).meant(key, known))
        }
    }
}

/// Sets the seconds of the tolerations of a taint's key, or of the one of that number; adds one
/// where there is none. One for every effect has none.
pub(crate) fn toleration_seconds(
    tolerations: &mut Vec<Toleration>,
    key: &str,
    value: &str,
) -> Result<Place, Problem> {
    let seconds = match value.trim() {
        "none" => None,
        text => Some(text.parse().map_err(|_| {
            let help = whole_seconds(text).map(|s| format!("`{text}` is {s} seconds: write {s}"));
            Problem::new(format!("expected a whole number, found `{value}`"))
                .maybe_help(help)
                .or_help("whole seconds, or `none` for ever")
        })?),
    };
    if let Ok(i) = key.parse::<usize>() {
        let count = tolerations.len();
        let toleration = tolerations.get_mut(i).ok_or_else(|| {
            Problem::new(format!("there is no toleration number {i}: {count} are written, from 0"))
        })?;
        toleration.toleration_seconds = seconds;
        return Ok(at!["tolerations", i]);
    }
    let mut place = None;
    let meant = tolerations.iter_mut().enumerate();
    let may_have = |t: &Toleration| seconds.is_none() || t.effect.is_some();
    for (i, toleration) in meant.filter(|(_, t)| is_for(t, key) && may_have(t)) {
        toleration.toleration_seconds = seconds;
        place.get_or_insert(at!["tolerations", i]);
    }
    if let Some(place) = place {
        return Ok(place);
    }
    let added = Toleration {
        key: key.to_owned(),
        operator: Some(Operator::Exists),
        effect: Some(Effect::NoExecute),
        toleration_seconds: seconds,
        ..Toleration::default()
    };
    tolerations.push(added);
    Ok(at!["tolerations", tolerations.len() - 1])
}

/// Whether a path with that key means a toleration; those for other effects have no seconds.
fn is_for(t: &Toleration, key: &str) -> bool {
    (t.key == key || short(&t.key) == key)
        && t.effect.is_none_or(|e| e == Effect::NoExecute)
        && !t.key.is_empty()
}

/// The seconds of the toleration of a taint's key, if one is written.
pub(super) fn seconds_of(tolerations: &[Toleration], key: &str) -> Option<String> {
    tolerations.iter().find(|t| is_for(t, key)).map(seconds_in)
}

/// The seconds of a toleration, `none` for ever.
pub(super) fn seconds_in(toleration: &Toleration) -> String {
    toleration.toleration_seconds.map_or_else(|| "none".to_owned(), |s| s.to_string())
}

/// The taint keys whose tolerations a person may want to change: the two of failing nodes, and
/// those that are written.
pub(super) fn keys(tolerations: &[Toleration]) -> impl Iterator<Item = &str> {
    let always = ["unreachable", "not-ready"];
    let own = tolerations.iter().map(|t| short(&t.key));
    always.into_iter().chain(own.filter(move |k| !k.is_empty() && !always.contains(k)))
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
        let of_timeline = split("timeline[]").unwrap_err();
        assert!(of_timeline.help.is_some_and(|help| help.contains("`timeline[+]=")));
        assert!(split("nodes[0.zone=a").unwrap_err().message.contains("is not closed"));
    }

    #[test]
    fn a_sweep_has_several_values() {
        assert_eq!(
            split_values("pods.web.count=1, 2,3").unwrap(),
            ("pods.web.count".to_owned(), vec!["1".to_owned(), "2".to_owned(), "3".to_owned()])
        );
        assert!(split_values("pods.web.count=1,,3").is_err());
        assert!(
            split_values("pods.web.count=[1,3").is_err_and(|p| p.message.contains("`[1,3` has"))
        );
        assert_eq!(split_values("nodes.a.taints=[a,b],c").unwrap().1, ["[a,b]", "c"]);
    }
}
