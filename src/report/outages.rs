//! A history of outages as text, JSON and a chart: how long they last, and what each timeout would
//! have cost.

use super::Heading;
use super::charts::{Drawing, Line, Plane, draw_plane};
use super::html::board::{Board, Curve, Line as PageLine, Part, Table};
use super::results::*;
use crate::analysis::statistics::poisson_interval;
use crate::outages::{Distribution, Fit, History, Noticing, Recorded, Spans, best};

/// A history, what is asked of it, and what was made of it.
pub(crate) struct Told {
    /// What people call it.
    pub(crate) file: String,
    /// It has no name that a scenario could write.
    pub(crate) from_stdin: bool,
    /// What an eviction costs, in downtime.
    pub(crate) price: Dur,
    /// How long until a node is tainted, and until one that is back is not.
    pub(crate) noticing: Noticing,
    /// Outages begin before the file shows them: when nodes went away, by what detection takes.
    pub(crate) begun_before: bool,
    pub(crate) history: History,
    /// The lengths of its outages.
    pub(crate) spans: Spans,
    /// The same as a distribution.
    pub(crate) measured: Distribution,
    /// What fits it, the best first; empty where that was not asked for.
    pub(crate) fits: Vec<Fit>,
}

/// Shares and quantiles that are printed.
const SHARES: [(f64, &str); 5] =
    [(60.0, "1m"), (300.0, "5m"), (900.0, "15m"), (3_600.0, "1h"), (86_400.0, "24h")];
const QUANTILES: [f64; 7] = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];
/// Values of tolerationSeconds of which it is told what they come to.
const TOLERATIONS: [u64; 4] = [0, 30, 60, 300];

impl Told {
    /// The best toleration by a distribution, in whole seconds, none for ever; and what an outage
    /// costs with it, in seconds.
    fn best(&self, of: &Distribution) -> (Option<u64>, f64) {
        let found = best(of, self.price.as_secs_f64(), &self.noticing);
        let is_finite = found.toleration.is_finite();
        (is_finite.then_some(found.toleration.ceil() as u64), found.cost)
    }

    /// What an outage costs with such a toleration, in seconds, and which share of outages evicts.
    fn with(&self, toleration: u64) -> (f64, f64) {
        let (noticing, of) = (&self.noticing, &self.measured);
        let price = self.price.as_secs_f64();
        (noticing.cost(of, toleration as f64, price), noticing.evicting(of, toleration as f64))
    }

    /// Some tolerations, with what an outage costs and how many of a hundred evict.
    fn costs(&self) -> [(u64, String, f64); 4] {
        TOLERATIONS.map(|t| {
            let (costs, evicting) = self.with(t);
            (t, span(costs), evicting * 100.0)
        })
    }

    /// How many outages there were.
    fn how_many(&self) -> String {
        let h = &self.history;
        let rate = match per_year(h) {
            Some((rate, range)) => {
                let [rate, low, high] = [rate, range.low, range.high].map(digits);
                format!("{rate} a node and year (95 %: {low} to {high}, if each came by itself)")
            }
            None => "how often they come it does not say, as it shows hardly more than the outages themselves".to_owned(),
        };
        let (outages, nodes) =
            (counted(self.spans.count(), "outage"), counted(h.nodes.len(), "node"));
        let days = h.length / 86_400.0;
        let length = if days < 2.0 { span(h.length) } else { format!("{days:.1} days") };
        format!("{outages} of {nodes} in {length}: {rate}")
    }

    /// What was measured, and each fit.
    fn all(&self) -> impl Iterator<Item = (&str, &Distribution)> {
        let fits = self.fits.iter().map(|f| (f.name, &f.distribution));
        std::iter::once(("measured", &self.measured)).chain(fits)
    }

    /// Which toleration is best by a distribution.
    fn said_best(&self, (name, of): (&str, &Distribution)) -> String {
        let (toleration, cost) = self.best(of);
        let said = match toleration {
            Some(seconds) => format!("tolerationSeconds {seconds}"),
            None => "no eviction at all".to_owned(),
        };
        format!("best by {name}: {said}, {} an outage", span(cost))
    }

    /// `35s to 60s`, or the one time.
    fn tainted_after(&self) -> String {
        let Noticing { from, to, .. } = self.noticing;
        if to > from { format!("{} to {}", span(from), span(to)) } else { span(from) }
    }
}

