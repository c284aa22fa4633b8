//! What speaks against a recommendation: values that nobody tried, and runs that are not what would happen.

use super::told::Told;
use crate::lab::planner::{Answer, Row, size};

/// What is to be said behind the value that is recommended.
pub(super) fn doubts(told: &Told<'_>) -> String {
    beyond(told.answer) + short_of_memory(told)
}

/// That what the best value comes to is not what would happen.
pub(super) fn short_of_memory(told: &Told<'_>) -> &'static str {
    match told.kept.used_up.get(told.answer.best) {
        Some(1..) => {
            "; but nodes run out of memory with it, of which not all is simulated (Out of memory)"
        }
        _ => "",
    }
}

/// With which values nodes ran out of memory, and how often.
pub(super) fn out_of_memory(told: &Told<'_>) -> Option<String> {
    let named = told.often(&told.kept.used_up)?;
    Some(format!(
        "kubelets found no memory left on nodes {named}: the kernel kills before that, which is not simulated, so that what these come to is not what would happen"
    ))
}

/// That a value which nobody tried may be better.
fn beyond(a: &Answer) -> String {
    let value = |row: &Row| match row.values.as_slice() {
        [one] => size(one),
        _ => None,
    };
    let others = a.rows.iter().enumerate().filter(|(i, _)| *i != a.best);
    let others = others.filter_map(|(_, r)| Some((value(r)?, r.more, r.more_interval.low)));
    let greater = value(&a.rows[a.best]).and_then(|best| falls_beyond(best, others.collect()));
    let (most, more) = match greater {
        Some(true) => ("greatest", "greater"),
        Some(false) => ("smallest", "smaller"),
        None => return String::new(),
    };
    format!(
        "; it is the {most} value that was tried, and costs fall towards it: a {more} one may be better"
    )
}

/// Whether a value greater than the best may be better, or a smaller one, as no other is so great or so small, the nearest is known to
/// cost more, and the others the more the further they are. Of others what they are, what they cost more, and at least.
fn falls_beyond(best: f64, mut others: Vec<(f64, f64, f64)>) -> Option<bool> {
    let greater = others.iter().all(|o| o.0 < best);
    let is_last = greater || others.iter().all(|o| o.0 > best);
    others.sort_by(|a, b| (a.0 - best).abs().total_cmp(&(b.0 - best).abs()));
    let falls = others.first()?.2 > 0.0 && others.is_sorted_by_key(|o| o.1);
    // There is nothing below 0 or above all.
    let may_be = if greater { best.is_finite() } else { best > 0.0 };
    (is_last && falls && may_be).then_some(greater)
}

#[cfg(test)]
mod tests {
    use super::falls_beyond;

    /// Of 30, 60 and 300 a smaller one than 30 may be better where 60 and 300 are known to cost more, and 300 the most; one below 0 is
    /// none, and one above `none` neither.
    #[test]
    fn the_best_may_be_beyond_what_was_tried() {
        let of = |best, others: &[(f64, f64, f64)]| falls_beyond(best, others.to_vec());
        assert_eq!(of(30.0, &[(60.0, 5.0, 1.0), (300.0, 90.0, 70.0)]), Some(false));
        assert_eq!(of(300.0, &[(60.0, 5.0, 1.0), (30.0, 9.0, 7.0)]), Some(true));
        assert_eq!(of(0.0, &[(60.0, 5.0, 1.0), (300.0, 90.0, 70.0)]), None);
        assert_eq!(of(f64::INFINITY, &[(60.0, 5.0, 1.0)]), None);
        // In the middle; not known; the furthest costs less than the nearest.
        assert_eq!(of(60.0, &[(30.0, 5.0, 1.0), (300.0, 90.0, 70.0)]), None);
        assert_eq!(of(30.0, &[(60.0, 5.0, -1.0), (300.0, 90.0, 70.0)]), None);
        assert_eq!(of(30.0, &[(60.0, 5.0, 1.0), (300.0, 3.0, 2.0)]), None);
        assert_eq!(of(30.0, &[]), None);
    }
}
