package fakes

import (
	"errors"
	"fmt"
	"strings"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/sim"
)

// ErrWorld is wrapped by every refusal of the builder that is about a host or repository.
var ErrWorld = errors.New("world refused")

// WorldParts are the peers of one world. Building methods chain and never fail by themselves: the first
// mistake is kept, the rest goes on, and Err tells. A loader that wants the line of a mistake calls Err
// after each statement.
type WorldParts struct {
	Names   *value.Names
	Graph   *Graph
	Servers *GitServers
	Local   *LocalGit
	Store   *EventStore

	seed uint64
	err  error
}

// NewWorldParts is a world without servers. Names is shared with the core's inputs; seed is the key of all
// noise.
func NewWorldParts(names *value.Names, seed uint64) *WorldParts {
	g := &Graph{}
	local := NewLocalGit(g, names)
	return &WorldParts{
		Names: names, Graph: g, Local: local, Store: NewEventStore(), seed: seed,
		Servers: &GitServers{graph: g, names: names, seed: seed, haves: local, byDomain: make(map[string]*host), logSize: defaultLog},
	}
}

// Err is the first mistake made in building.
func (w *WorldParts) Err() error { return w.err }

func (w *WorldParts) note(err error) bool {
	if err != nil && w.err == nil {
		w.err = err
	}
	return err == nil
}

// Commit puts in a commit; see Graph.Commit.
func (w *WorldParts) Commit(label string, parents ...string) *WorldParts {
	_, err := w.Graph.Commit(label, parents...)
	w.note(err)
	return w
}

// Chain puts in n commits in a row; see Graph.Chain.
func (w *WorldParts) Chain(label string, n int, parents ...string) *WorldParts {
	_, err := w.Graph.Chain(label, n, parents...)
	w.note(err)
	return w
}

// Tag puts in an annotated tag; see Graph.Tag.
func (w *WorldParts) Tag(label, target string) *WorldParts {
	_, err := w.Graph.Tag(label, target)
	w.note(err)
	return w
}

// LogSize sets how many calls each host remembers (256 unless set), 1 to 1,000,000.
func (w *WorldParts) LogSize(calls int) *WorldParts {
	if calls < 1 || calls > 1_000_000 {
		w.note(fmt.Errorf("%w: log of %d calls: want 1 to 1000000", ErrWorld, calls))
		return w
	}
	w.Servers.logSize = calls
	return w
}

// Domain is the domain of an http or https URL as the parser gives it to the core: lower case, without
// user and default port (U-03).
func Domain(url string) (string, error) {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return "", fmt.Errorf("%w: URL %q: want http:// or https://", ErrWorld, url)
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	rest = strings.ToLower(rest[strings.LastIndexByte(rest, '@')+1:])
	port := ":443"
	if scheme == "http" {
		port = ":80"
	}
	rest = strings.TrimSuffix(rest, port)
	if name, number, has := strings.Cut(rest, ":"); has && !strings.HasPrefix(rest, "[") {
		rest = strings.TrimSuffix(name, ".") + ":" + number
	}
	rest = strings.TrimSuffix(rest, ".")
	if rest == "" {
		return "", fmt.Errorf("%w: URL %q has no host: want one", ErrWorld, url)
	}
	return rest, nil
}

// Source is a clone URL as the core sees it.
func (w *WorldParts) Source(url string) core.Source {
	domain, err := Domain(url)
	w.note(err)
	return core.Source{URL: w.Names.Handle(url), Domain: w.Names.Handle(domain)}
}

// User is the person called name; the same name is the same person.
func (w *WorldParts) User(name string) *User {
	return &User{Name: name, Key: Key(name), names: w.Names, graph: w.Graph, source: w.Source, from: w.Names.Handle("client " + name)}
}

// Upstream is a relay to sync from; set its fields and Deliver events to it.
func (w *WorldParts) Upstream(name string) *UpstreamRelay {
	return NewUpstreamRelay(w.Names, name, w.seed)
}

// Learn tells the store about every event that arrives; call it once all arrivals are known.
func (w *WorldParts) Learn(arrivals []sim.Arrival) {
	for i := range arrivals {
		if e := arrivals[i].Input.Event; e != nil {
			w.Store.Learn(e)
		}
	}
}

// Seal works out every repository now instead of at its first request, so that a measured run does not
// pay for it.
func (w *WorldParts) Seal() error {
	for _, r := range w.Servers.byURL {
		if r != nil && !r.sealed {
			r.seal(w.Graph)
		}
	}
	return w.err
}
