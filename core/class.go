package core

// Class is how a remote or local operation came out. The driver judges it once, from status, content
// and error; the core decides what it means for domain, URL and wave.
type Class uint8

// Outcome classes. Charged (D-07): DNS, TLS, Refused, Reset, Timeout, TooManyRequests, ServerError.
// Stalled is charged by H-06's rule of two URLs. The others say something about one URL or one object,
// never about the domain: an announcement may name any URL, so its content must not be able to cool a
// domain for strangers (I-11).
const (
	OK              Class = iota // answered as a git server does
	Unauthorized                 // HTTP 401
	Forbidden                    // HTTP 403
	NotFound                     // HTTP 404, 410
	TooManyRequests              // HTTP 429: throttled by the server
	ServerError                  // HTTP 5xx
	Invalid                      // 200 that is no git answer: HTML, empty, garbage (F-06)
	DNS                          // name does not resolve
	TLS                          // handshake or certificate
	Refused                      // connection refused or unreachable
	Reset                        // connection closed before the answer was whole
	Timeout                      // connect or header time-out of the driver
	Stalled                      // no output for the stall limit (H-06)
	NotOurRef                    // the server answered that it has no such object: an answer, not a fault
	CutShort                     // pack or answer ended early; nothing of it kept
	TooLarge                     // past a size bound (F-04)
	BadRedirect                  // loop, too many, or to a place we may not go
	PrivateTarget                // resolved to an address we refuse (U-02)
	LocalFault                   // git cannot start, disk full: ours, never charged (D-07)
	Cancelled                    // ended on CancelPass
	Lost                         // its process is gone since a restart
	NumClasses
)

var classNames = [NumClasses]string{"ok", "unauthorized", "forbidden", "not-found", "too-many-requests", "server-error",
	"invalid", "dns", "tls", "refused", "reset", "timeout", "stalled", "not-our-ref", "cut-short", "too-large",
	"bad-redirect", "private-target", "local-fault", "cancelled", "lost"}

// String is the name used in traces and scenario files.
func (c Class) String() string {
	if c < NumClasses {
		return classNames[c]
	}
	return "class?"
}

// ParseClass is the inverse of String.
func ParseClass(s string) (Class, bool) {
	for i := range classNames {
		if classNames[i] == s {
			return Class(i), true
		}
	}
	return 0, false
}

// charged tells whether the class counts as a failure of the whole domain (D-07).
func (c Class) charged() bool {
	switch c {
	case DNS, TLS, Refused, Reset, Timeout, TooManyRequests, ServerError:
		return true
	}
	return false
}
