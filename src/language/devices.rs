//! Devices of nodes, claims of pods on them, and rules that taint them.

use super::scheduling::Toleration;
use crate::language::prelude::*;

/// Devices of each node of a group, which are alike except for their names
/// (`resource.k8s.io ResourceSlice`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct NodeDevices {
    /// Their driver; `gpu.example.com` where not given.
    pub(crate) driver: Option<String>,
    /// Their names, `"gpu-{0..7}"`.
    pub(crate) names: NamesText,
    /// Their pool, where it does not have the node's name.
    pub(crate) pool: Option<String>,
    /// What their driver publishes of them from the start: `"ecc=bad:NoExecute"`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) taints: Vec<String>,
    /// `timeAdded` of these taints, from the start of the run: `{"ecc:NoExecute": "-30s"}`; its start where not given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) taints_added: BTreeMap<String, DurationText>,
}

/// A claim on devices: one that each pod has for itself (`spec.resourceClaims`, with its
/// `resourceClaimTemplateName`), or by `resourceClaimName` one that exists by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct DeviceClaim {
    /// The claim of that name under `resourceClaims`, of the pod's namespace, which all pods that name it share; nothing
    /// else is then given here.
    pub(crate) resource_claim_name: Option<String>,
    /// The driver whose devices are asked for; `gpu.example.com` where not given.
    pub(crate) driver: Option<String>,
    /// How many; one where not given.
    pub(crate) count: Option<u32>,
    /// `All`: all devices of the driver that the node has, each of which has to be free.
    pub(crate) allocation_mode: Option<AllocationMode>,
    /// Which taints of devices are tolerated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tolerations: Vec<Toleration>,
    /// `spec.devices.requests`, where that is more than one, or one with alternatives; what a single one asks for is
    /// then not given above.
    pub(crate) requests: Option<Vec<DeviceRequest>>,
}

impl DeviceClaim {
    /// What its one request asks for, where that is not written as such.
    pub(crate) fn exactly(&self) -> DeviceSubRequest {
        let Self { driver, count, allocation_mode, tolerations, .. } = self.clone();
        DeviceSubRequest { driver, count, allocation_mode, tolerations }
    }

    /// All tolerations in it, each list behind the steps that lead there.
    pub(crate) fn tolerations(&self) -> Vec<(String, &[Toleration])> {
        let mut all = vec![(String::new(), &*self.tolerations)];
        for (i, request) in self.requests.iter().flatten().enumerate() {
            all.push((format!(".requests[{i}]"), &request.tolerations));
            let list = request.first_available.iter().flatten().enumerate();
            all.extend(
                list.map(|(j, of)| {
                    (format!(".requests[{i}].firstAvailable[{j}]"), &*of.tolerations)
                }),
            );
        }
        all
    }
}

/// A request of a claim on devices (`resource.k8s.io DeviceRequest`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct DeviceRequest {
    /// The driver whose devices are asked for; `gpu.example.com` where not given.
    pub(crate) driver: Option<String>,
    /// How many; one where not given.
    pub(crate) count: Option<u32>,
    /// `All`: all devices of the driver that the node has, each of which has to be free.
    pub(crate) allocation_mode: Option<AllocationMode>,
    /// Which taints of devices are tolerated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tolerations: Vec<Toleration>,
    /// The first of these that can be had (`firstAvailable`); nothing else is then given here.
    pub(crate) first_available: Option<Vec<DeviceSubRequest>>,
}

impl DeviceRequest {
    /// What it asks for where it has no alternatives.
    pub(crate) fn exactly(&self) -> DeviceSubRequest {
        let Self { driver, count, allocation_mode, tolerations, .. } = self.clone();
        DeviceSubRequest { driver, count, allocation_mode, tolerations }
    }
}

/// What will do for a request (`resource.k8s.io DeviceSubRequest`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct DeviceSubRequest {
    /// The driver whose devices are asked for; `gpu.example.com` where not given.
    pub(crate) driver: Option<String>,
    /// How many; one where not given.
    pub(crate) count: Option<u32>,
    /// `All`: all devices of the driver that the node has, each of which has to be free.
    pub(crate) allocation_mode: Option<AllocationMode>,
    /// Which taints of devices are tolerated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tolerations: Vec<Toleration>,
}

/// How many devices a request is for (`resource.k8s.io DeviceAllocationMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
pub(crate) enum AllocationMode {
    /// So many as it says.
    ExactCount,
    /// All of the node.
    All,
}

/// A claim on devices that exists by itself (`resource.k8s.io ResourceClaim`), and that pods name. Its devices are
/// allocated for the first of them that is scheduled; the others go to the same node, and all have the same devices.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResourceClaim {
    /// `metadata.name`
    pub(crate) name: String,
    /// `metadata.namespace`; `default` where not given.
    pub(crate) namespace: Option<String>,
    /// What it asks for.
    #[serde(default)]
    pub(crate) spec: DeviceClaim,
}

/// A rule that taints devices (`resource.k8s.io DeviceTaintRule`): those of which all that is given is true;
/// where neither driver nor pool nor device is given, all devices of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceTaintRule {
    /// `metadata.name`
    pub(crate) name: String,
    /// `spec.deviceSelector.driver`
    pub(crate) driver: Option<String>,
    /// `spec.deviceSelector.pool`, which mostly has its node's name.
    pub(crate) pool: Option<String>,
    /// `spec.deviceSelector.device`
    pub(crate) device: Option<String>,
    /// `spec.taint`: `"key=value:NoExecute"`; with the effect `None` the rule says in its status whom NoExecute
    /// would evict.
    pub(crate) taint: String,
    /// `spec.taint.timeAdded`, from the start of the run: `"-30s"`. When it is created where not given.
    pub(crate) added: Option<DurationText>,
}
