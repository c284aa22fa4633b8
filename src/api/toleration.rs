//! Tolerations (`v1.Toleration`) and their matching.
//!
//! `staging/src/k8s.io/api/core/v1/toleration.go: ToleratesTaint` and
//! `pkg/apis/core/v1/helper/helpers.go: GetMatchingTolerations`, v1.34; the operators as in v1.37.
//! The operators `Lt` and `Gt` (alpha and off in 1.35 to 1.37) match nothing while their gate is
//! off, and are matched as upstream does when it is on.

use super::taint::{
    DISK_PRESSURE, Effect, MEMORY_PRESSURE, NOT_READY, PID_PRESSURE, Taint, UNREACHABLE,
    UNSCHEDULABLE,
};
use crate::api::prelude::*;

words! {
    /// How a toleration compares values.
    #[derive(Default, Deserialize, Serialize, JsonSchema)]
    pub enum Operator {
        /// The value must be equal.
        #[default]
        Equal = "Equal",
        /// Any value.
        Exists = "Exists",
        /// The taint's value is below the toleration's (gate TaintTolerationComparisonOperators).
        Lt = "Lt",
        /// The taint's value is above the toleration's (gate TaintTolerationComparisonOperators).
        Gt = "Gt",
    }
}

/// A toleration of a pod.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Toleration {
    /// The taint's key; empty with `Exists` tolerates everything.
    pub key: String,
    /// How the value is compared.
    pub operator: Operator,
    /// The value to compare with.
    pub value: String,
    /// The taint's effect; none means every effect.
    pub effect: Option<Effect>,
    /// How long a NoExecute taint is tolerated, in seconds; none is for ever, zero and less not at
    /// all.
    pub toleration_seconds: Option<i64>,
}

impl Toleration {
    /// That of every taint with this key and effect; without a key, of every taint with this effect.
    pub(crate) fn exists(key: &str, effect: Effect, toleration_seconds: Option<i64>) -> Self {
        Toleration {
            key: key.to_owned(),
            operator: Operator::Exists,
            value: String::new(),
            effect: Some(effect),
            toleration_seconds,
        }
    }

    /// Whether this toleration tolerates `taint` (`Toleration.ToleratesTaint`).
    /// `comparison_operators` is the gate TaintTolerationComparisonOperators.
    pub(crate) fn tolerates(&self, taint: &Taint, comparison_operators: bool) -> bool {
        if self.effect.is_some_and(|e| e != taint.effect) {
            return false;
        }
        if !self.key.is_empty() && self.key != taint.key {
            return false;
        }
        match self.operator {
            Operator::Equal => self.value == taint.value,
            Operator::Exists => true,
            Operator::Lt | Operator::Gt if !comparison_operators => false,
            Operator::Lt => compare(&taint.value, &self.value).is_some_and(|(t, own)| t < own),
            Operator::Gt => compare(&taint.value, &self.value).is_some_and(|(t, own)| t > own),
        }
    }
}

fn compare(taint: &str, toleration: &str) -> Option<(i64, i64)> {
    Some((canonical_integer(taint)?, canonical_integer(toleration)?))
}

/// A decimal integer without a plus sign or leading zeros (`content.IsDecimalInteger`).
pub(crate) fn canonical_integer(s: &str) -> Option<i64> {
    let digits = s.strip_prefix('-').unwrap_or(s);
    let canonical = s == "0"
        || !digits.is_empty()
            && !digits.starts_with('0')
            && digits.bytes().all(|b| b.is_ascii_digit());
    if canonical { s.parse().ok() } else { None }
}

/// What every daemon pod tolerates for ever. That a node is not ready keeps new ones away all the
/// same, by its NoSchedule taint.
const TOLERATED: [(&str, Effect); 6] = [
    (NOT_READY, Effect::NoExecute),
    (UNREACHABLE, Effect::NoExecute),
    (DISK_PRESSURE, Effect::NoSchedule),
    (MEMORY_PRESSURE, Effect::NoSchedule),
    (PID_PRESSURE, Effect::NoSchedule),
    (UNSCHEDULABLE, Effect::NoSchedule),
];

