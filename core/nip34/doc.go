// Package nip34 turns NIP-34 events into the values of the sync core, and core values back into
// events. It is where text from strangers stops: what leaves this package is handles, keys and object
// ids that cannot be mistaken for a git option, a refspec or a path.
//
// What may enter: the event types of go-nostr, URL and ref-name rules, git's view of what a name is.
// What may not: connections, the go-nostr client, clocks, files, decisions about what to do with an
// event. The package imports core and is never imported by it; it lies outside the purity rules.
//
// Three answers are possible. A refusal is an error that wraps ErrInvalid and names field, value and
// what would be right. A Problem is a part that was left out of an event that is good otherwise, such
// as an ssh clone URL. Everything else is in the core.Event.
//
//	decode.go        bytes → event, id and signature
//	parse.go         the Parser: envelope, kinds, handles given out only once all is valid
//	announcement.go  30617    state.go  30618    pr.go  1618, 1619, 5
//	url.go address.go  U-02, U-03: {url, domain, class}
//	identifier.go refname.go  AN-01 and git's ref names
//	push.go          the command list of a push, and what its client is told (P-01, P-02)
//	build.go key.go  the way back, and keys to sign with
package nip34
