//! Kubelets' configuration: what `kubectl get --raw /api/v1/nodes/NAME/proxy/configz` answers, or a file
//! of kind KubeletConfiguration (`k8s.io/kubelet/config/v1beta1`).
//!
//! Taken are the fields that have a flag in the scenario language, and feature gates. What a release has
//! by itself (`pkg/kubelet/apis/config/v1beta1/defaults.go`) is left out, so that a scenario says what is
//! peculiar to a cluster; a configuration file writes what it does not set as zero.

use super::fields::Fields;
use crate::kernel::Dur;
use crate::language::duration;
use crate::language::eviction;
use crate::plan::{Eviction, Profile, Signal, Threshold};
use serde_json::Value;

/// A field, its flag, and what upstream sets it to by itself.
type Field = (&'static str, &'static str, &'static str);

const FIELDS: [Field; 21] = [
    ("nodeStatusUpdateFrequency", "node-status-update-frequency", "10s"),
    (REPORT, "node-status-report-frequency", "5m"),
    ("nodeLeaseDurationSeconds", "node-lease-duration-seconds", "40"),
    ("shutdownGracePeriod", "shutdown-grace-period", ""),
    ("shutdownGracePeriodCriticalPods", "shutdown-grace-period-critical-pods", ""),
    ("shutdownGracePeriodByPodPriority", "shutdown-grace-period-by-pod-priority", ""),
    (HARD, "eviction-hard", ""),
    ("evictionSoft", "eviction-soft", ""),
    ("evictionSoftGracePeriod", "eviction-soft-grace-period", ""),
    ("evictionMinimumReclaim", "eviction-minimum-reclaim", ""),
    ("evictionPressureTransitionPeriod", "eviction-pressure-transition-period", "5m"),
    ("evictionMaxPodGracePeriod", "eviction-max-pod-grace-period", ""),
    ("serializeImagePulls", "serialize-image-pulls", "true"),
    ("maxParallelImagePulls", "max-parallel-image-pulls", ""),
    (QPS, "registry-qps", "5"),
    ("registryBurst", "registry-burst", "10"),
    ("imageGCHighThresholdPercent", "image-gc-high-threshold", "85"),
    (LOW, "image-gc-low-threshold", "80"),
    ("imageMinimumGCAge", "minimum-image-ttl-duration", "2m"),
    ("imageMaximumGCAge", "image-maximum-gc-age", ""),
    (CRASH_LOOP, "max-container-restart-period", "5m"),
];

const REPORT: &str = "nodeStatusReportFrequency";
const HARD: &str = "evictionHard";
/// Where it is set, a hard threshold that is not given is the release's (1.33 on).
const MERGES: &str = "mergeDefaultEvictionSettings";
/// Of which zero is no limit, and of which it is a threshold.
const QPS: &str = "registryPullQPS";
const LOW: &str = "imageGCLowThresholdPercent";
/// Which has its value in `maxContainerRestartPeriod`.
const CRASH_LOOP: &str = "crashLoopBackOff";
const GATES: &str = "featureGates";

/// What bears on what is simulated and is not, with what upstream sets it to by itself (of QPS up to 1.26, too).
const UNHEEDED: [(&str, &[&str]); 7] = [
    ("kernelMemcgNotification", &["false"]),
    ("memorySwap", &["NoSwap"]),
    ("syncFrequency", &["1m"]),
    ("kubeAPIQPS", &["50", "5"]),
    ("nodeStatusMaxImages", &["50"]),
    ("localStorageCapacityIsolation", &["true"]),
    ("topologyManagerPolicy", &["none"]),
];

/// What a configuration sets that is not simulated: `syncFrequency=10s`.
pub(super) fn unheeded(config: &Fields) -> impl Iterator<Item = String> {
    UNHEEDED.iter().filter_map(|(field, defaults)| {
        let value = config.get(*field)?;
        let value = if value.is_object() { &value["swapBehavior"] } else { value };
        let said = text(field, value)?;
        (!defaults.iter().any(|d| is_same(&said, d))).then(|| format!("{field}={said}"))
    })
}

/// The fields that are read.
pub(super) fn fields() -> impl Iterator<Item = &'static str> {
    let unheeded = UNHEEDED.iter().map(|(field, _)| *field);
    FIELDS.iter().map(|(field, ..)| *field).chain([GATES, MERGES]).chain(unheeded)
}

