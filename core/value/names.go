package value

import "errors"

// Handle stands for a name (identifier, repository, URL, domain, ref name, relay) in inputs and effects.
// 0 is no name. Handles are given out by a Names table, mean something only together with it, and are
// never compared across tables (T-03).
type Handle uint32

// MaxNames bounds a Names table; a further name is ErrNames.
const MaxNames = 1 << 26

// ErrNames is returned when a table is full.
var ErrNames = errors.New("names: table is full")

// Names gives each distinct text one Handle, counted from 1 in order of first use. It is owned by the
// driver; the core never sees text. Not safe for concurrent use.
type Names struct {
	handles map[string]Handle
	texts   []string
}

// Handle returns the handle of text, giving it one if it is new. Empty text is handle 0; so is a new
// text when the table is full.
func (n *Names) Handle(text string) Handle {
	if text == "" {
		return 0
	}
	if h, ok := n.handles[text]; ok {
		return h
	}
	if len(n.texts) >= MaxNames {
		return 0
	}
	if n.handles == nil {
		n.handles = make(map[string]Handle)
	}
	n.texts = append(n.texts, text)
	h := Handle(len(n.texts))
	n.handles[text] = h
	return h
}

// Lookup is Handle without giving a new one.
func (n *Names) Lookup(text string) (Handle, bool) {
	h, ok := n.handles[text]
	return h, ok
}

// Text is the inverse of Handle; an unknown handle gives "".
func (n *Names) Text(h Handle) string {
	if h == 0 || int64(h) > int64(len(n.texts)) {
		return ""
	}
	return n.texts[h-1]
}

// Len is the number of names; handles 1..Len are valid.
func (n *Names) Len() int { return len(n.texts) }

// Set gives text the handle h, which must be the next one; it is how a trace's name records are read.
func (n *Names) Set(h Handle, text string) error {
	if text == "" || int64(h) != int64(len(n.texts))+1 {
		return errors.New("names: records must give handles in order from 1, each with a text")
	}
	if _, dup := n.handles[text]; dup {
		return errors.New("names: text has a handle already: " + text)
	}
	if n.Handle(text) == 0 {
		return ErrNames
	}
	return nil
}
