//! What claims on devices ask for, and which were made from which template.

use super::gathered::Gathered;
use super::named::bare;
use super::pod;
use super::raw_devices::{
    RawDeviceClaimSpec, RawDeviceSelector, RawDevices, RawExactly, RawRequest,
};
use super::selectors::{Expr, terms};
use crate::api::allocator::RESULTS_MAX;
use crate::api::device::DEFAULT_DEVICE_DRIVER;
use crate::import::prelude::*;

/// A note: of what kind the object is, what is to be said of it, and its name with its place.
pub(super) type Note = ((&'static str, String), String);

/// Who names a claim or a template: of what kind, its name, and its place.
pub(super) type User<'a> = (&'static str, &'a str, &'a Place);

/// An object's name and place: `shop/web-gpu (cluster.json, item 3)`.
pub(super) fn named(name: &str, place: &Place) -> String {
    format!("{name} ({})", bare(place))
}

/// Which claims were made from a template of claims, by `namespace/name`, the first of each.
pub(super) fn made(gathered: &Gathered) -> BTreeMap<String, &RawDeviceClaimSpec> {
    let mut made = BTreeMap::new();
    for pod in gathered.pods.iter() {
        for of in &pod.spec.resource_claims {
            let name = pod.made_claim(&of.name);
            if let Some((_, claim)) = name.and_then(|name| gathered.devices.claims.get(&name)) {
                made.entry(of.template(&pod.namespace)).or_insert(&claim.spec);
            }
        }
    }
    made
}

impl RawPodClaim {
    /// Its template, by `namespace/name`.
    fn template(&self, namespace: &str) -> String {
        format!("{namespace}/{}", self.resource_claim_template_name)
    }
}

impl RawPod {
    /// The claim that was made for it, by `namespace/name`.
    pub(super) fn made_claim(&self, name: &str) -> Option<String> {
        let status = self.status.resource_claim_statuses.iter().find(|s| s.name == name)?;
        Some(format!("{}/{}", self.namespace, status.resource_claim_name.as_ref()?))
    }
}

/// Claims, and what they ask for.
pub(super) struct Claims<'a> {
    pub(super) raw: &'a RawDevices,
    /// What was made from templates that are not in the files.
    pub(super) made: BTreeMap<String, &'a RawDeviceClaimSpec>,
}

