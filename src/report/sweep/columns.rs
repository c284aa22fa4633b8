//! The figures that a sweep can show, and how `--show` names them: `replica_minutes_missing`,
//! `web:evicted`, `web:all`, `all`.

use crate::analysis::{Figure, Metrics, Sample, Spread};
use crate::lab::Case;
use crate::language::{Problem, few, one_of};
use crate::report::charts::Unit;

/// What is measured of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Measure {
    Cost(Figure),
    /// From the fault to Unknown: the median over the run's nodes, in seconds.
    Detection,
    /// From the fault to the NoExecute taint: the median over the run's nodes, in seconds.
    Tainting,
    /// From the fault to the deletion: the median over the run's evictions, in seconds.
    Eviction,
}

impl Measure {
    /// All of them, in the order of files.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let latencies = [Self::Detection, Self::Tainting, Self::Eviction];
        Figure::ALL.into_iter().map(Self::Cost).chain(latencies)
    }

    /// Its name as a column, and that for people.
    fn words(self) -> [&'static str; 2] {
        match self {
            Self::Cost(figure) => [figure.name(), figure.heading()],
            Self::Detection => ["detection_s", "detection"],
            Self::Tainting => ["tainting_s", "tainting"],
            Self::Eviction => ["eviction_s", "eviction"],
        }
    }

    fn name(self) -> &'static str {
        self.words()[0]
    }

    /// What it is counted in; people read seconds as `1m30s`.
    pub(crate) fn unit(self) -> Unit {
        match self {
            Self::Detection
            | Self::Tainting
            | Self::Eviction
            | Self::Cost(Figure::LongestBelowNeed | Figure::LongestPending) => Unit::Seconds,
            Self::Cost(Figure::RequestsLostShare) => Unit::Percent,
            Self::Cost(figure) if figure.is_count() => Unit::Count,
            Self::Cost(_) => Unit::Minutes,
        }
    }
}

/// A figure, of all workloads or of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// What is measured.
    pub(crate) measure: Measure,
    /// Of which workload, `Kind/namespace/name`; of all where none is given.
    pub(crate) workload: Option<String>,
}

impl Column {
    /// A figure of all workloads.
    pub(crate) fn of_all(measure: Measure) -> Self {
        Column { measure, workload: None }
    }

    /// Its name in files: `evicted`, `Deployment/default/web:evicted`.
    pub(crate) fn name(&self) -> String {
        match &self.workload {
            None => self.measure.name().to_owned(),
            Some(workload) => format!("{workload}:{}", self.measure.name()),
        }
    }

    /// Its name for people: `evicted`, `web: evicted`.
    pub(crate) fn heading(&self) -> String {
        let [_, heading] = self.measure.words();
        match self.workload.as_ref().and_then(|workload| workload.rsplit('/').next()) {
            None => heading.to_owned(),
            Some(name) => format!("{name}: {heading}"),
        }
    }

    /// Its value in a run; none where it did not happen, where nothing of it is counted, or where there is no such workload in that
    /// run.
    pub(crate) fn of(&self, metrics: &Metrics) -> Option<f64> {
        let median = |spread: Option<Spread>| spread.map(|s| s.median.as_secs_f64());
        let counts = |of: &String| !metrics.uncounted.contains(of);
        let is_counted = || match &self.workload {
            Some(name) => counts(name),
            None => metrics.workloads.is_empty() || metrics.workloads.iter().any(|w| counts(&w.0)),
        };
        match (self.measure, &self.workload) {
            (Measure::Cost(figure), _) if figure.is_of_counted_time() && !is_counted() => None,
            (Measure::Cost(figure), None) => Some(figure.of(&metrics.costs)),
            (Measure::Cost(figure), Some(name)) => {
                let of = metrics.workloads.iter().find(|(of, _)| of == name);
                of.map(|(_, costs)| figure.of(costs))
            }
            (Measure::Detection, _) => median(metrics.detection),
            (Measure::Tainting, _) => median(metrics.tainting),
            (Measure::Eviction, _) => median(metrics.eviction),
        }
    }

    /// Its values over the runs of a row.
    pub(crate) fn sample(&self, case: &Case) -> Option<Sample> {
        Sample::of(case.runs.iter().filter_map(|r| self.of(&r.metrics)))
    }

    /// By how much it is greater in a row than in another one, seed by seed: the draws are the
    /// same, so that chance weighs little.
    pub(crate) fn difference(&self, case: &Case, from: &Case) -> Option<Sample> {
        let pairs = case.runs.iter().zip(&from.runs).filter(|(a, b)| a.seed == b.seed);
        Sample::of(pairs.filter_map(|(a, b)| Some(self.of(&a.metrics)? - self.of(&b.metrics)?)))
    }
}

