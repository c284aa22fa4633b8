//! Which devices of a node claims are allocated (`k8s.io/dynamic-resource-allocation/structured: allocateOne`, v1.37).
//!
//! One claim after the other, its requests in their order, and for each device that is wanted those of the node in theirs.
//! What leads nowhere is taken back, also of the claims before, and the first solution counts. Upstream tries every device;
//! here one is tried of those that all requests take alike, and what failed is remembered, which finds the same solution.
//! Left out: constraints, `adminAccess`, capacity, counters.

use super::device::{
    Device, DeviceClaim, DeviceId, DeviceRequest, DeviceResult, ExactDeviceRequest,
};
use crate::api::prelude::*;
use std::collections::BTreeSet;

/// The most devices that a claim may be allocated (`AllocationResultsMaxSize`).
pub(crate) const RESULTS_MAX: usize = 32;
/// The most alternatives of a request (`FirstAvailableDeviceRequestMaxSize`).
pub(crate) const FIRST_AVAILABLE_MAX: usize = 8;

/// What claims are allocated on a node.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Solution {
    /// By claim, one request after the other.
    pub(crate) devices: Vec<Vec<DeviceResult>>,
    /// The better, the nearer to the first the alternatives stand that were taken (`computeScore`).
    pub(crate) score: i64,
}

/// What a device is to a request.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Suits {
    /// It is of another driver.
    Never,
    /// It is in use, or a taint keeps it from being allocated.
    NotNow,
    Now,
}

/// An alternative of a request, with what each device of the node is to it.
struct Wanted<'a> {
    request: &'a ExactDeviceRequest,
    suits: Vec<Suits>,
}

/// A search for devices, as far as it is.
struct Allocator<'a> {
    node: NodeId,
    /// All requests, each with the number of its claim and its alternatives.
    requests: Vec<(usize, Vec<Wanted<'a>>)>,
    /// By device, which others are the same to all requests.
    kinds: Vec<usize>,
    /// By device, whether this search has given it away: of each kind the first ones.
    allocating: Vec<bool>,
    results: Vec<Vec<DeviceResult>>,
    /// By request, the alternative that is tried.
    selected: Vec<usize>,
    /// What failed: of a request its alternative and its device, after what had been given away by then.
    failed: BTreeSet<(usize, usize, u32, Vec<bool>, usize)>,
    /// Who takes all devices of an alternative goes on with that one.
    whole: bool,
}

/// What these claims get of a node's devices; nothing where one of them gets not all of it. Which are in use, by their
/// places, and which a taint keeps from being allocated for a request. `whole`: later alternatives may be for all devices,
/// as from 1.36 on; before, the search goes on after the first of them with the first alternative, as one that has a device.
pub(crate) fn allocate(
    claims: &[&DeviceClaim],
    (node, devices): (NodeId, &[Device]),
    whole: bool,
    is_in_use: impl Fn(usize) -> bool,
    is_kept_off: impl Fn(&ExactDeviceRequest, usize) -> bool,
) -> Option<Solution> {
    let suits = |driver: &str, request: &ExactDeviceRequest, place: usize| match () {
        () if devices[place].driver != driver => Suits::Never,
        () if is_in_use(place) || is_kept_off(request, place) => Suits::NotNow,
        () => Suits::Now,
    };
    let mut requests = Vec::new();
    for (i, claim) in claims.iter().enumerate() {
        for request in &claim.requests {
            let alternatives = request.alternatives();
            let wanted = alternatives.iter().enumerate().map(|(k, request)| {
                // All of the second are those of the first, as `isSelectable` remembers both by one key.
                let first = alternatives.first().filter(|_| !whole && k == 1);
                let same = first.filter(|f| f.count.is_none() && request.count.is_none());
                let driver = &same.unwrap_or(request).driver;
                let suits = (0..devices.len()).map(|place| suits(driver, request, place));
                Wanted { request, suits: suits.collect() }
            });
            requests.push((i, wanted.collect::<Vec<_>>()));
        }
    }
    let mut numbers: BTreeMap<(bool, Vec<Suits>), usize> = BTreeMap::new();
    let kinds = (0..devices.len()).map(|place| {
        let all = requests.iter().flat_map(|(_, alternatives)| alternatives);
        // Who takes the first of all takes no other in its place.
        let is_first = || devices[..place].iter().all(|d| d.driver != devices[place].driver);
        let kind = (!whole && is_first(), all.map(|wanted| wanted.suits[place]).collect());
        let next = numbers.len();
        *numbers.entry(kind).or_insert(next)
    });
    let kinds: Vec<usize> = kinds.collect();
    let mut allocator = Allocator {
        node,
        selected: vec![0; requests.len()],
        requests,
        kinds,
        allocating: vec![false; devices.len()],
        results: vec![Vec::new(); claims.len()],
        failed: BTreeSet::new(),
        whole,
    };
    allocator.allocate_request(0).then(|| allocator.solution(claims))
}

