//! TaintToleration (`plugins/tainttoleration/taint_toleration.go`): taints NoSchedule and NoExecute
//! keep pods off, PreferNoSchedule makes nodes less liked.

use crate::controllers::scheduler::prelude::*;
use crate::plan::switches::scheduler::TaintMessage;

/// The first taint that keeps the pod off the node (`FindMatchingUntoleratedTaint`); how long it is
/// tolerated does not matter. `comparison` is the gate TaintTolerationComparisonOperators.
pub(crate) fn untolerated<'a>(
    shape: &Shape,
    node: &'a Node,
    comparison: bool,
) -> Option<&'a Taint> {
    node.taints
        .iter()
        .filter(|t| t.effect != Effect::PreferNoSchedule)
        .find(|taint| !shape.template.tolerations.iter().any(|t| t.tolerates(taint, comparison)))
}

/// Rejects a node with a taint that the pod does not tolerate.
pub(crate) fn filter(shape: &Shape, node: &Node, switches: &Switches) -> Verdict {
    let Some(taint) = untolerated(shape, node, switches.comparison_operators) else {
        return Ok(());
    };
    let (key, value) = (&taint.key, &taint.value);
    let reason = match switches.taint_message {
        TaintMessage::Plain => "node(s) had taints that the pod didn't tolerate".into(),
        TaintMessage::NamesTaint => {
            format!("node(s) had taint {{{key}: {value}}}, that the pod didn't tolerate").into()
        }
        TaintMessage::Untolerated => {
            format!("node(s) had untolerated taint {{{key}: {value}}}").into()
        }
        TaintMessage::UntoleratedPlural => "node(s) had untolerated taint(s)".into(),
    };
    Err(Rejection { plugin: Plugin::TaintToleration, unresolvable: true, reasons: vec![reason] })
}

/// How many taints PreferNoSchedule of the node the pod does not tolerate
/// (`countIntolerableTaintsPreferNoSchedule`).
pub fn score(shape: &Shape, node: &Node, comparison: bool) -> i64 {
    let is_soft = |t: &&Taint| t.effect == Effect::PreferNoSchedule;
    let soft = node.taints.iter().filter(is_soft).filter(|taint| {
        let mut of_effect = (shape.template.tolerations.iter())
            .filter(|t| t.effect.is_none_or(|e| e == Effect::PreferNoSchedule));
        !of_effect.any(|t| t.tolerates(taint, comparison))
    });
    soft.count() as i64
}

/// `DefaultNormalizeScore`, reversed.
pub fn normalize(raw: i64, max: i64) -> i64 {
    if max == 0 { MAX_NODE_SCORE } else { MAX_NODE_SCORE - MAX_NODE_SCORE * raw / max }
}

/// Whether a change may help a pod that this plugin rejected.
pub(crate) fn hint(
    shape: &Shape,
    event: ClusterEvent,
    (old, new): Nodes<'_>,
    comparison: bool,
) -> bool {
    if event == ClusterEvent::OwnTolerations {
        return true;
    }
    let Some(new) = new else { return false };
    let kept_off = old.is_none_or(|o| untolerated(shape, o, comparison).is_some());
    kept_off && untolerated(shape, new, comparison).is_none()
}
