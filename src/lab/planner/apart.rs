//! Settings that may not touch each other: of different workloads, each is chosen for itself, with
//! the others as they are. What they do to each other is measured where several of them change at one
//! time (`together`).

use super::kept::{Group, Kept, pair};
use super::spec::{FIGURES, OWN};
use crate::lab::sweep::Axis;
use std::collections::BTreeSet;

/// The value of a row that changes nothing.
pub(crate) const AS_IT_IS: &str = "as it is";

/// The workload that a path leads into; none where it is about several, or something else.
fn workload(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("workloads")?;
    let name = match rest.strip_prefix('[') {
        Some(name) => name.split(']').next()?,
        None => rest.strip_prefix('.')?.split(['.', '[']).next()?,
    };
    (!name.contains(['*', '?', '{']) && !name.is_empty()).then_some(name)
}

/// The workloads whose settings are chosen, and whose own figures are kept; of very many rows none,
/// as what is kept grows with the square of the figures.
pub(super) fn workloads(axes: &[Axis], rows: usize) -> Vec<String> {
    const FIGURES_MAX: usize = 1_000;
    let all: BTreeSet<&str> = axes.iter().filter_map(|a| workload(&a.path)).collect();
    let figures = rows * (FIGURES.len() + all.len() * OWN.len());
    let all = all.into_iter().filter(|_| figures <= FIGURES_MAX);
    all.map(str::to_owned).collect()
}

/// Whether settings are of different workloads each.
pub(crate) fn may_be_apart(axes: &[Axis]) -> bool {
    let names: Option<BTreeSet<&str>> = axes.iter().map(|a| workload(&a.path)).collect();
    axes.len() > 1 && names.is_some_and(|n| n.len() == axes.len())
}

/// The settings of a row that are changed, with their values.
pub(super) fn changed(values: &[String]) -> impl Iterator<Item = (usize, &String)> {
    values.iter().enumerate().filter(|(_, v)| *v != AS_IT_IS)
}

/// A row of so many settings of which one has this value, and the others are as they are.
pub(super) fn alone(settings: usize, axis: usize, value: &str) -> Vec<String> {
    let mut row = vec![AS_IT_IS.to_owned(); settings];
    value.clone_into(&mut row[axis]);
    row
}

/// One row for what is set now, one for each value of each setting, and two in which all settings
/// have their first values, and their last ones.
pub(super) fn rows(axes: &[Axis]) -> Vec<Vec<String>> {
    let of_axis = |(i, axis): (usize, &'_ Axis)| {
        let row = |value: &String| alone(axes.len(), i, value);
        axis.values.iter().map(row).collect::<Vec<_>>()
    };
    let mut rows = vec![vec![AS_IT_IS.to_owned(); axes.len()]];
    rows.extend(axes.iter().enumerate().flat_map(of_axis));
    rows.push(axes.iter().filter_map(|a| a.values.first().cloned()).collect());
    rows.push(axes.iter().filter_map(|a| a.values.last().cloned()).collect());
    rows
}

/// The rows of each setting; `now` says which of its values is set now. Where none is, the row that
/// changes nothing stands before them.
pub(super) fn groups(axes: &[Axis], now: &[Option<usize>]) -> Vec<Group> {
    let mut first = 1;
    let mut groups = Vec::new();
    for (axis, now) in axes.iter().zip(now) {
        let own = first..first + axis.values.len();
        let as_it_is = now.is_none().then_some(0);
        groups.push(Group {
            rows: as_it_is.into_iter().chain(own).collect(),
            now: now.map_or(0, |i| first + i),
            settled: None,
        });
        first += axis.values.len();
    }
    groups
}

impl Kept {
    /// A plan of each setting for itself; of settings that were chosen together the one that it is.
    pub(crate) fn each_apart(&self) -> Vec<Self> {
        if self.apart.is_empty() {
            return vec![self.clone()];
        }
        let part = |(axis, group): (usize, &Group)| self.part(axis, group);
        self.apart.iter().enumerate().map(part).collect()
    }

