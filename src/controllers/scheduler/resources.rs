//! Amounts of resources as the scheduler counts them (`framework/types.go: Resource`): integers,
//! CPU in thousandths.

use crate::api::quantity::Resources;
use std::rc::Rc;

/// What a container that asks for no CPU or memory counts as in some scores, in thousandths of a
/// CPU and in bytes (`pkg/scheduler/util/pod_resources.go`).
const DEFAULT_MILLI_CPU: i64 = 100;
const DEFAULT_MEMORY: i64 = 200 * 1024 * 1024;

/// Amounts of resources.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Amounts {
    /// CPU, in thousandths.
    pub(crate) cpu: i64,
    /// Memory, in bytes.
    pub(crate) memory: i64,
    /// `ephemeral-storage`, in bytes.
    pub(crate) ephemeral: i64,
    /// Extended resources, huge pages and attachable volumes by name, sorted.
    pub(crate) scalars: Vec<(Rc<str>, i64)>,
}

impl Amounts {
    /// The amounts of a list of resources; names that the scheduler does not know are left away.
    pub(crate) fn of(list: &Resources) -> Self {
        let mut amounts = Self::default();
        for (name, quantity) in list {
            let whole = i64::try_from(quantity.value()).unwrap_or(i64::MAX);
            match name.as_str() {
                "cpu" => amounts.cpu = i64::try_from(quantity.milli_value()).unwrap_or(i64::MAX),
                "memory" => amounts.memory = whole,
                "ephemeral-storage" => amounts.ephemeral = whole,
                other if is_scalar(other) => amounts.scalars.push((other.into(), whole)),
                _ => {}
            }
        }
        amounts
    }

    /// How much of an extended resource.
    pub(crate) fn scalar(&self, name: &str) -> i64 {
        self.scalars.iter().find(|(n, _)| &**n == name).map_or(0, |(_, amount)| *amount)
    }

    /// Whether nothing is asked for.
    pub(crate) fn is_nothing(&self) -> bool {
        self.cpu == 0 && self.memory == 0 && self.ephemeral == 0 && self.scalars.is_empty()
    }

    /// Adds, or takes away where `sign` is -1. Sums wrap, as Go's int64 do.
    pub(crate) fn change(&mut self, by: &Self, sign: i64) {
        let add = |sum: &mut i64, amount: i64| *sum = sum.wrapping_add(amount.wrapping_mul(sign));
        add(&mut self.cpu, by.cpu);
        add(&mut self.memory, by.memory);
        add(&mut self.ephemeral, by.ephemeral);
        for (name, amount) in &by.scalars {
            match self.scalars.iter_mut().find(|(n, _)| n == name) {
                Some((_, sum)) => add(sum, *amount),
                None => self.scalars.push((name.clone(), amount.wrapping_mul(sign))),
            }
        }
    }
}

/// `schedutil.IsScalarResourceName`
fn is_scalar(name: &str) -> bool {
    name.contains('/') || name.starts_with("hugepages-") || name.starts_with("attachable-volumes-")
}

/// CPU and memory with a default for each container that asks for none (`GetNonzeroRequests`); a
/// request of zero stays zero.
pub(crate) fn non_zero(pod: &Resources, containers: &[Resources]) -> (i64, i64) {
    let one = |list: &Resources| {
        let amounts = Amounts::of(list);
        let cpu = if list.contains_key("cpu") { amounts.cpu } else { DEFAULT_MILLI_CPU };
        let memory = if list.contains_key("memory") { amounts.memory } else { DEFAULT_MEMORY };
        (cpu, memory)
    };
    if containers.is_empty() {
        return one(pod);
    }
    containers
        .iter()
        .map(one)
        .fold((0_i64, 0_i64), |sum, c| (sum.0.wrapping_add(c.0), sum.1.wrapping_add(c.1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::quantity::Quantity;

    fn list(of: &[(&str, &str)]) -> Resources {
        of.iter().map(|(n, q)| ((*n).to_owned(), Quantity::parse(q).unwrap_or_default())).collect()
    }

    /// `GetNonzeroRequests` of upstream: each container that lacks a request counts 100m and
    /// 200 MiB (209715200 bytes).
    #[test]
    fn missing_requests_count_per_container() {
        assert_eq!(non_zero(&list(&[]), &[]), (100, 209_715_200));
        assert_eq!(non_zero(&list(&[("cpu", "0")]), &[]), (0, 209_715_200));
        let containers = [list(&[("cpu", "1")]), list(&[("memory", "1Gi")])];
        assert_eq!(
            non_zero(&list(&[("cpu", "1"), ("memory", "1Gi")]), &containers),
            (1000 + 100, 1_073_741_824 + 209_715_200)
        );
    }

    #[test]
    fn extended_resources_are_counted_by_name() {
        let mut sum =
            Amounts::of(&list(&[("cpu", "1500m"), ("nvidia.com/gpu", "2"), ("storage", "1Gi")]));
        assert_eq!((sum.cpu, sum.scalar("nvidia.com/gpu"), sum.scalars.len()), (1500, 2, 1));
        sum.change(&Amounts::of(&list(&[("nvidia.com/gpu", "1"), ("hugepages-2Mi", "4Mi")])), -1);
        assert_eq!((sum.scalar("nvidia.com/gpu"), sum.scalar("hugepages-2Mi")), (1, -4_194_304));
    }
}
