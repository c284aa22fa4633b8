//! What client-go gives a controller.

/// A client's rate limit (`rest.Config` QPS and Burst).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Requests per second.
    pub qps: f32,
    /// How many may go at once after a quiet time.
    pub burst: u32,
}
