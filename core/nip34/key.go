package nip34

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/nbd-wtf/go-nostr"

	"graspsync/core"
)

// Key is a throw-away signing key for tests and generators. Never use one for anything of worth: it is
// derived from two numbers.
type Key struct {
	secret string
	public core.PubKey
}

// NewKey derives the n-th key of a seed. The same numbers give the same key everywhere.
func NewKey(seed, n uint64) Key {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], seed)
	binary.BigEndian.PutUint64(b[8:], n)
	sum := sha256.Sum256(append([]byte("throw-away key "), b[:]...))
	k := Key{secret: hex.EncodeToString(sum[:])}
	pub, err := nostr.GetPublicKey(k.secret)
	if err != nil {
		return NewKey(seed, n+1<<63) // a hash that is no key: one in 2^128
	}
	k.public, _ = ParsePubKey(pub)
	return k
}

// Public is the key's author.
func (k Key) Public() core.PubKey { return k.public }

// Sign sets pubkey, id and signature of ev. The same event gives the same signature.
func (k Key) Sign(ev *nostr.Event) error { return ev.Sign(k.secret) }