/// The columns that `--show` names, each once; `workloads` are the names of those there are.
///
/// # Errors
/// No such figure, no such workload, or several that fit the name.
pub fn parse(texts: &[String], workloads: &[String]) -> Result<Vec<Column>, Problem> {
    let mut columns: Vec<Column> = Vec::new();
    for text in texts.iter().flat_map(|t| t.split(',')).map(str::trim).filter(|t| !t.is_empty()) {
        let (workload, figure) = match text.rsplit_once(':') {
            Some((name, figure)) => (Some(named(name.trim(), workloads)?), figure.trim()),
            None => (None, text),
        };
        let mut there: Vec<Measure> = Measure::all().collect();
        there.retain(|m| workload.is_none() || matches!(m, Measure::Cost(_)));
        let is_asked = |m: &&Measure| figure == "all" || m.name() == figure;
        let mut found = there.iter().filter(is_asked).peekable();
        if found.peek().is_none() {
            let names: Vec<&str> = there.iter().map(|m| m.name()).collect();
            let of_one = if workload.is_some() { " of a workload" } else { "" };
            let problem = Problem::new(format!("there is no figure `{figure}`{of_one}"));
            return Err(problem.help(format!("one of {}, all", names.join(", "))));
        }
        for &measure in found {
            let column = Column { measure, workload: workload.clone() };
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
    }
    Ok(columns)
}

/// The workload of that name: `web`, `shop/web`, `Deployment/web`, `Deployment/shop/web`.
fn named(text: &str, workloads: &[String]) -> Result<String, Problem> {
    let found = one_of(text, "workload", workloads.iter().map(|w| (w.as_str(), w)))?;
    found.cloned().ok_or_else(|| {
        let all = few(8, workloads.iter().map(String::as_str));
        let help = (!all.is_empty()).then(|| format!("one of {all}"));
        Problem::new(format!("there is no workload `{text}`")).maybe_help(help)
    })
}

/// What is shown where nothing is asked for: what decides most often, and what happened in any run
/// at all.
pub(crate) fn usual(cases: &[Case]) -> Vec<Column> {
    let always = [
        Measure::Cost(Figure::ReplicaMinutesMissing),
        Measure::Cost(Figure::RequestsLostShare),
        Measure::Cost(Figure::Evicted),
        Measure::Cost(Figure::Needless),
        Measure::Detection,
    ];
    let if_any = [Measure::Cost(Figure::MinutesBelowNeed), Measure::Cost(Figure::PendingAtEnd)];
    let happened = |m: &Measure| {
        let mut runs = cases.iter().flat_map(|c| &c.runs);
        runs.any(|r| Column::of_all(*m).of(&r.metrics).is_some_and(|v| v > 0.0))
    };
    always.into_iter().chain(if_any.into_iter().filter(happened)).map(Column::of_all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(texts: &[&str]) -> Result<Vec<String>, String> {
        let workloads =
            ["Deployment/lab/web", "Deployment/shop/web", "StatefulSet/shop/db"].map(str::to_owned);
        let texts: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
        parse(&texts, &workloads)
            .map(|all| all.iter().map(Column::name).collect())
            .map_err(|p| p.to_string())
    }

    #[test]
    fn figures_are_asked_for_by_name() {
        assert_eq!(
            shown(&["evicted, detection_s", "evicted"]),
            Ok(vec!["evicted".to_owned(), "detection_s".to_owned()])
        );
        assert_eq!(shown(&["db:evicted"]), Ok(vec!["StatefulSet/shop/db:evicted".to_owned()]));
        assert_eq!(
            shown(&["shop/web:restarts"]),
            Ok(vec!["Deployment/shop/web:restarts".to_owned()])
        );
        assert_eq!(shown(&["db:all"]).map(|all| all.len()), Ok(Figure::ALL.len()));
        assert_eq!(shown(&["all"]).map(|all| all.len()), Ok(Figure::ALL.len() + 3));
        assert!(
            shown(&["web:evicted"])
                .is_err_and(|p| p.contains("2 workloads: `lab/web`, `shop/web`"))
        );
        assert!(shown(&["cache:evicted"]).is_err_and(|p| p.contains("no workload `cache`")));
        assert!(shown(&["evictions"]).is_err_and(|p| p.contains("no figure `evictions`")));
        assert!(
            shown(&["db:detection_s"])
                .is_err_and(|p| p.contains("no figure `detection_s` of a workload"))
        );
    }
}