/// Writes it for people.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(p: &mut Printer<'_>, told: &Told) -> io::Result<()> {
    let (h, s) = (&told.history, &told.spans);
    writeln!(p.out, "{}", told.file)?;
    p.indented(&told.how_many(), 2, PLAIN)?;
    if h.open > 0 || h.empty > 0 {
        let (open, empty) = (grouped(h.open as u64), grouped(h.empty as u64));
        let said =
            format!("{open} that began before the file or as it ended, {empty} of no length");
        p.indented(&format!("left out: {said}"), 2, PLAIN)?;
    }
    h.unended().map_or(Ok(()), |said| p.indented(&said, 2, PLAIN))?;
    if !h.warnings.is_empty() {
        let said = h.warnings.join("; ");
        p.indented(
            &format!("nodes and times may be lacking, as the store warned: {said}"),
            2,
            PLAIN,
        )?;
    }
    if told.begun_before {
        p.indented(&format!(
            "beginning {} (--detection) before Prometheus shows them, which is when they were noticed; shorter ones it never shows",
            span(told.noticing.middle())
        ), 2, PLAIN)?;
    } else if h.failures_only && per_year(h).is_some() {
        p.indented("if there are nodes that never failed, outages are rarer: write each into the file, a name without times", 2, PLAIN)?;
    }
    let (price, back) = (short(told.price), span(told.noticing.back));
    p.folded("", 0, PLAIN)?;
    let said = format!("If an eviction costs {price} of downtime, and a node is tainted after");
    p.folded(&said, 0, PLAIN)?;
    let after = told.tainted_after();
    let said = format!("{after} (--detection), and no longer {back} after its return:");
    p.folded(&said, 0, PLAIN)?;
    told.all().try_for_each(|of| p.indented(&told.said_best(of), 2, PLAIN))?;
    for (seconds, costs, evict) in told.costs() {
        let costs = format!("{costs} an outage, {evict:.1} % of outages evict");
        p.indented(&format!("tolerationSeconds {seconds:>4}: {costs}"), 2, PLAIN)?;
    }
    writeln!(p.out, "\nHow long they last: mean {}", span(s.mean()))?;
    let said = QUANTILES.map(|q| format!("{} % {}", q * 100.0, span(s.quantile(q))));
    p.indented(&said.join(", "), 2, PLAIN)?;
    let said = SHARES.map(|(t, name)| format!("{name} {:.1} %", (1.0 - s.survival(t)) * 100.0));
    p.folded(&format!("Over by themselves within: {}", said.join(", ")), 0, PLAIN)?;
    if !told.fits.is_empty() {
        writeln!(p.out, "\nFits, the likeliest first (log-likelihood per outage)")?;
        for fit in &told.fits {
            writeln!(p.out, "  {:>8.3}  {}", fit.log_likelihood, ron(&fit.distribution))?;
        }
    }
    let blank = model(told).contains('…');
    writeln!(p.out, "\nAs a fault model{}:", if blank { ", with … to be filled in" } else { "" })?;
    p.indented(&model(told), 2, PLAIN)?;
    if !told.fits.is_empty() {
        p.indented("The fit is of whole outages. A crash boots after it, for 30s unless timing says otherwise: give it less, or use `Empirical`, of \
             which the boot is taken off.", 2, PLAIN)?;
    }
    Ok(())
}

/// The page of a history: which toleration is best, what each costs, and how long outages last;
/// `text` is what was printed.
pub(crate) fn board(told: &Told, text: String) -> Board {
    let lasts = QUANTILES.map(|q| [format!("{} %", q * 100.0), span(told.spans.quantile(q))]);
    let columns = ["tolerationSeconds", "an outage costs", "% of outages evict"];
    let lengths = ["of all", "no longer than"];
    let (price, after) = (short(told.price), told.tainted_after());
    Board {
        title: told.file.clone(),
        subtitle: told.how_many(),
        doc: format!(
            "If an eviction costs {price} of downtime, and a node is tainted after {after}."
        ),
        parts: vec![
            Part::list("Which toleration", told.all().map(|of| told.said_best(of))),
            Part::Curve(curve(plane(told))),
            Part::Table(Table::new(
                "What tolerations cost",
                columns,
                told.costs().map(|c| json!(c)),
            )),
            Part::Table(Table::new("How long outages last", lengths, lasts)),
            Part::text("As it was printed", text),
        ],
        ..Board::default()
    }
}

