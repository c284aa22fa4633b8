//! A forecast for programs.

use super::said::Outlook;
use crate::analysis::course::Goes;
use crate::lab::forecast::{ByWhen, Count, Forecast, Foreseen, Left};
use crate::report::results::*;

/// What the first course is called in tables, in which nobody does anything.
const AS_IT_IS: &str = "as it is";

/// A thing that may happen, and the course on which it does.
type OnCourse<'o> = (&'o Outlook<'o>, &'o Foreseen);

/// What is told of each thing that may happen.
fn fields<'o>() -> [Field<OnCourse<'o>>; 11] {
    [
        ("what", Kind::Text, |(_, f)| Cell::Text(f.what.as_str().into())),
        ("object", Kind::Text, |(_, f)| Cell::text(Some(f.object.clone()))),
        ("low", Kind::Instant, |of| end(of, of.1.when.low)),
        ("median", Kind::Instant, |(o, f)| Cell::instant(o.basis.clock, f.when.median)),
        ("high", Kind::Instant, |of| end(of, of.1.when.high)),
        ("share", Kind::Number, |(_, f)| Cell::number(Some(f.when.share))),
        ("node", Kind::Text, |(_, f)| Cell::text(f.node.clone())),
        ("node_share", Kind::Number, |(_, f)| Cell::number(f.node.as_ref().map(|_| f.node_share))),
        ("workload", Kind::Text, |(_, f)| Cell::text(f.workload.as_deref().map(workload))),
        ("evicted", Kind::Truth, |(_, f)| {
            f.goes.map_or(Cell::Empty, |goes| Cell::Truth(goes != Goes::Deleted))
        }),
        ("cause", Kind::Text, |(_, f)| Cell::text(f.goes.map(Goes::as_str))),
    ]
}

/// An end of its range; one seed has none.
fn end((o, f): OnCourse<'_>, at: Time) -> Cell<'static> {
    if f.in_seeds.len() <= 1 { Cell::Empty } else { Cell::instant(o.basis.clock, at) }
}

/// `{"at": …, "notes": […], "events": [{"what", "object", "low", "median", "high", "share", "node",
/// "node_share", "workload", "evicted", "cause"}], "by_when": [{"what", "workload", "by": [{"at", "low", "median", "high"}]}], "held": [{"claim", "said",
/// "share"}], "failed": [{"job", "said", "share"}], "unfinished": [{"job", "said", "share"}]}` (the last three where there are some), times in RFC 3339, and the events of other courses as `what_if`. How many have come by when is of all
/// pods where `workload` is null.
pub(crate) fn document(base: &Outlook<'_>, others: &[Outlook<'_>]) -> Value {
    let [events, by_when] = [events(base), by_when(base)];
    let at = base.basis.clock.begins();
    let mut whole = json!({ "at": at, "basis": base.basis.ran, "notes": base.notes(), "events": events, "by_when": by_when });
    put_left(&mut whole, base);
    put_what_if(&mut whole, others);
    whole
}

/// Puts other courses into a document, where there are some.
pub(crate) fn put_what_if(whole: &mut Value, others: &[Outlook<'_>]) {
    let course = |o: &Outlook<'_>| {
        let mut course = json!({ "course": o.name, "events": events(o), "by_when": by_when(o) });
        put_left(&mut course, o);
        let refused = o.refused();
        if !refused.is_empty() {
            course["refused"] = json!(refused);
        }
        course
    };
    if !others.is_empty() {
        whole["what_if"] = others.iter().map(course).collect();
    }
}

/// Puts the volumes that stay where somebody waits for them, and the Jobs that fail or wait, into the document of a course.
fn put_left(whole: &mut Value, outlook: &Outlook<'_>) {
    let Forecast { held, failed, unfinished, .. } = outlook.forecast;
    let all =
        [("held", "claim", held), ("failed", "job", failed), ("unfinished", "job", unfinished)];
    for (field, name, all) in all {
        let one = |l: &Left| json!({ name: l.pod, "said": l.said, "share": l.share });
        if !all.is_empty() {
            whole[field] = all.iter().map(one).collect();
        }
    }
}

