//! From claims and their volumes to what a pod or a template says of them.
//!
//! Told are claims that are bound to a volume of the files which the nodes of a zone reach, or one
//! node, or all. Of a claim that is not in the files, or bound to nothing there, a cloud's disk is assumed, and that
//! is said with each figure; of the others it is said that nothing is known of them. The claims of a
//! StatefulSet's pods are told in one way, that of its template; where the volume of each lies is
//! where its pod is.

use super::gathered::Gathered;
use super::node::NamedNode;
use super::pod::{NamedPod, PodShape};
use super::raw_volumes::{RawClaim, RawClaimSpec, RawVolumeSpec};
use super::storage::{StorageClass, reached};
use super::workload::RawWorkload;
use crate::api::node::zone;
use crate::api::quantity::Quantity;
use crate::api::volume::AccessMode;
use crate::import::prelude::*;

/// Why a claim is not told, or not all of it; in the words of the summary.
pub(super) type Note = &'static str;
const SIZE: Note = "not simulated, as a scenario takes the name for a size";
const DIFFER: Note = "not simulated, as the volumes of a StatefulSet's pods are not alike";
const UNPLACED: Note = "of a StatefulSet whose pod is not in the files; \
                        where it lies is not imported, and a run makes it where its pod starts";
pub(super) const GONE: Note = "whose volume a VolumeAttachment has on a node that is not in the files; it is taken for \
                    detached, which it is 6 minutes after that node's pods are gone (`leases` tell of a node that it was deleted)";

const UNMADE: Note = "without a volume yet; a run makes one as the StorageClass says, which is assumed to take no time (`provision` says otherwise)";
const UNMAKEABLE: Note = "not simulated, as no driver makes a volume for it: it waits for one that is there without a claim";
const PENDING: Note = "Pending, for which a run makes a volume where the pod starts, in no time (`provision` says otherwise)";

const MIXED: Note = "whose volume has ReadWriteOnce beside a wider access mode, which counts: pods of several nodes may have it at once";

/// What is known of the claims of an export.
#[derive(Default)]
pub(super) struct Disks {
    /// Claims with volumes by `namespace/name`, as a pod tells them.
    claims: BTreeMap<String, Result<VolumeClaim, Note>>,
    /// Those without one, in the same way, where it is known who makes it.
    unmade: BTreeMap<String, Result<VolumeClaim, Note>>,
    /// What the templates of StatefulSets say, by `namespace/name`.
    sets: BTreeMap<String, Told>,
    /// What was not imported of claims that something uses.
    pub(super) notes: BTreeMap<Note, BTreeSet<String>>,
    /// There are claims of pods, and not one volume.
    pub(super) lack_volumes: bool,
}

/// What a template says of its claims.
#[derive(Clone, Default)]
struct Told {
    volumes: Vec<VolumeClaim>,
    /// It has others, too.
    unknown: bool,
}

