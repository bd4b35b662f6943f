package core

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core/wire"
)

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
		{change(9), ErrSnapshotVersion, "written in format 260, this core reads 4"},
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
