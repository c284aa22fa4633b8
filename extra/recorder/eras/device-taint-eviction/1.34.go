package recorder

import (
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"
	"k8s.io/kubernetes/pkg/features"
)

// deviceRuleVersion is the version of the API in which the release's controllers read DeviceTaintRules.
const deviceRuleVersion = "v1alpha3"

func newDeviceTaintEviction(p *program, c kubernetes.Interface) (any, error) {
	if !feature.DefaultFeatureGate.Enabled(features.DRADeviceTaints) {
		return nil, nil
	}
	devices := p.informers.Resource()
	return devicetainteviction.New(c, p.informers.Core().V1().Pods(), devices.V1().ResourceClaims(), devices.V1().ResourceSlices(),
		devices.V1alpha3().DeviceTaintRules(), devices.V1().DeviceClasses(), "device-taint-eviction-controller"), nil
}
