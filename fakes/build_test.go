package fakes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core"
	"graspsync/core/nip34"
	"graspsync/core/value"
	"graspsync/sim"
)

// Bad input is refused with the place, the value and what would be right; the first mistake is kept.
func TestBuilderRefuses(t *testing.T) {
	never := core.Never
	for want, build := range map[string]func(w *WorldParts){
		`domain "A.example/x": want a lower-case host`:                      func(w *WorldParts) { w.Host("A.example/x") },
		`URL "ext::sh": want http:// or https://`:                           func(w *WorldParts) { w.Repo("ext::sh") },
		`URL "https:///x" has no host`:                                      func(w *WorldParts) { w.Source("https:///x") },
		`names object "nowhere", which does not exist`:                      func(w *WorldParts) { w.Repo(helloURL).Holds("nowhere") },
		`ref "main" of https://git.example.com/hello.git: want a full name`: func(w *WorldParts) { w.Commit("a").Repo(helloURL).Ref("main", "a") },
		`lasts from 5s until 5s: want until after from`:                     func(w *WorldParts) { w.Commit("a").Repo(helloURL).Holds("a", 5*core.Second, 5*core.Second) },
		`has 3 instants: want from, until or fewer`:                         func(w *WorldParts) { w.Commit("a").Repo(helloURL).Holds("a", 1, 2, 3) },
		`filler of https://git.example.com/hello.git is -1 refs`:            func(w *WorldParts) { w.Repo(helloURL).Filler(-1) },
		`log of 0 calls: want 1 to 1000000`:                                 func(w *WorldParts) { w.LogSize(0) },
		`the last segment ends at 1s: want never`:                           func(w *WorldParts) { w.Host("a", Segment{Until: core.Second}) },
		`segment 1 ends at 1s: want later than the one before`: func(w *WorldParts) {
			w.Host("a", Segment{Until: core.Second}, Segment{Until: core.Second}, Segment{Until: never})
		},
		`segment 0: rule 0: field Status is 200: want 400 to 599`: func(w *WorldParts) { w.Host("a", Always(Do(Rule{Do: Status, Status: 200}))...) },
		`Share is 3/2: want 0/0 (always) or a share`:              func(w *WorldParts) { w.Host("a", Always(Do(Rule{Do: HTML, Share: Ratio{3, 2}}))...) },
		`Rate of drip is 0: want bytes per second above 0`:        func(w *WorldParts) { w.Host("a", Always(Do(Rule{Do: Drip}))...) },
		`To of redirect is empty: want a URL`:                     func(w *WorldParts) { w.Host("a", Always(Do(Rule{Do: Redirect}))...) },
		`Limit of throttle is 0 per 0s: want 1 to 65536 per`:      func(w *WorldParts) { w.Host("a", Always(Do(Rule{Do: Throttle}))...) },
		`Up is 1s and Down is 0s: want both above 0s`:             func(w *WorldParts) { w.Host("a", Always(Do(Rule{Do: HTML, Up: core.Second}))...) },
		`Do is 99: want one of the acts below`:                    func(w *WorldParts) { w.Host("a", Always(Do(Rule{Do: 99}))...) },
		`Answer is -1s: want 0s to a year`:                        func(w *WorldParts) { w.Host("a", Always(Behaviour{Answer: Latency{Fixed: -core.Second}})...) },
		`Rate is -1 and BigPack is 0: want 0 or more bytes`:       func(w *WorldParts) { w.Host("a", Always(Behaviour{Rate: -1})...) },
		`fault dns lasts from 2s until 1s`:                        func(w *WorldParts) { w.Host("a").Fault(Fault{2 * core.Second, core.Second, Rule{Do: DNS}}) },
		`RetryAfter 0s, For -1s, Gap 0s, Keep 0: want 0 or more`:  func(w *WorldParts) { w.Host("a").Fault(Fault{0, never, Rule{Do: Stall, For: -core.Second}}) },
		`verb 44: want one below 10`:                              func(w *WorldParts) { w.Host("a").Turn(44, 0) },
		`refers to "b", which does not exist`:                     func(w *WorldParts) { w.Commit("a", "b").Chain("c", 0).Tag("d", "e") },
		`no segment: want at least one`:                           func(w *WorldParts) { w.Repo(helloURL).Script() },
	} {
		w := NewWorldParts(&value.Names{}, 1)
		build(w)
		require.ErrorContains(t, w.Err(), want)
		w.Host("b", Always(Do(Rule{Do: 99}))...)
		require.ErrorContains(t, w.Seal(), want, "the first mistake is kept")
	}
}

// U-03: domains of URLs are equal for equal servers only.
func TestDomain(t *testing.T) {
	for url, want := range map[string]string{
		"https://Git.Example.com/a/b.git":          "git.example.com",
		"https://git.example.com.:443/a":           "git.example.com",
		"http://git.example.com:80":                "git.example.com",
		"http://git.example.com:443/x":             "git.example.com:443",
		"https://user:pw@git.example.com:8443/a@b": "git.example.com:8443",
		"https://[2001:DB8::1]:443/x":              "[2001:db8::1]",
		"https://[2001:db8::1]:444/x":              "[2001:db8::1]:444",
		"https://git.example.com?x=/":              "git.example.com",
	} {
		got, err := Domain(url)
		require.NoError(t, err, url)
		require.Equal(t, want, got, url)
	}
	for _, bad := range []string{"", "git.example.com", "ssh://a/b", "https://", "https:///x", "https://user@/x"} {
		_, err := Domain(bad)
		require.ErrorIs(t, err, ErrWorld, bad)
	}
}

// I-9: two worlds built the same answer the same, whatever was asked in between of other URLs.
func TestWorldsRepeat(t *testing.T) {
	run := func() (all []sim.Reply) {
		w, h, _ := hello(t)
		w.Host("git.example.com", Always(Flaky())...)
		h.Repo("other").Ref("refs/heads/main", "main")
		for i := range core.Time(300) {
			for _, kind := range []sim.RequestKind{sim.AskCompare, sim.AskFetch, sim.AskProbe} {
				all = append(all, w.ask(kind, helloURL, i*core.Second, "main"))
			}
		}
		return all
	}
	first := run()
	require.Equal(t, first, run())
	classes := map[core.Class]int{}
	for _, a := range first {
		classes[a.Class]++
	}
	require.Greater(t, classes[core.OK], 800)
	require.Greater(t, len(classes), 3, "%v", classes)
}

// U-03: of every URL the parser lets through, this package sees the same domain as the parser, so that a
// simulated host is found where the core believes it is.
func TestDomainAsParsed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		url := rapid.SampledFrom([]string{"http", "https", "HTTPS"}).Draw(t, "scheme") + "://" +
			rapid.SampledFrom([]string{"", "me@", "me:pw@"}).Draw(t, "user") +
			rapid.SampledFrom([]string{"git.example.com", "GIT.example.com.", "[2001:db8::1]", "93.184.216.34", "a-b.example"}).Draw(t, "host") +
			rapid.SampledFrom([]string{"", ":80", ":443", ":8443"}).Draw(t, "port") +
			rapid.SampledFrom([]string{"", "/", "/x.git", "/a@b/c:80/d.git", "/x?y=/z"}).Draw(t, "path")
		parsed, err := nip34.ParseURL(url)
		require.NoError(t, err)
		got, err := Domain(parsed.URL)
		require.NoError(t, err)
		require.Equal(t, parsed.Domain, got, "%s normalised to %s", url, parsed.URL)
	})
}
