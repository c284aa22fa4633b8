package recorder

import (
	v1 "k8s.io/api/core/v1"
)

// nodeSetter writes one condition into a node; quiet is told of each change, for the kubelet's events.
type nodeSetter = func(*v1.Node) error

func quiet(string, string) {}

func apply(set nodeSetter, to *v1.Node) error { return set(to) }
