package recorder

import (
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/volume/persistentvolume"
)

func newPersistentVolume(p *program, c kubernetes.Interface) (any, error) {
	core, storage := p.informers.Core().V1(), p.informers.Storage().V1()
	return persistentvolume.NewController(p.ctx, persistentvolume.ControllerParameters{
		KubeClient: c, SyncPeriod: 15 * time.Second, EnableDynamicProvisioning: true,
		VolumeInformer: core.PersistentVolumes(), ClaimInformer: core.PersistentVolumeClaims(), ClassInformer: storage.StorageClasses(),
		PodInformer: core.Pods(), NodeInformer: core.Nodes(),
	})
}
