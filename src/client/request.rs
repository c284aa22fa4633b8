//! Requests: the limiter, the way to the API server and back, and what is answered 429 with a
//! Retry-After, which client-go waits for and then sends again by itself, as often as it has been told
//! (`client-go/rest/request.go`, `with_retry.go`). Each try takes a token of the limiter.

use super::recalled::{Asked, Left};
use super::token_bucket::TokenBucket;
use crate::api::names::stable_hash;
use crate::api::volume::VolumeId;
use crate::client::prelude::*;
use crate::kernel::{Handler, HandlerId};
use crate::plan::Delay;
use crate::trace::Actor;

/// How long requests take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClientTiming {
    /// From sending to applying.
    pub(crate) request: Delay,
    /// From applying to the reply.
    pub(crate) response: Delay,
    /// Of a request that the API server works on in steps: from reading to writing.
    pub(crate) step: Delay,
    /// How often a request is sent again that is answered 429 with a Retry-After.
    pub(crate) retries: u32,
}

/// The Retry-After of priority and fairness (`apiserver/pkg/server/filters`).
pub(super) const RETRY_AFTER: Dur = Dur::from_secs(1);

/// What came of sending a request once: its reply, or where it was rejected, what it asked for.
pub(super) type Tried<R, F> = Result<ApiResult<R>, F>;

/// How long the API server works on a write at most (`requestTimeoutUpperBound`), and on what only reads
/// (`--request-timeout`).
const WRITE_TIMEOUT: Dur = Dur::from_secs(34);
const READ_TIMEOUT: Dur = Dur::from_secs(60);

/// Is called when a write was stored, with whose it was and its object.
pub(crate) type Wrote = Rc<dyn Fn(Actor, Object)>;

/// What becomes of a request where that is left to the choices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It is answered.
    Answered,
    /// It does not reach the API server, and its connection breaks.
    Lost,
    /// It is applied, and its connection breaks before the reply is there.
    ReplyLost,
    /// Priority and fairness rejects it.
    Rejected,
    /// The API server answers 500 and does nothing.
    Fails,
    /// The API server has not done it when its time is over, and answers 504.
    TimedOut,
    /// It is applied, and yet the API server answers 504.
    DoneTimedOut,
}

impl Fate {
    /// All of them, as they are numbered as choices.
    pub(crate) const ALL: [Self; 7] = [
        Self::Answered,
        Self::Lost,
        Self::ReplyLost,
        Self::Rejected,
        Self::Fails,
        Self::TimedOut,
        Self::DoneTimedOut,
    ];
}

/// Says what becomes of somebody's requests about an object.
#[derive(Clone)]
pub(crate) struct Fates {
    /// Of one that reaches the API server.
    pub(crate) arrives: Rc<dyn Fn(Actor, Object) -> Fate>,
    /// How much later than usual one arrives that is sent now.
    pub(crate) late: Rc<dyn Fn(Actor, Object) -> Dur>,
    /// Whether somebody else writes the object just before one that holds for a version of it only.
    pub(crate) conflicts: Rc<dyn Fn(Actor, Object) -> bool>,
}

/// What the clients of a process meet with beside answers; by default nothing.
#[derive(Clone, Default)]
pub(crate) struct Meets {
    /// Hears of their writes, in a search.
    pub(crate) wrote: Option<Wrote>,
    /// What becomes of their requests, in a search.
    pub(crate) fates: Option<Fates>,
    /// Their connection may be dead: until then requests hang, and then fail.
    pub(crate) hangs_until: Rc<Cell<Time>>,
}

/// Why a request is not taken, and whether client-go sends it again by itself.
struct Untaken {
    error: ApiError,
    is_sent_again: bool,
}

/// Requests on their way: they reach the API server even if their sender dies.
#[derive(Default)]
struct InFlight {
    sent: Vec<Option<Rc<dyn Request>>>,
    free: Vec<u32>,
}

/// A request on its way.
trait Request {
    /// It reaches the API server.
    fn arrive(&self);
}

/// A call of a client: what it asks for until it arrives, and the reply from then on.
struct Call<R, F> {
    client: Client,
    about: Object,
    /// The version that its sender acts on.
    saw: u32,
    apply: Cell<Option<F>>,
    reply: Cell<Option<ApiResult<R>>>,
}

