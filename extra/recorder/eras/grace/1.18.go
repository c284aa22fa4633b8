package recorder

import "time"

// The default of --node-monitor-grace-period.
const defaultGrace = 40 * time.Second
