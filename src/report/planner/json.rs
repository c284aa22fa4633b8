//! A plan as JSON and as a table. Fields and columns may be added; those that are there keep their
//! names and meanings.

use super::told::Told;
use crate::lab::planner::{BreakEven, FIGURES, Kept, OWN, Row, Sensitivity};
use crate::report::results::*;

/// The whole plan. Figures are of a year; `kept` is what answers for other prices. Of several
/// settings that were chosen each for itself there is a plan of each, without its runs.
pub(crate) fn document(all: &[Told<'_>], kept: &Kept) -> Value {
    let mut plans: Vec<Value> = all.iter().map(one).collect();
    let mut whole = match plans.len() {
        1 => plans.remove(0),
        _ => json!({ "scenario": kept.scenario, "plans": plans }),
    };
    if let (Some((values, years)), Some([by_years, alone])) =
        (kept.years_of(), all.first().and_then(|t| kept.by_years(t.answer.confidence)))
    {
        let of = |(f, figure): (usize, &Figure)| {
            let ((mean, i), (one, span)) = (by_years[f], alone[f]);
            let told = json!({ "mean": mean, "low": i.low, "high": i.high, "one_outage_at_a_time": one, "one_outage_at_a_time_interval": [span.low, span.high] });
            (figure.name().to_owned(), told)
        };
        let figures: Map<String, Value> = FIGURES.iter().enumerate().map(of).collect();
        whole["whole_years"] = json!({ "values": values, "years": years, "figures": figures });
    }
    whole["kept"] = json!(kept);
    whole
}

fn one(told: &Told<'_>) -> Value {
    let (kept, a) = (told.kept, told.answer);
    let prices = FIGURES.iter().map(|f| f.name()).zip(told.objective.prices);
    let prices = prices.chain([("node_hour", told.objective.node_hour)]);
    let prices = prices.filter(|(_, price)| *price > 0.0);
    let prices: Map<String, Value> =
        prices.map(|(f, price)| (f.to_owned(), price.into())).collect();
    let even = |b: &BreakEven| json!({ "figure": FIGURES[b.figure].name(), "price_now": b.now, "price": b.price, "then": a.rows[b.row].values });
    let lean = |s: &Sensitivity| {
        json!({ "name": s.name, "cost_of_a_third": s.costs[0], "cost": s.costs[1], "cost_of_three_times": s.costs[2],
            "best": s.best.map(|r| a.rows[r].values.clone()) })
    };
    json!({
        "scenario": kept.scenario,
        "run": told.source.line,
        "basis": told.source.basis,
        "faults": told.source.faults,
        "notes": told.source.notes,
        "interrupted": told.source.seconds.is_some(),
        "paths": kept.paths,
        "unit": told.objective.unit,
        "prices": prices,
        "confidence": a.confidence,
        "replications": a.n,
        "counted": kept.counting.1,
        "best": a.keeps.then(|| &a.rows[a.best].values),
        "keeps_limits": a.keeps,
        "now": a.rows[a.now].values,
        "cannot_be_told_apart": a.same.iter().filter(|_| a.keeps).map(|r| a.rows[*r].values.clone()).collect::<Vec<_>>(),
        "within": a.off,
        "guaranteed": a.guaranteed,
        "is_known": a.wanted.is_none(),
        "any_will_do": a.open.is_none(),
        "replications_until_known": a.wanted,
        "shares": a.shares.iter().map(|(n, s)| json!({ "model": n, "share": s })).collect::<Vec<_>>(),
        "break_even": a.break_even.iter().map(even).collect::<Vec<_>>(),
        "short_outages": a.short.map(|(now, then)| json!({ "share": now, "share_at": then.map(|t| t.0[1]), "share_may_be": then.map(|t| t.0[0]), "then": then.map(|t| a.rows[t.1].values.clone()) })),
        "sensitivities": a.sensitivities.iter().map(lean).collect::<Vec<_>>(),
        "no_closed_form": kept.no_closed,
        "closed_form_without": kept.closed_without,
        "closed_form_best": a.closed_best.map(|r| a.rows[r].values.clone()),
        "unmoved": a.unmoved.iter().map(|f| FIGURES[*f].name()).collect::<Vec<_>>(),
        "always_below_need": kept.always_below,
        "models": kept.models.iter().map(|(n, r)| json!({ "name": n, "per_year": r })).collect::<Vec<_>>(),
        "rows": a.rows.iter().enumerate().map(|(i, r)| row(kept, i, r)).collect::<Vec<_>>(),
        "together": told.together,
    })
}

fn row(kept: &Kept, place: usize, r: &Row) -> Value {
    let by_name = |figures: &[Figure], values: Vec<Value>| -> Map<String, Value> {
        figures.iter().map(|f| f.name().to_owned()).zip(values).collect()
    };
    let span = |s: &Interval| json!([s.low, s.high]);
    let own = |value: &dyn Fn(&(f64, Interval)) -> Value| -> Map<String, Value> {
        let each = r.own.iter().map(|own| by_name(&OWN, own.iter().map(value).collect()));
        kept.own.iter().cloned().zip(each.map(Value::Object)).collect()
    };
    let standing = by_name(&FIGURES, kept.standing(place).iter().map(|v| json!(v)).collect());
    json!({
        "values": r.values,
        "without_failures": standing,
        "outages_not_back": kept.open.get(place).copied().unwrap_or(0),
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

/// A row of a plan, with the plan that it is of.
type OfPlan<'t> = (&'t Told<'t>, &'t Row);

/// What is told of each row before its figures.
fn before<'t>() -> [Field<OfPlan<'t>>; 2] {
    [
        ("breaks", Kind::Texts, |(_, r)| Cell::Texts(r.breaks.clone().into())),
        ("closed_form", Kind::Number, |(_, r)| Cell::number(r.closed)),
    ]
}

/// What is told of each row behind its figures.
fn marks<'t>() -> [Field<OfPlan<'t>>; 4] {
    [
        ("unit", Kind::Text, |(t, _)| Cell::text(Some(t.objective.unit.clone()))),
        // None is, where none keeps the limits.
        ("best", Kind::Truth, |(t, r)| Cell::Truth(t.answer.keeps && t.best().values == r.values)),
        ("now", Kind::Truth, |(t, r)| Cell::Truth(t.now().values == r.values)),
        ("cannot_be_told_apart", Kind::Truth, |(t, r)| {
            let a = t.answer;
            Cell::Truth(a.keeps && a.same.iter().any(|row| a.rows[*row].values == r.values))
        }),
    ]
}

/// The columns of a figure and of both ends of its interval.
fn spanned(name: &str) -> [Column; 3] {
    ["", "_low", "_high"].map(|end| Column::new(format!("{name}{end}"), Kind::Number))
}

/// What stands in them.
fn known(figure: Option<(f64, Interval)>) -> [Cell<'static>; 3] {
    let of = figure.map(|(mean, i)| [mean, i.low, i.high]);
    [0, 1, 2].map(|n| Cell::number(of.map(|of| of[n])))
}

/// A row for each combination of values, the figures of a year. Of settings that are chosen each for
/// itself there are the rows of one after the other; what is no setting of a row is empty.
pub(crate) fn table(all: &[Told<'_>]) -> Rows {
    let paths = distinct(all.iter().flat_map(|t| &t.kept.paths));
    let workloads = distinct(all.iter().flat_map(|t| &t.kept.own));
    let place = |told: &Told<'_>, path: &String| told.kept.paths.iter().position(|own| own == path);
    let setting = |path: &&String| {
        let plans = all.iter().filter_map(|t| Some((t, place(t, path)?)));
        let values = plans.flat_map(|(t, i)| t.answer.rows.iter().map(move |r| &r.values[i]));
        Column::given(path, values.map(String::as_str))
    };
    let own =
        |w: &&String| OWN.map(|f| spanned(&format!("{w}:{}", f.name()))).into_iter().flatten();
    let mut named: Vec<Column> = paths.iter().map(setting).collect();
    named.extend(["cost", "more"].into_iter().flat_map(spanned));
    named.extend(columns(&before()));
    named.extend(FIGURES.iter().flat_map(|f| spanned(f.name())));
    named.extend(columns(&marks()));
    named.extend(workloads.iter().flat_map(own));
    let row = |told: &Told<'_>, r: &Row| -> Vec<Cell<'static>> {
        let value = |path: &&String| {
            place(told, path).map_or(Cell::Empty, |i| Cell::Given(r.values[i].clone().into()))
        };
        let own = |workload: &&String| {
            let place = told.kept.own.iter().position(|own| own == *workload);
            let figures = place.and_then(|i| r.own.get(i));
            (0..OWN.len()).flat_map(move |f| known(figures.map(|all| all[f])))
        };
        let mut row: Vec<Cell<'static>> = paths.iter().map(value).collect();
        let costs = [(r.cost, r.interval), (r.more, r.more_interval)];
        row.extend(costs.map(Some).into_iter().flat_map(known));
        row.extend(cells(&before(), (told, r)));
        let figures = r.figures.iter().copied().zip(r.spans.iter().copied());
        row.extend(figures.map(Some).flat_map(known));
        row.extend(cells(&marks(), (told, r)));
        row.extend(workloads.iter().flat_map(own));
        row
    };
    let rows = all.iter().flat_map(|t| t.answer.rows.iter().map(move |r| row(t, r))).collect();
    Rows { name: "plan", columns: named, rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tables::tests::is_told;

    #[test]
    fn every_column_is_told() {
        // Of the ends of intervals it is told what stands behind a figure's name.
        let ends = FIGURES.iter().flat_map(|f| spanned(f.name()).map(|column| column.name));
        let ends: Vec<_> = ends.collect();
        let ends: Vec<&str> = ends
            .iter()
            .map(|name| &**name)
            .filter(|n| n.ends_with("_low") || n.ends_with("_high"))
            .collect();
        is_told(&table(&[]), &ends);
    }
}