impl<R, F: FnOnce(&ApiServer, Actor) -> ApiResult<R>> Request for Call<R, F> {
    fn arrive(&self) {
        self.client.inner.ctx.set_saw(self.saw);
        let reply = match self.client.arrives(self.about) {
            Err(Untaken { error, is_sent_again }) => {
                self.client.answers(self.about, Some(error));
                Some(Err(if is_sent_again { ApiError::Rejected } else { error }))
            }
            Ok(fate) => self.apply.take().map(|apply| self.client.apply(self.about, apply, fate)),
        };
        self.reply.set(reply);
    }
}

struct Arrivals(Shared<InFlight>);

impl Handler for Arrivals {
    type Argument = u32;

    fn handle(&self, number: u32) {
        let request = self.0.with(|f| {
            f.free.push(number);
            f.sent[number as usize].take()
        });
        if let Some(request) = request {
            request.arrive();
        }
    }

    /// What a request does is declared where it does it.
    fn name(&self, _: u32) -> Name {
        Name::of("request", Keys::NOTHING)
    }
}

struct Inner {
    ctx: Ctx,
    api: Rc<ApiServer>,
    /// Whose client it is, whoever acts through it: it is known to the API server by that name.
    owner: Actor,
    limiter: Option<Shared<TokenBucket>>,
    limiter_key: Key,
    down_key: Key,
    timing: ClientTiming,
    request_point: PointId,
    response_point: PointId,
    arrivals: Rc<Arrivals>,
    handler: HandlerId<u32>,
    meets: Meets,
}

/// One controller's client. Clones share the limiter and may act under another name.
#[derive(Clone)]
pub(crate) struct Client {
    inner: Rc<Inner>,
    actor: Actor,
    /// Its requests only read.
    reads: bool,
}

impl Client {
    /// A client of its own; without a limiter it is unlimited.
    pub(crate) fn new(
        api: &Rc<ApiServer>,
        actor: Actor,
        limiter: Option<TokenBucket>,
        timing: ClientTiming,
        meets: Meets,
    ) -> Self {
        let ctx = api.ctx().clone();
        let arrivals = Rc::new(Arrivals(Shared::new(InFlight::default())));
        let handler = ctx.register(arrivals.clone());
        if timing.request.is_constant() && timing.response.is_constant() {
            // Replies come back in the order of their requests: a lane is cheaper than the wheel.
            let _ = ctx.lane(timing.request.min + timing.response.min, Class::Wake);
        }
        Client {
            actor,
            reads: false,
            inner: Rc::new(Inner {
                request_point: ctx.point("request-latency"),
                response_point: ctx.point("response-latency"),
                limiter: limiter.map(Shared::new),
                limiter_key: ctx.key(),
                down_key: ctx.keys("api-server-down").of(0),
                timing,
                api: api.clone(),
                owner: actor,
                arrivals,
                handler,
                meets,
                ctx,
            }),
        }
    }

    /// The same client, acting as someone else.
    pub(crate) fn acting_as(&self, actor: Actor) -> Self {
        Client { inner: self.inner.clone(), actor, reads: false }
    }

    /// From sending a request to its reply, where that is not drawn.
    pub(crate) fn round_trip(&self) -> Dur {
        self.inner.timing.request.min + self.inner.timing.response.min
    }

    /// Its limiter, as what was asked before the start of the run has left it; none if there is no
    /// limiter. `within`: how far into their seconds requests came.
    pub(crate) fn recall(&self, asked: &Asked, within: f64) -> Option<Left> {
        let limiter = self.inner.limiter.as_ref()?;
        let left = asked.left(limiter.with(|l| l.limits()), within);
        limiter.with(|l| l.set_tokens(left.tokens));
        Some(left)
    }

    /// The limits of this client; none if it has none.
    pub(crate) fn limits(&self) -> Option<Limits> {
        Some(self.inner.limiter.as_ref()?.with(|l| l.limits()))
    }

    /// The API server, for reads that cost no request: recording, names.
    pub(crate) fn api(&self) -> &Rc<ApiServer> {
        &self.inner.api
    }

    /// A node as an object of chance.
    pub(crate) fn node_object(&self, node: NodeId) -> Object {
        Object { id: node.0, hash: self.inner.api.names(|n| n.node_hash(node)) }
    }

    /// A pod as an object of chance.
    pub(crate) fn pod_object(&self, pod: PodId) -> Object {
        Object { id: pod.0, hash: self.inner.api.names(|n| n.pod_hash(pod)) }
    }

