//! What a taint of devices did, in words: whom it evicts and when, and whether the successors find devices; and
//! what nodes that are left run short of.

use super::hit::{Hit, Lost, up_to, whole};
use super::losses::Part;
use super::tainted::{Evicted, Tainted};
use crate::lab::prelude::*;

/// What a taint of devices did, in words.
pub(super) fn told(lost: &Lost) -> Option<String> {
    let evicted = lost.damage.evicted.as_ref()?;
    let all: Vec<String> = lost.loss.parts.iter().map(subject).collect();
    let mut text = format!("{}: {}", all.join(" and "), who(evicted));
    if let Some(workloads) = of_workloads(evicted, &lost.damage.hits) {
        text.push_str(&format!(". {workloads}"));
    }
    if let Some(preview) = &evicted.preview {
        text.push_str(&format!(". With the effect None its status would say: {preview}"));
    }
    Some(text)
}

/// What taints which devices.
fn subject(part: &Part) -> String {
    let Some(Tainted::Rule(_, rule)) = &part.tainted else {
        return part.called();
    };
    let NewRule { name, selector, taint, previews } = &**rule;
    let DeviceSelector { driver, pool, device } = selector;
    let part = |what: &str, of: &Option<String>| of.as_ref().map(|of| format!("{what} {of}"));
    let parts = [part("driver", driver), part("pool", pool), part("device", device)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let of = match parts.is_empty() {
        true => {
            "EVERY DEVICE OF THE CLUSTER, as its deviceSelector is empty, and no rate holds it back"
                .to_owned()
        }
        false => parts.join(", "),
    };
    let effect = match (previews, taint.effect) {
        (true, _) => {
            "; its effect is None, which evicts nobody, and with NoExecute it would do this"
        }
        (false, Effect::NoExecute) => "",
        (false, _) => "; it evicts nobody, and keeps new pods off",
    };
    let key = match taint.value.is_empty() {
        true => taint.key.clone(),
        false => format!("{}={}", taint.key, taint.value),
    };
    format!("rule {name} ({key} on {of}{effect})")
}

/// Who is evicted, and when.
fn who(evicted: &Evicted) -> String {
    let mut by: BTreeMap<Dur, Vec<&str>> = BTreeMap::new();
    for e in &evicted.pods {
        by.entry(whole(e.after)).or_default().push(&e.pod);
    }
    let say = |(after, mut pods): (Dur, Vec<&str>)| {
        pods.sort_unstable();
        let when =
            if after.is_zero() { "at once".to_owned() } else { format!("after {}", short(after)) };
        format!("{} {when} ({})", up_to(1, pods.len() as i64, "pod"), listed(&pods))
    };
    let mut text = match by.is_empty() {
        true => "no pod is evicted".to_owned(),
        false => format!("evicts {}", by.into_iter().map(say).collect::<Vec<_>>().join(", ")),
    };
    if evicted.again > 0 {
        text.push_str(&format!(
            "; those that come in their places get tainted devices again, as the seconds of their tolerations are over, and are evicted {}",
            counted(evicted.again, "time")
        ));
    }
    text
}

/// What workloads lack, and whether the successors find devices.
fn of_workloads(evicted: &Evicted, hits: &[Hit]) -> Option<String> {
    let mut by: BTreeMap<&str, usize> = BTreeMap::new();
    for e in &evicted.pods {
        *by.entry(e.workload.as_deref()?).or_default() += 1;
    }
    let say = |(workload, n): (&str, usize)| {
        let hit = hits.iter().find(|h| h.workload == workload)?;
        let of = match hit.desired {
            desired if desired as usize >= n => format!("{n} of {desired}"),
            _ => n.to_string(),
        };
        let found = match hit.pending {
            ..=0 => "the successors find devices".to_owned(),
            n => {
                let find = if n == 1 { "finds" } else { "find" };
                format!("{} {find} no device as long as it is there", counted(n, "successor"))
            }
        };
        let down = match hit.down.is_zero() {
            true => String::new(),
            false if hit.failed.is_some() => "is below what it needs for good, ".to_owned(),
            false => format!("is below what it needs for {}, ", short(whole(hit.down))),
        };
        let missing = (hit.missing_minutes * 10.0).round() / 10.0;
        let name = hit.name();
        Some(format!("{name} loses {of} pods, {down}lacks {missing} replica-minutes; {found}"))
    };
    let all: Vec<String> = by.into_iter().filter_map(say).collect();
    (!all.is_empty()).then(|| all.join(". "))
}

/// What is said of losses in which nodes that are left run short; `subject` says which losses. Returns
/// the loss that shows it, too: the one with most evictions.
pub(super) fn runs_short<'a>(subject: &str, losses: &[&'a Lost]) -> Option<(String, &'a Lost)> {
    // Of equal ones the first.
    let evicted = |lost: &&&Lost| lost.damage.pressed.evicted();
    let worst = *losses.iter().rev().max_by_key(evicted)?;
    let mut by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, node) in &worst.damage.pressed.0 {
        node.short_of.iter().for_each(|what| by.entry(what).or_default().push(name));
    }
    let short = by.into_iter().map(|(what, nodes)| format!("{what} of {}", listed(&nodes)));
    let short = short.collect::<Vec<_>>().join(" and ");
    let shown = match losses {
        [one] if one.loss.like.is_empty() => String::new(),
        _ => format!(" ({} lost)", worst.loss.name()),
    };
    let most = i64::try_from(worst.damage.pressed.evicted()).unwrap_or(i64::MAX);
    let then = match most {
        0 => "their taints keep pods away".to_owned(),
        _ => format!("{} evicted by their kubelets", up_to(losses.len(), most, "pod")),
    };
    let nodes = losses.iter().flat_map(|lost| &lost.damage.pressed.0);
    let used_up = nodes.filter(|(_, node)| node.memory_used_up).map(|(name, _)| name.as_str());
    let used_up: BTreeSet<&str> = used_up.collect();
    let killed = match used_up.is_empty() {
        true => String::new(),
        false => format!(
            "; a look at {} found no memory left: the kernel kills before that, which is not simulated, \
             so that what comes after is not what would happen",
            few(3, used_up)
        ),
    };
    Some((format!("{subject} lost: {short} runs short{shown}: {then}{killed}"), worst))
}
