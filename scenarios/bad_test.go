package scenarios

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type badScenario struct{ text, want string }

// head is the beginning of a sound scenario, five lines long.
const head = "version: 1\nname: x\ndescription: Something happens.\nhorizon: 10m\nhosts: {git.example: {}}\n"

func badScenarios() []badScenario {
	repo := head + "repos: {alice/hello: {clone: git.example}}\n"
	return []badScenario{
		{"", `bad.yaml:1:1: empty; a scenario begins with "version: 1"`},
		{"- 1", "bad.yaml:1:1: a list where a mapping with version, name"},
		{"{", "bad.yaml:1:1: not YAML"},
		{"version: 1\n---\nversion: 1\n", "bad.yaml:3:1: a second document"},
		{strings.Repeat("--- a\n", 100_000), "bad.yaml:3:1: a second document"},
		{"version: 2\nname: x\ndescription: y\nhorizon: 1m\n", `bad.yaml:1:10: version: 2 is not a version this reads; write "version: 1"`},
		{head + "horizn: 5m\n", `bad.yaml:6:1: horizn: unknown field "horizn", did you mean "horizon"?`},
		{head + "horizon: 5m\n", `mapping key "horizon" already defined`},
		{head + "seed: 1.5\n", `bad.yaml:6:7: seed: "1.5" is not a whole number from 0`},
		{strings.Replace(head, "10m", "1.5h", 1), `bad.yaml:4:10: horizon: "1.5h" is no time span: a unit is missing or the number has a fraction`},
		{strings.Replace(head, "10m", "-5s", 1), `it is negative`},
		{strings.Replace(head, "10m", "10y", 1), `unit "y" is none of d, h, m, s, ms, us, ns`},
		{strings.Replace(head, "10m", "99999d", 1), "it is longer than"},
		{head + "config: {domain-rat: 3}\n", `bad.yaml:6:22: config.domain-rat: unknown configuration field "domain-rat", did you mean "domain-rate"?`},
		{head + "config: {domain-rate: 0}\n", "config: configuration refused: DomainRate is 0, must be 1 to"},
		{head + "config: {backoff-base: fast}\n", `config.backoff-base: "fast" is no time span`},
		{head + "rules: [Q-10, Q-99]\n", `bad.yaml:6:15: rules[1]: "Q-99" is no rule id`},
		{head + "ties: random\n", `ties: unknown tie policy "random" (known: kind, reverse, shuffle)`},
		{head + "users: {alice: abc}\n", `users.alice: "abc" is no public key; write 64 lower-case hex digits`},
		{head + "x: &a 1\n", `unknown field "x"`},
		{head + "repos: &a {alice/hello: {}}\n", "anchors, aliases and tags are not part of the format"},
		{strings.Replace(head, "{git.example: {}}", "{Git.example: {}}", 1), `"Git.example" is another way to write "git.example"; write that`},
		{strings.Replace(head, "{git.example: {}}", "{git.example: {answer: 700}}", 1), "answer: status 700, must be 400 to 599"},
		{strings.Replace(head, "{git.example: {}}", "{git.example: {answer: stal}}", 1), `unknown answer "stal", did you mean "stall"?`},
		{strings.Replace(head, "{git.example: {}}", "{git.example: {latency: 1s, until 5m: {}}}", 1), "behaviour both directly and in phases"},
		{strings.Replace(head, "{git.example: {}}", "{git.example: {until 5m: {}, until 2m: {}}}", 1), "phases must come in order of time"},
		{strings.Replace(head, "{git.example: {}}", "{git.example: {share: 2/1}}", 1), `share: "2/1" is no share; write 1/3`},
		{head + "repos: {hello: {}}\n", `repos.hello: "hello" is no repository; write owner/identifier`},
		{head + "repos: {alice/hello: {clone: gti.example}}\n", `bad.yaml:6:30: repos["alice/hello"].clone: host "gti.example" is not declared under hosts`},
		{head + "repos: {alice/hello: {commits: {a: b, b: [c], c: a}}}\n", "the commit is its own ancestor; history has no cycles"},
		{head + "repos: {alice/hello: {on: {git.example: \"b[9-1]\"}}}\n", `"b[9-1]" is no range; write b[0-9] with the smaller number first`},
		{head + "repos: {alice/hello: {on: {git.example: \"b[0-999999999]\"}}}\n", "at most 100000 are allowed"},
		{head + "repos: {\"a/r{i}\": {repeat: 200000}}\n", "200000, must be 1 to 100000"},
		{head + "repos: {a/r: {repeat: 3}}\n", "comes out twice; a repeated name needs {i}"},
		{repo + "timeline: [{at: 11m, state: alice/hello, refs: main}]\n", "bad.yaml:7:17: timeline[0].at: 11m lies past the horizon of 10m"},
		{repo + "timeline: [{at: 0s}]\n", "timeline[0]: has 0 verbs, must have one of announce, state"},
		{repo + "timeline: [{state: alice/hello, pr: alice/hello}]\n", "has 2 verbs"},
		{repo + "timeline: [{state: alice/helo, refs: main}]\n", `repository "alice/helo" is not declared under repos`},
		{repo + "timeline: [{state: alice/hello}]\n", "timeline[0].refs: missing"},
		{repo + "timeline: [{state: alice/hello, refs: main, commit: c}]\n", "timeline[0].commit: does not go with state"},
		{repo + "timeline: [{state: alice/hello, refs: \"+refs/heads/x:refs/heads/main\"}]\n", "is no ref name"},
		{repo + "timeline: [{pr: alice/hello, commit: \"+a:b\"}]\n", "is no label"},
		{repo + "timeline: [{again: nothing}]\n", `no event is called "nothing"`},
		{repo + "timeline: [{state: alice/hello, refs: main}, {state: alice/hello, refs: dev}]\n", `give it a name with "as"`},
		{repo + "timeline: [{event: \"{}\"}]\n", "timeline[0].event:"},
		{repo + "timeline: [{clock: tomorrow}]\n", "timeline[0].clock:"},
		{repo + "expect: [{released: s9}]\n", `expect[0].released: no event is called "s9"`},
		{repo + "expect: [{passes: git.example}]\n", "says nothing about the passes; add at, between or count"},
		{repo + "expect: [{counter: relesed, count: 1}]\n", `unknown counter "relesed", did you mean "released"?`},
		{repo + "expect: [{requests: git.example, count: about 5}]\n", `"about 5" is no comparison`},
		{repo + "expect: [{attempts: alice/hello, at: [5s, 1s]}]\n", "instants must be in order of time"},
		{repo + "faults: [{from: 5m, to: 1m, stall: git.example}]\n", "faults[0].to: 1m is not after 5m"},
		{repo + "faults: [{from: 5m, stall: git.example, refuse: git.example}]\n", "has 2 verbs"},
		{repo + "timeline: [{attack: alice/helo, by: mallory}]\n", `timeline[0].attack: repository "alice/helo" is not declared under repos`},
		{repo + "timeline: [{attack: alice/hello}]\n", `timeline[0].by: "", must be a user other than "alice", whose repository it is`},
		{repo + "timeline: [{attack: alice/hello, by: alice}]\n", `timeline[0].by: "alice", must be a user other than "alice"`},
		{repo + "timeline: [{attack: alice/hello, by: mallory, ways: deletion}]\n", `unknown way to attack "deletion", did you mean "deletions"?`},
		{repo + "timeline: [{attack: alice/hello, by: mallory, repeat: 3}]\n", "timeline[0].repeat: does not go with attack"},
		{repo + "timeline: [{attack: alice/hello, by: mallory, refs: main}]\n", "timeline[0].refs: does not go with attack; what does: attack, at, step"},
		{repo + "timeline: [{raw: 30617, by: bob, tags: [[d, x]]}]\n", "timeline[0].as: missing, an event given by its tags needs a name"},
		{repo + "timeline: [{raw: 30617, as: x, tags: [[d, x]]}]\n", "timeline[0].by: missing, an event given by its tags needs an author"},
		{repo + "timeline: [{raw: 70000, by: bob, as: x}]\n", "timeline[0].raw: 70000, must be a kind from 1 to 65535"},
		{repo + "timeline: [{raw: 5, by: bob, as: x, tags: [[e, <evnt s1>]]}]\n", `timeline[0].tags[0]: "<evnt s1>" stands for nothing; write <user alice>`},
		{repo + "timeline: [{raw: 5, by: bob, as: x, tags: [[e, <event s9>]]}]\n", `timeline[0].tags: no event is called "s9"`},
		{repo + "timeline: [{raw: 5, by: bob, as: x, created: 1m, created-at: -5}]\n", "timeline[0].created-at: goes without created"},
		{strings.Replace(head, "{git.example: {}}", "{git.example: {like: gitea}}", 1), `hosts["git.example"].like: unknown kind of host "gitea", did you mean`},
		{strings.Replace(head, "{git.example: {}}", "{git.example: {answer: time-limit}}", 1), `for: missing, time-limit needs to know how long`},
		{strings.Replace(head, "{git.example: {}}", "{git.example: {answer: ban, for: 1h}}", 1), `limit: 0, must be 1 to 65536 requests per window`},
		{head + "repos: {alice/hello: {on: {git.example: {has: main, filler: -1}}}}\n", "filler: -1, must be 0 to 10000000 refs"},
		{head + "repos: {alice/hello: {on: {git.example: {has: main, filler: 5, from: 1m}}}}\n", "is there for all time"},
		{repo + "local: [{from: 1m}]\n", "local[0]: has 0 verbs, must have one of disk-full, fail, slow, lock, refuse"},
		{repo + "local: [{disk-full: true, fail: copy}]\n", "local[0]: has 2 verbs"},
		{repo + "local: [{disk-full: true, by: 1s}]\n", "local[0].by: does not go with disk-full; what does: disk-full, from, to, on, times, repo"},
		{repo + "local: [{from: 11m, disk-full: true}]\n", "local[0].from: 11m lies past the horizon of 10m"},
		{repo + "local: [{from: 5m, to: 1m, disk-full: true}]\n", "local[0].to: 1m is not after 5m"},
		{repo + "local: [{disk-full: true, times: -1}]\n", "local[0].times: -1, must be 1 to 100000"},
		{repo + "local: [{disk-full: true, on: two.example}]\n", "local[0].on: goes with a network of relays"},
		{repo + "local: [{disk-full: true, repo: alice/helo}]\n", `local[0].repo: repository "alice/helo" is not declared under repos`},
		{repo + "local: [{fail: [copy, strore]}]\n", `local[0].fail: unknown kind of local work "strore", did you mean "store"?`},
		{repo + "local: [{slow: store}]\n", "local[0].by: 0s, must be more than 0s and at most 1d"},
		{repo + "local: [{slow: receive, by: 1s}]\n", "local[0].slow: receive takes the time of its transfer"},
		{repo + "local: [{lock: main}]\n", "local[0].repo: missing, a lock is held in one repository"},
		{repo + "local: [{lock: \"a..b\", repo: alice/hello}]\n", `local[0].lock: "a..b" is no ref name`},
		{repo + "local: [{refuse: s1, verdict: deleted}]\n", `local[0].refuse: no event is called "s1"`},
		{repo + "local: [{refuse: base alice/hello, verdict: gone}]\n", `local[0].verdict: unknown verdict "gone" (known: deleted, failed, superseded)`},
		{strings.Repeat("[", 100_000), "nested deeper than 40"},
		{strings.Repeat("- ", 100_000), "nested deeper than 40"},
	}
}

func TestBadScenariosAreRefused(t *testing.T) {
	for _, bad := range badScenarios() {
		_, err := Parse("bad.yaml", []byte(bad.text))
		if err == nil {
			t.Errorf("taken:\n%.300s", bad.text)
			continue
		}
		if !strings.Contains(err.Error(), bad.want) {
			t.Errorf("got %v\nwant %s", err, bad.want)
		}
	}
}

func TestErrorsAreBounded(t *testing.T) {
	text := head + "repos:\n"
	for range 100 {
		text += "  a" + strings.Repeat("b", len(text)%50) + ": {}\n"
	}
	_, err := Parse("bad.yaml", []byte(text))
	require.Error(t, err)
	require.LessOrEqual(t, len(strings.Split(err.Error(), "\n")), maxErrors)
}
