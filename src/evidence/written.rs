//! The outage as a scenario: the cluster as it was, and a timeline of what happened to it, each
//! entry with its evidence in a comment.
//!
//! A node that was given up at some time was last heard of by the pass that came one grace period
//! and less than a pass's period before, and renewed its lease less than a period before that: its
//! silence is put there. With the time of one pass known, so are those of the others.

use super::cluster::Before;
use super::export;
use super::file::UNREAD;
use super::heard::Heard;
use super::outage::{Failure, Outage};
use super::timeline::{Objects, Timeline};
use super::workloads;
use crate::evidence::prelude::*;
use crate::files::fnv1a64;
use crate::import::{Asked, ImportError, ImportedCluster, Input, KUBECTL, micros};
use crate::kernel::{Dur, Time};
use crate::language::values::{KUBERNETES, SPAN_MAX};
use crate::language::{FlagValue, Problem};

/// A kubelet renews its lease every ten seconds, which jitter makes 10.2 on average.
const RENEWAL_US: i64 = 10_200_000;
/// How long before the first sign of the outage the run starts, beside what its cause needs.
const LEAD_US: i64 = 15 * SECOND_US;
/// How long the run goes on after the last sign.
const TAIL_US: i64 = 120 * SECOND_US;
/// An export that is no older than this when the outage begins tells of it as it is; of an older one
/// only what lasts is taken, and the run begins shortly before the outage.
const FRESH_US: i64 = 300 * SECOND_US;
/// The flag of kube-controller-manager.
const GRACE: &str = "node-monitor-grace-period";
/// From a pass to what it writes of a node.
const WRITE_US: i64 = 30_000;

/// How the controllers of the outage looked at their nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watchfulness {
    /// `--node-monitor-grace-period`
    pub(crate) grace: Dur,
    /// From one pass to the next.
    pub(crate) period: Dur,
}

/// A past outage as a scenario.
#[derive(Debug)]
pub(crate) struct Reconstruction {
    /// The scenario's text.
    pub(crate) text: String,
    /// Its time zero.
    pub(crate) start: Stamp,
    /// `--node-monitor-grace-period`, as the files tell it where they do.
    pub(crate) grace: Dur,
    pub(crate) outage: Outage,
    /// Healthy nodes are missing, without which nobody would be evicted: a run tells nothing.
    pub(crate) alone: bool,
    /// What was taken, what was left out, what was assumed.
    pub(crate) notes: Vec<String>,
    /// The timeline, a sentence each.
    pub(crate) told: Vec<String>,
}

impl Reconstruction {
    /// When each pod that was evicted was, in the time of the run.
    pub(crate) fn evictions(&self) -> BTreeMap<String, Time> {
        let all = self.outage.evictions.iter();
        all.map(|(pod, known)| (pod.clone(), self.since(known.at))).collect()
    }

    /// A time by the clock as one of the run; its start, of what was before.
    pub(crate) fn since(&self, at: Stamp) -> Time {
        Time::from_micros((at.0 - self.start.0).max(0) as u64)
    }
}