/// `AddOrUpdateDaemonPodTolerations` (`pkg/controller/daemon/util/daemonset_util.go`, v1.34): one that is equal except for
/// its seconds loses them.
pub(crate) fn add_daemon_tolerations(tolerations: &mut Vec<Toleration>) {
    for (key, effect) in TOLERATED {
        let wanted = Toleration::exists(key, effect, None);
        let same = |t: &&mut Toleration| {
            **t == Toleration { toleration_seconds: t.toleration_seconds, ..wanted.clone() }
        };
        match tolerations.iter_mut().find(same) {
            Some(t) => *t = wanted,
            None => tolerations.push(wanted),
        }
    }
}

/// For each taint the first toleration that matches it, in the pod's order; `None` as soon as a
/// taint is not tolerated (`GetMatchingTolerations`).
pub(crate) fn matching_tolerations<'a>(
    taints: &[Taint],
    tolerations: &'a [Toleration],
    comparison_operators: bool,
) -> Option<Vec<&'a Toleration>> {
    let first = |of: &Taint| tolerations.iter().find(|t| t.tolerates(of, comparison_operators));
    taints.iter().map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toleration(
        key: &str,
        operator: Operator,
        value: &str,
        effect: Option<Effect>,
    ) -> Toleration {
        Toleration {
            key: key.to_owned(),
            operator,
            value: value.to_owned(),
            effect,
            toleration_seconds: None,
        }
    }

    fn taint(key: &str, value: &str, effect: Effect) -> Taint {
        Taint { value: value.to_owned(), ..Taint::new(key, effect) }
    }

    #[test]
    fn integers_are_canonical() {
        for (text, value) in [
            ("0", Some(0)),
            ("-1", Some(-1)),
            ("10", Some(10)),
            ("+1", None),
            ("01", None),
            ("-0", None),
            ("", None),
            ("-", None),
        ] {
            assert_eq!(canonical_integer(text), value, "{text:?}");
        }
    }

    /// Upstream's `TestTolerationToleratesTaint` (api/core/v1/toleration_test.go, v1.37), then what
    /// it leaves out: the default operator, an empty effect, an empty key with a value to be equal
    /// to.
    #[test]
    fn one_toleration_and_one_taint() {
        use Effect::{NoExecute, NoSchedule};
        use Operator::{Equal, Exists, Gt, Lt};
        let ns = Some(NoSchedule);
        for (own, of_node, tolerated) in [
            (("foo", Exists, "", ns), ("foo", "", NoSchedule), true),
            (("foo", Exists, "", ns), ("foo", "bar", NoSchedule), true),
            (("", Exists, "", ns), ("foo", "bar", NoSchedule), true),
            (("foo", Equal, "bar", ns), ("foo", "bar", NoSchedule), true),
            (("foo", Equal, "value1", ns), ("foo", "value2", NoSchedule), false),
            (("foo", Equal, "bar", ns), ("foo", "bar", NoExecute), false),
            (("sla", Gt, "950", ns), ("sla", "800", NoSchedule), false),
            (("sla", Gt, "750", ns), ("sla", "950", NoSchedule), true),
            (("sla", Lt, "800", ns), ("sla", "950", NoSchedule), false),
            (("sla", Lt, "950", ns), ("sla", "800", NoSchedule), true),
            (("sla", Gt, "950", ns), ("sla", "950", NoSchedule), false),
            (("sla", Gt, "950", ns), ("sla", "high", NoSchedule), false),
            (("sla", Gt, "-100", ns), ("sla", "-200", NoSchedule), false),
            (("sla", Gt, "9223372036854775806", ns), ("sla", "100", NoSchedule), false),
            (("foo", Operator::default(), "", None), ("foo", "", NoExecute), true),
            (("foo", Operator::default(), "", None), ("foo", "bar", NoExecute), false),
            (("foo", Exists, "", None), ("foo", "bar", NoExecute), true),
            (("foo", Exists, "", None), ("other", "bar", NoExecute), false),
            (("", Exists, "", None), ("other", "bar", NoExecute), true),
            (("", Equal, "bar", None), ("other", "bar", NoExecute), true),
            (("", Equal, "", None), ("other", "bar", NoExecute), false),
        ] {
            let (key, operator, value, effect) = own;
            let toleration = toleration(key, operator, value, effect);
            let (key, value, effect) = of_node;
            let taint = taint(key, value, effect);
            assert_eq!(toleration.tolerates(&taint, true), tolerated, "{toleration:?} {taint}");
            let needs_gate = matches!(toleration.operator, Lt | Gt);
            assert_eq!(
                toleration.tolerates(&taint, false),
                tolerated && !needs_gate,
                "gate off: {toleration:?} {taint}"
            );
        }
    }

    /// Upstream's `TestCompareNumericValues` (v1.37).
    #[test]
    fn values_compare_as_canonical_integers() {
        use Operator::{Gt, Lt};
        for (own, of_taint, operator, tolerated) in [
            ("100", "200", Gt, true),
            ("200", "100", Gt, false),
            ("100", "100", Gt, false),
            ("-100", "-50", Gt, true),
            ("-50", "-100", Gt, false),
            ("0", "1", Gt, true),
            ("9223372036854775806", "9223372036854775807", Gt, true),
            ("200", "100", Lt, true),
            ("100", "200", Lt, false),
            ("100", "100", Lt, false),
            ("-50", "-100", Lt, true),
            ("-100", "-50", Lt, false),
            ("0", "-1", Lt, true),
            ("abc", "100", Gt, false),
            ("", "100", Gt, false),
            ("0100", "200", Gt, false),
            ("+100", "200", Gt, false),
            ("100.5", "200", Gt, false),
            ("-", "100", Gt, false),
            ("100", "xyz", Gt, false),
            ("100", "", Gt, false),
            ("100", "0200", Gt, false),
            ("100", "+200", Lt, false),
            ("100", " 200 ", Lt, false),
            ("0", "0", Gt, false),
            ("0", "0", Lt, false),
            ("0", "9223372036854775807", Gt, true),
            ("0", "-9223372036854775808", Lt, true),
            ("0", "9223372036854775808", Gt, false),
        ] {
            let toleration = toleration("sla", operator, own, None);
            assert_eq!(
                toleration.tolerates(&taint("sla", of_taint, Effect::NoExecute), true),
                tolerated,
                "{own} {operator:?} {of_taint}"
            );
        }
    }

    /// The cases of `TestFindMatchingUntoleratedTaint` (component-helpers helpers_test.go, v1.34),
    /// and the example of Kubernetes' documentation: three taints, two tolerated, so the third
    /// alone decides.
    #[test]
    fn several_taints_filter_one_after_another() {
        use Effect::{NoExecute, NoSchedule};
        let exists = |key, effect| toleration(key, Operator::Exists, "", Some(effect));
        let tolerated = |taints: &[Taint], tolerations: &[Toleration]| {
            matching_tolerations(taints, tolerations, false).is_some()
        };
        assert!(tolerated(&[], &[]));
        assert!(tolerated(&[], &[exists("foo", NoSchedule)]));
        assert!(tolerated(&[taint("foo", "", NoSchedule)], &[exists("foo", NoSchedule)]));
        assert!(!tolerated(&[taint("bar", "", NoSchedule)], &[exists("foo", NoSchedule)]));
        assert!(!tolerated(
            &[taint("foo", "", NoExecute), taint("bar", "", NoExecute)],
            &[exists("foo", NoExecute)]
        ));
        assert!(!tolerated(&[taint("foo", "", NoExecute)], &[]));

        let node = [
            taint("key1", "value1", NoSchedule),
            taint("key1", "value1", NoExecute),
            taint("key2", "value2", NoSchedule),
        ];
        let pod = [
            toleration("key1", Operator::Equal, "value1", Some(NoSchedule)),
            toleration("key1", Operator::Equal, "value1", Some(NoExecute)),
        ];
        let left: Vec<&Taint> =
            node.iter().filter(|t| !pod.iter().any(|p| p.tolerates(t, false))).collect();
        assert_eq!(left, [&node[2]]);
        assert!(!tolerated(&node, &pod));
        assert!(tolerated(&node[..2], &pod));
    }

    #[test]
    fn the_first_match_in_the_pods_order_is_the_one_used() {
        let lasting = |seconds| Toleration {
            toleration_seconds: seconds,
            ..toleration("foo", Operator::Exists, "", None)
        };
        let tolerations = [lasting(None), lasting(Some(5))];
        let used =
            matching_tolerations(&[taint("foo", "", Effect::NoExecute)], &tolerations, false);
        assert_eq!(used, Some(vec![&tolerations[0]]));
    }
}
