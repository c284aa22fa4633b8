//! `kubectl drain` (`staging/src/k8s.io/kubectl/pkg/cmd/drain`, `pkg/drain`, v1.34): cordons nodes
//! and moves their pods away.
//!
//! What kubectl prints of a node that it could not drain is recorded with how that node's drain
//! ended ([`What::DrainEnded`]).
//!
//! Left out: `--pod-selector`, `--dry-run`, and the warnings that kubectl prints while all goes
//! well.

use crate::api::pod::Deletion;
use crate::client::parallelize;
use crate::controllers::prelude::*;
use crate::plan::switches::eviction::EvictionRules;
use crate::plan::{DrainOptions, Limits};
use crate::trace::{DrainEnd, DrainOutcome, RecordId};

/// The limit of kubectl's client (`rest/config.go: DefaultQPS, DefaultBurst`).
pub(crate) const CLIENT: Limits = Limits { qps: 5.0, burst: 10 };
/// After an answer of 429 (`evictPods`).
const RETRY_AFTER: Dur = Dur::from_secs(5);
/// How often kubectl looks whether a pod is gone (`waitForDelete`).
const POLL: Dur = Dur::from_secs(1);

/// One call of kubectl.
pub(crate) struct Drain {
    ctx: Ctx,
    group: Group,
    client: Client,
    rules: EvictionRules,
    options: DrainOptions,
    /// When the node that is being drained is given up.
    deadline: Cell<Time>,
    /// The record that led to this call; causes what follows from it by itself.
    cause: RecordId,
}

/// Why a pod did not go, or a node could not be drained.
struct Failure {
    /// What kubectl prints; nothing where it has printed it of another pod.
    text: String,
    /// The pod that is left.
    pod: Option<PodId>,
    /// `--timeout` was over.
    timed_out: bool,
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Failure { text, pod: None, timed_out: false }
    }
}

impl Drain {
    /// A call that begins now, by what the running step goes back to.
    pub(crate) fn new(
        client: Client,
        group: Group,
        rules: EvictionRules,
        options: DrainOptions,
    ) -> Rc<Self> {
        let ctx = client.api().ctx().clone();
        let cause = ctx.cause();
        Rc::new(Drain { ctx, group, client, rules, options, deadline: Cell::new(Time::MAX), cause })
    }

    /// Reads all nodes (`Complete`), cordons them, then empties one after the other (`RunDrain`).
    /// Says how it ended for each.
    ///
    /// # Errors
    /// What kubectl prints where one of the nodes does not exist: then nothing is done to any.
    pub(crate) async fn run(
        self: &Rc<Self>,
        nodes: &[NodeId],
    ) -> Result<Vec<DrainOutcome>, String> {
        let mut cordoned = Vec::with_capacity(nodes.len());
        for &node in nodes {
            cordoned.push(self.is_unschedulable(node).await?);
        }
        for (&node, cordoned) in nodes.iter().zip(cordoned) {
            if !cordoned {
                self.write_unschedulable(node, true).await;
            }
        }
        let mut outcomes = Vec::with_capacity(nodes.len());
        for &node in nodes {
            let outcome = self.drain(node).await;
            outcomes.push(outcome);
            if self.rules.drain_stops_at_failure && outcome != DrainOutcome::Drained {
                break;
            }
        }
        Ok(outcomes)
    }

    /// `kubectl uncordon`: a node that may be scheduled on already, or is gone, is not written.
    pub(crate) async fn uncordon(&self, node: NodeId) {
        if self.is_unschedulable(node).await == Ok(true) {
            self.write_unschedulable(node, false).await;
        }
    }