impl Disks {
    pub(super) fn of(gathered: &Gathered, nodes: &[NamedNode]) -> Self {
        let told = |c: &RawClaim| Some((c.full_name(), tell(c, gathered, nodes)?));
        let claims = gathered.claims.iter().filter_map(told).collect();
        let mut disks = Self { claims, ..Self::default() };
        let waits = |c: &&RawClaim| c.status.phase == "Pending" && c.spec.volume_name.is_none();
        let unmade = |c: &RawClaim| Some((c.full_name(), to_be_made(&c.name, &c.spec, gathered)?));
        disks.unmade = gathered.claims.iter().filter(waits).filter_map(unmade).collect();
        let sets = |w: &&RawWorkload| w.kind == WorkloadKind::StatefulSet;
        gathered.workloads.iter().filter(sets).for_each(|set| disks.add_set(set, gathered));
        let live = gathered.workloads.iter().filter(|w| w.is_over().is_none());
        let templates = live.map(|w| (&w.namespace, w.pod_spec()));
        let users = gathered.pods.iter().map(|p| (&p.namespace, &p.spec)).chain(templates);
        let claims = users.flat_map(|(of, spec)| spec.claims().map(move |c| format!("{of}/{c}")));
        let used: BTreeSet<String> = claims.collect();
        disks.lack_volumes = gathered.volumes.len() == 0
            && (!used.is_empty() || disks.sets.values().any(|told| told.unknown));
        for claim in used {
            if has_mixed_modes(&claim, gathered) {
                disks.notes.entry(MIXED).or_default().insert(claim.clone());
            }
            if let Some(Err(why)) = disks.known(&claim) {
                disks.notes.entry(why).or_default().insert(claim);
            } else if disks.unmade.contains_key(&claim) {
                disks.notes.entry(UNMADE).or_default().insert(claim);
            } else if gathered.claims.get(&claim).is_some_and(|(_, c)| c.status.phase == "Pending")
            {
                disks.notes.entry(PENDING).or_default().insert(claim);
            } else if is_attached_to_nobody(&claim, gathered) {
                disks.notes.entry(GONE).or_default().insert(claim);
            }
        }
        disks
    }

    /// Writes into a pod's shape what it says of its claims. Of a StatefulSet's pod those volumes that are attached have
    /// the names that events call them by, and where they lie is said if it is not where the pod is.
    pub(super) fn tell_of_pod(&self, pod: &RawPod, nodes: &[NamedNode], shape: &mut PodShape) {
        let kind = WorkloadKind::StatefulSet.as_str();
        let set = shape.owner.as_ref().filter(|o| o.kind == kind);
        let told = set.and_then(|o| self.sets.get(&format!("{}/{}", pod.namespace, o.name)));
        let on = nodes.iter().find(|(name, _)| Some(name.as_str()) == pod.node());
        let told = told.cloned().map(|mut told| {
            for written in &mut told.volumes {
                let Some(template) = written.claim.clone() else { continue };
                let claim = self.claims.get(&format!("{}/{template}-{}", pod.namespace, pod.name));
                let Some(Ok(claim)) = claim else { continue };
                if elsewhere(claim, on).is_some() {
                    *written = VolumeClaim { claim: Some(template), ..claim.clone() };
                } else if claim.is_attached() {
                    written.volume.clone_from(&claim.volume);
                    written.allowed_topologies.clear();
                }
            }
            told
        });
        let told = told.unwrap_or_else(|| {
            self.told(&pod.namespace, &pod.spec, &|claim, name| match set {
                None => Some(claim.clone()),
                Some(_) => match name.strip_suffix(&format!("-{}", pod.name)) {
                    Some(template) => template_claim(claim, template),
                    None => of_all_pods(claim),
                },
            })
        });
        told.write(&mut shape.template);
    }

    /// Whether a pod has a disk that is attached to its node before it starts; what is not known is taken for one.
    pub(super) fn attaches(&self, pod: &RawPod) -> bool {
        pod.spec.claims().any(|claim| {
            let claim = self.claims.get(&format!("{}/{claim}", pod.namespace));
            claim.and_then(|c| c.as_ref().ok()).is_none_or(VolumeClaim::is_attached)
        })
    }

    /// Writes into a workload's template what it says of its claims.
    pub(super) fn tell_of_workload(&self, workload: &RawWorkload, template: &mut PodTemplate) {
        let set = self.sets.get(&format!("{}/{}", workload.namespace, workload.name));
        let told = match set.filter(|_| workload.kind == WorkloadKind::StatefulSet) {
            Some(told) => told.clone(),
            None => {
                self.told(&workload.namespace, workload.pod_spec(), &|claim, _| Some(claim.clone()))
            }
        };
        told.write(template);
    }

    /// What is known of a claim.
    fn known(&self, claim: &str) -> Option<Result<&VolumeClaim, Note>> {
        let known = self.claims.get(claim).or_else(|| self.unmade.get(claim))?;
        Some(known.as_ref().map_err(|why| *why))
    }