/// The chart as a page draws it, which marks each of its points: some of them, and those with names.
fn curve(plane: Plane) -> Curve {
    const PARTS: f64 = 60.0;
    let last = plane.lines.first().and_then(|l| l.points.last()).map_or(1.0, |p| p.0);
    let is_told = |p: &&(f64, f64)| {
        let part = p.0 / last * PARTS;
        (part - part.round()).abs() < 1e-6 || plane.marks.iter().any(|m| m.0 == p.0)
    };
    let points =
        |line: &Line| -> Vec<(f64, f64)> { line.points.iter().filter(is_told).copied().collect() };
    let at: Vec<f64> = plane.lines.iter().take(1).flat_map(points).map(|p| p.0).collect();
    let lines = plane.lines.iter().map(|l| PageLine::from(Line { points: points(l), ..l.clone() }));
    let nearest = |x: f64| {
        let far = |i: &usize| (at[*i] - x).abs();
        (0..at.len()).min_by(|a, b| far(a).total_cmp(&far(b)))
    };
    let marks = plane.marks.iter();
    Curve {
        title: format!("{}: {}", plane.heading.title, plane.up),
        across: plane.across.clone(),
        ticks: at.iter().map(|x| format!("{x:.1}")).collect(),
        lines: lines.collect(),
        marks: marks.filter_map(|m| Some((nearest(m.0)?, m.2.clone()))).collect(),
        at: Some(at),
        ..Curve::default()
    }
}

/// The model that draws outages like these; `…` stands for what is not known, a rate or the name
/// of what came by standard input.
fn model(told: &Told) -> String {
    let lasts = match told.fits.first() {
        Some(fit) => ron(&fit.distribution),
        None if told.from_stdin => "Empirical(\"…\")".to_owned(),
        None => format!("Empirical({:?})", told.file),
    };
    let rate = per_year(&told.history);
    let rate = rate.map_or_else(|| "…".to_owned(), |(rate, _)| digits(rate).to_string());
    format!(
        "(name: \"measured\", nodes: All, do: Crash, rate: PerNodeYear({rate}), lasts: {lasts}),"
    )
}

/// A distribution in the scenario language.
fn ron(of: &Distribution) -> String {
    let text =
        |s: f64| crate::language::duration::format(Dur::from_millis((s * 1e3).round() as u64));
    let round = |v: f64| (v * 1e3).round() / 1e3;
    match of {
        Distribution::Exponential(mean) => format!("Exponential(mean: \"{}\")", text(*mean)),
        Distribution::Weibull(shape, scale) => {
            format!("Weibull(shape: {}, scale: \"{}\")", round(*shape), text(*scale))
        }
        Distribution::LogNormal(mu, sigma) => {
            format!("LogNormal(median: \"{}\", sigma: {})", text(libm::exp(*mu)), round(*sigma))
        }
        Distribution::Uniform(from, to) => {
            format!("Uniform(\"{}\", \"{}\")", text(*from), text(*to))
        }
        Distribution::Fixed(span) => format!("Fixed(\"{}\")", text(*span)),
        Distribution::Measured(spans) => format!("{} measured spans", spans.count()),
    }
}

/// How many outages a node has in a year, with the exact 95 % interval of a Poisson number, if the
/// history tells that.
fn per_year(h: &History) -> Option<(f64, Interval)> {
    if h.is_of_one_time() {
        return None;
    }
    let years = h.watched() / (365.0 * 86_400.0);
    let of = |n: f64| n / years.max(1e-12);
    let count = h.outages.len() as u64;
    let range = poisson_interval(count);
    Some((of(count as f64), Interval { low: of(range.low), high: of(range.high) }))
}

/// A number to three digits, or to whole ones where it has more.
fn digits(v: f64) -> f64 {
    let unit = 10_f64.powi(2 - libm::log10(v.abs().max(1e-9)).floor() as i32).min(1e3);
    if unit < 1.0 { v.round() } else { (v * unit).round() / unit }
}