/// Puts together what was.
///
/// # Errors
/// Nothing that was read tells of a node or an eviction, evictions are told and no node, it is longer
/// than a run can span, or the cluster cannot be put together.
pub(crate) fn reconstruct(
    mut heard: Heard,
    assumed: Watchfulness,
    (cluster_of, asked): (&str, &Asked),
) -> Result<Reconstruction, Problem> {
    let mut notes = Vec::new();
    let objects = objects_of(&heard, &mut notes);
    heard.nodes_by_pods(&objects);
    let nodes: BTreeSet<String> =
        objects.iter().filter(|o| o["kind"] == "Node").map(full_name).collect();
    let exported = export::made_at(&objects);
    if !nodes.is_empty() {
        heard.of_cluster(&nodes, exported);
    }
    notes.splice(0..0, std::mem::take(&mut heard.notes));
    let watchfulness = assumed.as_told(&heard.statements, &mut notes);
    let told = Outage::of(&heard.statements);
    let Some(begins) = told.begins() else { return Err(nothing(&notes)) };
    // An export from just before the outage is the cluster as it was.
    let as_it_was = exported.filter(|at| {
        (at.0..at.0 + FRESH_US).contains(&begins.0) && !came_since(&heard, &objects, *at, begins)
    });
    let exports = std::mem::take(&mut heard.exported);
    let mut near = export::near(exports, &nodes, (begins, told.ends().unwrap_or(begins)));
    near.retain(|s| as_it_was.is_none_or(|start| s.at >= start));
    heard.statements.extend(near);
    heard.sort();
    let whole = Outage::of(&heard.statements);
    let begins = whole.begins().unwrap_or(begins);
    if whole.silences.is_empty() && whole.not_ready.is_empty() && whole.actions.is_empty() {
        notes.push(
            "evictions are told, but of no node that it was given up, and of nobody who did something: \
             events of nodes are in the namespace default, and `kubectl get events -A` has them"
                .to_owned(),
        );
    }
    let plan = Timing {
        watchfulness,
        start: as_it_was.unwrap_or_else(|| {
            // What people did since an older export belongs to it.
            let since = |at: &Stamp| exported.is_some_and(|e| e < *at);
            let acted = whole.actions.iter().map(|(told, _)| told.at).filter(since);
            let first = acted.min().map_or(begins, |at| at.min(begins));
            let before = first.0 - watchfulness.grace_us() - LEAD_US;
            Stamp(before.div_euclid(SECOND_US) * SECOND_US)
        }),
        from_export: as_it_was.is_some(),
    };
    if as_it_was.is_none() {
        notes.push(of_its_time(exported, begins));
    }
    let outage = Outage::of(
        &heard.statements.iter().filter(|s| s.at >= plan.start).cloned().collect::<Vec<_>>(),
    );
    let alone = nodes.is_empty() && lacks_others(&outage, &heard.statements, &mut notes);
    let before = Before { outage: &outage, statements: &heard.statements, start: plan.start };
    let mut all = if plan.from_export { objects } else { before.rewound(&objects, &mut notes) };
    workloads::of_pods(&mut all, &mut notes);
    let was = Objects::of(&all);
    let cluster = imported(all, cluster_of).and_then(ImportedCluster::simulable);
    let mut cluster = cluster.map_err(no_cluster)?;
    if watchfulness.grace != assumed.grace {
        let flags = &mut cluster.control_plane.flags.kube_controller_manager;
        flags.insert(GRACE.to_owned(), FlagValue::Text(watchfulness.grace.to_string()));
    }
    if asked.kubernetes.is_none() && cluster.summary.releases.taken().is_none() {
        notes.push(format!(
            "of which release it is, nothing says: Kubernetes {KUBERNETES} is simulated; --kubernetes says another"
        ));
    }
    plan.set_memory(&mut cluster, &outage);
    let ends = outage.ends().unwrap_or(begins);
    let lasts = ends.0 + TAIL_US - plan.start.0;
    if lasts > (SPAN_MAX.as_nanos() / 1_000) as i64 {
        let (begins, ends) = (plan.start.to_rfc3339(), ends.to_rfc3339());
        let text =
            format!("the outage begins at {begins} and ends at {ends}, and a run can span a year");
        return Err(Problem::new(text).help("leave out of the files what is not of this outage"));
    }
    let mut timeline = plan.timeline(&outage, &cluster, &was);
    timeline.end(lasts);
    let told = timeline.told();
    notes.extend(timeline.left_out());
    let timeline = timeline.text();
    let doc = format!(
        "An outage put together from what is left of it. Time zero is {}.",
        plan.start.to_rfc3339()
    );
    let horizon = micros(lasts).0;
    let text = cluster.written(&doc, plan.start, &horizon, (&timeline, asked));
    let grace = watchfulness.grace;
    Ok(Reconstruction { text, start: plan.start, grace, outage, alone, notes, told })
}

/// Whether a pod was evicted while all nodes that are named were down, when nobody is (`ComputeZoneState`); it is said.
fn lacks_others(outage: &Outage, statements: &[Statement], notes: &mut Vec<String>) -> bool {
    let named: BTreeSet<&str> = statements.iter().filter_map(|s| s.said.node()).collect();
    let are_down = |at: Option<Stamp>| {
        let down = outage.failures().filter(|f| at.is_none_or(|at| f.is_down(at)));
        down.map(|f| &*f.node).collect::<BTreeSet<&str>>().is_superset(&named)
    };
    let lacks = are_down(None) && outage.evictions.values().any(|e| are_down(Some(e.at)));
    if lacks {
        notes.push(
            "pods were evicted while all nodes that are named were down, when nobody is: healthy ones are missing, and without \
             them neither the evictions nor what would have helped can be simulated; add an export of nodes, `kubectl get nodes -o json`"
                .to_owned(),
        );
    }
    lacks
}

