//! A run as columns: what stands above them, the lane of each node, the course of each workload,
//! evictions, timers, queues, and why things happened.

mod evictions;
mod explained;
mod names;

use self::evictions::Evicted;
use self::names::{Nodes, Pods};
use crate::analysis::disruption::disruptions;
use crate::analysis::drains::{Drain, drains};
use crate::analysis::lanes::{busy_from, by_zone_and_name, quiet_from};
use crate::analysis::serving::{Count, Serving};
use crate::analysis::state::{Follow, NodeFlags};
use crate::analysis::workloads::Owners;
use crate::report::Report;
use crate::report::html::columns::Columns;
use crate::report::prelude::*;
use crate::report::text::{relative, summary_lines, workload_lines};

/// Up to this many pods, a page knows all by name; of more only those that something happened to.
const ALL_PODS: usize = 20_000;

/// A run as columns for a page; `groups` are the names of the scenario's groups of pods, as
/// `explain` needs them. Without, they do not tell why things happened, which takes longer than all
/// the rest.
pub fn columns_of(report: &Report<'_>, groups: Option<&[String]>) -> Vec<u8> {
    let analysis = report.analysis;
    let mut columns = Columns::new("run");
    heading(report, &mut columns);
    course(analysis, &mut columns);
    let lanes = Lanes::new(analysis);
    lanes.write(analysis, &mut columns);
    let evicted = Evicted::new(report);
    let pods = match analysis.pod_count() {
        all if all <= ALL_PODS => Pods::new((0..all as u32).map(PodId).collect()),
        _ => Pods::new(evicted.pods().collect::<BTreeSet<_>>().into_iter().collect()),
    };
    columns.texts("pod.name", pods.ids.iter().map(|p| analysis.pod_name(*p)));
    let owners = Owners::new(analysis);
    let workloads = report.serving.workloads.iter().map(|w| w.id);
    let places: BTreeMap<_, u32> = workloads.zip(0..).collect();
    let place = |p: PodId| places.get(&owners.of(analysis, p)).copied().unwrap_or(0);
    columns.codes("pod.workload", pods.ids.iter().copied().map(place));
    evicted.write((&lanes.nodes, &pods), &mut columns);
    let left = || evicted.left.iter();
    columns.near("left.at", left().map(|p| p.at.as_millis()));
    columns.near("left.pod", left().map(|p| pods.place(p.pod)));
    columns.near("left.node", left().map(|p| lanes.nodes.or_none(p.node)));
    columns.codes("left.how", left().map(|p| p.how as u32));
    let drains = drains(analysis);
    columns.near("drain.from", drains.iter().map(|d| d.from.as_millis()));
    columns.near("drain.to", drains.iter().map(|d| d.to.as_millis()));
    let node = |d: &Drain| lanes.nodes.or_none(Some(d.node));
    columns.near("drain.node", drains.iter().map(node));
    columns.set("drains", drains.iter().map(|d| Value::from(d.words())).collect());
    workload_columns(&report.serving, &mut columns);
    evictions::write(analysis, &evicted, &mut columns);
    if let Some(groups) = groups {
        let places = (&lanes.nodes, &pods);
        explained::write(report, groups, places, evicted.evictions, &mut columns);
    }
    columns.finish()
}

/// What stands above and beside the lanes.
fn heading(report: &Report<'_>, columns: &mut Columns) {
    let analysis = report.analysis;
    let plan = analysis.plan;
    let heading = report.heading();
    columns.set("title", heading.title.into());
    columns.set("subtitle", heading.subtitle.into());
    columns.set("doc", plan.doc.as_str().into());
    columns.set("notes", report.notes().into());
    columns.set("seed", report.source.seed.into());
    columns.set("release", report.release().into());
    columns.set("horizon", analysis.horizon().as_millis().into());
    let quiet = quiet_from(analysis);
    columns.set("begins", busy_from(analysis, quiet).as_millis().into());
    columns.set("shown", quiet.as_millis().into());
    columns.set("zones", analysis.zones.iter().map(|z| Value::from(z.as_str())).collect());
    let summary = summary_lines(report).into_iter();
    columns.set("summary", summary.map(|(name, said)| json!([name, said])).collect());
    columns.set("outcomes", workload_lines(report).into());
    let rows = report.rows.iter().map(|r| {
        let (first, last) = (r.first.as_millis(), r.last.as_millis());
        json!({ "first": first, "last": last, "after": relative(report, r), "text": r.text })
    });
    columns.set("findings", rows.collect());
}

