//! A kubelet's way to the API server while it is disturbed: what its loops and watches try, and when
//! each of them gets through again.
//!
//! A kubelet has one HTTP/2 connection for all that it asks. While packets vanish, requests wait on
//! it; it is found dead 45 s after its last frame, and from then on whoever asks dials, and the
//! first to get through revives all who wait. Where the server refuses, each request fails at once
//! and pauses as its loop does. Upstream: `component-helpers/apimachinery/lease/controller.go`
//! (`sync`, `backoffEnsureLease`), `pkg/kubelet/kubelet_node_status.go` (`updateNodeStatus`,
//! `tryUpdateNodeStatus`), `client-go/tools/cache/reflector.go`, v1.34.
//!
//! None of the tries leaves a trace, so they are not events of the run: they are followed in
//! thought, whenever the way changes.

mod connection;
mod heartbeat;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use walk::{Back, Backoffs, Draws, REFLECTORS, Uplink};