/// The flags that a configuration comes to on a release, each with its value; feature gates as
/// `feature-gates`.
pub(super) fn flags(config: &Fields, profile: &Profile) -> Vec<(&'static str, String)> {
    let merges = config.get(MERGES) == Some(&Value::Bool(true));
    let text = |field: &str| {
        let text = config.get(field).and_then(|v| text(field, v))?;
        Some(if merges && field == HARD { with_defaults(text, profile) } else { text })
    };
    let differs = |(field, _, default): &Field| {
        text(field).filter(|t| match *field {
            HARD => !is_default_hard(t, profile),
            _ => !is_same(t, default),
        })
    };
    let heard_otherwise = differs(&FIELDS[0]).is_some();
    let mut all: Vec<(&'static str, String)> = FIELDS
        .iter()
        .filter_map(|field| {
            // Where nothing says it, statuses are reported as often as they are made.
            let kept =
                if field.0 == REPORT && heard_otherwise { text(REPORT) } else { differs(field) };
            Some((field.1, kept?))
        })
        .collect();
    all.extend(text(GATES).map(|gates| ("feature-gates", gates)));
    all
}

/// A value as the command line has it; none where it says nothing.
fn text(field: &str, value: &Value) -> Option<String> {
    let sign = if matches!(field, HARD | "evictionSoft") { '<' } else { '=' };
    let value = if field == CRASH_LOOP { &value["maxContainerRestartPeriod"] } else { value };
    let said = match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Object(pairs) => {
            let pair =
                |(name, value): (&String, &Value)| Some(format!("{name}{sign}{}", plain(value)?));
            // Kubelets put thresholds of nodefs or imagefs in place of these (`UpdateContainerFsThresholds`, v1.34).
            let is_taken = |(name, _): &(&String, &Value)| !name.starts_with("containerfs.");
            Some(pairs.iter().filter(is_taken).filter_map(pair).collect::<Vec<_>>().join(","))
        }
        // Periods by priority.
        Value::Array(periods) => {
            let period = |p: &Value| {
                let seconds = plain(&p["shutdownGracePeriodSeconds"])?;
                Some(format!("{}={seconds}", plain(&p["priority"])?))
            };
            Some(periods.iter().filter_map(period).collect::<Vec<_>>().join(","))
        }
        other => plain(other),
    };
    let says_nothing = |t: &str| {
        t.is_empty() || ![QPS, LOW].contains(&field) && duration::parse(t) == Ok(Dur::ZERO)
    };
    said.filter(|t| !says_nothing(t))
}

/// A text or a number as it stands.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Whether two texts say the same, `5m0s` and `5m` say.
fn is_same(text: &str, other: &str) -> bool {
    text == other || duration::parse(text).is_ok_and(|span| duration::parse(other) == Ok(span))
}

/// Hard thresholds with those of a release where none of their signal is given (`cmd/kubelet/app/server.go: run`).
fn with_defaults(text: String, profile: &Profile) -> String {
    let lacks = |t: &Threshold| {
        t.signal != Signal::AllocatableMemoryAvailable
            && !text.split(',').any(|own| own.starts_with(t.signal.as_str()))
    };
    let own = Eviction::defaults(profile).thresholds;
    let more = own.into_iter().filter(lacks);
    let more = more.map(|t| format!("{}<{}", t.signal.as_str(), t.value));
    [text.clone()].into_iter().chain(more).collect::<Vec<_>>().join(",")
}

