package fakes

import (
	"errors"
	"fmt"

	"graspsync/core"
	"graspsync/sim"
)

// Act is what a rule does to a request.
type Act uint8

// Acts. Those marked (shapes) answer from the repository, in another way; the others are the answer.
const (
	Answer       Act = iota // (shapes) as usual: ends the chain before later rules
	Status                  // HTTP Status, with RetryAfter if set
	Stall                   // (shapes) silence before the headers for For, or for ever
	StallMid                // (shapes) half of the answer, then silence for For, or for ever
	Drip                    // (shapes) Rate bytes per second, Gap between two of them
	Reset                   // the connection is closed in the middle of nothing
	DNS                     // the name does not resolve
	TLS                     // handshake or certificate fails
	Refuse                  // connection refused
	Timeout                 // no connection within For
	HTML                    // 200 with a web page (F-06)
	Empty                   // 200 with nothing
	ErrLine                 // 200 with a git ERR line
	Truncate                // (shapes) the advertisement passes the client's bound after Keep refs (F-04)
	CutAdvert               // the advertisement ends early
	CutPack                 // the pack ends early; nothing of it is kept
	Deny                    // "not our ref" to every fetch and probe, whatever is there
	Hide                    // (shapes) advertises nothing, as an empty repository
	Move                    // (shapes) refs moved between compare and fetch (F-02)
	Churn                   // (shapes) another fingerprint on each compare
	Redirect                // to URL To
	Private                 // resolves to a refused address (U-02)
	Throttle                // 429 to what passes Limit; the rest goes on down the chain
	Close                   // the connection ends in order, without an answer
	NoType                  // 200 without a content type
	Challenge               // a web page, status 200, to what passes Limit; the rest goes on down the chain
	PostStatus              // Status to POSTs, so to fetches after their first request; GETs go on down the chain
	PostRedirect            // POSTs are sent to To, where no client follows; GETs go on down the chain
	Endless                 // (shapes) an advertisement without end (F-04)
	Dumb                    // (shapes) a static mirror of loose files: one request per object, at most Keep
	TimeLimit               // (shapes) what takes longer than For is cut off then
	Ban                     // 403 for For, after the host gave Limit answers of 401 within its window
	NumActs
)

var actNames = [NumActs]string{"answer", "status", "stall", "stall-mid", "drip", "reset", "dns", "tls", "refuse", "timeout",
	"html", "empty", "err-line", "truncate", "cut-advert", "cut-pack", "deny", "hide", "move", "churn", "redirect",
	"private", "throttle", "close", "no-type", "challenge", "post-status", "post-redirect", "endless", "dumb", "time-limit", "ban"}

// String is the name used in scenario files.
func (a Act) String() string {
	if a < NumActs {
		return actNames[a]
	}
	return "act?"
}

// ParseAct is the inverse of String.
func ParseAct(s string) (Act, bool) {
	for i := range actNames {
		if actNames[i] == s {
			return Act(i), true
		}
	}
	return 0, false
}

// Asks is a set of request kinds; the zero value means all of them.
type Asks uint8

// On is the set of kinds.
func On(kinds ...sim.RequestKind) Asks {
	var s Asks
	for _, k := range kinds {
		s |= 1 << k
	}
	return s
}

func (s Asks) has(k sim.RequestKind) bool { return s == 0 || s>>k&1 != 0 }

// Limit is a server's rate limit over a half-open window (t-Window, t], counted in HTTP requests as the
// host sees them (D-03).
type Limit struct {
	Requests     int       // that are answered per Window, 1 to 65,536
	Window       core.Time // > 0
	CountRefused bool      // refused requests use up the limit too
	PerURL       bool      // each repository has the limit for itself, as on GitHub; else the rule's servers share it
}

// Rule is one link of a chain of responsibility: the first rule that applies is the verdict. Do says
// which fields count.
type Rule struct {
	Do    Act
	On    Asks  // request kinds it applies to
	Share Ratio // of the requests, by keyed noise

	Up, Down core.Time // both > 0: flapping, applies only in the Down part of each Up+Down from its start

	After      Latency   // until the verdict shows; zero = the server's usual time to answer
	Status     uint16    // Status, PostStatus: 400 to 599
	RetryAfter core.Time // Status, Throttle: header sent, 0 = none
	For        core.Time // Stall, StallMid: 0 = for ever; Timeout: 0 = ConnectTimeout; TimeLimit, Ban: > 0
	Rate       int64     // Drip: bytes per second; 0 = one byte per Gap
	Gap        core.Time // Drip: 0 = 1 s, unless Rate is 0
	Keep       int       // Truncate: refs; Dumb: most requests of one fetch, 0 = DumbBound
	To         string    // Redirect, PostRedirect: a URL; an own, unknown or looping one is the point of some tests
	Limit      Limit     // Throttle, Challenge, Ban

	to      core.Handle
	limiter *limiter
}

// ConnectTimeout is how long a Timeout rule takes if it does not say.
const ConnectTimeout = 30 * core.Second

// DumbBound is how many requests a fetch from a static mirror may take before the client gives up, where
// the rule does not say: less than the 240 a domain may get per window (D-03).
const DumbBound = 200