    /// Reads a node.
    ///
    /// # Errors
    /// What kubectl prints if it cannot.
    async fn is_unschedulable(&self, node: NodeId) -> Result<bool, String> {
        self.ctx.set_cause(self.cause);
        let read = move |api: &ApiServer, _| api.node(node).ok_or(ApiError::NotFound);
        match self.client.get(self.client.node_object(node), read).await {
            Ok(node) => Ok(node.unschedulable),
            Err(ApiError::NotFound) => {
                let name = self.client.api().names(|n| n.node_name(node).to_owned());
                Err(format!("Error from server (NotFound): nodes \"{name}\" not found"))
            }
            Err(e) => Err(format!("error: {e}")),
        }
    }

    /// `PatchOrReplace`. One that fails is printed, and kubectl goes on.
    async fn write_unschedulable(&self, node: NodeId, value: bool) {
        self.ctx.set_cause(self.cause);
        let written = self.client.call(self.client.node_object(node), move |api, actor| {
            api.mutate_node(actor, node, |n| n.unschedulable = value)
        });
        let _ = written.await;
    }

    /// Empties a node, and records how that ended.
    async fn drain(self: &Rc<Self>, node: NodeId) -> DrainOutcome {
        let began = self.ctx.now();
        self.deadline.set(self.options.timeout.map_or(Time::MAX, |t| began.saturating_add(t)));
        let chosen = Cell::new(0);
        let result = self.drain_node(node, &chosen).await;
        let failures = result.err().unwrap_or_default();
        let left: Vec<PodId> = failures.iter().filter_map(|f| f.pod).collect();
        let outcome = match failures.as_slice() {
            [] => DrainOutcome::Drained,
            all if all.iter().all(|f| f.timed_out) => DrainOutcome::TimedOut,
            _ => DrainOutcome::Refused,
        };
        let mut words = String::new();
        if !failures.is_empty() {
            let name = self.client.api().names(|n| n.node_name(node).to_owned());
            let texts = failures.iter().map(|f| f.text.as_str());
            let texts: Vec<&str> = texts.filter(|t| !t.is_empty()).collect();
            let list = match texts[..] {
                [one] => one.to_owned(),
                _ => format!("[{}]", texts.join(", ")),
            };
            words = format!(
                "error: unable to drain node \"{name}\" due to error: {list}, continuing command..."
            );
        }
        let gone = u32::try_from(chosen.get() - left.len().min(chosen.get())).unwrap_or(u32::MAX);
        self.ctx.set_cause(self.cause);
        let api = self.client.api();
        let end = DrainEnd {
            outcome,
            took: self.ctx.now().since(began),
            gone,
            left,
            words: api.names(|n| n.text(&words)),
        };
        let kept = api.keep_drain(end);
        api.record_node(Actor::User, node, What::DrainEnded(kept));
        outcome
    }

    /// `deleteOrEvictPodsSimple`; `chosen` is how many pods have to go.
    async fn drain_node(
        self: &Rc<Self>,
        node: NodeId,
        chosen: &Cell<usize>,
    ) -> Result<(), Vec<Failure>> {
        self.ctx.set_cause(self.cause);
        let listed = self.client.get(self.client.node_object(node), move |api, _| {
            Ok(api.pods().into_iter().filter(|p| p.node == Some(node)).collect::<Vec<_>>())
        });
        let listed = listed.await.map_err(|e| vec![e.to_string().into()])?;
        let pods = self.pods_for_deletion(listed).await?;
        chosen.set(pods.len());
        if self.options.disable_eviction {
            return self.delete_pods(pods).await;
        }
        if pods.is_empty() {
            return Ok(());
        }
        self.check_eviction_support(node).await.map_err(|e| vec![e.to_string().into()])?;
        let failed = Rc::new(Shared::new(Vec::new()));
        let (me, sink, count) = (self.clone(), failed.clone(), pods.len());
        parallelize(&self.ctx, self.group, count, count, move |i| {
            let (me, pod, sink) = (me.clone(), pods[i].clone(), sink.clone());
            Some(async move {
                if let Err(failure) = me.evict_pod(&pod).await {
                    sink.with(|s| s.push(failure));
                }
            })
        })
        .await;
        let failed = failed.with(std::mem::take);
        if failed.is_empty() { Ok(()) } else { Err(failed) }
    }

