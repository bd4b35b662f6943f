package wire

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core/value"
)

// record has one field of every kind.
type record struct {
	flag  bool
	u8    uint8
	u32   uint32
	i32   int32
	u64   uint64
	i64   int64
	count int
	when  value.Time
	oid   value.OID
	ref   value.Ref
	coord value.Coordinate
	list  []int32
	inner [][]value.OID
}

func (r *record) code(c *Coder) {
	c.Section("record")
	c.Bool(&r.flag)
	U8(c, &r.u8)
	U32(c, &r.u32)
	I32(c, &r.i32)
	U64(c, &r.u64)
	I64(c, &r.i64)
	c.Count(&r.count, 1<<20)
	Time(c, &r.when)
	OID(c, &r.oid)
	Ref(c, &r.ref)
	Coordinate(c, &r.coord)
	List(c, &r.list, 4, Slot)
	List(c, &r.inner, 4, func(c *Coder, l *[]value.OID) { List(c, l, OIDSize, OID) })
}

func drawOID(t *rapid.T) value.OID {
	n := rapid.SampledFrom([]int{0, 20, 32}).Draw(t, "size")
	return value.OIDFromBytes(rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "oid"))
}

func draw(t *rapid.T) record {
	r := record{flag: rapid.Bool().Draw(t, "flag"), u8: rapid.Uint8().Draw(t, "u8"), u32: rapid.Uint32().Draw(t, "u32"),
		i32: rapid.Int32().Draw(t, "i32"), u64: rapid.Uint64().Draw(t, "u64"), i64: rapid.Int64().Draw(t, "i64"),
		count: rapid.IntRange(0, 1<<20).Draw(t, "count"), when: value.Time(rapid.Int64Range(-1<<62, 1<<62).Draw(t, "when")), oid: drawOID(t),
		ref: value.Ref{Name: 7, OID: drawOID(t), Symbolic: true}, coord: value.Coordinate{Owner: value.PubKey{1, 2}, Identifier: 3, Repo: 4}}
	for range rapid.IntRange(0, 4).Draw(t, "n") {
		r.list = append(r.list, rapid.Int32().Draw(t, "entry"))
		var inner []value.OID
		for range rapid.IntRange(0, 2).Draw(t, "m") {
			inner = append(inner, drawOID(t))
		}
		r.inner = append(r.inner, inner)
	}
	return r
}

func write(r record, dst []byte) []byte {
	c := Writer(dst)
	r.code(c)
	return c.Bytes()
}

// what is written is read back; every shorter text and every longer one is refused, without a panic.
func TestRoundTripAndCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := draw(t)
		b := write(r, nil)
		require.Equal(t, append([]byte("x"), b...), write(r, []byte("x")), "Writer appends")
		var got record
		c := Reader(b)
		got.code(c)
		require.NoError(t, c.Finish())
		require.Equal(t, r, got)
		cut := rapid.IntRange(0, len(b)-1).Draw(t, "cut")
		c = Reader(b[:cut])
		new(record).code(c)
		require.ErrorIs(t, c.Finish(), ErrMalformed)
		c = Reader(append(bytes.Clone(b), 0))
		new(record).code(c)
		require.ErrorContains(t, c.Finish(), "left over")
	})
}

func TestWidthsAreFixed(t *testing.T) {
	w := Writer(nil)
	n, u, f := int32(-2), uint64(1), true
	I32(w, &n)
	U64(w, &u)
	w.Bool(&f)
	w.Len(3, 1)
	require.Equal(t, []byte{0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 0, 0}, w.Bytes())
}

// A value has one encoding only: others are refused.
func TestSecondEncodingsAreRefused(t *testing.T) {
	for name, f := range map[string]func() error{
		"a flag is 2": func() error { c := Reader([]byte{2}); c.Bool(new(bool)); return c.Err() },
		"must be below 3": func() error {
			c := Reader([]byte{3})
			Enum(c, new(uint8), 3, "stage")
			return c.Err()
		},
		"has 21 bytes": func() error {
			c := Reader(append([]byte{21}, make([]byte, 32)...))
			OID(c, new(value.OID))
			return c.Err()
		},
		"no run reaches": func() error {
			c := Reader([]byte{0, 0, 0, 0, 0, 0, 0, 0x80})
			Time(c, new(value.Time))
			return c.Err()
		},
		"filled up": func() error {
			c := Reader(append([]byte{20}, bytes.Repeat([]byte{1}, 32)...))
			OID(c, new(value.OID))
			return c.Err()
		},
		"must be at most": func() error { c := Reader(bytes.Repeat([]byte{9}, 8)); c.Count(new(int), 5); return c.Err() },
	} {
		require.ErrorContains(t, f(), name)
		require.ErrorIs(t, f(), ErrMalformed)
	}
}

// A length that the input cannot hold allocates nothing.
func TestAbsurdLengthAllocatesNothing(t *testing.T) {
	in := []byte{0xff, 0xff, 0xff, 0x7f, 1, 2, 3, 4}
	allocated := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			var list []value.OID
			c := Reader(in)
			List(c, &list, OIDSize, OID)
			if list != nil || c.Err() == nil {
				b.Fatal("accepted")
			}
		}
	}).AllocedBytesPerOp()
	require.Less(t, allocated, int64(1024))
}

func TestErrorNamesSectionAndPlaceAndStays(t *testing.T) {
	c := Reader([]byte{1, 2, 3})
	c.Section("groups")
	U8(c, new(uint8))
	U64(c, new(uint64))
	first := c.Err()
	require.EqualError(t, first, "groups, byte 1: ends early: 8 bytes wanted, 2 left")
	c.Fail("later")
	U8(c, new(uint8))
	require.Equal(t, first, c.Finish())
}

func TestSumSeesEveryBit(t *testing.T) {
	b := []byte(strings.Repeat("a snapshot ", 3))
	sum := Sum(b)
	require.NotEqual(t, sum, Sum(b[:len(b)-1]))
	require.NotEqual(t, sum, Sum(append(bytes.Clone(b), 0)))
	for i := range 8 * len(b) {
		b[i/8] ^= 1 << (i % 8)
		require.NotEqual(t, sum, Sum(b), "bit %d", i)
		b[i/8] ^= 1 << (i % 8)
	}
}

// FuzzReader reads a record from any bytes: an error or the same bytes again.
func FuzzReader(f *testing.F) {
	f.Add([]byte{})
	f.Add(write(record{list: []int32{1, 2}, inner: [][]value.OID{{}, {value.OIDFromBytes(make([]byte, 20))}}}, nil))
	f.Fuzz(func(t *testing.T, in []byte) {
		var r record
		c := Reader(in)
		r.code(c)
		if c.Finish() != nil {
			return
		}
		if !bytes.Equal(write(r, nil), in) {
			t.Fatal("read without an error, written differently")
		}
	})
}
