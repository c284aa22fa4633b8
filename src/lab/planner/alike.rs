//! Rows of which one run tells what another comes to.
//!
//! Where rows differ in `tolerationSeconds` alone, they differ in when countdowns end. Of an outage in
//! which none came to its end none would with more seconds either, so that the run would be the same.

use super::apart::AS_IT_IS;
use super::count::Countdowns;
use crate::lab::sweep::Axis;

/// How long each row tolerates.
pub(super) struct Alike {
    /// The rows, the least tolerant first.
    pub(super) order: Vec<usize>,
    /// By row, what it sets; nothing where rows may differ in more.
    seconds: Vec<Vec<Seconds>>,
}

/// What a row sets for one setting.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Seconds {
    AsItIs,
    For(u64),
    Forever,
}

impl Seconds {
    fn read(value: &str) -> Option<Self> {
        match value {
            AS_IT_IS => Some(Self::AsItIs),
            "none" => Some(Self::Forever),
            value => value.parse().ok().map(Self::For),
        }
    }

    /// Whether the run of the one is that of the other, too, where its countdowns came to that.
    fn tells(self, other: Self, countdowns: Countdowns) -> bool {
        match (self, other) {
            _ if self == other => true,
            (Self::For(some), Self::For(more)) => some <= more,
            // A countdown that is cancelled is told of, and one that is never set is not.
            (Self::For(_), Self::Forever) => countdowns == Countdowns::None,
            _ => false,
        }
    }
}

impl Alike {
    /// Of rows with these values. They may only share runs where nothing comes to pass in any of them as long
    /// as nothing fails.
    pub(super) fn of(axes: &[Axis], rows: &[Vec<String>], may_share: bool) -> Self {
        let of_row = |row: &Vec<String>| row.iter().map(|v| Seconds::read(v)).collect();
        let is_so = may_share && axes.iter().all(|axis| axis.path.ends_with(".tolerationSeconds"));
        let seconds: Option<Vec<Vec<Seconds>>> = rows.iter().map(of_row).collect();
        let seconds = seconds.filter(|_| is_so).unwrap_or_default();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|row| seconds.get(*row));
        Self { order, seconds }
    }

    /// Whether what an outage comes to in a row is what it came to in another one, given what became of
    /// countdowns there.
    pub(super) fn tells(&self, there: usize, row: usize, countdowns: Countdowns) -> bool {
        let (Some(some), Some(more)) = (self.seconds.get(there), self.seconds.get(row)) else {
            return false;
        };
        countdowns != Countdowns::Ended
            && some.iter().zip(more).all(|(some, more)| some.tells(*more, countdowns))
    }
}

#[cfg(test)]
mod tests {
    use super::super::count::{self, How};
    use super::super::tests::{planner, scenario};
    use super::*;
    use crate::lab::prelude::*;
    use crate::scenario::drawn;

    const VALUES: [&str; 5] = ["none", "0", "300", "30", "120"];

    #[test]
    fn rows_with_more_seconds_are_told_unless_a_countdown_ended() {
        let axis = |path: &str| Axis { path: path.to_owned(), values: Vec::new() };
        let rows: Vec<Vec<String>> = VALUES.iter().map(|v| vec![(*v).to_owned()]).collect();
        let axes = [axis("workloads.web.template.tolerations[unreachable].tolerationSeconds")];
        let alike = Alike::of(&axes, &rows, true);
        assert_eq!(alike.order, [1, 3, 4, 2, 0]);
        let told = |there, countdowns| -> Vec<usize> {
            (0..5).filter(|row| *row != there && alike.tells(there, *row, countdowns)).collect()
        };
        assert_eq!(told(3, Countdowns::None), [0, 2, 4]);
        assert_eq!(told(3, Countdowns::Cancelled), [2, 4]);
        assert!(told(3, Countdowns::Ended).is_empty());
        assert!(told(0, Countdowns::None).is_empty());
        let others = [axis("workloads.web.replicas")];
        for alike in [Alike::of(&axes, &rows, false), Alike::of(&others, &rows, true)] {
            assert_eq!(alike.order, [0, 1, 2, 3, 4]);
            assert!(!alike.tells(3, 2, Countdowns::None));
        }
    }

    /// Outages of 20 s, in which the grace period of 50 s is not over, of 100 s, and of 10 min. The last renewal is up
    /// to 10 s old and a pass finds it up to 5 s late, so that a taint comes after 40 to 55 s: the first has no
    /// countdown, in the second one of 30 s ends and one of 120 s is cancelled, and in the third both end.
    #[test]
    fn a_run_that_tells_what_others_come_to_changes_no_figure() {
        let model = |name: &str, from: u32| {
            let to = from + 1;
            format!(
                r#"(name: "{name}", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Uniform("{from}s", "{to}s")),"#
            )
        };
        let faults = model("short", 20) + &model("middle", 100) + &model("long", 600);
        let loaded = scenario("Deployment", &faults);
        let mut planner = planner(&loaded, &VALUES, &[]);
        planner.precision = 0.3;
        let how = How { window: planner.sweep.window, own: &[], goes_on: &|| true };
        let seen = |seconds: &str| {
            let mut drawn = drawn(&loaded, &planner.overrides(&[seconds.to_owned()])).unwrap();
            let of = |model| count::one(&mut drawn, (model, 1, 0), true, &how).unwrap();
            [0, 1, 2].map(of).map(|ran| ran.counted.countdowns)
        };
        assert_eq!(seen("30"), [Countdowns::None, Countdowns::Ended, Countdowns::Ended]);
        assert_eq!(seen("120"), [Countdowns::None, Countdowns::Cancelled, Countdowns::Ended]);
        let mut kept = || {
            let kept = planner.run(2, &|_, _, _| true, Desk::Here).unwrap();
            planner.eager = true;
            format!("{kept:?}")
        };
        assert_eq!(kept(), kept());
    }
}
