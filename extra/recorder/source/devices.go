package recorder

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/util/feature"
)

// devices are what a scenario has of dynamic resource allocation. Without any nothing of it is in the cluster.
type devices struct {
	used      bool
	drivers   []string // that nodes or claims name, each with a class of its own
	collected bool     // upstream's garbage collector runs, and deletes the claims of pods that are gone
}

const (
	claimAnnotation = "resource.kubernetes.io/pod-claim-name"
	claimFinalizer  = "resource.kubernetes.io/delete-protection"
)

// deviceGates are the gates without which nobody heeds taints of devices, or alternatives of requests. A release has some of them, and those that are on by default need not be set.
var deviceGates = []string{"DynamicResourceAllocation", "DRADeviceTaints", "DRADeviceTaintRules", "DRAPrioritizedList"}

// deviceActions are the actions that are about devices.
var deviceActions = []string{"create-device-rule", "update-device-rule", "delete-device-rule", "taint-device", "untaint-device"}

// devices are all that anything in the scenario names, at whatever time.
func (sc *scenario) devices() devices {
	d := devices{collected: slices.Contains(sc.Controllers, "garbage-collector")}
	ofNode := func(n nodeSpec) {
		for _, has := range n.Devices {
			d.add(has.Driver)
		}
	}
	ofPod := func(p podSpec) {
		for _, claim := range p.DeviceClaims {
			d.addClaim(claim)
		}
	}
	for _, claim := range sc.Claims {
		d.addClaim(claim.deviceClaimSpec)
	}
	for _, n := range sc.Nodes {
		ofNode(n)
	}
	for _, p := range sc.Pods {
		ofPod(p)
	}
	for _, w := range sc.Workloads {
		ofPod(w.Template)
	}
	for _, a := range sc.Actions {
		d.used = d.used || slices.Contains(deviceActions, a.Do)
		if a.Spec != nil {
			ofNode(*a.Spec)
		}
		if a.PodSpec != nil {
			ofPod(*a.PodSpec)
		}
		if a.Created != nil {
			ofPod(a.Created.Template)
		}
	}
	if d.used && !knowsDevices {
		fail("scenarios with devices are for 1.33 and later, not for", kubernetesVersion)
	}
	return d
}

func (d *devices) add(driver string) {
	d.used = true
	if !slices.Contains(d.drivers, driver) {
		d.drivers = append(d.drivers, driver)
	}
}

func (d *devices) addClaim(claim deviceClaimSpec) {
	if claim.Shared != "" {
		return
	}
	for _, r := range claim.requests() {
		for _, a := range r.alternatives() {
			d.add(a.Driver)
		}
	}
}

// setGates sets upstream's feature gates, which are those of the whole process: those that devices need, and what the scenario says.
func setGates(gates map[string]bool, devices bool) {
	all := map[string]bool{}
	for _, known := range feature.DefaultMutableFeatureGate.KnownFeatures() {
		name, _, _ := strings.Cut(known, "=")
		if devices && slices.Contains(deviceGates, name) {
			all[name] = true
		}
	}
	maps.Copy(all, gates)
	if err := feature.DefaultMutableFeatureGate.SetFromMap(all); err != nil {
		fail("the feature gates cannot be set in", kubernetesVersion+":", err)
	}
}

// create makes a class for each driver, and the claims that exist by themselves.
func (d devices) create(s *server, claims []resourceClaimSpec) {
	for _, driver := range d.drivers {
		selector := object{"cel": object{"expression": "device.driver == " + strconv.Quote(driver)}}
		s.make("deviceclasses", "", deviceAPI, "DeviceClass", driver, object{"spec": object{"selectors": []any{selector}}})
	}
	for _, claim := range claims {
		s.make("resourceclaims", namespace(claim.Namespace), deviceAPI, "ResourceClaim", claim.Name, object{"spec": claim.spec()})
	}
}

