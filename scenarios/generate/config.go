package generate

import (
	"strconv"

	"graspsync/scenarios"
)

// extreme is a setting far from the default, perhaps of several fields that go together.
type extreme [][2]string

// extremes are values at which schedules change their shape. Pairs keep each other's bounds.
func extremes() []extreme {
	return []extreme{
		{{"loop-interval", "100ms"}}, {{"loop-interval", "7s"}},
		{{"client-delay", "0"}}, {{"client-delay", "20s"}}, {{"synced-delay", "0"}}, {{"synced-delay", "45s"}},
		{{"backoff-base", "1s"}, {"backoff-cap", "1s"}}, {{"backoff-base", "1s"}, {"backoff-cap", "10m"}}, {{"backoff-base", "90s"}, {"backoff-cap", "90s"}},
		{{"domain-concurrency", "1"}}, {{"domain-concurrency", "2"}}, {{"domain-concurrency", "40"}},
		{{"domain-rate", "1"}}, {{"domain-rate", "2"}}, {{"domain-rate", "5"}}, {{"domain-window", "5s"}}, {{"domain-window", "10m"}},
		{{"domain-requests", "4"}}, {{"domain-requests", "12"}}, {{"request-unit", "true"}}, {{"address-passes", "1"}}, {{"address-passes", "2"}},
		{{"pressure", "1"}}, {{"pressure", "2"}}, {{"pressure", "3"}}, {{"author-passes", "1"}},
		{{"hedge-head-start", "0"}}, {{"hedge-head-start", "1s"}}, {{"hedge-head-start", "24h"}},
		{{"silent-warning", "5s"}, {"silent-again", "5s"}},
		{{"stall-limit", "20s"}}, {{"stall-limit", "1h"}}, {{"kill-grace", "0"}}, {{"kill-grace", "2m"}},
		{{"guest-age", "0"}, {"old-pass-age", "0"}}, {{"guest-age", "20s"}, {"old-pass-age", "60s"}}, {{"guest-age", "1h"}, {"old-pass-age", "2h"}},
		{{"residual-probes", "0"}}, {{"residual-probes", "1"}}, {{"residual-probes", "3"}},
		{{"memo-ttl", "0"}}, {{"memo-ttl", "3m"}}, {{"memo-urls", "1"}}, {{"memo-oids", "1"}}, {{"memo-urls", "0"}}, {{"last-chance", "0"}}, {{"last-chance", "20m"}},
		{{"cool-base", "1s"}, {"cool-cap", "1s"}}, {{"cool-base", "2m"}, {"cool-cap", "1h"}}, {{"retry-after-cap", "10s"}}, {{"retry-after-cap", "0"}},
		{{"cool-forget", "0"}}, {{"cool-forget", "1m"}}, {{"url-cool", "0"}}, {{"url-cool", "1m"}},
		{{"unreachable-age", "1m"}}, {{"unreachable-age", "0"}}, {{"unreachable-for", "20m"}}, {{"unreachable-try", "1m"}},
		{{"lifetime", "2m"}}, {{"lifetime", "10m"}}, {{"lifetime", "31s"}}, {{"lifetime", "6h"}},
		{{"soft-lifetime", "0"}}, {{"soft-lifetime", "5m"}}, {{"soft-lifetime", "40m"}},
		{{"expired-ttl", "10m"}}, {{"expired-ttl", "0"}}, {{"future-slack", "0"}}, {{"future-slack", "5m"}},
		{{"group-repos", "2"}}, {{"group-repos", "1"}}, {{"rejected-ttl", "5m"}}, {{"rejected-full-ttl", "0"}}, {{"rejected-full-ttl", "1h"}},
		{{"placeholder-window", "1m"}}, {{"unlisted-retention", "10m"}}, {{"unlisted-retention", "0"}}, {{"maintainers", "2"}},
		{{"allow-private", "true"}}, {{"archive-all", "true"}}, {{"general-relay", "true"}},
	}
}

// bounds are tables of a few entries.
func bounds() []extreme {
	return []extreme{
		{{"hunts", "1"}}, {{"hunts", "2"}}, {{"hunts", "5"}}, {{"hunts-per-author", "1"}}, {{"hunts-per-author", "2"}},
		{{"held-per-author", "1"}}, {{"held-per-author", "3"}}, {{"held-events", "2"}}, {{"held-events", "8"}}, {{"held-bytes", "3000"}}, {{"held-bytes", "20000"}},
		{{"expired-ids", "0"}}, {{"expired-ids", "2"}}, {{"rejected-ids", "0"}}, {{"rejected-ids", "2"}}, {{"rejected-full", "0"}}, {{"rejected-full", "2"}},
		{{"source-writes", "1"}, {"source-burst", "2"}}, {{"source-burst", "1"}}, {{"source-hunts", "1"}},
		{{"placeholders-per-repo", "0"}}, {{"placeholders-per-repo", "1"}}, {{"placeholders-per-repo", "2"}}, {{"placeholder-repo-bytes", "5000"}},
		{{"placeholders-per-source", "1"}}, {{"placeholder-source-bytes", "5000"}}, {{"placeholder-bytes", "9000"}},
		{{"event-bytes", "2000"}}, {{"state-bytes", "2000"}}, {{"memo-urls", "2"}, {"memo-oids", "2"}},
	}
}

// config draws settings for the whole run.
func (g *generator) config() {
	d := g.source("config")
	g.Config = make(map[string]string)
	put := func(from []extreme, n int) {
		for range n {
			for _, kv := range pick(&d, from...) {
				g.Config[kv[0]] = kv[1]
			}
		}
	}
	if g.use(&d, ConfigExtremes, 2, 3) {
		put(extremes(), d.few(1, 6))
	}
	if g.on(SmallBounds) && (g.p.With.Has(SmallBounds) || d.oneIn(3)) {
		put(bounds(), d.few(1, 4))
	}
	if g.use(&d, SmallBounds, 1, 12) {
		g.Config["blocked"] = pick(&d, "erin", "dave, erin")
	}
	g.agree(g.Config)
	if len(g.Config) == 0 {
		g.Config = nil
	}
}

// agree brings fields that were drawn apart back within each other's bounds.
func (g *generator) agree(c map[string]string) {
	within := func(low, lowDefault, high, highDefault string) {
		value := func(name, otherwise string) scenarios.Span {
			text, ok := c[name]
			if !ok {
				text = otherwise
				if set, drawn := g.Config[name]; drawn {
					text = set
				}
			}
			s, _ := scenarios.ParseSpan(text)
			return s
		}
		if l := value(low, lowDefault); l > value(high, highDefault) {
			c[high] = l.String()
		}
	}
	within("backoff-base", "20s", "backoff-cap", "120s")
	within("cool-base", "20s", "cool-cap", "10m")
	within("guest-age", "120s", "old-pass-age", "10m")
}

// reconfigured is a change on the way: a few settings, and sometimes back to what they were.
func (g *generator) reconfigured(d *source) map[string]string {
	out := make(map[string]string)
	for range d.few(1, 3) {
		for _, kv := range pick(d, extremes()...) {
			out[kv[0]] = kv[1]
		}
	}
	if d.oneIn(4) {
		out["domain-concurrency"] = strconv.Itoa(d.number(0, 3))
	}
	delete(out, "archive-all") // what was judged unlisted stays so
	g.agree(out)
	return out
}
