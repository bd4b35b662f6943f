package main

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	"graspsync/sim"
)

// jsonRun is one line of --json. Times are nanoseconds; hashes are hex, since JSON numbers lose bits.
type jsonRun struct {
	Scenario   string           `json:"scenario"`
	Seed       uint64           `json:"seed"`
	Verdict    string           `json:"verdict"`
	Code       int              `json:"code"`
	Error      string           `json:"error,omitempty"`
	Events     uint64           `json:"events"`
	VirtualNS  int64            `json:"virtual_ns"`
	WallNS     int64            `json:"wall_ns"`
	Hash       string           `json:"hash"`
	OrderHash  string           `json:"order_hash"`
	Counts     map[string]int64 `json:"counts"`
	Relays     []jsonRelay      `json:"relays,omitempty"`
	Violations []jsonViolation  `json:"violations"`
	Reproduce  string           `json:"reproduce"`
}

// jsonRelay is one of several relays in one world.
type jsonRelay struct {
	Relay      string           `json:"relay"`
	Events     uint64           `json:"events"`
	Hash       string           `json:"hash"`
	Violations int              `json:"violations"`
	Counts     map[string]int64 `json:"counts"`
}

type jsonViolation struct {
	ID   string `json:"id"`
	AtNS int64  `json:"at_ns"`
	Step uint64 `json:"step"`
	Text string `json:"text"`
}

// jsonSummary is the last line of --json.
type jsonSummary struct {
	Runs      int    `json:"runs"`
	Passed    int    `json:"passed"`
	Failed    int    `json:"failed"`
	VirtualNS int64  `json:"virtual_ns"`
	WallNS    int64  `json:"wall_ns"`
	Events    uint64 `json:"events"`
}

func printJSON(w io.Writer, done []outcome, s summary) error {
	enc := json.NewEncoder(w)
	for i := range done {
		o := &done[i]
		r := jsonRun{Scenario: o.Name, Seed: o.seed, Verdict: strings.ToLower(verdict(o.code)), Code: o.code,
			WallNS: int64(o.wall), Violations: []jsonViolation{}, Reproduce: o.command()}
		if o.err != nil {
			r.Error = o.err.Error()
		}
		if o.result != nil {
			r.Events, r.VirtualNS, r.Counts = o.result.Steps, int64(o.result.Virtual), counts(&o.result.Counts)
			r.Hash, r.OrderHash = fmt.Sprintf("%016x", o.result.Hash), fmt.Sprintf("%016x", o.result.OrderHash)
			for k := range o.result.Relays {
				x := &o.result.Relays[k]
				r.Relays = append(r.Relays, jsonRelay{x.Name, x.Steps, fmt.Sprintf("%016x", x.Hash), x.Violations, counts(&x.Counts)})
			}
			for _, v := range o.result.Violations {
				r.Violations = append(r.Violations, jsonViolation{v.ID, int64(v.At), v.Step, v.Text})
			}
		}
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return enc.Encode(map[string]jsonSummary{"summary": {s.runs, s.passed, s.runs - s.passed, int64(s.virtual), int64(s.wall), s.events}})
}

// counts gives the fields of c under lower-case names with underscores.
func counts(c *sim.Counts) map[string]int64 {
	out := map[string]int64{}
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		name := ""
		for j, r := range v.Type().Field(i).Name {
			if j > 0 && r >= 'A' && r <= 'Z' {
				name += "_"
			}
			name += strings.ToLower(string(r))
		}
		out[name] = v.Field(i).Int()
	}
	return out
}