// spec is what a claim asks for.
func (c deviceClaimSpec) spec() object {
	var requests []any
	for i, r := range c.requests() {
		if r.FirstAvailable == nil {
			requests = append(requests, newRequest(c.request(i), r.exactly()))
			continue
		}
		var list []any
		for j, a := range r.FirstAvailable {
			list = append(list, with(a.exactly(), alternative(j), "name"))
		}
		requests = append(requests, object{"name": c.request(i), "firstAvailable": list})
	}
	return object{"devices": object{"requests": requests}}
}

// requests are those of the list, or the one that the claim is.
func (c deviceClaimSpec) requests() []deviceRequestSpec {
	if c.Requests != nil {
		return c.Requests
	}
	return []deviceRequestSpec{c.deviceRequestSpec}
}

// request is the name of one of its requests.
func (c deviceClaimSpec) request(i int) string {
	if c.Requests == nil {
		return "req"
	}
	return "req-" + strconv.Itoa(i)
}

// alternative is the name of one in its request.
func alternative(j int) string { return "sub-" + strconv.Itoa(j) }

// alternatives are what will do for a request, the best first.
func (r deviceRequestSpec) alternatives() []deviceRequestSpec {
	if r.FirstAvailable != nil {
		return r.FirstAvailable
	}
	return []deviceRequestSpec{r}
}

func (r deviceRequestSpec) all() bool { return r.AllocationMode == "All" }

func (r deviceRequestSpec) exactly() object {
	exactly := object{"deviceClassName": r.Driver, "allocationMode": "ExactCount", "count": max(r.Count, 1)}
	if r.all() {
		exactly = object{"deviceClassName": r.Driver, "allocationMode": "All"}
	}
	if r.Tolerations != nil {
		exactly["tolerations"] = r.Tolerations
	}
	return exactly
}

// publish says of a node's devices what their drivers say when the kubelet starts them. A node that comes back finds its slices there.
func (s *server) publish(n nodeSpec) {
	lists := map[string][]any{}
	for _, has := range n.Devices {
		for _, device := range has.Names {
			lists[has.Driver] = append(lists[has.Driver], newDevice(device))
		}
	}
	for _, driver := range slices.Sorted(maps.Keys(lists)) {
		name, list := sliceOf(n.Name, driver), lists[driver]
		if s.lookup("resourceslices", "", name) != nil {
			continue
		}
		s.make("resourceslices", "", deviceAPI, "ResourceSlice", name, object{"spec": object{
			"driver": driver, "nodeName": n.Name, "devices": list,
			"pool": object{"name": n.Name, "generation": 1, "resourceSliceCount": 1},
		}})
	}
}

// sliceOf is the name of the slice that has a driver's devices of a node, all of which are one pool of the node's name.
func sliceOf(node, driver string) string { return node + "-" + driver }

// claimDevices has a pod ask for its devices, by templates that are made beforehand. Releases that know no devices pass it over.
func (p podSpec) claimDevices(spec *v1.PodSpec, root string) {
	if len(p.DeviceClaims) == 0 {
		return
	}
	var claims []any
	for i, claim := range p.DeviceClaims {
		named := object{"name": podClaim(i), "resourceClaimTemplateName": claimTemplate(root, i)}
		if claim.Shared != "" {
			named = object{"name": podClaim(i), "resourceClaimName": claim.Shared}
		}
		claims = append(claims, named)
	}
	lay(encode(object{"resourceClaims": claims}), spec)
}

// podClaim is what a pod calls one of its claims.
func podClaim(i int) string { return "claim-" + strconv.Itoa(i) }

func claimTemplate(root string, i int) string { return root + "-" + podClaim(i) }

