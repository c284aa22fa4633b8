//! All that was read, together, and what was left out.

use crate::evidence::prelude::*;

/// What is quiet for longer parts one outage from another, or from a time that is wrong.
const APART_US: i64 = 7 * DAY_US;
const DAY_US: i64 = 24 * 3_600_000_000;

/// When an outage can be: a run begins before it. A time without a value is the first of 1970.
fn possible() -> std::ops::Range<Stamp> {
    Stamp(YEARS.start.0 + DAY_US)..Stamp(YEARS.end.0 - DAY_US)
}

/// All that was read.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// What sources say, in the order of time once it is sorted.
    pub(crate) statements: Vec<Statement>,
    /// The objects of exports among the files.
    pub(super) exports: Vec<Vec<Value>>,
    /// What these say of the time before them.
    pub(super) exported: Vec<Statement>,
    /// What a person should know: what was taken, and what was left out and why.
    pub(crate) notes: Vec<String>,
}

impl Heard {
    /// Notes something that was said.
    pub(super) fn say(&mut self, at: Stamp, within_us: i64, said: Said, place: Place) {
        self.statements.push(Statement { at, within_us, said, place });
    }

    /// Leaves out what cannot be of the outage by its time, which a broken clock or a field without a
    /// value has written, and says so: one such line must not cost all the others, nor move them. Of
    /// those that [`APART_US`] parts the ones with the most evictions stay, then with the most lost nodes.
    pub(super) fn of_one_time(&mut self) {
        self.sort();
        let all = std::mem::take(&mut self.statements).into_iter();
        let (possible, never): (Vec<_>, Vec<_>) = all.partition(|s| possible().contains(&s.at));
        let times = possible.chunk_by(|a, b| b.at.0 - a.at.0 <= APART_US);
        let weight = |of: &&[Statement]| {
            let many = |is: fn(&Said) -> bool| of.iter().filter(|s| is(&s.said)).count();
            let evictions = many(|s| matches!(s, Said::Evicted { .. }));
            let lost = many(|s| matches!(s, Said::NodeUnknown { .. } | Said::NodeNotReady { .. }));
            (evictions, lost, of.len())
        };
        let kept = times.max_by_key(weight);
        let span = kept.and_then(|k| Some(k.first()?.at..=k.last()?.at));
        let is_near = |s: &Statement| span.as_ref().is_some_and(|span| span.contains(&s.at));
        let (near, far): (Vec<_>, Vec<_>) = possible.into_iter().partition(is_near);
        self.statements = near;
        for (left, why) in [
            (never, "of a time that no outage has"),
            (far, "of quite another time than the others"),
        ] {
            if !left.is_empty() {
                let named = left.iter().map(|s| format!("{} in {}", s.at.to_rfc3339(), s.place));
                let named: Vec<String> = named.collect();
                self.notes.push(format!(
                    "{} {why}, {}: left out",
                    are(left.len(), "statement"),
                    few(5, named.iter().map(String::as_str))
                ));
            }
        }
    }

    /// In the order of time; what several sources say of one thing stays.
    pub(super) fn sort(&mut self) {
        self.statements.sort_by(|a, b| (a.at, &a.said, &a.place).cmp(&(b.at, &b.said, &b.place)));
    }

