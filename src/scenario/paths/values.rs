//! Reads single values of `PATH=VALUE`: numbers, truth values, words.

use crate::language::Problem;
use crate::language::duration;
use crate::language::text::did_you_mean_or_list;

pub(super) fn number(value: &str, least: u64, most: u64) -> Result<u64, Problem> {
    match value.trim().parse::<u64>() {
        Ok(n) if (least..=most).contains(&n) => Ok(n),
        Ok(n) => Err(Problem::new(format!(
            "{n} is not between {least} and {most}"
        ))),
        Err(_) => Err(Problem::new(format!(
            "expected a whole number, found `{value}`"
        ))),
    }
}

pub(super) fn integer(value: &str) -> Result<i64, Problem> {
    value.trim().parse().map_err(|_| {
        let help = duration::whole_seconds(value)
            .map(|s| format!("`{}` is {s} seconds: write {s}", value.trim()));
        Problem::new(format!("expected a whole number, found `{value}`")).maybe_help(help)
    })
}

pub(super) fn boolean(value: &str) -> Result<bool, Problem> {
    value
        .trim()
        .parse()
        .map_err(|_| Problem::new(format!("expected true or false, found `{value}`")))
}

pub(super) fn int32(value: &str) -> Result<i32, Problem> {
    i32::try_from(integer(value)?).map_err(|_| Problem::new(format!("{value} is out of range")))
}

pub(super) fn word<T: Copy>(value: &str, words: &[(&str, T)]) -> Result<T, Problem> {
    let known: Vec<&str> = words.iter().map(|(w, _)| *w).collect();
    words
        .iter()
        .find(|(w, _)| w.eq_ignore_ascii_case(value.trim()))
        .map(|(_, t)| *t)
        .ok_or_else(|| {
            Problem::new(format!("`{value}` is none of the values of this field"))
                .maybe_help(did_you_mean_or_list(value, &known))
        })
}