/// The same as JSON. Times are in seconds.
pub(crate) fn document(told: &Told) -> Value {
    let s = &told.spans;
    let found = |fit: Option<&Fit>| object(&fields()[4..], (told, fit));
    let with = |toleration: u64| {
        let (cost, evicting) = told.with(toleration);
        json!({ "toleration_seconds": toleration, "cost_s": cost, "share_evicting": evicting })
    };
    let fit = |f: &Fit| {
        json!({
            "name": f.name,
            "log_likelihood": f.log_likelihood,
            "distribution": ron(&f.distribution),
            "mean_s": f.distribution.mean(),
            "best": found(Some(f)),
        })
    };
    let rate = per_year(&told.history);
    let noticing = told.noticing;
    json!({
        "file": told.file,
        "nodes": told.history.nodes.len(),
        "outages": s.count(),
        "open": told.history.open,
        "not_ended": told.history.outages.iter().filter(|o| o.open).count(),
        "empty": told.history.empty,
        "warnings": told.history.warnings,
        "length_s": told.history.length,
        "per_node_year": rate.map(|(rate, _)| rate),
        "per_node_year_95": rate.map(|(_, range)| [range.low, range.high]),
        "mean_s": s.mean(),
        "quantiles_s": QUANTILES.map(|q| json!([q, s.quantile(q)])),
        "over_within": SHARES.map(|(t, _)| json!([t, 1.0 - s.survival(t)])),
        "price_s": told.price.as_secs_f64(),
        "detection_s": noticing.middle(),
        "detection_range_s": [noticing.from, noticing.to],
        "best": found(None),
        "tolerations": TOLERATIONS.map(with),
        "fits": told.fits.iter().map(fit).collect::<Vec<_>>(),
        "model": model(told),
    })
}

/// What a history comes to by one of its fits, or as it was measured.
type By<'t> = (&'t Told, Option<&'t Fit>);

/// What is told of each, which toleration is best by it behind the rest.
fn fields<'t>() -> [Field<By<'t>>; 7] {
    fn of<'t>((told, fit): By<'t>) -> &'t Distribution {
        fit.map_or(&told.measured, |f| &f.distribution)
    }

    fn best(by: By<'_>) -> (Option<u64>, f64) {
        by.0.best(of(by))
    }
    [
        ("model", Kind::Text, |(_, fit)| Cell::Text(fit.map_or("measured", |f| f.name).into())),
        ("distribution", Kind::Text, |(_, fit)| Cell::text(fit.map(|f| ron(&f.distribution)))),
        ("log_likelihood", Kind::Number, |(_, fit)| Cell::number(fit.map(|f| f.log_likelihood))),
        ("mean_s", Kind::Number, |by| Cell::number(Some(of(by).mean()))),
        ("timeout_s", Kind::Number, |by| {
            Cell::number(best(by).0.map(|t| t as f64 + by.0.noticing.middle()))
        }),
        ("toleration_seconds", Kind::Whole, |by| Cell::whole(best(by).0.map(u64::cast_signed))),
        ("cost_s", Kind::Number, |by| Cell::number(Some(best(by).1))),
    ]
}

/// Which toleration is best, a row by what was measured and one by each fit.
pub(crate) fn fits_table(told: &Told) -> Rows {
    let all = std::iter::once(None).chain(told.fits.iter().map(Some));
    Rows::of("fits", &fields(), all.map(|fit| (told, fit)))
}

/// The outages of a history, in the order in which they began; times are from its beginning on.
pub(crate) fn outages_table(history: &History) -> Rows {
    let fields: [Field<(&History, &Recorded)>; 4] = [
        ("node", Kind::Text, |(h, o)| Cell::text(h.nodes.get(o.node as usize).cloned())),
        ("start_s", Kind::Number, |(_, o)| Cell::Number(o.start)),
        ("end_s", Kind::Number, |(_, o)| Cell::Number(o.start + o.lasts)),
        ("lasts_s", Kind::Number, |(_, o)| Cell::Number(o.lasts)),
    ];
    Rows::of("outages", &fields, history.outages.iter().map(|outage| (history, outage)))
}

/// Draws what an outage costs by timeout.
pub(crate) fn chart(told: &Told) -> Drawing {
    draw_plane(&plane(told))
}

