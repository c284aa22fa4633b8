//! What client-go gives a controller: a client with its rate limiter and latency, informer caches
//! with watch delay, work queues that deduplicate and back off, the event recorder, and
//! `parallelize`.
//!
//! Models `client-go` v0.34 (`rest/request.go`, `util/flowcontrol`, `tools/cache`,
//! `util/workqueue`, `tools/record`) and `golang.org/x/time/rate`. Left out: watch reconnects and
//! bookmarks, periodic resync (12 to 24 hours), request retries on 429, the aggregation of events
//! by message beyond their kinds.

mod arrival;
mod cache_keys;
mod caches;
mod delivery;
mod factory;
mod handlers;
mod hold;
mod informer;
mod listers;
mod lru;
mod parallelize;
mod recorder;
mod request;
mod resource;
mod series_recorder;
mod stream;
mod token_bucket;
mod touches;
mod watch_trouble;
mod work_queue;

pub use factory::{InformerFactory, InformerTiming};
pub use handlers::{BudgetHandler, NodeHandler, OnWaking, PodHandler, WorkloadHandler};
pub use hold::Hold;
pub use parallelize::{go_all, go_all_but, parallelize, parallelize_list};
pub use recorder::{About, EventRecorder};
pub use request::{Client, ClientTiming, Wrote};
pub use resource::{Resource, WatchLags};
pub use series_recorder::SeriesRecorder;
pub use token_bucket::TokenBucket;
pub use work_queue::{QueueKey, RateLimiter, WorkQueue};
