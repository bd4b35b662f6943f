package core

import (
	"slices"

	"graspsync/core/purgatory"
)

// judgeGroups: what a group lists is there and says so too; starts are armed anew, in whatever order.
func (r *restored) judgeGroups() {
	const what = "group"
	ids := make(map[HuntID]bool)
	for i := range r.groups.Items {
		g := &r.groups.Items[i]
		r.must(r.group[i] == g.used, what, i, "is free and in use")
		if !g.used || r.err != nil {
			continue
		}
		r.must(has(r.ident, g.ident), what, i, "is under no identifier")
		r.must(all(r.ann, g.anns) && all(r.state, g.states) && all(r.pr, g.prs) && all(r.ann, g.repos) && len(g.repos) <= 64, what, i,
			"lists what is not there")
		if r.err != nil {
			return
		}
		r.must(slices.Contains(r.idents.At(g.ident).Groups, int32(i)), what, i, "is not under its identifier")
		for _, a := range g.anns {
			r.must(r.anns.At(a).Group == int32(i), what, i, "lists an announcement of another")
		}
		r.must(g.author == purgatory.None || has(r.author, g.author), what, i, "is nobody's hunt")
		r.must((g.id != 0) == (g.author != purgatory.None) && (g.id != 0 || g.next == Never && g.phase == idle), what, i,
			"attempts something without a hunt")
		if r.err == nil && g.id != 0 {
			r.must(!ids[g.id] && g.id <= r.huntSeq, what, i, "has the hunt of another or of the future")
			ids[g.id] = true
			r.huntsBy[g.author]++
		}
		r.must(g.checksOut == r.checks[i], what, i, "waits for "+num(int(g.checksOut))+" checks, "+num(int(r.checks[i]))+" are out")
		r.must(g.phase != checking || g.checks > 0 && g.checks <= g.checksOut, what, i, "checks, and waits for none or for more than are out")
		for k := range g.wants {
			r.must(k == 0 || g.wants[k-1].oid.Compare(g.wants[k].oid) < 0, what, i, "has wants out of order")
		}
		if r.err != nil {
			return
		}
		n := len(g.wants)
		r.recountNeeds(int32(i))
		r.must(len(g.wants) == n && !slices.ContainsFunc(g.wants, func(w want) bool { return w.uses == 0 }), what, i,
			"wants other objects than its events do")
		r.judgeSources(g, i)
		r.start(int32(i))
	}
	r.must(len(ids) == r.hunts, "count of hunts", r.hunts, "is wrong, there are "+num(len(ids)))
}

// judgeResidents files what may be evicted, and notes the groups that go without a hunt (Q-14, S-06).
func (r *restored) judgeResidents() {
	for i := range r.groups.Items {
		g := &r.groups.Items[i]
		if !g.used {
			continue
		}
		g.proven = !r.unproven(g)
		r.rankHunt(int32(i))
		if !r.fed && g.id == 0 && g.active > 0 {
			r.starve(int32(i))
		}
	}
	for i := range r.states.Items {
		r.settleIn(location{recState, int32(i)}, r.state[i] && r.states.At(int32(i)).Status != purgatory.Served)
	}
	for i := range r.prs.Items {
		r.settleIn(location{recPR, int32(i)}, r.pr[i] && r.prs.At(int32(i)).Status != purgatory.Served)
	}
	for i := range r.anns.Items {
		if r.ann[i] && r.anns.At(int32(i)).Strayed {
			r.strayed++
		}
		r.settleIn(location{recAnnouncement, int32(i)}, r.ann[i] && r.anns.At(int32(i)).Status != purgatory.Served)
	}
}

func (r *restored) settleIn(loc location, held bool) {
	t := r.tenancy(loc)
	r.must(held || !*t.synced && *t.from == 0, "event of kind "+num(int(loc.kind)), int(loc.slot), "is synced and not held")
	if r.err == nil && *t.synced {
		r.file(loc, t)
		r.rank(loc)
	}
}

func (r *restored) judgeSources(g *group, i int) {
	for k := range g.sources {
		if g.phase != hunting {
			break // listed anew before any is asked
		}
		s := &g.sources[k]
		r.must(has(r.url, s.url) && r.urls.At(s.url).dom == s.dom, "group", i, "has a source that is not there")
	}
	for w := range g.waves {
		r.must(all(r.pass, g.waves[w].running), "group", i, "runs a pass that is not there")
		for k, t := range g.waves[w].tickets {
			r.must(r.budget.IsTicket(t, ticketTag(int32(i), Wave(w))) && !slices.Contains(g.waves[w].tickets[:k], t), "group", i,
				"holds a ticket that is not its own")
		}
	}
}