fn plane(told: &Told) -> Plane {
    const POINTS: u32 = 240;
    let price = told.price.as_secs_f64();
    let (toleration, costs) = told.best(&told.measured);
    let least = toleration.map_or(900.0, |seconds| (seconds as f64 * 1.5).max(900.0));
    let last = told.spans.quantile(0.75).max(least);
    let (mark_at, mark) = match toleration {
        Some(s) => (s as f64, format!("best: tolerationSeconds {s}")),
        None => (last, "best: never".to_owned()),
    };
    // The best one is a point of each line, whatever lies beside it.
    let even = (0..=POINTS).map(|i| last * f64::from(i) / f64::from(POINTS));
    let mut at: Vec<f64> = even.chain([mark_at]).collect();
    at.sort_by(f64::total_cmp);
    at.dedup();
    let line = |name: String, of: &Distribution| {
        let point = |s: &f64| (s / 60.0, told.noticing.cost(of, *s, price) / 60.0);
        Line { name, points: at.iter().map(point).collect(), ..Line::default() }
    };
    let lines = told.all().map(|(name, of)| line(name.to_owned(), of)).collect();
    let (outages, evicts) = (counted(told.spans.count(), "outage"), short(told.price));
    Plane {
        heading: Heading {
            title: "What an outage costs".to_owned(),
            subtitle: format!("{}: {outages}; an eviction costs {evicts}", told.file),
            doc: String::new(),
        },
        across: "tolerationSeconds, in minutes".to_owned(),
        up: "minutes of downtime per pod and outage, evictions included".to_owned(),
        lines,
        marks: vec![(mark_at / 60.0, costs / 60.0, mark)],
        from_zero: true,
        ..Plane::default()
    }
}

/// A span as people read it, to the second from a minute on.
fn span(s: f64) -> String {
    match s < 60.0 {
        true => short(Dur::from_millis((s * 10.0).round() as u64 * 100)),
        false => short(Dur::from_secs(s.round() as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tables::tests::{csv_of_both, is_told};
    use std::sync::Arc;

    /// Two outages of a minute each, an hour apart: 2 / 61 min of one node are 17,233 a year. Of one
    /// alone, or of two that overlap, nobody knows how long the nodes were well.
    #[test]
    fn outages_of_one_time_have_no_rate() {
        let of = |outages: &[(u32, f64, f64)], length| History {
            nodes: vec!["a".to_owned(), "b".to_owned()][..outages.len().min(2)].to_vec(),
            outages: outages
                .iter()
                .map(|&(node, start, lasts)| Recorded { node, start, lasts, open: false })
                .collect(),
            length,
            there: vec![(0.0, length); outages.len().min(2)],
            failures_only: true,
            ..History::default()
        };
        assert!(per_year(&of(&[(0, 0.0, 60.0)], 60.0)).is_none());
        assert!(per_year(&of(&[(0, 0.0, 60.0), (1, 20.0, 60.0)], 80.0)).is_none());
        let (rate, _) = per_year(&of(&[(0, 0.0, 60.0), (1, 3_600.0, 60.0)], 3_660.0)).unwrap();
        // Two nodes: half of that each.
        assert!((rate - 2.0 / 3_660.0 / 2.0 * 31_536_000.0).abs() < 1e-6, "{rate}");
        // A file that was looked at for a day says that it was only once.
        assert!(per_year(&of(&[(0, 0.0, 60.0)], 86_400.0)).is_some());
    }

    /// Evicted as soon as it is noticed, an outage of a minute costs 50 s and the price, 51 s.
    #[test]
    fn what_was_measured_stands_above_the_fits() {
        let spans = Spans::new([60.0]).unwrap();
        let noticing = Noticing { from: 50.0, to: 50.0, back: 0.0 };
        let fixed = Distribution::Fixed(60.0);
        let told = Told {
            file: String::new(),
            from_stdin: false,
            price: Dur::from_secs(1),
            noticing,
            begun_before: false,
            history: History::default(),
            measured: Distribution::Measured(Arc::new(spans.clone())),
            spans,
            fits: vec![Fit { name: "Fixed", distribution: fixed, log_likelihood: -1.5 }],
        };
        let table = fits_table(&told);
        is_told(&table, &[]);
        let expected = "\
model,distribution,log_likelihood,mean_s,timeout_s,toleration_seconds,cost_s
measured,,,60,50,0,51
Fixed,\"Fixed(\"\"1m\"\")\",-1.5,60,50,0,51
";
        assert_eq!(csv_of_both(&table), expected);
    }
}
