package importer

import (
	"strings"
	"testing"

	"graspsync/scenarios"
)

// Whatever dump and log hold, the importer answers, accounts for every line, and what it makes can be
// written and read.
func FuzzImport(f *testing.F) {
	dump := string(testdata(f, "events.jsonl"))
	f.Add(dump[:6000], string(testdata(f, "relay-arrivals-2025-12-05.jsonl"))[:2000], "relay.ngit.dev", true)
	f.Add(announced(f, 1, "x", "https://a.example/x")+"\n[\"EVENT\",{}]\n{\"event\":[]}\n[", "", "", false)
	f.Add("{\"id\":1}\n[[]]\n[null]\n\"x\"\n\xff", "{\"time\":\"2025/12/05 22:00:53\",\"dir\":\"in\",\"verb\":\"EVENT\"}", "us.example:8080", true)
	f.Fuzz(func(t *testing.T, dump, log, service string, rest bool) {
		o := Options{Service: service, Rest: rest, NoTrial: true}
		if log != "" {
			o.RelayLog = strings.NewReader(log)
		}
		s, sum, err := Import(strings.NewReader(dump), o)
		if lost := sum.Read - sum.Verified - sum.Refused(NotAnEvent) - sum.Refused(BadID) - sum.Refused(BadSignature) - sum.Refused(Twice); o.RelayLog == nil && lost != 0 {
			t.Fatalf("%d of %d lines unaccounted for", lost, sum.Read)
		}
		if err != nil {
			return
		}
		if _, err := scenarios.Parse("fuzz", s.Encode()); err != nil {
			t.Fatalf("%v\n%s", err, s.Encode())
		}
	})
}
