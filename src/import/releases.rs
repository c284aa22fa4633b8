//! Which release an export is of: that of the control plane's pods, or where those are not in it, as with a managed
//! control plane, that of the newest kubelet.

use crate::profiles::Release;
use std::collections::BTreeMap;

/// A minor release, `(1, 34)`.
pub(super) type Minor = (u32, u32);

/// The releases that an export tells of, by their minors and in words: `1.34`, `a 1.38 pre-release`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Releases {
    /// That of the control plane's pods.
    pub(super) control_plane: Option<(Minor, String)>,
    /// Those of kubelets, and how many are of each.
    kubelets: BTreeMap<Minor, (String, usize)>,
}

impl Releases {
    /// Takes a node's `kubeletVersion` in.
    pub(super) fn take_kubelet(&mut self, version: &str) {
        if let Some((minor, said)) = minor_release(version) {
            self.kubelets.entry(minor).or_insert((said, 0)).1 += 1;
        }
    }

    /// The release that says which is simulated, in words, and whose it is.
    pub(crate) fn decides(&self) -> Option<(Minor, &str, &'static str)> {
        let own = self.control_plane.as_ref().map(|(minor, said)| (minor, said, "control plane"));
        let newest = self.kubelets.last_key_value();
        let decides = own.or(newest.map(|(minor, (said, _))| (minor, said, "newest kubelet")));
        decides.map(|(minor, said, whose)| (*minor, said.as_str(), whose))
    }

    /// The same, if it is one that is known.
    pub(crate) fn own(&self) -> Option<String> {
        let release = self.decides().map(|((major, minor), ..)| format!("{major}.{minor}"));
        release.filter(|release| Release::parse(release).is_ok())
    }

    /// The same or, where that is newer than all that are known, the newest of them.
    pub(crate) fn taken(&self) -> Option<String> {
        let newest = Release::all_minors().last()?;
        let is_newer = self.decides().is_some_and(|(own, ..)| own >= (1, newest.minor));
        self.own().or_else(|| is_newer.then(|| newest.short()))
    }

    /// Which is simulated, and why: `Kubernetes 1.34, the release of the newest kubelet`.
    pub(super) fn told(&self) -> Option<String> {
        let (_, of, whose) = self.decides()?;
        let named = |release| format!("Kubernetes {release}");
        let taken = self.taken().map_or("the default release".to_owned(), named);
        Some(match self.own() {
            Some(_) => format!("{taken}, the release of the {whose}"),
            None => {
                format!("the {whose} is of {of}, which is not known here: {taken} is simulated")
            }
        })
    }

    /// Kubelets of other releases.
    pub(super) fn of_others(&self) -> Option<String> {
        let (decides, of, whose) = self.decides()?;
        let all: usize = self.kubelets.values().map(|(_, n)| n).sum();
        let others = self.kubelets.iter().filter(|(minor, _)| **minor != decides);
        let others = others.map(|(_, (said, n))| format!("{said} ({n} of {all})"));
        let others = others.collect::<Vec<_>>().join(" and ");
        (!others.is_empty()).then(|| {
            format!("Not simulated: kubelets of {others}, beside the {whose} of {of}. All do what those of the release do that is run.")
        })
    }
}

/// That of an image, `registry.k8s.io/kube-apiserver:v1.32.1@sha256:…`.
pub(super) fn of_image(image: &str) -> Option<(Minor, String)> {
    minor_release(image.split('@').next()?.rsplit_once(':')?.1)
}

/// `v1.34.2+k3s1` is 1.34; in words `1.34`, and of one that is not out yet `a 1.38 pre-release`.
fn minor_release(version: &str) -> Option<(Minor, String)> {
    let mut parts = version.strip_prefix('v')?.splitn(3, '.');
    let (major, minor) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let suffix = parts.next()?.split_once('-').map_or("", |(_, suffix)| suffix);
    let said = match ["alpha", "beta", "rc"].iter().any(|stage| suffix.starts_with(stage)) {
        true => format!("a {major}.{minor} pre-release"),
        false => format!("{major}.{minor}"),
    };
    Some(((major, minor), said))
}

#[cfg(test)]
mod tests {
    use super::super::{ImportedCluster, Input};
    use crate::kernel::Dur;
    use crate::profiles::profile;