    fn part(&self, axis: usize, group: &Group) -> Self {
        let width = FIGURES.len();
        let places: Vec<usize> =
            group.rows.iter().flat_map(|row| row * width..(row + 1) * width).collect();
        let own = workload(&self.paths[axis])
            .and_then(|name| self.own.iter().position(|own| own == name));
        let of_own = |row: &usize| {
            let figures = own.map(|own| (0..OWN.len()).map(move |f| (own, f)));
            let figures = figures.into_iter().flatten();
            figures.map(|(own, f)| self.own_place(*row, own, f)).collect::<Vec<usize>>()
        };
        let own_places: Vec<usize> = group.rows.iter().flat_map(of_own).collect();
        let known = [&places[..], &own_places[..]].concat();
        let of = |all: &Vec<f64>| places.iter().map(|p| all[*p]).collect::<Vec<f64>>();
        let place = |row: usize| group.rows.iter().position(|r| *r == row);
        Self {
            paths: vec![self.paths[axis].clone()],
            rows: group.rows.iter().map(|r| vec![self.rows[*r][axis].clone()]).collect(),
            now: place(group.now).unwrap_or(0),
            moments: self.moments.of_places(&known),
            own: own.into_iter().map(|own| self.own[own].clone()).collect(),
            parts: self
                .parts
                .iter()
                .map(|two| two.each_ref().map(|(n, sums)| (*n, of(sums))))
                .collect(),
            met: self.met.iter().map(|met| group.rows.iter().map(|r| met[*r]).collect()).collect(),
            differ: (0..group.rows.len())
                .flat_map(|a| (0..a).map(move |b| (a, b)))
                .map(|(a, b)| self.differ[pair(group.rows[a], group.rows[b])])
                .collect(),
            years: self.years.iter().map(of).collect(),
            nodes: group.rows.iter().map(|r| self.nodes[*r]).collect(),
            closed: self.closed.as_ref().map(|c| group.rows.iter().map(|r| c[*r]).collect()),
            settled: group.settled.and_then(place),
            apart: Vec::new(),
            tried: None,
            whole_years: None,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(path: &str, values: &[&str]) -> Axis {
        Axis { path: path.to_owned(), values: values.iter().map(|v| (*v).to_owned()).collect() }
    }

    #[test]
    fn settings_of_different_workloads_may_be_apart() {
        let of = |paths: &[&str]| {
            let axes: Vec<Axis> = paths.iter().map(|p| axis(p, &["1", "2"])).collect();
            may_be_apart(&axes)
        };
        assert!(of(&["workloads.web.replicas", "workloads[db].replicas"]));
        assert!(!of(&["workloads.web.replicas"]));
        let template = "workloads.web.template.tolerations[unreachable].tolerationSeconds";
        assert!(!of(&["workloads.web.replicas", template]));
        assert!(!of(&["workloads.*.replicas", "workloads.web.replicas"]));
        assert!(!of(&["workloads.web.replicas", "flags.kubelet.x"]));
    }

    #[test]
    fn rows_and_their_groups() {
        let axes = [axis("a", &["1", "2"]), axis("b", &["3", "4", "5"])];
        let said: Vec<String> = rows(&axes).iter().map(|r| r.join("/")).collect();
        let is = AS_IT_IS;
        let expected = [
            format!("{is}/{is}"),
            format!("1/{is}"),
            format!("2/{is}"),
            format!("{is}/3"),
            format!("{is}/4"),
            format!("{is}/5"),
            "1/3".to_owned(),
            "2/5".to_owned(),
        ];
        assert_eq!(said, expected);
        let groups = groups(&axes, &[None, Some(1)]);
        let of = |g: &Group| (g.rows.clone(), g.now);
        assert_eq!(of(&groups[0]), (vec![0, 1, 2], 0));
        assert_eq!(of(&groups[1]), (vec![3, 4, 5], 4));
    }
}
