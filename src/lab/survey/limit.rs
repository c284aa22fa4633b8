//! What a loss must not come to: `down>5m`.

use super::hit::Figures;
use crate::language::duration;

/// A figure of a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Measure {
    /// The longest time that a workload was below its need.
    Down,
    /// Workloads that were below their need.
    Workloads,
    /// Replica-minutes missing.
    Missing,
    /// Minutes of requests lost.
    Lost,
    /// Pods that waited for a node when the loss ended.
    Pending,
    /// Pods evicted.
    Evicted,
    /// Pods evicted needlessly.
    Needless,
    /// Pods stuck.
    Stuck,
}

impl Measure {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [(&'static str, Self); 8] = [
        ("down", Self::Down),
        ("workloads", Self::Workloads),
        ("missing", Self::Missing),
        ("lost", Self::Lost),
        ("pending", Self::Pending),
        ("evicted", Self::Evicted),
        ("needless", Self::Needless),
        ("stuck", Self::Stuck),
    ];

    /// Its value; of times in minutes.
    pub(crate) fn of(self, f: &Figures) -> f64 {
        match self {
            Self::Down => f.down.as_nanos() as f64 / 60e9,
            Self::Workloads => f.workloads_down as f64,
            Self::Missing => f.missing_minutes,
            Self::Lost => f.lost_minutes,
            Self::Pending => f.pending as f64,
            Self::Evicted => f.evicted as f64,
            Self::Needless => f.needless as f64,
            Self::Stuck => f.stuck as f64,
        }
    }

    /// Whether it is a time.
    fn is_time(self) -> bool {
        matches!(self, Self::Down | Self::Lost)
    }
}

/// What a figure must not be above.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Limit {
    /// As it was written.
    pub text: String,
    measure: Measure,
    most: f64,
    /// The limit itself is too much, too.
    reaches: bool,
}

impl Limit {
    /// Reads `down>5m`, `pending>0`, `missing>=10`: times with a unit, everything else without.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            let names: Vec<&str> = Measure::ALL.iter().map(|m| m.0).collect();
            format!(
                "{text:?} is no limit: write FIGURE>VALUE, such as down>5m or pending>0; figures are {}",
                names.join(", ")
            )
        };
        let (name, value) = text.split_once('>').ok_or_else(wrong)?;
        let (reaches, value) = match value.strip_prefix('=') {
            Some(value) => (true, value.trim()),
            None => (false, value.trim()),
        };
        let measure = Measure::ALL.iter().find(|m| m.0 == name.trim());
        let measure = measure.ok_or_else(wrong)?.1;
        let most = if measure.is_time() {
            let ns = duration::parse(value).map_err(|e| match e.hint() {
                Some(hint) => format!("{e}; {hint}"),
                None => e.to_string(),
            })?;
            ns.as_nanos() as f64 / 60e9
        } else {
            let number: f64 = value.parse().map_err(|_| wrong())?;
            if !number.is_finite() {
                return Err(wrong());
            }
            number
        };
        Ok(Self { text: text.to_owned(), measure, most, reaches })
    }

    /// Whether its figure may be above what was found where pods wait for volumes, which are not
    /// simulated.
    pub(crate) fn is_about_volumes(&self) -> bool {
        use Measure::{Down, Lost, Missing, Pending, Workloads};
        matches!(self.measure, Down | Workloads | Missing | Lost | Pending)
    }

    /// Whether a loss comes to too much.
    pub(crate) fn is_broken(&self, figures: &Figures) -> bool {
        let value = self.measure.of(figures);
        value > self.most || self.reaches && value >= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Dur;

    #[test]
    fn a_limit_has_a_figure_and_a_value() {
        let figures = Figures { down: Dur::from_secs(300), pending: 2, ..Figures::default() };
        let broken = |text| Limit::parse(text).expect(text).is_broken(&figures);
        assert_eq!(
            ["down>5m", "down>=5m", "down > 299s", "pending>1", "pending>2", "stuck>=0"]
                .map(broken),
            [false, true, true, true, false, true]
        );
        for wrong in ["down", "down>5", "down<5m", "pods>1", "pending>x", "missing>nan", ""] {
            assert!(Limit::parse(wrong).is_err(), "{wrong}");
        }
    }
}
