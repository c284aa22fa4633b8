//! A run as a trace of Chrome's JSON form, which the Perfetto UI opens: a process for each node, a
//! thread for each pod.
//!
//! The process `cluster` has the timeline's entries, the zones' states, master disruption and the
//! controllers' process; `unscheduled` the pods that wait for a node. A node's process has its
//! silence, its health and each of its taints as spans, and below them its pods: their time on the
//! node, in it their eviction timers and their termination, and evictions and events as moments.
//! Only what something happens to is drawn. Times are microseconds from the start of the run; what
//! is open at its end, ends there. An arrow leads from what is drawn to what it led to, by the
//! records' causes; counters have the pods that are up and the nodes that wait in the queues of
//! their zones. Numbers of threads are used once in the whole file, because the
//! UI takes them for those of an operating system.

use super::prelude::*;
use crate::analysis::curves::{Curve, curves, waited_for, waiting};
use crate::analysis::setting::short_key;
use crate::analysis::state::{Follow, NO_NODE, PodState, Step};
use crate::api::node::zone_name;
use crate::files::{Escaped, Form};
use crate::trace::{Actor, ZoneState};

/// Processes that are no nodes.
const CLUSTER: u32 = 1;
const UNSCHEDULED: u32 = 2;
/// The process of the first node.
const NODES: u32 = 10;

/// A row within a process. They are drawn in this order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Row {
    Entry(u32),
    Controllers,
    Master,
    Zone(u32),
    Silence,
    Health,
    Taint(String),
    Pod(u32),
}

/// What a thread shows.
#[derive(Default)]
struct Thread {
    events: Vec<Value>,
    /// The names of the spans that are open, the innermost last.
    open: Vec<String>,
}

impl Thread {
    /// A moment, with what is told of it beside its record.
    fn moment(&mut self, at: Time, name: &str, record: RecordId, more: Option<(&str, Value)>) {
        let (ts, mut args) = (micros(at), json!({ "record": record }));
        if let Some((key, value)) = more {
            args[key] = value;
        }
        self.events.push(json!({ "ph": "i", "ts": ts, "name": name, "s": "t", "args": args }));
    }

    fn begin(&mut self, at: Time, name: &str, record: RecordId) {
        let (ts, args) = (micros(at), json!({ "record": record }));
        self.events.push(json!({ "ph": "B", "ts": ts, "name": name, "args": args }));
        self.open.push(name.to_owned());
    }

    /// Begins a span unless one is open: who is down already goes on being so.
    fn begin_once(&mut self, at: Time, name: &str, record: RecordId) {
        if self.open.is_empty() {
            self.begin(at, name, record);
        }
    }

    /// Ends the innermost span that such a name belongs to, and what is open within it.
    fn end(&mut self, at: Time, is_it: impl Fn(&str) -> bool) {
        if let Some(from) = self.open.iter().rposition(|name| is_it(name)) {
            self.end_from(from, at);
        }
    }

    /// Ends what is open from one on, the innermost first.
    fn end_from(&mut self, from: usize, at: Time) {
        for name in self.open.split_off(from).iter().rev() {
            self.events.push(json!({ "ph": "E", "ts": micros(at), "name": name }));
        }
    }
}

/// The process and the thread in which each record is drawn.
type Drawn = BTreeMap<RecordId, (u32, u32)>;

/// Microseconds with what is left of nanoseconds.
fn micros(at: Time) -> Value {
    let ns = at.as_nanos();
    if ns.is_multiple_of(1_000) { Value::from(ns / 1_000) } else { Value::from(ns as f64 / 1e3) }
}

struct Drawing<'a> {
    analysis: &'a Analysis<'a>,
    threads: BTreeMap<(u32, Row), Thread>,
    /// The pods whose timers run.
    timers: BTreeSet<(u32, u32)>,
}

/// Writes the trace.
///
/// # Errors
/// Those of `out`.
pub fn write(out: &mut dyn Write, analysis: &Analysis<'_>) -> io::Result<()> {
    let mut drawing = Drawing { analysis, threads: BTreeMap::new(), timers: BTreeSet::new() };
    let mut follow = Follow::new(analysis);
    for (id, r) in analysis.trace.iter().enumerate() {
        let step = follow.apply(id as RecordId, r);
        drawing.record(id as RecordId, r, &step);
    }
    drawing.finish(&mut Escaped::new(out, Form::Json))
}

