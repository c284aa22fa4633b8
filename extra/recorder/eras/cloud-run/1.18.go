package recorder

import "context"

// runningCloud is how a cloud controller manager runs one of its controllers.
func runningCloud(c any, ctx context.Context) (func(), error) { return running(c, 0, ctx) }
