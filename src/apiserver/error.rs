//! What the API server refuses (`apimachinery/pkg/api/errors`).

use crate::api::words::rows;
use std::rc::Rc;

const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";
const VIOLATED: &str = "Cannot evict pod as it would violate the pod's disruption budget.";
const TOO_MANY: &str =
    "the server has received too many requests and has asked us to try again later";
const SEVERAL: &str = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
const LACKING: &str = "pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist";
const PREVENTED: &str =
    "an error on the server (\"unknown\") has prevented the request from succeeding";
const TIMEOUT: &str =
    "Timeout: request did not complete within requested timeout - context deadline exceeded";
const UNABLE: &str = "the server is currently unable to handle the request";

rows! {
    /// A request that failed.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum ApiError {
        /// 404: there is no such object.
        NotFound = ("404 NotFound", "not found"),
        /// 409: the resourceVersion or uid is not that of the stored object.
        Conflict = ("409 Conflict", MODIFIED),
        /// 409: an object of that name exists.
        AlreadyExists = ("409 AlreadyExists", "already exists"),
        /// 429: a disruption budget does not allow it now.
        TooManyRequests = ("429 TooManyRequests", VIOLATED),
        /// 429 with a Retry-After of a second: priority and fairness rejects it.
        Rejected = ("429 TooManyRequests", TOO_MANY),
        /// 429 with a Retry-After of ten seconds: the pod's disruption budget has not been counted yet.
        NotCounted = ("429 TooManyRequests", VIOLATED),
        /// 403: not in this state.
        Forbidden = ("403 Forbidden", "forbidden"),
        /// 500: the whitelist of the pod's namespace has not all of its tolerations.
        NotWhitelisted = ("500 InternalError", LACKING),
        /// 500: several disruption budgets select the pod.
        Internal = ("500 InternalError", SEVERAL),
        /// 500 InternalError: the API server could not do it, as where a webhook does not answer.
        Failing = ("500 InternalError", PREVENTED),
        /// 504: it was not done within the time that a request may take, or at least not told.
        TimedOut = ("504 Timeout", TIMEOUT),
        /// 422: validation refuses it.
        Invalid = ("422 Invalid", "the object is invalid"),
        /// The server does not answer.
        Unavailable = ("no answer", UNABLE),
    }

    /// The code and the reason of the status that says so (`metav1.StatusReason`), and its message.
    fn row -> (&'static str, &'static str);
}

/// What a request comes to.
pub(crate) type ApiResult<T = ()> = Result<T, ApiError>;

/// What a write comes to: the object as it is stored from then on.
pub(crate) type Stored<T> = ApiResult<Rc<T>>;

impl ApiError {
    /// The code and the reason of the status that says so (`metav1.StatusReason`).
    pub(crate) fn status(self) -> &'static str {
        self.row().0
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
        f.write_str(self.row().1)
    }
}
