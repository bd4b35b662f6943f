package stockgit

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"graspsync/core"
	"graspsync/fakes"
)

// fillerName is what the refs of a filler are called, so that a listing has the length it would have.
const fillerName = "refs/merge-req/"

// discover asks for the advertisement, which decides about protocol and final URL.
func (k *call) discover() bool {
	a := &k.adv
	if !k.get(fakes.GetRefs, a) {
		return false
	}
	if a.Status != 200 {
		return k.status(a.Status)
	}
	switch a.Body {
	case fakes.ErrorBody:
		return k.fail(core.Invalid, "remote error: ")
	case fakes.EmptyBody:
		return k.fail(core.Invalid, "the remote end hung up unexpectedly")
	case fakes.UntypedBody:
		return k.fail(core.Invalid, "not valid: is this a git repository?")
	case fakes.CutBody:
		return k.fail(core.CutShort, "transfer closed with")
	}
	return true
}

// smart tells whether the advertisement is one. Any other body under its own content type is taken for
// the list of a static mirror, a web page too.
func smart(adv *fakes.HTTPReply) bool { return adv.Body == fakes.SmartBody }

// listByPost is the second request of protocol 2.
func (k *call) listByPost(a *fakes.HTTPReply) bool {
	if !k.exchange(fakes.PostList, nil, a) {
		return false
	}
	if a.Status != 200 {
		return k.fail(classOf(a.Status), "RPC failed; HTTP "+strconv.Itoa(int(a.Status)), "expected flush after ref listing")
	}
	switch a.Body {
	case fakes.SmartBody:
		return true
	case fakes.ErrorBody:
		return k.fail(core.Invalid, "remote error: ")
	case fakes.CutBody:
		return k.fail(core.CutShort, k.cut(fakes.PostList, a, "transfer closed with")...)
	}
	return k.fail(core.Invalid, "expected flush after ref listing")
}

// want asks for the pack, all or nothing.
func (k *call) want(oids []core.OID) {
	var a fakes.HTTPReply
	if !k.exchange(fakes.PostWant, oids, &a) {
		return
	}
	switch {
	case a.Status != 200:
		k.fail(classOf(a.Status), "RPC failed; HTTP "+strconv.Itoa(int(a.Status)))
	case a.Body == fakes.NotOurRefBody:
		k.out.Named = a.Named
		k.fail(core.NotOurRef, "remote error: upload-pack: not our ref")
	case a.Body == fakes.ErrorBody:
		k.fail(core.Invalid, "remote error: ")
	case a.Body == fakes.CutBody:
		k.fail(core.CutShort, k.cut(fakes.PostWant, &a, "transfer closed with")...)
	case a.Body != fakes.SmartBody:
		k.fail(core.Invalid, "bad pack header")
	default:
		k.out.Got = a.OIDs
	}
}

func (k *call) allAdvertised(oids []core.OID) bool {
	for _, o := range oids {
		if !slices.ContainsFunc(k.adv.Refs, func(r fakes.HTTPRef) bool { return r.OID == o }) {
			return false
		}
	}
	return true
}

// print writes the listing: HEAD, then refs by name, tag objects with what they point to.
func (k *call) print(a *fakes.HTTPReply, prefix string) {
	refs := slices.Clone(a.Refs)
	slices.SortFunc(refs, func(x, y fakes.HTTPRef) int { return cmp.Compare(x.Name, y.Name) })
	var b strings.Builder
	line := func(o core.OID, name string) {
		if strings.HasPrefix(name, prefix) {
			b.WriteString(o.String() + "\t" + name + "\n")
		}
	}
	for _, r := range refs { // HEAD is the branch main, or no branch at all
		if r.Name == "refs/heads/main" {
			line(r.OID, "HEAD")
		}
	}
	for _, r := range refs {
		line(r.OID, r.Name)
		if !r.Peeled.IsZero() {
			line(r.Peeled, r.Name+"^{}")
		}
	}
	k.out.Out = b.String()
	k.out.Bytes = int64(b.Len())
	if strings.HasPrefix(fillerName, prefix) {
		k.out.Bytes += fillerBytes(a.Filler)
	}
}

// fillerBytes is the length of n lines "<id> TAB refs/…/<number>", numbered from 0.
func fillerBytes(n int) int64 {
	total := int64(n) * int64(40+1+len(fillerName)+1)
	for low, digits := 0, 1; low < n; digits++ {
		high := 1
		for range digits {
			high *= 10
		}
		total += int64(digits) * int64(min(n, high)-low)
		low = high
	}
	return total
}
