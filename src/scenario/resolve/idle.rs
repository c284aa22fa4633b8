//! Settings that change nothing here: sentences for the notes of a plan.

use super::listed::{in_short, listed, owners};
use super::timeline::Written;
use crate::api::node::{LABEL_ZONE, zone};
use crate::api::toleration::Toleration;
use crate::api::volume::{AccessMode, Claim, attach_limit_key};
use crate::plan::{Eviction, Flags, Signal, Threshold};
use crate::scenario::prelude::*;

/// What a pod tolerates that says nothing, in seconds (`DefaultTolerationSeconds`): who has that may have been given it.
const USUAL: i64 = 300;

/// All of them; whether a flag says when kubelets evict pods is known before.
pub(super) fn of(
    plan: &Plan,
    written: &Written,
    spec: &Scenario,
    says_when_to_evict: bool,
) -> impl Iterator<Item = String> + use<> {
    let own = of_kubelets(plan, says_when_to_evict).into_iter();
    let named = [attach_limits(plan), exclusive(plan), images(plan)];
    let asks = spec.expect.iter().any(|e| matches!(e, language::Expectation::NotEvicted(_)));
    let late = [at_the_end(plan.horizon, written), unnoticed(plan, written, asks)];
    let zone = labelled_zone(plan, &written.actions);
    own.chain([tolerations(plan), pod_eviction_timeout(plan), zone])
        .chain(named)
        .chain(late)
        .flatten()
}

/// Entries of the timeline that begin as the run ends.
fn at_the_end(horizon: Time, written: &Written) -> Option<String> {
    let late = written.entries.iter().filter(|e| e.at >= horizon);
    let names = listed(late.map(|e| e.name.as_str()))?;
    Some(format!("The run ends as this begins, so that nothing comes of it: {names}."))
}

/// Entries by which nodes fall silent, of which the run ends too early to tell. The grace period begins with the last heartbeat
/// before that, which is no older than a kubelet takes to the next one, and 4 % by jitter. Where somebody `asks` for evictions there is
/// more to tell: no pod goes before what the first of them tolerates is over.
fn unnoticed(plan: &Plan, written: &Written, asks: bool) -> Option<String> {
    let (horizon, grace) = (plan.horizon, plan.flags.node_monitor_grace_period);
    let period = plan.nodes.iter().map(|n| n.lease_period.as_nanos()).max().unwrap_or(0);
    let (flags, lost) = (&plan.flags, Taint::new(UNREACHABLE, Effect::NoExecute));
    let operators = plan.profile.taint_eviction.comparison_operators;
    let own = |t: &PodTemplate| {
        let own = t.tolerations.iter().find(|t| t.tolerates(&lost, operators));
        own.map_or(Some(flags.default_unreachable_toleration_seconds), |t| t.toleration_seconds)
    };
    let tolerated = plan.templates.iter().filter_map(own).min().unwrap_or(0);
    let stays = match plan.evicts_by_timeout() {
        _ if !asks => Dur::ZERO,
        true => flags.pod_eviction_timeout,
        false => Dur::from_secs(u64::try_from(tolerated).unwrap_or(0)),
    };
    let soonest = grace.saturating_sub(Dur::from_nanos(period + period / 25));
    let and = format!(", and no pod is evicted for {} after that", duration::format(stays));
    let and = if stays > Dur::ZERO { and } else { String::new() };
    // What is over before that leads to nothing.
    let is_late = |e: &TimelineEntry, after: Dur| {
        let lasts = e.ends.is_none_or(|end| end.since(e.at) > after);
        e.at < horizon && e.at.saturating_add(after) > horizon && lasts
    };
    let is_open = |e: &&TimelineEntry| is_late(e, soonest) || is_late(e, soonest + stays);
    let silences = |a: &&Action| {
        matches!(a.act, Do::Fail(_, NodeFault::Cut(_) | NodeFault::Off | NodeFault::NoKubelet))
    };
    let silent: BTreeSet<u32> = written.actions.iter().filter(silences).map(|a| a.entry).collect();
    let all = (0..).zip(&written.entries).filter(|(i, _)| silent.contains(i)).map(|(_, e)| e);
    let names = listed(all.filter(is_open).map(|e| e.name.as_str()))?;
    Some(format!(
        "The run ends before it is decided what comes of this, for no node is Unknown before --node-monitor-grace-period ({}) is over{and}: {names}.",
        duration::format(grace)
    ))
}

