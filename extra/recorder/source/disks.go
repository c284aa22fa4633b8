package recorder

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// disks are the claims of a scenario by namespace/name, each bound to a volume of its own from the start, so that neither a binder nor
// a provisioner is needed. Without any nothing of them is in the cluster, no driver either.
type disks map[string]volumeSpec

const (
	diskDriver = "disks.csi.example"
	diskClass  = "disks"
	storageAPI = "storage.k8s.io/v1"
	// diskPrefix and the name of a volume are what node statuses call it.
	diskPrefix = "kubernetes.io/csi/" + diskDriver + "^"
)

// disks are all that anything in the scenario names, at whatever time.
func (sc *scenario) disks() disks {
	d := disks{}
	ofWorkload := func(w workloadSpec) {
		for _, name := range sc.ordinalNames(w) {
			p := w.Template
			p.Namespace, p.Name, p.Owner = w.Namespace, name, w.Kind+"/"+w.Name
			d.add(p)
		}
	}
	for _, p := range sc.Pods {
		d.add(p)
	}
	for _, w := range sc.Workloads {
		ofWorkload(w)
	}
	for _, a := range sc.Actions {
		if a.PodSpec != nil {
			d.add(*a.PodSpec)
		}
		if a.Created != nil {
			ofWorkload(*a.Created)
		}
	}
	return d
}

// ordinalNames are the names that pods of a StatefulSet may have, however it is scaled; of other workloads one stands for all.
func (sc *scenario) ordinalNames(w workloadSpec) (names []string) {
	if w.Kind != "StatefulSet" {
		return []string{""}
	}
	var spec struct{ Ordinals struct{ Start int32 } }
	if w.Spec != nil && json.Unmarshal(w.Spec, &spec) != nil {
		fail("the spec of", w.Name, "cannot be read")
	}
	most := w.Replicas
	for _, a := range sc.Actions {
		if a.Do == "scale" && a.Workload == "StatefulSet/"+w.Name && namespace(a.Namespace) == namespace(w.Namespace) {
			most = max(most, a.Replicas)
		}
	}
	for i := range most {
		names = append(names, fmt.Sprintf("%s-%d", w.Name, spec.Ordinals.Start+i))
	}
	return names
}

func (d disks) add(p podSpec) {
	for _, v := range p.Volumes {
		_, claim := p.claimed(v)
		name := key(namespace(p.Namespace), claim)
		if v.Access == "" {
			v.Access = v1.ReadWriteOnce
		}
		v.Claim = claim
		if v.Provision.Duration > 0 && !strings.HasPrefix(p.Owner, "StatefulSet/") {
			fail("only volumes of StatefulSets are made, not one for", name)
		}
		if was, ok := d[name]; ok && was != v || !ok && d.claimOf(volumeOf(name)) != "" {
			fail("there are two different volumes for the claim", name)
		}
		d[name] = v
	}
}

// claimed gives the name of a pod's volume and its claim. A StatefulSet's pod has a claim of its own, made from a template of the volume's name.
func (p podSpec) claimed(v volumeSpec) (name, claim string) {
	if !strings.HasPrefix(p.Owner, "StatefulSet/") {
		return v.Claim, v.Claim
	}
	name = strings.TrimSuffix(v.Claim, "-"+p.Name)
	return name, name + "-" + p.Name
}

// volumes are what a pod has of its disks.
func (p podSpec) volumes() (all []v1.Volume) {
	for _, v := range p.Volumes {
		name, claim := p.claimed(v)
		source := v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}
		all = append(all, v1.Volume{Name: name, VolumeSource: source})
	}
	return all
}

// claims are the templates that a StatefulSet makes claims from.
func (p podSpec) claims() (all []v1.PersistentVolumeClaim) {
	for _, v := range p.Volumes {
		claim := v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: v.Claim}}
		claim.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v.Access}
		if v.Access == "" {
			claim.Spec.AccessModes[0] = v1.ReadWriteOnce
		}
		class := v.class()
		claim.Spec.StorageClassName = &class
		claim.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}
		all = append(all, claim)
	}
	return all
}

