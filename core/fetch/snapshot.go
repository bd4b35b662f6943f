package fetch

import (
	"strconv"

	"graspsync/core/pq"
	"graspsync/core/wire"
)

// Least bytes of the encoded records, for the bounds of their lists.
const (
	urlSize   = 4 + 32 + 8 + 4
	entrySize = wire.OIDSize + 8 + 8 + 1
	most      = 1 << 24 // of a bound of the memo
)

// Code writes or reads the memo with its bounds, which a change of the configuration leaves as they were
// (F-03, R-03). The order of the URLs' first writes is part of it; index and heap are made anew.
func (m *Memo) Code(w *wire.Coder) {
	w.Section("memo")
	w.Count(&m.maxURLs, most)
	w.Count(&m.maxOIDs, most)
	wire.Time(w, &m.ttl)
	wire.I64(w, &m.writes)
	if w.Reading() {
		m.age, m.agePos = pq.Heap{}, nil
	}
	i := int32(0)
	wire.List(w, &m.urls, urlSize, func(w *wire.Coder, u *urlMemo) {
		m.codeURL(w, i, u)
		i++
	})
	if wire.List(w, &m.free, 4, wire.Slot); !w.Reading() || w.Err() != nil {
		return
	}
	seen := make([]bool, len(m.urls))
	for _, i := range m.free {
		if i < 0 || int(i) >= len(m.urls) || m.agePos[i] != pq.Absent || seen[i] {
			w.Fail("the list of free slots names " + strconv.Itoa(int(i)) + ", which is not free or named twice")
			return
		}
		seen[i] = true
	}
	if len(m.free)+len(m.byURL) != len(m.urls) || len(m.byURL) != m.age.Len() {
		w.Fail(strconv.Itoa(len(m.urls)) + " slots, but " + strconv.Itoa(len(m.byURL)) + " URLs and " + strconv.Itoa(len(m.free)) + " free ones")
	}
}

// codeURL codes one slot; its age is 0 if it is free.
func (m *Memo) codeURL(w *wire.Coder, i int32, u *urlMemo) {
	var age int64
	if !w.Reading() && m.agePos[i] != pq.Absent {
		age, _ = m.age.At(int(m.agePos[i]))
	}
	wire.I64(w, &age)
	wire.Handle(w, &u.url)
	w.Raw(u.fingerprint[:])
	if wire.List(w, &u.entries, entrySize, codeEntry); !w.Reading() {
		return
	}
	m.agePos = append(m.agePos, pq.Absent)
	if age == 0 {
		if len(u.entries) > 0 {
			w.Fail("a free slot has entries")
		}
		return
	}
	if _, twice := m.byURL[u.url]; twice || age < 0 || age > m.writes {
		w.Fail("URL " + strconv.Itoa(int(u.url)) + " is remembered twice or from the future")
		return
	}
	for k := 1; k < len(u.entries); k++ {
		if u.entries[k-1].oid.Compare(u.entries[k].oid) >= 0 {
			w.Fail("entries of URL " + strconv.Itoa(int(u.url)) + " are out of order")
			return
		}
	}
	m.byURL[u.url] = i
	m.age.Set(m.agePos, age, i)
}

func codeEntry(w *wire.Coder, e *memoEntry) {
	wire.OID(w, &e.oid)
	wire.Time(w, &e.first)
	wire.Time(w, &e.asked)
	w.Bool(&e.missing)
}

// Code writes or reads the course of a pass (F-01, R-03).
func (p *Pass) Code(w *wire.Coder) {
	wire.Enum(w, &p.Stage, Ending+1, "stage of a pass")
	w.Raw(p.fingerprint[:])
	w.Bool(&p.memo)
	w.Bool(&p.single)
	wire.List(w, &p.residual, wire.OIDSize, wire.OID)
	w.Count(&p.next, len(p.residual))
	wire.List(w, &p.found, wire.OIDSize, wire.OID)
	wire.List(w, &p.Ask, wire.OIDSize, wire.OID)
	for _, n := range [...]*int32{&p.Chosen, &p.Advertised, &p.Attempted, &p.Missing, &p.Skipped, &p.Deferred, &p.Fetched} {
		wire.Slot(w, n)
	}
	if w.Reading() && p.Stage == Probing && len(p.Ask) == 0 {
		w.Fail("a pass probes for nothing")
	}
}
