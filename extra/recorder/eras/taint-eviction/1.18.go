package recorder

import "k8s.io/client-go/kubernetes"

// In these releases the taint manager is a part of the node lifecycle controller.
func newTaintEviction(*program, kubernetes.Interface) (any, error) { return nil, nil }
