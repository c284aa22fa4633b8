package recorder

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// How often each is tried, and how long a goroutine works when it goes on: ten thousand steps, about as long as a request to an
// API server in memory.
const tries, steps = 1000, 10_000

var sink atomic.Uint32

func work() {
	var hash uint32
	for i := range uint32(steps) {
		hash = (hash ^ i) * 16777619
	}
	sink.Add(hash)
}

// started starts so many goroutines one right after the other, and waits for them: whether the last one goes first, and whether the
// others come in order then.
func started(n int) (lastFirst, inOrder bool) {
	var turn atomic.Int32
	order := make([]int, n)
	var all sync.WaitGroup
	for i := range n {
		all.Add(1)
		go func() {
			defer all.Done()
			order[turn.Add(1)-1] = i
			work()
		}()
	}
	all.Wait()
	inOrder = order[0] == n-1
	for i, who := range order[1:] {
		inOrder = inOrder && who == i
	}
	return order[0] == n-1, inOrder
}

// woken wakes two goroutines that wait, one right after the other, and goes on: whether one of them comes before that, and whether
// the second one comes first.
func woken() (before, second bool) {
	first, then := make(chan struct{}), make(chan struct{})
	var turn, a, b, c atomic.Int32
	var all sync.WaitGroup
	all.Add(2)
	go func() { defer all.Done(); <-first; b.Store(turn.Add(1)) }()
	go func() { defer all.Done(); <-then; c.Store(turn.Add(1)) }()
	time.Sleep(time.Millisecond) // both wait now
	first <- struct{}{}
	then <- struct{}{}
	work()
	a.Store(turn.Add(1))
	all.Wait()
	return min(b.Load(), c.Load()) < a.Load(), c.Load() < b.Load()
}

// counted says of so many tries in how many either was so, in real or in virtual time.
func counted(t *testing.T, virtual bool, once func() (bool, bool)) (is, was int) {
	try := func() {
		a, b := once()
		if a {
			is++
		}
		if b {
			was++
		}
	}
	for range tries {
		if virtual {
			synctest.Test(t, func(*testing.T) { try() })
		} else {
			try()
		}
	}
	return is, was
}

// In which order goroutines go on that are started, or woken, at one time.
func TestTurns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processors := range []int{2, 4, 8} {
		runtime.GOMAXPROCS(processors)
		for _, virtual := range []bool{false, true} {
			where := fmt.Sprintf("turns: GOMAXPROCS %d, virtual time %v:", processors, virtual)
			for _, n := range []int{2, 3, 16} {
				last, order := counted(t, virtual, func() (bool, bool) { return started(n) })
				fmt.Println(where, n, "started: the last goes first in", last, "and then the others in order in", order, "of", tries)
			}
			before, second := counted(t, virtual, woken)
			fmt.Println(where, "two woken: one of them goes on before who woke it in", before, "the second before the first in", second, "of", tries)
		}
	}
}
