package core

import (
	"cmp"
	"slices"
)

func byName(a, b Ref) int { return cmp.Compare(a.Name, b.Name) }

func sortRefs(list []Ref) { slices.SortFunc(list, byName) }

// sameRefs tells whether two lists name the same refs with the same objects, in any order.
func sameRefs(a, b []Ref) bool {
	if len(a) != len(b) {
		return false
	}
	text, _, _ := mismatch(a, b)
	return text == ""
}

// mismatch names the first ref in which what is there would differ from what is wanted; "" if none does (P-02).
func mismatch(wanted, there []Ref) (text string, want, got Ref) {
	x, y := wanted, there
	if !slices.IsSortedFunc(x, byName) {
		x = slices.Clone(x)
		sortRefs(x)
	}
	if !slices.IsSortedFunc(y, byName) {
		y = slices.Clone(y)
		sortRefs(y)
	}
	for i, k := 0, 0; i < len(x) || k < len(y); {
		switch {
		case k == len(y) || i < len(x) && x[i].Name < y[k].Name:
			return pushMissing, Ref{Name: x[i].Name, OID: x[i].OID}, Ref{}
		case i == len(x) || y[k].Name < x[i].Name:
			return pushExtra, Ref{}, Ref{Name: y[k].Name, OID: y[k].OID}
		case x[i].OID != y[k].OID:
			return pushWrong, Ref{Name: x[i].Name, OID: x[i].OID}, Ref{Name: y[k].Name, OID: y[k].OID}
		}
		i++
		k++
	}
	return "", Ref{}, Ref{}
}

// applyUpdates is what heads and tags would be after a push; twice is the first ref of it that is named twice, which
// git refuses too. Sorted by name.
func applyUpdates(current []Ref, updates []RefUpdate) (after []Ref, twice Ref) {
	list := slices.Clone(updates)
	slices.SortStableFunc(list, func(a, b RefUpdate) int { return cmp.Or(cmp.Compare(a.Space, b.Space), cmp.Compare(a.Name, b.Name)) })
	for i := 1; i < len(list); i++ {
		if list[i].Name == list[i-1].Name && list[i].Space == list[i-1].Space && (list[i].Space == HeadsAndTags || list[i].Event == list[i-1].Event) {
			return nil, Ref{Name: list[i].Name, OID: list[i].New}
		}
	}
	old := slices.Clone(current)
	sortRefs(old)
	after = make([]Ref, 0, len(old)+len(list))
	i, k := 0, 0
	for ; k < len(list) && list[k].Space == HeadsAndTags; k++ {
		for ; i < len(old) && old[i].Name < list[k].Name; i++ {
			after = append(after, old[i])
		}
		if i < len(old) && old[i].Name == list[k].Name {
			i++
		}
		if !list[k].New.IsZero() {
			after = append(after, Ref{Name: list[k].Name, OID: list[k].New})
		}
	}
	return append(after, old[i:]...), Ref{}
}
