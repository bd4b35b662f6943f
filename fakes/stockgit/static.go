package stockgit

import (
	"graspsync/core"
	"graspsync/fakes"
)

// walk fetches objects one by one from a static mirror, wanted ones first, then what they refer to. What
// came before a miss stays, but without its closure, so it does not count as got.
func (k *call) walk(oids []core.OID) {
	if !k.exchange(fakes.GetHead, nil, &fakes.HTTPReply{}) {
		return
	}
	seen := make(map[core.OID]bool, len(oids))
	var queue []core.OID
	add := func(list []core.OID) {
		for _, o := range list {
			if !seen[o] {
				seen[o] = true
				queue = append(queue, o)
			}
		}
	}
	add(oids)
	for len(queue) > 0 {
		o := queue[0]
		queue = queue[1:]
		var a fakes.HTTPReply
		if !k.exchange(fakes.GetObject, []core.OID{o}, &a) {
			return
		}
		if a.Status != 200 || a.Body != fakes.FileBody {
			k.lookElsewhere(o, &a)
			return
		}
		add(a.OIDs)
	}
	k.out.Got = oids
}

// lookElsewhere goes through the other places an object may be in: packs, and the stores the mirror names
// as its alternates, of which there are two lists. The second is asked for only where the first is missing.
func (k *call) lookElsewhere(o core.OID, got *fakes.HTTPReply) {
	var a fakes.HTTPReply
	for range 2 {
		if !k.exchange(fakes.GetAlternates, nil, &a) {
			return
		}
		if a.Status == 200 {
			break
		}
	}
	if !k.exchange(fakes.GetPacks, nil, &a) {
		return
	}
	k.out.Named = o
	if got.Status == 200 {
		k.fail(core.Invalid, "corrupt", "Unable to find", "Cannot obtain needed object")
		return
	}
	k.fail(core.NotOurRef, "Unable to find", "Cannot obtain needed object")
}