    /// NodeLease is off in 1.13 (`kube_features.go`), so that leases of kubelets tell that it is on.
    #[test]
    fn leases_turn_their_gate_on() {
        let node = |version: &str| {
            format!(
                r#"{{"kind": "Node", "apiVersion": "v1", "metadata": {{"name": "a"}}, "status": {{"nodeInfo": {{"kubeletVersion": "{version}"}}}}}}"#
            )
        };
        let lease = r#"{"kind": "Lease", "apiVersion": "coordination.k8s.io/v1beta1", "metadata": {"name": "a", "namespace": "kube-node-lease"},
            "spec": {"leaseDurationSeconds": 40, "renewTime": "2026-01-01T00:00:00.000000Z"}}"#;
        let is_on = |version: &str, lease: &str| {
            let text = format!(
                r#"{{"kind": "List", "apiVersion": "v1", "items": [{}{lease}]}}"#,
                node(version)
            );
            let input = Input::from_bytes("f", text.into_bytes()).unwrap();
            ImportedCluster::read(&[input])
                .unwrap()
                .control_plane
                .feature_gates
                .contains_key("NodeLease")
        };
        let of = |version: &str| [is_on(version, &format!(",{lease}")), is_on(version, "")];
        assert_eq!([of("v1.13.12"), of("v1.14.0")], [[true, false], [false, false]]);
    }

    /// The grace period is 40 s in 1.31.14 and 50 s in 1.32.13 (`nodelifecycle/config/v1alpha1/defaults.go`).
    #[test]
    fn the_control_planes_release_goes_before_the_kubelets() {
        let read = |objects: &str| {
            let text = format!(r#"{{"kind": "List", "apiVersion": "v1", "items": [{objects}]}}"#);
            let input = Input::from_bytes("f", text.into_bytes()).unwrap();
            let summary = ImportedCluster::read(&[input]).unwrap().summary;
            let notes = summary.notes().into_iter();
            let told: Vec<_> = notes.filter(|n| n.starts_with("Not simulated: kubelets")).collect();
            (summary.releases.taken(), told.concat(), summary.lines().concat())
        };
        let node = |name: &str, version: &str| {
            format!(
                r#"{{"kind": "Node", "apiVersion": "v1", "metadata": {{"name": "{name}"}}, "status": {{"nodeInfo": {{"kubeletVersion": "{version}"}}}}}}"#
            )
        };
        let pod = |name: &str, tag: &str| {
            format!(
                r#"{{"kind": "Pod", "apiVersion": "v1", "metadata": {{"name": "{name}-a", "namespace": "kube-system"}},
                    "spec": {{"nodeName": "a", "containers": [{{"name": "{name}", "image": "registry.k8s.io/{name}:{tag}"}}]}}}}"#
            )
        };
        let nodes = [node("a", "v1.31.4"), node("b", "v1.31.4"), node("c", "v1.30.9")].join(",");
        let pods = [
            pod("kube-apiserver", "v1.33.0"),
            pod("kube-controller-manager", "v1.32.1@sha256:00ff"),
        ];
        let (release, told, lines) = read(&format!("{nodes},{}", pods.join(",")));
        assert_eq!(release.as_deref(), Some("1.32"));
        assert!(
            told.contains(
                "kubelets of 1.30 (1 of 3) and 1.31 (2 of 3), beside the control plane of 1.32."
            ),
            "{told}"
        );
        assert!(lines.contains("Kubernetes 1.32, the release of the control plane"), "{lines}");
        let (release, told, lines) = read(&nodes);
        assert_eq!(release.as_deref(), Some("1.31"));
        assert!(
            told.contains("kubelets of 1.30 (1 of 3), beside the newest kubelet of 1.31."),
            "{told}"
        );
        assert!(lines.contains("Kubernetes 1.31, the release of the newest kubelet"), "{lines}");
        let grace = |of: &str| profile(of).unwrap().node_monitor_grace_period;
        assert_eq!((grace("1.31"), grace("1.32")), (Dur::from_secs(40), Dur::from_secs(50)));
        assert_eq!(read(&node("a", "v1.31.4")).1, "");
    }
}
