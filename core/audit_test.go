package core

import (
	"fmt"
	"slices"

	"graspsync/core/purgatory"
)

// audit compares every count and every cross-reference of the core with what a full sweep finds. Check
// looks for broken rules; this looks for broken bookkeeping, which is where they come from. // I-8
func audit(c *Core) error {
	for _, f := range []func(*Core) error{auditSlabs, auditFiling, auditServed, auditLocks, auditURLs, auditPlaces, auditPRs, auditSources, auditResidents} {
		if err := f(c); err != nil {
			return err
		}
	}
	return nil
}

func used[T any](items []T, is func(*T) bool) (n int) {
	for i := range items {
		if is(&items[i]) {
			n++
		}
	}
	return n
}

// auditSlabs: a slot freed twice or never shows as a difference between the count and the records in use.
func auditSlabs(c *Core) error {
	for _, row := range []struct {
		what        string
		used, count int
	}{
		{"announcements", used(c.anns.Items, func(a *purgatory.Announcement) bool { return a.Status != purgatory.Free }), c.anns.Len()},
		{"states", used(c.states.Items, func(s *purgatory.State) bool { return s.Status != purgatory.Free }), c.states.Len()},
		{"PRs", used(c.prs.Items, func(p *purgatory.PR) bool { return p.Status != purgatory.Free }), c.prs.Len()},
		{"groups", used(c.groups.Items, func(g *group) bool { return g.used }), c.groups.Len()},
		{"identifiers", len(c.identOf), c.idents.Len()},
		{"URLs", len(c.urlOf), c.urls.Len()},
		{"passes", used(c.passes.Items, func(p *pass) bool { return p.used }), c.passes.Len()},
		{"asks", used(c.asks.Items, func(k *ask) bool { return k.id != 0 }), c.asks.Len()},
		{"releases", used(c.releases.Items, func(r *release) bool { return r.used }), c.releases.Len()},
		{"authors", len(c.authors.byKey), c.authors.slab.Len()},
		{"hunts", used(c.groups.Items, func(g *group) bool { return g.used && g.id != 0 }), c.hunts},
		{"attempts", used(c.groups.Items, func(g *group) bool { return g.used && g.phase != idle }), c.attempts},
	} {
		if row.used != row.count {
			return fmt.Errorf("%s: %d in use, %d counted", row.what, row.used, row.count)
		}
	}
	return nil
}

// auditFiling: each held event lies in exactly the groups it concerns. // Q-01, Q-13
func auditFiling(c *Core) error {
	for i := range c.states.Items {
		st := &c.states.Items[i]
		if st.Status != purgatory.Held && st.Status != purgatory.Releasing {
			continue
		}
		if st.Status == purgatory.Releasing && len(st.Groups) == 0 {
			continue // it lost its authority after its release had begun, which decides alone now
		}
		var want []int32
		for _, a := range c.idents.At(st.Ident).Anns {
			if ann := c.anns.At(a); ann.Authorises(st.Author) && !slices.Contains(want, ann.Group) {
				want = append(want, ann.Group)
			}
		}
		if err := sameGroups(c, want, st.Groups, func(g *group) bool { return slices.Contains(g.states, int32(i)) }); err != nil {
			return fmt.Errorf("state %s: %w", st.ID, err)
		}
	}
	for i := range c.prs.Items {
		pr := &c.prs.Items[i]
		if pr.Status == purgatory.Free || pr.Status == purgatory.Served {
			continue
		}
		var want []int32
		for _, r := range pr.Repos {
			if a := c.announcementOf(r.Identifier, r.Owner); a != purgatory.None && !slices.Contains(want, c.anns.At(a).Group) {
				want = append(want, c.anns.At(a).Group)
			}
		}
		if err := sameGroups(c, want, pr.Groups, func(g *group) bool { return slices.Contains(g.prs, int32(i)) }); err != nil {
			return fmt.Errorf("PR %s: %w", pr.ID, err)
		}
	}
	return nil
}

func sameGroups(c *Core, want, got []int32, listed func(*group) bool) error {
	want, got = slices.Clone(want), slices.Clone(got)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		return fmt.Errorf("concerns groups %v, is filed under %v", want, got)
	}
	for i := range c.groups.Items {
		if g := &c.groups.Items[i]; g.used && listed(g) != slices.Contains(want, int32(i)) {
			return fmt.Errorf("group %d lists it: %v, it concerns %v", i, listed(g), want)
		}
	}
	return nil
}