impl Claims<'_> {
    /// What the template of a claim asks for. `user` names it.
    pub(super) fn of_template(
        &self,
        namespace: &str,
        of: &RawPodClaim,
        (kind, user, place): User<'_>,
    ) -> Result<DeviceClaim, Note> {
        let template = &of.template(namespace);
        if let Some((place, of)) = self.raw.templates.get(template) {
            let note = |why| (("ResourceClaimTemplate", why), named(template, place));
            return self.asked(&of.spec).map_err(note);
        }
        let Some(spec) = self.made.get(template) else {
            let what = format!(
                "whose ResourceClaimTemplate {template} is not in the files, so that new pods claim no devices"
            );
            return Err(((kind, what), named(user, place)));
        };
        self.asked(spec).map_err(|why| ((kind, why), named(user, place)))
    }

    /// What a claim asks for.
    pub(super) fn asked(&self, spec: &RawDeviceClaimSpec) -> Result<DeviceClaim, String> {
        let devices = &spec.devices;
        if devices.constraints.0 {
            return Err("not simulated, as constraints (matchAttribute) are not".to_owned());
        }
        let requests = devices.requests.iter().map(|r| self.request(r));
        let requests: Vec<DeviceRequest> = requests.collect::<Result<_, _>>()?;
        let count = |of: &DeviceSubRequest| of.count.unwrap_or(1) as usize;
        let least = |r: &DeviceRequest| alternatives(r).iter().map(count).min().unwrap_or(0);
        if requests.iter().map(least).sum::<usize>() > RESULTS_MAX {
            return Err(format!("not simulated, as they ask for more than {RESULTS_MAX} devices"));
        }
        match &requests[..] {
            [] => Err("not simulated, as they ask for nothing".to_owned()),
            [only] if only.first_available.is_none() => {
                let DeviceSubRequest { driver, count, allocation_mode, tolerations } =
                    only.exactly();
                let rest = DeviceClaim::default();
                Ok(DeviceClaim { driver, count, allocation_mode, tolerations, ..rest })
            }
            _ => Ok(DeviceClaim { requests: Some(requests), ..DeviceClaim::default() }),
        }
    }

    fn request(&self, raw: &RawRequest) -> Result<DeviceRequest, String> {
        let exactly = |(_, exactly): (String, &RawExactly)| self.exactly(exactly);
        let mut all: Vec<DeviceSubRequest> =
            raw.alternatives().into_iter().map(exactly).collect::<Result<_, _>>()?;
        if !raw.first_available.is_empty() {
            return Ok(DeviceRequest { first_available: Some(all), ..DeviceRequest::default() });
        }
        let only =
            all.pop().ok_or("not simulated, as a request of theirs is of an unknown kind")?;
        let DeviceSubRequest { driver, count, allocation_mode, tolerations } = only;
        Ok(DeviceRequest { driver, count, allocation_mode, tolerations, first_available: None })
    }

    /// The driver all of whose devices a class and a request select.
    ///
    /// # Errors
    /// What else they select by, behind the name of the class.
    fn selected(
        &self,
        class: &[RawDeviceSelector],
        request: &[RawDeviceSelector],
    ) -> Result<String, String> {
        let mut all = Vec::new();
        for selector in class.iter().chain(request) {
            let expression = selector.cel.expression.trim();
            let terms = terms(expression);
            let terms = terms.ok_or_else(|| format!("or a request selects by `{expression}`"))?;
            all.extend(terms.into_iter().map(|term| (expression, term)));
        }
        let driver = all.iter().find_map(|(_, term)| match term {
            Expr::Driver(driver) => Some(driver.clone()),
            _ => None,
        });
        let driver = driver.ok_or("selects no driver")?;
        let slices = self.raw.slices.iter().filter(|s| s.driver == driver);
        for device in slices.flat_map(|s| &s.devices) {
            if let Some((expression, _)) =
                all.iter().find(|(_, term)| term.holds(&driver, &device.attributes) != Some(true))
            {
                return Err(format!(
                    "or a request selects only some devices of {driver}, by `{expression}`"
                ));
            }
        }
        Ok(driver)
    }

    fn exactly(&self, exactly: &RawExactly) -> Result<DeviceSubRequest, String> {
        let not = |what: &str| Err(format!("not simulated, as {what} is not"));
        match () {
            () if exactly.admin_access => return not("adminAccess"),
            () if exactly.capacity.0 => return not("a request for capacity"),
            () if exactly.derived_attributes.0 => return not("a request with derivedAttributes"),
            () => {}
        }
        let name = &exactly.device_class_name;
        let Some((_, class)) = self.raw.classes.get(name) else {
            return Err(format!("not simulated, as their DeviceClass {name} is not in the files"));
        };
        let driver = self
            .selected(&class.selectors, &exactly.selectors)
            .map_err(|why| format!("not simulated, as DeviceClass {name} {why}"))?;
        let tolerations = pod::tolerations(&exactly.tolerations)
            .map_err(|Wrong(wrong)| format!("not simulated: {wrong}"))?;
        let driver = Some(driver).filter(|d| d != DEFAULT_DEVICE_DRIVER);
        let allocation_mode = (exactly.allocation_mode == "All").then_some(AllocationMode::All);
        let count = exactly.count.filter(|n| *n != 1 && allocation_mode.is_none());
        Ok(DeviceSubRequest { driver, count, allocation_mode, tolerations })
    }
}

/// The requests of a claim, of each what will do for it.
pub(super) fn requests(claim: &DeviceClaim) -> Vec<Vec<DeviceSubRequest>> {
    match &claim.requests {
        None => vec![vec![claim.exactly()]],
        Some(several) => several.iter().map(alternatives).collect(),
    }
}

fn alternatives(request: &DeviceRequest) -> Vec<DeviceSubRequest> {
    request.first_available.clone().unwrap_or_else(|| vec![request.exactly()])
}
