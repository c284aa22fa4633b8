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

/// Why pods did not go, or a node could not be drained.
struct Failure {
    /// What kubectl prints.
    text: String,
    /// The pods that are left.
    pods: Vec<PodId>,
    /// `--timeout` was over.
    timed_out: bool,
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Failure { text, pods: Vec::new(), timed_out: false }
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
        let chosen = Cell::new(0);
        let result = self.drain_node(node, &chosen).await;
        let failures = result.err().unwrap_or_default();
        let left: Vec<PodId> = failures.iter().flat_map(|f| f.pods.clone()).collect();
        let outcome = match failures.as_slice() {
            [] => DrainOutcome::Drained,
            all if all.iter().all(|f| f.timed_out) => DrainOutcome::TimedOut,
            _ => DrainOutcome::Refused,
        };
        let mut words = String::new();
        if !failures.is_empty() {
            let name = self.client.api().names(|n| n.node_name(node).to_owned());
            let texts: Vec<&str> = failures.iter().map(|f| f.text.as_str()).collect();
            let list = match texts[..] {
                [one] => one.to_owned(),
                _ => format!("[{}]", texts.join(", ")),
            };
            let (node, why) = (format!("unable to drain node \"{name}\""), self.rules.drain_error);
            words = match self.rules.drain_stops_at_failure {
                true => format!("error: {node}, aborting command...\nerror: {list}"),
                false => format!("error: {node} due to {why}{list}, continuing command..."),
            };
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
        self.begin_timeout();
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

    /// `--timeout` begins.
    fn begin_timeout(&self) {
        let end = |timeout| self.ctx.now().saturating_add(timeout);
        self.deadline.set(self.options.timeout.map_or(Time::MAX, end));
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
        let EvictionRules { drain_says_emptydir, drain_unmanaged, .. } = self.rules;
        let flag = if drain_says_emptydir { "emptydir" } else { "local" };
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
                    None => Some(
                        "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)".to_owned(),
                    ),
                }
            } else if pod.template.empty_dir && !o.delete_emptydir_data {
                Some(format!("Pods with local storage (use --delete-{flag}-data to override)"))
            } else if pod.template.owner.is_none() && !o.force {
                Some(format!("{drain_unmanaged} (use --force to override)"))
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
                let text = self.complain("evicting", id, &self.global_timeout());
                return Err(Failure { text, pods: vec![id], timed_out: true });
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
                Err(e) => {
                    let text = self.complain("evicting", id, &e.to_string());
                    return Err(Failure { text, pods: vec![id], timed_out: false });
                }
            }
        }
        let waited = self.wait_for_delete(vec![(id, uid)]).await;
        waited.map_err(|f| Failure { text: self.complain("waiting for", id, &f.text), ..f })
    }

    /// `deletePods`: one after the other, then it waits for all.
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
        self.begin_timeout();
        let waited = self.wait_for_delete(pods.iter().map(|p| (p.id, p.uid)).collect());
        waited.await.map_err(|failure| vec![failure])
    }

    /// `waitForDelete`: until these pods are gone, or others of their names are there. A look asks for each that is left, and
    /// is finished. How long it takes does not put off the next one, but up to 1.31 seconds that are over meanwhile have none
    /// (`wait.PollImmediate`), a timeout of deletions begins with the first second, and a last look comes at its end.
    async fn wait_for_delete(&self, mut left: Vec<(PodId, Uid)>) -> Result<(), Failure> {
        let (evicts, polls) = (!self.options.disable_eviction, self.rules.drain_polls_from_start);
        let mut second = polls.then(|| self.ctx.now());
        loop {
            let began = self.ctx.now();
            let failed = self.look(&mut left).await;
            let pods = || -> Vec<PodId> { left.iter().map(|(id, _)| *id).collect() };
            failed.map_err(|e| Failure { pods: pods(), ..Failure::from(e.to_string()) })?;
            if left.is_empty() {
                return Ok(());
            }
            let late = |text| Err(Failure { text, pods: pods(), timed_out: true });
            let now = self.ctx.now();
            if second.is_none() && !evicts {
                self.begin_timeout();
            }
            let deadline = self.deadline.get();
            let before = second.unwrap_or(now);
            let mut next = before.saturating_add(POLL);
            if polls {
                next = next.max(now);
                if next >= deadline {
                    self.ctx.sleep_until(deadline).await;
                    return late("context deadline exceeded".to_owned());
                }
            } else if evicts && now >= deadline {
                return late(self.global_timeout());
            } else if !evicts && began >= deadline {
                return late("timed out waiting for the condition".to_owned());
            } else {
                next = next.saturating_add(Dur::from_secs(now.since(before).as_secs()));
            }
            second = Some(next);
            self.ctx.sleep_until(if evicts { next } else { next.min(deadline) }).await;
        }
    }

    /// Asks for each of these pods, and takes those out of the list that are gone, or terminating for too long.
    async fn look(&self, left: &mut Vec<(PodId, Uid)>) -> ApiResult {
        let mut i = 0;
        while let Some(&(id, uid)) = left.get(i) {
            match self.client.get_pod(id).await {
                Ok(pod) if pod.uid == uid && !self.waited_for_too_long(&pod) => i += 1,
                Ok(_) | Err(ApiError::NotFound) => _ = left.remove(i),
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn global_timeout(&self) -> String {
        format!("global timeout reached: {}", self.options.timeout.unwrap_or(Dur::MAX))
    }

    fn complain(&self, doing: &str, id: PodId, text: &str) -> String {
        let full = self.client.api().names(|n| n.pod_name(id).to_owned());
        let (namespace, name) = full.split_once('/').unwrap_or(("", &full));
        let about = match (doing, self.rules) {
            ("evicting", EvictionRules { drain_says_emptydir: false, .. }) => {
                format!("evicting pod \"{name}\"")
            }
            ("evicting", _) => format!("evicting pods/\"{name}\" -n \"{namespace}\""),
            (_, EvictionRules { drain_says_terminate: false, .. }) => {
                format!("waiting for pod \"{name}\" terminating")
            }
            _ => format!("waiting for pod \"{name}\" in namespace \"{namespace}\" to terminate"),
        };
        format!("error when {about}: {text}")
    }
}
