package recorder

import (
	"maps"

	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
)

// knowsDevices says whether there are scenarios with devices for this release.
const knowsDevices = true

// handsOnTolerations says whether the scheduler writes the tolerations of a request into what it allocates.
const handsOnTolerations = false

// Namespaces are asked for by claims with admin access only, which no scenario has.
func init() {
	claim := resourceclaim.NewStrategy(nil)
	maps.Copy(strategiesOf, map[string]strategies{
		"deviceclasses":          {deviceclass.Strategy, nil},
		"devicetaintrules":       {devicetaintrule.Strategy, nil},
		"resourceclaims":         {claim, resourceclaim.NewStatusStrategy(claim)},
		"resourceclaimtemplates": {resourceclaimtemplate.NewStrategy(nil), nil},
		"resourceslices":         {resourceslice.Strategy, nil},
	})
}