    /// A workload or a disruption budget as an object of chance.
    pub(crate) fn workload_object(&self, id: WorkloadId) -> Object {
        Object { id: id.0, hash: self.inner.api.names(|n| n.workload_hash(id)) }
    }

    /// A claim as an object of chance.
    pub(crate) fn claim_object(&self, id: VolumeId) -> Object {
        Object { id: id.0, hash: self.inner.api.names(|n| stable_hash(n.text_of(id))) }
    }

    /// Whether the steps of a request take time.
    pub(super) fn has_steps(&self) -> bool {
        !self.inner.timing.step.max.is_zero()
    }

    /// A step of a request that the API server works on; no limiter counts it.
    pub(super) async fn step<R>(
        &self,
        about: Object,
        apply: impl FnOnce(&ApiServer, Actor) -> ApiResult<R>,
    ) -> ApiResult<R> {
        let i = &*self.inner;
        i.ctx.sleep(draw(i.timing.step, &i.ctx, i.request_point, about)).await;
        i.api.count_request(self.actor);
        if self.is_refused() {
            return Err(ApiError::Unavailable);
        }
        self.apply(about, apply, Fate::Answered)
    }

    /// How often a request is sent again that is answered 429 with a Retry-After.
    pub(super) fn retries(&self) -> u32 {
        self.inner.timing.retries
    }

