//! A pod's requests as the scheduler counts them, and lists of resources, checked and written back
//! as text.
//!
//! `k8s.io/component-helpers/resource/helpers.go: PodRequests`, v1.34: containers are added up; an
//! init container that keeps running (a sidecar) counts with them, any other only as far as it
//! needs more than those that run by then; requests of the pod as a whole replace the sum for CPU,
//! memory and huge pages; overhead is added. Requests that are missing beside a limit are the limit
//! (`pkg/apis/core/v1/defaults.go: SetDefaults_Pod`), as in a manifest that no API server has seen.
//! Left out: resizes in place, which `status` shows.

use super::prelude::*;
use crate::api::quantity::{Quantity, Resources, add_resources};

/// Resources as a scenario has them.
type Quantities = BTreeMap<String, QuantityText>;

/// A list of resources with every quantity checked, each as it was written.
pub(super) fn checked(field: &str, raw: &RawResources) -> Result<Quantities, Wrong> {
    let mut out = BTreeMap::new();
    for (name, quantity) in raw {
        parse(field, name, quantity)?;
        out.insert(name.clone(), QuantityText(quantity.0.clone()));
    }
    Ok(out)
}

/// The requests of a pod.
pub(super) fn pod_requests(spec: &RawPodSpec) -> Result<Quantities, Wrong> {
    let plain =
        spec.init_containers.is_empty() && spec.overhead.is_none() && spec.resources.is_none();
    if let ([only], true) = (&spec.containers[..], plain) {
        // By far the most pods have one container, whose texts stay as they are.
        return checked("resources.requests", &texts_of(&only.resources));
    }
    let mut sum = Resources::new();
    spec.containers.iter().try_for_each(|c| add(&mut sum, &container(c)?))?;
    // What runs beside the init container at hand, and the most that any of them needs together
    // with that.
    let (mut sidecars, mut init) = (Resources::new(), Resources::new());
    for c in &spec.init_containers {
        let mut own = container(c)?;
        if c.restart_policy == "Always" {
            add(&mut sum, &own)?;
            add(&mut sidecars, &own)?;
            own = sidecars.clone();
        } else {
            add(&mut own, &sidecars)?;
        }
        at_least(&mut init, &own);
    }
    at_least(&mut sum, &init);
    for (name, quantity) in spec.resources.as_ref().map(texts_of).unwrap_or_default() {
        if name == "cpu" || name == "memory" || name.starts_with("hugepages-") {
            sum.insert(name.clone(), parse("spec.resources.requests", &name, &quantity)?);
        }
    }
    if let Some(overhead) = &spec.overhead {
        add(&mut sum, &parsed("spec.overhead", overhead)?)?;
    }
    Ok(texts(sum))
}

/// Requests, and the limits of resources for which nothing is requested.
fn texts_of(raw: &RawRequirements) -> RawResources {
    let mut out = raw.limits.clone();
    out.extend(raw.requests.clone());
    out
}

/// The requests of one container, as texts.
pub(super) fn container_requests(c: &RawContainer) -> Result<Quantities, Wrong> {
    Ok(texts(container(c)?))
}

fn texts(sum: Resources) -> Quantities {
    sum.into_iter().map(|(name, quantity)| (name, QuantityText(quantity.to_string()))).collect()
}

fn container(c: &RawContainer) -> Result<Resources, Wrong> {
    parsed("resources.requests", &texts_of(&c.resources))
}

fn parsed(field: &str, raw: &RawResources) -> Result<Resources, Wrong> {
    raw.iter().map(|(name, quantity)| Ok((name.clone(), parse(field, name, quantity)?))).collect()
}

fn parse(field: &str, name: &str, raw: &RawQuantity) -> Result<Quantity, Wrong> {
    let wrong = |why: String| Wrong(format!("{field}: {name} is {:?}: {why}", raw.0));
    let quantity =
        Quantity::parse(&raw.0).map_err(|e| wrong(e.hint().unwrap_or_else(|| e.to_string())))?;
    if quantity.is_negative() {
        Err(wrong("must not be negative".to_owned()))
    } else {
        Ok(quantity)
    }
}

