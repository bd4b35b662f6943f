package importer

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/nip34"
	"graspsync/scenarios"
)

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("../testdata/events/" + name)
	require.NoError(t, err)
	return b
}

const minute = scenarios.Span(core.Minute)

// signed is the JSON of an event of key n; each tag is "name|value|…".
func signed(t testing.TB, n uint64, kind uint32, created int64, tags ...string) string {
	t.Helper()
	ev := &nostr.Event{Kind: int(kind), CreatedAt: nostr.Timestamp(created)}
	for _, tag := range tags {
		ev.Tags = append(ev.Tags, strings.Split(tag, "|"))
	}
	require.NoError(t, nip34.NewKey(1, n).Sign(ev))
	b, err := ev.MarshalJSON()
	require.NoError(t, err)
	return string(b)
}

const oid1, oid2 = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"

// announced is an announcement of key n for identifier d, at us.example and the given URLs.
func announced(t testing.TB, n uint64, d string, more ...string) string {
	clone := nip34.CloneURL("us.example", nip34.NewKey(1, n).Public(), d)
	return signed(t, n, core.KindAnnouncement, 1000, "d|"+d, "clone|"+strings.Join(append([]string{clone}, more...), "|"), "relays|wss://us.example")
}

func imported(t *testing.T, o Options, lines ...string) (*scenarios.Scenario, *Summary) {
	t.Helper()
	o.NoTrial = true
	s, sum, err := Import(strings.NewReader(strings.Join(lines, "\n")), o)
	require.NoError(t, err)
	again, err := scenarios.Parse("imported.yaml", s.Encode())
	require.NoError(t, err)
	require.True(t, bytes.Equal(s.Encode(), again.Encode()), "not equal when read back")
	return s, sum
}

func TestRealDump(t *testing.T) {
	s, sum := imported(t, Options{}, string(testdata(t, "events.jsonl")))
	require.Equal(t, 34, sum.Read)
	require.Equal(t, 34, sum.Verified)
	require.Empty(t, sum.Refusals)
	require.Equal(t, "relay.ngit.dev", sum.Service, "named as often as gitnostr.com, and first")
	require.Equal(t, 19, sum.Admitted, "ten announcements, nine states")
	require.Equal(t, 10, sum.Hunted)
	require.Equal(t, 34, len(s.Timeline))
	require.NotContains(t, s.Hosts, "relay.ngit.dev", "our own host is no source")
	require.Contains(t, s.Hosts, "gitnostr.com")
	require.Contains(t, s.Hosts, "github.com")
	require.EqualValues(t, 1782698001, s.Wall)
	require.Equal(t, DefaultWindow+DefaultTail, s.Horizon)
	for i := 1; i < len(s.Timeline); i++ {
		require.LessOrEqual(t, s.Timeline[i-1].At, s.Timeline[i].At)
	}
	tollgate := s.Repos["bbb5dda0e15567979f0543407bdc2033d6f0bbb30f72512a981cfdb2f09e2747/tollgate-module-basic-go"]
	held := tollgate.On["https://github.com/OpenTollGate/tollgate-module-basic-go.git"]
	require.Len(t, held, 1)
	require.Len(t, held[0].Refs, 59)
	require.NotContains(t, strings.Join(sorted(tollgate.On), " "), "relay.ngit.dev")
}