/// Nodes that are in no zone and have, or get, a label that is only called so.
fn labelled_zone(plan: &Plan, actions: &[Action]) -> Option<String> {
    let given = actions.iter().flat_map(|a| match &a.act {
        Do::Label(nodes, to) if to.iter().any(|(k, v)| k == "zone" && v.is_some()) => &nodes[..],
        _ => &[],
    });
    let given: BTreeSet<NodeIndex> = given.copied().collect();
    let is_called = |(i, n): &(NodeIndex, &NodePlan)| {
        zone(&n.labels).is_none() && (given.contains(i) || n.labels.contains_key("zone"))
    };
    let names = listed((0..).zip(&plan.nodes).filter(is_called).map(|(_, n)| &*n.name))?;
    Some(format!(
        "The label `zone` of {names} says nothing of a zone, and they are in none: write `zone: \"a\"` of nodes, not among their labels, or the label `{LABEL_ZONE}`."
    ))
}

/// How many volumes of a driver nodes take that no volume has, where one is meant that has no limit.
fn attach_limits(plan: &Plan) -> Option<String> {
    let before = attach_limit_key("");
    let keys = plan.nodes.iter().flat_map(|n| n.allocatable.keys());
    let limited: BTreeSet<&str> = keys.filter_map(|key| key.strip_prefix(&*before)).collect();
    let claims = plan.templates.iter().flat_map(|t| &t.claims).filter(|c| c.attach);
    let drivers: BTreeSet<&str> = claims.filter_map(|c| c.driver.as_deref()).collect();
    let free: Vec<&str> = drivers.difference(&limited).copied().collect();
    let mut unused = limited.difference(&drivers);
    let (driver, help) = unused.find_map(|driver| Some((driver, did_you_mean(driver, &free)?)))?;
    Some(format!("`{before}{driver}` of nodes limits nothing: no volume has that driver, {help}"))
}

/// Claims for one pod alone, of a release whose API server refuses them.
fn exclusive(plan: &Plan) -> Option<String> {
    let is_so = |c: &Claim| c.access == AccessMode::ReadWriteOncePod;
    let names = owners(plan, |t| t.claims.iter().any(is_so))?;
    (!plan.profile.scheduler.read_write_once_pod).then(|| {
        format!(
            "`access: RWOP` of {names} counts as RWO: the API server of Kubernetes {} refuses ReadWriteOncePod, which takes 1.22 and the gate of that name.",
            plan.profile.released()
        )
    })
}

/// Images of nodes that no container has, where another one is meant that no node has.
fn images(plan: &Plan) -> Option<String> {
    let there: BTreeSet<&str> = plan.nodes.iter().flat_map(|n| &*n.images).map(|i| &**i).collect();
    let all = plan.templates.iter().flat_map(PodTemplate::images);
    let wanted: BTreeSet<&str> = all.map(|image| &*image.name).collect();
    let pulled: Vec<&str> = wanted.difference(&there).copied().collect();
    let mut unused = there.difference(&wanted);
    let (image, help) = unused.find_map(|image| Some((image, did_you_mean(image, &pulled)?)))?;
    Some(format!("Nodes have the image `{image}`, which is no container's: {help}"))
}

