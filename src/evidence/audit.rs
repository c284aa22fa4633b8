//! Audit logs of the API server: JSON lines (`k8s.io/apiserver/pkg/apis/audit/v1: Event`), at any
//! level from Metadata up. Bodies are read only for taints, cordons, bindings and replicas.

use super::heard::Heard;
use super::statement::{Place, Said};
use crate::import::parse_time;
use serde_json::Value;

/// Whether a line is one of an audit log.
pub(super) fn is_audit(line: &Value) -> bool {
    line["apiVersion"]
        .as_str()
        .is_some_and(|v| v.starts_with("audit.k8s.io/"))
}

/// Takes one line in; false if it tells nothing.
pub(super) fn take(line: &Value, place: Place, heard: &mut Heard) -> bool {
    let text = |v: &'_ Value| v.as_str().unwrap_or_default().to_owned();
    let time = |v: &Value| v.as_str().and_then(parse_time);
    let at = time(&line["stageTimestamp"]).or_else(|| time(&line["requestReceivedTimestamp"]));
    let refused = line["responseStatus"]["code"].as_i64().unwrap_or(200) >= 400;
    let stage = text(&line["stage"]);
    let ended = stage.is_empty() || stage == "ResponseComplete";
    let (Some(at), true) = (at, ended && !refused) else {
        return false;
    };
    let of = &line["objectRef"];
    let request = Request {
        verb: text(&line["verb"]),
        user: text(&line["user"]["username"]),
        resource: text(&of["resource"]),
        subresource: text(&of["subresource"]),
        namespace: text(&of["namespace"]),
        name: text(&of["name"]),
        body: &line["requestObject"],
    };
    let said = request.said();
    for said in &said {
        heard.say(at, 0, said.clone(), place.clone());
    }
    !said.is_empty()
}

/// A request that was granted.
struct Request<'a> {
    verb: String,
    user: String,
    resource: String,
    subresource: String,
    namespace: String,
    name: String,
    body: &'a Value,
}

impl Request<'_> {
    /// Whether a controller of that name asked, by its service account, or all of them by the one
    /// of their process.
    fn is_by(&self, controllers: &[&str]) -> bool {
        controllers.iter().any(|c| {
            self.user == format!("system:serviceaccount:kube-system:{c}")
                || self.user == "system:kube-controller-manager"
        })
    }

    fn writes(&self) -> bool {
        matches!(self.verb.as_str(), "patch" | "update")
    }

    fn said(&self) -> Vec<Said> {
        let pod = || format!("{}/{}", self.namespace, self.name);
        let by = || self.user.clone();
        let one = |said: Said| vec![said];
        match (self.resource.as_str(), self.subresource.as_str()) {
            ("leases", "") if self.namespace == "kube-node-lease" && self.writes() => {
                one(Said::NodeHeard {
                    node: self.name.clone(),
                })
            }
            ("pods", "") if self.verb == "delete" => self.deletion(pod()),
            ("pods", "eviction") if self.verb == "create" => one(Said::Deleted {
                pod: pod(),
                by: format!("{} through the eviction API", by()),
            }),
            ("pods", "binding") | ("bindings", "") if self.verb == "create" => {
                let node = self.body["target"]["name"].as_str();
                node.map_or(Vec::new(), |node| {
                    one(Said::Bound {
                        pod: pod(),
                        node: node.to_owned(),
                    })
                })
            }
            ("nodes", "status") if self.writes() => self.status(),
            ("nodes", "") if self.verb == "delete" => one(Said::NodeDeleted {
                node: self.name.clone(),
                by: by(),
            }),
            ("nodes", "") if self.writes() => self.of_node(),
            (_, "scale") if self.writes() => {
                let replicas = self.body["spec"]["replicas"].as_i64();
                let replicas = replicas.and_then(|n| i32::try_from(n).ok());
                replicas.map_or(Vec::new(), |replicas| {
                    one(Said::Scaled {
                        workload: format!("{}/{}", self.namespace, self.name),
                        replicas,
                        by: by(),
                    })
                })
            }
            _ => Vec::new(),
        }
    }

    /// Kubelets delete what has ended, and the garbage collector what nobody needs.
    fn deletion(&self, pod: String) -> Vec<Said> {
        if self.user.starts_with("system:node:") {
            return Vec::new();
        }
        if self.is_by(&["taint-eviction-controller", "node-controller"]) {
            return vec![Said::Evicted { pod }];
        }
        vec![Said::Deleted {
            pod,
            by: self.user.clone(),
        }]
    }

    /// The node lifecycle controller writes a status only to give a node up.
    fn status(&self) -> Vec<Said> {
        let node = self.name.clone();
        if self.user.starts_with("system:node:") {
            return vec![Said::NodeHeard { node }];
        }
        if self.is_by(&["node-controller"]) {
            return vec![Said::NodeUnknown { node }];
        }
        Vec::new()
    }

    /// Taints and cordons, as far as the level has bodies.
    fn of_node(&self) -> Vec<Said> {
        let spec = &self.body["spec"];
        let person = !self.user.starts_with("system:");
        let mut said = Vec::new();
        if let Some(cordoned) = spec["unschedulable"].as_bool() {
            said.push(Said::Cordoned {
                node: self.name.clone(),
                cordoned,
                by: self.user.clone(),
            });
        }
        let word = |t: &Value, field: &str| t[field].as_str().unwrap_or_default().to_owned();
        let taints: Vec<String> = spec["taints"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|t| match word(t, "value") {
                none if none.is_empty() => format!("{}:{}", word(t, "key"), word(t, "effect")),
                value => format!("{}={value}:{}", word(t, "key"), word(t, "effect")),
            })
            .collect();
        if !taints.is_empty() {
            said.push(Said::Tainted {
                node: self.name.clone(),
                taints,
                by: person.then(|| self.user.clone()),
            });
        }
        said
    }
}