    /// Nodes of which only their pods tell that they were given up, as events of single namespaces have
    /// it: where these pods were then is known of exports, or because something says so. A pod of a node that was
    /// given up, of which a metric tells that it was deleted and not by whom, is taken to be evicted.
    pub(super) fn nodes_by_pods(&mut self, objects: &[Value]) {
        let homes = self.homes(objects);
        let home = |pod: &str, at: Stamp| homes.get(pod)?.range(..=at).next_back()?.1.clone();
        let told: BTreeSet<String> = (self.statements.iter())
            .filter(|s| matches!(s.said, Said::NodeUnknown { .. } | Said::NodeNotReady { .. }))
            .filter_map(|s| s.said.node().map(str::to_owned))
            .collect();
        let (mut by_pods, mut down, mut taken) = (BTreeSet::new(), BTreeSet::new(), 0);
        for s in &mut self.statements {
            match &s.said {
                Said::PodNotReady { pod } => {
                    if let Some(node) = home(pod, s.at).filter(|n| !told.contains(n)) {
                        by_pods.insert(node.clone());
                        down.insert(node.clone());
                        s.said = Said::NodeNotReady { node };
                    }
                }
                Said::NodeUnknown { node } | Said::NodeNotReady { node } => {
                    down.insert(node.clone());
                }
                Said::NodeReady { node } | Said::NodeDeleted { node, .. } => _ = down.remove(node),
                Said::Deleted { pod, by, .. }
                    if by == UNNAMED && home(pod, s.at).is_some_and(|n| down.contains(&n)) =>
                {
                    s.said = Said::Evicted { pod: pod.clone() };
                    taken += 1;
                }
                _ => {}
            }
        }
        if taken > 0 {
            self.notes.push(format!(
                "{} deleted on nodes that were given up, as a metric tells without saying by whom: taken to be evicted",
                are(taken, "pod")
            ));
        }
        if !by_pods.is_empty() {
            self.notes.push(format!(
                "of {} only the events of pods tell that {} given up: those of nodes are in the namespace default",
                counted(by_pods.len(), "node"),
                form(by_pods.len(), "it was", "they were")
            ));
        }
    }

    /// By pod on which node it was from when on; on none from when one of its name was created. Where a pod is found it
    /// has been since it was created.
    fn homes(&self, objects: &[Value]) -> BTreeMap<String, BTreeMap<Stamp, Option<String>>> {
        let ever = Stamp(i64::MIN);
        let mut homes: BTreeMap<String, BTreeMap<Stamp, Option<String>>> = BTreeMap::new();
        for pod in objects.iter().filter(|o| o["kind"] == "Pod") {
            let created = time(&pod["metadata"]["creationTimestamp"]).unwrap_or(ever);
            let node = pod["spec"]["nodeName"].as_str().map(str::to_owned);
            homes.entry(full_name(pod)).or_default().insert(created, node);
        }
        for s in &self.statements {
            let Some(pod) = s.said.pod() else { continue };
            let of_pod = homes.entry(pod.to_owned()).or_default();
            let (since, node) = match &s.said {
                Said::Created { .. } => (s.created(), None),
                Said::Bound { node, .. } => (Stamp(s.at.0 - s.within_us), Some(node)),
                Said::On { node, .. } | Said::Orphaned { node, .. } => {
                    let since = match of_pod.range(..=s.at).next_back() {
                        Some((_, Some(_))) => s.at,
                        Some((created, None)) => *created,
                        None => ever,
                    };
                    (since, Some(node))
                }
                _ => continue,
            };
            of_pod.insert(since, node.cloned());
        }
        homes
    }

    /// Leaves out what is about nodes that no export knows, which are another cluster's, and says
    /// so. Pods of theirs go with them. Nodes that came to this cluster after the export are its own, and those that
    /// went before: something is said of nodes of it, too.
    pub(super) fn of_cluster(&mut self, known: &BTreeSet<String>, exported: Option<Stamp>) {
        let others = self.others(known, exported);
        if !others.is_empty() {
            self.notes.push(format!(
                "{} came after the export, or went before it ({}): taken to be without labels and requests",
                counted(others.len(), "node"),
                few(5, others.iter().map(String::as_str))
            ));
        }
        let mut strange: BTreeMap<String, usize> = BTreeMap::new();
        for s in &self.statements {
            let unknown = |n: &&str| !known.contains(*n) && !others.contains(*n);
            if let Some(node) = s.said.node().filter(unknown) {
                *strange.entry(node.to_owned()).or_default() += 1;
            }
        }
        if strange.is_empty() {
            return;
        }
        let is_strange = |s: &&Statement| s.said.node().is_some_and(|n| strange.contains_key(n));
        let theirs = self.statements.iter().filter(is_strange).filter_map(|s| s.said.pod());
        let pods: BTreeSet<String> = theirs.map(str::to_owned).collect();
        let before = self.statements.len();
        let is_theirs = |s: &Statement| s.said.pod().is_some_and(|p| pods.contains(p));
        self.statements.retain(|s| !is_strange(&s) && !is_theirs(s));
        self.notes.push(format!(
            "{} about nodes that are in no export ({}), of another cluster or of another time: left out",
            are(before - self.statements.len(), "statement"),
            few(5, strange.keys().map(String::as_str))
        ));
    }