    /// Sends a request about an object and waits for the reply; again where it is rejected.
    pub(crate) async fn call<R: 'static>(
        &self,
        about: Object,
        mut apply: impl FnOnce(&ApiServer, Actor) -> ApiResult<R> + 'static,
    ) -> ApiResult<R> {
        for _ in 0..self.retries() {
            match self.send(about, apply).await {
                Ok(reply) => return reply,
                Err(rejected) => apply = rejected,
            }
            self.inner.ctx.sleep(RETRY_AFTER).await;
        }
        self.send(about, apply).await.unwrap_or(Err(ApiError::Rejected))
    }

    /// The same for a request that only reads.
    pub(crate) async fn get<R: 'static>(
        &self,
        about: Object,
        read: impl FnOnce(&ApiServer, Actor) -> ApiResult<R> + 'static,
    ) -> ApiResult<R> {
        Client { reads: true, ..self.clone() }.call(about, read).await
    }

    /// Sends a request once. What the API server has not done when its time is over it answers then.
    pub(super) async fn send<R: 'static, F>(&self, about: Object, apply: F) -> Tried<R, F>
    where
        F: FnOnce(&ApiServer, Actor) -> ApiResult<R> + 'static,
    {
        let tried = self.send_in_time(about, apply).await;
        // Only a search has requests time out.
        if matches!(tried, Ok(Err(ApiError::TimedOut))) {
            let lasts = if self.reads { READ_TIMEOUT } else { WRITE_TIMEOUT };
            self.inner.api.note_held_up(lasts);
            self.inner.ctx.sleep(lasts).await;
        }
        tried
    }

    async fn send_in_time<R: 'static, F>(&self, about: Object, apply: F) -> Tried<R, F>
    where
        F: FnOnce(&ApiServer, Actor) -> ApiResult<R> + 'static,
    {
        let i = &*self.inner;
        if let Some(limiter) = &i.limiter {
            let (wait, more) = limiter.with(|l| (l.take(i.ctx.now()), l.has_more()));
            // As long as nobody waits, it makes no difference who came first.
            if more {
                i.ctx.reads(i.limiter_key)
            } else {
                i.ctx.writes(i.limiter_key)
            }
            if !wait.is_zero() {
                i.ctx.sleep(wait).await;
            }
        }
        let hangs_until = i.meets.hangs_until.get();
        if hangs_until > i.ctx.now() {
            i.ctx.sleep_until(hangs_until).await;
            return Ok(Err(ApiError::Unavailable));
        }
        let fates = i.meets.fates.as_ref();
        let late = fates.map_or(Dur::ZERO, |fates| (fates.late)(self.actor, about));
        if !late.is_zero() {
            i.api.note_held_up(late);
        }
        let request = draw(i.timing.request, &i.ctx, i.request_point, about) + late;
        let response = draw(i.timing.response, &i.ctx, i.response_point, about);
        if request.is_zero() {
            let tried = match self.arrives(about) {
                Err(untaken) if untaken.is_sent_again => Err(apply),
                Err(untaken) => Ok(Err(untaken.error)),
                Ok(fate) => Ok(self.apply(about, apply, fate)),
            };
            i.ctx.sleep(response).await;
            return tried;
        }
        let (apply, reply) = (Cell::new(Some(apply)), Cell::new(None));
        let call = Rc::new(Call { client: self.clone(), about, saw: i.ctx.saw(), apply, reply });
        let sent: Rc<dyn Request> = call.clone();
        let id = i.arrivals.0.with(|f| match f.free.pop() {
            Some(id) => {
                f.sent[id as usize] = Some(sent);
                id
            }
            None => {
                f.sent.push(Some(sent));
                f.sent.len() as u32 - 1
            }
        });
        if i.timing.request.is_constant() && late.is_zero() {
            i.ctx.post_in(i.ctx.lane(request, Class::Arrival), i.handler, id);
        } else {
            i.ctx.post_at(i.ctx.now() + request, Class::Arrival, i.handler, id);
        }
        i.ctx.sleep(request + response).await;
        match (call.reply.take(), call.apply.take()) {
            (Some(Err(ApiError::Rejected)), Some(apply)) => Err(apply),
            (reply, _) => Ok(reply.unwrap_or(Err(ApiError::Unavailable))),
        }
    }

    /// Whether the API server answers nobody.
    fn is_refused(&self) -> bool {
        self.inner.ctx.reads(self.inner.down_key);
        self.inner.api.is_down()
    }

    /// A request reaches the API server, which may not take it; what becomes of its reply. One whose connection
    /// breaks is sent again by client-go where it only reads (`isErrRetryableFunc`).
    fn arrives(&self, about: Object) -> Result<Fate, Untaken> {
        let i = &*self.inner;
        let untaken = |error, is_sent_again| Err(Untaken { error, is_sent_again });
        i.api.count_request(self.actor);
        if self.is_refused() {
            return untaken(ApiError::Unavailable, false);
        }
        if i.api.rejections().concern(i.owner, i.ctx.now()) {
            return untaken(ApiError::Rejected, true);
        }
        let fates = i.meets.fates.as_ref();
        let sent_again = |error| {
            i.api.note_held_up(RETRY_AFTER);
            untaken(error, true)
        };
        match fates.map_or(Fate::Answered, |fates| (fates.arrives)(self.actor, about)) {
            Fate::Lost | Fate::ReplyLost if self.reads => sent_again(ApiError::Unavailable),
            Fate::Lost => untaken(ApiError::Unavailable, false),
            Fate::Rejected => sent_again(ApiError::Rejected),
            Fate::Fails => untaken(ApiError::Failing, false),
            Fate::TimedOut => untaken(ApiError::TimedOut, false),
            fate => Ok(fate),
        }
    }

    fn apply<R>(
        &self,
        about: Object,
        apply: impl FnOnce(&ApiServer, Actor) -> ApiResult<R>,
        fate: Fate,
    ) -> ApiResult<R> {
        let (api, actor) = (&*self.inner.api, self.actor);
        let before = api.changes();
        let Meets { fates, wrote, .. } = &self.inner.meets;
        if let Some(fates) = fates {
            let conflicts = fates.conflicts.clone();
            api.may_conflict(Some(Box::new(move || conflicts(actor, about))));
        }
        let reply = apply(api, actor);
        if fates.is_some() {
            api.may_conflict(None);
        }
        match (&reply, wrote) {
            // Of a conflict that is left to the choices it was not this request that wrote.
            (Err(error @ ApiError::Conflict), _) => self.answers(about, Some(*error)),
            (Err(error), _) if api.changes() == before => self.answers(about, Some(*error)),
            (Ok(_), _) if api.changes() == before => self.answers(about, None),
            (_, Some(wrote)) => wrote(actor, about),
            _ => {}
        }
        match fate {
            Fate::ReplyLost => Err(ApiError::Unavailable),
            Fate::DoneTimedOut => reply.and(Err(ApiError::TimedOut)),
            _ => reply,
        }
    }

    /// Notes for a search what came of a request that wrote nothing.
    fn answers(&self, about: Object, failed: Option<ApiError>) {
        self.inner.ctx.answers(about, self.reads, failed.map(ApiError::status));
    }
}

/// A delay as it comes out for an object this time.
fn draw(delay: Delay, ctx: &Ctx, point: PointId, object: Object) -> Dur {
    if delay.is_constant() {
        delay.min
    } else {
        Dur::from_nanos(ctx.uniform(point, object, delay.min.as_nanos(), delay.max.as_nanos()))
    }
}
