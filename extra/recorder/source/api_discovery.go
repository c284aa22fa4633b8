package recorder

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// evictionVersion is that of evictions which clients of the release prefer.
func (s *server) evictionVersion() string {
	if s.minor < 22 {
		return "v1beta1"
	}
	return "v1"
}

// kinds are those of each group and version that clients may find. Budgets have no owners, and nobody looks for them.
func (s *server) kinds() map[string]map[string]string {
	all := map[string]map[string]string{
		"v1":                            {"pods": "Pod", "nodes": "Node", "namespaces": "Namespace"},
		"apps/v1":                       {"deployments": "Deployment", "replicasets": "ReplicaSet", "statefulsets": "StatefulSet", "daemonsets": "DaemonSet", "controllerrevisions": "ControllerRevision"},
		"batch/v1":                      {"jobs": "Job"},
		"coordination.k8s.io/v1":        {"leases": "Lease"},
		"policy/" + s.evictionVersion(): {},
	}
	if s.withDevices {
		all[deviceAPI] = map[string]string{"resourceclaims": "ResourceClaim"}
	}
	return all
}

// discovery answers which groups and resources there are: kubectl drain asks whether there is the subresource
// eviction, the garbage collector what it has to watch. Everything else is not found.
func (s *server) discovery(parts []string) (any, *status) {
	path := strings.Join(parts, "/")
	switch path {
	case "api":
		return &metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}, nil
	case "apis":
		list := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
		for of := range s.kinds() {
			if group, version, ok := strings.Cut(of, "/"); ok {
				v := metav1.GroupVersionForDiscovery{GroupVersion: of, Version: version}
				list.Groups = append(list.Groups, metav1.APIGroup{Name: group, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v})
			}
		}
		return list, nil
	}
	kinds, ok := s.kinds()[strings.TrimPrefix(strings.TrimPrefix(path, "apis/"), "api/")]
	if !ok {
		return nil, failure(404, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	}
	list := &metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: path[strings.Index(path, "/")+1:]}
	for name, kind := range kinds {
		all := metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"}
		list.APIResources = append(list.APIResources, metav1.APIResource{Name: name, Namespaced: kind != "Node" && kind != "Namespace", Kind: kind, Verbs: all})
		if name == "pods" {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: "pods/eviction", Namespaced: true, Kind: "Eviction", Group: "policy", Version: s.evictionVersion()})
		}
		if scaled[name] {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: name + "/scale", Namespaced: true, Kind: "Scale", Group: "autoscaling", Version: "v1", Verbs: metav1.Verbs{"get", "patch", "update"}})
		}
	}
	return list, nil
}
