//! What the API server refuses (`apimachinery/pkg/api/errors`).

/// A request that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ApiError {
    /// 404: there is no such object.
    NotFound,
    /// 409: the resourceVersion or uid is not that of the stored object.
    Conflict,
    /// 409: an object of that name exists.
    AlreadyExists,
    /// 429: a disruption budget does not allow it now.
    TooManyRequests,
    /// 429 with a Retry-After of a second: priority and fairness rejects it.
    Rejected,
    /// 429 with a Retry-After of ten seconds: the pod's disruption budget has not been counted yet.
    NotCounted,
    /// 403: not in this state.
    Forbidden,
    /// 500: the whitelist of the pod's namespace has not all of its tolerations.
    NotWhitelisted,
    /// 500: several disruption budgets select the pod.
    Internal,
    /// 500 InternalError: the API server could not do it, as where a webhook does not answer.
    Failing,
    /// 504: it was not done within the time that a request may take, or at least not told.
    TimedOut,
    /// 422: validation refuses it.
    Invalid,
    /// The server does not answer.
    Unavailable,
}

/// What a request comes to.
pub(crate) type ApiResult<T = ()> = Result<T, ApiError>;

impl ApiError {
    /// The code and the reason of the status that says so (`metav1.StatusReason`).
    pub(crate) fn status(self) -> &'static str {
        match self {
            Self::NotFound => "404 NotFound",
            Self::Conflict => "409 Conflict",
            Self::AlreadyExists => "409 AlreadyExists",
            Self::TooManyRequests | Self::Rejected | Self::NotCounted => "429 TooManyRequests",
            Self::Forbidden => "403 Forbidden",
            Self::NotWhitelisted | Self::Internal | Self::Failing => "500 InternalError",
            Self::TimedOut => "504 Timeout",
            Self::Invalid => "422 Invalid",
            Self::Unavailable => "no answer",
        }
    }

    /// What a client says of a request that failed so: of one that was rejected, or of which the API server does not
    /// say why it failed, it says which it was (`NewGenericServerResponse`), `post pods`.
    pub(crate) fn of(self, request: &str) -> String {
        match self {
            Self::Rejected | Self::Failing => format!("{self} ({request})"),
            _ => self.to_string(),
        }
    }
}

impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotFound => "not found",
            Self::Conflict => "the object has been modified; please apply your changes to the latest version and try again",
            Self::AlreadyExists => "already exists",
            Self::TooManyRequests | Self::NotCounted => "Cannot evict pod as it would violate the pod's disruption budget.",
            Self::Rejected => "the server has received too many requests and has asked us to try again later",
            Self::Forbidden => "forbidden",
            Self::NotWhitelisted => {
                "pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist"
            }
            Self::Internal => "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
            Self::Failing => "an error on the server (\"unknown\") has prevented the request from succeeding",
            Self::TimedOut => "Timeout: request did not complete within requested timeout - context deadline exceeded",
            Self::Invalid => "the object is invalid",
            Self::Unavailable => "the server is currently unable to handle the request",
        })
    }
}
