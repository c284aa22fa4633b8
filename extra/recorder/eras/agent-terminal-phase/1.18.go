package recorder

// terminalBeforeRemoval: a pod is removed only once its phase is terminal.
const terminalBeforeRemoval = false
