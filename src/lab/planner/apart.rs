//! Settings that may not touch each other: of different workloads, each is chosen for itself, with
//! the others as they are. What they do to each other is measured where several of them change at one
//! time (`together`).

use super::kept::{Group, Kept, pair};
use super::spec::{FIGURES, OWN};
use crate::lab::prelude::*;
use crate::lab::sweep::Axis;
use crate::scenario::workloads_at;

/// The value of a row that changes nothing.
pub(crate) const AS_IT_IS: &str = "as it is";

/// The workloads whose settings are chosen, and whose own figures are kept, in the order of the
/// settings; of very many rows none, as what is kept grows with the square of the figures.
pub(super) fn workloads(spec: &Scenario, axes: &[Axis], rows: usize) -> Vec<WorkloadsAt> {
    const FIGURES_MAX: usize = 1_000;
    let mut seen = BTreeSet::new();
    let all = axes.iter().filter_map(|axis| workloads_at(spec, &axis.path));
    let all: Vec<WorkloadsAt> = all.filter(|one| seen.insert(one.clone())).collect();
    let figures = rows * (FIGURES.len() + all.len() * OWN.len());
    if figures <= FIGURES_MAX { all } else { Vec::new() }
}

/// Whether settings are of different workloads each.
pub(super) fn may_be_apart(spec: &Scenario, axes: &[Axis]) -> bool {
    let own: Option<BTreeSet<WorkloadsAt>> =
        axes.iter().map(|axis| workloads_at(spec, &axis.path)).collect();
    axes.len() > 1 && own.is_some_and(|own| own.len() == axes.len())
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
        let rows = now.is_none().then_some(0).into_iter().chain(own).collect();
        groups.push(Group { rows, now: now.map_or(0, |i| first + i), settled: None });
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
        // Each setting has a workload of its own.
        let own = (axis < self.own.len()).then_some(axis);
        let own_places = own.into_iter().flat_map(|own| {
            let all = group.rows.iter().flat_map(|row| (0..OWN.len()).map(move |f| (*row, f)));
            all.map(move |(row, f)| self.own_place(row, own, f))
        });
        let known: Vec<usize> = places.iter().copied().chain(own_places).collect();
        let of = |all: &Vec<f64>| places.iter().map(|p| all[*p]).collect::<Vec<f64>>();
        let pairs = (0..group.rows.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let pairs: Vec<usize> = pairs.map(|(a, b)| pair(group.rows[a], group.rows[b])).collect();
        let odd_pairs: Vec<usize> =
            pairs.iter().flat_map(|two| two * width..(two + 1) * width).collect();
        let place = |row: usize| group.rows.iter().position(|r| *r == row);
        Self {
            paths: vec![self.paths[axis].clone()],
            rows: group.rows.iter().map(|r| vec![self.rows[*r][axis].clone()]).collect(),
            now: place(group.now).unwrap_or(0),
            moments: self.moments.of_places(&known),
            own: own.into_iter().map(|own| self.own[own].clone()).collect(),
            met: self.met.iter().map(|met| group.rows.iter().map(|r| met[*r]).collect()).collect(),
            differ: pairs.iter().map(|two| self.differ[*two]).collect(),
            batches: self.batches.iter().map(|batch| batch.of_places(&places)).collect(),
            odd: self.odd.iter().map(|odd| odd.of_places(&known)).collect(),
            odd_pairs: self.odd_pairs.iter().map(|odd| odd.of_places(&odd_pairs)).collect(),
            years: self.years.iter().map(of).collect(),
            nodes: group.rows.iter().map(|r| self.nodes[*r]).collect(),
            open: group.rows.iter().filter_map(|r| self.open.get(*r).copied()).collect(),
            standing: places.iter().filter_map(|p| self.standing.get(*p).copied()).collect(),
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

    fn spec(workloads: &str) -> Scenario {
        let text = format!(
            "(version: 1, horizon: \"1m\", nodes: [(name: \"n\")], workloads: [{workloads}])"
        );
        scenario::parse("s.ron", text.into_bytes(), "".as_ref()).expect("it can be read").spec
    }

    #[test]
    fn settings_of_different_workloads_may_be_apart() {
        let spec = spec(r#"Deployment(name: "web"), StatefulSet(name: "db")"#);
        let of = |paths: &[&str]| {
            let axes: Vec<Axis> = paths.iter().map(|p| axis(p, &["1", "2"])).collect();
            may_be_apart(&spec, &axes)
        };
        assert!(of(&["workloads.web.replicas", "workloads[1].replicas"]));
        assert!(!of(&["workloads.web.replicas"]));
        let template = "workloads.web.template.tolerations[unreachable].tolerationSeconds";
        assert!(!of(&["workloads.web.replicas", template]));
        assert!(!of(&["workloads.web.replicas", "workloads.Deployment/web.template.priority"]));
        assert!(!of(&["workloads.*.replicas", "workloads.web.replicas"]));
        assert!(!of(&["workloads.web.replicas", "flags.kubelet.x"]));
    }

    /// However a workload is named, its figures are its own, and stand under one name.
    #[test]
    fn a_workload_is_one_by_any_of_its_names() {
        let spec = spec(
            r#"Deployment(name: "web", namespace: "shop"), StatefulSet(name: "web", namespace: "lab"),
               Deployment(names: "api-{0..1}"), Job(name: "v1.2")"#,
        );
        let own = |path: &str| {
            let axes = [axis(&format!("workloads{path}.replicas"), &["1", "2"])];
            let all = workloads(&spec, &axes, 3);
            all.into_iter().map(|w| (w.called, Vec::from_iter(w.names))).collect::<Vec<_>>()
        };
        let is = |called: &str, names: &[&str]| {
            vec![(called.to_owned(), names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>())]
        };
        for path in [".shop/web", ".Deployment/web", ".deployment/shop/web", "[0]"] {
            assert_eq!(own(path), is("shop/web", &["Deployment/shop/web"]), "{path}");
        }
        for path in [".api", ".api-{0..1}", ".default/api"] {
            let both = ["Deployment/default/api-0", "Deployment/default/api-1"];
            assert_eq!(own(path), is("api", &both), "{path}");
        }
        assert_eq!(own(".\"v1.2\""), is("v1.2", &["Job/default/v1.2"]));
        assert_eq!(own(".*"), []);
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
