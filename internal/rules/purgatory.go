package rules

var purgatorySections = []Section{
	{"S: stores and answers", []Rule{
		{"S-01", Built, "Held announcements by owner and identifier, states by identifier, PRs by event id; indexed, never scanned.", ""},
		{"S-02", Built, "A held event is acknowledged with the purgatory text and shown to nobody; a refusal has a prefix and a reason to act on.", ""},
		{"S-03", Built, "Where an event came from is a field of the input.", ""},
		{"S-04", Built, "Gates in order: size and date, block list, deletions, kind.", ""},
		{"S-05", Part, "Refused synced events are remembered, and looked at again when their group's announcements change.", "not asking a relay for them again comes with relay-to-relay sync"},
		{"S-06", Built, "Bounds per source address and in total; protected events only from their author.", ""},
	}},
	{"AN: announcements", []Rule{
		{"AN-01", Built, "An identifier is a safe file name: not empty, no dots alone, no slashes or control characters, at most 255 bytes.", ""},
		{"AN-02", Built, "All clone, relays and maintainers tags are read, each with one value or many.", ""},
		{"AN-03", Built, "It must list this service under clone and relays, unless archived or listed by another's announcement.", ""},
		{"AN-04", Built, "The first one creates a bare repository and is held; newer ones replace it by age.", ""},
		{"AN-05", Built, "A changed announcement has its group's refused and held events looked at again.", ""},
		{"AN-06", Built, "A served announcement that drops us stays served; its repository takes no more pushes and goes after a retention.", ""},
	}},
	{"ST: states", []Rule{
		{"ST-01", Built, "A state needs an announcement whose maintainers include its author.", ""},
		{"ST-02", Built, "Refs are read from the event when data appears, not before.", ""},
		{"ST-03", Built, "Normalised once: heads and tags, symbolic values resolved, cycles and conflicts refused, nonsense held but not hunted.", ""},
		{"ST-04", Built, "HEAD is set when its branch is in the state and its tip is here.", ""},
		{"ST-05", Built, "Satisfied when every head and tag, with its closure, is in one repository of the group.", ""},
		{"ST-06", Built, "An empty state means no heads or tags, and needs an older one to clear.", ""},
		{"ST-07", Built, "Latest per owner is by date, then lowest id; only the latest touches that owner's refs.", ""},
		{"ST-08", Built, "Release in order: copy objects, align refs, store, promote, remove, tell; a step that fails is retried.", ""},
		{"ST-09", Built, "An announcement is promoted only when its own repository has a head or tag from an authorised state.", ""},
	}},
	{"PR: pull requests and their updates", []Rule{
		{"PR-01", Built, "A commit is required, and an accepted repository among its coordinates.", ""},
		{"PR-02", Built, "Commit here: set its ref everywhere concerned and serve; otherwise hold and hunt, also at its own clone URLs.", ""},
		{"PR-03", Built, "Data first leaves a placeholder, which the event joins.", ""},
		{"PR-04", Built, "While the repository's announcement is held, so is the PR.", ""},
	}},
	{"M: maintainers", []Rule{
		{"M-01", Built, "An owner's maintainers are followed through announcements of the same identifier, one way, cycles cut.", ""},
		{"M-02", Built, "At most 256 members, worked out again only when an announcement changes.", ""},
	}},
	{"P: pushes", []Rule{
		{"P-01", Built, "The command list is parsed before git runs; none, or nonsense, is refused.", ""},
		{"P-02", Part, "A push must lead exactly to the latest authorised state; a refusal names the ref at fault.", "git, its hook and the lock belong to the relay"},
		{"P-03", Built, "A push to refs/nostr must match its event, or leaves a bounded placeholder.", ""},
		{"P-04", Part, "Being allowed pins the repository for half an hour and renews nothing; it is asked again under the lock.", "git, its hook and the lock belong to the relay"},
		{"P-05", Part, "The end of a push unpins, tries one release, and only then answers.", "git, its hook and the lock belong to the relay"},
	}},
	{"DL and RE: deletion, related events", []Rule{
		{"DL-01", Built, "Only the author deletes; by id, or by coordinate up to the deletion's date; deletion first counts too.", ""},
		{"DL-02", Built, "A held announcement takes its repository along; a served one stays unlisted; held states go only when nobody authorises them.", ""},
		{"RE-01", Built, "Events that refer to accepted ones, or are referred to by them, are accepted.", ""},
	}},
}
