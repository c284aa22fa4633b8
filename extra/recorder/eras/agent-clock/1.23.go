package recorder

import "k8s.io/utils/clock"

// realClock is the clock of the package whose clocks upstream's kubelet takes.
type realClock = clock.RealClock