impl Drawing<'_> {
    fn thread(&mut self, process: u32, row: Row) -> &mut Thread {
        self.threads.entry((process, row)).or_default()
    }

    fn thread_name(&self, row: &Row) -> String {
        let timeline = &self.analysis.plan.timeline;
        match row {
            Row::Entry(i) => timeline.get(*i as usize).map_or(String::new(), |e| e.name.clone()),
            Row::Controllers => "controllers".to_owned(),
            Row::Master => "master disruption".to_owned(),
            Row::Zone(key) => {
                format!("zone {}", zone_name(self.analysis.trace.names.text_of(TextId(*key))))
            }
            Row::Silence => "silent".to_owned(),
            Row::Health => "Ready condition".to_owned(),
            Row::Taint(taint) => taint.clone(),
            Row::Pod(pod) => self.analysis.pod_name(PodId(*pod)).to_owned(),
        }
    }

    fn record(&mut self, id: RecordId, r: &Record, step: &Step) {
        if let Some((node, before, after)) = step.node {
            let process = NODES + node.0;
            match (before.silent, after.silent) {
                (false, true) => self.thread(process, Row::Silence).begin(r.at, "silent", id),
                (true, false) => self.thread(process, Row::Silence).end(r.at, |_| true),
                _ => {}
            }
            let shown = |h: Health| match h {
                Health::Unknown => Some("Unknown"),
                Health::NotReady => Some("NotReady"),
                Health::Ready | Health::Silent | Health::Absent => None,
            };
            let (was, is) = (shown(before.health()), shown(after.health()));
            if was != is {
                let thread = self.thread(process, Row::Health);
                thread.end(r.at, |_| true);
                if let Some(is) = is {
                    thread.begin(r.at, is, id);
                }
            }
            self.taints(id, r, process);
        } else if step.pod.is_some() {
            self.pod(id, r, step);
        } else {
            self.cluster(id, r);
        }
    }

    fn taints(&mut self, id: RecordId, r: &Record, process: u32) {
        if r.what == What::NodeDeleted {
            let of_node = (process, Row::Silence)..(process, Row::Pod(0));
            self.threads.range_mut(of_node).for_each(|(_, t)| t.end(r.at, |_| true));
        }
        let What::NodeTaints(change) = r.what else { return };
        let analysis = self.analysis;
        let Some(change) = analysis.trace.taints.get(change as usize) else { return };
        let name = |t: &crate::api::taint::Taint| format!("{}:{}", short_key(&t.key), t.effect);
        for t in &change.removed {
            self.thread(process, Row::Taint(name(t))).end(r.at, |_| true);
        }
        for t in &change.added {
            let thread = self.thread(process, Row::Taint(name(t)));
            // Another value of the same key.
            thread.end(r.at, |_| true);
            thread.begin(r.at, &t.to_string(), id);
        }
    }

    /// The process that a pod in that state is in.
    fn process(state: &PodState) -> u32 {
        if state.node == NO_NODE { UNSCHEDULED } else { NODES + state.node }
    }

    /// A pod's thread, with its life begun if it was there before.
    fn pod_thread(&mut self, pod: PodId, state: &PodState, id: RecordId) -> &mut Thread {
        let thread = self.thread(Self::process(state), Row::Pod(pod.0));
        if thread.open.is_empty() && state.exists {
            let name = if state.node == NO_NODE { "pending" } else { "on the node" };
            thread.begin(state.bound_at, name, id);
        }
        thread
    }

    fn pod(&mut self, id: RecordId, r: &Record, step: &Step) {
        let Some((pod, before, after)) = &step.pod else { return };
        let pod = *pod;
        let place = (Self::process(before), pod.0);
        let is_timer = |name: &str| name.starts_with("timer ");
        match r.what {
            // What is there from the start is drawn as soon as something happens to it.
            What::PodCreated(_) if r.at == Time::ZERO => {}
            What::PodCreated(_) => drop(self.pod_thread(pod, after, id)),
            What::PodBound(_) => {
                self.pod_thread(pod, before, id).end(r.at, |_| true);
                self.pod_thread(pod, after, id);
            }
            What::TimerSet(seconds) => {
                let thread = self.pod_thread(pod, before, id);
                thread.end(r.at, is_timer);
                thread.begin(r.at, &format!("timer {seconds} s"), id);
                self.timers.insert(place);
            }
            What::TimerCancelled => {
                let thread = self.pod_thread(pod, before, id);
                thread.end(r.at, is_timer);
                thread.moment(r.at, "timer cancelled", id, None);
                self.timers.remove(&place);
            }
            What::PodDeleting(grace) if !before.deleting => {
                let thread = self.pod_thread(pod, before, id);
                thread.end(r.at, is_timer);
                let name = match r.actor {
                    _ if step.eviction(r).is_some() => "evicted".to_owned(),
                    Actor::Scheduler => "preempted".to_owned(),
                    actor => format!("deleted by {}", actor.as_str()),
                };
                thread.moment(r.at, &name, id, Some(("grace_s", grace.into())));
                thread.begin(r.at, "terminating", id);
                self.timers.remove(&place);
            }
            What::PodGone => {
                let is_there = |name: &str| name == "on the node" || name == "pending";
                self.pod_thread(pod, before, id).end(r.at, is_there);
                self.timers.remove(&place);
            }
            What::EvictionFailed => {
                self.pod_thread(pod, before, id).moment(r.at, "eviction failed", id, None);
            }
            What::PodPhase(phase) if r.at > Time::ZERO => {
                self.pod_thread(pod, before, id).moment(r.at, phase.as_str(), id, None);
            }
            What::PodEvent(..) | What::PodMessage(_) => {
                let fields = self.analysis.trace.fields(r);
                let reason = fields.reason.as_deref().unwrap_or("event");
                let message = ("message", Value::from(fields.message));
                self.pod_thread(pod, before, id).moment(r.at, reason, id, Some(message));
            }
            _ => {}
        }
    }

    fn cluster(&mut self, id: RecordId, r: &Record) {
        let analysis = self.analysis;
        let timeline = &analysis.plan.timeline;
        let name = timeline.get(r.object as usize).map_or("", |e| e.name.as_str());
        let entry = Row::Entry(r.object);
        match r.what {
            What::FaultBegan if analysis.plan.lasts(r.object) => {
                self.thread(CLUSTER, entry).begin(r.at, name, id);
            }
            What::FaultBegan => self.thread(CLUSTER, entry).moment(r.at, name, id, None),
            What::FaultEnded => self.thread(CLUSTER, entry).end(r.at, |_| true),
            What::Refused(text) => {
                let message = ("message", analysis.trace.names.text_of(TextId(text)).into());
                self.thread(CLUSTER, entry).moment(r.at, "refused", id, Some(message));
            }
            What::Zone(state) => {
                // A controller that starts anew leaves no master disruption that it did not enter.
                if matches!(state, ZoneState::Normal | ZoneState::PartialDisruption)
                    && let Some(master) = self.threads.get_mut(&(CLUSTER, Row::Master))
                {
                    master.end(r.at, |_| true);
                }
                let thread = self.thread(CLUSTER, Row::Zone(r.object));
                thread.end(r.at, |_| true);
                if !matches!(state, ZoneState::Initial | ZoneState::Empty) {
                    thread.begin(r.at, state.as_str(), id);
                }
            }
            What::MasterDisruptionEntered => {
                self.thread(CLUSTER, Row::Master).begin_once(r.at, "master disruption", id)
            }
            What::MasterDisruptionLeft => self.thread(CLUSTER, Row::Master).end(r.at, |_| true),
            What::ControllersStopped => {
                for (process, pod) in std::mem::take(&mut self.timers) {
                    if let Some(thread) = self.threads.get_mut(&(process, Row::Pod(pod))) {
                        thread.end(r.at, |name| name.starts_with("timer "));
                    }
                }
                self.thread(CLUSTER, Row::Controllers).begin_once(r.at, "down", id);
            }
            What::ControllersStarted if r.at > Time::ZERO => {
                let thread = self.thread(CLUSTER, Row::Controllers);
                thread.end(r.at, |_| true);
                thread.moment(r.at, "started", id, None);
            }
            _ => {}
        }
    }

    /// The nearest of the causes of a record that is drawn, with its place.
    fn drawn_cause(&self, drawn: &Drawn, record: RecordId) -> Option<(RecordId, (u32, u32))> {
        let trace = self.analysis.trace;
        let cause = |of: &RecordId| Some(trace.get(*of)?.cause);
        let mut causes = std::iter::successors(cause(&record), cause);
        causes.find_map(|id| Some((id, *drawn.get(&id)?)))
    }

    fn process_name(&self, process: u32) -> String {
        match process {
            CLUSTER => "cluster".to_owned(),
            UNSCHEDULED => "unscheduled".to_owned(),
            node => format!("node {}", self.analysis.node_name(NodeId(node - NODES))),
        }
    }

    fn finish(mut self, out: &mut dyn Write) -> io::Result<()> {
        let horizon = self.analysis.horizon();
        let first_thread = NODES + self.analysis.node_count() as u32;
        let threads = std::mem::take(&mut self.threads);
        let mut first = true;
        let mut line = |event: &Value| -> io::Result<()> {
            out.write_all(if std::mem::take(&mut first) {
                b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
            } else {
                b",\n"
            })?;
            Ok(serde_json::to_writer(&mut *out, event)?)
        };
        let meta = |process: u32, thread: u32, name: &str, args: Value| json!({ "ph": "M", "pid": process, "tid": thread, "name": name, "args": args });
        // There always is the cluster, even where nothing happens.
        let processes = std::iter::once(CLUSTER).chain(threads.keys().map(|(process, _)| *process));
        for process in processes.collect::<BTreeSet<_>>() {
            line(&meta(process, 0, "process_name", json!({ "name": self.process_name(process) })))?;
            line(&meta(process, 0, "process_sort_index", json!({ "sort_index": process })))?;
        }
        // Where a record is drawn at its own time.
        let mut drawn = Drawn::new();
        for (i, ((process, row), mut thread)) in (0u32..).zip(threads) {
            let number = first_thread + i;
            let name = self.thread_name(&row);
            line(&meta(process, number, "thread_name", json!({ "name": name })))?;
            line(&meta(process, number, "thread_sort_index", json!({ "sort_index": number })))?;
            thread.end_from(0, horizon);
            for mut event in thread.events {
                event["pid"] = process.into();
                event["tid"] = number.into();
                line(&event)?;
                let record = event.pointer("/args/record").and_then(Value::as_u64);
                if let Some(record) = record.and_then(|r| RecordId::try_from(r).ok())
                    && let Some(r) = self.analysis.trace.get(record)
                    && event["ts"] == micros(r.at)
                {
                    drawn.entry(record).or_insert((process, number));
                }
            }
        }
        for (&record, to) in &drawn {
            let Some((cause, from)) = self.drawn_cause(&drawn, record) else { continue };
            for (ph, of, (pid, tid)) in [("s", cause, from), ("f", record, *to)] {
                let at = self.analysis.trace.get(of).map_or(Time::ZERO, |r| r.at);
                let mut event = json!({
                "ph": ph, "id": record, "cat": "cause", "name": "led to", "ts": micros(at), "pid": pid, "tid": tid
                });
                if ph == "f" {
                    event["bp"] = "e".into();
                }
                line(&event)?;
            }
        }
        let (all, waiting) = (curves(self.analysis), waiting(self.analysis));
        let up = ("pods up", all.of(Curve::Available));
        let waits = format!("nodes that wait for their {}", waited_for(self.analysis.plan));
        for (name, steps) in [up, (waits.as_str(), &waiting)] {
            for (at, n) in steps {
                line(&json!({
                    "ph": "C", "name": name, "ts": micros(*at), "pid": CLUSTER, "tid": 0, "args": { "count": n }
                }))?;
            }
        }
        out.write_all(b"\n]}\n")
    }
}
