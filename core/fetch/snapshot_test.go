package fetch

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core/value"
	"graspsync/core/wire"
)

func oid(n byte) OID { return value.OIDFromBytes(bytes.Repeat([]byte{n}, 20)) }

func saved(m *Memo) []byte {
	w := wire.Writer(nil)
	m.Code(w)
	return w.Bytes()
}

func read(b []byte) (*Memo, error) {
	m, r := NewMemo(0, 0, 0), wire.Reader(b)
	m.Code(r)
	return m, r.Finish()
}

// F-03, R-03: a memo that was read has the bounds, the ages and the free slots of the first: it drops the
// same URL next and uses the same slot.
func TestRestoredMemoDropsTheSameURLNext(t *testing.T) {
	m := NewMemo(2, 2, value.Hour)
	for url := Handle(1); url <= 3; url++ {
		m.Asked(url, [32]byte{byte(url)}, oid(byte(url)), Time(url), true)
	}
	m.Gained(3, oid(3))
	got, err := read(saved(m))
	require.NoError(t, err)
	require.Equal(t, saved(m), saved(got))
	for _, x := range []*Memo{m, got} {
		x.Asked(9, [32]byte{}, oid(9), 10, true)
		x.Asked(8, [32]byte{}, oid(8), 11, true)
		urls, _ := x.Live(11)
		require.Equal(t, 2, urls, "the first memo's bound")
		_, known := x.byURL[2]
		require.False(t, known, "URL 2 is the oldest")
	}
	require.Equal(t, saved(m), saved(got))
}

func TestContradictoryMemoIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(*Memo){
		"remembered twice":        func(m *Memo) { m.urls[1].url = m.urls[0].url },
		"out of order":            func(m *Memo) { e := m.urls[0].entries; e[0], e[1] = e[1], e[0] },
		"not free or named twice": func(m *Memo) { m.free = append(m.free, 0) },
		"from the future":         func(m *Memo) { m.writes = 0 },
		"2 URLs and 0 free ones":  func(m *Memo) { m.free = nil },
	} {
		m := NewMemo(3, 2, value.Hour)
		m.Asked(1, [32]byte{1}, oid(1), 1, true)
		m.Asked(1, [32]byte{1}, oid(2), 1, true)
		m.Asked(2, [32]byte{1}, oid(1), 2, true)
		m.Asked(3, [32]byte{1}, oid(1), 2, true)
		m.Gained(3, oid(1))
		spoil(m)
		_, err := read(saved(m))
		require.ErrorContains(t, err, name)
	}
}

// F-01, R-03: a pass in the midst of its questions goes on with the next one.
func TestRestoredPassAsksTheNext(t *testing.T) {
	wants := []Want{{OID: oid(1), Seq: 1}, {OID: oid(2), Seq: 2}, {OID: oid(3), Seq: 3}}
	m := NewMemo(3, 3, value.Hour)
	var p, got Pass
	p.OnCompared(m, 1, [32]byte{7}, false, nil)
	require.Equal(t, Probe, p.AfterCompare(m, 1, 5, append([]Want(nil), wants...), 8))
	w := wire.Writer(nil)
	p.Code(w)
	r := wire.Reader(w.Bytes())
	got.Code(r)
	require.NoError(t, r.Finish())
	for range 2 {
		require.Equal(t, p.OnProbed(m, 1, 6, false, true, wants), got.OnProbed(m, 1, 6, false, true, wants))
		require.Equal(t, p.Ask, got.Ask)
	}
	p.Ask = nil
	w = wire.Writer(nil)
	p.Code(w)
	r = wire.Reader(w.Bytes())
	got.Code(r)
	require.ErrorContains(t, r.Finish(), "probes for nothing")
}