// start puts a group into the calendar.
func (r *restored) start(i int32) {
	g := r.groups.At(i)
	at := g.next
	g.next = Never
	if at == Never || !r.must(at >= r.now && at%r.starts.interval == 0, "group", int(i), "starts in the past or off the grid") {
		return
	}
	if r.starts.base == 0 && r.now > 0 {
		r.starts.base = int64(r.now / r.starts.interval)
	}
	r.armStart(i, at)
}

func (r *restored) judgePasses() {
	const what = "pass"
	for i := range r.passes.Items {
		p := &r.passes.Items[i]
		r.must(r.pass[i] == p.used, what, i, "is free and in use")
		if !p.used || r.err != nil {
			continue
		}
		r.must(has(r.group, p.group) && has(r.url, p.url) && within(&r.anns, p.target), what, i, "belongs nowhere")
		if r.err != nil {
			return
		}
		r.must(slices.Contains(r.groups.At(p.group).waves[p.wave].running, int32(i)), what, i, "runs in no wave")
		r.must(r.urls.At(p.url).dom == p.permit.Dom, what, i, "has the permit of another domain")
		s := p.ask.slot()
		r.must(int(s) < len(r.ask) && r.asks.Items[s].id == p.ask && r.asks.Items[s].kind == askPass && r.asks.Items[s].a == int32(i),
			what, i, "has no request")
		r.urlRefs[p.url]++
	}
}

// judgeRequests: each open one has its own slot and is about something that is there (T-04).
func (r *restored) judgeRequests() {
	const what = "request"
	r.must(len(r.ask) <= 1<<askSlotBits, what, len(r.ask), "is too many")
	for i := range r.asks.Items {
		k := &r.asks.Items[i]
		r.must(r.ask[i] == (k.kind != askNone), what, i, "is free and in use")
		if k.kind == askNone || r.err != nil {
			continue
		}
		r.must(int(k.id.slot()) == i && uint64(k.id)>>askSlotBits <= r.askSeq && k.id != 0, what, i, "has the id of another or of the future")
		ok := within(&r.anns, k.b)
		switch k.kind {
		case askPass:
			ok = has(r.pass, k.a) && r.passes.At(k.a).ask == k.id
		case askCheck:
			if ok = ok && within(&r.groups, k.a); ok && r.group[k.a] && r.groups.At(k.a).use == k.serial {
				r.checks[k.a]++
			}
		case askCopy, askAlign, askNostr:
			ok = ok && has(r.release, k.a)
		case askState:
			ok = has(r.release, k.a)
		case askPromote:
			ok = ok && some(r.release, k.a)
		case askShow:
			ok = ok && (k.retry || r.anns.At(k.b).Showing != purgatory.None)
		case askPlain:
			ok = has(r.pended, k.a)
		case askRemove:
			ok = true
		case askDelete, askErase:
			r.deleting[k.repo]++
		}
		r.must(ok, what, i, "is about nothing that is there")
	}
}

func (r *restored) judgeReleases() {
	const what = "release"
	for i := range r.releases.Items {
		x := &r.releases.Items[i]
		r.must(r.release[i] == x.used, what, i, "is free and in use")
		if !x.used || r.err != nil {
			continue
		}
		r.must(within(&r.anns, x.from) && all(r.ann, x.owners), what, i, "is of a repository that is not there")
		if x.dead {
			continue
		}
		if x.kind == recState {
			r.must(has(r.state, x.slot) && r.states.At(x.slot).Release == int32(i)+1, what, i, "is of no state")
		} else {
			r.must(has(r.pr, x.slot) && r.prs.At(x.slot).Release == int32(i)+1, what, i, "is of no PR")
		}
	}
}