fn add(sum: &mut Resources, more: &Resources) -> Result<(), Wrong> {
    if add_resources(sum, more) {
        Ok(())
    } else {
        Err(Wrong("resources.requests: the sum over the containers is too large".to_owned()))
    }
}

fn at_least(sum: &mut Resources, floor: &Resources) {
    for (name, quantity) in floor {
        let own = sum.entry(name.clone()).or_default();
        *own = (*own).max(*quantity);
    }
}

#[cfg(feature = "yaml")]
#[cfg(test)]
mod tests {
    use super::*;

    fn requests(yaml: &str) -> Result<Vec<(String, String)>, Wrong> {
        let json = crate::import::yaml_to_json(yaml).unwrap();
        let spec: RawPodSpec = serde_json::from_str(&json).unwrap();
        Ok(pod_requests(&spec)?.into_iter().map(|(name, text)| (name, text.0)).collect())
    }

    fn pair(name: &str, quantity: &str) -> (String, String) {
        (name.to_owned(), quantity.to_owned())
    }

    #[test]
    fn one_container_keeps_its_texts() {
        let got =
            requests("containers: [{resources: {requests: {cpu: 0.5, memory: 1024Mi}}}]").unwrap();
        assert_eq!(got, [pair("cpu", "0.5"), pair("memory", "1024Mi")]);
    }

    #[test]
    fn limits_stand_in_for_missing_requests() {
        let got = requests(
            "containers: [{resources: {requests: {cpu: 1}, limits: {cpu: 2, memory: 1Gi}}}]",
        )
        .unwrap();
        assert_eq!(got, [pair("cpu", "1"), pair("memory", "1Gi")]);
    }

    /// 100m + 200m; 384Mi + 256Mi = 640Mi.
    #[test]
    fn containers_are_added_up() {
        let got = requests(
            "containers: [{resources: {requests: {cpu: 100m, memory: 384Mi}}}, {resources: {requests: {cpu: 200m, memory: 256Mi}}}]",
        );
        assert_eq!(got.unwrap(), [pair("cpu", "300m"), pair("memory", "640Mi")]);
    }

    /// Sidecar s 1 CPU, then init i 3 CPU beside s = 4, main 2 + s = 3: the larger is 4. Memory:
    /// main 1Gi, i 512Mi. The other way round, i runs before s and needs 3 alone, so that 3 = main
    /// 2 + s 1 holds.
    #[test]
    fn init_containers_and_sidecars() {
        let s = "{restartPolicy: Always, resources: {requests: {cpu: 1}}}";
        let i = "{resources: {requests: {cpu: 3, memory: 512Mi}}}";
        let main = "containers: [{resources: {requests: {cpu: 2, memory: 1Gi}}}]";
        assert_eq!(
            requests(&format!("{{initContainers: [{s}, {i}], {main}}}")).unwrap(),
            [pair("cpu", "4"), pair("memory", "1Gi")]
        );
        assert_eq!(
            requests(&format!("{{initContainers: [{i}, {s}], {main}}}")).unwrap(),
            [pair("cpu", "3"), pair("memory", "1Gi")]
        );
    }

    /// The pod's own 3 CPU replace the containers' 2; overhead of 250m and 64Mi comes on top: 3250m
    /// and 1088Mi.
    #[test]
    fn pod_level_resources_and_overhead() {
        let got = requests(
            "{resources: {requests: {cpu: 3, example.com/x: 5}}, overhead: {cpu: 250m, memory: 64Mi}, \
             containers: [{resources: {requests: {cpu: 1}}}, {resources: {requests: {cpu: 1, memory: 1Gi}}}]}",
        );
        assert_eq!(got.unwrap(), [pair("cpu", "3250m"), pair("memory", "1088Mi")]);
    }

    #[test]
    fn bad_quantities_are_named() {
        for bad in ["12x", "-1", "1e", "''"] {
            let Wrong(e) =
                requests(&format!("containers: [{{resources: {{requests: {{cpu: {bad}}}}}}}]"))
                    .unwrap_err();
            assert!(e.starts_with("resources.requests: cpu is "), "{e}");
        }
    }
}