    /// What a pod's spec says of claims by name, each as `write` puts it.
    fn told(
        &self,
        namespace: &str,
        spec: &RawPodSpec,
        write: &dyn Fn(&VolumeClaim, &str) -> Option<VolumeClaim>,
    ) -> Told {
        let mut told = Told::default();
        for name in spec.claims() {
            let claim = self.known(&format!("{namespace}/{name}"));
            let assumed = claim.is_none().then(|| assumed(name));
            let known = claim.and_then(Result::ok).or(assumed.as_ref());
            match known.filter(|c| !c.assumed || !is_size(name)).and_then(|c| write(c, name)) {
                Some(claim) if told.volumes.contains(&claim) => {}
                Some(claim) => told.volumes.push(claim),
                None => told.unknown = true,
            }
        }
        told
    }

    /// What a StatefulSet's template says, by the claims of its pods.
    fn add_set(&mut self, set: &RawWorkload, gathered: &Gathered) {
        let is_owner = |p: &RawPod| {
            let owner = p.meta.controller();
            p.namespace == set.namespace
                && owner.is_some_and(|o| o.kind == set.kind.as_str() && o.name == set.name)
        };
        let pods: Vec<&RawPod> = gathered.pods.iter().filter(|p| is_owner(p)).collect();
        let by_name = self.told(&set.namespace, set.pod_spec(), &|claim, _| of_all_pods(claim));
        let mut told = Told { unknown: by_name.unknown, ..Told::default() };
        for template in set.claim_templates() {
            let (claim, notes) = self.of_template(set, &pods, template, gathered);
            told.unknown |= claim.is_none();
            told.volumes.extend(claim);
            for (why, claim) in notes {
                self.notes.entry(why).or_default().insert(claim);
            }
        }
        told.volumes.extend(by_name.volumes);
        self.sets.insert(format!("{}/{}", set.namespace, set.name), told);
    }

    /// What one of a StatefulSet's `volumeClaimTemplates` says, where that is known; and what is not imported of its
    /// claims.
    fn of_template(
        &self,
        set: &RawWorkload,
        pods: &[&RawPod],
        (template, spec): (&str, &RawClaimSpec),
        gathered: &Gathered,
    ) -> (Option<VolumeClaim>, Vec<(Note, String)>) {
        let before = format!("{}/{template}-{}-", set.namespace, set.name);
        let claims = self.numbered(&before);
        let is_told = |p: &RawPod| {
            self.claims.contains_key(&format!("{}/{template}-{}", p.namespace, p.name))
        };
        let all_told = pods.iter().filter(|p| p.node().is_some()).all(|p| is_told(p));
        let told =
            |claim: &Result<VolumeClaim, Note>| template_claim(claim.as_ref().ok()?, template);
        let mut alike: Vec<_> = claims.iter().map(|(.., c)| told(c)).collect();
        alike.dedup();
        match alike.first() {
            Some(Some(claim)) if alike.len() == 1 && all_told => {
                let class = gathered.storage.of(spec);
                let new =
                    class.map_or(claim.clone(), |class| made(claim.clone(), class, spec, gathered));
                let places = claims.iter().filter(|(_, n, _)| is_missing(set, pods, *n, gathered));
                let places = places.filter_map(|(full, _, claim)| {
                    let place = elsewhere(claim.as_ref().ok()?, None)?;
                    Some((UNPLACED, format!("{full} ({place})")))
                });
                (Some(new), places.collect())
            }
            None if !is_size(template) => {
                let is_new = pods.iter().all(|p| p.node().is_none());
                match to_be_made(template, spec, gathered).filter(|_| is_new) {
                    None => (Some(assumed(template)), Vec::new()),
                    Some(Ok(claim)) => (Some(claim), vec![(UNMADE, format!("{before}*"))]),
                    Some(Err(why)) => (None, vec![(why, format!("{before}*"))]),
                }
            }
            _ => {
                let why = |c: &Result<VolumeClaim, Note>| match c {
                    Err(why) => Some(*why),
                    Ok(_) => (alike.len() > 1).then_some(DIFFER),
                };
                let all = claims.iter();
                (None, all.filter_map(|(full, _, c)| Some((why(c)?, (*full).clone()))).collect())
            }
        }
    }

