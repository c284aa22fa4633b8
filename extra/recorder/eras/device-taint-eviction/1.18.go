package recorder

import "k8s.io/client-go/kubernetes"

// deviceRuleVersion is the version of the API in which the release's controllers read DeviceTaintRules; it has none.
const deviceRuleVersion = ""

func newDeviceTaintEviction(*program, kubernetes.Interface) (any, error) { return nil, nil }
