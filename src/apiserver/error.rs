//! What the API server refuses (`apimachinery/pkg/api/errors`).

/// A request that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ApiError {
    /// 404: there is no such object.
    NotFound,
    /// 409: the resourceVersion or uid is not that of the stored object.
    Conflict,
    /// 409: an object of that name exists.
    AlreadyExists,
    /// The server does not answer.
    Unavailable,
}
