package fetch

import (
	"cmp"
	"slices"

	"graspsync/core/pq"
	"graspsync/core/value"
)

// Time, Handle and OID are those of package value.
type (
	Time   = value.Time
	Handle = value.Handle
	OID    = value.OID
)

// Want is an OID still needed when a pass asks.
type Want struct {
	OID  OID
	Seq  uint32 // order in which it was first wanted
	Past bool   // its event is about to expire: ask past the memo (F-03)
}

// Memo remembers per URL which OIDs the server explicitly said it lacks, under the fingerprint of what it
// advertised then (F-02), and when each was last asked for.
type Memo struct {
	maxURLs, maxOIDs int
	ttl              Time
	byURL            map[Handle]int32
	urls             []urlMemo
	free             []int32
	age              pq.Heap // URLs by first write, for the bound (F-03)
	agePos           []int32
	writes           int64
}

type urlMemo struct {
	url         Handle
	fingerprint [32]byte
	entries     []memoEntry // sorted by OID
}

type memoEntry struct {
	oid     OID
	first   Time // first write: it dies ttl later (F-03)
	asked   Time // last asked, whatever the answer: the order of the next pass (F-01)
	missing bool // under the URL's fingerprint
}

// NewMemo makes a memo of at most so many URLs, with at most so many OIDs each, that forgets an entry
// ttl after its first write. A bound of zero remembers nothing.
func NewMemo(urls, oids int, ttl Time) *Memo {
	return &Memo{maxURLs: urls, maxOIDs: oids, ttl: ttl, byURL: make(map[Handle]int32)}
}

// Advertised notes what url advertises now: under another fingerprint nothing it lacked before counts
// (F-02).
func (m *Memo) Advertised(url Handle, fingerprint [32]byte) {
	i, ok := m.byURL[url]
	if !ok {
		return
	}
	u := &m.urls[i]
	if u.fingerprint == fingerprint {
		return
	}
	u.fingerprint = fingerprint
	for k := range u.entries {
		u.entries[k].missing = false
	}
}

// Choose appends to dst the OIDs to ask url for one by one, at most limit: never asked ones first, in the
// order they were wanted, then those asked longest ago (F-01). With useMemo, OIDs known to be missing
// are skipped, unless the want goes past the memo (F-03).
func (m *Memo) Choose(url Handle, now Time, useMemo bool, wants []Want, limit int, dst []OID) (chosen []OID, skipped, deferred int32) {
	var entries []memoEntry
	if i, ok := m.byURL[url]; ok {
		m.expire(&m.urls[i], now)
		entries = m.urls[i].entries
	}
	asked := func(o OID) Time {
		if k, ok := find(entries, o); ok {
			return entries[k].asked
		}
		return -1
	}
	keep := wants[:0]
	for _, w := range wants {
		if k, ok := find(entries, w.OID); ok && useMemo && entries[k].missing && !w.Past {
			skipped++
			continue
		}
		keep = append(keep, w)
	}
	slices.SortFunc(keep, func(a, b Want) int {
		return cmp.Or(cmp.Compare(asked(a.OID), asked(b.OID)), cmp.Compare(a.Seq, b.Seq), a.OID.Compare(b.OID))
	})
	for i, w := range keep {
		if i >= limit {
			deferred = int32(len(keep) - i)
			break
		}
		dst = append(dst, w.OID)
	}
	return dst, skipped, deferred
}

// Asked notes the answer to a single question. missing is remembered only when the server said so
// explicitly and what it advertised is known (F-02, F-04).
func (m *Memo) Asked(url Handle, fingerprint [32]byte, o OID, now Time, missing bool) {
	if m.maxURLs == 0 || m.maxOIDs == 0 {
		return
	}
	if _, known := m.byURL[url]; !known {
		m.Expire(now) // in passing: memory follows what is alive
	}
	u := m.open(url, fingerprint)
	k, ok := find(u.entries, o)
	if !ok {
		if len(u.entries) >= m.maxOIDs {
			oldest := 0
			for j := range u.entries {
				if u.entries[j].first < u.entries[oldest].first {
					oldest = j
				}
			}
			u.entries = slices.Delete(u.entries, oldest, oldest+1)
			k, _ = find(u.entries, o)
		}
		u.entries = slices.Insert(u.entries, k, memoEntry{oid: o, first: now})
	}
	e := &u.entries[k]
	e.asked = now
	if missing && u.fingerprint == fingerprint {
		e.missing = true
	}
}

