package fakes

import (
	"graspsync/core"
	"graspsync/sim"
)

// No public distribution of git latencies was found, so these two are our own proposal: log-normal
// through a median and a 99th percentile that fit the few published figures. They are tables of
// milliseconds because a logarithm may round differently on another architecture.

// lsRemoteMillis: median 0.4 s, p99 5 s.
var lsRemoteMillis = [...][2]uint32{{0, 10}, {1, 14}, {10, 32}, {50, 67}, {100, 99}, {200, 160}, {300, 226}, {400, 304},
	{500, 400}, {600, 527}, {700, 707}, {800, 997}, {850, 1232}, {900, 1608}, {930, 1986}, {950, 2386}, {970, 3082},
	{980, 3719}, {990, 5000}, {995, 6556}, {998, 9103}, {999, 11460}, {1000, 20000}}

// smallFetchMillis: median 1.5 s, p99 60 s.
var smallFetchMillis = [...][2]uint32{{0, 8}, {1, 11}, {10, 37}, {50, 110}, {100, 197}, {200, 395}, {300, 653}, {400, 1004},
	{500, 1500}, {600, 2242}, {700, 3445}, {800, 5698}, {850, 7760}, {900, 11446}, {930, 15575}, {950, 20364},
	{970, 29603}, {980, 38945}, {990, 60000}, {995, 89124}, {998, 143947}, {999, 201489}, {1000, 290000}}

// TypicalRate is the transfer rate of a typical server, in bytes per second.
const TypicalRate = 4 << 20

func fromMillis(rows [][2]uint32) *Quantiles {
	points := make([]Point, len(rows))
	for i, r := range rows {
		points[i] = Point{PerMille: r[0], At: core.Time(r[1]) * core.Millisecond}
	}
	q, err := NewQuantiles(points)
	if err != nil {
		panic("fakes: preset table does not rise: " + err.Error()) // a constant of this file is wrong
	}
	return q
}

// LsRemote is the latency of listing refs: median 0.4 s, p99 5 s, at most 20 s.
func LsRemote() Latency { return Latency{Table: fromMillis(lsRemoteMillis[:])} }

// SmallFetch is the latency of a small fetch: median 1.5 s, p99 60 s, at most 290 s, which stays below
// the stall limit (H-06).
func SmallFetch() Latency { return Latency{Table: fromMillis(smallFetchMillis[:])} }

// Typical is a healthy public server.
func Typical() Behaviour {
	return Behaviour{Answer: LsRemote(), Fetch: SmallFetch(), Rate: TypicalRate}
}

// Flaky is a public server as they are measured over weeks: 1 % silent for ever, 1 % of calls refused
// with 429, 0.5 % HTML, 0.5 % reset.
func Flaky() Behaviour {
	b := Typical()
	b.Rules = []Rule{
		{Do: Stall, Share: Ratio{1, 100}},
		{Do: Status, Status: 429, Share: Ratio{1, 100}},
		{Do: HTML, Share: Ratio{1, 200}},
		{Do: Reset, Share: Ratio{1, 200}},
	}
	return b
}

// Indexing is a GRASP host: typical, and silent for 40 to 90 s before a pack above 100 MB.
func Indexing() Behaviour {
	b := Typical()
	b.BigPack = 100_000_000
	b.BigPackSilence = Latency{Table: fromMillis([][2]uint32{{0, 40_000}, {1000, 90_000}})}
	return b
}

// GitHub throttles reads of one repository above 15 a second and counts what it refuses.
func GitHub() Behaviour {
	b := Typical()
	b.Rules = []Rule{{Do: Throttle, RetryAfter: 60 * core.Second,
		Limit: Limit{Requests: 15, Window: core.Second, CountRefused: true, PerURL: true}}}
	return b
}

// GitLab answers at most 500 requests a minute of one address over all its repositories and says when to
// come back.
func GitLab() Behaviour {
	b := Typical()
	b.Rules = []Rule{{Do: Throttle, RetryAfter: 60 * core.Second, Limit: Limit{Requests: 500, Window: 60 * core.Second}}}
	return b
}

// Codeberg lets nobody in who does not stay silent for about ten minutes once it throttles, and has
// challenge pages and 504s between. That is what its users report; the figures are our guess.
func Codeberg() Behaviour {
	b := Typical()
	b.Rules = []Rule{
		{Do: Throttle, Limit: Limit{Requests: 60, Window: 10 * core.Minute, CountRefused: true}},
		{Do: HTML, Share: Ratio{1, 50}},
		{Do: Status, Status: 504, Share: Ratio{1, 100}},
	}
	return b
}

// GitLabSelf is a self-managed GitLab: no limits, but an hour of 403 after 30 answers of 401 within three minutes.
func GitLabSelf() Behaviour {
	b := Typical()
	b.Rules = []Rule{{Do: Ban, For: core.Hour, Limit: Limit{Requests: 30, Window: 3 * core.Minute}}}
	return b
}

// SourceHut is a host whose operator cuts crawlers off by hand: one that made 4,774 clones in two and a half hours was.
// A clone is counted as three requests.
func SourceHut() Behaviour {
	b := Typical()
	b.Rules = []Rule{{Do: Throttle, Limit: Limit{Requests: 3 * 4774, Window: 150 * core.Minute, CountRefused: true}}}
	return b
}

// SoftServe ends every request after a minute, whatever is still to come.
func SoftServe() Behaviour {
	b := Typical()
	b.Rules = []Rule{{Do: TimeLimit, For: core.Minute}}
	return b
}

// NgitRelay is the reference GRASP relay as it once was: a bucket of 100 connections, of which one comes back every two
// minutes, taken as so many in any 200 minutes; and 30 s for each fetch.
func NgitRelay() Behaviour {
	b := Typical()
	b.Rules = []Rule{{Do: Throttle, Limit: Limit{Requests: 100, Window: 200 * core.Minute}}, {Do: TimeLimit, For: 30 * core.Second, On: On(sim.AskFetch)}}
	return b
}

// Presets are the known kinds of hosts by name, in order of name.
func Presets() []Preset {
	return []Preset{{"codeberg", Codeberg()}, {"flaky", Flaky()}, {"github", GitHub()}, {"gitlab", GitLab()}, {"gitlab-self", GitLabSelf()},
		{"indexing", Indexing()}, {"ngit-relay", NgitRelay()}, {"soft-serve", SoftServe()}, {"sourcehut", SourceHut()}, {"typical", Typical()}}
}

// Preset is a known kind of host.
type Preset struct {
	Name      string
	Behaviour Behaviour
}

// BurstRefusals is GitHub as seen from outside its limits: half the calls are refused for minutes, then
// none. The bursts last from 5 to 15 minutes and come by keyed chance, about once in four hours, until an
// instant.
func BurstRefusals(seed uint64, domain string, until core.Time) Script {
	refusing := Typical()
	refusing.Rules = []Rule{{Do: Status, Status: 429, Share: Ratio{1, 2}}}
	var s Script
	key := textKey(domain)
	for t, n := core.Time(0), uint64(0); t < until; n++ {
		calm := core.Time(below(keyed(seed, key, forBurst, 2*n), uint64(8*core.Hour)))
		burst := 5*core.Minute + core.Time(below(keyed(seed, key, forBurst, 2*n+1), uint64(10*core.Minute)))
		s = append(s, Segment{Until: t + calm + core.Second, Behaviour: Typical()},
			Segment{Until: t + calm + core.Second + burst, Behaviour: refusing})
		t = s[len(s)-1].Until
	}
	return append(s, Segment{Until: core.Never, Behaviour: Typical()})
}
