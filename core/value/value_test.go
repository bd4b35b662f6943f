package value

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// F-07: nothing but 40 or 64 lower-case hex digits is an object id. // case 106
func TestParseOID(t *testing.T) {
	for _, s := range []string{strings.Repeat("a", 40), strings.Repeat("0", 64), strings.Repeat("9f", 20)} {
		o, err := ParseOID(s)
		require.NoError(t, err)
		require.Equal(t, s, o.String())
		require.Equal(t, len(s)/2, o.Len())
		require.Equal(t, o, OIDFromBytes(o.Bytes()))
	}
	hex := strings.Repeat("a", 40)
	for _, s := range []string{"", "HEAD", hex[1:], hex + "a", strings.ToUpper(hex), "+" + hex[1:], "--upload-pack=" + hex[14:],
		"+refs/heads/evil:refs/heads/main" + hex[32:], " " + hex[1:], hex[1:] + "\n", hex[1:] + "g", strings.Repeat("a", 63) + "é"} {
		o, err := ParseOID(s)
		require.ErrorIs(t, err, ErrOID, "%q", s)
		require.True(t, o.IsZero(), "%q", s)
	}
}

// F-07: whatever is parsed prints as it was written, so nothing is normalised on its way to git.
func TestParsedOIDPrintsAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[0-9a-f]{38,42}|[0-9a-fA-F+:-]{64}|.{40}`).Draw(t, "text")
		if o, err := ParseOID(s); err == nil {
			require.Equal(t, s, o.String())
		}
	})
}

// T-03: values compare by their bytes; an id of 20 bytes is not its padded 32.
func TestValuesCompareByBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func() OID {
			n := rapid.SampledFrom([]int{20, 32}).Draw(t, "length")
			b := make([]byte, n)
			b[rapid.IntRange(0, n-1).Draw(t, "at")] = rapid.ByteRange(0, 2).Draw(t, "byte")
			return OIDFromBytes(b)
		}
		a, b := draw(), draw()
		require.Equal(t, a == b, a.Compare(b) == 0)
		require.Equal(t, a.Compare(b) < 0, b.Compare(a) > 0)
		if a.Len() == b.Len() {
			require.Equal(t, bytes.Compare(a.Bytes(), b.Bytes()) < 0, a.Compare(b) < 0)
		}
		if a.Compare(b) == 0 {
			require.Equal(t, a.Word(), b.Word())
		}
		var x, y EventID
		copy(x[:], a.Bytes())
		copy(y[:], b.Bytes())
		require.Equal(t, bytes.Compare(x[:], y[:]), x.Compare(y))
		require.Equal(t, bytes.Compare(x[:], y[:]), PubKey(x).Compare(PubKey(y)))
	})
}

// T-03: a table gives each text one handle, counted from 1, and reads its own records.
func TestNames(t *testing.T) {
	var n, m Names
	require.Zero(t, n.Handle(""))
	require.Equal(t, Handle(1), n.Handle("a"))
	require.Equal(t, Handle(2), n.Handle("b"))
	require.Equal(t, Handle(1), n.Handle("a"))
	require.Equal(t, "b", n.Text(2))
	require.Empty(t, n.Text(0)+n.Text(3)+n.Text(1<<31))
	_, known := n.Lookup("c")
	require.False(t, known)
	require.Error(t, m.Set(2, "a"), "not the next handle")
	require.NoError(t, m.Set(1, "a"))
	require.Error(t, m.Set(2, "a"), "named already")
	require.Error(t, m.Set(2, ""), "no text")
	require.Equal(t, 1, m.Len())
}

func TestTimePrintsSeconds(t *testing.T) {
	for at, want := range map[Time]string{0: "0s", Second: "1s", 1500 * Millisecond: "1.5s", 1: "0.000000001s", -Second: "-1s", Never: "never"} {
		require.Equal(t, want, at.String())
	}
}
