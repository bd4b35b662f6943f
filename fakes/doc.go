// Package fakes holds the simulated peers of a world: git servers, the relay's own git storage and event
// store, users who publish and push, and relays to sync from. It implements the interfaces of sim/peer.go.
//
// What may enter: one file per peer or concern, each a state machine in tables that answers from its own
// state, the instant and the request. What may not: clocks, goroutines, I/O, shared random streams, map
// order, floats (the determinism test enforces it), knowledge of scenario files, and any opinion about
// what the core should do.
//
// # A world in ten lines
//
//	w := fakes.NewWorldParts(&names, seed)
//	w.Chain("hello@main", 5).Tag("hello@v1", "hello@main")
//	w.Host("git.example.com", fakes.Script{
//		{Until: 60 * core.Second, Behaviour: fakes.Do(fakes.Rule{Do: fakes.Status, Status: 503})},
//		{Until: core.Never, Behaviour: fakes.Typical()},
//	}...)
//	w.Repo("https://git.example.com/hello.git").Ref("refs/heads/main", "hello@main", 90*core.Second)
//	alice := w.User("alice")
//	state := alice.State(1700000000, "hello", fakes.RefTo{Name: "refs/heads/main", Label: "hello@main"})
//	arrivals := fakes.Interleave(alice.PublishAndPush(0, 30*core.Second, 1, state, core.Second),
//		w.Upstream("wss://relay.example").Deliver(core.Second, state).Arrivals())
//	w.Learn(arrivals)
//	// w.Err() names the first mistake; w.Servers, w.Local, w.Store and arrivals go to the simulator.
//
// Every building method can be called one by one with plain values, which is what a loader does; names of
// acts, verbs and operations have String and Parse functions.
//
// # Objects
//
// A label stands for content: Label turns it into an object id, Graph.Name turns it back. The Graph holds
// all objects of the world and only grows; servers and local repositories hold sets of its nodes.
//
// # What a server answers
//
// A request runs down a chain; the first rule that applies is the verdict: faults of the host, faults of
// the URL, then the rules of the script's segment, where a URL's own script stands in place of its host's.
// Without a verdict, or with one that only shapes the answer, the repository answers by git's rules:
// protocol 2 gives out any object it has, protocol 0 what Allow says, one refused want fails the batch,
// and a pack the server cannot complete breaks off with nothing kept.
//
// For the driver model that carries a Reply out:
//   - Reply.OIDs of a fetch are the wanted ids that arrive. Ancestors arrive with them: call Local.Receive
//     with Reply.OIDs when the answer is whole, then Local.Check over all ids the pass needs to build
//     InFetched.OIDs.
//   - Silence comes last: a request whose Silent reaches the stall limit L stalls at After - Silent + L, and
//     one with After = NoReply at L. Reply.Class of such a request is what it would be without the limit,
//     core.Stalled if it never ends.
//   - Requests are counted when a call starts: compare 1, probe 1, fetch 2 (protocol 0) or 3 (protocol 2), one
//     more per redirect, fewer where the call ends early, none where no connection comes about.
//   - Fetch and probe do not follow redirects: they are asked of the final URL (F-06).
//   - A static mirror (Dumb) takes 2 requests and one per object the client lacks, up to its bound; past that the
//     fetch is core.TooLarge. POST-only failures cost a fetch two requests and a compare nothing.
//   - Move of refs between compare and fetch is told per pass, for the last eight passes of a URL.
//
// GitServers.HTTP answers single HTTP requests down the same chain, for a client that makes them itself:
// package stockgit models git's, and holds the fakes against measured runs of it.
package fakes
