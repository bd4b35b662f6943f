package core

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

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

// follow restores a twin of the core now and then and lets it take every input too; whatever differs fails.
func follow(x *chaos) {
	var twin *Core
	x.after = func(in Input, out []Effect) {
		if twin != nil {
			got := twin.Step(x.now, in, nil)
			if !slices.EqualFunc(out, got, sameEffect) {
				x.fail("R-03: after %s at %s the core wants\n%+v\nits twin\n%+v", in.Kind, x.now, out, got)
			}
			at, ok := x.c.Next()
			if at2, ok2 := twin.Next(); at != at2 || ok != ok2 {
				x.fail("R-03: after %s at %s Next is %s, the twin's %s", in.Kind, x.now, at, at2)
			}
			if rapid.IntRange(0, 2).Draw(x.t, "compare") == 0 {
				if where := differ("", reflect.ValueOf(x.c).Elem(), reflect.ValueOf(twin).Elem()); where != "" {
					x.fail("R-03: after %s at %s the twin differs: %s", in.Kind, x.now, where)
				}
				if where := apart(x.c, twin); where != "" {
					x.fail("I-9: after %s at %s snapshots differ: %s", in.Kind, x.now, where)
				}
			}
		}
		if twin == nil || rapid.IntRange(0, 9).Draw(x.t, "restore") == 0 {
			state := x.c.AppendState(nil)
			var err error
			if twin, err = Restore(x.c.cfg, state); err != nil {
				x.fail("R-03: after %s at %s: %v", in.Kind, x.now, err)
			}
			if !bytes.Equal(state, twin.AppendState([]byte("abc"))[3:]) {
				x.fail("R-03: after %s at %s: saved again, the snapshot differs", in.Kind, x.now)
			}
			if where := differ("", reflect.ValueOf(x.c).Elem(), reflect.ValueOf(twin).Elem()); where != "" {
				x.fail("R-03: after %s at %s the twin differs: %s", in.Kind, x.now, where)
			}
			x.c.Next() // on both at the same points, since it drops dead deadlines
			twin.Next()
		}
	}
}

// R-03, I-9: a core restored at any point of a history goes on identically, whatever the driver does.
func TestRestoreGoesOnIdentically(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newChaos(t)
		follow(x)
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			x.act()
		}
	})
}

// I-9: two cores that took the same inputs from the beginning on give the same bytes, and saving changes
// neither.
func TestEqualHistoriesGiveEqualSnapshots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newChaos(t)
		other, err := New(x.cfg)
		require.NoError(t, err)
		x.after = func(in Input, _ []Effect) {
			other.Step(x.now, in, nil)
			x.c.Next() // on both at the same points, since it drops dead deadlines
			other.Next()
			if rapid.IntRange(0, 3).Draw(t, "save") > 0 {
				return
			}
			if where := apart(x.c, other); where != "" {
				x.fail("I-9: after %s at %s snapshots differ: %s", in.Kind, x.now, where)
			}
			x.c.AppendState(nil) // the other is saved once, this one twice
		}
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			x.act()
		}
	})
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

// what is cut, damaged, foreign, or for another configuration is refused with a reason.
func TestRestoreRefuses(t *testing.T) {
	c := busy(t, 40)
	good := c.AppendState(nil)
	_, err := Restore(c.cfg, good)
	require.NoError(t, err)
	change := func(at int) []byte {
		b := bytes.Clone(good)
		b[at] ^= 1
		return b
	}
	for _, row := range []struct {
		data []byte
		kind error
		text string
	}{
		{nil, ErrSnapshot, "shorter than a header"},
		{change(0), ErrSnapshot, "does not begin as one"},
		{change(9), ErrSnapshotVersion, "written in format 259, this core reads 3"},
		{change(12), ErrSnapshotConfig, "seed and wall clock included"},
		{good[:len(good)-1], ErrSnapshot, "its body has"},
		{append(bytes.Clone(good), 0), ErrSnapshot, "its body has"},
		{change(snapshotHeader + 100), ErrSnapshot, "checksum"},
		{seal(good[snapshotHeader:len(good)-3], good), ErrSnapshot, "ends early"},
		{seal(append(bytes.Clone(good[snapshotHeader:]), 0), good), ErrSnapshot, "left over"},
	} {
		_, err := Restore(c.cfg, row.data)
		require.ErrorIs(t, err, row.kind)
		require.ErrorContains(t, err, row.text)
	}
	_, err = Restore(Config{}, good)
	require.ErrorIs(t, err, ErrConfig)
}

