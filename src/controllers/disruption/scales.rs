//! How many pods a controller should have, where the caches do not tell (`getScaleController`).

use super::tally::{Owner, Scale};
use crate::controllers::prelude::*;
use crate::plan::switches::disruption::NoScale;

/// What the API said of a controller.
pub(super) enum Answer {
    Found(Scale),
    /// There is no such controller.
    Missing,
    /// Its resource has no scale.
    Without(&'static str),
}

/// Asks the API.
pub(super) struct Scales {
    pub(super) no_scale: NoScale,
    /// Reads scales, with a limiter of its own.
    pub(super) scales: Client,
    /// Asks which subresources there are.
    pub(super) discovery: Client,
}

impl Scales {
    pub(super) async fn of(&self, (id, uid): Owner) -> ApiResult<Answer> {
        let about = self.discovery.workload_object(id);
        let parse = |name: &str| name.split('/').next().and_then(WorkloadKind::parse);
        let kind = self.discovery.api().names(|n| parse(n.workload_name(id)));
        let kind = kind.unwrap_or(WorkloadKind::ReplicaSet);
        let has_scale = !matches!(kind, WorkloadKind::Job | WorkloadKind::DaemonSet);
        let read = move |api: &ApiServer, _| -> ApiResult<(Uid, i32)> {
            let found = api.workload(id).filter(|_| has_scale).ok_or(ApiError::NotFound)?;
            Ok((found.uid, found.replicas()))
        };
        match self.scales.get(about, read).await {
            Ok((found, replicas)) if found == uid => {
                return Ok(Answer::Found(Scale::Of(uid, replicas)));
            }
            Ok(_) => return Ok(Answer::Missing),
            Err(ApiError::NotFound) => {}
            Err(error) => return Err(error),
        }
        if self.no_scale == NoScale::NoControllers {
            return Ok(Answer::Missing);
        }
        // `implementsScale`
        self.discovery.call(about, |_, _| Ok(())).await?;
        Ok(if has_scale && self.no_scale == NoScale::ByKind {
            Answer::Missing
        } else {
            Answer::Without(kind.resource())
        })
    }
}
