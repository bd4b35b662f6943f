package importer

import (
	"cmp"
	"slices"
	"strings"

	"graspsync/core"
	"graspsync/core/nip34"
	"graspsync/core/value"
	"graspsync/scenarios"
)

// world lays out hosts and repositories for the parsed events of a dump.
type world struct {
	names  *value.Names
	events []core.Event // one per record, in the dump's order
	byName map[core.Handle][]*core.Event
	opt    *Options
}

func newWorld(names *value.Names, events []core.Event, opt *Options) *world {
	w := &world{names: names, events: events, byName: map[core.Handle][]*core.Event{}, opt: opt}
	for i := range events {
		if e := &events[i]; e.Repo.Identifier != 0 {
			w.byName[e.Repo.Identifier] = append(w.byName[e.Repo.Identifier], e)
		}
	}
	return w
}

// repoKey is how a scenario calls a repository: "<owner hex>/<identifier>", as its handle's text.
func (w *world) repoKey(c core.Coordinate) string { return w.names.Text(c.Repo) }

// hosts are all public hosts named in clone tags, sorted, each with its class.
func (w *world) hosts() (map[string]scenarios.Host, error) {
	out := map[string]scenarios.Host{}
	for i := range w.events {
		for _, s := range w.events[i].Sources {
			name := w.names.Text(s.Domain)
			if _, ok := out[name]; ok || s.Class != core.Public {
				continue
			}
			h, err := hostOf(classOf(w.opt.Classes, name))
			if err != nil {
				return nil, err
			}
			out[name] = h
		}
	}
	return out, nil
}

// closure is the owners whose states count for c: its owner and everyone listed, through those that have
// an announcement themselves (M-01).
func (w *world) closure(c core.Coordinate) []core.PubKey {
	out := []core.PubKey{c.Owner}
	for i := 0; i < len(out); i++ {
		for _, e := range w.byName[c.Identifier] {
			if e.Kind != core.KindAnnouncement || e.Author != out[i] {
				continue
			}
			for _, m := range e.Maintainers {
				if !slices.Contains(out, m) {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// repos says which host has which objects: every clone URL of a repository has the objects of all states
// that count for it, and advertises the newest one's refs; a pull request's clone URLs have its commit,
// and so have the hosts of the repositories it names.
func (w *world) repos() map[string]scenarios.Repo {
	out := map[string]scenarios.Repo{}
	for i := range w.events {
		e := &w.events[i]
		if e.Kind != core.KindAnnouncement {
			continue
		}
		key := w.repoKey(e.Repo)
		r := place{out[key]}
		r.Start = "absent"
		held := w.holdings(e.Repo)
		for _, s := range e.Sources {
			r.there(w.names.Text(s.URL), s.Class)
			if len(held) > 0 && w.holds(e.Repo, s) {
				r.add(w.names.Text(s.URL), held...)
			}
		}
		out[key] = r.Repo
	}
	for i := range w.events {
		e := &w.events[i]
		if e.Kind != core.KindPR && e.Kind != core.KindPRUpdate {
			continue
		}
		for _, c := range e.Repositories {
			repo, ok := out[w.repoKey(c)]
			if !ok {
				continue
			}
			r := place{repo}
			commit := scenarios.Holding{Has: scenarios.Labels{e.Commit.String()}, Hidden: true}
			for _, s := range e.Sources {
				r.there(w.names.Text(s.URL), s.Class)
				if w.holds(c, s) {
					r.add(w.names.Text(s.URL), commit)
				}
			}
			out[w.repoKey(c)] = r.Repo
		}
	}
	return out
}

// place is a repository that is being filled.
type place struct{ scenarios.Repo }

// there makes the URL exist, empty: a URL nobody has ever heard of would answer as a host that is gone.
func (p *place) there(url string, c core.SourceClass) {
	if c == core.Public && !slices.Contains(p.Clone, url) {
		p.Clone = append(p.Clone, url)
	}
}

func (p *place) add(url string, h ...scenarios.Holding) {
	if p.On == nil {
		p.On = map[string]scenarios.Holdings{}
	}
	p.On[url] = append(slices.Clip(p.On[url]), h...)
}

// holdings are the objects of a repository's states, the newest state's refs advertised, older ones
// there but hidden.
func (w *world) holdings(c core.Coordinate) scenarios.Holdings {
	var states []*core.Event
	members := w.closure(c)
	for _, e := range w.byName[c.Identifier] {
		if e.Kind == core.KindState && slices.Contains(members, e.Author) && !e.Unsatisfied {
			states = append(states, e)
		}
	}
	slices.SortFunc(states, func(a, b *core.Event) int { // newest first, ties by lowest id (ST-07)
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), a.ID.Compare(b.ID))
	})
	var newest, older scenarios.Holding
	older.Hidden = true
	seen := map[core.OID]bool{}
	for i, s := range states {
		for _, r := range s.Refs {
			if r.Symbolic {
				continue
			}
			if i == 0 {
				newest.Refs = append(newest.Refs, scenarios.Ref{Name: shortRef(w.names.Text(r.Name)), Value: r.OID.String()})
			}
			if seen[r.OID] {
				continue
			}
			seen[r.OID] = true
			if i == 0 {
				newest.Has = append(newest.Has, r.OID.String())
			} else {
				older.Has = append(older.Has, r.OID.String())
			}
		}
	}
	var out scenarios.Holdings
	if newest.Has != nil {
		out = append(out, newest)
	}
	if older.Has != nil {
		out = append(out, older)
	}
	return out
}

// holds tells whether the assignment gives the repository's objects to a source.
func (w *world) holds(c core.Coordinate, s core.Source) bool {
	host := w.names.Text(s.Domain)
	if s.Class != core.Public || classOf(w.opt.Classes, host) == Empty {
		return false
	}
	holders, ok := w.opt.Holders[w.names.Text(c.Identifier)]
	return !ok || slices.Contains(holders, host)
}

// shortRef is the name of a ref as scenarios write it: branches bare, tags as tags/….
func shortRef(full string) string {
	if name, ok := strings.CutPrefix(full, "refs/heads/"); ok &&
		!strings.HasPrefix(name, "refs/") && !strings.HasPrefix(name, "heads/") && !strings.HasPrefix(name, "tags/") {
		return name
	}
	if name, ok := strings.CutPrefix(full, "refs/"); ok && strings.HasPrefix(name, "tags/") {
		return name
	}
	return full
}

// parseAll reads every record; what the parser refuses or leaves out is reported.
func parseAll(recs []record, p *nip34.Parser, sum *Summary) ([]record, []core.Event) {
	var kept []record
	var events []core.Event
	for _, r := range recs {
		e, problems, err := p.ParseRaw(r.raw)
		if err != nil {
			sum.Refusals = append(sum.Refusals, Refusal{Line: r.line, Reason: Unusable, Text: err.Error()})
			continue
		}
		for _, pr := range problems {
			sum.Ignored = append(sum.Ignored, Ignored{Line: r.line, Problem: pr})
		}
		kept = append(kept, r)
		events = append(events, e)
	}
	return kept, events
}