// Every field of a configuration makes another hash, so that none is taken for equal.
func TestConfigHashSeesEveryField(t *testing.T) {
	base := DefaultConfig()
	seen := map[uint64]string{base.hash(): "nothing"}
	v := reflect.ValueOf(&base).Elem()
	for i := range v.NumField() {
		cfg := base
		name, f := v.Type().Field(i).Name, reflect.ValueOf(&cfg).Elem().Field(i)
		switch f.Kind() {
		case reflect.Bool:
			f.SetBool(!f.Bool())
		case reflect.Uint64:
			f.SetUint(f.Uint() + 1)
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		default:
			f.SetInt(f.Int() + 1)
		}
		require.Empty(t, seen[cfg.hash()], "changing %s looks like changing the other", name)
		seen[cfg.hash()] = name
	}
}

// seal makes a whole snapshot of a body, with the header of another.
func seal(body, like []byte) []byte {
	h := header{format: snapshotFormat, length: uint64(len(body)), sum: wire.Sum(body)}
	var old header
	old.code(wire.Reader(like[len(snapshotMagic):snapshotHeader]))
	h.config = old.config
	w := wire.Writer([]byte(snapshotMagic))
	h.code(w)
	return append(w.Bytes(), body...)
}

// R-03, T-05: every single bit that is turned under a good checksum is refused or makes a core that is its
// own snapshot and can go on; no panic either way.
func TestRestoreBitByBit(t *testing.T) {
	c := busy(t, 6)
	good := c.AppendState(nil)
	body := good[snapshotHeader:]
	for i := range 8 * len(body) {
		if testing.Short() && i%11 != 0 {
			continue
		}
		b := bytes.Clone(body)
		b[i/8] ^= 1 << (i % 8)
		tryRestore(t, c.cfg, seal(b, good))
	}
}

// tryRestore restores hostile bytes: what is accepted must be canonical, and must neither panic nor hang when
// its requests are answered, time goes on and it is restarted.
func tryRestore(t failer, cfg Config, data []byte) {
	r, err := Restore(cfg, data)
	if err != nil {
		return
	}
	if !bytes.Equal(r.AppendState(nil), data) {
		t.Fatalf("accepted, but saved again it differs")
	}
	now := r.now
	wake := func() {
		for range 3 {
			if at, ok := r.Next(); ok {
				now = max(now, at)
			}
			r.Step(now, Input{Kind: InWake}, nil)
		}
	}
	for i := range min(8, len(r.asks.Items)) {
		for kind := InChecked; kind <= InRepoDeleted; kind++ {
			r.Step(now, Input{Kind: kind, Ask: r.asks.Items[i].id, OIDs: []OID{oid(1)}}, nil)
		}
	}
	wake()
	r.Step(now, Input{Kind: InRestarted}, nil)
	wake()
}

type failer interface{ Fatalf(string, ...any) }

// R-03, T-05: one byte of any core's snapshot is turned, under a good checksum.
func TestRestoreDamagedHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newChaos(t)
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			x.act()
		}
		good := x.c.AppendState(nil)
		body := good[snapshotHeader:]
		for range 20 {
			b := bytes.Clone(body)
			b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
			tryRestore(t, x.c.cfg, seal(b, good))
		}
	})
}

// An instant at the end of the scale would make every deadline fall due for ever.
func TestRestoreRefusesTheEndOfTime(t *testing.T) {
	c := busy(t, 2)
	good := c.AppendState(nil)
	b := bytes.Clone(good[snapshotHeader:])
	copy(b, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	_, err := Restore(c.cfg, seal(b, good))
	require.ErrorContains(t, err, "which no run reaches")
}

// FuzzRestore restores any body under a header that fits it.
func FuzzRestore(f *testing.F) {
	c := busy(f, 8)
	good := c.AppendState(nil)
	body := good[snapshotHeader:]
	f.Add(body)
	f.Add(body[:len(body)/2])
	f.Add(append(bytes.Clone(body), body...))
	fresh, _ := New(c.cfg)
	f.Add(fresh.AppendState(nil)[snapshotHeader:])
	f.Add(bytes.Repeat([]byte{0xff}, 300))
	f.Add([]byte{})
	histories := rapid.Custom(func(t *rapid.T) []byte {
		x := newChaos(t)
		for range 60 {
			x.act()
		}
		return x.c.AppendState(nil)[snapshotHeader:]
	})
	for seed := range 12 {
		f.Add(histories.Example(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, err := Restore(c.cfg, body); err == nil {
			t.Fatal("a body without a header was accepted")
		}
		tryRestore(t, c.cfg, seal(body, good))
	})
}

// BenchmarkSnapshot saves and restores 10,000 held events; the file's size is reported as bytes/event.
func BenchmarkSnapshot(b *testing.B) {
	c := busy(b, 10_000)
	held := c.Stats().Held
	state := c.AppendState(nil)
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			state = c.AppendState(state[:0])
		}
		b.ReportMetric(float64(len(state))/float64(held), "bytes/event")
	})
	b.Run("restore", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if _, err := Restore(c.cfg, state); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(held), "events")
	})
}