// volumeOf is the name of a claim's volume, and of the disk.
func volumeOf(claim string) string { return strings.Replace(claim, "/", "-", 1) }

// claimOf is the claim of a volume.
func (d disks) claimOf(volume string) string {
	for claim := range d {
		if volumeOf(claim) == volume {
			return claim
		}
	}
	return ""
}

// of are a pod's disks that have to be attached, by the names that node statuses have for them.
func (d disks) of(pod object) (all []v1.UniqueVolumeName) {
	volumes, _ := get(pod, "spec", "volumes").([]any)
	for _, v := range volumes {
		claim := key(text(pod, "metadata", "namespace"), text(v, "persistentVolumeClaim", "claimName"))
		if disk, ok := d[claim]; ok && disk.Host == "" {
			all = append(all, v1.UniqueVolumeName(diskPrefix+volumeOf(claim)))
		}
	}
	return all
}

// create makes the driver, the class, and the claims with their volumes.
func (d disks) create(s *server) {
	if len(d) == 0 {
		return
	}
	s.make("csidrivers", "", storageAPI, "CSIDriver", diskDriver, object{"spec": object{"attachRequired": true}})
	classes := map[string]volumeSpec{diskClass: {}}
	for _, v := range d {
		classes[v.class()] = v
	}
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		s.make("storageclasses", "", storageAPI, "StorageClass", name, classes[name].makes())
	}
	for _, name := range slices.Sorted(maps.Keys(d)) {
		ns, claim, _ := strings.Cut(name, "/")
		if d[name].Provision.Duration > 0 { // the StatefulSet makes the claim, the driver its volume
			continue
		}
		volume, size, modes := volumeOf(name), object{"storage": "1Gi"}, []any{string(d[name].Access)}
		made := s.make("persistentvolumeclaims", ns, "v1", "PersistentVolumeClaim", claim, object{
			"metadata": object{"annotations": object{"pv.kubernetes.io/bind-completed": "yes"}}, // what the scheduler takes for bound
			"spec":     object{"accessModes": modes, "storageClassName": diskClass, "volumeName": volume, "resources": object{"requests": size}},
			"status":   object{"phase": "Bound", "accessModes": modes, "capacity": size},
		})
		d.createVolume(s, name, text(made, "metadata", "uid"), "Bound", d[name].Zone)
	}
}

// class is the StorageClass of a volume: there is one for each zone in which volumes are to be made, and for those that wait for nobody.
func (v volumeSpec) class() string {
	switch {
	case v.Immediate:
		return diskClass + "-immediate"
	case v.Provision.Duration > 0 && v.Zone != "":
		return diskClass + "-" + v.Zone
	}
	return diskClass
}

// makes is what that StorageClass says.
func (v volumeSpec) makes() object {
	made := object{"provisioner": diskDriver, "volumeBindingMode": "WaitForFirstConsumer"}
	switch v.class() {
	case diskClass:
	case diskClass + "-immediate":
		made["volumeBindingMode"] = "Immediate"
	default:
		in := object{"key": "topology.kubernetes.io/zone", "values": []any{v.Zone}}
		made["allowedTopologies"] = []any{object{"matchLabelExpressions": []any{in}}}
	}
	return made
}

// createVolume makes the volume of a claim, in a zone if one is given.
func (d disks) createVolume(s *server, name, uid, phase, zone string) {
	ns, claim, _ := strings.Cut(name, "/")
	volume, v := volumeOf(name), d[name]
	v.Zone = zone
	spec := object{
		"accessModes": []any{string(v.Access)}, "storageClassName": v.class(), "capacity": object{"storage": "1Gi"}, "persistentVolumeReclaimPolicy": "Retain",
		"claimRef": object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": ns, "name": claim, "uid": uid},
	}
	v.place(volume, spec)
	s.make("persistentvolumes", "", "v1", "PersistentVolume", volume, object{"spec": spec, "status": object{"phase": phase}})
}

