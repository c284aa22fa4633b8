//! What the scheduler makes of pods' templates, looked up by template and by pod.

use crate::controllers::scheduler::prelude::*;

impl Cache {
    /// What the scheduler makes of a template in a namespace.
    pub fn shape(&mut self, template: &Rc<PodTemplate>, namespace: &str) -> Rc<Shape> {
        let known = self.shapes.all().len();
        let tallies = &mut self.tallies;
        let mut tally =
            |namespace: &str, selector: Option<&Selector>| tallies.id(namespace, selector);
        let shape = self.shapes.of(template, namespace, &mut self.topologies, &mut tally);
        if self.shapes.all().len() > known {
            self.tallies.add_shape(&shape);
            if shape.has_pod_affinity {
                self.affine.push(shape.clone());
            }
        }
        shape
    }

    /// What the scheduler makes of a pod; its name is asked for where the template is not the one
    /// last seen.
    pub(crate) fn shape_of<'a>(&mut self, pod: &Pod, name: impl FnOnce() -> &'a str) -> Rc<Shape> {
        if let Some(number) = self.shape_of_pod.get(pod.id.index()).and_then(|n| n.checked_sub(1))
            && let shape = &self.shapes.all()[number as usize]
            && Rc::ptr_eq(&shape.template, &pod.template)
        {
            return shape.clone();
        }
        // Pods that one workload owns are in one namespace.
        let owner = pod.controller().map(|(owner, _)| owner);
        let known = owner.and_then(|owner| self.shape_of_owner.get(owner.index())?.as_ref());
        let shape = match known.filter(|shape| Rc::ptr_eq(&shape.template, &pod.template)) {
            Some(shape) => shape.clone(),
            None => self.shape(&pod.template, namespace_of(name())),
        };
        if let Some(owner) = owner {
            *slot(&mut self.shape_of_owner, owner.index()) = Some(shape.clone());
        }
        *slot(&mut self.shape_of_pod, pod.id.index()) = shape.id + 1;
        shape
    }
}
