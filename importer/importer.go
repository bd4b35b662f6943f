package importer

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"graspsync/core"
	"graspsync/core/nip34"
	"graspsync/core/value"
	"graspsync/scenarios"
)

// Errors of Import, beside those of reading.
var (
	// ErrOption is wrapped when an option cannot be used.
	ErrOption = errors.New("import option refused")
	// ErrNoHunt is wrapped when nothing in the dump can be hunted; scenario and summary are returned all
	// the same, so that the reasons can be shown.
	ErrNoHunt = errors.New("nothing in the dump can be hunted")
)

// Options say how a dump becomes a scenario. The zero value is good.
type Options struct {
	Name        string            // of the scenario; default "imported"
	Description string            // default says what was imported
	Service     string            // our authority; default the host in most clone ∩ relays
	Classes     map[string]string // class of each host, "*" for the others; default "typical" (class.go)

	// Holders names, by identifier, the hosts that have the data; a repository that is not listed has it on
	// all its hosts whose class is not "empty".
	Holders map[string][]string

	RelayLog io.Reader      // a relay's log: order and instants of arrival; nil: created_at decides
	Rest     bool           // with RelayLog: what the log does not deliver follows by created_at
	Window   scenarios.Span // by created_at: the whole is squeezed into this; 0: DefaultWindow, negative: real distances
	Client   bool           // events come from clients, not from relays
	Tail     scenarios.Span // the run goes on this long after the last arrival; 0: DefaultTail
	NoTrial  bool           // do not run the scenario for the summary
}

// Defaults of Options.
const (
	DefaultWindow = 10 * scenarios.Span(core.Minute)
	DefaultTail   = 40 * scenarios.Span(core.Minute) // a lifetime and some
)

// Import reads a dump of NIP-34 events, one per line: the event itself, an object that wraps it as
// "event", or a relay's EVENT frame; other frames and empty lines are skipped. Every id and signature is
// checked, and the scenario is run once to see what becomes of them. What cannot be used is listed in the summary with its line and reason, and does not stop the
// import. The error wraps ErrOption, ErrNoHunt or that of a reader.
func Import(r io.Reader, o Options) (*scenarios.Scenario, *Summary, error) {
	sum := &Summary{}
	recs, err := readDump(r, sum)
	if err != nil {
		return nil, sum, err
	}
	if o.Service == "" {
		if o.Service = chooseService(recs); o.Service == "" {
			return nil, sum, fmt.Errorf("%w: no announcement names one host in clone and relays, so the service must be given", ErrNoHunt)
		}
	}
	names := new(value.Names)
	p, err := nip34.NewParser(names, o.Service)
	if err != nil {
		return nil, sum, fmt.Errorf("%w: %w", ErrOption, err)
	}
	sum.Service = p.Service()
	recs, events := parseAll(recs, p, sum)
	w := newWorld(names, events, &o)
	if err := w.checkOptions(); err != nil {
		return nil, sum, err
	}
	arrivals, err := o.arrivals(recs, sum)
	if err != nil {
		return nil, sum, err
	}
	s, err := w.scenario(p.Service(), recs, arrivals, sum)
	if err != nil {
		return nil, sum, err
	}
	w.summarise(sum, arrivals)
	slices.SortStableFunc(sum.Refusals, func(a, b Refusal) int { return a.order() - b.order() })
	if err := s.Validate(); err != nil {
		return nil, sum, err
	}
	if sum.Hunted == 0 {
		return s, sum, fmt.Errorf("%w: %d of %d verified events name a repository of %s with a clone URL elsewhere",
			ErrNoHunt, sum.Hunted, sum.Verified, sum.Service)
	}
	if o.NoTrial {
		return s, sum, nil
	}
	if sum.Trial, err = try(s); err != nil {
		return nil, sum, err
	}
	if sum.Trial.Hunts == 0 {
		return s, sum, fmt.Errorf("%w: the simulated relay started no hunt", ErrNoHunt)
	}
	return s, sum, nil
}

func (o *Options) arrivals(recs []record, sum *Summary) ([]arrival, error) {
	window := cmp.Or(o.Window, DefaultWindow)
	if o.RelayLog == nil {
		return byCreated(recs, max(window, 0)), nil
	}
	out, err := byLog(o.RelayLog, recs, sum)
	if err != nil || !o.Rest {
		return out, err
	}
	delivered := map[*record]bool{}
	for _, a := range out {
		delivered[a.rec] = true
	}
	var rest []record
	for i := range recs {
		if !delivered[&recs[i]] {
			rest = append(rest, recs[i])
		}
	}
	after := out[len(out)-1].at + scenarios.Span(core.Second)
	for _, a := range byCreated(rest, max(window, 0)) {
		a.at += after
		out = append(out, a)
	}
	return out, nil
}

// checkOptions refuses names that the dump does not know: they are slips of the pen.
func (w *world) checkOptions() error {
	known, err := w.hosts()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	hosts := sorted(known)
	unknown := func(what, name string, want []string) error {
		return fmt.Errorf("%w: %s is %q, must be one of %s", ErrOption, what, name, strings.Join(want, ", "))
	}
	for _, host := range sorted(w.opt.Classes) {
		if _, ok := known[host]; !ok && host != "*" {
			return unknown("class of host", host, hosts)
		}
		if _, err := hostOf(w.opt.Classes[host]); err != nil {
			return fmt.Errorf("%w: host %s: %w", ErrOption, host, err)
		}
	}
	for _, id := range sorted(w.opt.Holders) {
		if h, ok := w.names.Lookup(id); !ok || len(w.byName[h]) == 0 {
			return fmt.Errorf("%w: holders of %q, must be an identifier of the dump", ErrOption, id)
		}
		for _, host := range w.opt.Holders[id] {
			if _, ok := known[host]; !ok {
				return unknown("holder of "+id, host, hosts)
			}
		}
	}
	return nil
}

func sorted[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// scenario writes everything down. The wall clock starts at the newest created_at: then no event lies
// in the future, however the dump was made.
func (w *world) scenario(service string, recs []record, arrivals []arrival, sum *Summary) (*scenarios.Scenario, error) {
	hosts, err := w.hosts()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOption, err)
	}
	for _, h := range sorted(hosts) {
		sum.Hosts = append(sum.Hosts, h+"="+classOf(w.opt.Classes, h))
	}
	tail := w.opt.Tail
	if tail <= 0 {
		tail = DefaultTail
	}
	s := &scenarios.Scenario{Version: scenarios.Version, Name: w.opt.Name, Description: w.opt.Description, Service: service,
		Hosts: hosts, Repos: w.repos(), Horizon: tail}
	if s.Name == "" {
		s.Name = "imported"
	}
	if s.Description == "" {
		s.Description = fmt.Sprintf("%d deliveries of %d real events reach %s, whose data lies on %d hosts.", len(arrivals), len(recs), service, len(hosts))
	}
	for i := range w.events {
		s.Wall = max(s.Wall, w.events[i].CreatedAt)
	}
	origin := ""
	if w.opt.Client {
		origin = "client"
	}
	for _, a := range arrivals {
		s.Horizon = max(s.Horizon, a.at+tail)
		s.Timeline = append(s.Timeline, scenarios.Action{At: a.at, Event: string(a.rec.raw), Origin: origin})
	}
	return s, nil
}