// auditServed: what announcements show and what their identifier remembers are served states.
func auditServed(c *Core) error {
	applied := map[int32]int32{}
	for i := range c.anns.Items {
		a := &c.anns.Items[i]
		if a.Status == purgatory.Free {
			continue
		}
		if a.Showing != purgatory.None {
			applied[a.Showing]++
		}
		if a.Applied == purgatory.None {
			continue
		}
		applied[a.Applied]++
		if st := c.states.At(a.Applied).Status; st != purgatory.Served && st != purgatory.Releasing {
			return fmt.Errorf("announcement %s shows a state of status %d", a.ID, st)
		}
	}
	for i := range c.states.Items {
		if st := &c.states.Items[i]; st.Status != purgatory.Free && st.Applied != applied[int32(i)] {
			return fmt.Errorf("state %s: applied %d times, counted %d", st.ID, applied[int32(i)], st.Applied)
		}
	}
	for i := range c.idents.Items {
		id := &c.idents.Items[i]
		for _, s := range id.Served {
			if st := c.states.At(s); st.Status != purgatory.Served && st.Status != purgatory.Releasing || st.Ident != int32(i) {
				return fmt.Errorf("identifier %d remembers a state of status %d as served", id.Handle, st.Status)
			}
		}
	}
	return nil
}

// auditLocks: a repository is locked exactly while a release or an alignment of it is out, and pinned
// exactly as often as pushes pin it. // H-05, P-04
func auditLocks(c *Core) error {
	locks, pins := map[int32]int{}, map[int32]int32{}
	for i := range c.releases.Items {
		if r := &c.releases.Items[i]; r.used {
			for _, a := range r.owners {
				locks[a]++
			}
		}
	}
	for i := range c.asks.Items {
		if k := &c.asks.Items[i]; k.id != 0 && (k.kind == askRealign || k.kind == askShow && !k.retry) {
			locks[k.b]++
		}
	}
	for i := range c.pushes.slab.Items {
		if p := &c.pushes.slab.Items[i]; p.used && p.pinned && c.anns.At(p.ann).Serial == p.serial {
			pins[p.ann]++
		}
	}
	for i := range c.anns.Items {
		a := &c.anns.Items[i]
		if a.Status == purgatory.Free {
			continue
		}
		if n := locks[int32(i)]; n > 1 || a.Locked != (n == 1) {
			return fmt.Errorf("announcement %s: locked %v, %d releases and alignments are out", a.ID, a.Locked, n)
		}
		if a.Pins != pins[int32(i)] {
			return fmt.Errorf("announcement %s: %d pins, %d pushes pin it", a.ID, a.Pins, pins[int32(i)])
		}
	}
	return nil
}

// auditURLs: each URL is remembered as often as something names it.
func auditURLs(c *Core) error {
	refs := map[int32]int32{}
	for i := range c.anns.Items {
		if a := &c.anns.Items[i]; a.Status != purgatory.Free {
			for _, u := range a.URLs {
				refs[u]++
			}
			if a.Holder != purgatory.None {
				refs[a.Holder]++
			}
		}
	}
	for i := range c.shadows.Items {
		for _, u := range c.shadows.Items[i].urls {
			refs[u]++
		}
	}
	for i := range c.prs.Items {
		if p := &c.prs.Items[i]; p.Status != purgatory.Free {
			for _, u := range p.URLs {
				refs[u]++
			}
		}
	}
	for i := range c.passes.Items {
		if p := &c.passes.Items[i]; p.used {
			refs[p.url]++
		}
	}
	for i := range c.urls.Items {
		if u := &c.urls.Items[i]; u.refs > 0 || refs[int32(i)] > 0 {
			if u.refs != refs[int32(i)] {
				return fmt.Errorf("URL %d: %d references, counted %d", u.url, refs[int32(i)], u.refs)
			}
		}
	}
	return nil
}

// auditPRs: each PR stands once in the list of every repository it names, where it thinks it does. // S-01
func auditPRs(c *Core) error {
	n := 0
	for i := range c.prs.Items {
		pr := &c.prs.Items[i]
		if pr.Status == purgatory.Free {
			continue
		}
		for k := range pr.Repos {
			list := c.prsAt[pr.Repos[k].Repo]
			if at := pr.Filed[k]; int(at) >= len(list) || list[at] != int32(i) {
				return fmt.Errorf("PR %s is not in the list of its repository %d", pr.ID, pr.Repos[k].Repo)
			}
			n++
		}
	}
	for repo, list := range c.prsAt {
		if n -= len(list); len(list) == 0 {
			return fmt.Errorf("the list of PRs of repository %d is empty and kept", repo)
		}
	}
	if n != 0 {
		return fmt.Errorf("lists of PRs by repository are %d entries short", n)
	}
	return nil
}

