package core

import (
	"cmp"
	"slices"

	"graspsync/core/budget"
	"graspsync/core/purgatory"
)

// urlRecord is what the core remembers of one clone URL while anything names it.
type urlRecord struct {
	url, domain Handle
	dom         budget.Dom
	class       SourceClass
	refs        int32
	lastStart   Time // -1: never asked
	coolUntil   Time // after a stall it rests (H-06)
}

// source is a URL an attempt may ask (U-01), in order.
type source struct {
	url     int32
	dom     budget.Dom
	wave    Wave
	started bool // asked in this attempt
	holder  bool // known to have heads (N-03)
}

// openURLs takes references to the URLs of an event, reporting those that are never contacted (U-02).
func (c *Core) openURLs(dst []int32, in []Source) []int32 {
	for _, s := range in {
		if s.Class == Own || s.Class == Private && !c.cfg.AllowPrivate || s.URL == 0 || s.Domain == 0 {
			if _, seen := c.urlOf[s.URL]; !seen {
				c.report(RepSkippedURL, Effect{URL: s.URL, Domain: s.Domain})
			}
			continue
		}
		i, ok := c.urlOf[s.URL]
		if !ok {
			i = c.urls.New()
			*c.urls.At(i) = urlRecord{url: s.URL, domain: s.Domain, dom: c.budget.Open(s.Domain), class: s.Class, lastStart: -1}
			c.urlOf[s.URL] = i
		}
		if slices.Contains(dst, i) {
			continue
		}
		c.urls.At(i).refs++
		dst = append(dst, i)
	}
	return dst
}

// closeURLs gives references back.
func (c *Core) closeURLs(urls []int32) {
	for _, i := range urls {
		c.closeURL(i)
	}
}

func (c *Core) closeURL(i int32) {
	u := c.urls.At(i)
	if u.refs--; u.refs == 0 {
		delete(c.urlOf, u.url)
		c.budget.Close(u.dom)
		c.urls.Free(i)
	}
}

// refreshSources lists the group's sources in order (U-01): known holders; the announcements' URLs, newest
// announcement first; then URLs that only PRs name. What was asked in this attempt stays asked.
func (c *Core) refreshSources(g int32) {
	o := c.groups.At(g)
	if o.id == 0 {
		return
	}
	old := o.sources
	list := c.sourceScratch[:0]
	anns := append(c.scratch.slots[:0], o.anns...)
	if len(anns) > 1 {
		slices.SortFunc(anns, func(a, b int32) int {
			x, y := c.anns.At(a), c.anns.At(b)
			return cmp.Or(-cmp.Compare(x.CreatedAt, y.CreatedAt), x.ID.Compare(y.ID))
		})
	}
	c.scratch.slots = anns
	c.urlMarks.clear(len(c.urls.Items))
	add := func(url int32, w Wave, holder bool) {
		if !c.urlMarks.mark(url, len(list)) {
			return
		}
		list = append(list, source{url: url, dom: c.urls.At(url).dom, wave: w, holder: holder})
	}
	for _, a := range anns {
		if h := c.anns.At(a).Holder; h != purgatory.None {
			add(h, MainWave, true)
		}
	}
	for _, a := range anns {
		for _, u := range c.anns.At(a).URLs {
			add(u, MainWave, false)
		}
	}
	for _, p := range o.prs {
		for _, u := range c.prs.At(p).URLs {
			add(u, PRWave, false)
		}
	}
	for k := range old {
		if i, ok := c.urlMarks.at(old[k].url); ok {
			list[i].started = old[k].started
		}
	}
	c.sourceScratch = list
	if !slices.Equal(old, list) {
		o.sources = append(o.sources[:0], list...)
		c.trimTickets(g)
	}
}

// resting tells whether a source is not to be asked now: its domain cools down or is unreachable, or the
// URL stalled lately (D-07, H-06).
func (c *Core) resting(s *source) bool {
	return c.urls.At(s.url).coolUntil > c.now || c.budget.Cooling(s.dom, c.now)
}

// sourceWanted tells whether asking the source makes sense: a PR-only source only for a commit of its own
// that is still missing.
func (c *Core) sourceWanted(o *group, s *source) bool {
	return s.wave == MainWave || c.prNeeds(o, s.url, false)
}

// unproven tells whether the group has no served announcement (H-07).
func (c *Core) unproven(o *group) bool {
	return !slices.ContainsFunc(o.anns, func(a int32) bool { return c.anns.At(a).Status == purgatory.Served })
}

// prTurn tells whether the PR wave may start: every main URL was started or rests, or the attempt has
// hunted for 30 s (U-01); else when to look again.
func (c *Core) prTurn(o *group) (ok bool, at Time) {
	at = o.hunting + c.cfg.HedgeHeadStart
	if c.now >= at {
		return true, 0
	}
	for i := range o.sources {
		if s := &o.sources[i]; s.wave == MainWave && !s.started && !c.resting(s) {
			return false, at
		}
	}
	return true, 0
}

// shareAuthor is whose share a limited pass takes: the lowest author of the PRs wanted from the URL, else
// the target's owner (H-07).
func (c *Core) shareAuthor(o *group, s *source) PubKey {
	var key PubKey
	found := false
	if s.wave == PRWave {
		for _, x := range o.prsAt(s.url) {
			if pr := c.prs.At(x.pr); !found || pr.Author.Compare(key) < 0 {
				key, found = pr.Author, true
			}
		}
	}
	if !found && len(o.repos) > 0 {
		key = c.anns.At(o.repos[0]).Owner
	}
	return key
}
