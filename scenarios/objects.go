package scenarios

import (
	"slices"
	"strconv"
	"strings"

	"graspsync/core"
	"graspsync/fakes"
)

// objects puts the history of a repository into the graph: commits with their parents first, then tags.
func (b *build) objects(r *item[Repo]) {
	_, identifier, _ := splitRepo(r.name)
	var commit func(label string)
	commit = func(label string) { // depth is bounded: cycles are refused, and parents are few per step
		full := objectLabel(identifier, label)
		if b.made[full] {
			return
		}
		b.made[full] = true
		if target, isTag := r.val.Tags[label]; isTag {
			commit(target)
			b.parts.Tag(full, objectLabel(identifier, target))
			return
		}
		parents := make([]string, 0, len(r.val.Commits[label]))
		for _, p := range r.val.Commits[label] {
			commit(p)
			parents = append(parents, objectLabel(identifier, p))
		}
		b.parts.Commit(full, parents...)
	}
	for _, label := range sortedKeys(r.val.Chains) {
		full, n := objectLabel(identifier, label), r.val.Chains[label]
		if !b.made[full] {
			b.parts.Chain(full, n)
			b.made[full] = true
			for k := 1; k < n; k++ {
				b.made[full+"~"+strconv.Itoa(k)] = true
			}
		}
	}
	commit(baseLabel)
	for _, label := range b.chainOrder(r.val.Commits) {
		commit(label)
	}
	for _, tag := range sortedKeys(r.val.Tags) {
		commit(tag)
	}
	for _, where := range sortedKeys(r.val.On) {
		for _, h := range r.val.On[where] {
			has, _ := h.Has.expand()
			for _, label := range has {
				commit(label)
			}
			refs, _ := h.Refs.expand()
			for _, ref := range refs {
				commit(ref.Value)
			}
		}
	}
	has, _ := r.val.Has.expand()
	for _, label := range has {
		commit(label)
	}
	nostr, _ := r.val.Nostr.expand()
	for _, ref := range nostr {
		commit(ref.Value)
	}
	for i := range b.actions {
		a := &b.actions[i].val
		if name := a.about(); name != r.name {
			continue
		}
		refs, _ := a.Refs.expand()
		for _, ref := range refs {
			if !strings.HasPrefix(ref.Value, "ref: ") && ref.Value != "none" {
				commit(ref.Value)
			}
		}
		if a.Commit != "" {
			commit(a.Commit)
		}
	}
}

// chainOrder lists commits so that parents come first, without recursion however long the history is.
func (b *build) chainOrder(commits map[string]Labels) []string {
	out := make([]string, 0, len(commits))
	done := make(map[string]bool, len(commits))
	for _, start := range sortedKeys(commits) {
		stack := []string{start}
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			if done[top] {
				stack = stack[:len(stack)-1]
				continue
			}
			ready := true
			for _, p := range commits[top] {
				if !done[p] {
					stack = append(stack, p)
					ready = false
				}
			}
			if ready {
				done[top] = true
				out = append(out, top)
				stack = stack[:len(stack)-1]
			}
		}
	}
	return out
}

// holdings puts objects on the hosts.
func (b *build) holdings(r *item[Repo]) {
	_, identifier, _ := splitRepo(r.name)
	for _, where := range sortedKeys(r.val.On) {
		if b.Network != nil && slices.Contains(b.Network.Relays, where) {
			continue // its own storage, see served
		}
		for _, url := range b.urls[r.name] {
			domain, _ := fakes.Domain(url)
			if domain != where && url != where {
				continue
			}
			repo := b.remote(url)
			for _, h := range r.val.On[where] {
				when := []core.Time{core.Time(h.From), core.Never}
				if h.Until > 0 {
					when[1] = core.Time(h.Until)
				}
				if h.Filler > 0 {
					repo.Filler(h.Filler)
				}
				has, _ := h.Has.expand()
				for _, label := range has {
					repo.Holds(objectLabel(identifier, label), when...)
				}
				for _, ref := range adverts(r, &h) {
					repo.Ref(fullName(ref.Name), objectLabel(identifier, ref.Value), when...)
					if gone, back := b.vanishes(identifier, r.val.On[where], &h, ref.Value); gone {
						repo.Lacks(objectLabel(identifier, ref.Value), when[1], back)
					}
				}
			}
		}
	}
}

// adverts are the refs a holding advertises.
func adverts(repo *item[Repo], h *Holding) Refs {
	refs, _ := h.Refs.expand()
	if h.Refs != nil || h.Hidden {
		return refs
	}
	has, _ := h.Has.expand()
	for _, label := range has {
		name := "refs/heads/" + label
		if _, isTag := repo.val.Tags[label]; isTag {
			name = "refs/tags/" + label
		}
		refs = append(refs, Ref{name, label})
	}
	return refs
}

// vanishes tells whether an object of holding h leaves its host when h ends, because no other holding has
// it then, and when it is there again. A server keeps what a ref once pointed to, so this must be said.
func (b *build) vanishes(identifier string, all Holdings, h *Holding, label string) (gone bool, back core.Time) {
	if h.Until == 0 {
		return false, 0
	}
	g := b.parts.Graph
	target := g.ByLabel(objectLabel(identifier, label))
	back = core.Never
	for i := range all {
		o := &all[i]
		if o.Until > 0 && o.Until <= h.Until {
			continue
		}
		labels, _ := o.Has.expand()
		refs, _ := o.Refs.expand()
		for _, ref := range refs {
			labels = append(labels, ref.Value)
		}
		for _, l := range labels {
			n := g.ByLabel(objectLabel(identifier, l))
			if n == fakes.NoNode || !g.Reaches([]fakes.Node{n}, target) {
				continue
			}
			if o.From <= h.Until {
				return false, 0
			}
			back = min(back, core.Time(o.From))
		}
	}
	return true, back
}
