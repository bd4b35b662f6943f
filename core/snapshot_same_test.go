package core

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core/wire"
)

// sameEffect takes an empty list for none: a list's memory is reused, what was restored has none.
func sameEffect(a, b Effect) bool {
	if !slices.Equal(a.OIDs, b.OIDs) || !slices.Equal(a.Refs, b.Refs) || !slices.Equal(a.Old, b.Old) {
		return false
	}
	a.OIDs, a.Refs, a.Old, b.OIDs, b.Refs, b.Old = nil, nil, nil, nil, nil, nil
	return reflect.DeepEqual(a, b)
}

// apart names the place at which the snapshots of two cores differ; "" if they do not.
func apart(c, twin *Core) string {
	a, b := c.AppendState(nil), twin.AppendState(nil)
	if bytes.Equal(a, b) {
		return ""
	}
	at := snapshotHeader
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	fresh, _ := New(c.cfg)
	w := wire.Reader(a[snapshotHeader:at])
	fresh.code(w)
	return fmt.Sprint("before the end of ", w.Err())
}

// invisible are the fields that a twin may have otherwise: memory that is kept for reuse, what a Step leaves
// behind for nobody, order that is decided elsewhere, and the unused parts of waiting structures.
func invisible(path string) bool {
	for _, p := range []string{".out", ".arena", ".reports", ".grow", ".scratch", ".sourceScratch", ".urlMarks", ".domMarks", ".readyScratch",
		".admitting", ".timers", ".starts.bucket", ".starts.far", ".starts.farPos", ".starts.full", ".starts.base", ".starts.cached",
		".starts.valid", ".starts.due", ".budget.clock", ".budget.spare", ".budget.ready", ".budget.readyAt", ".budget.wake", ".budget.wakeAt",
		".budget.idle", ".budget.ticketPos", ".expired.ring", ".expired.head", ".expired.ids", ".gone.ring", ".gone.head", ".gone.ids", ".prsAt",
		".rejected.ids.ring", ".rejected.ids.head", ".rejected.ids.ids", ".rejected.empty", ".residents", ".huntOrder", ".hungry", ".blocked", ".memo.age"} {
		if path == p || strings.HasPrefix(path, p+".") || strings.HasPrefix(path, p+"[") {
			return true
		}
	}
	for _, s := range []string{".prevStart", ".nextStart", ".Filed", ".marked", ".inBucket", ".hungry", ".Resident", ".first", ".last", ".stamps.ring", ".stamps.head", ".requests.at", ".requests.n",
		".requests.head", ".askAll", ".unasked", ".eligible[0].items", ".eligible[1].items"} {
		if strings.HasSuffix(path, s) {
			return true
		}
	}
	return false
}

// differ names the first field, at whatever depth, in which two values differ; "" if none does. Empty lists
// are equal to none, and records that both are unused are equal. A field that is added to the core and not
// to the snapshot shows here.
func differ(path string, a, b reflect.Value) string {
	if invisible(path) {
		return ""
	}
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				return path + ": one is nil"
			}
			return ""
		}
		return differ(path, a.Elem(), b.Elem())
	case reflect.Struct:
		if f := a.FieldByName("used"); f.IsValid() && f.Kind() == reflect.Bool && !f.Bool() && !b.FieldByName("used").Bool() {
			for _, kept := range []string{"gen", "waitGen", "use"} {
				if g := a.FieldByName(kept); g.IsValid() && !g.Equal(b.FieldByName(kept)) {
					return path + "." + kept
				}
			}
			return ""
		}
		for i := range a.NumField() {
			if where := differ(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i)); where != "" {
				return where
			}
		}
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return fmt.Sprintf("%s: %d and %d elements", path, a.Len(), b.Len())
		}
		for i := range a.Len() {
			if where := differ(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)); where != "" {
				return where
			}
		}
	case reflect.Map:
		if a.Len() != b.Len() {
			return fmt.Sprintf("%s: %d and %d entries", path, a.Len(), b.Len())
		}
		for _, k := range a.MapKeys() {
			if !b.MapIndex(k).IsValid() {
				return fmt.Sprintf("%s: %v is missing", path, k)
			}
			if where := differ(path+"[]", a.MapIndex(k), b.MapIndex(k)); where != "" {
				return where
			}
		}
	default:
		if !a.Equal(b) {
			return fmt.Sprintf("%s: %v and %v", path, a, b)
		}
	}
	return ""
}

// busy is a core in the midst of things: hunts, passes, tickets, releases, a memo and expired ids.
func busy(t testing.TB, events int) *Core {
	cfg := DefaultConfig()
	cfg.Lifetime = 20 * Minute
	c, err := New(cfg)
	require.NoError(t, err)
	now, queue, drop := Time(0), []Input(nil), 0
	step := func(in Input) {
		for _, e := range c.Step(now, in, nil) {
			in := Input{Ask: e.Ask}
			switch e.Kind {
			case EfCheckObjects:
				in.Kind = InChecked
			case EfCreateRepo:
				in.Kind = InRepoCreated
			case EfCompare:
				if drop++; drop%5 == 0 {
					continue // runs on
				}
				in.Kind, in.Fingerprint[0] = InCompared, 1
			case EfProbe:
				in.Kind, in.Class, in.OIDs = InProbed, NotOurRef, slices.Clone(e.OIDs)
			case EfEndPass, EfCancelPass:
				in.Kind = InPassEnded
			default:
				continue
			}
			queue = append(queue, in)
		}
	}
	drain := func() {
		for len(queue) > 0 {
			in := queue[0]
			queue = queue[1:]
			step(in)
		}
	}
	for i := range events / 2 {
		e := announcement(2*i, i, i%50, 50+i%7)
		e.ID[29], e.Author[30] = byte(i>>7), byte(i>>8)
		e.Repo = Coordinate{Owner: e.Author, Identifier: Handle(1000 + i), Repo: Handle(100_000 + i)}
		step(Input{Kind: InEvent, Event: e, Origin: Origin(i % 2)})
		drain()
		s := state(2*i+1, i, oid(i), oid(i+1))
		s.ID[29], s.Author, s.Repo, s.CreatedAt = byte(i>>7), e.Author, e.Repo, 1
		step(Input{Kind: InEvent, Event: s, Origin: Origin(i % 2)})
		drain()
		now += 10 * Millisecond
	}
	for range 200 {
		if at, ok := c.Next(); ok && at < 15*Minute {
			now = max(now, at)
			step(Input{Kind: InWake})
			drain()
		}
	}
	return c
}