/// Flags of kubelets: of node-pressure eviction where nothing is ever short, and of images that fill no disk. `evicts` where any
/// flag of all says when they evict.
fn of_kubelets(plan: &Plan, evicts: bool) -> [Option<String>; 2] {
    let own = || plan.nodes.iter().filter_map(|n| n.kubelet.as_ref()).map(|own| &own.eviction);
    let evicts = evicts || own().any(|of| *of != plan.eviction);
    let fills = plan.collects_images();
    // Disks fill with images, and nothing else does.
    let (of_disks, usual) =
        ([Signal::NodeFsAvailable, Signal::ImageFsAvailable], Eviction::defaults(&plan.profile));
    let is_other = |t: &Threshold| !of_disks.contains(&t.signal) && !usual.thresholds.contains(t);
    let beyond_disks = own().chain([&plan.eviction]).any(|of| of.thresholds.iter().any(is_other));
    let is_unused = |n: &NodePlan| n.usage.as_ref().is_some_and(|own| own.unused_images > 0);
    let has_images = plan.lists_images() || plan.nodes.iter().any(is_unused);
    let said = [
        (evicts && !plan.states_usage() && (!fills || beyond_disks)).then_some(match fills {
            false => "Not simulated: node-pressure eviction. Nothing says what pods or nodes use (`usage`), so that the kubelets' eviction flags change nothing.",
            true => "Not simulated: node-pressure eviction but for disks that fill with images. Nothing says what pods or nodes use (`usage`), so that the kubelets' eviction flags of memory, inodes and process ids change nothing.",
        }),
        (plan.states_image_gc() && !(fills && has_images)).then_some(
            "Not simulated: garbage collection of images. It takes nodes that say how large their disk is (`capacity: {\"ephemeral-storage\": …}`, or `imagefs`) and images that say how large they are (`size`, or `unused_images`): the kubelets' flags of it change nothing.",
        ),
    ];
    said.map(|text: Option<&str>| text.map(str::to_owned))
}

/// How long pods tolerate lost nodes, where these get no NoExecute taint.
fn tolerations(plan: &Plan) -> Option<String> {
    let flags = &plan.flags;
    if !plan.evicts_by_timeout() {
        return None;
    }
    let of_lost = |t: &&Toleration| t.key.is_empty() || [NOT_READY, UNREACHABLE].contains(&&*t.key);
    let says = |t: &PodTemplate| {
        let own = t.tolerations.iter().filter(of_lost);
        own.filter_map(|t| t.toleration_seconds).any(|seconds| seconds != USUAL)
    };
    let owners = plan.owners(&says);
    let own = listed(owners.iter().map(|name| in_short(name)));
    let by_default =
        [flags.default_not_ready_toleration_seconds, flags.default_unreachable_toleration_seconds];
    let by_default = by_default.iter().any(|seconds| *seconds != USUAL);
    let what = match (own, by_default) {
        (Some(names), _) => format!("`tolerationSeconds` of {names} changes nothing for them"),
        (None, true) => "`default-…-toleration-seconds` change nothing for them".to_owned(),
        (None, false) => return None,
    };
    let why = match flags.enable_taint_manager {
        true => "without the feature gate TaintBasedEvictions",
        false => "with --enable-taint-manager=false",
    };
    Some(format!(
        "Lost nodes get no NoExecute taint in {} {why}: their pods are deleted by --pod-eviction-timeout ({}), and {what}.",
        plan.profile.release,
        duration::format(flags.pod_eviction_timeout)
    ))
}

/// How long pods of lost nodes stay, where NoExecute taints evict them.
fn pod_eviction_timeout(plan: &Plan) -> Option<String> {
    let usual = Flags::defaults(&plan.profile).pod_eviction_timeout;
    let is_there = plan.profile.node_lifecycle.timeout_mode_available;
    let is_idle = is_there && !plan.evicts_by_timeout();
    (is_idle && plan.flags.pod_eviction_timeout != usual).then(|| {
        format!(
            "Lost nodes get a NoExecute taint in {}, which evicts their pods when `tolerationSeconds` are over: `pod-eviction-timeout` changes nothing.",
            plan.profile.release
        )
    })
}