// Forever is a silence longer than any run.
const Forever = 1000 * core.Day

// Behaviour is how a server acts during one segment. The zero Behaviour answers at once.
type Behaviour struct {
	Answer         Latency // compare and probe: to the whole answer, advertisement not counted
	Fetch          Latency // fetch: to the first byte of the pack
	Rate           int64   // bytes per second of advertisements and packs, 0 = at once
	BigPack        int64   // packs of at least so many bytes take BigPackSilence more; 0 = none do
	BigPackSilence Latency
	Rules          []Rule // in order, the first verdict wins
}

// Segment is a Behaviour up to an instant.
type Segment struct {
	Until core.Time // exclusive; core.Never in the last
	Behaviour
}

// Script is what a server does over time: segments whose Until rise, the last one open-ended.
type Script []Segment

// Always is the script of one behaviour.
func Always(b Behaviour) Script { return Script{{Until: core.Never, Behaviour: b}} }

// Do is the behaviour that answers at once except for rules.
func Do(rules ...Rule) Behaviour { return Behaviour{Rules: rules} }

// ErrScript is wrapped by every refusal of a script, rule or fault.
var ErrScript = errors.New("script refused")

func (s Script) validate() error {
	if len(s) == 0 {
		return fmt.Errorf("%w: no segment: want at least one", ErrScript)
	}
	for i := range s {
		if i > 0 && s[i].Until <= s[i-1].Until || s[i].Until <= 0 {
			return fmt.Errorf("%w: segment %d ends at %v: want later than the one before", ErrScript, i, s[i].Until)
		}
		if err := s[i].validate(); err != nil {
			return fmt.Errorf("%w: segment %d: %w", ErrScript, i, err)
		}
	}
	if last := s[len(s)-1].Until; last != core.Never {
		return fmt.Errorf("%w: the last segment ends at %v: want never", ErrScript, last)
	}
	return nil
}

func (b *Behaviour) validate() error {
	for _, l := range [...]struct {
		field string
		l     *Latency
	}{{"Answer", &b.Answer}, {"Fetch", &b.Fetch}, {"BigPackSilence", &b.BigPackSilence}} {
		if err := l.l.validate(l.field); err != nil {
			return err
		}
	}
	if b.Rate < 0 || b.BigPack < 0 {
		return fmt.Errorf("field Rate is %d and BigPack is %d: want 0 or more bytes", b.Rate, b.BigPack)
	}
	for i := range b.Rules {
		if err := b.Rules[i].validate(); err != nil {
			return fmt.Errorf("rule %d: %w", i, err)
		}
	}
	return nil
}

func (r *Rule) validate() error {
	if err := r.Share.validate("Share"); err != nil {
		return err
	}
	if err := r.After.validate("After"); err != nil {
		return err
	}
	switch {
	case r.Do >= NumActs:
		return fmt.Errorf("field Do is %d: want one of the acts below %d", r.Do, NumActs)
	case r.Up < 0 || r.Down < 0 || (r.Up > 0) != (r.Down > 0):
		return fmt.Errorf("field Up is %v and Down is %v: want both above 0s, or neither", r.Up, r.Down)
	case r.RetryAfter < 0 || r.For < 0 || r.Gap < 0 || r.Keep < 0:
		return fmt.Errorf("field RetryAfter %v, For %v, Gap %v, Keep %d: want 0 or more", r.RetryAfter, r.For, r.Gap, r.Keep)
	case (r.Do == Status || r.Do == PostStatus) && (r.Status < 400 || r.Status > 599):
		return fmt.Errorf("field Status is %d: want 400 to 599", r.Status)
	case r.Do == Drip && (r.Rate < 0 || r.Rate == 0 && r.Gap == 0):
		return fmt.Errorf("field Rate of drip is %d: want bytes per second above 0, or 0 with a Gap between single bytes", r.Rate)
	case (r.Do == Redirect || r.Do == PostRedirect) && r.To == "":
		return fmt.Errorf("field To of %v is empty: want a URL", r.Do)
	case (r.Do == TimeLimit || r.Do == Ban) && r.For == 0:
		return fmt.Errorf("field For of %v is 0s: want more", r.Do)
	case (r.limits() || r.Do == Ban) && (r.Limit.Requests < 1 || r.Limit.Requests > 1<<16 || r.Limit.Window <= 0):
		return fmt.Errorf("field Limit of %v is %d per %v: want 1 to 65536 per more than 0s", r.Do, r.Limit.Requests, r.Limit.Window)
	}
	return nil
}

// limits tells whether the rule counts requests and applies only to those past its limit.
func (r *Rule) limits() bool { return r.Do == Throttle || r.Do == Challenge }

// onPost tells whether the rule applies to POSTs alone.
func (r *Rule) onPost() bool { return r.Do == PostStatus || r.Do == PostRedirect }

// classOf is the outcome class of an HTTP status.
func classOf(status uint16) core.Class {
	switch {
	case status == 401 || status == 407:
		return core.Unauthorized
	case status == 404 || status == 410:
		return core.NotFound
	case status == 429:
		return core.TooManyRequests
	case status >= 500:
		return core.ServerError
	}
	return core.Forbidden
}
