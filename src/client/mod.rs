//! What client-go gives a controller: a client with its rate limiter and latency, informer caches
//! with watch delay, work queues that deduplicate and back off, the event recorder, and
//! `parallelize`.
//!
//! Models `client-go` v0.34 (`rest/request.go`, `util/flowcontrol`, `tools/cache`,
//! `util/workqueue`, `tools/record`) and `golang.org/x/time/rate`. Left out: bookmarks, periodic
//! resync (12 to 24 hours), request retries on 429, the aggregation of events by message beyond
//! their kinds.

mod caches;
pub(crate) mod connection;
mod delivery;
mod factory;
mod informer;
mod listers;
mod lru;
mod parallelize;
mod prelude;
mod recalled;
mod recorder;
mod request;
mod series_recorder;
mod stream;
mod token_bucket;
mod typed;
mod watch_lags;
mod watch_trouble;
mod work_queue;

pub(crate) use caches::Nodes;
pub(crate) use factory::{InformerFactory, InformerTiming};
pub(crate) use parallelize::{go_all, go_all_but, parallelize, parallelize_list};
pub(crate) use recalled::{Asked, Recalled, TAINT_LATE_S, unknown_since};
pub(crate) use recorder::{About, ControllerContext, Correlator, EventRecorder};
pub(crate) use request::{Client, ClientTiming, Fate, Fates, Meets, Wrote};
pub(crate) use series_recorder::SeriesRecorder;
pub(crate) use stream::ResourceEventHandler;
pub(crate) use token_bucket::TokenBucket;
pub(crate) use watch_lags::{Hold, Past, WatchLags};
pub(crate) use work_queue::{QueueKey, RateLimiter, WorkQueue};