/// What is said where nothing is told of a node or an eviction; `notes` are of what was left out.
fn nothing(notes: &[String]) -> Problem {
    let mut text =
        "nothing in these files tells of a node that failed, or of an eviction".to_owned();
    // What could not be read may be why.
    let unread = notes.iter().find(|note| note.contains(UNREAD));
    if let Some(unread) = unread {
        text = format!("{unread}; {text}");
    }
    let others: Vec<&str> =
        notes.iter().filter(|note| Some(*note) != unread).map(String::as_str).collect();
    Problem::new(text).help(match &others[..] {
        [] => "it takes events (`kubectl get events -A -o json`), audit logs, logs of kube-controller-manager and kube-scheduler, and \
               answers of Prometheus, beside exports; of an export alone `taintsim forecast` says what comes"
            .to_owned(),
        others => others.join("; "),
    })
}

/// What is said where the cluster cannot be put together.
fn no_cluster(error: ImportError) -> Problem {
    match error {
        ImportError::Nothing { .. } => Problem::new(format!(
            "evictions are told, and no node: nothing in these files says where the pods were; add an export of the cluster, `{KUBECTL} > cluster.json`"
        )),
        ImportError::Wrong(text) => Problem::new(text),
    }
}

/// The cluster of the export that is taken, as it stands there: its release, and the settings of its
/// control plane.
pub(crate) fn exported(heard: &Heard) -> Option<ImportedCluster> {
    let objects = objects_of(heard, &mut Vec::new());
    (!objects.is_empty()).then(|| imported(objects, "the export").ok())?
}

fn imported(objects: Vec<Value>, name: &str) -> Result<ImportedCluster, ImportError> {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    let (file, bytes, hash) = (name.to_owned(), list.len(), fnv1a64(list.as_bytes()));
    ImportedCluster::read(&[Input { file, bytes, hash, text: list }])
}

/// Whether something tells of a pod that came to a node after the export and before the outage.
fn came_since(heard: &Heard, objects: &[Value], exported: Stamp, begins: Stamp) -> bool {
    let pods = objects.iter().filter(|o| o["kind"] == "Pod");
    let known: BTreeSet<String> = pods.map(full_name).collect();
    let between = |at: Stamp| exported < at && at < begins;
    heard.statements.iter().any(|s| {
        between(s.at) && matches!(&s.said, Said::Bound { pod, .. } if !known.contains(pod))
    })
}

/// What is said of an export that is not the cluster as it was.
fn of_its_time(exported: Option<Stamp>, begins: Stamp) -> String {
    match exported {
        None => "no export with nodes: the cluster is made of the nodes and pods that are named, without labels and requests, and of one zone as far as nothing tells otherwise".to_owned(),
        Some(at) if at.0 >= begins.0 => format!(
            "the export is of {}, after the outage began: what was written since is taken back",
            at.to_rfc3339()
        ),
        Some(at) => format!(
            "the export is of {}, {} s before the outage: pods that came or went since are those that the other files tell of",
            at.to_rfc3339(),
            (begins.0 - at.0) / SECOND_US
        ),
    }
}

/// The objects of the exports; of several that differ those of the oldest.
fn objects_of(heard: &Heard, notes: &mut Vec<String>) -> Vec<Value> {
    let exports = heard.exports.iter();
    let mut all: Vec<_> = exports.map(|all| (export::made_at(all), all.clone())).collect();
    all.sort_by_key(|(at, _)| *at);
    let Some((oldest, _)) = all.iter().find(|(at, _)| at.is_some()) else {
        return all.into_iter().flat_map(|(_, objects)| objects).collect();
    };
    // Parts of one export are of nearly one time; others are left out.
    let limit = oldest.map_or(i64::MAX, |at| at.0 + 10 * SECOND_US);
    let (taken, left): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(at, _)| at.is_none_or(|at| at.0 <= limit));
    if !left.is_empty() {
        notes.push(format!(
            "{} {} the cluster at a later time: the earliest is taken",
            counted(left.len(), "file"),
            form(left.len(), "holds", "hold")
        ));
    }
    taken.into_iter().flat_map(|(_, objects)| objects).collect()
}

