package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
)

// Every field that can cross the boundary moves the hash. I-9
func TestHashSeesEveryField(t *testing.T) {
	seen := map[Hash]string{}
	note := func(name string, h Hash) {
		t.Helper()
		require.NotContains(t, seen, h, name)
		seen[h] = name
	}
	base := core.Input{Kind: core.InCompared}
	note("input", Hash(1).input(5, &base))
	note("later", Hash(1).input(6, &base))
	for name, change := range map[string]func(*core.Input){
		"class": func(i *core.Input) { i.Class = 1 }, "origin": func(i *core.Input) { i.Origin = 1 }, "duplicate": func(i *core.Input) { i.Duplicate = true },
		"deleted": func(i *core.Input) { i.Deleted = true }, "authed": func(i *core.Input) { i.Authed = true },
		"heads": func(i *core.Input) { i.HasHeads = true }, "truncated": func(i *core.Input) { i.Truncated = true },
		"moved": func(i *core.Input) { i.RefsMoved = true }, "hadrefs": func(i *core.Input) { i.HadRefs = true },
		"verdict": func(i *core.Input) { i.Verdict = 1 }, "status": func(i *core.Input) { i.Status = 1 }, "requests": func(i *core.Input) { i.Requests = 1 },
		"ask": func(i *core.Input) { i.Ask = 1 }, "retry": func(i *core.Input) { i.RetryAfter = 1 }, "bytes": func(i *core.Input) { i.Bytes = 1 },
		"final": func(i *core.Input) { i.FinalURL = 1 }, "address": func(i *core.Input) { i.Address[9] = 1 },
		"fingerprint": func(i *core.Input) { i.Fingerprint[31] = 1 }, "oids": func(i *core.Input) { i.OIDs = []core.OID{toyOID(1)} },
		"two oids":    func(i *core.Input) { i.OIDs = []core.OID{toyOID(1), toyOID(2)} },
		"clock":       func(i *core.Input) { i.Kind, i.Offset = core.InClock, 3 },
		"event":       func(i *core.Input) { i.Kind, i.Event = core.InEvent, &core.Event{ID: toyID(1)} },
		"other event": func(i *core.Input) { i.Kind, i.Event = core.InEvent, &core.Event{ID: toyID(2)} },
		"sender":      func(i *core.Input) { i.Kind, i.Event, i.From = core.InEvent, &core.Event{ID: toyID(1)}, 3 },
		"remove":      func(i *core.Input) { i.Kind, i.Target = core.InRemove, toyID(1) },
		"refs":        func(i *core.Input) { i.Kind, i.Refs = core.InRepoRefs, []core.Ref{{Name: 1, OID: toyOID(1)}} },
		"push":        func(i *core.Input) { i.Kind, i.Push = core.InPushAsked, &core.Push{ID: 1} },
		"push update": func(i *core.Input) {
			i.Kind, i.Push = core.InPushAsked, &core.Push{ID: 1, Updates: []core.RefUpdate{{New: toyOID(1)}}}
		},
		"config": func(i *core.Input) { i.Kind, i.Config = core.InConfigChanged, &core.Config{Pressure: 2} },
		"override": func(i *core.Input) {
			i.Kind, i.Config = core.InConfigChanged, &core.Config{Overrides: []core.DomainLimit{{Domain: 1, Rate: 2}}}
		},
	} {
		in := base
		change(&in)
		note(name, Hash(1).input(5, &in))
	}
	for name, change := range map[string]func(*core.Effect){
		"none": func(*core.Effect) {}, "kind": func(e *core.Effect) { e.Kind = 1 }, "report": func(e *core.Effect) { e.Report = 1 },
		"ok": func(e *core.Effect) { e.OK = true }, "eclass": func(e *core.Effect) { e.Class = 1 }, "wave": func(e *core.Effect) { e.Wave = 1 },
		"hedge": func(e *core.Effect) { e.Hedge = true }, "space": func(e *core.Effect) { e.Space = 1 }, "attempt": func(e *core.Effect) { e.Attempt = 1 },
		"hunt": func(e *core.Effect) { e.Hunt = 1 }, "into": func(e *core.Effect) { e.Into = 1 }, "url": func(e *core.Effect) { e.URL = 1 },
		"domain": func(e *core.Effect) { e.Domain = 1 }, "repo": func(e *core.Effect) { e.Repo = 1 }, "from": func(e *core.Effect) { e.From = 1 },
		"head": func(e *core.Effect) { e.Head = 1 }, "eask": func(e *core.Effect) { e.Ask = 1 }, "epush": func(e *core.Effect) { e.Push = 1 },
		"deadline": func(e *core.Effect) { e.Deadline = 1 }, "eevent": func(e *core.Effect) { e.Event[20] = 1 },
		"eoids": func(e *core.Effect) { e.OIDs = []core.OID{toyOID(1)} }, "erefs": func(e *core.Effect) { e.Refs = []core.Ref{{Name: 1}} },
		"old": func(e *core.Effect) { e.Old = []core.Ref{{Name: 1}} }, "text": func(e *core.Effect) { e.Text = "x" },
		"text2": func(e *core.Effect) { e.Text = "x\x00" }, "pass": func(e *core.Effect) { e.Pass = &core.PassReport{} },
		"bytes": func(e *core.Effect) { e.Pass = &core.PassReport{Bytes: 1} }, "started": func(e *core.Effect) { e.Pass = &core.PassReport{Started: 1} },
	} {
		var e core.Effect
		change(&e)
		note("effect "+name, Hash(1).effect(&e))
	}
}

// The hash is the same on every architecture. I-9
func TestHashIsGolden(t *testing.T) {
	s, _ := toySetup(40, 3, noisy)
	s.Tie, s.Driver.EarlyWake = TieShuffle, Ratio{1, 3}
	res, _ := runToy(t, s)
	require.Equal(t, [2]uint64{0x5ff5f4fb41dd8988, 0xfa9760059d74dafe}, [2]uint64{res.Hash, res.OrderHash})
}

func BenchmarkHash(b *testing.B) {
	in := core.Input{Kind: core.InPassEnded, Ask: 5, Requests: 3, Bytes: 1000}
	e := core.Effect{Kind: core.EfCompare, Ask: 6, URL: 7, Domain: 8, OIDs: []core.OID{toyOID(1)}}
	var h Hash
	b.ReportAllocs()
	for b.Loop() {
		h = h.input(5, &in).effect(&e)
	}
	sink = uint64(h)
}

var sink uint64