    /// `CheckEvictionSupport`: there is the subresource, and kubectl asks for it each time.
    async fn check_eviction_support(&self, node: NodeId) -> ApiResult {
        let requests = if self.rules.drain_asks_for_groups { 3 } else { 1 };
        for _ in 0..requests {
            self.client.call(self.client.node_object(node), |_, _| Ok(())).await?;
        }
        Ok(())
    }

    /// `GetPodsForDeletion` (`filters.go`): mirror pods and pods of DaemonSets are left, and
    /// whatever has no flag to allow it stops the node.
    async fn pods_for_deletion(&self, pods: Vec<Rc<Pod>>) -> Result<Vec<Rc<Pod>>, Vec<Failure>> {
        let o = &self.options;
        let refused = |text: &str| Some(text.to_owned());
        let mut chosen = Vec::new();
        // Upstream walks over a map here; these come in the order in which they turn up.
        let mut complaints: Vec<(String, Vec<String>)> = Vec::new();
        for pod in pods {
            if self.waited_for_too_long(&pod) || pod.template.source != PodSource::Api {
                continue;
            }
            let refusal = if pod.phase.is_terminal() {
                None
            } else if pod.template.owner.as_ref().is_some_and(|o| o.kind == "DaemonSet") {
                match self.missing_daemon_set(&pod).await {
                    Some(missing) => Some(missing).filter(|_| !o.force),
                    None if o.ignore_daemonsets => continue,
                    None => refused("DaemonSet-managed Pods (use --ignore-daemonsets to ignore)"),
                }
            } else if pod.template.empty_dir && !o.delete_emptydir_data {
                refused("Pods with local storage (use --delete-emptydir-data to override)")
            } else if pod.template.owner.is_none() && !o.force {
                // The words are there twice since kubectl made them a part of this text
                // (`unmanagedFatal`).
                refused("cannot delete Pods that declare no controller (use --force to override)")
            } else {
                None
            };
            let Some(refusal) = refusal else {
                chosen.push(pod);
                continue;
            };
            let name = self.client.api().names(|n| n.pod_name(pod.id).to_owned());
            match complaints.iter_mut().find(|(text, _)| *text == refusal) {
                Some((_, pods)) => pods.push(name),
                None => complaints.push((refusal, vec![name])),
            }
        }
        if complaints.is_empty() {
            return Ok(chosen);
        }
        Err(complaints
            .into_iter()
            .map(|(text, pods)| format!("cannot delete {text}: {}", pods.join(", ")).into())
            .collect())
    }

    /// What the API server says of a pod's DaemonSet if that is gone. One that was never modelled
    /// counts as there.
    async fn missing_daemon_set(&self, pod: &Pod) -> Option<String> {
        let owner = pod.template.owner.as_ref()?;
        let object = owner.object.map(|(id, _)| id);
        let found = self.client.get(self.client.pod_object(pod.id), move |api, _| match object {
            Some(id) => api.workload(id).map(|_| ()).ok_or(ApiError::NotFound),
            None => Ok(()),
        });
        found.await.is_err().then(|| format!("daemonsets.apps \"{}\" not found", owner.name))
    }

    /// `shouldSkipPod`: a pod that has been terminating for longer than kubectl was told to wait, in whole seconds.
    fn waited_for_too_long(&self, pod: &Pod) -> bool {
        let limit = self.options.skip_wait_for_delete_timeout.map_or(0, Dur::as_secs);
        let ended = |d: Deletion| u64::try_from(d.timestamp.0).unwrap_or_default();
        let since = pod.deletion.map(|d| self.ctx.now().since(Time::from_secs(ended(d))));
        limit > 0 && since.is_some_and(|since| since.as_secs() > limit)
    }

