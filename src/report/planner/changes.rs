//! What would change the answer, in words.

use super::told::{Told, amount};
use crate::lab::planner::{BreakEven, EVICTED, FIGURES, NEEDLESS, Sensitivity};
use crate::report::text::joined;

/// A share of outages is printed in percent, so one that rounds to 0 or to 100 % is no bound to fall
/// below or to rise above.
const SHARE: f64 = 0.005;

/// At which price, share of short outages or rate another row is best.
pub(super) fn changes(told: &Told<'_>) -> Option<String> {
    let a = told.answer;
    let stays = |row: usize| row == a.now && a.stays();
    let even = |b: &BreakEven| {
        let what = priced(b.figure);
        let [then, best] = [b.row, a.best].map(|row| a.rows[row].figures[b.figure]);
        let word = if then < best { "more" } else { "less" };
        let (price, now, unit) = (amount(b.price), amount(b.now), &told.objective.unit);
        format!("{what} cost {word} than {price} {unit} (now {now}): then {}", told.name(b.row))
    };
    let mut all: Vec<String> = a.break_even.iter().filter(|b| !stays(b.row)).map(even).collect();
    if let Some((now, Some((at, row)))) = a.short
        && !stays(row)
        && (SHARE..1.0 - SHARE).contains(&at[1])
    {
        let word = if at[1] > now { "more" } else { "fewer" };
        let [may_be, share] = at.map(|share| format!("{:.0}", share * 100.0));
        // One that may be as good now already may be better from here on.
        let (share, known) = match a.same.contains(&row) {
            true => (share, "at the latest "),
            false if may_be == share => (share, ""),
            false => (format!("{may_be} to {share}"), ""),
        };
        let (now, name) = (now * 100.0, told.name(row));
        all.push(format!(
            "{word} than {share} % of outages were over within five minutes (now {now:.0} %): {known}then {name}"
        ));
    }
    for s in &a.sensitivities {
        for i in [0, 2].into_iter().filter(|i| s.best[*i] != a.best && !stays(s.best[*i])) {
            let of_other = times_as_much(s, i, &a.break_even);
            all.extend(of_other.map(|of| format!("{of}: then {}", told.name(s.best[i]))));
        }
    }
    joined(all, "; ")
}

/// The price of what is told as a break-even point, in words.
fn priced(figure: usize) -> &'static str {
    if figure == EVICTED { "an eviction" } else { "a needless eviction" }
}

/// A third or three times of what another row is best by; nothing where the price itself is known, or is of something else.
fn times_as_much(s: &Sensitivity, i: usize, known: &[BreakEven]) -> Option<String> {
    let [times, of] = if i == 0 { ["a third", " of"] } else { ["three times", ""] };
    if s.name.starts_with("rate") {
        return Some(format!("{times}{of} the {}", s.name));
    }
    let of_it = |f: &usize| s.name == format!("price of {}", FIGURES[*f].heading());
    let figure = [EVICTED, NEEDLESS].into_iter().find(of_it)?;
    let is_known = known.iter().any(|b| b.figure == figure && (b.price > b.now) == (i == 2));
    (!is_known).then(|| format!("{} cost {times} as much", priced(figure)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a value that may be as good now no price is told at which it is best, but that it is so at three times the price.
    #[test]
    fn what_is_known_of_a_price_is_told() {
        let of = |name: &str, i: usize, known: &[BreakEven]| {
            let s = Sensitivity { name: name.to_owned(), costs: [0.0; 3], best: [0, 0, 1] };
            times_as_much(&s, i, known)
        };
        let said = |text: &str| Some(text.to_owned());
        let known = [BreakEven { figure: EVICTED, now: 5.0, price: 7.0, row: 1 }];
        let price = format!("price of {}", FIGURES[EVICTED].heading());
        assert_eq!(of(&price, 2, &[]), said("an eviction cost three times as much"));
        assert_eq!(of(&price, 2, &known), None);
        assert_eq!(of(&price, 0, &known), said("an eviction cost a third as much"));
        assert_eq!(of("price of anything", 2, &[]), None);
        assert_eq!(of("rate of zone", 0, &known), said("a third of the rate of zone"));
    }
}