    /// The claims with volumes whose names begin so and end with a number, and that.
    fn numbered(&self, before: &str) -> Vec<(&String, i64, &Result<VolumeClaim, Note>)> {
        let from = self.claims.range(before.to_owned()..);
        let its = from.take_while(|(full, _)| full.starts_with(before));
        let number = |full: &str| full.strip_prefix(before)?.parse::<i64>().ok();
        its.filter_map(|(full, claim)| Some((full, number(full)?, claim))).collect()
    }
}

/// Whether a StatefulSet is to have a pod of this number which is not imported; one whose node is not in the files is
/// not.
fn is_missing(set: &RawWorkload, pods: &[&RawPod], number: i64, gathered: &Gathered) -> bool {
    let name = format!("{}-{number}", set.name);
    let is_imported =
        |p: &&RawPod| p.name == name && p.node().is_none_or(|node| gathered.knows(node));
    set.wants(number) && !pods.iter().any(is_imported)
}

impl Told {
    fn write(self, template: &mut PodTemplate) {
        template.volumes = self.volumes;
        template.persistent_volumes |= self.unknown;
    }
}

/// A claim of which nothing is known: it is taken for that of a cloud's disk.
fn assumed(name: &str) -> VolumeClaim {
    VolumeClaim { claim: Some(name.to_owned()), assumed: true, ..VolumeClaim::default() }
}

/// A claim of that name whose volume is still to be made, by its StorageClass; nothing where it is not known who makes
/// it. Its volume is taken for a cloud's disk.
fn to_be_made(
    name: &str,
    spec: &RawClaimSpec,
    gathered: &Gathered,
) -> Option<Result<VolumeClaim, Note>> {
    let class = gathered.storage.of(spec)?;
    let Some(driver) = &class.driver else { return Some(Err(UNMAKEABLE)) };
    let access = access(&spec.access_modes);
    let attach = gathered.drivers.get(driver).copied();
    let attach = attach.filter(|attach| *attach == is_shared(access));
    let driver = Some(driver.clone());
    let claim = VolumeClaim { access, attach, driver, ..assumed(name) };
    Some(Ok(made(claim, class, spec, gathered)))
}

/// A claim, and how a new volume of it is made by its StorageClass.
fn made(
    claim: VolumeClaim,
    class: &StorageClass,
    spec: &RawClaimSpec,
    gathered: &Gathered,
) -> VolumeClaim {
    let is_everywhere = match claim.reach {
        None => is_shared(claim.access),
        reach => reach == Some(Reach::Everywhere),
    };
    let binding = class.binding.filter(|_| claim.reach != Some(Reach::Node));
    let allowed_topologies = class.allowed_topologies(is_everywhere);
    let is_asked = |driver: &String| gathered.capacities.are_asked(driver, &class.name);
    let size = spec.resources.requests.get("storage");
    let size = size.filter(|_| binding.is_none() && class.driver.as_ref().is_some_and(is_asked));
    let storage_class_name = size.map(|_| class.name.clone());
    let size = size.map(|size| QuantityText(size.0.clone()));
    VolumeClaim { binding, allowed_topologies, storage_class_name, size, ..claim }
}