// auditPlaces: placeholders, and what is reserved for pushes under way, are counted as they are. // PR-03, S-06
func auditPlaces(c *Core) error {
	use := map[Handle]placeUse{}
	add := func(from Handle, n, pending int32, bytes int64) {
		u := use[from]
		u.n, u.pending, u.bytes = u.n+n, u.pending+pending, u.bytes+bytes
		use[from] = u
	}
	reserved, under := map[int32]int32{}, int64(0)
	for i := range c.pushes.slab.Items {
		p := &c.pushes.slab.Items[i]
		if !p.used {
			continue
		}
		ann := c.anns.At(p.ann)
		if p.ended && (ann.Serial != p.serial || !ann.Locked && !c.checkOut(ann.Group)) {
			return fmt.Errorf("push %d: over, nothing is awaited, and it is not answered", p.id)
		}
		if !p.ended && p.fresh > 0 {
			add(p.from, 0, p.fresh, 0)
			u := use[p.from]
			u.under += p.bytes
			use[p.from], under = u, under+p.bytes
			if ann.Serial == p.serial {
				reserved[p.ann] += p.fresh
			}
		}
	}
	for _, s := range c.places.stamps {
		add(s.from, 1, 0, s.bytes)
	}
	if len(use) != len(c.places.bySrc) {
		return fmt.Errorf("placeholders of %d sources are counted, there are %d", len(c.places.bySrc), len(use))
	}
	for from, u := range use {
		if c.places.bySrc[from] != u {
			return fmt.Errorf("source %d: counted %+v, is %+v", from, c.places.bySrc[from], u)
		}
	}
	places, bytes := 0, int64(0)
	for i := range c.anns.Items {
		a := &c.anns.Items[i]
		if a.Status == purgatory.Free {
			continue
		}
		if a.Reserved != reserved[int32(i)] {
			return fmt.Errorf("announcement %s: %d placeholders reserved, pushes need %d", a.ID, a.Reserved, reserved[int32(i)])
		}
		own := int64(0)
		for _, k := range a.Places {
			p := c.places.slab.At(k)
			if !p.used || p.ann != int32(i) || c.places.at[placeKey{a.Repo, p.id}] != k {
				return fmt.Errorf("announcement %s lists a placeholder that is not its own", a.ID)
			}
			own += p.bytes
		}
		if own != a.PlaceBytes {
			return fmt.Errorf("announcement %s: %d bytes of placeholders, counted %d", a.ID, own, a.PlaceBytes)
		}
		places += len(a.Places)
		bytes += own
	}
	if under != c.places.under {
		return fmt.Errorf("%d bytes of placeholders under way, counted %d", under, c.places.under)
	}
	if places != c.places.slab.Len() || places != len(c.places.at) || bytes != c.places.bytes {
		return fmt.Errorf("%d placeholders of %d bytes, counted %d, %d, %d bytes", places, bytes, c.places.slab.Len(), len(c.places.at), c.places.bytes)
	}
	return nil
}

// auditSources: hunts and bytes are counted for those they belong to. // S-06
func auditSources(c *Core) error {
	hunts := map[int32]int32{}
	for i := range c.groups.Items {
		if g := &c.groups.Items[i]; g.used && g.source != purgatory.None {
			if g.id == 0 {
				return fmt.Errorf("group %d has no hunt and counts for a source", i)
			}
			hunts[g.source]++
		}
	}
	for i := range c.sources.slab.Items {
		if s := &c.sources.slab.Items[i]; s.used && (s.hunts != hunts[int32(i)] || c.sources.byHandle[s.from] != int32(i)) {
			return fmt.Errorf("source %d: %d hunts, counted %d", s.from, hunts[int32(i)], s.hunts)
		}
	}
	bytes, mentioned := int64(0), map[EventID]int32{}
	for i := range c.states.Items {
		if s := &c.states.Items[i]; s.Status == purgatory.Held || s.Status == purgatory.Releasing {
			bytes += int64(s.Size)
		}
	}
	for i := range c.prs.Items {
		if p := &c.prs.Items[i]; p.Status == purgatory.Held || p.Status == purgatory.Releasing {
			bytes += int64(p.Size)
			for _, id := range p.Mentions {
				mentioned[id]++
			}
		}
	}
	for i := range c.anns.Items {
		if a := &c.anns.Items[i]; a.Status != purgatory.Free && a.Status != purgatory.Served {
			bytes += int64(a.Size)
		}
	}
	if bytes != c.heldBytes || len(mentioned) != len(c.mentioned) {
		return fmt.Errorf("%d bytes held, counted %d; %d events referred to, counted %d", bytes, c.heldBytes, len(mentioned), len(c.mentioned))
	}
	return nil
}
