package core

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

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
