//! klog's line: header, message, keys and values (`klog.go: formatHeader`,
//! `internal/serialize/keyvalues.go`), and Go's forms of values.

use crate::api::taint::Taint;
use crate::files::acts;
use crate::kernel::Time;
use chrono::{DateTime, Utc};
use serde::Deserialize;

/// A value behind a key.
pub(super) enum Value {
    /// Anything that klog puts into quotes.
    Text(String),
    /// A number, or JSON.
    Raw(String),
}

impl Value {
    /// As it stands in free words.
    pub(super) fn plain(&self) -> &str {
        match self {
            Self::Text(text) | Self::Raw(text) => text,
        }
    }
}

/// Keys and the values behind them.
pub(super) type Values<'v> = &'v [(&'v str, Value)];

/// Whether a line is of information, a warning or an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
pub(super) enum Severity {
    #[default]
    Info,
    Warning,
    Error,
}

/// `I0101 00:10:40.804000       1 file.go:123] `
pub(super) fn header(at: Time, severity: Severity, place: (&str, u32)) -> String {
    let letter = match severity {
        Severity::Info => 'I',
        Severity::Warning => 'W',
        Severity::Error => 'E',
    };
    let time = by_the_clock(at).format("%m%d %H:%M:%S%.6f");
    format!("{letter}{time} {:>7} {}:{}] ", 1, place.0, place.1)
}

/// A time since 1970, as all times here are.
fn by_the_clock(at: Time) -> DateTime<Utc> {
    let nanos = at.as_nanos() % 1_000_000_000;
    DateTime::from_timestamp(at.as_secs() as i64, nanos as u32).unwrap_or_default()
}

/// A string as Go quotes it (`%q`).
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_ascii_control() => out += &format!("\\x{:02x}", u32::from(c)),
            c if acts(c) && u32::from(c) < 0x1_0000 => out += &format!("\\u{:04x}", u32::from(c)),
            c if acts(c) => out += &format!("\\U{:08x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A message with keys and values.
pub(super) fn structured(message: &str, values: Values<'_>) -> String {
    let mut out = quoted(message);
    for (key, value) in values {
        let value = match value {
            Value::Text(text) => &quoted(text),
            Value::Raw(text) => text,
        };
        out.extend([" ", *key, "=", value]);
    }
    out
}

/// `2000-01-01 00:01:45.1 +0000 UTC`: Go's `Time.String`, without its monotonic reading.
pub(super) fn go_time(at: Time) -> String {
    let fraction = format!(".{:09}", at.as_nanos() % 1_000_000_000);
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    format!("{}{fraction} +0000 UTC", by_the_clock(at).format("%F %T"))
}

/// A taint with the second in which it was written.
pub(super) type Timed<'a> = (&'a Taint, Option<Time>);

/// A list of Go: what stands for each taint, in brackets.
fn list(taints: &[Timed<'_>], gap: &str, one: fn(&Taint, Option<Time>) -> String) -> String {
    let all: Vec<String> = taints.iter().map(|(taint, at)| one(taint, *at)).collect();
    format!("[{}]", all.join(gap))
}

/// Taints as JSON, as klog writes them from 1.27 on.
pub(super) fn taints_json(taints: &[Timed<'_>]) -> String {
    list(taints, ",", |t, at| {
        let value = match t.value.as_str() {
            "" => String::new(),
            value => format!(",\"value\":{}", quoted(value)),
        };
        let added = |at| format!(",\"timeAdded\":\"{}\"", by_the_clock(at).format("%FT%TZ"));
        let added = at.map(added).unwrap_or_default();
        format!("{{\"key\":{}{value},\"effect\":\"{}\"{added}}}", quoted(&t.key), t.effect)
    })
}

/// When a taint was added, to the second as the API has it.
fn added(at: Option<Time>) -> String {
    at.map_or("<nil>".to_owned(), |at| go_time(Time::from_secs(at.as_secs())))
}

/// Taints as `%+v` of a list of structures.
pub(super) fn taints_fields(taints: &[Timed<'_>]) -> String {
    list(taints, " ", |t, at| {
        format!("{{Key:{} Value:{} Effect:{} TimeAdded:{}}}", t.key, t.value, t.effect, added(at))
    })
}

/// Taints as `%v` of a list of structures.
pub(super) fn taints_plain(taints: &[Timed<'_>]) -> String {
    list(taints, " ", |t, at| format!("{{{} {} {} {}}}", t.key, t.value, t.effect, added(at)))
}

/// Taints as a list of pointers, which print themselves (`Taint.String`), with all of their time,
/// as they are in memory.
pub(super) fn taints_pointers(taints: &[Timed<'_>]) -> String {
    list(taints, " ", |t, at| {
        let at = at.map(|at| go_time(Time::from_micros(at.as_micros())));
        let added = at.as_deref().unwrap_or("<nil>");
        format!("&Taint{{Key:{},Value:{},Effect:{},TimeAdded:{added},}}", t.key, t.value, t.effect)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::taint::{Effect, UNREACHABLE};
    use crate::kernel::Dur;

    /// `date -ud 2000-01-01 +%s`
    const Y2K: Time = Time::from_secs(946_684_800);

    #[test]
    fn a_line_begins_as_klogs_do() {
        // From klog's documentation: Lmmdd hh:mm:ss.uuuuuu threadid file:line], threadid padded to
        // seven.
        let at = Y2K + Dur::from_nanos((86_400 * 59 + 3_661) * 1_000_000_000 + 123_456_789);
        assert_eq!(
            header(at, Severity::Info, ("a.go", 12)),
            "I0229 01:01:01.123456       1 a.go:12] "
        );
    }

    #[test]
    fn values_are_written_as_go_does() {
        assert_eq!(
            go_time(Y2K + Dur::from_nanos(105_100_001_001)),
            "2000-01-01 00:01:45.100001001 +0000 UTC"
        );
        assert_eq!(go_time(Y2K + Dur::from_secs(365 * 86_400)), "2000-12-31 00:00:00 +0000 UTC");
        assert_eq!(go_time(Y2K + Dur::from_secs(366 * 86_400)), "2001-01-01 00:00:00 +0000 UTC");
        assert_eq!(quoted("say \"x\"\n"), r#""say \"x\"\n""#);
        let values = [("node", Value::Text("a".to_owned())), ("n", Value::Raw("3".to_owned()))];
        assert_eq!(structured("Too few", &values), r#""Too few" node="a" n=3"#);
        let taint = Taint::new(UNREACHABLE, Effect::NoExecute);
        let all = [(&taint, Some(Y2K + Dur::from_secs(105)))];
        assert_eq!(
            taints_json(&all),
            r#"[{"key":"node.kubernetes.io/unreachable","effect":"NoExecute","timeAdded":"2000-01-01T00:01:45Z"}]"#
        );
        let fields = "[{Key:node.kubernetes.io/unreachable Value: Effect:NoExecute TimeAdded:2000-01-01 00:01:45 +0000 UTC}]";
        assert_eq!(taints_fields(&all), fields);
    }
}
