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
