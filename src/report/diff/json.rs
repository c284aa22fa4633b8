//! Differences as JSON, and what they cost as a table.

use super::printer::notes;
use super::seeds::{self, OfSeeds};
use super::words::{Side, group_text, steps};
use crate::analysis::diff::{
    Bill, COUNTS, Difference, FEWEST, Fate, Group, LEVEL, NEARLY_ALL, Occurrence, OverSeeds, Pair,
    Paired, Pattern, SettingChange, Settings, WorkloadOverSeeds,
};
use crate::report::Source;
use crate::report::results::*;

/// A figure of both sides, and whether the two count as the same.
type Compared = (f64, f64, bool);

fn compared(a: &Bill, b: &Bill, figure: Figure, tolerance: Dur) -> Compared {
    let is_same = a.compared(b, figure, tolerance).is_eq();
    (a.of(figure), b.of(figure), is_same)
}

/// What is told of a figure of two runs, the second less the first.
const OF_TWO: [Field<Compared>; 4] = [
    ("a", Kind::Number, |(a, ..)| Cell::number(Some(a))),
    ("b", Kind::Number, |(_, b, _)| Cell::number(Some(b))),
    ("difference", Kind::Number, |(a, b, _)| Cell::number(Some(b - a))),
    ("same", Kind::Truth, |(.., is_same)| Cell::Truth(is_same)),
];

/// What is told of a figure of two sides over many seeds.
fn over_seeds_fields<'p>() -> [Field<&'p Paired>; 8] {
    [
        ("a", Kind::Number, |p| Cell::number(Some(p.means[0]))),
        ("b", Kind::Number, |p| Cell::number(Some(p.means[1]))),
        ("difference", Kind::Number, |p| Cell::number(Some(p.difference))),
        ("least", Kind::Number, |p| Cell::number(Some(p.range.0))),
        ("greatest", Kind::Number, |p| Cell::number(Some(p.range.1))),
        ("seeds_less", Kind::Whole, |p| Cell::Whole(p.less.cast_signed())),
        ("seeds_more", Kind::Whole, |p| Cell::Whole(p.more.cast_signed())),
        ("p", Kind::Number, |p| Cell::number(Some(p.chance()))),
    ]
}

/// What two runs cost: a row for each figure of all workloads together, then of each that differs.
pub(crate) fn table(d: &Difference) -> Rows {
    let both = d.workloads.iter().filter_map(|w| {
        let (a, b) = w.sides[0].zip(w.sides[1])?;
        Some((Some(w.name.clone()), [a.bill, b.bill]))
    });
    let all = std::iter::once((None, d.costs)).chain(both);
    let rows = all.flat_map(|(name, [a, b])| {
        Figure::ALL.map(|figure| {
            let known = cells(&OF_TWO, compared(&a, &b, figure, d.tolerance));
            (name.clone(), figure, known)
        })
    });
    table_of(rows)
}

/// What two sides cost over many seeds, in the same way.
pub(crate) fn table_over_seeds(d: &OverSeeds) -> Rows {
    let workloads = d.workloads.iter().map(|w| (Some(w.name.clone()), &w.costs));
    let all = std::iter::once((None, &d.costs)).chain(workloads);
    let rows = all.flat_map(|(name, costs)| {
        costs.iter().map(move |(figure, p)| (name.clone(), *figure, over_seeds_cells(p)))
    });
    table_of(rows)
}

/// Whether both sides are the same is not known of several seeds.
fn over_seeds_cells(p: &Paired) -> Vec<Cell<'static>> {
    let mut known = cells(&over_seeds_fields()[..7], p);
    known.insert(3, Cell::Empty);
    known
}

