package recorder

import (
	"context"

	clientrecord "k8s.io/client-go/tools/record"
)

// newBroadcaster is that of the kubelet's events (cmd/kubelet/app/server.go: makeEventRecorder).
func newBroadcaster(context.Context) clientrecord.EventBroadcaster {
	return clientrecord.NewBroadcaster()
}