/// Whether these are the hard thresholds of a release, in whichever order.
fn is_default_hard(text: &str, profile: &Profile) -> bool {
    let own = Eviction::defaults(profile).thresholds;
    eviction::thresholds(text).is_ok_and(|given| {
        let given = crate::plan::with_allocatable(given);
        given.len() == own.len() && given.iter().all(|t| own.contains(t))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{ImportedCluster, Input};
    use crate::language::flags::known;

    const NODE: &str = r#"{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"},
        "status": {"nodeInfo": {"kubeletVersion": "v1.34.1"}}}"#;

    fn read(configs: &[&str]) -> (Vec<String>, String) {
        let files: Vec<Input> = [NODE]
            .iter()
            .chain(configs)
            .enumerate()
            .map(|(i, text)| Input::from_bytes(&format!("f{i}"), text.as_bytes().to_vec()).unwrap())
            .collect();
        let cluster = ImportedCluster::read(&files).unwrap();
        let flags = cluster.control_plane.flags.kubelet.iter().map(|(n, v)| format!("{n}={v}"));
        (flags.collect(), cluster.summary.lines().join("\n"))
    }

    #[test]
    fn configz_says_what_differs_from_the_release() {
        // As a kubelet of 1.34 answers, with all defaults in it; heartbeats and the shutdown are its own.
        let (flags, told) = read(&[r#"{"kubeletconfig": {"nodeStatusUpdateFrequency": "20s",
            "nodeStatusReportFrequency": "5m0s", "nodeLeaseDurationSeconds": 40,
            "shutdownGracePeriod": "30s", "shutdownGracePeriodCriticalPods": "0s",
            "evictionHard": {"imagefs.available": "15%", "imagefs.inodesFree": "5%", "memory.available": "100Mi",
                "nodefs.available": "10%", "nodefs.inodesFree": "5%"},
            "evictionPressureTransitionPeriod": "5m0s", "maxPods": 110, "imageMinimumGCAge": "2m0s", "imageMaximumGCAge": "0s",
            "imageGCHighThresholdPercent": 70, "imageGCLowThresholdPercent": 0, "registryPullQPS": 0, "registryBurst": 10,
            "serializeImagePulls": false, "maxParallelImagePulls": 4,
            "shutdownGracePeriodByPodPriority": [{"priority": 0, "shutdownGracePeriodSeconds": 20}]}}"#]);
        let expected = [
            "image-gc-high-threshold=70",
            "image-gc-low-threshold=0",
            "max-parallel-image-pulls=4",
            "node-status-report-frequency=5m0s",
            "node-status-update-frequency=20s",
            "registry-qps=0",
            "serialize-image-pulls=false",
            "shutdown-grace-period=30s",
            "shutdown-grace-period-by-pod-priority=0=20",
        ];
        assert_eq!(flags, expected);
        assert!(told.contains("said by the configuration of 1 kubelet: kubelet --"), "{told}");
    }

    /// Of 1.34, which has the gate off by default: a period counts where its gate comes with it. One that is the default is
    /// left out, and one that upstream refuses is told.
    #[test]
    fn the_longest_back_off_comes_with_its_gate() {
        let config = |gates: &str, period: &str| {
            format!(
                r#"{{"kubeletconfig": {{{gates}"crashLoopBackOff": {{"maxContainerRestartPeriod": "{period}"}}}}}}"#
            )
        };
        let gated = config(r#""featureGates": {"KubeletCrashLoopBackOffMax": true}, "#, "1m0s");
        assert_eq!(read(&[&gated]).0, ["max-container-restart-period=1m0s"]);
        assert_eq!(read(&[&config("", "5m0s")]).0, Vec::<String>::new());
        let (none, told) = read(&[&config("", "10m0s")]);
        assert_eq!(none, Vec::<String>::new());
        assert!(told.contains("(got: 600 seconds) must be set between 1s and 300s"), "{told}");
        let written = |config: &str| {
            let files = [NODE, config];
            let input = |text: &&str| Input::from_bytes("f", text.as_bytes().to_vec()).unwrap();
            let files: Vec<Input> = files.iter().map(input).collect();
            ImportedCluster::read(&files).unwrap().to_scenario()
        };
        let said = r#""max-container-restart-period": "1m0s""#;
        assert!(written(&gated).contains(said), "{}", written(&gated));
        let alone = written(&config("", "1m0s"));
        assert!(!alone.contains(said) && alone.contains("counts for nothing"), "{alone}");
    }

    /// 1.34 has that flag by itself (from 1.21 on): it is the gate that takes it away.
    #[test]
    fn a_gate_that_takes_a_flag_away_is_told() {
        let config = r#"{"kubeletconfig": {"featureGates": {"GracefulNodeShutdown": false}, "shutdownGracePeriod": "60s"}}"#;
        let files = [NODE, config].map(|t| Input::from_bytes("f", t.as_bytes().to_vec()).unwrap());
        let written = ImportedCluster::read(&files).unwrap().to_scenario();
        // The head of the file is folded.
        let told = written.replace("\n//", "").replace("  ", " ");
        assert!(
            told.contains("as a gate is off: it needs the gate GracefulNodeShutdown"),
            "{told}"
        );
        assert!(!told.contains("from 1.21 on have it"), "{told}");
    }

    #[test]
    fn a_file_says_zero_for_what_it_leaves_to_the_kubelet() {
        // As kubeadm writes `/var/lib/kubelet/config.yaml`.
        let zeros = r#"{"apiVersion": "kubelet.config.k8s.io/v1beta1", "evictionHard": {"memory.available": "500Mi"},
            "evictionPressureTransitionPeriod": "0s", "kind": "KubeletConfiguration",
            "nodeStatusReportFrequency": "0s", "nodeStatusUpdateFrequency": "0s", "evictionSoft": null}"#;
        let (flags, told) = read(&[zeros]);
        assert_eq!(flags, ["eviction-hard=memory.available<500Mi"]);
        let other = zeros.replace("500Mi", "1Gi");
        let (both, told_of_both) = read(&[zeros, &other]);
        assert_eq!(both, flags, "{told}");
        assert!(told_of_both.contains("and, in f2, KubeletConfiguration, --eviction-hard=memory.available<1Gi; the first is taken"), "{told_of_both}");
    }

    #[test]
    fn defaults_are_said_to_be_defaults() {
        let (flags, told) = read(&[r#"{"kubeletconfig": {"nodeStatusUpdateFrequency": "10s"}}"#]);
        assert_eq!(flags, Vec::<String>::new());
        assert!(
            told.contains("said by the configuration of 1 kubelet: nothing but defaults of 1.34"),
            "{told}"
        );
    }

    /// Two nodes say their own, one in its file's name and one in its `metadata`; what both have stands once. Of others a third file
    /// speaks, or nobody, and they have what the first two have in common.
    #[test]
    fn nodes_have_what_their_kubelets_say() {
        let config = |more: &str| {
            format!(r#"{{"kubeletconfig": {{"nodeStatusUpdateFrequency": "20s", {more}}}}}"#)
        };
        let of_b = r#""serializeImagePulls": false, "crashLoopBackOff": {"maxContainerRestartPeriod": "1m"}"#;
        let of_b = config(of_b);
        let of_b = of_b.replacen('{', r#"{"metadata": {"name": "b"}, "#, 1);
        let of_a = config(r#""evictionHard": {"memory.available": "1Gi"}"#);
        let others = config(r#""registryPullQPS": 7"#);
        let nodes = ["a", "b", "c"].map(|name| NODE.replace(r#""n""#, &format!("{name:?}")));
        let mut files: Vec<(&str, &str)> =
            nodes.iter().map(|node| ("now", node.as_str())).collect();
        files.extend([("out/configz-a.json", of_a.as_str()), ("second.json", of_b.as_str())]);
        let read = |files: &[(&str, &str)]| {
            let input = |(name, text): &(&str, &str)| {
                Input::from_bytes(name, text.as_bytes().to_vec()).unwrap()
            };
            let files: Vec<Input> = files.iter().map(input).collect();
            let cluster = ImportedCluster::read(&files).unwrap();
            let own = cluster.nodes.iter().map(|group| {
                let own = group.kubelet.iter().map(|(flag, value)| format!("{flag}={value}"));
                own.collect::<Vec<_>>().join(" ")
            });
            let own: Vec<String> = own.collect();
            (own, cluster.summary.lines().join("\n"), cluster.to_scenario())
        };
        let (own, told, written) = read(&files);
        let of_b = "max-container-restart-period=1m serialize-image-pulls=false";
        assert_eq!(own, ["eviction-hard=memory.available<1Gi", of_b, ""]);
        let said = "said by the configuration of 2 kubelets: kubelet --node-status-update-frequency=20s, \
            kubelet --eviction-hard=memory.available<1Gi on a, kubelet --max-container-restart-period=1m on b, \
            kubelet --serialize-image-pulls=false on b";
        assert!(told.contains(said), "{told}");
        let alike = "Assumed: of 1 node no configuration of a kubelet is in the files, and they have what that of 2 nodes has alike: \
            --node-status-update-frequency=20s.";
        assert!(written.contains(alike), "{written}");
        assert!(written.contains(r#""serialize-image-pulls": "false""#), "{written}");
        // 1.34 has its gate off.
        let idle = "--max-container-restart-period=1m of the export counts for nothing";
        assert!(written.contains(idle) && !written.contains(r#"period": "1m""#), "{written}");
        files.push(("others.json", others.as_str()));
        let (own, _, written) = read(&files);
        assert_eq!(own[2], "registry-qps=7");
        assert!(!written.contains("no configuration of a kubelet"), "{written}");
    }

    /// 500Mi of memory, and of disks what the release has by itself.
    #[test]
    fn thresholds_that_are_merged_with_defaults_are_those_of_the_release() {
        let of = |merges: &str| {
            let config = format!(
                r#"{{"kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1", "evictionHard": {{"memory.available": "500Mi"}}{merges}}}"#
            );
            read(&[&config]).0
        };
        assert_eq!(of(""), ["eviction-hard=memory.available<500Mi"]);
        let merged = "eviction-hard=memory.available<500Mi,nodefs.available<10%,nodefs.inodesFree<5%,imagefs.available<15%,imagefs.inodesFree<5%";
        assert_eq!(of(r#", "mergeDefaultEvictionSettings": true"#), [merged]);
    }

    /// `UpdateContainerFsThresholds` (`pkg/kubelet/eviction/helpers.go`, v1.34.4): "found containerfs.available for hard eviction.
    /// ignoring". What is beside it holds, and without anything beside it these are the defaults.
    #[test]
    fn thresholds_of_container_filesystems_are_ignored_alone() {
        let of = |more: &str| {
            let defaults = r#""memory.available": "100Mi", "nodefs.available": "10%", "nodefs.inodesFree": "5%",
                "imagefs.available": "15%", "imagefs.inodesFree": "5%", "containerfs.available": "10%""#;
            read(&[&format!(r#"{{"kubeletconfig": {{"evictionHard": {{{defaults}{more}}}}}}}"#)])
        };
        assert_eq!(of("").0, Vec::<String>::new());
        let (flags, told) = of(r#", "pid.available": "10%""#);
        assert!(flags.len() == 1 && flags[0].contains("pid.available<10%"), "{flags:?}");
        assert!(!told.contains("cannot be read"), "{told}");
    }

    /// Of the others one is a default of upstream's, and one is written as a file writes what it leaves to the kubelet.
    #[test]
    fn settings_that_are_not_simulated_are_told() {
        let (flags, told) = read(&[
            r#"{"kubeletconfig": {"kernelMemcgNotification": true, "syncFrequency": "0s",
            "memorySwap": {"swapBehavior": "LimitedSwap"}, "nodeStatusMaxImages": -1, "kubeAPIQPS": 50}}"#,
        ]);
        assert_eq!(flags, Vec::<String>::new());
        let said = "not simulated of kubelets' configuration: kernelMemcgNotification=true, memorySwap=LimitedSwap, nodeStatusMaxImages=-1";
        assert!(told.contains(said) && !told.contains("kubeAPIQPS"), "{told}");
    }

    #[test]
    fn every_flag_of_kubelets_has_a_field() {
        let camel = |flag: &str| {
            let mut words = flag.split('-');
            let first = words.next().unwrap_or_default().to_owned();
            words.fold(first, |all, word| all + &word[..1].to_uppercase() + &word[1..])
        };
        let flags: Vec<&str> =
            known().filter(|(component, _)| *component == "kubelet").map(|(_, f)| f).collect();
        assert_eq!(flags.len(), FIELDS.len());
        let other = ["registry-qps", "max-container-restart-period", "minimum-image-ttl-duration"];
        let is_other = |flag: &str| {
            other.contains(&flag) || flag.contains("image-gc") || flag.contains("gc-age")
        };
        for flag in flags.into_iter().filter(|f| !is_other(f)) {
            assert!(
                FIELDS.iter().any(|(field, f, _)| *f == flag && *field == camel(flag)),
                "{flag}"
            );
        }
    }
}
