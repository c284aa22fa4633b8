//! Audit logs of the API server: JSON lines (`k8s.io/apiserver/pkg/apis/audit/v1: Event`), or the
//! lists of a webhook (`EventList`), at any level from Metadata up. Bodies are read only for taints,
//! cordons, bindings, replicas and leases.
//!
//! What Metadata leaves open is said as that: a patch of a node by a person without its body may be
//! a cordon, a taint or a label. Dry runs, requests that were refused, and what the controllers that
//! a run has do by themselves tell nothing.

use super::heard::Heard;
use super::outage::is_own;
use crate::api::kubectl_taint;
use crate::evidence::prelude::*;

/// Controllers whose deletions of pods a run makes by itself, by their service accounts.
const RUN_ITSELF: [&str; 6] = [
    "replicaset-controller",
    "statefulset-controller",
    "daemon-set-controller",
    "job-controller",
    "deployment-controller",
    "pod-garbage-collector",
];
/// Those that evict pods for taints of nodes, up to 1.28 and since, and of devices.
const EVICTS: [&str; 3] =
    ["node-controller", "taint-eviction-controller", "device-taint-eviction-controller"];
/// Before the name of a controller that has an account of its own.
const SERVICE_ACCOUNTS: &str = "system:serviceaccount:kube-system:";
/// A lease that was acquired no longer ago than this has a new holder.
const JUST_ACQUIRED_US: i64 = 2_000_000;

/// What a line comes to.
pub(super) enum Taken {
    /// It tells something.
    Told,
    /// It tells nothing that matters here.
    Nothing,
    /// A person asked for something, and what it was is not said, or not modelled.
    Unclear(String),
}

/// Whether a line is one of an audit log.
pub(super) fn is_audit(line: &Value) -> bool {
    line["apiVersion"].as_str().is_some_and(|v| v.starts_with("audit.k8s.io/"))
}

/// Takes one line in.
pub(super) fn take(line: &Value, place: Place, heard: &mut Heard) -> Taken {
    let text = |v: &'_ Value| v.as_str().unwrap_or_default().to_owned();
    let at = time(&line["stageTimestamp"]).or_else(|| time(&line["requestReceivedTimestamp"]));
    let refused = line["responseStatus"]["code"].as_i64().unwrap_or(200) >= 400;
    let stage = text(&line["stage"]);
    let ended = stage.is_empty() || stage == "ResponseComplete";
    let uri = line["requestURI"].as_str().unwrap_or_default();
    let (Some(at), true) = (at, ended && !refused && !uri.contains("dryRun=")) else {
        return Taken::Nothing;
    };
    let of = &line["objectRef"];
    let by = [&line["impersonatedUser"], &line["user"]];
    let by = by.iter().find_map(|user| user["username"].as_str());
    let agent = line["userAgent"].as_str().unwrap_or_default();
    let request = Request {
        at,
        verb: text(&line["verb"]),
        user: user(by.unwrap_or_default(), agent),
        resource: text(&of["resource"]),
        subresource: text(&of["subresource"]),
        namespace: text(&of["namespace"]),
        name: text(&of["name"]),
        body: &line["requestObject"],
        grace: grace(&line["requestObject"], uri),
    };
    let said = request.said();
    said.iter().for_each(|said| heard.say(at, 0, said.clone(), place.clone()));
    match said.as_slice() {
        [] if !request.unclear() => Taken::Nothing,
        [] | [Said::NodeWritten { .. }] => Taken::Unclear(request.to_string()),
        _ => Taken::Told,
    }
}

/// The process of all controllers, which ask in its name without `--use-service-account-credentials`.
const PROCESS: &str = "system:kube-controller-manager";

/// Who asked: of that process the controller, which ends the name of its client (`rest: AddUserAgent`).
fn user(name: &str, agent: &str) -> String {
    let is_its = |last: &&str| last.ends_with("-controller") || last.ends_with("-collector");
    match agent.rsplit('/').next().filter(is_its) {
        Some(controller) if name == PROCESS => format!("{SERVICE_ACCOUNTS}{controller}"),
        _ => name.to_owned(),
    }
}

