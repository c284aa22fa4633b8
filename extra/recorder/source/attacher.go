package recorder

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// attacher imitates the external-attacher of the disks' driver; ../SCENARIO.md gives the rules.
type attacher struct {
	server         *server
	attach, detach time.Duration
	mu             sync.Mutex
	due            map[types.UID]*attachmentDue
}

// attachmentDue is what has to be done for one VolumeAttachment, and when.
type attachmentDue struct {
	name           string
	attach, detach time.Time
}

const (
	attacherActor     = "attacher"
	attacherFinalizer = "external-attacher/disks-csi-example"
)

func (r *run) newAttacher() *attacher {
	return &attacher{server: r.server, attach: r.Attacher.Attach.Duration, detach: r.Attacher.Detach.Duration, due: map[types.UID]*attachmentDue{}}
}

// observe plans what is to be done; the server is locked, so it only sets timers.
func (a *attacher) observe(old, new object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if new == nil {
		delete(a.due, types.UID(text(old, "metadata", "uid")))
		return
	}
	uid := types.UID(text(new, "metadata", "uid"))
	d := a.due[uid]
	if d == nil {
		d = &attachmentDue{name: text(new, "metadata", "name"), attach: time.Now().Add(a.attach)}
		a.due[uid] = d
		time.AfterFunc(0, func() { a.work(uid) }) // for the finalizer
		time.AfterFunc(a.attach, func() { a.work(uid) })
	}
	if isDeleting(new) && d.detach.IsZero() {
		d.detach = time.Now().Add(a.detach)
		time.AfterFunc(a.detach, func() { a.work(uid) })
	}
}

// work does whatever is due for one attachment.
func (a *attacher) work(uid types.UID) {
	down := a.server.isDown()
	a.mu.Lock()
	d, now := a.due[uid], time.Now()
	if d == nil || down {
		a.mu.Unlock()
		return
	}
	name, attach, detach := d.name, !now.Before(d.attach), !d.detach.IsZero() && !now.Before(d.detach)
	a.mu.Unlock()
	write := func(subresource string, change func(cur object) object) {
		a.server.update(attacherActor, "volumeattachments", subresource, "", name, func(cur object) (object, *status) {
			if text(cur, "metadata", "uid") != string(uid) || isDeleting(cur) != detach {
				return cur, nil
			}
			return change(cur), nil
		})
	}
	if detach {
		write("", func(cur object) object { return with(cur, nil, "metadata", "finalizers") })
		return
	}
	write("", func(cur object) object { return with(cur, []any{attacherFinalizer}, "metadata", "finalizers") })
	if attach {
		write("status", func(cur object) object { return with(cur, true, "status", "attached") })
	}
}

// serverIsBack does what became due while the API server was out of reach.
func (a *attacher) serverIsBack() {
	a.mu.Lock()
	var late []types.UID
	for uid := range a.due {
		late = append(late, uid)
	}
	a.mu.Unlock()
	for _, uid := range late {
		a.work(uid)
	}
}
