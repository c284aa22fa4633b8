//! Which value of a setting is set now, so that it stands among those that are tried.

use super::apart::{self, alone};
use super::run::Planner;
use crate::api::pod::GRACE_PERIOD_S;
use crate::lab::prelude::*;
use crate::lab::sweep::{Axis, Sweep};

/// What is run, as a text: two of the same are one setting. The seconds that the API server adds to a pod are those that
/// somebody wrote, and its grace period; names (of a timing, too), notes and the end of a run change none, nor does a time-out that nothing heeds.
fn settings(Drawn { mut plan, models, .. }: Drawn) -> String {
    let admitted = sim::admitted(&plan).map(|mut template| {
        template.tolerations.sort_by_key(|t| format!("{t:?}"));
        template.termination_grace_period_seconds.get_or_insert(GRACE_PERIOD_S);
        template
    });
    plan.templates = admitted.collect();
    if !plan.evicts_by_timeout() {
        plan.flags.pod_eviction_timeout = Dur::ZERO;
    }
    (plan.name, plan.doc, plan.notes, plan.horizon) = Default::default();
    (plan.timeline, plan.actions, plan.timing.name) = Default::default();
    format!("{plan:?} {models:?}")
}

impl Planner<'_> {
    /// Whether each setting may be chosen for itself.
    ///
    /// # Errors
    /// What is wrong with the scenario.
    pub(crate) fn may_be_apart(&self) -> Result<bool, Problems> {
        let Sweep { loaded, base, axes, .. } = &self.sweep;
        Ok(apart::may_be_apart(&scenario::changed(loaded, base)?, axes))
    }

    /// Looks which of the values is set now: the one that changes nothing.
    ///
    /// # Errors
    /// What is wrong with a value, one that stands there in two spellings, or it was stopped.
    pub(crate) fn look_for_now(&mut self, goes_on: GoesOn<'_>) -> Result<()> {
        for Axis { path, values } in &self.sweep.axes {
            let same = |i: usize| {
                values[..i].iter().find(|v| size(v).is_some_and(|n| size(&values[i]) == Some(n)))
            };
            if let Some((one, other)) = (0..values.len()).find_map(|i| Some((same(i)?, &values[i])))
            {
                let text = format!("`{path}` has one value twice, as {one} and as {other}");
                let problem = Problem::new(text).help("each value is tried once: leave one out");
                return Err(Problems::one(problem).into());
            }
        }
        let now = self.said(&[])?;
        if self.apart.is_none() && self.sweep.axes.len() > 1 {
            self.now = self.first(self.sweep.combinations(), ("these settings", &now), goes_on)?;
            return Ok(());
        }
        let axes = 0..self.sweep.axes.len();
        let found: Vec<_> =
            axes.map(|axis| self.now_of(axis, &now, goes_on)).collect::<Result<_, _>>()?;
        match &mut self.apart {
            Some(apart) => *apart = found,
            None => self.now = found.first().copied().flatten(),
        }
        Ok(())
    }

    /// What the plan of a row is like.
    fn said(&self, values: &[String]) -> Result<String, Problems> {
        Ok(settings(scenario::drawn(self.sweep.loaded, &self.overrides(values))?))
    }

    /// The first of some rows whose plan is like that, if not all are alike. All of them are built, so that what is wrong with
    /// any is found.
    fn first(
        &self,
        rows: Vec<Vec<String>>,
        (what, now): (&str, &str),
        goes_on: GoesOn<'_>,
    ) -> Result<Option<usize>> {
        let (mut found, mut one, mut are_alike) = (None, None, rows.len() > 1);
        for (i, row) in rows.iter().enumerate() {
            if !goes_on() {
                return Err(Stopped::Asked);
            }
            let said = self.said(row)?;
            found = found.or((said == now).then_some(i));
            are_alike &= *one.get_or_insert_with(|| said.clone()) == said;
        }
        if are_alike {
            let text = format!("no value of {what} changes anything here");
            let help = "`taintsim settings FILE` lists what is set; a plan compares what pods, nodes and controllers are like";
            // A value that is the usual one is not told of.
            let whys = rows.iter().find_map(|row| self.why_not(row).transpose());
            let help = whys.transpose()?.unwrap_or_else(|| help.to_owned());
            return Err(Problems::one(Problem::new(text).help(help)).into());
        }
        Ok(found)
    }

    /// What the notes of plans with the first and last of the values say of the settings that are chosen.
    ///
    /// # Errors
    /// What is wrong with a value.
    pub(crate) fn told_of_values(&self) -> Result<BTreeSet<String>, Problems> {
        let axes = &self.sweep.axes;
        let ends = axes.iter().map(|axis| [axis.values.first(), axis.values.last()]);
        let rows = ends.enumerate().flat_map(|(i, ends)| {
            ends.into_iter().flatten().map(move |value| alone(axes.len(), i, value))
        });
        rows.filter_map(|row| self.why_not(&row).transpose()).collect()
    }

    /// What the notes of a row's plan say of the settings that are chosen.
    fn why_not(&self, values: &[String]) -> Result<Option<String>, Problems> {
        let plan = scenario::build(self.sweep.loaded, &self.overrides(values))?;
        let names = self.sweep.axes.iter().filter_map(|axis| axis.path.rsplit('.').next());
        let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        Ok(plan.notes.into_iter().find(|note| names.iter().any(|name| note.contains(name))))
    }

    /// The value of a setting that is set now. Where it is none of those that are tried it becomes one of them, if it is
    /// one value and can be told.
    fn now_of(&mut self, axis: usize, now: &str, goes_on: GoesOn<'_>) -> Result<Option<usize>> {
        let Sweep { loaded, base, axes, .. } = &self.sweep;
        let all = axes.len();
        let rows = |values: &[String]| values.iter().map(|v| alone(all, axis, v)).collect();
        let Axis { path, values } = &axes[axis];
        let what = format!("`{path}`");
        if let Some(found) = self.first(rows(values), (&what, now), goes_on)? {
            return Ok(Some(found));
        }
        let (spec, plan) = (scenario::changed(loaded, base)?, scenario::build(loaded, base)?);
        let Some(value) = scenario::set_now(&spec, &plan, path) else { return Ok(None) };
        let rows = rows(std::slice::from_ref(&value));
        let Ok(Some(_)) = self.first(rows, (&what, now), goes_on) else { return Ok(None) };
        let values = &mut self.sweep.axes[axis].values;
        let place = place(values, &value);
        values.insert(place, value);
        Ok(Some(place))
    }
}

/// How great a value is, if it is a number, a duration or without end.
pub(crate) fn size(text: &str) -> Option<f64> {
    match text {
        "none" => Some(f64::INFINITY),
        _ => text.parse().ok().or_else(|| Some(duration::spoken(text).ok()?.as_secs_f64())),
    }
}

/// Where a value belongs among others: before the first that is greater.
fn place(values: &[String], value: &str) -> usize {
    let is_greater =
        |other: &String| size(other).zip(size(value)).is_some_and(|(other, value)| other > value);
    values.iter().position(is_greater).unwrap_or(values.len())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_value_stands_before_the_first_that_is_greater() {
        let place = |values: &[&str], value| {
            super::place(&values.iter().map(|v| (*v).to_owned()).collect::<Vec<_>>(), value)
        };
        assert_eq!(place(&["0", "60", "600", "none"], "300"), 2);
        assert_eq!(place(&["0", "60"], "none"), 2);
        assert_eq!(place(&["40s", "1m"], "50s"), 1);
        assert_eq!(place(&["600", "60"], "300"), 0);
        assert_eq!(place(&["OrderedReady"], "Parallel"), 1);
    }
}
