package recorder

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// discovery answers what kubectl drain asks to learn whether there is the subresource eviction: the
// groups, and the resources of v1. Everything else is not found.
func (s *server) discovery(parts []string) (any, *status) {
	policy := "v1"
	if s.minor < 22 {
		policy = "v1beta1"
	}
	switch {
	case len(parts) == 1 && parts[0] == "api":
		return &metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}, nil
	case len(parts) == 1 && parts[0] == "apis":
		v := metav1.GroupVersionForDiscovery{GroupVersion: "policy/" + policy, Version: policy}
		return &metav1.APIGroupList{
			TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"},
			Groups:   []metav1.APIGroup{{Name: "policy", Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v}},
		}, nil
	case len(parts) == 2 && parts[0] == "api":
		return &metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "v1",
			APIResources: []metav1.APIResource{
				{Name: "pods", Namespaced: true, Kind: "Pod"},
				{Name: "pods/eviction", Namespaced: true, Kind: "Eviction", Group: "policy", Version: policy},
			},
		}, nil
	}
	return nil, failure(404, metav1.StatusReasonNotFound, "the server could not find the requested resource")
}