// Every line that is not used is reported with its number and why.
func TestRefusalsNameLineAndReason(t *testing.T) {
	good := announced(t, 1, "x", "https://a.example/x")
	badSig := strings.Replace(good, `"sig":"`, `"sig":"00`, 1)
	badSig = badSig[:len(badSig)-4] + `"}`
	_, sum := imported(t, Options{},
		good,                                     // 1
		"",                                       // 2: empty lines do not count
		strings.Replace(good, "1000", "1001", 1), // 3
		badSig,                                   // 4
		"hello",                                  // 5
		`{"note":"wrapped","event":`+announced(t, 2, "y", "https://a.example/y")+`}`, // 6
		`["EOSE","sub"]`, // 7: skipped
		`["EVENT","sub",`+announced(t, 3, "z", "https://b.example/z")+`]`, // 8
		`["EVENT",`+good+`]`,                        // 9
		signed(t, 1, core.KindState, 1001, "d|a/b"), // 10
		`["EVENT"]`,                     // 11
		strings.Repeat("x", maxLine+10), // 12
		signed(t, 1, core.KindAnnouncement, 1, "d|w", "clone|git@a.example:w"), // 13
		`{"event":5}`, // 14
	)
	var got []string
	for _, r := range sum.Refusals {
		got = append(got, strings.SplitN(r.String(), ": ", 3)[0]+" "+r.Reason.String())
	}
	require.Equal(t, []string{"line 3 id is not the hash", "line 4 bad signature", "line 5 not an event", "line 9 there twice", "line 10 unusable",
		"line 11 not an event", "line 12 not an event", "line 14 not an event"}, got)
	require.Equal(t, 13, sum.Read+1)
	require.Equal(t, 5, sum.Verified)
	require.Equal(t, 3, sum.Hunted)
	require.Len(t, sum.Ignored, 1)
	require.Equal(t, 13, sum.Ignored[0].Line)
	var b bytes.Buffer
	require.NoError(t, sum.Write(&b))
	require.Contains(t, b.String(), "refused   8 (4 not an event, 1 id is not the hash, 1 bad signature, 1 unusable, 1 there twice)")
	require.Contains(t, b.String(), "line 13: left out: tag clone is \"git@a.example:w\"")
}

func TestInvalidDumpHuntsNothing(t *testing.T) {
	_, sum, err := Import(bytes.NewReader(testdata(t, "events-invalid.jsonl")), Options{Service: "relay.ngit.dev"})
	require.ErrorIs(t, err, ErrNoHunt)
	require.Equal(t, 30, sum.Read)
	require.Zero(t, sum.Verified)
	require.Equal(t, 30, sum.Refused(BadID))
	_, _, err = Import(strings.NewReader(""), Options{})
	require.ErrorIs(t, err, ErrNoHunt)
	s, sum, err := Import(strings.NewReader(announced(t, 1, "x")), Options{})
	require.ErrorIs(t, err, ErrNoHunt, "no clone URL but our own")
	require.NotNil(t, s)
	require.Equal(t, 1, sum.Admitted)
}

func TestRelayLogDecidesOrderAndInstants(t *testing.T) {
	s, sum := imported(t, Options{RelayLog: bytes.NewReader(testdata(t, "relay-arrivals-2025-12-05.jsonl"))}, string(testdata(t, "events.jsonl")))
	require.Equal(t, len(s.Timeline), sum.Arrivals)
	require.Equal(t, []int{19, 19, 0, 15}, []int{sum.Arrivals, sum.Admitted, sum.Foreign, sum.Silent})
	require.Equal(t, 8, sum.Refused(Unknown), "six events, two of them delivered twice, are not in the dump")
	for _, r := range sum.Refusals {
		require.True(t, r.Log)
		require.Contains(t, r.String(), "relay log line ")
	}
	require.Less(t, s.Timeline[len(s.Timeline)-1].At, scenarios.Span(core.Second), "all within one second of the log")
}