// createClaimTemplates makes what the resourceclaim controller makes claims from, if it is not there yet: pods share those of their
// workload.
func (s *server) createClaimTemplates(p podSpec, ns, root string) {
	for i, claim := range p.DeviceClaims {
		if claim.Shared != "" {
			continue
		}
		template := object{
			"apiVersion": deviceAPI, "kind": "ResourceClaimTemplate", "metadata": object{"name": claimTemplate(root, i)},
			"spec": object{"spec": claim.spec()},
		}
		if there := s.lookup("resourceclaimtemplates", ns, claimTemplate(root, i)); there != nil {
			if !reflect.DeepEqual(get(there, "spec"), get(normalise(template), "spec")) {
				fail("there are two different claims", claimTemplate(root, i))
			}
			continue
		}
		accept(s.create("user", "resourceclaimtemplates", ns, template))
	}
}

// claimRoot is whose templates a pod has: those of its workload, which for a Deployment's ReplicaSet are the Deployment's, or its own.
func (s *server) claimRoot(p podSpec) string {
	kind, name, ok := strings.Cut(p.Owner, "/")
	if !ok {
		return p.Name
	}
	owner := s.lookup(strings.ToLower(kind)+"s", namespace(p.Namespace), name)
	if owner == nil {
		return p.Name
	}
	if refs, _ := get(owner, "metadata", "ownerReferences").([]any); len(refs) > 0 {
		return text(refs[0], "name")
	}
	return name
}

// claimRunning gives pods that are bound from the start the claims that the resourceclaim controller made for them, with the devices
// that the scheduler allocated: the first of their node that are free. A claim that they share has those of its first pod.
func (r *run) claimRunning() {
	taken := map[string]bool{}
	for _, p := range r.Pods {
		if p.Node == "" || p.Phase == v1.PodSucceeded || p.Phase == v1.PodFailed {
			continue
		}
		var statuses []any
		for i, claim := range p.DeviceClaims {
			if claim.Shared != "" {
				r.share(p, claim.Shared, taken)
				continue
			}
			name := r.server.claim(p, i, r.take(p.Node, claim, taken))
			statuses = append(statuses, object{"name": podClaim(i), "resourceClaimName": name})
		}
		if statuses != nil {
			accept(r.server.update("user", "pods", "status", namespace(p.Namespace), p.Name, func(cur object) (object, *status) {
				return with(cur, statuses, "status", "resourceClaimStatuses"), nil
			}))
		}
	}
}

// share reserves a claim that exists by itself for a pod, and allocates it if it is the first.
func (r *run) share(p podSpec, name string, taken map[string]bool) {
	ns := namespace(p.Namespace)
	i := slices.IndexFunc(r.Claims, func(c resourceClaimSpec) bool { return c.Name == name && namespace(c.Namespace) == ns })
	if i < 0 {
		fail("there is no claim", name, "for the pod", p.Name)
	}
	claim := r.server.lookup("resourceclaims", ns, name)
	var results any = get(claim, "status", "allocation", "devices", "results")
	if results == nil {
		results = r.take(p.Node, r.Claims[i].deviceClaimSpec, taken)
	}
	r.server.reserve(p, name, results)
}

// take gives the results of allocating a claim's devices on a node: of each request for the first alternative for which enough are free.
func (r *run) take(node string, claim deviceClaimSpec, taken map[string]bool) (results []any) {
	for i, request := range claim.requests() {
		some := func(j int, of deviceRequestSpec) []any {
			name := claim.request(i)
			if request.FirstAvailable != nil {
				name += "/" + alternative(j)
			}
			return r.takeSome(node, name, of, taken)
		}
		var found []any
		for j, of := range request.alternatives() {
			if found = some(j, of); found != nil {
				break
			}
		}
		if found == nil {
			fail("the node", node, "has too few devices for the pods that it has from the start")
		}
		results = append(results, found...)
	}
	return results
}