fn events(outlook: &Outlook<'_>) -> Value {
    outlook.forecast.happenings.iter().map(|f| object(&fields(), (outlook, f))).collect()
}

fn by_when(outlook: &Outlook<'_>) -> Value {
    let times = &outlook.forecast.times;
    let of_one = |b: &ByWhen| {
        let by = |(at, c): (&Time, &Count)| json!({ "at": outlook.basis.clock.rfc3339(*at), "low": c.low, "median": c.median, "high": c.high });
        json!({
            "what": b.what.as_str(),
            "workload": b.workload.as_deref().map(workload),
            "by": times.iter().zip(&b.counts).map(by).collect::<Vec<_>>(),
        })
    };
    outlook.forecast.by_when.iter().map(of_one).collect()
}

/// A row for each thing that may happen on each course.
pub(crate) fn table(base: &Outlook<'_>, others: &[Outlook<'_>]) -> Rows {
    let base = Outlook { name: AS_IT_IS, ..*base };
    let course: Field<OnCourse<'_>> =
        ("course", Kind::Text, |(o, _)| Cell::text(Some(o.name.to_owned())));
    let at: Field<OnCourse<'_>> = ("at", Kind::Instant, |(o, _)| Cell::Instant(o.basis.clock.0));
    let fields = [&[course][..], &fields(), &[at]].concat();
    let all = std::iter::once(&base).chain(others);
    let rows = all.flat_map(|o| o.forecast.happenings.iter().map(move |f| (o, f)));
    Rows::of("forecast", &fields, rows)
}

/// A workload as every other table calls it; people read `Deployment shop/web`.
fn workload(said: &str) -> String {
    said.replacen(' ', "/", 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Frees;
    use crate::analysis::course::Happening;
    use crate::lab::forecast::When;
    use crate::report::WallClock;
    use crate::report::forecast::Basis;
    use crate::report::tables::tests::{csv_of_both, is_told};

    fn forecast(object: &str) -> Forecast {
        let when = When {
            low: Time::from_secs(3),
            median: Time::from_millis(4_250),
            high: Time::from_secs(5),
            share: 0.5,
        };
        let event = Foreseen {
            what: Happening::PodDeleted,
            object: object.to_owned(),
            when,
            node: Some("n-1".to_owned()),
            node_share: 0.75,
            workload: Some("Deployment shop/web".to_owned()),
            goes: Some(Goes::Preempted),
            in_seeds: vec![0, 1],
        };
        Forecast { happenings: vec![event], ..Forecast::default() }
    }

    #[test]
    fn a_forecast_has_a_row_for_each_event_of_each_course() {
        let basis = Basis {
            ran: serde_json::Value::Null,
            // 2026-11-21T02:29:57Z by `date -u -d … +%s`.
            clock: WallClock(1_795_228_197_000_000),
            silent: Vec::new(),
            course: String::new(),
            head: String::new(),
            notes: Vec::new(),
            frees: Frees::ALL,
            horizon: Time::ZERO,
            open: None,
            tainted: false,
        };
        let [a, b] = ["shop/a", "shop/b"].map(forecast);
        let outlook = |name, forecast| Outlook { basis: &basis, name, forecast };
        let table = table(&outlook("as it is", &a), &[outlook("=x", &b)]);
        is_told(&table, &[]);
        let expected = "\
course,what,object,low,median,high,share,node,node_share,workload,evicted,cause,at
as it is,pod-deleted,shop/a,2026-11-21T02:30:00.000Z,2026-11-21T02:30:01.250Z,2026-11-21T02:30:02.000Z,0.5,n-1,0.75,Deployment/shop/web,true,preempted,2026-11-21T02:29:57.000Z
'=x,pod-deleted,shop/b,2026-11-21T02:30:00.000Z,2026-11-21T02:30:01.250Z,2026-11-21T02:30:02.000Z,0.5,n-1,0.75,Deployment/shop/web,true,preempted,2026-11-21T02:29:57.000Z
";
        assert_eq!(csv_of_both(&table), expected);
    }
}
