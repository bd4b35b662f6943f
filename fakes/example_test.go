package fakes_test

import (
	"fmt"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/fakes"
	"graspsync/sim"
)

// A server that is down for a minute and gets the data half a minute later.
func Example() {
	var names value.Names
	w := fakes.NewWorldParts(&names, 1)
	w.Chain("hello@main", 5).Tag("hello@v1", "hello@main")
	w.Host("git.example.com", fakes.Script{
		{Until: 60 * core.Second, Behaviour: fakes.Do(fakes.Rule{Do: fakes.Status, Status: 503})},
		{Until: core.Never, Behaviour: fakes.Typical()},
	}...)
	repo := w.Repo("https://git.example.com/hello.git").Ref("refs/heads/main", "hello@main", 90*core.Second)
	alice := w.User("alice")
	state := alice.State(1700000000, "hello", fakes.RefTo{Name: "refs/heads/main", Label: "hello@main"})
	arrivals := fakes.Interleave(alice.PublishAndPush(0, 30*core.Second, 1, state, core.Second),
		w.Upstream("wss://relay.example").Deliver(core.Second, state).Arrivals())
	w.Learn(arrivals)
	if err := w.Err(); err != nil {
		fmt.Println(err)
	}

	fmt.Println(len(arrivals), "arrivals")
	var reply sim.Reply
	for i, at := range []core.Time{30 * core.Second, 60 * core.Second, 90 * core.Second} {
		w.Servers.Ask(at, &sim.Request{URL: names.Handle(repo.URL()), OIDs: []core.OID{fakes.Label("hello@main")}, N: uint64(i) + 1}, &reply)
		fmt.Println(at, reply.Class, len(reply.OIDs), "advertised")
	}
	// Output:
	// 3 arrivals
	// 30s server-error 0 advertised
	// 60s ok 0 advertised
	// 90s ok 1 advertised
}