    /// `evictPods`, of one pod.
    async fn evict_pod(&self, pod: &Rc<Pod>) -> Result<(), Failure> {
        let (about, id, rules, grace) =
            (self.client.pod_object(pod.id), pod.id, self.rules, self.options.grace_period);
        let mut uid = pod.uid;
        loop {
            if self.ctx.now() >= self.deadline.get() {
                return Err(self.timed_out("evicting", id));
            }
            self.ctx.set_cause(self.cause);
            match self.client.evict(about, rules, id, grace).await {
                Ok(()) => break,
                Err(ApiError::NotFound) => return Ok(()),
                // It says no uid, and so means another pod of that name as well.
                Err(ApiError::TooManyRequests | ApiError::Rejected) => {
                    self.ctx.sleep(RETRY_AFTER).await;
                    if self.rules.drain_rereads_refused_pods
                        && let Ok(fresh) = self.client.get_pod(id).await
                    {
                        uid = fresh.uid;
                    }
                }
                Err(e) => return Err(self.complain("evicting", id, &e.to_string())),
            }
        }
        self.wait_for_delete(id, uid).await
    }

    /// `deletePods`: one after the other, then it waits for each.
    async fn delete_pods(&self, pods: Vec<Rc<Pod>>) -> Result<(), Vec<Failure>> {
        let grace = self.options.grace_period;
        for pod in &pods {
            let id = pod.id;
            self.ctx.set_cause(self.cause);
            let delete = move |api: &ApiServer, actor| api.drain_deletes(actor, id, grace);
            match self.client.call(self.client.pod_object(id), delete).await {
                Ok(()) | Err(ApiError::NotFound) => {}
                Err(e) => return Err(vec![e.to_string().into()]),
            }
        }
        // One wait for all of them: kubectl names the first that is left, and all of these are.
        for (i, pod) in pods.iter().enumerate() {
            if let Err(first) = self.wait_for_delete(pod.id, pod.uid).await {
                let mut failures = vec![first];
                for pod in &pods[i + 1..] {
                    let found = self.client.get_pod(pod.id).await;
                    if found.is_ok_and(|p| p.uid == pod.uid) {
                        let (text, pod) = (String::new(), Some(pod.id));
                        failures.push(Failure { text, pod, timed_out: true });
                    }
                }
                return Err(failures);
            }
        }
        Ok(())
    }

    /// `waitForDelete`: until the pod is gone, or another of its name is there. How long an answer
    /// takes does not put off the next look.
    async fn wait_for_delete(&self, id: PodId, uid: Uid) -> Result<(), Failure> {
        let mut next = self.rules.drain_polls_from_start.then(|| self.ctx.now());
        loop {
            let pod = match self.client.get_pod(id).await {
                Ok(pod) if pod.uid == uid => pod,
                Ok(_) | Err(ApiError::NotFound) => return Ok(()),
                Err(e) => return Err(self.complain("waiting for", id, &e.to_string())),
            };
            if self.waited_for_too_long(&pod) {
                return Ok(());
            }
            let now = self.ctx.now();
            let at = next.unwrap_or(now).saturating_add(POLL).max(now);
            if at > self.deadline.get() {
                self.ctx.sleep_until(self.deadline.get()).await;
                return Err(self.timed_out("waiting for", id));
            }
            self.ctx.sleep_until(at).await;
            next = Some(at);
        }
    }

    fn timed_out(&self, doing: &str, id: PodId) -> Failure {
        Failure { timed_out: true, ..self.complain(doing, id, "global timeout reached") }
    }

    fn complain(&self, doing: &str, id: PodId, text: &str) -> Failure {
        let full = self.client.api().names(|n| n.pod_name(id).to_owned());
        let (namespace, name) = full.split_once('/').unwrap_or(("", &full));
        let text = match doing {
            "evicting" => format!("error when evicting pods/\"{name}\" -n \"{namespace}\": {text}"),
            _ => format!(
                "error when waiting for pod \"{name}\" in namespace \"{namespace}\" to terminate: {text}"
            ),
        };
        Failure { text, pod: Some(id), timed_out: false }
    }
}
