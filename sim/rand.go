package sim

import (
	"math/bits"
	"math/rand/v2"

	"graspsync/core"
)

// Chance comes in two forms. A Stream is a sequence, for generators that draw structure in order. Mix is
// stateless: the draw of one entity does not move when another draws more or is removed, so it is what
// servers and the driver use for per-event noise. Neither knows floats.

// Purpose separates the keyed draws of one entity: two uses of Mix with different purposes are
// unrelated. Purposes below 64 belong to this package; other packages count theirs from 64 up.
type Purpose uint64

// Purposes of the kernel.
const (
	PurposeTie    Purpose = iota + 1 // order of equal instants
	PurposeDelay                     // spread of a driver delay
	PurposeFail                      // injected failure
	PurposeLose                      // lost completion
	PurposeRepeat                    // duplicate, late or stray completion
	PurposeLate                      // late wake
	PurposeEarly                     // early wake
	PurposeStream                    // seeding of streams
	PurposeCrash                     // what of the local work was done before a crash
	PurposeOrder                     // order of arrival in a comparison of orders

	FirstForeignPurpose Purpose = 64
)

// Mix is 64 bits drawn from (seed, purpose, entity, n): equal arguments give equal bits on every machine.
func Mix(seed uint64, purpose Purpose, entity, n uint64) uint64 {
	x := avalanche(seed + uint64(purpose)*0x9e3779b97f4a7c15)
	x = avalanche(x + entity*0x9e3779b97f4a7c15)
	return avalanche(x + n*0xd1342543de82ef95)
}

// avalanche spreads every input bit over all output bits; it is a bijection.
func avalanche(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Below reduces 64 random bits to 0 … n-1; n = 0 gives 0. The bias is at most n/2⁶⁴.
func Below(x, n uint64) uint64 {
	hi, _ := bits.Mul64(x, n)
	return hi
}

// Between reduces 64 random bits to the span lo … hi, both included; hi < lo gives lo.
func Between(x uint64, lo, hi core.Time) core.Time {
	if hi <= lo {
		return lo
	}
	return lo + core.Time(Below(x, uint64(hi-lo)+1))
}

// Ratio is a chance of Num in Den. The zero Ratio never hits; Num ≥ Den > 0 always does.
type Ratio struct{ Num, Den uint32 }

// Hit tells whether random bits x fall into the ratio.
func (r Ratio) Hit(x uint64) bool {
	return r.Num != 0 && r.Den != 0 && Below(x, uint64(r.Den)) < uint64(r.Num)
}

// Quantiles is a distribution as 65 equally spaced quantiles in units of 1/1024 of its median.
type Quantiles [65]uint32

// Steady and Wild are log-normal shaped, with spread 0.35 and 1.0: latencies of a calm and of a busy
// host. Both have 1024 in the middle, so a median goes through unchanged.
var (
	Steady = Quantiles{323, 482, 534, 570, 599, 623, 646, 666, 685, 702, 719, 735, 751, 766, 780, 795, 809, 822, 836, 850, 863, 876,
		890, 903, 916, 929, 942, 956, 969, 983, 996, 1010, 1024, 1038, 1052, 1067, 1082, 1097, 1113, 1129, 1145, 1162, 1179, 1197,
		1215, 1234, 1254, 1275, 1297, 1320, 1344, 1369, 1397, 1426, 1458, 1493, 1532, 1575, 1624, 1682, 1752, 1841, 1965, 2176, 3247}
	Wild = Quantiles{38, 119, 159, 192, 221, 248, 274, 299, 324, 349, 373, 397, 422, 446, 471, 496, 522, 548, 574, 601, 628, 656,
		685, 714, 745, 776, 808, 841, 875, 910, 947, 985, 1024, 1065, 1108, 1152, 1198, 1247, 1298, 1352, 1408, 1468, 1531, 1598,
		1669, 1746, 1827, 1915, 2010, 2113, 2226, 2350, 2486, 2639, 2811, 3008, 3235, 3503, 3826, 4227, 4749, 5472, 6596, 8825, 27686}
)

// Draw gives a span around median from 64 random bits, linear between quantiles. median must be ≥ 0 and
// below 3 years.
func (q *Quantiles) Draw(x uint64, median core.Time) core.Time {
	i := x >> 58 // 0 … 63
	part := int64(x >> 42 & 0xffff)
	lo, hi := int64(q[i]), int64(q[i+1])
	scale := uint64(lo<<16 + (hi-lo)*part) // 1/1024 in 16.16
	h, l := bits.Mul64(uint64(median), scale)
	return core.Time(h<<38 | l>>26)
}

// Stream is a named sequence of random words. Streams of different names or ids are unrelated, so a
// new draw in one never moves another.
type Stream struct{ pcg rand.PCG }

// NewStream seeds the stream name of entity id from the root seed.
func NewStream(root uint64, name string, id uint64) Stream {
	h := uint64(0xcbf29ce484222325) // FNV-1a: stable, and a name is short
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	var s Stream
	s.pcg.Seed(Mix(root, PurposeStream, h, 2*id), Mix(root, PurposeStream, h, 2*id+1))
	return s
}

// Uint64 is the next word.
func (s *Stream) Uint64() uint64 { return s.pcg.Uint64() }

// Below is the next draw from 0 … n-1.
func (s *Stream) Below(n uint64) uint64 { return Below(s.pcg.Uint64(), n) }

// Between is the next draw from lo … hi, both included.
func (s *Stream) Between(lo, hi core.Time) core.Time { return Between(s.pcg.Uint64(), lo, hi) }

// Hit is the next draw against a ratio.
func (s *Stream) Hit(r Ratio) bool { return r.Hit(s.pcg.Uint64()) }