impl Allocator<'_> {
    /// Whether that request and all that follow can be had: with the first of its alternatives with which that is so.
    fn allocate_request(&mut self, number: usize) -> bool {
        let Some((_, alternatives)) = self.requests.get(number) else { return true };
        (0..alternatives.len()).any(|alternative| {
            self.selected[number] = alternative;
            self.allocate_one(number, alternative, 0)
        })
    }

    /// The same once the request has so many devices by that alternative.
    fn allocate_one(&mut self, number: usize, alternative: usize, has: u32) -> bool {
        let (claim, alternatives) = &self.requests[number];
        let (claim, Wanted { request, suits }) = (*claim, &alternatives[alternative]);
        let given = self.results[claim].len();
        let Some(count) = request.count else {
            let all = (0..suits.len()).filter(|place| suits[*place] != Suits::Never);
            let all: Vec<usize> = all.collect();
            let is_free = |place: &usize| suits[*place] == Suits::Now && !self.allocating[*place];
            let fits = !all.is_empty() && given + all.len() - has as usize <= RESULTS_MAX;
            // The `deviceIndices` that it goes on with lack the `subRequestIndex` (`doAllDevices`).
            let forgets = alternative > 0 && !self.whole;
            let most = if forgets { 1 } else { all.len() };
            let next: Vec<usize> = all.into_iter().skip(has as usize).take(most).collect();
            return fits
                && next.iter().all(is_free)
                && self.with(&next, (number, alternative), |s| match forgets {
                    true => s.allocate_one(number, 0, 1),
                    false => s.allocate_request(number + 1),
                });
        };
        if has == count {
            return self.allocate_request(number + 1);
        }
        let state = (number, alternative, has, self.allocating.clone(), given);
        if given + (count - has) as usize > RESULTS_MAX || self.failed.contains(&state) {
            return false;
        }
        let mut tried = BTreeSet::new();
        for place in 0..self.kinds.len() {
            let suits = self.requests[number].1[alternative].suits[place];
            let is_free = suits == Suits::Now && !self.allocating[place];
            let goes_on = |s: &mut Self| s.allocate_one(number, alternative, has + 1);
            let is_new = is_free && tried.insert(self.kinds[place]);
            if is_new && self.with(&[place], (number, alternative), goes_on) {
                return true;
            }
        }
        self.failed.insert(state);
        false
    }

    /// Whether it goes on with these devices given to a request by an alternative; otherwise they are taken back.
    fn with(
        &mut self,
        places: &[usize],
        (number, alternative): (usize, usize),
        goes_on: impl FnOnce(&mut Self) -> bool,
    ) -> bool {
        let (claim, alternatives) = &self.requests[number];
        let claim = *claim;
        let tolerations = alternatives[alternative].request.tolerations.clone();
        for place in places {
            self.allocating[*place] = true;
            let device = DeviceId { node: self.node, place: *place as u32 };
            self.results[claim].push(DeviceResult { device, tolerations: tolerations.clone() });
        }
        if goes_on(self) {
            return true;
        }
        for place in places {
            self.allocating[*place] = false;
            self.results[claim].pop();
        }
        false
    }

    fn solution(self, claims: &[&DeviceClaim]) -> Solution {
        let requests = claims.iter().flat_map(|claim| &claim.requests);
        let score = |(request, taken): (&DeviceRequest, &usize)| match request {
            DeviceRequest::Exactly(_) => 0,
            DeviceRequest::FirstAvailable(_) => (FIRST_AVAILABLE_MAX - taken) as i64,
        };
        let score = requests.zip(&self.selected).map(score).sum();
        Solution { devices: self.results, score }
    }
}