// takeSome gives the results for one request or alternative; none where too few are free.
func (r *run) takeSome(node, name string, of deviceRequestSpec, taken map[string]bool) (results []any) {
	var free []string
	has := 0
	for _, n := range r.Nodes {
		for _, d := range n.Devices {
			if n.Name != node || d.Driver != of.Driver {
				continue
			}
			has += len(d.Names)
			for _, device := range d.Names {
				if !taken[strings.Join([]string{d.Driver, n.Name, device}, "/")] {
					free = append(free, device)
				}
			}
		}
	}
	count := int(max(of.Count, 1))
	if of.all() {
		count = max(has, 1)
	}
	if len(free) < count {
		return nil
	}
	for _, device := range free[:count] {
		taken[strings.Join([]string{of.Driver, node, device}, "/")] = true
		result := object{"request": name, "driver": of.Driver, "pool": node, "device": device}
		if of.Tolerations != nil && handsOnTolerations {
			result["tolerations"] = of.Tolerations
		}
		results = append(results, result)
	}
	return results
}

// claim makes a claim of a pod, allocated and reserved, in the steps in which upstream does it, and gives its name.
func (s *server) claim(p podSpec, i int, results []any) string {
	ns := namespace(p.Namespace)
	pod, template := s.lookup("pods", ns, p.Name), s.lookup("resourceclaimtemplates", ns, claimTemplate(s.claimRoot(p), i))
	uid := text(pod, "metadata", "uid")
	claim, bad := s.create("user", "resourceclaims", ns, object{
		"apiVersion": deviceAPI, "kind": "ResourceClaim", "spec": get(template, "spec", "spec"),
		"metadata": object{
			"generateName": p.Name + "-" + podClaim(i) + "-", "annotations": object{claimAnnotation: podClaim(i)},
			"ownerReferences": []any{object{"apiVersion": "v1", "kind": "Pod", "name": p.Name, "uid": uid, "controller": true}},
		},
	})
	accept(claim, bad)
	name := text(claim, "metadata", "name")
	s.reserve(p, name, results)
	return name
}

// reserve allocates a claim and reserves it for a pod, beside those for which it is.
func (s *server) reserve(p podSpec, name string, results any) {
	ns := namespace(p.Namespace)
	uid := text(s.lookup("pods", ns, p.Name), "metadata", "uid")
	accept(s.update("user", "resourceclaims", "", ns, name, func(cur object) (object, *status) {
		return with(cur, []any{claimFinalizer}, "metadata", "finalizers"), nil
	}))
	onNode := object{"matchFields": []any{object{"key": "metadata.name", "operator": "In", "values": []any{p.Node}}}}
	// With its time, which a scheduler writes: one that shares a claim without it is refused for adding it.
	allocation := object{
		"devices": object{"results": results}, "nodeSelector": object{"nodeSelectorTerms": []any{onNode}},
		"allocationTimestamp": timestamp(time.Now()),
	}
	accept(s.update("user", "resourceclaims", "status", ns, name, func(cur object) (object, *status) {
		reserved, _ := get(cur, "status", "reservedFor").([]any)
		return with(cur, object{
			"allocation":  allocation,
			"reservedFor": append(slices.Clone(reserved), object{"resource": "pods", "name": p.Name, "uid": uid}),
		}, "status"), nil
	}))
}

// observe deletes claims of pods that are gone, as the garbage collector would. One that is allocated would wait for its finalizer, and is
// deleted once that is gone. The server is locked.
func (d devices) observe(s *server, resource string, old, new object) {
	switch {
	case d.collected || !d.used:
	case resource == "pods" && new == nil:
		uid := text(old, "metadata", "uid")
		go func() {
			left, _ := s.list("resourceclaims", func(o object) bool { return text(podOf(o), "uid") == uid })
			for _, claim := range left {
				s.collect(claim)
			}
		}()
	case resource == "resourceclaims" && new != nil:
		go s.collect(new)
	}
}

// podOf is the reference to the pod that a claim belongs to.
func podOf(claim object) any {
	if refs, _ := get(claim, "metadata", "ownerReferences").([]any); len(refs) > 0 {
		return refs[0]
	}
	return nil
}