impl Watchfulness {
    /// These, with another grace period if a log tells of passes that gave nodes up before this one was over,
    /// or not at the first pass after it: the longest to which this comes, in whole periods.
    fn as_told(self, statements: &[Statement], notes: &mut Vec<String>) -> Self {
        let overdue = statements.iter().filter_map(|s| match s.said {
            Said::NodeOverdue { after, .. } => Some((after, &s.place)),
            _ => None,
        });
        let first = self.grace.as_secs()..=(self.grace + self.period).as_secs() + 1;
        // After much longer it is the controllers that had been away.
        let other = |(after, _): &(Dur, &Place)| {
            !first.contains(&after.as_secs()) && *after < self.grace * 3
        };
        let Some((after, place)) = overdue.min().filter(other) else { return self };
        let period = self.period.as_secs().max(1);
        let grace = Dur::from_secs((after.as_secs() / period * period).max(1));
        notes.push(format!(
            "nodes are given up {after} after they were last heard of ({place}), and not when {} are over: {GRACE} is taken to be {grace}",
            self.grace
        ));
        Self { grace, ..self }
    }

    fn grace_us(self) -> i64 {
        (self.grace.as_nanos() / 1_000) as i64
    }

    fn period_us(self) -> i64 {
        ((self.period.as_nanos() / 1_000) as i64).max(1)
    }

    /// When a kubelet renewed its lease last that was given up then: in the middle of the period
    /// before the pass that saw it. Passes come after a pause of one period each; `busy_us` is how
    /// long those of the grace period took together.
    fn renewed(self, unknown: Stamp, busy_us: i64) -> Stamp {
        let busy_us = busy_us.clamp(0, self.grace_us());
        let passes = (self.grace_us() - busy_us) / self.period_us() + 1;
        let seen = unknown.0 - WRITE_US - passes * self.period_us() - busy_us;
        Stamp(seen - self.period_us() / 2)
    }
}

/// When things are put.
struct Timing {
    watchfulness: Watchfulness,
    start: Stamp,
    from_export: bool,
}

impl Timing {
    fn last_renewal(&self, silence: &Failure, outage: &Outage) -> Stamp {
        let latest = self.latest_renewal(silence, outage);
        let begun = self.pass_of(silence.since.at, outage);
        let inferred =
            self.spared_by_the_pass_before(begun, outage).map_or(latest, |at| at.min(latest));
        self.heard_of(silence, inferred).map_or(inferred, |heard| heard.at)
    }

    /// The last renewal, if the pass that gave the node up was the first that could.
    fn latest_renewal(&self, silence: &Failure, outage: &Outage) -> Stamp {
        let begun = self.pass_of(silence.since.at, outage);
        self.watchfulness.renewed(begun, self.busy(begun, outage))
    }

    /// The earliest last renewal of a node that a pass gave up and the one before, however long that
    /// took, did not: a long pass comes to some nodes just before their grace is over, and to none
    /// again until the next. Nodes that go one after the other are taken to have gone together.
    fn spared_by_the_pass_before(&self, begun: Stamp, outage: &Outage) -> Option<Stamp> {
        let given_up = outage.silences.iter().map(|s| s.since.at);
        let before = given_up.filter(|at| *at < begun).max()?;
        let period = self.watchfulness.period_us();
        if begun.0 - before.0 > 2 * period {
            return None;
        }
        let first = self.pass_of(before, outage);
        let renewed = self.watchfulness.renewed(first, self.busy(first, outage));
        Some(Stamp(renewed.0 + period))
    }

