package recorder

import (
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// selector gives what a list or watch asks for: a namespace, or all if empty; fields; labels.
func selector(ns, fieldText, labelText string) (func(object) bool, error) {
	f, err := fields.ParseSelector(fieldText)
	if err != nil {
		return nil, err
	}
	l, err := labels.Parse(labelText)
	if err != nil {
		return nil, err
	}
	return func(o object) bool {
		if ns != "" && text(o, "metadata", "namespace") != ns {
			return false
		}
		set := labels.Set{}
		m, _ := get(o, "metadata", "labels").(object)
		for k, v := range m {
			set[k], _ = v.(string)
		}
		return l.Matches(set) && f.Matches(fields.Set{
			"metadata.name": text(o, "metadata", "name"), "metadata.namespace": text(o, "metadata", "namespace"),
			"spec.nodeName": text(o, "spec", "nodeName"), "status.phase": text(o, "status", "phase"),
			"spec.schedulerName": text(o, "spec", "schedulerName"),
		})
	}, nil
}
