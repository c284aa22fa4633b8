package cases

import (
	"fmt"
	"hash/fnv"
	"os"
	"testing"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	statsapi "k8s.io/kubelet/pkg/apis/stats/v1alpha1"
	_ "k8s.io/kubernetes/pkg/kubelet/eviction"
)

type statsOf func(*v1.Pod) (statsapi.PodStats, bool)

//go:linkname rankMemoryPressure k8s.io/kubernetes/pkg/kubelet/eviction.rankMemoryPressure
func rankMemoryPressure(pods []*v1.Pod, stats statsOf)

//go:linkname rankPIDPressure k8s.io/kubernetes/pkg/kubelet/eviction.rankPIDPressure
func rankPIDPressure(pods []*v1.Pod, stats statsOf)

//go:linkname rankDiskPressureFunc k8s.io/kubernetes/pkg/kubelet/eviction.rankDiskPressureFunc
func rankDiskPressureFunc(measured []string, resource v1.ResourceName) func([]*v1.Pod, statsOf)

// A generator that the model's test has, too (xorshift64*).
type numbers uint64

func (n *numbers) next(below uint64) uint64 {
	x := uint64(*n)
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	*n = numbers(x)
	return (x * 0x2545F4914F6CDD1D) >> 33 % below
}

const Mi = 1 << 20

// TestRanks says how a million random sets of two to eight pods are ranked: a checksum of the places of the pods in each set, by what is short. No two
// pods of a set use as much, so that none rank alike.
func TestRanks(t *testing.T) {
	if os.Getenv("RANKS") == "" {
		t.Skip("takes minutes: RANKS=1 runs it")
	}
	disk := rankDiskPressureFunc([]string{"root", "logs"}, v1.ResourceEphemeralStorage)
	for _, about := range []struct {
		name string
		rank func([]*v1.Pod, statsOf)
	}{{"memory", rankMemoryPressure}, {"ephemeral-storage", disk}, {"pids", rankPIDPressure}} {
		n, sum := numbers(88172645463325252), fnv.New64a()
		for set := range 1_000_000 {
			count := int(2 + n.next(7))
			pods, stats := make([]*v1.Pod, count), make(map[types.UID]statsapi.PodStats, count)
			for i := range count {
				priority := []int32{-10, 0, 0, 7, 100, 1000}[n.next(6)]
				request := int64(n.next(5)) * 256 * Mi
				uses, none := n.next(6)*256*Mi+uint64(i+1), uint64(0)
				requests := v1.ResourceList{}
				if request > 0 {
					requests[v1.ResourceName(about.name)] = *resource.NewQuantity(request, resource.BinarySI)
				}
				containers := []v1.Container{{Name: "main", Resources: v1.ResourceRequirements{Requests: requests}}}
				uid := types.UID(fmt.Sprint(i))
				pods[i] = &v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid}, Spec: v1.PodSpec{Priority: &priority, Containers: containers}}
				memory := &statsapi.MemoryStats{WorkingSetBytes: &uses}
				stats[uid] = statsapi.PodStats{Memory: memory, ProcessStats: &statsapi.ProcessStats{ProcessCount: &uses}, Containers: []statsapi.ContainerStats{{Name: "main", Memory: memory,
					Rootfs: &statsapi.FsStats{UsedBytes: &uses, InodesUsed: &none}, Logs: &statsapi.FsStats{UsedBytes: &none, InodesUsed: &none}}}}
			}
			about.rank(pods, func(pod *v1.Pod) (statsapi.PodStats, bool) { one, found := stats[pod.UID]; return one, found })
			for _, pod := range pods {
				sum.Write([]byte(pod.UID))
			}
			if set+1 == 100_000 {
				fmt.Printf("ranks: %s, a tenth of the sets, %016x\n", about.name, sum.Sum64())
			}
		}
		fmt.Printf("ranks: %s, all sets, %016x\n", about.name, sum.Sum64())
	}
}
