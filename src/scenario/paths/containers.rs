//! The way of a setting into the containers of a pod beside its main one, by their numbers or their names:
//! `template.initContainers[0].ends.after`, `containers[log].serves_after`.

use super::claims::numbered;
use super::edit::{Put, change_part};
use super::read::{Segment, names_of};
use crate::language::Container;
use crate::scenario::prelude::*;

/// The lists of containers of pods, init containers first.
pub(super) const LISTS: [&str; 2] = ["initContainers", "containers"];

/// The lists of a pod, to change them, with the way to them.
pub(super) type Lists<'s> = (Place, [&'s mut Vec<Container>; 2]);

/// Whether a path goes into one of them there.
pub(super) fn is_list(segment: &Segment) -> bool {
    segment.index.is_some() && LISTS.contains(&&*segment.name)
}

/// Sets a field of a container; the path begins with its list.
pub(super) fn within_containers(
    (above, [init, others]): Lists<'_>,
    path: &[Segment],
    value: &str,
) -> Put {
    let Some((list, fields)) = path.split_first() else { return Ok(None) };
    let fields = names_of(fields);
    let containers = if list.name == LISTS[0] { init } else { others };
    let mut steps = above;
    let name = list.index.as_deref().unwrap_or_default();
    let named = containers.iter().position(|c| c.name == name);
    let container = match named {
        Some(i) => {
            steps.extend(at![list.name.as_str(), i]);
            &mut containers[i]
        }
        None if name.parse::<usize>().is_err() => {
            let problem = Problem::new(format!("`{name}` is none of the {}", list.name));
            return Err(problem.meant(name, containers.iter().map(|c| &c.name)));
        }
        None => numbered(containers, list, "container", &mut steps)?,
    };
    if fields.is_empty() || fields == ["name"] {
        return Ok(None);
    }
    let put = change_part(container, Shape::of("Container"), &fields, value)?;
    Ok(put.map(|put| [steps, put].concat()))
}

#[cfg(test)]
mod tests {
    use super::super::super::parse;
    use super::super::{known_paths, set};
    use std::path::Path;

    #[test]
    fn containers_are_set_by_number_or_name() {
        let text = r#"Scenario(version: 1, horizon: "1m", nodes: [],
            pods: [(name: "p", on: Unbound, containers: [(name: "log", serves_after: "1s", readinessProbe: ())])],
            workloads: [ReplicaSet(name: "web", template: (initContainers: [(name: "a", ends: (after: "1s")), (name: "b", ends: (after: "2s"))]))])"#;
        let mut spec = parse("s.ron", text.as_bytes().to_vec(), Path::new("")).unwrap().spec;
        let of_web = "workloads.web.template.initContainers";
        for path in known_paths(&spec) {
            let refused = set(&mut spec.clone(), &format!("{path}=?")).err();
            assert!(refused.is_none_or(|p| !p.message.contains("is not a path")), "{path}");
        }
        let known = known_paths(&spec);
        let ends = format!("{of_web}[1].ends.after");
        for path in [&ends, "pods.p.containers[0].readinessProbe.periodSeconds"] {
            assert!(known.iter().any(|known| known == path), "{path} in {known:?}");
        }
        assert!(!known.iter().any(|known| known.ends_with("].name")));
        let [place] = &set(&mut spec, &format!("{ends}=7s")).unwrap()[..] else { panic!() };
        assert!(format!("{place:?}").contains("initContainers"), "{place:?}");
        set(&mut spec, &format!("{of_web}[a].ends.after=5s")).unwrap();
        set(&mut spec, "pods.p.containers[log].serves_after=9s").unwrap();
        let init = &spec.workloads[0].group_mut().template.init_containers;
        assert_eq!(format!("{:?}", init[0].ends).matches("5s").count(), 1);
        assert_eq!(format!("{:?}", init[1].ends).matches("7s").count(), 1);
        assert!(format!("{:?}", spec.pods[0].containers[0].serves_after).contains("9s"));
        for (path, why) in [
            (
                format!("{of_web}[2].ends.after"),
                "there is no container number 2: 2 are written, from 0",
            ),
            (format!("{of_web}[c].ends.after"), "`c` is none of the initContainers"),
            (format!("{of_web}[a].name"), "is not a path that can be set"),
        ] {
            let problem = set(&mut spec, &format!("{path}=1s")).unwrap_err().message;
            assert!(problem.contains(why), "{problem}");
        }
    }
}
