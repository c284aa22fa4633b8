package recorder

import (
	"context"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/fake"
)

// cloudActor is who writes what the cloud controllers write.
const cloudActor = "cloud"

// The cloud controller manager's defaults: --node-monitor-period, --node-status-update-frequency, and how many workers
// a loop has (cloud-provider/config, cloud-provider/controllers/*/config).
const (
	cloudMonitorPeriod = 5 * time.Second
	cloudStatusPeriod  = 5 * time.Minute
	cloudWorkers       = 1
)

// cloudName is the provider's; it stands before :// in the nodes' provider ids.
const cloudName = "recorder"

// uninitialized is the key of the taint that a kubelet with an external cloud provider registers its node with.
const uninitialized = "node.cloudprovider.kubernetes.io/uninitialized"

// cloud is a provider that answers at once and is right. It says of every instance that it runs, unless a scenario
// says otherwise. All but instances is the fake's of upstream's own tests, which has no zones, addresses and types to tell.
type cloud struct {
	*fake.Cloud
	mu     sync.Mutex
	states map[string]string // by node: shut-down, gone
}

func newCloud() *cloud {
	return &cloud{Cloud: &fake.Cloud{Provider: cloudName}, states: map[string]string{}}
}

// set says what is so of an instance from now on.
func (c *cloud) set(node, state string) {
	switch state {
	case "running", "shut-down", "gone":
	default:
		fail("an instance is running, shut-down or gone, not", state)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.states[node] = state
}

func (c *cloud) is(node, state string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.states[node] == state
}

// providerID is the id that a node has whose cloud knows it.
func providerID(node string) string { return cloudName + "://" + node }

// Instances implements cloudprovider.Interface.
func (c *cloud) Instances() (cloudprovider.Instances, bool) { return instances{c.Cloud, c}, true }

// instances are asked by node, or by its provider id.
type instances struct {
	*fake.Cloud
	of *cloud
}

// InstanceID implements cloudprovider.Instances.
func (i instances) InstanceID(_ context.Context, node types.NodeName) (string, error) {
	if i.of.is(string(node), "gone") {
		return "", cloudprovider.InstanceNotFound
	}
	return string(node), nil
}

// InstanceType and InstanceTypeByProviderID implement cloudprovider.Instances: there are no types.
func (i instances) InstanceType(context.Context, types.NodeName) (string, error) { return "", nil }

// InstanceTypeByProviderID is the same by id.
func (i instances) InstanceTypeByProviderID(context.Context, string) (string, error) { return "", nil }

// NodeAddresses implements cloudprovider.Instances: there are none to tell.
func (i instances) NodeAddresses(context.Context, types.NodeName) ([]v1.NodeAddress, error) {
	return nil, nil
}

// NodeAddressesByProviderID is the same by id.
func (i instances) NodeAddressesByProviderID(context.Context, string) ([]v1.NodeAddress, error) {
	return nil, nil
}

// InstanceExistsByProviderID implements cloudprovider.Instances.
func (i instances) InstanceExistsByProviderID(_ context.Context, id string) (bool, error) {
	return !i.of.is(strings.TrimPrefix(id, cloudName+"://"), "gone"), nil
}

// InstanceShutdownByProviderID implements cloudprovider.Instances.
func (i instances) InstanceShutdownByProviderID(_ context.Context, id string) (bool, error) {
	return i.of.is(strings.TrimPrefix(id, cloudName+"://"), "shut-down"), nil
}
