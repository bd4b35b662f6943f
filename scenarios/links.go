package scenarios

import (
	"slices"

	"graspsync/core"
	"graspsync/sim"
)

// What links bring from one relay of a network to another.

// tell brings an event that m serves now to those who follow it.
func (m *member) tell(members []*member, now core.Time, id core.EventID) {
	m.told = append(m.told, id)
	for i := range m.judge.Network.Links {
		l := &m.judge.Network.Links[i]
		if l.From != m.name {
			continue
		}
		to := memberOf(members, l.To)
		for k := range l.Duplicates + 1 {
			to.hear(m, l, now+core.Time(k)*core.Second, id, uint64(k))
		}
		if l.Replay > 0 {
			for t := now + core.Time(l.Replay); t <= core.Time(m.judge.Horizon); t += core.Time(l.Replay) {
				to.hear(m, l, t, id, uint64(t))
			}
		}
	}
}

// hear is the other end of a link.
func (m *member) hear(from *member, l *Link, at core.Time, id core.EventID, nth uint64) {
	if len(l.Cut) == 2 && at >= core.Time(l.Cut[0]) && at < core.Time(l.Cut[1]) {
		at = core.Time(l.Cut[1])
	}
	at += core.Time(l.Latency)
	if l.Jitter > 0 {
		at += sim.Between(sim.Mix(m.judge.cfg.Seed, sim.FirstForeignPurpose+1, idWord(id), nth), 0, core.Time(l.Jitter))
	}
	ev := m.byID[id]
	if ev == nil || at > core.Time(m.judge.Horizon) {
		return
	}
	m.world.Inject(at, core.Input{Kind: core.InEvent, Event: ev, Origin: core.FromSync, From: m.judge.names.Handle("wss://" + from.name)})
}

func idWord(id core.EventID) (w uint64) {
	for _, b := range id[:8] {
		w = w<<8 | uint64(b)
	}
	return w
}

// reconnect follows a restart of m: those it follows, and those who follow it, connect anew, and whoever is followed
// tells everything it serves once more. Nobody who is down tells or hears anything.
func (m *member) reconnect(members []*member, now core.Time) {
	for i := range m.judge.Network.Links {
		l := &m.judge.Network.Links[i]
		if l.From != m.name && l.To != m.name {
			continue
		}
		from, to := memberOf(members, l.From), memberOf(members, l.To)
		if from.world.Down() || to.world.Down() {
			continue
		}
		for _, id := range from.serves() {
			to.hear(from, l, now, id, uint64(now))
		}
	}
}

func memberOf(members []*member, name string) *member {
	return members[slices.IndexFunc(members, func(o *member) bool { return o.name == name })]
}

// serves lists what m's store has: first what its subscribers were told, in that order.
func (m *member) serves() (out []core.EventID) {
	seen := make(map[core.EventID]bool)
	for _, id := range m.judge.parts.Store.AppendServed(slices.Clone(m.told)) {
		if !seen[id] && m.judge.parts.Store.Has(id) {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}