    /// The nodes that the controllers learnt of after the export, or that were deleted before it; not these if others
    /// were given up after it, which is another outage.
    fn others(&self, known: &BTreeSet<String>, exported: Option<Stamp>) -> BTreeSet<String> {
        let mut nodes = self.statements.iter().filter_map(|s| s.said.node());
        let Some(exported) = exported.filter(|_| nodes.any(|n| known.contains(n))) else {
            return BTreeSet::new();
        };
        let is_before = self.statements.iter().any(|s| match &s.said {
            Said::NodeUnknown { node } | Said::NodeNotReady { node } => {
                s.at > exported && known.contains(node)
            }
            _ => false,
        });
        let others = self.statements.iter().filter_map(|s| match &s.said {
            Said::NodeRegistered { node } if s.at > exported => Some(node),
            Said::NodeDeleted { node, .. } | Said::Orphaned { node, .. }
                if s.at < exported && !is_before =>
            {
                Some(node)
            }
            _ => None,
        });
        others.filter(|n| !known.contains(*n)).cloned().collect()
    }

    /// Says where the clocks of files are far apart, and where two files tell of the same things at other times: their
    /// clocks are apart.
    pub(super) fn compare_clocks(&mut self) {
        const FAR_US: i64 = 3_600_000_000;
        const APART_US: i64 = 5_000_000;
        let mut files: BTreeMap<&str, (Stamp, Stamp, BTreeMap<&Said, Stamp>)> = BTreeMap::new();
        for s in &self.statements {
            let new = (s.at, s.at, BTreeMap::new());
            let (first, last, told) = files.entry(&s.place.file).or_insert(new);
            (*first, *last) = (s.at.min(*first), s.at.max(*last));
            if s.within_us <= 1_000_000 && s.said.is_once() {
                let earliest = told.entry(&s.said).or_insert(s.at);
                *earliest = s.at.min(*earliest);
            }
        }
        let files: Vec<_> = files.into_iter().collect();
        let (mut far, mut said) = (Vec::new(), Vec::new());
        for (i, (a, (first_a, last_a, of_a))) in files.iter().enumerate() {
            for (b, (first_b, last_b, of_b)) in &files[i + 1..] {
                let gap = first_b.0.saturating_sub(last_a.0);
                let gap = gap.max(first_a.0.saturating_sub(last_b.0));
                if gap > FAR_US {
                    far.push(format!(
                        "{a} ends or begins {} away from {b}: of another outage, or from another clock or time zone?",
                        counted((gap / 60_000_000) as usize, "minute")
                    ));
                }
                let both = of_a.iter().filter_map(|(s, at)| Some(of_b.get(s)?.0 - at.0));
                let mut apart: Vec<i64> = both.collect();
                apart.sort_unstable();
                let Some(middle) = apart.get(apart.len() / 2) else { continue };
                if middle.abs() > APART_US {
                    said.push(format!(
                        "{b} tells of {} {} s {} than {a} does: from another clock or time zone? Times of both are taken as they are; leave one of them out",
                        counted(apart.len(), "thing"),
                        middle.abs() / 1_000_000,
                        if *middle > 0 { "later" } else { "earlier" }
                    ));
                }
            }
        }
        self.notes.extend(far.into_iter().chain(said));
    }
}
