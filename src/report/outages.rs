//! A history of outages as text, JSON and a chart: how long they last, and what each timeout would
//! have cost.

use super::Heading;
use super::charts::{ChartError, Line, Plane, plane_png, plane_svg};
use super::short;
use super::tables::{Cell, Column, Each, Kind, Table};
use super::text::counted;
use crate::analysis::grouped;
use crate::kernel::Dur;
use crate::outages::{Best, Distribution, Fit, History, Spans, best, cost};
use serde_json::{Value, json};
use std::io::{self, Write};

/// What is asked of a history.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The file.
    pub file: String,
    /// What an eviction costs, in downtime.
    pub price: Dur,
    /// How long until a node is tainted.
    pub detection: Dur,
}

/// A history, and what was made of it.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// What was asked.
    pub asked: Asked,
    /// Outages begin before the file shows them: when nodes went away, by what detection takes.
    pub begun_before: bool,
    /// The history.
    pub history: History,
    /// The lengths of its outages.
    pub spans: Spans,
    /// The same as a distribution.
    pub measured: Distribution,
    /// What fits it, the best first; empty where that was not asked for.
    pub fits: Vec<Fit>,
}

/// Shares and quantiles that are printed.
const SHARES: [(f64, &str); 5] = [
    (60.0, "1m"),
    (300.0, "5m"),
    (900.0, "15m"),
    (3_600.0, "1h"),
    (86_400.0, "24h"),
];
const QUANTILES: [f64; 7] = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];
/// Values of tolerationSeconds of which it is told what they come to.
const TOLERATIONS: [u64; 4] = [0, 30, 60, 300];

impl Told {
    fn best(&self, of: &Distribution) -> Best {
        best(of, seconds(self.asked.price), seconds(self.asked.detection))
    }

    /// What an outage costs with such a toleration, in seconds, and which share of outages evicts.
    fn with(&self, toleration: u64) -> (f64, f64) {
        let timeout = seconds(self.asked.detection) + toleration as f64;
        let costs = cost(&self.measured, timeout, seconds(self.asked.price));
        (costs, self.spans.survival(timeout))
    }

    /// What is set so that a node that is away is given up after so many seconds.
    fn toleration(&self, timeout: f64) -> Option<u64> {
        let after = timeout - seconds(self.asked.detection);
        timeout.is_finite().then_some(after.max(0.0).ceil() as u64)
    }
}

/// Writes it for people.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(out: &mut dyn Write, told: &Told) -> io::Result<()> {
    let (h, s) = (&told.history, &told.spans);
    writeln!(out, "{}", told.asked.file)?;
    writeln!(
        out,
        "  {} of {} in {}; {} a node and year",
        counted(s.count() as u64, "outage"),
        counted(h.nodes.len() as u64, "node"),
        days(h.length),
        per_year(h)
    )?;
    if h.open > 0 || h.empty > 0 {
        writeln!(
            out,
            "  left out: {} that the file has no beginning or no end of, {} of no length",
            grouped(h.open as u64),
            grouped(h.empty as u64)
        )?;
    }
    if told.begun_before {
        writeln!(
            out,
            "  beginning {} (--detection) before Prometheus shows them, which is when they were noticed; shorter ones it never shows",
            short(told.asked.detection)
        )?;
    } else if h.failures_only {
        writeln!(
            out,
            "  if there are nodes that never failed, outages are rarer: write each into the file, a name without times"
        )?;
    }
    writeln!(out, "\nHow long they last: mean {}", span(s.mean()))?;
    let said = QUANTILES.map(|q| format!("{} % {}", q * 100.0, span(s.quantile(q))));
    writeln!(out, "  {}", said.join(", "))?;
    let said = SHARES.map(|(t, name)| format!("{name} {:.1} %", (1.0 - s.survival(t)) * 100.0));
    writeln!(out, "Over by themselves within: {}", said.join(", "))?;
    if !told.fits.is_empty() {
        writeln!(
            out,
            "\nFits, the likeliest first (log-likelihood per outage)"
        )?;
        for fit in &told.fits {
            writeln!(
                out,
                "  {:>8.3}  {}",
                fit.log_likelihood,
                ron(&fit.distribution)
            )?;
        }
    }
    writeln!(
        out,
        "\nIf an eviction costs {} of downtime, and a node is tainted after {}:",
        short(told.asked.price),
        short(told.asked.detection)
    )?;
    best_line(out, told, "measured", &told.measured)?;
    for fit in &told.fits {
        best_line(out, told, fit.name, &fit.distribution)?;
    }
    for seconds_of in TOLERATIONS {
        let (costs, evicting) = told.with(seconds_of);
        writeln!(
            out,
            "  tolerationSeconds {seconds_of:>4}: {} an outage, {:.1} % of outages evict",
            span(costs),
            evicting * 100.0
        )?;
    }
    writeln!(out, "\nAs a fault model:\n  {}", model(told))
}

fn best_line(out: &mut dyn Write, told: &Told, name: &str, of: &Distribution) -> io::Result<()> {
    let found = told.best(of);
    let said = match told.toleration(found.timeout) {
        Some(seconds) => format!("tolerationSeconds {seconds}"),
        None => "no eviction at all".to_owned(),
    };
    writeln!(
        out,
        "  best by {name}: {said}, {} an outage",
        span(found.cost)
    )
}

