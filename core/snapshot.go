package core

import (
	"errors"
	"strconv"

	"graspsync/core/wire"
)

// A snapshot is magic (8 bytes), format (4), hash of the Config (8), length of the body (8), checksum of the
// body (8), body; integers with the lowest byte first.
const (
	snapshotMagic  = "gsynccor"
	snapshotFormat = 4
	snapshotHeader = 8 + 4 + 8 + 8 + 8
)

// Refusals of Restore. ErrSnapshotVersion and ErrSnapshotConfig say that a snapshot may be whole, but that
// this core cannot go on from it: its caller starts from the recorded facts instead.
var (
	ErrSnapshot        = errors.New("snapshot refused")
	ErrSnapshotVersion = errors.New("snapshot of another format")
	ErrSnapshotConfig  = errors.New("snapshot of another configuration")
)

// snapshotError is a refusal with its reason; it unwraps to one of the above.
type snapshotError struct {
	kind error
	text string
}

func (e *snapshotError) Error() string { return e.kind.Error() + ": " + e.text }

func (e *snapshotError) Unwrap() error { return e.kind }

func refuse(kind error, text string) (*Core, error) { return nil, &snapshotError{kind, text} }

// AppendState appends a snapshot of the core between two Steps, from which Restore makes a core that goes on
// identically. It changes nothing. Two cores of one configuration that took the same inputs at the same
// instants, and whose Next and Stats were called at the same points, give the same bytes (I-9): Next drops
// dead deadlines, Stats forgets what is due to be forgotten. Its cost is proportional to what is held.
func (c *Core) AppendState(dst []byte) []byte {
	start := len(dst)
	w := wire.Writer(append(dst, snapshotMagic...))
	h := header{format: snapshotFormat, config: c.cfg.hash()}
	h.code(w)
	c.code(w)
	out := w.Bytes()
	body := out[start+snapshotHeader:]
	h.length, h.sum = uint64(len(body)), wire.Sum(body)
	w = wire.Writer(out[start+len(snapshotMagic) : start+len(snapshotMagic)])
	h.code(w)
	return out
}

type header struct {
	format uint32
	config uint64
	length uint64
	sum    uint64
}

func (h *header) code(w *wire.Coder) {
	wire.U32(w, &h.format)
	wire.U64(w, &h.config)
	wire.U64(w, &h.length)
	wire.U64(w, &h.sum)
}

// Restore makes the core of which data is a snapshot; cfg must be the configuration it had when the snapshot
// was taken. Alone it goes on identically; after a crash the input Restarted is to follow.
//
// The error wraps ErrConfig for a cfg that cannot work, ErrSnapshotVersion or ErrSnapshotConfig for a
// snapshot that is not for this core, and ErrSnapshot, naming what is wrong, for one that is cut, damaged or
// contradicts itself. Hostile data costs no more memory than a small multiple of its size.
func Restore(cfg Config, data []byte) (*Core, error) {
	c, err := New(cfg)
	if err != nil {
		return nil, err
	}
	if len(data) < snapshotHeader || string(data[:len(snapshotMagic)]) != snapshotMagic {
		return refuse(ErrSnapshot, "it does not begin as one, or is shorter than a header")
	}
	var h header
	h.code(wire.Reader(data[len(snapshotMagic):snapshotHeader]))
	body := data[snapshotHeader:]
	switch {
	case h.format != snapshotFormat:
		return refuse(ErrSnapshotVersion, "written in format "+strconv.FormatUint(uint64(h.format), 10)+", this core reads "+
			strconv.Itoa(snapshotFormat))
	case h.config != cfg.hash():
		return refuse(ErrSnapshotConfig, "taken with configuration "+strconv.FormatUint(h.config, 16)+", restored with "+
			strconv.FormatUint(cfg.hash(), 16)+"; they must be equal, seed and wall clock included")
	case h.length != uint64(len(body)):
		return refuse(ErrSnapshot, "its body has "+strconv.Itoa(len(body))+" bytes, must have "+strconv.FormatUint(h.length, 10))
	case h.sum != wire.Sum(body):
		return refuse(ErrSnapshot, "its checksum is wrong: it is damaged")
	}
	w := wire.Reader(body)
	c.code(w)
	if err = w.Finish(); err == nil {
		err = c.rebuild()
	}
	if err == nil {
		err = errors.Join(c.budget.Check(), c.Check())
	}
	if err != nil {
		return refuse(ErrSnapshot, err.Error())
	}
	again := c.AppendState(make([]byte, 0, len(data)))
	for i := range min(len(data), len(again)) {
		if data[i] != again[i] {
			return refuse(ErrSnapshot, "it is no core's: saved again, it differs from byte "+strconv.Itoa(i)+" on")
		}
	}
	if len(data) != len(again) {
		return refuse(ErrSnapshot, "it is no core's: saved again, it is of another length")
	}
	return c, nil
}