/// A request that was granted.
struct Request<'a> {
    at: Stamp,
    verb: String,
    user: String,
    resource: String,
    subresource: String,
    namespace: String,
    name: String,
    body: &'a Value,
    grace: Option<i64>,
}

/// The grace period that a deletion gives, in its body or in its address.
fn grace(body: &Value, uri: &str) -> Option<i64> {
    let in_uri = || uri.split(['?', '&']).find_map(|part| part.strip_prefix("gracePeriodSeconds="));
    let given = body["gracePeriodSeconds"].as_i64().or_else(|| in_uri()?.parse().ok());
    given.filter(|seconds| *seconds >= 0)
}

impl std::fmt::Display for Request<'_> {
    /// `patch nodes b-03 by jane`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.verb, self.resource)?;
        if !self.subresource.is_empty() {
            write!(f, "/{}", self.subresource)?;
        }
        match (self.namespace.as_str(), self.name.as_str()) {
            ("", "") => {}
            ("", name) => write!(f, " {name}")?,
            (namespace, "") => write!(f, " in {namespace}")?,
            (namespace, name) => write!(f, " {namespace}/{name}")?,
        }
        write!(f, " by {}", self.user)
    }
}

impl Request<'_> {
    /// Whether a controller of that name asked, by its service account, or all of them by the one
    /// of their process.
    fn is_by(&self, controllers: &[&str]) -> bool {
        self.user == PROCESS
            || self.user.strip_prefix(SERVICE_ACCOUNTS).is_some_and(|c| controllers.contains(&c))
    }

    /// Whether it is the control plane's or a node's own business.
    fn is_own(&self) -> bool {
        let own = ["system:kube-", "system:node:", "system:apiserver"];
        own.iter().any(|name| self.user.starts_with(name))
            || self.user.starts_with(SERVICE_ACCOUNTS)
    }

    fn writes(&self) -> bool {
        matches!(self.verb.as_str(), "patch" | "update" | "apply")
    }

    /// `Deployment/shop/web`
    fn workload(&self) -> Option<String> {
        let is = |k: &WorkloadKind| k.resource().split('.').next() == Some(self.resource.as_str());
        let kind = WorkloadKind::ALL.into_iter().find(is)?.as_str();
        Some(format!("{kind}/{}/{}", self.namespace, self.name))
    }

    /// Whether a person asked for something that may matter and that nothing was made of.
    fn unclear(&self) -> bool {
        let matters = self.resource == "nodes"
            || self.resource == "pods" && self.subresource != "exec"
            || self.resource == "poddisruptionbudgets"
            || self.workload().is_some();
        let deletes = matches!(self.verb.as_str(), "delete" | "deletecollection");
        let creates = self.verb == "create" && self.workload().is_some();
        matters && !self.is_own() && (self.writes() || deletes || creates)
    }

    fn said(&self) -> Vec<Said> {
        let pod = || format!("{}/{}", self.namespace, self.name);
        let by = || self.user.clone();
        let said = match (self.resource.as_str(), self.subresource.as_str()) {
            ("leases", "") if self.writes() => self.lease(),
            ("pods", "") if self.verb == "delete" => self.deletion(pod()),
            ("pods", "eviction") if self.verb == "create" => {
                Some(Said::Deleted { pod: pod(), by: format!("{}{EVICTING}", by()), grace: None })
            }
            ("pods", "binding") | ("bindings", "") if self.verb == "create" => {
                let node = self.body["target"]["name"].as_str();
                node.map(|node| Said::Bound { pod: pod(), node: node.to_owned() })
            }
            ("nodes", "status") if self.writes() => self.status(),
            ("nodes", "") if self.verb == "delete" => {
                Some(Said::NodeDeleted { node: self.name.clone(), by: by() })
            }
            // A kubelet registers its node.
            ("nodes", "") if self.verb == "create" => self
                .user
                .strip_prefix("system:node:")
                .map(|node| Said::NodeRegistered { node: node.to_owned() }),
            ("nodes", "") if self.writes() => return self.of_node(),
            (_, "scale") if self.writes() => self.scaled(),
            (_, "") if self.writes() && !self.is_own() => self.scaled(),
            (_, "") if self.verb == "delete" && !self.is_own() => {
                self.workload().map(|workload| Said::WorkloadDeleted { workload, by: by() })
            }
            _ => None,
        };
        said.into_iter().collect()
    }

    /// A node's lease is renewed by its kubelet. One of the control plane that was acquired just
    /// now has a new holder.
    fn lease(&self) -> Option<Said> {
        match self.namespace.as_str() {
            "kube-node-lease" => Some(Said::NodeHeard { node: self.name.clone() }),
            "kube-system" => {
                let acquired = time(&self.body["spec"]["acquireTime"])?;
                let since = self.at.0.saturating_sub(acquired.0);
                let component = self.name.clone();
                (since.abs() <= JUST_ACQUIRED_US).then_some(Said::Leader { component })
            }
            _ => None,
        }
    }

    /// The replicas that are asked for, where the body has them.
    fn scaled(&self) -> Option<Said> {
        let replicas = i32::try_from(self.body["spec"]["replicas"].as_i64()?).ok()?;
        Some(Said::Scaled { workload: self.workload()?, replicas, by: self.user.clone() })
    }

    /// Kubelets delete what has ended, and controllers what a run has them delete, too.
    fn deletion(&self, pod: String) -> Option<Said> {
        if self.user.starts_with("system:node:") || self.user == "system:kube-scheduler" {
            return None;
        }
        if self.is_by(&EVICTS) {
            return Some(Said::Evicted { pod });
        }
        (!self.is_by(&RUN_ITSELF)).then(|| Said::Deleted {
            pod,
            by: self.user.clone(),
            grace: self.grace,
        })
    }

    /// The node lifecycle controller writes a status only to give a node up.
    fn status(&self) -> Option<Said> {
        let node = self.name.clone();
        if !self.user.starts_with("system:node:") {
            return self.is_by(&["node-controller"]).then_some(Said::NodeUnknown { node });
        }
        let conditions = self.body["status"]["conditions"].as_array();
        let ready = conditions.into_iter().flatten().find(|c| c["type"] == "Ready");
        Some(match ready.and_then(|c| c["status"].as_str()) {
            Some("False") => Said::KubeletNotReady { node },
            Some("True") => Said::NodeReady { node },
            _ => Said::NodeHeard { node },
        })
    }

    /// Taints and cordons, as far as the level has bodies. A field that is taken away is null in a
    /// patch.
    fn of_node(&self) -> Vec<Said> {
        let node = || self.name.clone();
        let own = self.is_own();
        let Some(spec) = self.body["spec"].as_object() else {
            // Of a body without a spec it is known that it is about something else.
            return match own || !self.body.is_null() {
                true => Vec::new(),
                false => vec![Said::NodeWritten { node: node(), by: self.user.clone() }],
            };
        };
        let mut said = Vec::new();
        if let Some(value) = spec.get("unschedulable").filter(|_| !own) {
            let (cordoned, by) = (value.as_bool().unwrap_or(false), self.user.clone());
            said.push(Said::Cordoned { node: node(), cordoned, by });
        }
        // A patch has all taints that are to be, as they cannot be merged.
        if let Some(list) = spec.get("taints") {
            let mut taints = taints(list);
            if !own {
                said.push(Said::TaintsAre { node: node(), taints, by: self.user.clone() });
            } else {
                // The others have been there before.
                taints.retain(|t| is_own(t));
                let told = (!taints.is_empty()).then(|| Said::Tainted { node: node(), taints });
                said.extend(told);
            }
        }
        said
    }
}

/// What is put behind the name of somebody who deleted a pod in this way.
pub(super) const EVICTING: &str = " through the eviction API";

/// The taints of a list, each as `key=value:Effect` or `key:Effect`. What the API server takes from nobody is left out:
/// one without a key, of no known effect, or a second one of the same key and effect.
pub(super) fn taints(list: &Value) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for taint in list.as_array().into_iter().flatten() {
        let word = |field: &str| taint[field].as_str().unwrap_or_default();
        let text = match word("value") {
            "" => format!("{}:{}", word("key"), word("effect")),
            value => format!("{}={value}:{}", word("key"), word("effect")),
        };
        let mut args: Vec<&str> = all.iter().map(String::as_str).collect();
        args.push(&text);
        if kubectl_taint::parse(&args).is_ok_and(|edit| edit.remove.is_empty()) {
            all.push(text);
        }
    }
    all
}