/// Faults, actions, and why evictions pause.
fn course(analysis: &Analysis<'_>, columns: &mut Columns) {
    let end = |entry: u32| {
        let ended = |r: &&Record| r.what == What::FaultEnded && r.object == entry;
        analysis.trace.iter().find(ended).map(|r| r.at)
    };
    let began: BTreeSet<u32> =
        analysis.trace.iter().filter(|r| r.what == What::FaultBegan).map(|r| r.object).collect();
    let entries = (0..).zip(&analysis.plan.timeline).map(|(i, entry)| {
        let to = end(i).or(entry.ends.filter(|t| *t <= analysis.horizon()));
        json!({
            "name": entry.name,
            "from": entry.at.as_millis(),
            "to": to.map(|t| t.as_millis()),
            "lasts": entry.ends.is_some() || analysis.plan.lasts(i),
            "fault": entry.is_fault,
            "began": began.contains(&i),
        })
    });
    columns.set("entries", entries.collect());
    let found = disruptions(analysis);
    let troubled = found.control_plane.iter();
    let troubled = troubled
        .map(|t| json!({ "from": t.from.as_millis(), "to": t.to.as_millis(), "name": t.entry }));
    columns.set("control_plane", troubled.collect());
    let master = found.master.iter().map(|(from, to)| json!([from.as_millis(), to.as_millis()]));
    columns.set("master", master.collect());
    let zones = found.by_zone().into_iter().flat_map(|(zone, states)| {
        states.iter().map(move |s| {
            json!({
                "zone": zone,
                "from": s.from.as_millis(),
                "to": s.to.as_millis(),
                "state": s.state.as_str(),
                "stopped": s.pace.is_stopped(),
                "words": s.pace.words(analysis.plan),
            })
        })
    });
    columns.set("disruptions", zones.collect());
}

/// The states of nodes, each from a time on; those of one instant are all there, in order.
struct Lanes {
    nodes: Nodes,
    steps: Vec<Vec<(Time, u32)>>,
}

/// A state as a number: health in the three lowest bits, in the order of `Health::ALL`, then
/// whether there is a NoSchedule taint, a NoExecute taint, a machine that is off, volumes that it holds
/// while it is not Ready, and pods that wait for theirs.
fn code(n: NodeFlags) -> u32 {
    let bit = |is: bool, place: u32| u32::from(is && n.exists) << place;
    let volumes = u32::from(n.holds_volumes()) << 6 | bit(n.unattached > 0, 7);
    let taints = bit(n.no_schedule > 0, 3) | bit(n.no_execute > 0, 4);
    n.health().index() as u32 | taints | bit(n.off, 5) | volumes
}

impl Lanes {
    fn new(analysis: &Analysis<'_>) -> Self {
        let mut follow = Follow::new(analysis);
        let mut steps: Vec<Vec<(Time, u32)>> =
            follow.nodes().map(|(_, n)| vec![(Time::ZERO, code(n))]).collect();
        for (id, r) in analysis.trace.iter().enumerate() {
            if let Some((node, before, after)) = follow.apply(id as RecordId, r).changed_node()
                && code(before) != code(after)
            {
                steps[node.index()].push((r.at, code(after)));
            }
        }
        let absent = Health::Absent.index() as u32;
        let existed = |n: &NodeId| steps[n.index()].iter().any(|s| s.1 & 7 != absent);
        let nodes: Vec<NodeId> = (0..steps.len() as u32).map(NodeId).filter(existed).collect();
        Lanes { nodes: Nodes::new(by_zone_and_name(analysis, nodes)), steps }
    }

    fn write(&self, analysis: &Analysis<'_>, columns: &mut Columns) {
        let ids = &self.nodes.ids;
        columns.texts("node.name", ids.iter().map(|n| analysis.node_name(*n)));
        columns.codes("node.zone", ids.iter().map(|n| u32::from(analysis.zone_of[n.index()])));
        let steps = || ids.iter().map(|n| &self.steps[n.index()]);
        columns.codes("lane.count", steps().map(|s| s.len() as u32));
        columns.near("lane.at", steps().flatten().map(|s| s.0.as_millis()));
        columns.codes("lane.state", steps().flatten().map(|s| s.1));
    }
}

/// A figure of a workload, by name.
type Figure = (&'static str, fn(&Count) -> u32);

/// The figures of a workload that a page has.
const FIGURES: [Figure; 7] = [
    ("workload.desired", |c| c.desired),
    ("workload.up", |c| c.up),
    ("workload.ready", |c| c.ready),
    ("workload.ghosts", |c| c.ghosts),
    ("workload.dead", |c| c.dead),
    ("workload.pending", |c| c.pending),
    ("workload.needed", |c| c.needed),
];

fn workload_columns(serving: &Serving, columns: &mut Columns) {
    let all = &serving.workloads;
    let of = |w: &crate::analysis::serving::Served| {
        json!({
            "name": w.name.replacen('/', " ", 1),
            "missing_minutes": w.costs.missing_ns as f64 / 60e9,
            "evicted": w.costs.evicted,
            "needless": w.costs.needless,
        })
    };
    columns.set("workloads", all.iter().map(of).collect::<Vec<Value>>().into());
    columns.codes("workload.count", all.iter().map(|w| w.counts.len() as u32));
    let counts = || all.iter().flat_map(|w| &w.counts);
    columns.near("workload.at", counts().map(|c: &(Time, Count)| c.0.as_millis()));
    for (name, figure) in FIGURES {
        columns.near(name, counts().map(|c| figure(&c.1)));
    }
}