/// The devices of these names, one request after the other, all of them; nothing where claims do not ask for that, nor got it by
/// the fault of releases up to 1.35.
pub(crate) fn named(
    claims: &[&DeviceClaim],
    (node, devices): (NodeId, &[Device]),
    names: &[String],
) -> Option<Vec<Vec<DeviceResult>>> {
    let mut results = vec![Vec::new(); claims.len()];
    let requests: Vec<_> =
        (0..).zip(claims).flat_map(|(i, c)| c.requests.iter().map(move |r| (i, r))).collect();
    for (claim, places, request) in named_from(&requests, devices, names)? {
        let result = |place| DeviceResult {
            device: DeviceId { node, place },
            tolerations: request.tolerations.clone(),
        };
        results[claim].extend(places.into_iter().map(result));
    }
    Some(results)
}

/// The claim of a request, the places of its devices, and the alternative by which it has them.
type Named<'a> = (usize, Vec<u32>, &'a ExactDeviceRequest);

fn named_from<'a>(
    requests: &[(usize, &'a DeviceRequest)],
    devices: &[Device],
    names: &[String],
) -> Option<Vec<Named<'a>>> {
    let [(claim, request), later @ ..] = requests else {
        return names.is_empty().then(Vec::new);
    };
    let alternatives = request.alternatives();
    let ways = alternatives.iter().enumerate().flat_map(|(i, of)| {
        // Up to 1.35 the first of all devices of a later one counts as one of the first alternative (S123).
        let as_first = alternatives.first().filter(|_| i > 0 && of.count.is_none());
        [Some(of), as_first].into_iter().flatten().map(move |others| (of, others))
    });
    ways.into_iter().find_map(|(of, others)| {
        let its = |d: &&Device| d.driver == others.driver;
        let count = others.count.map_or_else(|| devices.iter().filter(its).count(), |n| n as usize);
        let (first, rest) = names.split_at_checked(count)?;
        let place = |(i, name): (usize, &String)| {
            let driver = if i == 0 { &of.driver } else { &others.driver };
            let is_it = |d: &Device| d.driver == *driver && d.name == *name;
            Some(devices.iter().position(is_it)? as u32)
        };
        let places: Vec<u32> = first.iter().enumerate().map(place).collect::<Option<_>>()?;
        let mut all = vec![(*claim, places, of)];
        all.extend(named_from(later, devices, rest)?);
        Some(all)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::toleration::Toleration;
    use proptest::prelude::*;

    const NODE: NodeId = NodeId(0);

    fn device(driver: &str) -> Device {
        let (driver, name) = (driver.to_owned(), String::new());
        Device { driver, name, pool: None, taints: Vec::new() }
    }

    /// So many devices of a driver, all for 0; one that tolerates something takes tainted ones, too.
    fn of(driver: &str, count: u32, tolerates: bool) -> ExactDeviceRequest {
        let tolerations = vec![Toleration::default(); usize::from(tolerates)].into();
        let (driver, count) = (driver.to_owned(), Some(count).filter(|n| *n > 0));
        ExactDeviceRequest { driver, count, tolerations }
    }

    fn claim(requests: Vec<DeviceRequest>) -> DeviceClaim {
        DeviceClaim { requests, shared: None }
    }

    type Found = Option<(Vec<Vec<u32>>, i64)>;

    /// The places of the devices by claim, and the score.
    fn found(claims: &[DeviceClaim], drivers: &[&str], tainted: &[usize]) -> Found {
        found_by(true, claims, drivers, tainted)
    }

    fn found_by(whole: bool, claims: &[DeviceClaim], drivers: &[&str], tainted: &[usize]) -> Found {
        let devices: Vec<Device> = drivers.iter().map(|driver| device(driver)).collect();
        let claims: Vec<&DeviceClaim> = claims.iter().collect();
        let is_kept_off = |request: &ExactDeviceRequest, place| {
            tainted.contains(&place) && request.tolerations.is_empty()
        };
        let solution = allocate(&claims, (NODE, &devices), whole, |_| false, is_kept_off)?;
        let places = |results: &Vec<DeviceResult>| results.iter().map(|r| r.device.place).collect();
        Some((solution.devices.iter().map(places).collect(), solution.score))
    }

    /// The first request takes the first device, and gives it back to the second one, which does not tolerate the taint
    /// of the other: so it is within a claim, and so from one claim to the next.
    #[test]
    fn what_leads_nowhere_is_taken_back() {
        let requests = || [of("a", 1, true), of("a", 1, false)].map(DeviceRequest::Exactly);
        let (both, none) = (Some((vec![vec![1, 0]], 0)), None);
        assert_eq!(found(&[claim(requests().into())], &["a", "a"], &[1]), both);
        assert_eq!(found(&[claim(requests().into())], &["a", "a"], &[0, 1]), none);
        let apart = requests().map(|request| claim(vec![request]));
        assert_eq!(found(&apart, &["a", "a"], &[1]), Some((vec![vec![1], vec![0]], 0)));
    }

    /// All of a driver are two, each of which has to be free and without a taint that is not tolerated; of none there
    /// is no all, and a claim has 32 devices at most.
    #[test]
    fn all_devices_of_a_driver() {
        let all = |tolerates| claim(vec![DeviceRequest::Exactly(of("a", 0, tolerates))]);
        assert_eq!(found(&[all(false)], &["b", "a", "a"], &[]), Some((vec![vec![1, 2]], 0)));
        assert_eq!(found(&[all(false)], &["b", "a", "a"], &[2]), None);
        assert_eq!(found(&[all(true)], &["b", "a", "a"], &[2]), Some((vec![vec![1, 2]], 0)));
        assert_eq!(found(&[all(true)], &["b"], &[]), None);
        assert!(found(&[all(false)], &["a"; 32], &[]).is_some());
        assert_eq!(found(&[all(false)], &["a"; 33], &[]), None);
        let one = claim(vec![DeviceRequest::Exactly(of("a", 1, false))]);
        assert_eq!(found(&[one, all(false)], &["a", "a"], &[]), None);
    }

    /// Of three alternatives the first that leaves enough for what follows. Each is worth one less than the one before,
    /// from 8 on (`computeScore`).
    #[test]
    fn the_first_alternative_that_can_be_had() {
        let list = || {
            DeviceRequest::FirstAvailable(vec![
                of("a", 3, false),
                of("a", 2, false),
                of("b", 1, false),
            ])
        };
        let then = |count| claim(vec![list(), DeviceRequest::Exactly(of("a", count, false))]);
        let of_four = |count| found(&[then(count)], &["a", "b", "a", "a", "a"], &[]);
        assert_eq!(of_four(1), Some((vec![vec![0, 2, 3, 4]], 8)));
        assert_eq!(of_four(2), Some((vec![vec![0, 2, 3, 4]], 7)));
        assert_eq!(of_four(3), Some((vec![vec![1, 0, 2, 3]], 6)));
        assert_eq!(of_four(5), None);
    }

    /// Twenty requests that tolerate taints and twenty that do not, for nineteen devices without a taint and twenty-one
    /// with one: no solution, after few steps of those that there are.
    #[test]
    fn a_search_in_vain_ends() {
        let request = |tolerates| DeviceRequest::Exactly(of("a", 1, tolerates));
        let half =
            || claim(vec![request(true); 10].into_iter().chain(vec![request(false); 10]).collect());
        let tainted: Vec<usize> = (0..21).collect();
        assert_eq!(found(&[half(), half()], &["a"; 40], &tainted), None);
        assert!(found(&[half(), half()], &["a"; 40], &tainted[1..]).is_some());
    }

    /// A pod has devices of these names by the alternative of which they are.
    #[test]
    fn names_tell_the_alternative() {
        let mut devices = ["a", "a", "b"].map(device);
        for (device, name) in devices.iter_mut().zip(["x", "y", "x"]) {
            device.name = name.to_owned();
        }
        let list = DeviceRequest::FirstAvailable(vec![of("a", 0, false), of("b", 1, true)]);
        let claim = claim(vec![list, DeviceRequest::Exactly(of("a", 1, false))]);
        let names = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let results = named(&[&claim], (NODE, &devices), &names)?.pop()?;
            Some(results.iter().map(|r| (r.device.place, r.tolerations.len())).collect::<Vec<_>>())
        };
        assert_eq!(names(&["x", "y"]), Some(vec![(2, 1), (1, 0)]));
        assert_eq!(names(&["x", "y", "x"]), Some(vec![(0, 0), (1, 0), (0, 0)]));
        assert_eq!(names(&["y", "y"]), None);
        assert_eq!(names(&["x"]), None);
    }

    /// Up to 1.35 each device counts: the first request takes the second one, as the last alternative of the second request is
    /// for the first of all, with which the first alternative has what it wants. The score is that of the last (8 − 1).
    #[test]
    fn all_of_a_later_alternative_is_one() {
        let list = DeviceRequest::FirstAvailable(vec![of("b", 1, false), of("a", 0, false)]);
        let claims = [claim(vec![DeviceRequest::Exactly(of("a", 1, false)), list])];
        assert_eq!(found_by(false, &claims, &["a", "a"], &[]), Some((vec![vec![1, 0]], 7)));
        assert_eq!(found(&claims, &["a", "a"], &[]), None);
    }

    /// A search as upstream's stands, device after device.
    struct Plain<'a> {
        requests: Vec<(usize, &'a DeviceRequest)>,
        whole: bool,
        drivers: &'a [Device],
        is_free: &'a dyn Fn(&ExactDeviceRequest, usize) -> bool,
    }

    impl Plain<'_> {
        /// Which devices claims get from that request on, which has so many by that alternative, if it has one already.
        fn allocate_one(
            &self,
            (number, alternative, has): (usize, Option<usize>, usize),
            free: &mut [bool],
        ) -> Option<Vec<(usize, usize)>> {
            let Some((claim, request)) = self.requests.get(number) else { return Some(Vec::new()) };
            let list = request.alternatives();
            let Some(k) = alternative else {
                return (0..list.len()).find_map(|k| self.allocate_one((number, Some(k), 0), free));
            };
            let is_all = |k: usize| list[k].count.is_none();
            let remembered = if !self.whole && k == 1 && is_all(0) && is_all(1) { 0 } else { k };
            let its = |place: &usize| self.drivers[*place].driver == list[remembered].driver;
            let all: Vec<usize> = (0..free.len()).filter(its).collect();
            let count = list[k].count.map_or(all.len(), |n| n as usize);
            match has >= count {
                true if count == 0 => return None,
                true => return self.allocate_one((number + 1, None, 0), free),
                false => {}
            }
            let tried = if is_all(k) { &all[has..=has] } else { &all };
            let next = if is_all(k) && !self.whole { 0 } else { k };
            tried.iter().find_map(|place| {
                if !free[*place] || !(self.is_free)(&list[k], *place) {
                    return None;
                }
                free[*place] = false;
                let rest = self.allocate_one((number, Some(next), has + 1), free);
                free[*place] = rest.is_none();
                Some([(*claim, *place)].into_iter().chain(rest?).collect())
            })
        }
    }

    fn requests() -> impl Strategy<Value = Vec<Vec<DeviceRequest>>> {
        let driver = prop_oneof![Just("a"), Just("b")];
        let count = prop_oneof![2 => 1..3_u32, 1 => Just(0)];
        let one = (driver, count, any::<bool>()).prop_map(|(d, n, t)| of(d, n, t)).boxed();
        let request = prop_oneof![
            2 => one.clone().prop_map(DeviceRequest::Exactly),
            1 => proptest::collection::vec(one, 1..4).prop_map(DeviceRequest::FirstAvailable),
        ];
        proptest::collection::vec(proptest::collection::vec(request, 1..3), 1..3)
    }

    proptest! {
        /// The solution is the one that upstream finds.
        #[test]
        fn as_upstream_finds_it(
            requests in requests(),
            devices in proptest::collection::vec((0..3_u8, any::<bool>(), 0..6_u8), 0..6),
            whole in any::<bool>(),
        ) {
            let drivers: Vec<Device> =
                devices.iter().map(|(d, ..)| device(if *d == 0 { "b" } else { "a" })).collect();
            let in_use = |place: usize| devices[place].2 == 0;
            let kept_off = |r: &ExactDeviceRequest, place: usize| devices[place].1 && r.tolerations.is_empty();
            let claims: Vec<DeviceClaim> = requests.into_iter().map(claim).collect();
            let by_claim: Vec<&DeviceClaim> = claims.iter().collect();
            let solution = allocate(&by_claim, (NODE, &drivers), whole, in_use, kept_off);
            let found = solution.map(|s| {
                let of = |(i, results): (usize, Vec<DeviceResult>)| {
                    results.into_iter().map(move |r| (i, r.device.place as usize))
                };
                s.devices.into_iter().enumerate().flat_map(of).collect::<Vec<_>>()
            });
            let is_free = |r: &ExactDeviceRequest, place| !in_use(place) && !kept_off(r, place);
            let requests =
                claims.iter().enumerate().flat_map(|(i, c)| c.requests.iter().map(move |r| (i, r))).collect();
            let plain = Plain { requests, whole, drivers: &drivers, is_free: &is_free };
            let expected = plain.allocate_one((0, None, 0), &mut vec![true; drivers.len()]);
            prop_assert_eq!(found, expected);
        }
    }
}