func TestRelayLogIsChecked(t *testing.T) {
	a := announced(t, 1, "x", "https://a.example/x")
	ev, err := nip34.ParseJSON([]byte(a))
	require.NoError(t, err)
	row := func(clock, id string) string {
		return `{"time":"2025/12/05 ` + clock + `","relay":"wss://r.example","dir":"in","verb":"EVENT","id":"` + id + `"}`
	}
	log := strings.Join([]string{row("10:00:00", ev.ID), row("10:00:05", ev.ID), row("09:00:00", ev.ID), row("10:00:06", oid1), "nonsense",
		`{"time":"noon"}`, `{"time":"2025/12/05 10:01:00","relay":"wss://r.example","dir":"in","verb":"EOSE"}`, row("10:02:00", ev.ID)}, "\n")
	s, sum := imported(t, Options{RelayLog: strings.NewReader(log)}, a)
	var at []string
	for _, x := range s.Timeline {
		at = append(at, x.At.String())
	}
	require.Equal(t, []string{"1ms", "5s1ms", "2m1ms"}, at)
	require.Equal(t, 1, sum.Refused(Late))
	require.Equal(t, 1, sum.Refused(Unknown))
	require.Equal(t, 2, sum.Refused(NotAnEvent))
	_, _, err = Import(strings.NewReader(a), Options{RelayLog: strings.NewReader(row("10:00:00", oid1))})
	require.ErrorContains(t, err, "no row delivers")
}

func TestRestFollowsTheLog(t *testing.T) {
	a, b := announced(t, 1, "x", "https://a.example/x"), announced(t, 2, "y", "https://a.example/y")
	ev, err := nip34.ParseJSON([]byte(a))
	require.NoError(t, err)
	log := `{"time":"2025/12/05 10:00:00","relay":"wss://r.example","dir":"in","verb":"EVENT","id":"` + ev.ID + `"}`
	s, _ := imported(t, Options{RelayLog: strings.NewReader(log), Rest: true}, b, a)
	require.Len(t, s.Timeline, 2)
	require.Equal(t, a, s.Timeline[0].Event)
	require.Equal(t, b, s.Timeline[1].Event)
	require.Equal(t, "1s1ms", s.Timeline[1].At.String())
}

func TestCreatedAtIsCompressed(t *testing.T) {
	x := announced(t, 1, "x", "https://a.example/x")
	y := signed(t, 1, core.KindState, 1000+86_400, "d|x", "refs/heads/main|"+oid1)
	z := signed(t, 1, core.KindState, 1000+864_000, "d|x", "refs/heads/main|"+oid2)
	at := func(o Options) string {
		s, _ := imported(t, o, z, x, y)
		return s.Timeline[0].At.String() + " " + s.Timeline[1].At.String() + " " + s.Timeline[2].At.String()
	}
	require.Equal(t, "0s 1m 10m", at(Options{}))
	require.Equal(t, "0s 6s 1m", at(Options{Window: minute}))
	require.Equal(t, "0s 24h 240h", at(Options{Window: -1}))
	require.EqualValues(t, 1<<61, mulDiv(1<<62, 1<<62, 1<<62)/2)
}

func TestHoldersAndClasses(t *testing.T) {
	events := []string{
		announced(t, 1, "x", "https://a.example/x", "https://b.example/x", "http://127.0.0.1/x"),
		announced(t, 1, "y", "https://a.example/y", "https://c.example/y"),
		signed(t, 1, core.KindState, 1001, "d|x", "refs/heads/old|"+oid2),
		signed(t, 1, core.KindState, 1002, "d|x", "refs/heads/main|"+oid1, "refs/tags/v1|"+oid1, "refs/heads/s|ref: refs/heads/main"),
		signed(t, 1, core.KindState, 1002, "d|y", "refs/heads/main|"+oid1),
		signed(t, 2, core.KindPR, 1003, "a|30617:"+nip34.NewKey(1, 1).Public().String()+":x", "c|"+oid2, "clone|https://d.example/fork"),
	}
	s, sum := imported(t, Options{Classes: map[string]string{"b.example": "empty", "*": "ok", "c.example": "429"},
		Holders: map[string][]string{"y": {"c.example"}}}, events...)
	require.Equal(t, []string{"a.example=ok", "b.example=empty", "c.example=429", "d.example=ok"}, sum.Hosts)
	owner := nip34.NewKey(1, 1).Public().String()
	x, y := s.Repos[owner+"/x"], s.Repos[owner+"/y"]
	require.Equal(t, []string{"https://a.example/x", "https://d.example/fork"}, sorted(x.On))
	require.Equal(t, scenarios.Holdings{
		{Has: scenarios.Labels{oid1}, Refs: scenarios.Refs{{Name: "main", Value: oid1}, {Name: "tags/v1", Value: oid1}}},
		{Has: scenarios.Labels{oid2}, Hidden: true}}, x.On["https://a.example/x"])
	require.Equal(t, scenarios.Labels{"https://a.example/x", "https://b.example/x", "https://d.example/fork"}, x.Clone, "all public URLs exist")
	require.Equal(t, []string{"https://c.example/y"}, sorted(y.On))
	require.Equal(t, "429", s.Hosts["c.example"].Script[0].Rule.Answer)

	for _, o := range []Options{
		{Classes: map[string]string{"nowhere.example": "ok"}},
		{Classes: map[string]string{"a.example": ""}},
		{Classes: map[string]string{"a.example": "throttle:0"}},
		{Classes: map[string]string{"*": "ok:1"}},
		{Holders: map[string][]string{"q": nil}},
		{Holders: map[string][]string{"x": {"nowhere.example"}}},
		{Service: "a b"},
	} {
		_, _, err := Import(strings.NewReader(strings.Join(events, "\n")), o)
		require.ErrorIs(t, err, ErrOption, "%+v", o)
	}
	_, _, err := Import(strings.NewReader(strings.Join(events, "\n")), Options{Classes: map[string]string{"a.example": "nonsense"}})
	require.ErrorContains(t, err, "nonsense")
}

