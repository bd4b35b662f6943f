package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// I-8, I-9: looking at a core changes nothing of what it does next: its saved state is the same before and
// after Stats and Check, also when there is something to forget.
func TestLookingChangesNothing(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(announcement(1, 1, 1, 2), FromSync)
	d.remote[url+1] = map[OID]bool{oid(99): true}
	d.event(state(2, 1, oid(7)), FromSync)
	for _, until := range []Time{10 * Second, 5 * Minute, 40 * Minute, 26 * Hour} {
		d.until(until)
		before := d.c.AppendState(nil)
		d.c.Stats()
		require.NoError(t, d.c.Check())
		require.Equal(t, before, d.c.AppendState(nil), "at %s", until)
	}
}

// T-01, T-05: an instant beyond reach, or one in the past, is reported and does not move the clock or hang.
func TestInstantsBeyondReachAreRefused(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(announcement(1, 1, 1), FromSync)
	for _, now := range []Time{Never, Never / 2 * 2, maxTime + 1, -5} {
		out := d.c.Step(now, Input{Kind: InWake}, nil)
		require.Equal(t, RepContract, out[0].Report)
	}
	d.until(2 * Second)
	require.NotEmpty(t, d.starts)
}

// D-06, F-03, E-03: a configuration change bounds the memories too.
func TestConfigChangeBoundsTheMemories(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(announcement(1, 1, 1, 2), FromSync)
	d.remote[url+1] = map[OID]bool{oid(99): true}
	d.remote[url+2] = map[OID]bool{oid(98): true}
	d.event(state(2, 1, oid(7), oid(8)), FromSync)
	d.until(10 * Second)
	require.Equal(t, 2, d.c.Stats().MemoURLs)
	cfg := DefaultConfig()
	cfg.MemoURLs, cfg.MemoOIDs, cfg.ExpiredIDs = 1, 1, 0
	d.step(Input{Kind: InConfigChanged, Config: &cfg})
	s := d.c.Stats()
	require.Equal(t, 1, s.MemoURLs)
	require.Equal(t, 1, s.MemoOIDs)
	d.until(40 * Minute)
	require.Zero(t, d.c.Stats().ExpiredIDs)
}