func (r *restored) judgePushes() {
	const what = "push"
	pins := make([]int32, len(r.ann))
	for i := range r.pushes.slab.Items {
		p := &r.pushes.slab.Items[i]
		r.must(r.push[i] == p.used, what, i, "is free and in use")
		if !p.used || r.err != nil {
			continue
		}
		_, twice := r.pushes.byID[p.id]
		if !r.must(!twice && within(&r.anns, p.ann) || p.ended, what, i, "is there twice or to nowhere") {
			return
		}
		r.pushes.byID[p.id] = int32(i)
		if r.must(within(&r.anns, p.ann), what, i, "is to nowhere") && r.anns.At(p.ann).Serial == p.serial {
			r.must(slices.Contains(r.anns.At(p.ann).Pushes, int32(i)), what, i, "is not known to its repository")
		}
		if p.pinned && has(r.ann, p.ann) && r.anns.At(p.ann).Serial == p.serial {
			pins[p.ann]++
		}
		if r.must(p.fresh >= 0 && int(p.fresh) <= len(p.nostr) && p.bytes >= 0, what, i, "leaves more placeholders than it names, or fewer bytes than none"); !p.ended && p.fresh > 0 {
			r.places.under += p.bytes
			r.useSource(p.from, func(u *placeUse) { u.pending += p.fresh; u.under += p.bytes })
		}
	}
	for i := range r.anns.Items {
		r.must(!r.ann[i] || r.anns.Items[i].Pins == pins[i], "announcement", i, "is pinned "+num(int(r.anns.Items[i].Pins))+" times, pushes pin it "+num(int(pins[i])))
	}
	for i := range r.found {
		r.must(within(&r.anns, r.found[i].ann), "ref found at start", i, "is of no repository")
	}
}

// judgePlaces files the placeholders that were read, and what their sources have left (PR-03, S-06).
func (r *restored) judgePlaces() {
	const what = "placeholder"
	bytes := make([]int64, len(r.ann))
	for i := range r.places.slab.Items {
		p := &r.places.slab.Items[i]
		r.must(r.place[i] == p.used, what, i, "is free and in use")
		if !p.used || r.err != nil {
			continue
		}
		if !r.must(has(r.ann, p.ann) && p.bytes >= 0, what, i, "is of no repository") {
			return
		}
		key := placeKey{r.anns.At(p.ann).Repo, p.id}
		_, twice := r.places.at[key]
		r.must(!twice && slices.Contains(r.anns.At(p.ann).Places, int32(i)), what, i, "is there twice, or not known to its repository")
		r.places.at[key] = int32(i)
		r.places.bytes += p.bytes
		bytes[p.ann] += p.bytes
	}
	n := 0
	for i := range r.anns.Items {
		a := &r.anns.Items[i]
		n += len(a.Places)
		r.must(!r.ann[i] || a.PlaceBytes == bytes[i] && all(r.place, a.Places) && all(r.push, a.Pushes), "announcement", i, "has other placeholders or pushes than there are")
	}
	r.must(n == r.places.slab.Len(), "count of placeholders", n, "is wrong")
	for i := range r.places.stamps {
		s := r.places.stamps[i]
		r.must(i == 0 || r.places.stamps[i-1].at <= s.at, "placeholder stamp", i, "is out of order")
		r.useSource(s.from, func(u *placeUse) { u.n++; u.bytes += s.bytes })
	}
}

// judgeCounts holds the counts that were read against the records.
func (r *restored) judgeCounts() {
	for i := range r.url {
		u := r.urls.At(int32(i))
		r.must(!r.url[i] || u.refs == r.urlRefs[i], "URL", i, "has "+num(int(u.refs))+" references, there are "+num(int(r.urlRefs[i])))
	}
	for i := range r.author {
		a := r.authors.at(int32(i))
		r.must(!r.author[i] || a.held == r.heldBy[i] && a.hunts == r.huntsBy[i] && a.held+a.hunts > 0, "author", i, "holds "+num(int(a.held))+
			" events and "+num(int(a.hunts))+" hunts, there are "+num(int(r.heldBy[i]))+" and "+num(int(r.huntsBy[i])))
	}
	for i := range r.state {
		s := r.states.At(int32(i))
		r.must(!r.state[i] || s.Applied == r.applied[i], "state", i, "is shown "+num(int(s.Applied))+" times, in truth "+num(int(r.applied[i])))
	}
	for i := range r.ident {
		id := r.idents.At(int32(i))
		r.must(!r.ident[i] || id.States == r.heldUnder[i], "identifier", i, "has "+num(int(id.States))+" held states, there are "+num(int(r.heldUnder[i])))
	}
	r.must(r.bytes == r.heldBytes, "count of held bytes", int(r.heldBytes), "is wrong, there are "+num(int(r.bytes)))
	running := 0
	for i := range r.groups.Items {
		if r.groups.Items[i].phase != idle {
			running++
		}
	}
	r.must(running == r.attempts, "count of attempts", r.attempts, "is wrong, there are "+num(running))
	tickets := 0
	for i := range r.groups.Items {
		for w := range r.groups.Items[i].waves {
			tickets += len(r.groups.Items[i].waves[w].tickets)
		}
	}
	r.must(tickets == r.budget.Tickets(), "count of tickets", r.budget.Tickets(), "is wrong, hunts hold "+num(tickets))
}