// Gained forgets that an OID was missing: it is here now.
func (m *Memo) Gained(url Handle, o OID) {
	if i, ok := m.byURL[url]; ok {
		u := &m.urls[i]
		if k, ok := find(u.entries, o); ok {
			u.entries = slices.Delete(u.entries, k, k+1)
			if len(u.entries) == 0 {
				m.drop(i)
			}
		}
	}
}

// Live is the number of URLs with an entry alive at now, and of such entries. It changes nothing.
func (m *Memo) Live(now Time) (urls, oids int) {
	for i := range m.urls {
		n := 0
		for _, e := range m.urls[i].entries {
			if now-e.first < m.ttl {
				n++
			}
		}
		if oids += n; n > 0 {
			urls++
		}
	}
	return urls, oids
}

// SetBounds replaces the bounds; what is too much goes, the oldest first (D-06, F-03).
func (m *Memo) SetBounds(urls, oids int, ttl Time) {
	m.maxURLs, m.maxOIDs, m.ttl = urls, oids, ttl
	for len(m.byURL) > m.maxURLs {
		_, oldest, _ := m.age.Top()
		m.drop(oldest)
	}
	for i := range m.urls {
		if u := &m.urls[i]; len(u.entries) > oids {
			byAge := slices.Clone(u.entries)
			slices.SortStableFunc(byAge, func(a, b memoEntry) int { return cmp.Compare(b.first, a.first) })
			edge := byAge[max(oids, 1)-1].first
			u.entries = slices.DeleteFunc(u.entries, func(e memoEntry) bool { return oids == 0 || e.first < edge })
			u.entries = u.entries[:min(len(u.entries), oids)]
		}
	}
}

// Expire drops the URLs whose entries' lives are over, oldest first, up to the first that has one alive.
func (m *Memo) Expire(now Time) {
	for {
		_, i, ok := m.age.Top()
		if !ok {
			return
		}
		m.expire(&m.urls[i], now)
		if len(m.urls[i].entries) > 0 {
			return
		}
		m.drop(i)
	}
}

func (m *Memo) expire(u *urlMemo, now Time) {
	u.entries = slices.DeleteFunc(u.entries, func(e memoEntry) bool { return now-e.first >= m.ttl })
}

func (m *Memo) open(url Handle, fingerprint [32]byte) *urlMemo {
	if i, ok := m.byURL[url]; ok {
		return &m.urls[i]
	}
	if len(m.byURL) >= m.maxURLs {
		_, oldest, _ := m.age.Top()
		m.drop(oldest)
	}
	var i int32
	if n := len(m.free); n > 0 {
		i = m.free[n-1]
		m.free = m.free[:n-1]
	} else {
		i = int32(len(m.urls))
		m.urls = append(m.urls, urlMemo{})
		m.agePos = append(m.agePos, pq.Absent)
	}
	m.urls[i] = urlMemo{url: url, fingerprint: fingerprint, entries: m.urls[i].entries[:0]}
	m.byURL[url] = i
	m.writes++
	m.age.Set(m.agePos, m.writes, i)
	return &m.urls[i]
}

func (m *Memo) drop(i int32) {
	m.age.Remove(m.agePos, i)
	delete(m.byURL, m.urls[i].url)
	m.urls[i].entries = m.urls[i].entries[:0]
	m.free = append(m.free, i)
}

func find(entries []memoEntry, o OID) (int, bool) {
	return slices.BinarySearchFunc(entries, o, func(e memoEntry, o OID) int { return e.oid.Compare(o) })
}
