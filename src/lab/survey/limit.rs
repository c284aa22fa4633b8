//! What a loss must not come to: `down>5m`.

use super::hit::Figures;
use crate::language::duration;

/// What a figure of a loss is counted in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    /// A time that one workload, or its requests, were without something.
    Time,
    /// Minutes of several pods, added up.
    Minutes,
    /// A number of things.
    Count,
}

/// A figure of a loss.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    /// As limits and tables name it.
    pub(crate) name: &'static str,
    /// What it is counted in.
    pub(crate) unit: Unit,
    /// Its value; of times in minutes.
    pub(crate) of: fn(&Figures) -> f64,
    /// It may be above what was found where pods wait for volumes, which are not simulated.
    pub(crate) rises_with_volumes: bool,
}

const fn measure(
    name: &'static str,
    unit: Unit,
    rises_with_volumes: bool,
    of: fn(&Figures) -> f64,
) -> Measure {
    Measure { name, unit, of, rises_with_volumes }
}

impl Measure {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [Self; 9] = [
        measure("down", Unit::Time, true, |f| f.down.as_nanos() as f64 / 60e9),
        measure("workloads", Unit::Count, true, |f| f.workloads_down as f64),
        measure("missing", Unit::Minutes, true, |f| f.missing_minutes),
        measure("lost", Unit::Time, true, |f| f.lost_minutes),
        measure("pending", Unit::Count, true, |f| f.pending as f64),
        measure("evicted", Unit::Count, false, |f| f.evicted as f64),
        measure("needless", Unit::Count, false, |f| f.needless as f64),
        measure("stuck", Unit::Count, false, |f| f.stuck as f64),
        measure("not_back", Unit::Count, true, |f| f.not_back as f64),
    ];
}

/// What a figure must not be above.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    /// As it was written.
    pub(crate) text: String,
    pub(crate) measure: Measure,
    most: f64,
    /// The limit itself is too much, too.
    reaches: bool,
}

impl Limit {
    /// Reads `down>5m`, `pending>0`, `missing>=10`: times with a unit, everything else without.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            let names: Vec<&str> = Measure::ALL.iter().map(|m| m.name).collect();
            format!(
                "{text:?} is no limit: write FIGURE>VALUE, such as down>5m or pending>0; figures are {}",
                names.join(", ")
            )
        };
        let (name, value) = text.split_once('>').ok_or_else(wrong)?;
        let (reaches, value) =
            value.strip_prefix('=').map_or((false, value), |value| (true, value));
        let value = value.trim();
        let measure = Measure::ALL.into_iter().find(|m| m.name == name.trim());
        let measure = measure.ok_or_else(wrong)?;
        let most = match measure.unit {
            Unit::Time => duration::spoken(value)?.as_nanos() as f64 / 60e9,
            _ => value.parse().ok().filter(|n: &f64| n.is_finite()).ok_or_else(wrong)?,
        };
        Ok(Self { text: text.to_owned(), measure, most, reaches })
    }

    /// Whether a loss comes to too much.
    pub(crate) fn is_broken(&self, figures: &Figures) -> bool {
        let value = (self.measure.of)(figures);
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
