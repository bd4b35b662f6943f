package scenarios

import (
	"crypto/sha256"
	"encoding/hex"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/fakes"
)

// Names become values by hashing, so that a scenario means the same wherever and whenever it is read,
// and deleting one thing changes nothing about the others.

func mix(parts ...string) [32]byte {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return [32]byte(h.Sum(nil))
}

// pubKey is the key of a named user, unless the scenario's users give one.
func (s *Scenario) pubKey(user string) core.PubKey {
	if text, ok := s.Users[user]; ok {
		return pubKeyFromHex(text)
	}
	if len(user) == 64 {
		if raw, err := hex.DecodeString(user); err == nil {
			return core.PubKey(raw)
		}
	}
	return core.PubKey(mix("user", user))
}

func pubKeyFromHex(text string) (k core.PubKey) {
	raw, err := hex.DecodeString(text)
	if err == nil && len(raw) == len(k) {
		k = core.PubKey(raw)
	}
	return k
}

// eventID is the id of the event called name.
func eventID(name string) core.EventID { return core.EventID(mix("event", name)) }

// objectLabel is the label of a commit or tag in the repositories of one identifier: forks share their
// history, as they do in git. 40 or 64 hex digits name themselves.
func objectLabel(identifier, label string) string {
	if _, err := value.ParseOID(label); err == nil {
		return label
	}
	return identifier + ":" + label
}

// oid is the object that label names there.
func oid(identifier, label string) core.OID {
	if o, err := value.ParseOID(label); err == nil {
		return o
	}
	return fakes.Label(objectLabel(identifier, label))
}