/// A claim as a pod tells it; nothing if it is not bound to a volume of the files.
fn tell(
    claim: &RawClaim,
    gathered: &Gathered,
    nodes: &[NamedNode],
) -> Option<Result<VolumeClaim, Note>> {
    let name = claim.volume()?;
    let (_, volume) = gathered.volumes.get(name)?;
    let other =
        |r: &NameOnly| r.name != claim.name || r.namespace.as_ref() != Some(&claim.namespace);
    if volume.claim_ref.as_ref().is_some_and(other) {
        return None;
    }
    let access = access(&volume.access_modes);
    let shared = is_shared(access);
    let reached = match &volume.node_affinity.required {
        Some(terms) => reached(terms, nodes),
        // Only a share is reached from everywhere without a word.
        None => {
            let reach = (!shared).then_some(Reach::Everywhere);
            Ok(VolumeClaim { reach, ..VolumeClaim::default() })
        }
    };
    Some(reached.and_then(|reached| {
        if is_size(&claim.name) {
            return Err(SIZE);
        }
        let reach = reached.reach.filter(|_| !shared);
        let usual = !shared && reached.node.is_none();
        let attach = attach(name, volume, gathered).filter(|a| *a != usual);
        Ok(VolumeClaim {
            claim: Some(claim.name.clone()),
            access,
            reach,
            attach: attach.filter(|_| reached.node.is_none()),
            // Who drives it matters where nodes take only so many of its volumes, or none.
            driver: volume.csi.as_ref().map(|csi| csi.driver.clone()).filter(|driver| {
                let mut nodes = gathered.csi_nodes.values();
                reached.node.is_none() && nodes.any(|node| node.limits_driver(driver))
            }),
            volume: Some(name.to_owned()),
            ..reached
        })
    }))
}

/// A StatefulSet's claim as its template tells it: what differs from pod to pod is left out.
fn template_claim(claim: &VolumeClaim, template: &str) -> Option<VolumeClaim> {
    let reach = match (&claim.node, &claim.zone) {
        (Some(_), _) => Some(Reach::Node),
        (_, Some(_)) => is_shared(claim.access).then_some(Reach::Zone),
        _ => claim.reach,
    };
    let written = VolumeClaim {
        claim: Some(template.to_owned()),
        access: claim.access,
        reach,
        attach: claim.attach,
        driver: claim.driver.clone(),
        binding: claim.binding,
        assumed: claim.assumed,
        ..VolumeClaim::default()
    };
    (!is_size(template)).then_some(written)
}

/// The zone or the node that reaches a claim's volume, if this node is not there.
fn elsewhere<'c>(claim: &'c VolumeClaim, node: Option<&NamedNode>) -> Option<&'c str> {
    let is_there = match node {
        Some((name, _)) if claim.node.is_some() => claim.node.as_ref() == Some(name),
        Some((_, shape)) => claim.zone.as_deref() == zone(&shape.labels),
        None => false,
    };
    claim.zone.as_deref().or(claim.node.as_deref()).filter(|_| !is_there)
}

/// A claim that all pods of a StatefulSet share. A scenario gives each its own, which makes no
/// difference to what is reached from everywhere and never attached.
fn of_all_pods(claim: &VolumeClaim) -> Option<VolumeClaim> {
    let free = claim.zone.is_none() && claim.node.is_none() && !claim.is_attached();
    let free = free && claim.access != Some(AccessMode::ReadWriteOncePod);
    free.then(|| VolumeClaim { volume: None, ..claim.clone() })
}

/// A scenario takes such a text for the size of a claim without a name.
fn is_size(name: &str) -> bool {
    Quantity::parse(name).is_ok()
}

/// Who may use it at once, by what the attach/detach controller asks: the volume's modes and not the
/// claim's (`attachdetach/util: IsMultiAttachAllowed`).
fn access(modes: &[String]) -> Option<AccessMode> {
    let has = |mode: &AccessMode| modes.iter().any(|m| m == mode.as_str());
    let modes = [AccessMode::ReadWriteMany, AccessMode::ReadOnlyMany, AccessMode::ReadWriteOncePod];
    modes.into_iter().find(has)
}

