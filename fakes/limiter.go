package fakes

import "graspsync/core"

// limiter is a server's exact sliding window: a ring of the last Requests stamps.
type limiter struct {
	Limit
	stamps []core.Time // ring, grows up to Requests
	oldest int
}

// ownLimiter is a repository's own window of a PerURL rule.
type ownLimiter struct {
	of *limiter
	limiter
}

// limiter is the window that counts for this repository under a Throttle rule.
func (r *remoteRepo) limiter(rule *Rule) *limiter {
	if !rule.Limit.PerURL {
		return rule.limiter
	}
	for i := range r.limiters {
		if r.limiters[i].of == rule.limiter {
			return &r.limiters[i].limiter
		}
	}
	r.limiters = append(r.limiters, ownLimiter{rule.limiter, limiter{Limit: rule.Limit}})
	return &r.limiters[len(r.limiters)-1].limiter
}

// take lets through as many of n requests at now as the window has room for; the first one refused ends
// the call, so at most one refusal is counted.
func (l *limiter) take(now core.Time, n int32) (passed int32) {
	for passed < n {
		if l.full(now) {
			if l.CountRefused {
				l.stamp(now)
			}
			return passed
		}
		l.stamp(now)
		passed++
	}
	return passed
}

// full tells whether the window (now-Window, now] holds Requests stamps: one aged exactly Window has left.
func (l *limiter) full(now core.Time) bool {
	return len(l.stamps) == l.Requests && l.stamps[l.oldest] > now-l.Window
}

func (l *limiter) stamp(now core.Time) {
	if len(l.stamps) < l.Requests {
		l.stamps = append(l.stamps, now)
		return
	}
	l.stamps[l.oldest] = now
	l.oldest++
	if l.oldest == len(l.stamps) {
		l.oldest = 0
	}
}

// ban is what a host remembers of refused logins.
type ban struct {
	limiter
	until core.Time
}

// refusedLogin counts an answer of 401, if the present behaviour bans those who get many.
func (c *call) refusedLogin() {
	for i := range c.b.Rules {
		if r := &c.b.Rules[i]; r.Do == Ban {
			b := &c.repo.host.ban
			b.Limit = r.Limit
			b.stamp(c.now)
			if b.full(c.now) {
				b.until = c.now + r.For
			}
			return
		}
	}
}