    /// What a source says of the last renewal. One that is long before it is of another: few
    /// sources tell of every lease.
    fn heard_of<'s>(&self, silence: &'s Failure, inferred: Stamp) -> Option<&'s Statement> {
        let heard = silence.heard.as_ref()?;
        (heard.at.0 >= inferred.0 - 2 * self.watchfulness.period_us()).then_some(heard)
    }

    /// What passes wrote, as the nodes tell that they gave up: when, and how long after the one
    /// before. Between two passes is a period; within one, less.
    fn gaps(&self, outage: &Outage) -> Vec<(i64, i64)> {
        let mut times: Vec<i64> = outage.silences.iter().map(|s| s.since.at.0).collect();
        times.sort_unstable();
        times.windows(2).map(|w| (w[1], w[1] - w[0])).collect()
    }

    fn is_within_a_pass(&self, gap: i64) -> bool {
        gap < self.watchfulness.period_us() * 9 / 10
    }

    /// When the pass gave its first node up that gave one up at that time.
    fn pass_of(&self, at: Stamp, outage: &Outage) -> Stamp {
        let mut begun = at.0;
        for (end, gap) in self.gaps(outage).into_iter().rev() {
            if end == begun && self.is_within_a_pass(gap) {
                begun -= gap;
            }
        }
        Stamp(begun)
    }

    /// How long passes took together that ended within a grace period before that time.
    fn busy(&self, until: Stamp, outage: &Outage) -> i64 {
        let from = until.0 - self.watchfulness.grace_us();
        let gaps = self.gaps(outage).into_iter();
        gaps.filter(|(end, gap)| (from..until.0).contains(end) && self.is_within_a_pass(*gap))
            .map(|(_, gap)| gap)
            .sum()
    }

    /// When a node fell silent: in the middle between its last renewal and the next that was due.
    fn silent_from(&self, silence: &Failure, outage: &Outage) -> Stamp {
        Stamp((self.last_renewal(silence, outage).0 + RENEWAL_US / 2).max(self.start.0))
    }

    /// When the leases of nodes that fell silent were renewed last before the start, so that a
    /// renewal falls on their last.
    fn leases(&self, outage: &Outage) -> BTreeMap<String, Stamp> {
        let mut leases = BTreeMap::new();
        for silence in &outage.silences {
            let ahead = self.last_renewal(silence, outage).0 - self.start.0;
            let at = match ahead {
                ..=0 => self.start.0 + ahead,
                _ => self.start.0 + ahead - (ahead + RENEWAL_US - 1) / RENEWAL_US * RENEWAL_US,
            };
            leases.entry(silence.node.clone()).or_insert(Stamp(at));
        }
        leases
    }

    /// The leases of nodes that fell silent; and the first pass after the start, by the first node that was
    /// given up at a time that is known exactly, or to the second.
    fn set_memory(&self, cluster: &mut ImportedCluster, outage: &Outage) {
        let silent = &cluster.summary.cut_off;
        for (node, at) in self.leases(outage).into_iter().filter(|(node, _)| !silent.contains(node))
        {
            cluster.memory.leases.insert(node, micros(at.0 - self.start.0));
        }
        let known = outage.silences.iter().map(|s| &s.since).chain(&outage.pass);
        let exact = known.filter(|k| k.within_us < SECOND_US).min_by_key(|k| k.within_us);
        if let Some(unknown) = exact {
            let pass = (unknown.at.0 - unknown.within_us / 2 - WRITE_US - self.start.0)
                .rem_euclid(self.watchfulness.period_us());
            cluster.memory.pass = Some(micros(pass));
        }
    }

    /// The entries of the timeline, with their evidence.
    fn timeline(&self, outage: &Outage, cluster: &ImportedCluster, was: &Objects) -> Timeline {
        let mut timeline = Timeline::new(self.start);
        let silent: BTreeSet<&str> = cluster.summary.cut_off.iter().map(String::as_str).collect();
        for silence in &outage.silences {
            if !(self.from_export && silent.contains(silence.node.as_str())) {
                let at = self.silent_from(silence, outage);
                timeline.falls_silent(silence, at, &self.why(silence, outage));
            }
            if let Some(back) = silence.returned() {
                timeline.comes_back(&silence.node, back);
            }
        }
        timeline.take(outage, was);
        timeline
    }

    /// How it is known since when a node was silent.
    fn why(&self, silence: &Failure, outage: &Outage) -> String {
        let period = self.watchfulness.period_us();
        let last = self.last_renewal(silence, outage);
        if let Some(heard) = silence.heard.as_ref().filter(|heard| heard.at == last) {
            return format!("last heard of at {} ({})", heard.at.to_rfc3339(), heard.place);
        }
        format!(
            "inferred from that, the grace period of {} s and passes every {} s: silent from between {} and {} on",
            self.watchfulness.grace.as_secs(),
            self.watchfulness.period.as_secs(),
            Stamp(last.0 - period / 2).to_rfc3339(),
            Stamp(self.latest_renewal(silence, outage).0 + period / 2 + RENEWAL_US).to_rfc3339()
        )
    }
}