/// Whether a claim's volume, or the claim where it has none, has ReadWriteOnce beside a mode that pods of several nodes may have.
fn has_mixed_modes(claim: &str, gathered: &Gathered) -> bool {
    let Some((_, claim)) = gathered.claims.get(claim) else { return false };
    let volume = claim.volume().and_then(|name| gathered.volumes.get(name));
    let modes = volume.map_or(&claim.spec.access_modes, |(_, v)| &v.access_modes);
    let once = modes.iter().any(|m| m == AccessMode::ReadWriteOnce.as_str());
    once && is_shared(access(modes))
}

/// Pods of several nodes may use it at once.
fn is_shared(access: Option<AccessMode>) -> bool {
    access.is_some_and(AccessMode::is_multi_attach_allowed)
}

/// Those of the pods that wait for a volume which is still attached to another node, where no pod of the files has it any
/// more, and that node; by its last word it is in use there. That of a node which was deleted is not known: it was, or the
/// volume would have been detached.
pub(super) fn held_elsewhere(gathered: &Gathered, bound: &[NamedPod]) -> BTreeMap<String, String> {
    let users = gathered.pods.iter().filter(|p| !p.is_over());
    let users: BTreeSet<(String, Option<&str>)> = users
        .flat_map(|p| p.spec.claims().map(|c| (format!("{}/{c}", p.namespace), p.node())))
        .collect();
    let holder = |claim: &str, here: Option<&str>| {
        let (_, claim) = gathered.claims.get(claim)?;
        let name = claim.volume()?;
        let (_, volume) = gathered.volumes.get(name)?;
        // What nodes call a volume (`volume/util: GetUniqueVolumeNameFromSpec`).
        let csi = volume.csi.as_ref()?;
        let known_as = format!("kubernetes.io/csi/{}^{}", csi.driver, csi.volume_handle);
        let is_held = |node: &&String| {
            let in_use = match gathered.nodes.get(node) {
                Some((_, there)) => there.status.volumes_in_use.contains(&known_as),
                None => gathered.knows(node),
            };
            let used = users.contains(&(claim.full_name(), Some(node.as_str())));
            in_use && !used && here != Some(node.as_str())
        };
        let nodes =
            gathered.attached.get(name).filter(|_| !is_shared(access(&volume.access_modes)))?;
        nodes.iter().find(is_held).cloned()
    };
    let waits = |(name, _, shape): &NamedPod| {
        let (_, p) = gathered.pods.get(&format!("{}/{name}", shape.namespace))?;
        let told = shape.template.volumes.iter().any(VolumeClaim::is_attached) && !p.is_over();
        let mut claims = p.spec.claims().filter(|_| told);
        let node = claims.find_map(|c| holder(&format!("{}/{c}", p.namespace), p.node()));
        Some((p.full_name(), node?))
    };
    bound.iter().filter_map(waits).collect()
}

/// Whether a claim's volume is attached to a node of which the files know nothing, and to no other.
fn is_attached_to_nobody(claim: &str, gathered: &Gathered) -> bool {
    let claim = gathered.claims.get(claim).and_then(|(_, c)| c.volume());
    let Some(nodes) = claim.and_then(|volume| gathered.attached.get(volume)) else { return false };
    !nodes.is_empty() && !nodes.iter().any(|node| gathered.knows(node))
}

/// Whether it has to be attached to a node, where that is known. A driver without an object has to
/// (`pkg/volume/csi/csi_plugin.go: skipAttach`).
fn attach(name: &str, volume: &RawVolumeSpec, gathered: &Gathered) -> Option<bool> {
    let Some(csi) = &volume.csi else { return Some(volume.is_disk()) };
    match gathered.drivers.get(&csi.driver) {
        Some(required) => Some(*required),
        None => {
            let is_known = !gathered.drivers.is_empty() || gathered.attached.contains_key(name);
            is_known.then_some(true)
        }
    }
}
