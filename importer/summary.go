package importer

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"graspsync/core"
	"graspsync/core/nip34"
)

// Summary says what became of a dump. Admitted and Hunted are foreseen from the events alone, with every
// arrival done; what a run makes of them also depends on order and bounds.
type Summary struct {
	Read     int // lines that should hold an event
	Verified int // events whose id and signature are good
	Arrivals int // deliveries in the scenario, duplicates included
	Admitted int // events whose repository is ours: announcements, states, pull requests
	Foreign  int // delivered events of other repositories, or of kinds that bring no git data
	Silent   int // usable events that nothing delivers
	Hunted   int // repositories with something to fetch and a public clone URL elsewhere
	Service  string
	Hosts    []string // "host=class", sorted
	Refusals []Refusal
	Ignored  []Ignored // parts of good events that were left out
	Trial    *Trial    // what a run made of it; nil if there was none
}

// Ignored is a part of the event on a line that was left out.
type Ignored struct {
	Line    int
	Problem nip34.Problem
}

func (r Refusal) order() int {
	if r.Log {
		return r.Line + maxLine
	}
	return r.Line
}

// Refused is how many lines were refused for that reason.
func (s *Summary) Refused(r Reason) int {
	n := 0
	for i := range s.Refusals {
		if s.Refusals[i].Reason == r {
			n++
		}
	}
	return n
}

// Write prints the summary: counts first, then every refusal and ignored part with its line.
func (s *Summary) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "read      %d\nverified  %d\n", s.Read, s.Verified)
	fmt.Fprintf(&b, "refused   %d", len(s.Refusals))
	sep := " ("
	for r := range NumReasons {
		if n := s.Refused(r); n > 0 {
			fmt.Fprintf(&b, "%s%d %s", sep, n, r)
			sep = ", "
		}
	}
	if sep == ", " {
		b.WriteByte(')')
	}
	fmt.Fprintf(&b, "\nadmitted  %d, %d foreign or without git data, %d not delivered\nhunted    %d\narrivals  %d\n",
		s.Admitted, s.Foreign, s.Silent, s.Hunted, s.Arrivals)
	fmt.Fprintf(&b, "service   %s\nhosts     %s\n", s.Service, cmp.Or(strings.Join(s.Hosts, " "), "none"))
	for _, r := range s.Refusals {
		fmt.Fprintf(&b, "  %s\n", r)
	}
	for _, i := range s.Ignored {
		fmt.Fprintf(&b, "  line %d: left out: %s\n", i.Line, i.Problem)
	}
	if s.Trial != nil {
		s.Trial.write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// summarise foresees what is admitted and hunted: announcements that list us, then those that an admitted
// one lists as maintainers, until nothing changes (AN-03); states whose author counts for an admitted
// owner (ST-01); pull requests that name one (PR-01).
func (w *world) summarise(sum *Summary, arrivals []arrival) {
	sum.Arrivals = len(arrivals)
	delivered := map[string]bool{}
	for _, a := range arrivals {
		delivered[a.rec.ev.ID] = true
	}
	admitted := map[core.Coordinate][]*core.Event{} // by repository: what was admitted for it
	listed := map[core.Coordinate]bool{}            // maintainers that an admitted announcement names
	for changed := true; changed; {
		changed = false
		for i := range w.events {
			e := &w.events[i]
			if e.Kind != core.KindAnnouncement || !delivered[e.ID.String()] || !e.ListsUs && !listed[w.place(e.Author, e)] ||
				slices.Contains(admitted[e.Repo], e) {
				continue
			}
			changed = true
			admitted[e.Repo] = append(admitted[e.Repo], e)
			for _, m := range e.Maintainers {
				listed[w.place(m, e)] = true
			}
		}
	}
	counted := map[*core.Event]bool{}
	for i := range w.events {
		e := &w.events[i]
		if !delivered[e.ID.String()] {
			continue
		}
		switch e.Kind {
		case core.KindState:
			for _, owner := range w.byName[e.Repo.Identifier] {
				if len(admitted[owner.Repo]) > 0 && owner.Kind == core.KindAnnouncement &&
					slices.Contains(w.closure(owner.Repo), e.Author) && !slices.Contains(admitted[owner.Repo], e) {
					admitted[owner.Repo] = append(admitted[owner.Repo], e)
				}
			}
		case core.KindPR, core.KindPRUpdate:
			for _, c := range e.Repositories {
				if len(admitted[c]) > 0 {
					admitted[c] = append(admitted[c], e)
				}
			}
		}
	}
	for _, events := range admitted {
		hunted := false
		for _, e := range events {
			counted[e] = true
			for _, s := range e.Sources {
				hunted = hunted || s.Class == core.Public
			}
		}
		if hunted {
			sum.Hunted++
		}
	}
	sum.Admitted = len(counted)
	for i := range w.events {
		switch e := &w.events[i]; {
		case !delivered[e.ID.String()]:
			sum.Silent++
		case !counted[e]:
			sum.Foreign++
		}
	}
}

// place is the coordinate of another author's repository of the same identifier.
func (w *world) place(author core.PubKey, e *core.Event) core.Coordinate {
	return core.Coordinate{Owner: author, Identifier: e.Repo.Identifier,
		Repo: w.names.Handle(nip34.RepoName(author, w.names.Text(e.Repo.Identifier)))}
}
