package scenarios

// Version is the only version of the format there is.
const Version = 1

// Scenario is one simulated world and what must come of it. All chance is resolved in it except noise
// keyed to entities and the order of equal instants, which Seed draws.
type Scenario struct {
	Version     int               `yaml:"version"`
	Name        string            `yaml:"name"`
	Description string            `yaml:"description"` // one sentence: what must happen
	Rules       []string          `yaml:"rules"`       // ids of the rules it proves
	Seed        uint64            `yaml:"seed"`        // 0 stands for 1
	Ties        string            `yaml:"ties"`        // order of equal instants: kind (default), reverse or shuffle
	Horizon     Span              `yaml:"horizon"`     // the run ends here
	Service     string            `yaml:"service"`     // our own authority, default relay.example
	Wall        int64             `yaml:"wall"`        // Unix seconds at instant 0, default 1750000000
	Config      map[string]string `yaml:"config"`      // fields of core.Config in kebab-case
	Domains     map[string]Domain `yaml:"domains"`     // limits of single domains
	Users       map[string]string `yaml:"users"`       // public keys, where they matter
	Hosts       map[string]Host   `yaml:"hosts"`       // git servers by authority
	Repos       map[string]Repo   `yaml:"repos"`       // by owner/identifier
	Relays      map[string]Relay  `yaml:"relays"`      // upstream relays that sync events to us
	Network     *Network          `yaml:"network"`     // several relays in one world; default one, called Service
	Driver      *Driver           `yaml:"driver"`      // how badly the driver behaves
	Faults      []Fault           `yaml:"faults"`      // windows in which hosts misbehave
	Local       []Local           `yaml:"local"`       // windows in which our own storage and store do
	Permute     int               `yaml:"permute"`     // so many orders of arrival must end alike (I-10)
	Hostile     Labels            `yaml:"hostile"`     // users whose doings must not matter to others (I-11)
	Events      string            `yaml:"events"`      // JSON lines file of real signed events, beside the scenario
	Timeline    []Action          `yaml:"timeline"`
	Expect      []Expectation     `yaml:"expect"`

	raw [][]byte // the lines of Events, once read
}

// Domain overrides the limits of one domain (D-01).
type Domain struct {
	Concurrency int `yaml:"concurrency"` // passes at once; 0 pauses the domain
	Rate        int `yaml:"rate"`        // pass starts per window
}

// Host is one git server. Its behaviour is either constant, written directly in it, or a script of
// phases: "until 10m: {…}", …, "then: {…}".
type Host struct {
	Repeat  int     // {i} in the name counts from 0
	Address string  // its address, where several hosts share one (D-03)
	Wants   string  // which objects it serves when asked: advertised, tips, reachable or any (default)
	Script  []Phase // at least one, the last without an end
}

// Phase is how a host behaves until an instant.
type Phase struct {
	Until Span // 0: for ever
	Behaviour
}

// Behaviour is how a host answers: a base, and rules of which the first that applies is the answer. One
// rule may stand directly in the behaviour.
type Behaviour struct {
	Like    string `yaml:"like"`    // base: a kind of host, as github; default answers at once
	Latency Span   `yaml:"latency"` // from a question to its answer
	Jitter  Span   `yaml:"jitter"`  // up to this much more, drawn per request
	Fetch   Span   `yaml:"fetch"`   // Latency of a fetch, where it differs
	Speed   int64  `yaml:"speed"`   // of transfers in bytes per second; 0 is at once
	Rule    `yaml:",inline"`
	Rules   []Rule `yaml:"rules"` // further rules
}

