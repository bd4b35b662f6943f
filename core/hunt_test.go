package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func seconds(ts []Time) (out []int) {
	for _, t := range ts {
		out = append(out, int(t/Second))
	}
	return out
}

// E-01: against a server that lacks the data, a synced event is tried 17 times
// at the instants of the rule book, then expires, and all is forgotten (I-8).
func TestSyncedEventIsTriedSeventeenTimes(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(announcement(1, 1, 1), FromSync)
	d.until(10 * Minute)
	d.starts = nil
	d.remote[url+1] = nil
	d.now = 20 * Minute
	d.until(20 * Minute)
	d.starts = nil
	d.event(state(2, 1, oid(7)), FromSync)
	at := d.now
	d.until(at + 29*Minute + 59*Second)
	var rel []Time
	for _, s := range d.starts {
		rel = append(rel, s-at)
	}
	require.Equal(t, []int{1, 21, 61, 141, 261}, seconds(rel)[:5])
	require.Len(t, rel, 17)
	require.Empty(t, d.reports(RepEndedExpired))
	d.until(at + 30*Minute)
	require.Len(t, d.reports(RepEndedExpired), 1)
}

// U-01, F-01, A-03, ST-08, ST-09: the second source has the data; state and announcement are released.
func TestDataOnSecondSourceReleases(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(announcement(1, 1, 1, 2), FromSync)
	d.remote[url+2] = map[OID]bool{oid(7): true}
	d.event(state(2, 1, oid(7)), FromSync)
	d.until(10 * Second)
	require.Equal(t, []int{1, 1}, seconds(d.starts))
	require.Len(t, d.reports(RepEndedReleased), 2)
	d.until(2 * Hour)
	s := d.c.Stats()
	require.Zero(t, s.Held)
	require.Zero(t, s.Hunts)
	require.Zero(t, s.Asks)
	_, waits := d.c.Next()
	require.False(t, waits)
}
