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

impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotFound => "not found",
            Self::Conflict => "the object has been modified; please apply your changes to the latest version and try again",
            Self::AlreadyExists => "already exists",
            Self::Unavailable => "the server is currently unable to handle the request",
        })
    }
}