// hash stands for a configuration in a header.
func (c *Config) hash() uint64 {
	w := wire.Writer(nil)
	copied := *c
	copied.code(w)
	return wire.Sum(w.Bytes())
}

// code writes all of a configuration; what it left out, a snapshot would take for equal.
func (c *Config) code(w *wire.Coder) {
	wire.U64(w, &c.Seed)
	wire.I64(w, &c.Wall)
	for _, t := range [...]*Time{&c.LoopInterval, &c.ClientDelay, &c.SyncedDelay, &c.BackoffBase, &c.BackoffCap, &c.DomainWindow,
		&c.HedgeHeadStart, &c.SilentWarning, &c.SilentAgain, &c.StallLimit, &c.KillGrace, &c.GuestAge, &c.OldPassAge, &c.MemoTTL,
		&c.LastChance, &c.CoolBase, &c.CoolCap, &c.RetryAfterCap, &c.CoolForget, &c.URLCool, &c.UnreachableAge, &c.UnreachableFor,
		&c.UnreachableTry, &c.Lifetime, &c.SoftLifetime, &c.ExpiredTTL, &c.FutureSlack, &c.RejectedTTL, &c.RejectedFullTTL,
		&c.PlaceholderWindow, &c.UnlistedRetention} {
		wire.Time(w, t)
	}
	for _, n := range [...]*int{&c.DomainConcurrency, &c.DomainRate, &c.DomainRequests, &c.AddressPasses, &c.Pressure, &c.AuthorPasses,
		&c.ResidualProbes, &c.MemoURLs, &c.MemoOIDs, &c.ExpiredIDs, &c.Hunts, &c.HuntsPerAuthor, &c.HeldPerAuthor, &c.HeldEvents,
		&c.GroupRepos, &c.EventBytes, &c.StateBytes, &c.RejectedIDs, &c.RejectedFull, &c.SourceWrites, &c.SourceBurst, &c.SourceHunts,
		&c.PlaceholdersPerRepo, &c.PlaceholdersPerSource, &c.Maintainers} {
		w.Count(n, countLimit)
	}
	for _, n := range [...]*int64{&c.HeldBytes, &c.PlaceholderRepoBytes, &c.PlaceholderSourceBytes, &c.PlaceholderBytes} {
		wire.I64(w, n)
	}
	for _, b := range [...]*bool{&c.RequestUnit, &c.AllowPrivate, &c.ArchiveAll, &c.GeneralRelay} {
		w.Bool(b)
	}
	wire.List(w, &c.Blocked, wire.IDSize, wire.PubKey)
	wire.List(w, &c.Overrides, 4+8+8, func(w *wire.Coder, o *DomainLimit) {
		wire.Handle(w, &o.Domain)
		w.Count(&o.Concurrency, countLimit)
		w.Count(&o.Rate, countLimit)
	})
}

// countLimit is above every count that a core can reach.
const countLimit = 1<<31 - 1
