package recorder

import (
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// provisioner imitates the external-provisioner of the disks' driver; ../SCENARIO.md gives the rules.
type provisioner struct {
	server *server
	disks  disks
	mu     sync.Mutex
	begun  map[types.UID]bool
}

const provisionerActor = "provisioner"

// observe begins a volume once upstream's controller has asked for it; the server is locked, so it only sets timers.
func (p *provisioner) observe(claim object) {
	if claim == nil || text(claim, "spec", "volumeName") != "" {
		return
	}
	name := key(text(claim, "metadata", "namespace"), text(claim, "metadata", "name"))
	node := text(claim, "metadata", "annotations", "volume.kubernetes.io/selected-node")
	disk := p.disks[name]
	if !asked(claim) || node == "" && !disk.Immediate {
		return
	}
	zone := disk.Zone
	if disk.Zonal {
		zone = text(p.server.objects["nodes"][key("", node)], "metadata", "labels", "topology.kubernetes.io/zone")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	uid := types.UID(text(claim, "metadata", "uid"))
	if p.begun[uid] {
		return
	}
	p.begun[uid] = true
	time.AfterFunc(0, func() {
		p.say(claim, "Provisioning", "External provisioner is provisioning volume for claim \""+name+"\"")
	})
	time.AfterFunc(disk.Provision.Duration, func() {
		p.disks.createVolume(p.server, name, string(uid), "Pending", zone)
		p.say(claim, "ProvisioningSucceeded", "Successfully provisioned volume "+volumeOf(name))
	})
}

// asked says whether the driver of a claim was told to make its volume.
func asked(claim object) bool {
	of := func(annotation string) string { return text(claim, "metadata", "annotations", annotation) }
	const provisioner = "kubernetes.io/storage-provisioner"
	return of("volume."+provisioner) == diskDriver || of("volume.beta."+provisioner) == diskDriver
}

// say writes an event about a claim.
func (p *provisioner) say(claim object, reason, message string) {
	ns, name := text(claim, "metadata", "namespace"), text(claim, "metadata", "name")
	p.server.create(provisionerActor, "events", ns, object{
		"apiVersion": "v1", "kind": "Event", "metadata": object{"name": name + "." + strings.ToLower(reason)}, "count": 1, "type": "Normal", "reason": reason,
		"message": message, "involvedObject": object{"kind": "PersistentVolumeClaim", "namespace": ns, "name": name, "uid": text(claim, "metadata", "uid")},
	})
}