// Rule is one way to answer.
type Rule struct {
	Answer       string `yaml:"answer"`        // what happens: a status as 429, or a word as stall, dns, html
	On           Labels `yaml:"on"`            // for these requests only: compare, fetch, probe
	Share        *Ratio `yaml:"share"`         // for this share of them, as 1/3
	Up           Span   `yaml:"up"`            // flapping: not for this long …
	Down         Span   `yaml:"down"`          // … then for this long, and so on
	After        Span   `yaml:"after"`         // the answer takes this long
	RetryAfter   Span   `yaml:"retry-after"`   // sent with a status or by throttle
	For          Span   `yaml:"for"`           // stall, stall-mid: silence ends; timeout: how long it takes; time-limit; ban: how long
	BytesPerSec  int64  `yaml:"bytes-per-sec"` // drip
	Gap          Span   `yaml:"gap"`           // drip: between two writes
	Keep         int    `yaml:"keep"`          // truncate: refs that still arrive
	Target       string `yaml:"target"`        // redirect: a URL
	Limit        int    `yaml:"limit"`         // throttle: requests per Window that pass; ban: answers of 401 per Window
	Window       Span   `yaml:"window"`        // throttle: default 60s
	CountRefused bool   `yaml:"count-refused"` // throttle: what it refuses counts too
}

// Repo is one repository: an announcement, its history, and who has which of its objects.
type Repo struct {
	Repeat      int                 `yaml:"repeat"`      // {i} in the name counts from 0
	Start       string              `yaml:"start"`       // served (default): announced and filled before the run; absent: nothing
	Clone       Labels              `yaml:"clone"`       // clone URLs of the announcement; a host stands for its usual URL
	Maintainers Labels              `yaml:"maintainers"` // users the announcement lists
	Commits     map[string]Labels   `yaml:"commits"`     // parents; a commit that is not listed has none
	Chains      map[string]int      `yaml:"chains"`      // commits that end a row of so many: main~1 is main's parent
	Tags        map[string]string   `yaml:"tags"`        // annotated tag objects and what they point to
	Nostr       Refs                `yaml:"nostr"`       // its refs/nostr/ at the start, by event
	Has         Labels              `yaml:"has"`         // objects our own repository holds at the start, beyond "base"
	On          map[string]Holdings `yaml:"on"`          // by host or URL: what is there
}

// Holdings say what a host has of a repository: a label, a list of labels, or a list of Holding.
type Holdings []Holding

// Holding is a set of objects, with their ancestors, that a host has for a while.
type Holding struct {
	Has    Labels `yaml:"has"`    // objects
	Refs   Refs   `yaml:"refs"`   // what it advertises; default a branch for each of Has
	Hidden bool   `yaml:"hidden"` // it advertises none of them
	Filler int    `yaml:"filler"` // further refs that it advertises and nobody wants
	From   Span   `yaml:"from"`
	Until  Span   `yaml:"until"` // 0: for ever
}

// Relay is an upstream relay that delivers synced events.
type Relay struct {
	Latency    Span `yaml:"latency"`    // from an event's instant to its delivery
	Duplicates int  `yaml:"duplicates"` // further copies of each event, one every Latency or 1s
	Replay     Span `yaml:"replay"`     // everything it delivered is delivered again this often; 0 never
}

// Driver is how long the driver's local work takes and how it misbehaves. Left out: an ideal driver.
type Driver struct {
	Check  Work `yaml:"check"` // which objects are here
	Copy   Work `yaml:"copy"`
	Align  Work `yaml:"align"`
	Store  Work `yaml:"store"` // an event, for serving
	Remove Work `yaml:"remove"`
	Create Work `yaml:"create"` // a repository
	Delete Work `yaml:"delete"`

	End        Span   `yaml:"end"`         // from the end of a pass to its process being gone
	Cancel     Span   `yaml:"cancel"`      // the same for a cancelled one
	LateWake   *Ratio `yaml:"late-wake"`   // share of wakes that come late …
	LateBy     Span   `yaml:"late-by"`     // … by up to this
	EarlyWake  *Ratio `yaml:"early-wake"`  // share of wakes with one before them
	Duplicate  *Ratio `yaml:"duplicate"`   // share of completions that come again …
	Again      Span   `yaml:"again"`       // … up to this much later
	AfterEnd   *Ratio `yaml:"after-end"`   // share of cancelled requests whose answer comes all the same
	Stray      *Ratio `yaml:"stray"`       // share of completions followed by one nobody asked for
	GitMissing *Ratio `yaml:"git-missing"` // share of requests for which git cannot start
	Recheck    bool   `yaml:"recheck"`     // pushes are checked again under the lock
}

