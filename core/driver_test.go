package core

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core/value"
)

// instant is the simplest driver: every effect is carried out at once, by maps.
type instant struct {
	t       *testing.T
	c       *Core
	now     Time
	queue   []Input
	remote  map[Handle]map[OID]bool // what a URL holds and advertises
	class   map[Handle]Class        // or how it fails
	silent  map[Handle]bool         // never answers
	local   map[OID]bool
	verdict []Verdict         // of the next StoreEvents, then StoredOK
	hold    func(Effect) bool // true: not carried out, but kept in pending
	pending []Effect
	log     []Effect
	at      []Time // of each in log
	starts  []Time
	effects int
}

func newInstant(t *testing.T, cfg Config) *instant {
	c, err := New(cfg)
	require.NoError(t, err)
	return &instant{t: t, c: c, remote: map[Handle]map[OID]bool{}, class: map[Handle]Class{}, silent: map[Handle]bool{},
		local: map[OID]bool{}}
}

func (d *instant) step(in Input) {
	out := d.c.Step(d.now, in, nil)
	require.NoError(d.t, d.c.Check(), "after %s at %s", in.Kind, d.now)
	require.NoError(d.t, audit(d.c), "after %s at %s", in.Kind, d.now)
	for _, e := range out {
		d.effects++
		e.OIDs = append([]OID(nil), e.OIDs...)
		if e.Pass != nil {
			p := *e.Pass
			e.Pass = &p
		}
		d.log, d.at = append(d.log, e), append(d.at, d.now)
		d.carryOut(e)
	}
}

func (d *instant) carryOut(e Effect) {
	if d.hold != nil && e.Ask != 0 && e.Kind != EfReport && d.hold(e) {
		d.pending = append(d.pending, e)
		return
	}
	in := Input{Ask: e.Ask}
	switch e.Kind {
	case EfCheckObjects:
		in.Kind = InChecked
		for _, o := range e.OIDs {
			if d.local[o] {
				in.OIDs = append(in.OIDs, o)
			}
		}
	case EfCompare:
		d.starts = append(d.starts, d.now)
		if d.silent[e.URL] {
			return
		}
		in.Kind, in.Class, in.HasHeads = InCompared, d.class[e.URL], len(d.remote[e.URL]) > 0
		for _, o := range e.OIDs {
			if d.remote[e.URL][o] {
				in.OIDs = append(in.OIDs, o)
			}
		}
	case EfFetch:
		in.Kind = InFetched
		for _, o := range e.OIDs {
			if d.remote[e.URL][o] {
				in.OIDs = append(in.OIDs, o)
				d.local[o] = true
			}
		}
	case EfProbe:
		in.Kind, in.Class, in.OIDs = InProbed, NotOurRef, e.OIDs
	case EfEndPass, EfCancelPass:
		in.Kind = InPassEnded
	case EfCopyObjects:
		in.Kind = InCopied
	case EfAlignRefs:
		in.Kind = InAligned
	case EfStoreEvent:
		in.Kind = InStored
		if len(d.verdict) > 0 {
			in.Verdict, d.verdict = d.verdict[0], d.verdict[1:]
		}
	case EfRemoveEvent:
		in.Kind = InRemoved
	case EfCreateRepo:
		in.Kind = InRepoCreated
	case EfDeleteRepo, EfDeleteRepoIfNoRefs:
		in.Kind = InRepoDeleted
	default:
		return
	}
	d.queue = append(d.queue, in)
}

// settle feeds completions and wakes until nothing is wanted at this instant.
func (d *instant) settle() {
	for round := 0; ; round++ {
		require.Less(d.t, round, 10_000, "no end at %s", d.now)
		if len(d.queue) > 0 {
			in := d.queue[0]
			d.queue = d.queue[1:]
			d.step(in)
			continue
		}
		if at, ok := d.c.Next(); ok && at <= d.now {
			d.step(Input{Kind: InWake})
			if at2, ok := d.c.Next(); ok && at2 <= d.now && len(d.queue) == 0 {
				require.Less(d.t, round, 5000, "Next stays at %s", at2)
			}
			continue
		}
		return
	}
}

func (d *instant) until(t Time) {
	d.settle()
	for {
		at, ok := d.c.Next()
		if !ok || at > t {
			break
		}
		d.now = max(d.now, at)
		d.settle()
	}
	d.now = t
	d.settle()
}

func (d *instant) event(e *Event, o Origin) {
	d.step(Input{Kind: InEvent, Event: e, Origin: o})
	d.settle()
}

// let carries out what was held back.
func (d *instant) let() {
	d.hold = nil
	list := d.pending
	d.pending = nil
	for _, e := range list {
		d.carryOut(e)
	}
	d.settle()
}

// effectsOf are the logged effects of a kind.
func (d *instant) effectsOf(k EffectKind) (out []Effect) {
	for _, e := range d.log {
		if e.Kind == k {
			out = append(out, e)
		}
	}
	return out
}

// answer is the latest answer to an event.
func (d *instant) answer(id EventID) (ok bool, text string) {
	for _, e := range d.log {
		if e.Kind == EfAnswer && e.Event == id {
			ok, text = e.OK, e.Text
		}
	}
	return ok, text
}

// attempts are the starts of attempts, in seconds.
func (d *instant) attempts(from Time) (out []int) {
	for i, e := range d.log {
		if e.Kind == EfReport && e.Report == RepAttemptStarted && d.at[i] >= from {
			out = append(out, int((d.at[i]-from)/Second))
		}
	}
	return out
}

func (d *instant) reports(k ReportKind) (out []Effect) {
	for _, e := range d.log {
		if e.Kind == EfReport && e.Report == k {
			out = append(out, e)
		}
	}
	return out
}

// nums are the numbers of the events that effects are about, as eventID made them.
func nums(list []Effect) (out []int) {
	for _, e := range list {
		out = append(out, int(e.Event[30])<<8|int(e.Event[31]))
	}
	return out
}

func oid(n int) OID {
	o, err := value.ParseOID(fmt.Sprintf("%040x", n))
	if err != nil {
		panic(err)
	}
	return o
}

func eventID(n int) (id EventID) { id[0], id[30], id[31] = 1, byte(n>>8), byte(n); return id }

func author(n int) (p PubKey) { p[0], p[31] = 2, byte(n); return p }

const (
	dName  = Handle(1)
	main   = Handle(2)
	url    = Handle(100) // +n
	domain = Handle(200) // +n
	repo   = Handle(300) // +author
)

func announcement(n, who int, urls ...int) *Event {
	e := &Event{ID: eventID(n), Author: author(who), Kind: KindAnnouncement, ListsUs: true,
		Repo: Coordinate{Owner: author(who), Identifier: dName, Repo: repo + Handle(who)}}
	for _, u := range urls {
		e.Sources = append(e.Sources, Source{URL: url + Handle(u), Domain: domain + Handle(u)})
	}
	return e
}

func state(n, who int, oids ...OID) *Event {
	e := &Event{ID: eventID(n), Author: author(who), Kind: KindState, CreatedAt: int64(n),
		Repo: Coordinate{Owner: author(who), Identifier: dName, Repo: repo + Handle(who)}}
	for i, o := range oids {
		e.Refs = append(e.Refs, Ref{Name: main + Handle(i), OID: o})
	}
	return e
}
