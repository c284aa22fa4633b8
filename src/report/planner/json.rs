//! A plan as JSON. Fields may be added; those that are there keep their names and meanings.

use super::told::Told;
use crate::lab::planner::{BreakEven, ByYears, FIGURES, Kept, OWN, Row, Sensitivity};
use crate::report::prelude::*;

/// The whole plan. Figures are of a year; `kept` is what answers for other prices. Of several
/// settings that were chosen each for itself there is a plan of each, without its runs.
pub(crate) fn document(all: &[Told<'_>], kept: &Kept) -> Value {
    let mut plans: Vec<Value> = all.iter().map(one).collect();
    let mut whole = match plans.len() {
        1 => plans.remove(0),
        _ => json!({ "version": 1, "scenario": kept.scenario, "plans": plans }),
    };
    if let (Some((values, years)), Some(figures)) =
        (kept.years_of(), all.first().and_then(|t| kept.by_years(t.answer.confidence)))
    {
        let of = |y: &ByYears| {
            let told = json!({ "mean": y.mean, "low": y.interval.low, "high": y.interval.high, "one_outage_at_a_time": y.alone });
            (FIGURES[y.figure].name().to_owned(), told)
        };
        let figures: Map<String, Value> = figures.iter().map(of).collect();
        whole["whole_years"] = json!({ "values": values, "years": years, "figures": figures });
    }
    whole["kept"] = json!(kept);
    whole
}

fn one(told: &Told<'_>) -> Value {
    let (kept, a) = (told.kept, told.answer);
    let prices: Map<String, Value> = FIGURES
        .iter()
        .zip(told.objective.prices)
        .filter(|(_, price)| *price > 0.0)
        .map(|(f, price)| (f.name().to_owned(), price.into()))
        .chain(
            (told.objective.node_hour > 0.0)
                .then(|| ("node_hour".to_owned(), told.objective.node_hour.into())),
        )
        .collect();
    let even = |b: &BreakEven| json!({ "figure": FIGURES[b.figure].name(), "price_now": b.now, "price": b.price, "then": a.rows[b.row].values });
    let lean = |s: &Sensitivity| {
        json!({ "name": s.name, "cost_of_a_third": s.costs[0], "cost": s.costs[1], "cost_of_three_times": s.costs[2],
            "best": s.best.map(|r| a.rows[r].values.clone()) })
    };
    json!({
        "version": 1,
        "scenario": kept.scenario,
        "run": told.source.line,
        "faults": told.source.faults,
        "notes": told.source.notes,
        "interrupted": told.source.seconds.is_some(),
        "paths": kept.paths,
        "unit": told.objective.unit,
        "prices": prices,
        "confidence": a.confidence,
        "replications": a.n,
        "counted": kept.counting.1,
        "best": a.rows[a.best].values,
        "keeps_limits": a.keeps,
        "now": a.rows[a.now].values,
        "cannot_be_told_apart": a.same.iter().map(|r| a.rows[*r].values.clone()).collect::<Vec<_>>(),
        "within": a.off,
        "guaranteed": a.guaranteed,
        "is_known": a.wanted.is_none(),
        "any_will_do": a.open.is_none(),
        "replications_until_known": a.wanted,
        "shares": a.shares.iter().map(|(n, s)| json!({ "model": n, "share": s })).collect::<Vec<_>>(),
        "break_even": a.break_even.iter().map(even).collect::<Vec<_>>(),
        "short_outages": a.short.map(|(now, then)| json!({ "share": now, "share_at": then.map(|t| t.0), "then": then.map(|t| a.rows[t.1].values.clone()) })),
        "sensitivities": a.sensitivities.iter().map(lean).collect::<Vec<_>>(),
        "no_closed_form": kept.no_closed,
        "closed_form_without": kept.closed_without,
        "closed_form_best": a.closed_best.map(|r| a.rows[r].values.clone()),
        "unmoved": a.unmoved.iter().map(|f| FIGURES[*f].name()).collect::<Vec<_>>(),
        "models": kept.models.iter().map(|(n, r)| json!({ "name": n, "per_year": r })).collect::<Vec<_>>(),
        "rows": a.rows.iter().map(|r| row(kept, r)).collect::<Vec<_>>(),
        "together": told.together,
    })
}

fn row(kept: &Kept, r: &Row) -> Value {
    let by_name = |figures: &[Figure], values: Vec<Value>| -> Map<String, Value> {
        figures.iter().map(|f| f.name().to_owned()).zip(values).collect()
    };
    let span = |s: &Interval| json!([s.low, s.high]);
    let own = |value: &dyn Fn(&(f64, Interval)) -> Value| -> Map<String, Value> {
        let each = r.own.iter().map(|own| by_name(&OWN, own.iter().map(value).collect()));
        kept.own.iter().cloned().zip(each.map(Value::Object)).collect()
    };
    json!({
        "values": r.values,
        "cost": r.cost,
        "interval": [r.interval.low, r.interval.high],
        "more": r.more,
        "more_interval": [r.more_interval.low, r.more_interval.high],
        "breaks": r.breaks,
        "not_sure_to_keep": r.unsure.iter().map(|(limit, i)| json!({ "limit": limit, "low": i.low, "high": i.high })).collect::<Vec<_>>(),
        "closed_form": r.closed,
        "closed_form_waiting": r.closed.map(|_| r.waiting),
        "figures": by_name(&FIGURES, r.figures.iter().map(|v| json!(v)).collect()),
        "figure_intervals": by_name(&FIGURES, r.spans.iter().map(span).collect()),
        "own": own(&|(mean, _)| json!(mean)),
        "own_intervals": own(&|(_, interval)| span(interval)),
    })
}