// Work is one kind of the driver's local work.
type Work struct {
	Delay     Span   `yaml:"delay"`
	Spread    Span   `yaml:"spread"`     // up to this much more
	FailFirst int    `yaml:"fail-first"` // the first n of the run fail
	Fail      *Ratio `yaml:"fail"`       // and then this share
	LoseFirst int    `yaml:"lose-first"` // of the first n the completion is lost
	Lose      *Ratio `yaml:"lose"`       // and then of this share
}

// Fault is a window in which hosts misbehave. Exactly one verb names them; at To they stall no longer
// (resume), refuse no longer (allow), and so on.
type Fault struct {
	From      Span   `yaml:"from"`
	To        Span   `yaml:"to"`        // 0: to the horizon
	Stall     Labels `yaml:"stall"`     // accept and fall silent; then resume
	Refuse    Labels `yaml:"refuse"`    // answer 503; then allow
	Throttle  Labels `yaml:"throttle"`  // answer 429; then relax
	Partition Labels `yaml:"partition"` // do not answer at all; then repair
	Flap      Labels `yaml:"flap"`      // reset, 30 s of every minute; then settle
	Upset     Labels `yaml:"upset"`     // do what Rule says; then soothe
	Rule      `yaml:",inline"`
}

// Action is one thing that happens at an instant. Exactly one verb is set; the other fields add to it.
type Action struct {
	At     Span `yaml:"at"`
	Repeat int  `yaml:"repeat"` // {i} counts from 0
	Step   Span `yaml:"step"`   // between two repetitions

	Announce string            `yaml:"announce"`  // a repository: its owner publishes the announcement
	State    string            `yaml:"state"`     // a repository: a state with Refs is published
	PR       string            `yaml:"pr"`        // a repository: a pull request for Commit
	PRUpdate string            `yaml:"pr-update"` // the same, kind 1619
	Issue    string            `yaml:"issue"`     // a repository: an issue about it
	Note     string            `yaml:"note"`      // its own name: an event that refers only to what Mentions names
	Push     string            `yaml:"push"`      // a repository: By pushes Refs
	Again    string            `yaml:"again"`     // an event's name: it is delivered once more
	Delete   string            `yaml:"delete"`    // an event's name: its author deletes it (kind 5)
	Remove   string            `yaml:"remove"`    // an event's name: the operator drops it
	Clock    string            `yaml:"clock"`     // the wall clock steps to this far ahead (or, with "-", behind)
	Set      map[string]string `yaml:"set"`       // the configuration changes
	Shutdown bool              `yaml:"shutdown"`
	Crash    bool              `yaml:"crash"`  // the relay dies; it is up again after Down
	Event    string            `yaml:"event"`  // JSON of a real signed event
	Raw      int64             `yaml:"raw"`    // kind of an event given by its Tags
	Attack   string            `yaml:"attack"` // a repository: By does to it all that Ways say

	On          string   `yaml:"on"`          // relay of the network; default its first
	As          string   `yaml:"as"`          // the event's name; default <verb>-<repository>
	By          string   `yaml:"by"`          // author; default the repository's owner
	Origin      string   `yaml:"origin"`      // synced (default) or client
	Via         Labels   `yaml:"via"`         // upstream relays that deliver it
	Refs        Refs     `yaml:"refs"`        // of a state or a push
	Old         Refs     `yaml:"old"`         // of a push: what the client believes is there
	Head        string   `yaml:"head"`        // of a state
	Commit      string   `yaml:"commit"`      // of a pull request
	Clone       Labels   `yaml:"clone"`       // of an announcement (default the repository's) or a pull request
	Maintainers Labels   `yaml:"maintainers"` // of an announcement (default the repository's)
	Mentions    Labels   `yaml:"mentions"`    // events that an issue, a note or a pull request refers to
	Protected   bool     `yaml:"protected"`   // the event is for its author to publish only (NIP-70)
	Authed      bool     `yaml:"authed"`      // and its author is authenticated
	Size        int64    `yaml:"size"`        // of the event's JSON, default 800
	Also        Labels   `yaml:"also"`        // further repositories a pull request names
	Unlisted    bool     `yaml:"unlisted"`    // the announcement does not list us
	Coordinate  bool     `yaml:"coordinate"`  // Delete: every version of it up to the deletion's created_at
	Created     *Span    `yaml:"created"`     // created_at after instant 0; default At
	CreatedAt   *Unix    `yaml:"created-at"`  // created_at in Unix seconds, whatever it may be
	Tags        []Labels `yaml:"tags"`        // of a raw event: [[d, hello], …]
	Content     string   `yaml:"content"`     // of a raw event
	Ways        Labels   `yaml:"ways"`        // of an attack; default all
	Upload      Span     `yaml:"upload"`      // how long a push takes
	Bytes       int64    `yaml:"bytes"`       // what a push uploads
	CutAfter    *int     `yaml:"cut-after"`   // of a push: git fails after so many of its ref updates
	Address     string   `yaml:"address"`     // of the client that publishes or pushes (S-06)
	Down        Span     `yaml:"down"`        // Crash: until the relay is up again
	Every       Span     `yaml:"every"`       // Again: and again, this often
	Until       Span     `yaml:"until"`       // up to this instant
}

