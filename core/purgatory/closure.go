package purgatory

import "slices"

// Closures recomputes the maintainer closure of every announcement of an identifier, given in order of owner: follow the listed
// maintainers through those who have an announcement of it themselves; a listed key without one is a
// leaf member; cycles end (M-01). A closure has at most so many members (M-02).
func Closures(anns []*Announcement, most int) {
	for _, a := range anns {
		a.Closure = a.Closure[:0]
		if len(a.Listed) == 0 {
			continue
		}
		a.Closure = append(a.Closure, a.Owner)
		for i := 0; i < len(a.Closure); i++ {
			from := byOwner(anns, a.Closure[i])
			if from == nil {
				continue
			}
			for _, m := range from.Listed {
				if len(a.Closure) < most && !slices.Contains(a.Closure, m) {
					a.Closure = append(a.Closure, m)
				}
			}
		}
		slices.SortFunc(a.Closure, PubKey.Compare)
	}
}

func byOwner(anns []*Announcement, key PubKey) *Announcement {
	if i, ok := slices.BinarySearchFunc(anns, key, func(a *Announcement, k PubKey) int { return a.Owner.Compare(k) }); ok {
		return anns[i]
	}
	return nil
}

// Authorises tells whether author may publish states for a's repository (M-01).
func (a *Announcement) Authorises(author PubKey) bool {
	if author == a.Owner {
		return true
	}
	_, ok := slices.BinarySearchFunc(a.Closure, author, PubKey.Compare)
	return ok
}

// Mutual tells whether two announcements of one identifier belong to one group: each owner is in the
// other's closure.
func Mutual(a, b *Announcement) bool {
	return a == b || a.Authorises(b.Owner) && b.Authorises(a.Owner)
}
