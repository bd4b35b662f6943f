// Package stockgit is a model of the stock git client, version 2.39.5, as far as listing and fetching over
// HTTP go. It speaks to the servers of package fakes request by request, so that a fake can be held against
// what a real server of its kind did to the real client: exit code, words of the error, objects, number of
// requests, bytes. The rows of that comparison are testdata/git-client-observations.jsonl and
// testdata/git-static-observations.jsonl.
//
// What may enter: what a stock git does with an answer, each rule of it seen in a row. What may not: any
// opinion of ours about such answers. Our own driver differs from stock git on purpose, for one it never
// takes a web page for an empty repository (F-06); docs/conformance.md lists where. Nothing but tests
// imports this package.
//
//	client.go    the calls and what comes of them
//	exchange.go  one request: redirects, failures of the connection, time limits
//	smart.go     protocols 0 and 2
//	static.go    the protocol of static mirrors, which git also falls back to for any answer it cannot place
package stockgit