// Expectation is one statement about the run. Exactly one subject is set; the other fields say what
// must be true of it.
type Expectation struct {
	Repeat int `yaml:"repeat"` // {i} in the subject counts from 0

	Released  string `yaml:"released"`  // event: its residence ended by release
	Expired   string `yaml:"expired"`   // event: … by expiry
	Deleted   string `yaml:"deleted"`   // event: … by deletion
	Replaced  string `yaml:"replaced"`  // event: … by a newer version
	Evicted   string `yaml:"evicted"`   // event: … to make room
	Held      string `yaml:"held"`      // event: it is held at instant At (default the horizon)
	Absent    string `yaml:"absent"`    // event: it is neither held nor served at At (default the horizon)
	Refused   string `yaml:"refused"`   // event: answered OK false; Text is part of the reason
	Attempts  string `yaml:"attempts"`  // repository: instants at which attempts of its hunt began
	Passes    string `yaml:"passes"`    // host or URL: instants at which passes to it began
	Requests  string `yaml:"requests"`  // host or URL: HTTP requests as it counted them; Ask selects
	AtOnce    string `yaml:"at-once"`   // host, or "all": greatest number of passes at one time
	Report    string `yaml:"report"`    // kind of report; Domain or Host selects
	Counter   string `yaml:"counter"`   // one of Result.Counts in kebab-case
	Fair      string `yaml:"fair"`      // host: greatest number of passes between two turns of one repository that waits
	Refs      string `yaml:"refs"`      // repository: it has exactly Is
	Nostr     string `yaml:"nostr"`     // repository: its refs/nostr/ are exactly Is, by event
	Head      string `yaml:"head"`      // repository: its HEAD points to Branch
	Served    string `yaml:"served"`    // event: the store serves it at At (default the horizon)
	Pushed    string `yaml:"pushed"`    // push: its client was told of success
	Denied    string `yaml:"denied"`    // push: it was refused or failed; Text is part of the reason
	Reachable string `yaml:"reachable"` // event: its data is in reach from From on, so I-4 says by when it is released
	Broken    string `yaml:"broken"`    // invariant that must be seen broken (a planted fault)

	On      string `yaml:"on"`      // relay of the network; default its first
	At      Spans  `yaml:"at"`      // exact instants; for Held, Absent, Served, Refs, Nostr and Head the instant to look at
	Between Spans  `yaml:"between"` // [first, last] allowed instant
	Count   Count  `yaml:"count"`   // how many
	From    Span   `yaml:"from"`    // only what happened from here
	To      Span   `yaml:"to"`      // and before here; 0: to the end
	Ask     string `yaml:"ask"`     // Requests: compare, fetch or probe
	Hedge   bool   `yaml:"hedge"`   // Passes: hedges only
	Wave    string `yaml:"wave"`    // Passes: main or pr
	Repo    string `yaml:"repo"`    // Passes, Requests: for this repository only
	Host    string `yaml:"host"`    // Report: of this domain
	Class   string `yaml:"class"`   // Report: with this outcome class
	Text    string `yaml:"text"`    // Refused, Denied: part of the reason
	Is      Refs   `yaml:"is"`      // Refs, Nostr
	Branch  string `yaml:"branch"`  // Head
}

// Spans is one instant or a list of them.
type Spans []Span