// An event that lists us not is admitted when an admitted announcement lists its author (AN-03).
func TestMaintainersAreForeseen(t *testing.T) { // AN-03 M-01
	two := nip34.NewKey(1, 2).Public().String()
	one := signed(t, 1, core.KindAnnouncement, 1000, "d|x", "clone|"+nip34.CloneURL("us.example", nip34.NewKey(1, 1).Public(), "x")+"|https://a.example/x",
		"relays|wss://us.example", "maintainers|"+two)
	other := signed(t, 2, core.KindAnnouncement, 1000, "d|x", "clone|https://b.example/x")
	stranger := signed(t, 3, core.KindAnnouncement, 1000, "d|x", "clone|https://b.example/x")
	state := signed(t, 2, core.KindState, 1001, "d|x", "refs/heads/main|"+oid1)
	s, sum := imported(t, Options{}, other, stranger, state, one)
	require.Equal(t, 3, sum.Admitted)
	require.Equal(t, 1, sum.Foreign)
	require.Contains(t, s.Repos[nip34.NewKey(1, 1).Public().String()+"/x"].On, "https://a.example/x")
	require.NotContains(t, s.Repos[nip34.NewKey(1, 3).Public().String()+"/x"].On, "https://b.example/x", "no state of its own")
}

// The summary tells what the simulated relay made of it, with its own words for every refusal.
func TestTrial(t *testing.T) {
	s, sum, err := Import(bytes.NewReader(testdata(t, "events.jsonl")), Options{})
	require.NoError(t, err)
	require.NotNil(t, s)
	require.EqualValues(t, sum.Admitted, sum.Trial.Admitted, "what was foreseen came true")
	require.GreaterOrEqual(t, sum.Trial.Hunts, int64(sum.Hunted), "a hunt that was dropped comes back under a new id")
	require.EqualValues(t, 18, sum.Trial.Released)
	require.Empty(t, sum.Trial.Violations)
	require.NotEmpty(t, sum.Trial.Reasons)
	var b bytes.Buffer
	require.NoError(t, sum.Write(&b))
	require.Contains(t, b.String(), " hunts, ")
	require.Contains(t, b.String(), "  refused 14: ")
}

// With every host dead the dump is still hunted, and nothing is released.
func TestTrialWithDeadHosts(t *testing.T) {
	_, sum, err := Import(bytes.NewReader(testdata(t, "events.jsonl")), Options{Classes: map[string]string{"*": "dns"}})
	require.NoError(t, err)
	require.EqualValues(t, 10, sum.Trial.Hunts)
	require.Zero(t, sum.Trial.Released)
}
