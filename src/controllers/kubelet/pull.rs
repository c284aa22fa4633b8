//! A pull of an image while it is under way, what becomes of it where the registry does not answer, and when it is tried again.
//!
//! A pull that nobody answers is given up by the container runtime, which is taken to be containerd with what it has by default
//! (`internal/cri/server/images/image_pull.go`): `newTransport`, `pullProgressReporter`, `image_pull_progress_timeout`. Nobody
//! else does: a kubelet waits for as long as it takes. It goes on with what is left of it if it is answered before that.

use crate::controllers::kubelet::prelude::*;
use crate::plan::RegistryFails;

/// For how long somebody is waited for who does not let one connect.
const DIAL_TIMEOUT: Dur = Dur::from_secs(30);
/// `defaultPullProgressReportInterval`, `image_pull_progress_timeout`: how often the progress of a pull is looked at, and for
/// how long it goes on without any.
const PROGRESS: (Dur, Dur) = (Dur::from_secs(10), Dur::from_secs(300));

/// `imageBackOffPeriod`, `MaxImageBackOff`: for how long an image is not pulled again after a failure, first and at most.
const BACK_OFF: (Dur, Dur) = (Dur::from_secs(10), Dur::from_secs(300));
/// After so long a back-off begins anew (`flowcontrol.Backoff`: twice the longest).
const EXPIRES: Dur = Dur::from_secs(600);

/// How long a back-off was last, and when it was begun.
type Last = (Dur, Time);

/// The back-offs of each pod, by image (`flowcontrol.Backoff`). All containers of a pod that have an image have one, and a pull that
/// succeeds ends none.
#[derive(Default)]
pub(super) struct Backoffs(Shared<BTreeMap<Uid, BTreeMap<Rc<str>, Last>>>);

impl Backoffs {
    /// When the one of an image is over.
    pub(super) fn until(&self, uid: Uid, image: &str) -> Option<Time> {
        self.0.with(|all| all.get(&uid)?.get(image).map(|(lasts, since)| *since + *lasts))
    }

    /// `Next`: a pull has failed; how long it is not tried again.
    pub(super) fn next(&self, uid: Uid, image: &Rc<str>, now: Time) -> Dur {
        let (first, most) = BACK_OFF;
        self.0.with(|all| {
            let of_pod = all.entry(uid).or_default();
            let (lasts, since) = of_pod.entry(image.clone()).or_insert((Dur::ZERO, now));
            let last = if now.since(*since) <= EXPIRES { *lasts } else { Dur::ZERO };
            (*lasts, *since) = ((last * 2).clamp(first, most), now);
            *lasts
        })
    }

    /// A pod is gone, or its kubelet.
    pub(super) fn forget(&self, uid: Uid) {
        self.0.with(|all| all.remove(&uid));
    }
}

/// A pull that is under way.
#[derive(Clone, Copy)]
pub(super) struct Pull {
    pub(super) uid: Uid,
    pub(super) begun: Time,
    /// When it ends, or where it hangs is given up.
    pub(super) ends: Time,
    /// It hangs: what is left of it, and why it fails.
    pub(super) hangs: Option<(Dur, &'static str)>,
}

impl Pull {
    /// The registry fails so from now on, or answers. Progress was last seen at the first look from then on.
    pub(super) fn goes_on(&mut self, now: Time, fails: Option<RegistryFails>) {
        match (fails, self.hangs) {
            (Some(RegistryFails::Dropped), None) if now == self.begun => {
                self.hangs = Some((self.ends.since(now), "i/o timeout"));
                self.ends = now + DIAL_TIMEOUT;
            }
            (Some(_), None) => {
                let (each, longest) = PROGRESS;
                let looks = now.since(self.begun).as_nanos().div_ceil(each.as_nanos());
                self.hangs = Some((self.ends.since(now), "context canceled"));
                self.ends = self.begun + each * looks + longest;
            }
            (None, Some((left, _))) => (self.ends, self.hangs) = (now + left, None),
            _ => {}
        }
    }
}
