package rules

// Term is a word of this project.
type Term struct {
	Word, Meaning, Where string
}

// Terms lists the words, in alphabetical order.
func Terms() []Term {
	return []Term{
		{"attempt", "one run of a hunt: a local check, then passes until nothing is pending or nothing is left to try (A-04)", "core"},
		{"closure", "everything an object reaches; an object without its closure is not here (F-05)", "fakes"},
		{"cool-down", "time in which a domain that failed is left alone (D-07)", "core/budget"},
		{"domain", "lower-case host and non-default port of a clone URL; what limits are counted by", "core/budget"},
		{"effect", "something the core wants done; if it asks, one completion answers it (T-04)", "core/effect.go"},
		{"grant", "a ticket of the ring becoming a permit (D-05)", "core/budget"},
		{"group", "the owners of one identifier who list each other as maintainers (Q-01)", "core"},
		{"guest", "a pass that outlived its attempt: its results count, it starts nothing (A-04)", "core"},
		{"handle", "a number that stands for a name; for look-up only (T-03)", "core/value/names.go"},
		{"hedge", "a second source started while the first still runs (H-02)", "core"},
		{"held", "waiting in purgatory, served to nobody (S-02)", "core"},
		{"hunt", "the work of finding the data of one group's repository (Q-01)", "core"},
		{"input", "a fact handed to the core: an event, a completion, a wake-up", "core/input.go"},
		{"link", "in a world of several relays: what one serves reaches another that follows it", "scenarios/network.go"},
		{"maintainer closure", "an owner and whoever is reached through the listed maintainers: whose states count for that owner (M-01)", "core/purgatory"},
		{"memo", "what a URL said it lacks, while its advertisement stays the same (F-02)", "core/fetch"},
		{"name record", "the trace line that ties a handle to its text, before its first use", "sim"},
		{"oracle", "the judge of a run; it reads the fakes' logs, never the core's state", "sim"},
		{"pass", "one remote URL tried by an attempt: compare, batch, residuals (F-01)", "core/fetch"},
		{"permit", "the right to run one pass on a domain; returns when the pass has really ended (D-02)", "core/budget"},
		{"placeholder", "a ref below refs/nostr/ whose event is not known yet (PR-03)", "core/placeholder.go"},
		{"pressure", "passes running in the whole process (D-04)", "core/budget"},
		{"purgatory", "where events wait for git data", "core"},
		{"rejected", "refused from another relay and remembered, so that it is not asked for again (S-05)", "core/rejected.go"},
		{"residence", "one stay of an event in purgatory, with exactly one end (I-16)", "core/effect.go"},
		{"residual", "a needed object neither advertised nor fetched along; asked for alone (F-01)", "core/fetch"},
		{"shadow", "the served version of an announcement under a newer one that is held (AN-04)", "core/unlisted.go"},
		{"soft-expired", "an announcement past its time whose repository is gone, kept for a revival (E-04)", "core/expiry.go"},
		{"source", "a clone URL that may be asked (U-01); also where an event or push comes from (S-06)", "core/source.go"},
		{"stall", "no output for five minutes, or hardly any after that (H-06)", "core"},
		{"stream", "a named source of chance in the simulator; adding one moves no other", "sim"},
		{"target", "the repository of a group into which an attempt fetches (N-02)", "core"},
		{"ticket", "the place of an attempt in a domain's ring (A-02, D-05)", "core/budget"},
		{"tie policy", "the order of inputs at one instant, drawn from the seed; Wake is always last (T-02)", "sim"},
		{"trace", "header, then one JSON line per step: time, input, effects", "sim"},
		{"unlisted", "a served announcement that does not list us: its repository is only kept (AN-06)", "core/unlisted.go"},
		{"wake", "the input the driver's single timer sends; it fires what is due (T-02)", "core/input.go"},
		{"wave", "the passes of one hunt and class, main or PR-only: at most two at once (H-01)", "core/effect.go"},
	}
}
