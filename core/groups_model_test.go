package core

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core/purgatory"
)

// groupModel is the obvious way to say which groups there are: who lists whom, followed from scratch each time.
type groupModel struct{ lists map[PubKey][]PubKey } // announcements under one identifier

// closure is everybody an owner reaches, the owner included (M-01).
func (m *groupModel) closure(owner PubKey) map[PubKey]bool {
	seen := map[PubKey]bool{owner: true}
	for todo := []PubKey{owner}; len(todo) > 0; todo = todo[1:] {
		for _, k := range m.lists[todo[0]] { // nobody's who has no announcement
			if !seen[k] {
				seen[k] = true
				todo = append(todo, k)
			}
		}
	}
	return seen
}

// groups are the strongly connected components, each as the text of its sorted owners.
func (m *groupModel) groups() map[PubKey]string {
	out := map[PubKey]string{}
	for a := range m.lists {
		var members []string
		for b := range m.lists {
			if m.closure(a)[b] && m.closure(b)[a] {
				members = append(members, fmt.Sprint(b[31]))
			}
		}
		slices.Sort(members)
		out[a] = fmt.Sprint(members)
	}
	return out
}

// of are the groups a state of an author belongs to: of everybody who reaches the author.
func (m *groupModel) of(author PubKey) []string {
	var out []string
	groups := m.groups()
	for a := range m.lists {
		if m.closure(a)[author] && !slices.Contains(out, groups[a]) {
			out = append(out, groups[a])
		}
	}
	slices.Sort(out)
	return out
}

// owners names a group of the core as the model does.
func (c *Core) owners(g int32) string {
	var members []string
	for _, a := range c.groups.At(g).anns {
		members = append(members, fmt.Sprint(c.anns.At(a).Owner[31]))
	}
	slices.Sort(members)
	return fmt.Sprint(members)
}

// M-01: whatever is announced, changed and deleted under one identifier, the groups are the strongly
// connected components of who lists whom, each held event belongs to exactly the groups the rule says, a hunt keeps its
// number for as long as it lives, of two that merge the lower goes on, deadlines stay, and nothing held is lost.
func TestGroupsAgainstAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const people = 6
		c, err := New(DefaultConfig())
		require.NoError(t, err)
		m := &groupModel{lists: map[PubKey][]PubKey{}}
		versions := map[PubKey]EventID{}
		held := map[EventID]*Event{}    // states and PRs
		deadlines := map[EventID]Time{} // as told
		hunts := map[HuntID]bool{}      // live
		var now Time
		n := 0
		id := func() (e EventID) { n++; e[0], e[30], e[31] = 1, byte(n>>8), byte(n); return e }
		step := func(in Input) {
			minted := c.huntSeq
			for todo := []Input{in}; len(todo) > 0; todo = todo[1:] {
				for _, e := range c.Step(now, todo[0], nil) {
					switch {
					case e.Kind == EfCreateRepo:
						todo = append(todo, Input{Kind: InRepoCreated, Ask: e.Ask})
					case e.Kind == EfDeleteRepo || e.Kind == EfDeleteRepoIfNoRefs:
						todo = append(todo, Input{Kind: InRepoDeleted, Ask: e.Ask})
					case e.Kind == EfStoreEvent:
						todo = append(todo, Input{Kind: InStored, Ask: e.Ask})
					case e.Kind == EfCheckObjects:
						todo = append(todo, Input{Kind: InChecked, Ask: e.Ask})
					case e.Kind == EfReport && e.Report == RepHeld:
						deadlines[e.Event] = e.Deadline
					case e.Kind == EfReport && e.Report == RepExtended:
						require.GreaterOrEqual(t, e.Deadline, deadlines[e.Event])
						deadlines[e.Event] = e.Deadline
					case e.Kind == EfReport && e.Report == RepHuntMerged:
						require.Less(t, e.Into, e.Hunt, "the lower number survives")
						require.True(t, hunts[e.Hunt], "merged once")
						delete(hunts, e.Hunt)
					case e.Kind == EfReport && e.Report == RepHuntDropped:
						delete(hunts, e.Hunt)
					case e.Kind == EfReport && e.Report.Ends() && held[e.Event] != nil:
						require.Equal(t, RepEndedDeleted, e.Report)
						require.Empty(t, m.of(held[e.Event].Author), "lost though somebody lets its author speak")
						delete(held, e.Event)
					}
				}
			}
			require.NoError(t, c.Check())
			require.NoError(t, audit(c))
			for i := range c.groups.Items {
				if g := &c.groups.Items[i]; g.used && g.id != 0 && !hunts[g.id] {
					require.Less(t, minted, g.id, "a new hunt has a new number")
					hunts[g.id] = true
				}
			}
			after := map[HuntID]bool{}
			for i := range c.groups.Items {
				if g := &c.groups.Items[i]; g.used && g.id != 0 {
					require.False(t, after[g.id], "two groups have one hunt")
					after[g.id] = true
				}
			}
			require.Equal(t, hunts, after)
		}
		agree := func() {
			groups := m.groups()
			for owner, want := range groups {
				a := c.announcementOf(dName, owner)
				require.NotEqual(t, purgatory.None, a)
				require.Equal(t, want, c.owners(c.anns.At(a).Group))
				closure := m.closure(owner)
				for p := 1; p <= people+2; p++ {
					require.Equal(t, closure[author(p)], c.anns.At(a).Authorises(author(p)), "%d for %d", p, owner[31])
				}
			}
			for e, ev := range held {
				loc, ok := c.where[e]
				require.True(t, ok, "lost")
				st := c.states.At(loc.slot)
				var got []string
				for _, g := range st.Groups {
					got = append(got, c.owners(g))
				}
				slices.Sort(got)
				require.Equal(t, m.of(ev.Author), got)
				require.Equal(t, deadlines[e], st.Deadline)
			}
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			now += Time(rapid.IntRange(0, 3).Draw(t, "s")) * Second
			who := rapid.IntRange(1, people).Draw(t, "who")
			key := author(who)
			switch rapid.IntRange(0, 5).Draw(t, "act") {
			case 0, 1, 2: // announce, or change what is listed
				e := later(int64(n+1), announcement(1, who))
				e.ID = id()
				for p := 1; p <= people+1; p++ { // one of them never announces anything
					if rapid.IntRange(0, 3).Draw(t, "lists") == 0 {
						e.Maintainers = append(e.Maintainers, author(p))
					}
				}
				m.lists[key], versions[key] = e.Maintainers, e.ID
				step(Input{Kind: InEvent, Event: e, Origin: Origin(rapid.IntRange(0, 1).Draw(t, "origin"))})
			case 3: // delete
				if v, there := versions[key]; there {
					delete(m.lists, key)
					delete(versions, key)
					step(Input{Kind: InEvent, Event: &Event{ID: id(), Author: key, Kind: KindDeletion, Targets: []EventID{v}}})
				}
			default:
				e := later(int64(n+1), state(1, who, oid(who)))
				e.ID = id()
				if len(m.of(key)) > 0 {
					held[e.ID] = e
				}
				step(Input{Kind: InEvent, Event: e, Origin: FromSync})
			}
			agree()
		}
	})
}
