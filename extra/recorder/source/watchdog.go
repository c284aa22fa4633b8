package recorder

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync/atomic"
	"time"
)

// Virtual time goes on only when every goroutine waits for something that virtual time knows: a
// channel, a timer, a condition. One that waits for a mutex does not count, and if the mutex's owner
// sleeps, nobody ever wakes it: time stands still for good. ../locks lists the mutexes of upstream
// that are held that way and are replaced; the watchdog finds the next one.

// ticks counts the virtual seconds that have passed.
var ticks atomic.Int64

// proceed runs in virtual time and shows that it goes on.
func proceed() {
	for {
		time.Sleep(time.Second)
		ticks.Add(1)
	}
}

// watch runs in wall time. If no virtual second passes for that long, it prints every goroutine, those
// that hold time up first, and ends the process.
func watch(patience time.Duration) {
	go func() {
		const looks = 20
		seen, still := ticks.Load(), 0
		for {
			time.Sleep(patience / looks)
			if now := ticks.Load(); now != seen {
				seen, still = now, 0
				continue
			}
			if still++; still > looks {
				fmt.Fprintf(os.Stderr, "virtual time stands still at second %d: what holds it up comes first, or, without delays, upstream goes round in a circle\n\n%s\n", seen, stacks())
				os.Exit(3)
			}
		}
	}()
}

// stacks gives all goroutines' stacks. First come those in virtual time that wait for a mutex, then
// others in virtual time that do not wait durably, then the rest.
func stacks() string {
	buffer := make([]byte, 64<<20)
	all := strings.Split(strings.TrimSpace(string(buffer[:runtime.Stack(buffer, true)])), "\n\n")
	rank := func(stack string) int {
		head, _, _ := strings.Cut(stack, "\n")
		inside := strings.Contains(head, "synctest bubble")
		switch {
		case inside && (strings.Contains(head, "Mutex") || strings.Contains(head, "semacquire")):
			return 0
		case inside && !strings.Contains(head, "(durable)"):
			return 1
		case inside:
			return 2
		}
		return 3
	}
	sort.SliceStable(all, func(a, b int) bool { return rank(all[a]) < rank(all[b]) })
	return strings.Join(all, "\n\n")
}
