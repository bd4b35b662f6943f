package sim

import "graspsync/core"

// The scalar fields of core.Config by name and number, for traces and hashes. A test compares them with
// the struct, so that a new field cannot be forgotten; Overrides is handled beside them.

// configNames are the field names in order of declaration.
var configNames = [...]string{
	"Seed", "Wall", "LoopInterval", "ClientDelay", "SyncedDelay", "BackoffBase", "BackoffCap",
	"DomainConcurrency", "DomainRate", "DomainWindow", "DomainRequests", "RequestUnit", "AddressPasses",
	"Pressure", "AuthorPasses", "HedgeHeadStart", "SilentWarning", "SilentAgain", "StallLimit", "KillGrace",
	"GuestAge", "OldPassAge", "ResidualProbes", "MemoTTL", "MemoURLs", "MemoOIDs", "LastChance", "CoolBase",
	"CoolCap", "RetryAfterCap", "CoolForget", "URLCool", "UnreachableAge", "UnreachableFor", "UnreachableTry",
	"Lifetime", "SoftLifetime", "ExpiredTTL", "ExpiredIDs", "FutureSlack", "Hunts", "HuntsPerAuthor",
	"HeldPerAuthor", "HeldEvents", "GroupRepos", "EventBytes", "StateBytes", "AllowPrivate", "ArchiveAll",
}

// configFlag tells whether field i is a bool, written as 0 or 1 here.
func configFlag(i int) bool {
	switch i {
	case 11, 47, 48:
		return true
	}
	return false
}

// configGet is the value of field i; an unsigned one keeps its bits.
func configGet(c *core.Config, i int) int64 {
	switch i {
	case 0:
		return int64(c.Seed)
	case 1:
		return int64(c.Wall)
	case 2:
		return int64(c.LoopInterval)
	case 3:
		return int64(c.ClientDelay)
	case 4:
		return int64(c.SyncedDelay)
	case 5:
		return int64(c.BackoffBase)
	case 6:
		return int64(c.BackoffCap)
	case 7:
		return int64(c.DomainConcurrency)
	case 8:
		return int64(c.DomainRate)
	case 9:
		return int64(c.DomainWindow)
	case 10:
		return int64(c.DomainRequests)
	case 11:
		return int64(bit(c.RequestUnit, 0))
	case 12:
		return int64(c.AddressPasses)
	case 13:
		return int64(c.Pressure)
	case 14:
		return int64(c.AuthorPasses)
	case 15:
		return int64(c.HedgeHeadStart)
	case 16:
		return int64(c.SilentWarning)
	case 17:
		return int64(c.SilentAgain)
	case 18:
		return int64(c.StallLimit)
	case 19:
		return int64(c.KillGrace)
	case 20:
		return int64(c.GuestAge)
	case 21:
		return int64(c.OldPassAge)
	case 22:
		return int64(c.ResidualProbes)
	case 23:
		return int64(c.MemoTTL)
	case 24:
		return int64(c.MemoURLs)
	case 25:
		return int64(c.MemoOIDs)
	case 26:
		return int64(c.LastChance)
	case 27:
		return int64(c.CoolBase)
	case 28:
		return int64(c.CoolCap)
	case 29:
		return int64(c.RetryAfterCap)
	case 30:
		return int64(c.CoolForget)
	case 31:
		return int64(c.URLCool)
	case 32:
		return int64(c.UnreachableAge)
	case 33:
		return int64(c.UnreachableFor)
	case 34:
		return int64(c.UnreachableTry)
	case 35:
		return int64(c.Lifetime)
	case 36:
		return int64(c.SoftLifetime)
	case 37:
		return int64(c.ExpiredTTL)
	case 38:
		return int64(c.ExpiredIDs)
	case 39:
		return int64(c.FutureSlack)
	case 40:
		return int64(c.Hunts)
	case 41:
		return int64(c.HuntsPerAuthor)
	case 42:
		return int64(c.HeldPerAuthor)
	case 43:
		return int64(c.HeldEvents)
	case 44:
		return int64(c.GroupRepos)
	case 45:
		return int64(c.EventBytes)
	case 46:
		return int64(c.StateBytes)
	case 47:
		return int64(bit(c.AllowPrivate, 0))
	case 48:
		return int64(bit(c.ArchiveAll, 0))
	}
	return 0
}

// configSet is the inverse of configGet.
func configSet(c *core.Config, i int, v int64) {
	switch i {
	case 0:
		c.Seed = uint64(v)
	case 1:
		c.Wall = int64(v)
	case 2:
		c.LoopInterval = core.Time(v)
	case 3:
		c.ClientDelay = core.Time(v)
	case 4:
		c.SyncedDelay = core.Time(v)
	case 5:
		c.BackoffBase = core.Time(v)
	case 6:
		c.BackoffCap = core.Time(v)
	case 7:
		c.DomainConcurrency = int(v)
	case 8:
		c.DomainRate = int(v)
	case 9:
		c.DomainWindow = core.Time(v)
	case 10:
		c.DomainRequests = int(v)
	case 11:
		c.RequestUnit = v != 0
	case 12:
		c.AddressPasses = int(v)
	case 13:
		c.Pressure = int(v)
	case 14:
		c.AuthorPasses = int(v)
	case 15:
		c.HedgeHeadStart = core.Time(v)
	case 16:
		c.SilentWarning = core.Time(v)
	case 17:
		c.SilentAgain = core.Time(v)
	case 18:
		c.StallLimit = core.Time(v)
	case 19:
		c.KillGrace = core.Time(v)
	case 20:
		c.GuestAge = core.Time(v)
	case 21:
		c.OldPassAge = core.Time(v)
	case 22:
		c.ResidualProbes = int(v)
	case 23:
		c.MemoTTL = core.Time(v)
	case 24:
		c.MemoURLs = int(v)
	case 25:
		c.MemoOIDs = int(v)
	case 26:
		c.LastChance = core.Time(v)
	case 27:
		c.CoolBase = core.Time(v)
	case 28:
		c.CoolCap = core.Time(v)
	case 29:
		c.RetryAfterCap = core.Time(v)
	case 30:
		c.CoolForget = core.Time(v)
	case 31:
		c.URLCool = core.Time(v)
	case 32:
		c.UnreachableAge = core.Time(v)
	case 33:
		c.UnreachableFor = core.Time(v)
	case 34:
		c.UnreachableTry = core.Time(v)
	case 35:
		c.Lifetime = core.Time(v)
	case 36:
		c.SoftLifetime = core.Time(v)
	case 37:
		c.ExpiredTTL = core.Time(v)
	case 38:
		c.ExpiredIDs = int(v)
	case 39:
		c.FutureSlack = core.Time(v)
	case 40:
		c.Hunts = int(v)
	case 41:
		c.HuntsPerAuthor = int(v)
	case 42:
		c.HeldPerAuthor = int(v)
	case 43:
		c.HeldEvents = int(v)
	case 44:
		c.GroupRepos = int(v)
	case 45:
		c.EventBytes = int(v)
	case 46:
		c.StateBytes = int(v)
	case 47:
		c.AllowPrivate = v != 0
	case 48:
		c.ArchiveAll = v != 0
	}
}
