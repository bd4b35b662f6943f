package sim

import "graspsync/core"

// The scalar fields of core.Config by name, for traces and hashes. A test compares them with the struct, so
// that a new field cannot be forgotten; lists are handled beside them.

// configField is one scalar of a configuration; exactly one of the pointers is set.
type configField struct {
	name  string
	span  *core.Time
	count *int
	bytes *int64
	flag  *bool
	seed  *uint64
}

func span(name string, p *core.Time) configField { return configField{name: name, span: p} }
func count(name string, p *int) configField      { return configField{name: name, count: p} }
func bytes64(name string, p *int64) configField  { return configField{name: name, bytes: p} }
func flag(name string, p *bool) configField      { return configField{name: name, flag: p} }

// get is the value; an unsigned one keeps its bits, a flag is 0 or 1.
func (f *configField) get() int64 {
	switch {
	case f.span != nil:
		return int64(*f.span)
	case f.count != nil:
		return int64(*f.count)
	case f.bytes != nil:
		return *f.bytes
	case f.flag != nil:
		return int64(bit(*f.flag, 0))
	}
	return int64(*f.seed)
}

// set is the inverse of get.
func (f *configField) set(v int64) {
	switch {
	case f.span != nil:
		*f.span = core.Time(v)
	case f.count != nil:
		*f.count = int(v)
	case f.bytes != nil:
		*f.bytes = v
	case f.flag != nil:
		*f.flag = v != 0
	default:
		*f.seed = uint64(v)
	}
}

// configFields are the fields of c in order of declaration.
func configFields(c *core.Config) [66]configField {
	return [...]configField{
		{name: "Seed", seed: &c.Seed},
		bytes64("Wall", &c.Wall),
		span("LoopInterval", &c.LoopInterval),
		span("ClientDelay", &c.ClientDelay),
		span("SyncedDelay", &c.SyncedDelay),
		span("BackoffBase", &c.BackoffBase),
		span("BackoffCap", &c.BackoffCap),
		count("DomainConcurrency", &c.DomainConcurrency),
		count("DomainRate", &c.DomainRate),
		span("DomainWindow", &c.DomainWindow),
		count("DomainRequests", &c.DomainRequests),
		flag("RequestUnit", &c.RequestUnit),
		count("AddressPasses", &c.AddressPasses),
		count("Pressure", &c.Pressure),
		count("AuthorPasses", &c.AuthorPasses),
		span("HedgeHeadStart", &c.HedgeHeadStart),
		span("SilentWarning", &c.SilentWarning),
		span("SilentAgain", &c.SilentAgain),
		span("StallLimit", &c.StallLimit),
		span("KillGrace", &c.KillGrace),
		span("GuestAge", &c.GuestAge),
		span("OldPassAge", &c.OldPassAge),
		count("ResidualProbes", &c.ResidualProbes),
		span("MemoTTL", &c.MemoTTL),
		count("MemoURLs", &c.MemoURLs),
		count("MemoOIDs", &c.MemoOIDs),
		span("LastChance", &c.LastChance),
		span("CoolBase", &c.CoolBase),
		span("CoolCap", &c.CoolCap),
		span("RetryAfterCap", &c.RetryAfterCap),
		span("CoolForget", &c.CoolForget),
		span("URLCool", &c.URLCool),
		span("UnreachableAge", &c.UnreachableAge),
		span("UnreachableFor", &c.UnreachableFor),
		span("UnreachableTry", &c.UnreachableTry),
		span("Lifetime", &c.Lifetime),
		span("SoftLifetime", &c.SoftLifetime),
		span("ExpiredTTL", &c.ExpiredTTL),
		count("ExpiredIDs", &c.ExpiredIDs),
		span("FutureSlack", &c.FutureSlack),
		count("Hunts", &c.Hunts),
		count("HuntsPerAuthor", &c.HuntsPerAuthor),
		count("HeldPerAuthor", &c.HeldPerAuthor),
		count("HeldEvents", &c.HeldEvents),
		bytes64("HeldBytes", &c.HeldBytes),
		count("GroupRepos", &c.GroupRepos),
		count("EventBytes", &c.EventBytes),
		count("StateBytes", &c.StateBytes),
		span("RejectedTTL", &c.RejectedTTL),
		count("RejectedIDs", &c.RejectedIDs),
		span("RejectedFullTTL", &c.RejectedFullTTL),
		count("RejectedFull", &c.RejectedFull),
		count("SourceWrites", &c.SourceWrites),
		count("SourceBurst", &c.SourceBurst),
		count("SourceHunts", &c.SourceHunts),
		count("PlaceholdersPerRepo", &c.PlaceholdersPerRepo),
		bytes64("PlaceholderRepoBytes", &c.PlaceholderRepoBytes),
		count("PlaceholdersPerSource", &c.PlaceholdersPerSource),
		bytes64("PlaceholderSourceBytes", &c.PlaceholderSourceBytes),
		span("PlaceholderWindow", &c.PlaceholderWindow),
		bytes64("PlaceholderBytes", &c.PlaceholderBytes),
		count("Maintainers", &c.Maintainers),
		span("UnlistedRetention", &c.UnlistedRetention),
		flag("AllowPrivate", &c.AllowPrivate),
		flag("ArchiveAll", &c.ArchiveAll),
		flag("GeneralRelay", &c.GeneralRelay),
	}
}
