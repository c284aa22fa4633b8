package recorder

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
)

func eventSink(c kubernetes.Interface) events.EventSink {
	return &events.EventSinkImpl{Interface: c.EventsV1()}
}