/// What is only known of one seed, or of several, is empty where it is the other.
fn table_of(all: impl Iterator<Item = (Option<String>, Figure, Vec<Cell<'static>>)>) -> Rows {
    let mut named = Column::all(&[("workload", Kind::Text), ("figure", Kind::Text)]);
    named.extend(columns(&OF_TWO));
    named.extend(columns(&over_seeds_fields()[3..7]));
    let row = |(name, figure, known): (Option<String>, Figure, Vec<Cell<'static>>)| {
        // As every other table calls it; people read `Deployment shop/web`.
        let name = name.map(|name| name.replacen(' ', "/", 1));
        let mut row = vec![Cell::text(name), Cell::Text(figure.name().into())];
        row.extend(known);
        row.resize(named.len(), Cell::Empty);
        row
    };
    let rows = all.map(row).collect();
    Rows { name: "diff", columns: named, rows }
}

pub(crate) fn document(sides: [Side<'_>; 2], d: &Difference) -> Value {
    let run = |s: Side<'_>| run(s.analysis.plan, s.source);
    let chain = |pair: &Pair, i: usize| -> Value {
        let Some(o) = pair.on(i) else { return Value::Null };
        let step = |(at, text): (Time, String)| json!({ "at_s": at.as_secs_f64(), "text": text });
        steps(sides[i].analysis, o.record).into_iter().map(step).collect()
    };
    let first = d.first.as_ref().and_then(|f| {
        let of = f.pairs.first()?;
        let causes = json!({ "a": chain(of, 0), "b": chain(of, 1) });
        Some(json!({ "what": f.what, "change": f.way, "object": pair(of), "causes": causes }))
    });
    let [a, b] = d.costs;
    let mut document = json!({
        "same": d.is_empty(),
        "a": run(sides[0]),
        "b": run(sides[1]),
        "notes": notes(sides.map(|s| s.analysis.plan), &d.late),
        "costs": costs(&a, &b, d.tolerance),
        "always_below_need": d.all_along,
        "workloads": d.workloads.iter().map(|w| json!({
            "name": w.name,
            "costs": w.sides[0].zip(w.sides[1]).map(|(a, b)| costs(&a.bill, &b.bill, d.tolerance)),
            "a": w.sides[0].as_ref().map(fate),
            "b": w.sides[1].as_ref().map(fate),
        })).collect::<Vec<_>>(),
        "first": first,
        "groups": d.groups.iter().map(group).collect::<Vec<_>>(),
    });
    settings(&mut document, &d.settings);
    document
}

/// The difference of two sides over many seeds as a document.
pub(crate) fn over_seeds((sides, differ, d): OfSeeds<'_>) -> Value {
    let figures = |costs: &[(Figure, Paired)]| -> Value {
        let one = |(figure, p): &(Figure, Paired)| {
            (figure.name().to_owned(), object(&over_seeds_fields(), p))
        };
        Value::Object(costs.iter().map(one).collect())
    };
    let workload = |w: &WorkloadOverSeeds| json!({ "name": w.name, "only_a": w.only[0], "only_b": w.only[1], "costs": figures(&w.costs) });
    let patterns = |list: &[Pattern]| list.iter().map(|p| pattern(p, d.seeds)).collect::<Vec<_>>();
    let mut document = json!({
        "same": d.same == d.seeds && !differ.objects_differ(),
        "seeds": { "first": sides[0].source.seed, "count": d.seeds, "same": d.same, "nearly_all_percent": NEARLY_ALL },
        "test": {
            "name": "sign test of equal seeds, Benjamini-Hochberg",
            "compared": d.compared,
            "level": LEVEL,
            "differs_up_to_p": (d.differs_up_to >= 0.0).then_some(d.differs_up_to),
            "too_few_seeds": d.seeds < FEWEST,
        },
        "a": run(sides[0].plan, sides[0].source),
        "b": run(sides[1].plan, sides[1].source),
        "notes": notes(sides.map(|s| s.plan), &d.late),
        "costs": figures(&d.costs),
        "always_below_need": d.all_along,
        "workloads": d.workloads.iter().map(workload).collect::<Vec<_>>(),
        "nearly_all": patterns(&d.nearly_all),
        "chance": patterns(&d.chance),
        "noise": d.noise.iter().map(|(noise, what, n)| json!({ "noise": noise, "what": what, "facts": n })).collect::<Vec<_>>(),
    });
    settings(&mut document, differ);
    document
}

fn pattern(p: &Pattern, seeds: u64) -> Value {
    let [a, b] = p.details();
    json!({
        "text": seeds::said(p),
        "what": p.kind.what,
        "change": p.kind.way,
        "of": p.kind.of,
        "of_pods": p.kind.of_pods,
        "objects": p.objects,
        "these_objects_only": p.each,
        "in_one_seed": p.tally.objects,
        "seeds": p.seeds,
        "of_seeds": seeds,
        "a": a,
        "b": b,
        "shift_s": p.tally.shift.map(|(least, most)| [least, most].map(Dur::as_secs_f64)),
    })
}

fn run(plan: &Plan, source: &Source) -> Value {
    json!({
        "scenario": plan.name,
        "file": source.file,
        "kubernetes": plan.profile.released(),
        "timing": plan.timing.name,
        "seed": source.seed,
        "set": source.set,
        "notes": plan.notes,
    })
}

/// What was set differently, at the end of a document.
fn settings(document: &mut Value, s: &Settings) {
    let change = |c: &SettingChange| {
        let mut change = json!({ "name": c.name, "a": c.a, "b": c.b });
        if let Some((about, [a, b])) = &c.prose {
            change["means"] = json!({ "about": about, "a": a, "b": b });
        }
        change
    };
    let changes = |list: &[SettingChange]| -> Value { list.iter().map(change).collect() };
    let only = |sides: &[Vec<String>; 2]| json!({ "a": sides[0], "b": sides[1] });
    document["only"] =
        json!({ "nodes": only(&s.nodes), "pods": only(&s.pods), "entries": only(&s.entries) });
    document["settings"] = changes(&s.others);
    document["switches"] = changes(&s.switches);
}

/// Every figure on both sides, and the second less the first.
fn costs(a: &Bill, b: &Bill, tolerance: Dur) -> Value {
    let one = |f: Figure| (f.name().to_owned(), object(&OF_TWO, compared(a, b, f, tolerance)));
    Value::Object(Figure::ALL.into_iter().map(one).collect())
}

fn pair(p: &Pair) -> Value {
    let at = |o: Occurrence| json!({ "at_s": o.at.as_secs_f64(), "record": o.record });
    json!({ "pod": p.pod, "node": p.node, "a": p.a.map(at), "b": p.b.map(at) })
}

fn group(g: &Group) -> Value {
    json!({
        "text": group_text(g),
        "what": g.what,
        "change": g.way,
        "noise": g.noise,
        "of": g.of,
        "a": g.details[0],
        "b": g.details[1],
        "shift_s": g.shift().map(|(least, most)| [least, most].map(Dur::as_secs_f64)),
        "objects": g.pairs.iter().map(pair).collect::<Vec<_>>(),
    })
}

fn fate(f: &Fate) -> Value {
    let figure = |c: Figure| (c.name().to_owned(), Value::from(f.bill.of(c)));
    let mut all: Map<String, Value> = Figure::ALL.into_iter().map(figure).collect();
    let count = |((name, _), n): (&(&str, &str), u64)| ((*name).to_owned(), Value::from(n));
    all.extend(COUNTS.iter().zip(f.counts).map(count));
    Value::Object(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tables::tests::{csv_of_both, is_told};

    #[test]
    fn two_sides_have_a_row_for_each_figure() {
        let paired =
            Paired { means: [2.5, 1.0], difference: -1.5, range: (-2.0, 1.0), less: 3, more: 1 };
        let one = cells(&OF_TWO, (3.0, 1.0, false));
        let web = Some("Deployment shop/web".to_owned());
        let rows =
            [(None, Figure::Evicted, over_seeds_cells(&paired)), (web, Figure::Evicted, one)];
        let table = table_of(rows.into_iter());
        is_told(&table, &[]);
        let expected = "\
workload,figure,a,b,difference,same,least,greatest,seeds_less,seeds_more
,evicted,2.5,1,-1.5,,-2,1,3,1
Deployment/shop/web,evicted,3,1,-2,false,,,,
";
        assert_eq!(csv_of_both(&table), expected);
    }
}