// place says where a volume is, and from where it is within reach.
func (v volumeSpec) place(volume string, spec object) {
	label, value := "topology.kubernetes.io/zone", v.Zone
	if v.Host == "" {
		spec["csi"] = object{"driver": diskDriver, "volumeHandle": volume}
	} else {
		spec["local"] = object{"path": "/disks/" + volume}
		label, value = "kubernetes.io/hostname", v.Host
	}
	if value != "" {
		term := object{"matchExpressions": []any{object{"key": label, "operator": "In", "values": []any{value}}}}
		spec["nodeAffinity"] = object{"required": object{"nodeSelectorTerms": []any{term}}}
	}
}

// make creates an object that is there from the start.
func (s *server) make(resource, ns, apiVersion, kind, name string, rest object) object {
	o, bad := s.create("user", resource, ns, with(merge(rest, object{"apiVersion": apiVersion, "kind": kind}), name, "metadata", "name"))
	accept(o, bad)
	return o
}

// createCSINode says of a node what a kubelet says when the driver registers there.
func (d disks) createCSINode(s *server, node object, limit *int) {
	if len(d) == 0 {
		return
	}
	name := text(node, "metadata", "name")
	driver := object{"name": diskDriver, "nodeID": name, "topologyKeys": []any{}}
	if limit != nil {
		driver["allocatable"] = object{"count": *limit}
	}
	owner := object{"apiVersion": "v1", "kind": "Node", "name": name, "uid": text(node, "metadata", "uid")}
	s.make("csinodes", "", storageAPI, "CSINode", name, object{
		"metadata": object{"ownerReferences": []any{owner}}, "spec": object{"drivers": []any{driver}},
	})
}

// observe removes the CSINode of a node that is gone, as the garbage collector would; the server is locked.
func (d disks) observe(s *server, old, new object) {
	if new == nil && len(d) > 0 {
		go s.remove("user", "csinodes", "", text(old, "metadata", "name"), metav1.DeleteOptions{})
	}
}

// attachRunning attaches the disks of pods that run from the start, as an export of such a cluster shows them.
func (r *run) attachRunning() {
	k, ok := r.kubelets.(*kubelets)
	if !ok || len(r.disks) == 0 {
		return
	}
	for _, node := range slices.Sorted(maps.Keys(k.nodes)) {
		running, _ := r.server.list("pods", func(o object) bool {
			return text(o, "spec", "nodeName") == node && text(o, "status", "phase") == string(v1.PodRunning)
		})
		var volumes []v1.UniqueVolumeName
		for _, p := range running {
			volumes = append(volumes, r.disks.of(p)...)
		}
		slices.Sort(volumes)
		volumes = slices.Compact(volumes)
		if volumes == nil {
			continue
		}
		for _, volume := range volumes {
			r.server.createAttachment(strings.TrimPrefix(string(volume), diskPrefix), node)
		}
		accept(mutate(r.server, "user", "nodes", "status", "", node, func(n *v1.Node) bool {
			for _, volume := range volumes {
				n.Status.VolumesAttached = append(n.Status.VolumesAttached, v1.AttachedVolume{Name: volume})
			}
			n.Status.VolumesInUse = volumes
			return true
		}))
		k.mounted(node, volumes)
	}
}

// createAttachment makes an attachment that there has been for long. It has the name by which upstream looks for it
// (pkg/volume/csi/csi_attacher.go: getAttachmentName).
func (s *server) createAttachment(volume, node string) {
	name := fmt.Sprintf("csi-%x", sha256.Sum256([]byte(volume+diskDriver+node)))
	accept(s.createAs("user", "volumeattachments", "", object{
		"apiVersion": storageAPI, "kind": "VolumeAttachment", "metadata": object{"name": name, "finalizers": []any{attacherFinalizer}},
		"spec": object{"attacher": diskDriver, "nodeName": node, "source": object{"persistentVolumeName": volume}},
	}, object{"attached": true}, nil))
}

func isAttached(attachment object) bool { return get(attachment, "status", "attached") == true }

func isDeleting(o object) bool { return text(o, "metadata", "deletionTimestamp") != "" }
