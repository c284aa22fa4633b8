//! Assembly of a cluster and its run: one [`Plan`](plan::Plan) in, one [`Trace`](crate::trace::Trace) out.

pub mod plan;
pub mod profile;
