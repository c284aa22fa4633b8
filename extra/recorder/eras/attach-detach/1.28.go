package recorder

import (
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/volume/attachdetach"
	"k8s.io/kubernetes/pkg/volume/csi"
)

func newAttachDetach(p *program, c kubernetes.Interface) (any, error) {
	core, storage := p.informers.Core().V1(), p.informers.Storage().V1()
	return attachdetach.NewAttachDetachController(klog.FromContext(p.ctx), c, core.Pods(), core.Nodes(), core.PersistentVolumeClaims(), core.PersistentVolumes(),
		storage.CSINodes(), storage.CSIDrivers(), storage.VolumeAttachments(),
		nil, csi.ProbeVolumePlugins(), nil, false, time.Minute, attachdetach.DefaultTimerConfig)
}
