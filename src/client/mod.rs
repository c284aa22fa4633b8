//! What client-go gives a controller: a client with its rate limiter and latency, informer caches with watch delay,
//! work queues that deduplicate and back off, the event recorder, and `parallelize`.
//!
//! Models `client-go` v0.34 (`rest/request.go`, `util/flowcontrol`, `tools/cache`, `util/workqueue`, `tools/record`)
//! and `golang.org/x/time/rate`. Left out: watch reconnects and bookmarks, periodic resync (12 to 24 hours),
//! request retries on 429, the aggregation of events by message beyond their kinds.

mod delay;
mod informer;
mod lister;
mod lru;
mod parallelize;
mod recorder;
mod request;
mod series_recorder;
mod token_bucket;
mod watched;
mod work_queue;

pub use delay::Delay;
pub use informer::{InformerFactory, OnWaking};
pub use parallelize::{go_all, parallelize, parallelize_list};
pub use recorder::{About, EventRecorder};
pub use request::{Client, ClientTiming};
pub use series_recorder::SeriesRecorder;
pub use token_bucket::{Limits, TokenBucket};
pub use watched::{BudgetHandler, InformerTiming, NodeHandler, PodHandler, Resource, WatchLags, WorkloadHandler};
pub use work_queue::{QueueKey, RateLimiter, WorkQueue};