/// The model that draws outages like these.
fn model(told: &Told) -> String {
    let lasts = match told.fits.first() {
        Some(fit) => ron(&fit.distribution),
        None => format!("Empirical({:?})", told.asked.file),
    };
    format!(
        "(name: \"measured\", nodes: All, do: Crash, rate: PerNodeYear({}), lasts: {lasts}),",
        per_year(&told.history)
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
            format!(
                "Weibull(shape: {}, scale: \"{}\")",
                round(*shape),
                text(*scale)
            )
        }
        Distribution::LogNormal(mu, sigma) => {
            format!(
                "LogNormal(median: \"{}\", sigma: {})",
                text(libm::exp(*mu)),
                round(*sigma)
            )
        }
        Distribution::Uniform(from, to) => {
            format!("Uniform(\"{}\", \"{}\")", text(*from), text(*to))
        }
        Distribution::Fixed(span) => format!("Fixed(\"{}\")", text(*span)),
        Distribution::Measured(spans) => format!("{} measured spans", spans.count()),
    }
}

/// Outages of a node in a year, to three digits.
fn per_year(h: &History) -> f64 {
    let years = h.length / (365.0 * 86_400.0) * h.nodes.len().max(1) as f64;
    let rate = h.outages.len() as f64 / years.max(1e-12);
    (rate * 1e3).round() / 1e3
}

/// The same as JSON. Times are in seconds.
pub(crate) fn document(told: &Told) -> Value {
    let s = &told.spans;
    let found = |of: &Distribution| {
        let b = told.best(of);
        json!({
            "timeout_s": b.timeout.is_finite().then_some(b.timeout),
            "toleration_seconds": told.toleration(b.timeout),
            "cost_s": b.cost,
        })
    };
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
            "best": found(&f.distribution),
        })
    };
    json!({
        "version": 1,
        "file": told.asked.file,
        "nodes": told.history.nodes.len(),
        "outages": s.count(),
        "open": told.history.open,
        "empty": told.history.empty,
        "length_s": told.history.length,
        "per_node_year": per_year(&told.history),
        "mean_s": s.mean(),
        "quantiles_s": QUANTILES.map(|q| json!([q, s.quantile(q)])),
        "over_within": SHARES.map(|(t, _)| json!([t, 1.0 - s.survival(t)])),
        "price_s": seconds(told.asked.price),
        "detection_s": seconds(told.asked.detection),
        "best": found(&told.measured),
        "tolerations": TOLERATIONS.map(with),
        "fits": told.fits.iter().map(fit).collect::<Vec<_>>(),
        "model": model(told),
    })
}

/// The outages of a history, in the order in which they began; times are from its beginning on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutagesTable<'a>(pub(crate) &'a History);

impl Table for OutagesTable<'_> {
    fn name(&self) -> &'static str {
        "outages"
    }

    fn columns(&self) -> Vec<Column> {
        Column::all(&[
            ("node", Kind::Text),
            ("start_s", Kind::Number),
            ("end_s", Kind::Number),
            ("lasts_s", Kind::Number),
        ])
    }

    fn rows(&self, each: &mut Each<'_>) -> io::Result<()> {
        for outage in &self.0.outages {
            let node = self.0.nodes.get(outage.node as usize);
            each(&[
                Cell::text(node.map(String::as_str)),
                Cell::Number(outage.start),
                Cell::Number(outage.start + outage.lasts),
                Cell::Number(outage.lasts),
            ])?;
        }
        Ok(())
    }
}

/// Draws what an outage costs by timeout as SVG.
///
/// # Errors
/// [`ChartError`], see there.
pub(crate) fn chart_svg(told: &Told) -> Result<String, ChartError> {
    plane_svg(&plane(told))
}

/// Draws what an outage costs by timeout as PNG.
///
/// # Errors
/// [`ChartError`], see there.
pub(crate) fn chart_png(told: &Told) -> Result<Vec<u8>, ChartError> {
    plane_png(&plane(told))
}

fn plane(told: &Told) -> Plane {
    const POINTS: u32 = 240;
    let price = seconds(told.asked.price);
    let found = told.best(&told.measured);
    let mut last = told.spans.quantile(0.75).max(900.0);
    if found.timeout.is_finite() {
        last = last.max(found.timeout * 1.5);
    }
    let line = |name: String, of: &Distribution| {
        let at = |i: u32| last * f64::from(i) / f64::from(POINTS);
        let point = |i: u32| (at(i) / 60.0, cost(of, at(i), price) / 60.0);
        Line {
            name,
            points: (0..=POINTS).map(point).collect(),
            ..Line::default()
        }
    };
    let mut lines = vec![line("measured".to_owned(), &told.measured)];
    lines.extend(
        told.fits
            .iter()
            .map(|f| line(f.name.to_owned(), &f.distribution)),
    );
    let timeout = found.timeout.min(last);
    let mark = match told.toleration(found.timeout) {
        Some(s) => format!("best: tolerationSeconds {s}"),
        None => "best: never".to_owned(),
    };
    Plane {
        heading: Heading {
            title: "What an outage costs".to_owned(),
            subtitle: format!(
                "{}: {} outages; an eviction costs {}",
                told.asked.file,
                grouped(told.spans.count() as u64),
                short(told.asked.price)
            ),
            doc: String::new(),
        },
        across: "minutes until a node's pods are evicted (detection and toleration)".to_owned(),
        up: "minutes of downtime per pod and outage, evictions included".to_owned(),
        ticks: Vec::new(),
        lines,
        span: None,
        marks: vec![(timeout / 60.0, found.cost / 60.0, mark)],
        highest: None,
        from_zero: true,
    }
}

fn seconds(d: Dur) -> f64 {
    d.as_nanos() as f64 / 1e9
}

/// A span as people read it, to the second from a minute on.
fn span(s: f64) -> String {
    if s < 60.0 {
        return short(Dur::from_millis((s * 10.0).round() as u64 * 100));
    }
    short(Dur::from_secs(s.round() as u64))
}

fn days(s: f64) -> String {
    if s < 2.0 * 86_400.0 {
        return span(s);
    }
    format!("{:.1} days", s / 86_400.0)
}