// collect deletes a claim whose pod is gone and which nothing holds.
func (s *server) collect(claim object) {
	ns, owner := text(claim, "metadata", "namespace"), podOf(claim)
	pod := s.lookup("pods", ns, text(owner, "name"))
	if owner == nil || get(claim, "metadata", "finalizers") != nil || pod != nil && text(pod, "metadata", "uid") == text(owner, "uid") {
		return
	}
	uid := types.UID(text(claim, "metadata", "uid"))
	s.remove("garbage-collector", "resourceclaims", ns, text(claim, "metadata", "name"), metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
}

// deviceTaint is a DeviceTaintRule, or a taint of one device in its slice.
type deviceTaint struct {
	Name   string `json:"name"`
	Driver string `json:"driver"`
	Pool   string `json:"pool"`
	Device string `json:"device"`
	Key    string `json:"key"`
	Value  string `json:"value"`
	Effect string `json:"effect"`
}

// taint leaves it to the API server to say when it was added.
func (t deviceTaint) taint() object {
	taint := object{"key": t.Key, "effect": t.Effect}
	if t.Value != "" {
		taint["value"] = t.Value
	}
	return taint
}

// selector is an empty one, which selects all devices, unless the rule says otherwise.
func (t deviceTaint) selector() object {
	selector := object{}
	for field, val := range map[string]string{"driver": t.Driver, "pool": t.Pool, "device": t.Device} {
		if val != "" {
			selector[field] = val
		}
	}
	return selector
}

func (r *run) actOnDevice(a *action) bool {
	s := r.server
	switch a.Do {
	case "create-device-rule":
		accept(s.create("user", "devicetaintrules", "", object{
			"apiVersion": "resource.k8s.io/" + deviceRuleVersion, "kind": "DeviceTaintRule", "metadata": object{"name": a.Rule.Name},
			"spec": object{"deviceSelector": a.Rule.selector(), "taint": a.Rule.taint()},
		}))
	case "update-device-rule":
		accept(s.update("user", "devicetaintrules", "", "", a.Rule.Name, func(cur object) (object, *status) {
			// As `kubectl apply` changes it: what the API server added stays in the object that is sent.
			taint := with(a.Rule.taint(), get(cur, "spec", "taint", "timeAdded"), "timeAdded")
			return with(cur, object{"deviceSelector": a.Rule.selector(), "taint": taint}, "spec"), nil
		}))
	case "delete-device-rule":
		s.remove("user", "devicetaintrules", "", a.Rule.Name, metav1.DeleteOptions{})
	case "taint-device", "untaint-device":
		t := a.DeviceTaint
		for _, node := range a.nodeNames() {
			accept(s.update("user", "resourceslices", "", "", sliceOf(node, t.Driver), func(cur object) (object, *status) {
				return t.edit(cur, a.Do == "taint-device"), nil
			}))
		}
	default:
		return false
	}
	return true
}

// edit adds the taint to its device in the slice, in place of one with its key and effect and another value, or removes it; without an effect those of
// the key.
func (t deviceTaint) edit(slice object, add bool) object {
	var devices []any
	old, _ := get(slice, "spec", "devices").([]any)
	for _, o := range old {
		device, _ := o.(object)
		if text(device, "name") == t.Device {
			var taints []any
			had, _ := get(device, deviceTaints...).([]any)
			for _, was := range had {
				if text(was, "key") != t.Key || t.Effect != "" && text(was, "effect") != t.Effect {
					taints = append(taints, was)
				} else if add && text(was, "value") == t.Value {
					return slice // drivers keep its time (dynamic-resource-allocation/resourceslice: copyTaintTimeAdded)
				}
			}
			if add {
				taints = append(taints, t.taint())
			}
			device = with(device, nil, deviceTaints...)
			if taints != nil {
				device = with(device, taints, deviceTaints...)
			}
		}
		devices = append(devices, device)
	}
	return with(slice, devices, "spec", "devices")
}
