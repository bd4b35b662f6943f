package nip34

import (
	"net/url"
	"strings"

	"graspsync/core"
)

// announcement reads kind 30617 (AN-01, AN-02, AN-03).
func (p *Parser) announcement(d *draft, out *core.Event, rep *report) error {
	if err := d.identify(rep); err != nil {
		return err
	}
	p.sources(d, rep)
	inClone := false
	for _, l := range d.clone {
		inClone = inClone || l.Class == core.Own && p.servesAt(l, d)
	}
	inRelays := p.listedRelay(d, rep)
	out.ListsUs = inClone && inRelays
	seen := map[core.PubKey]bool{}
	for _, t := range d.ev.Tags {
		if len(t) == 0 || t[0] != "maintainers" {
			continue
		}
		for _, v := range t[1:] {
			k, ok := ParsePubKey(v)
			if !ok {
				rep.add("tag maintainers", v, "64 lower-case hex digits")
				continue
			}
			if !seen[k] {
				seen[k] = true
				out.Maintainers = append(out.Maintainers, k)
			}
		}
	}
	return nil
}

// servesAt tells whether the URL's path is the one under which we serve this repository: /<npub>/<d>.git,
// percent-encoding of any kind decoded once, slashes at the end cut already (AN-03).
func (p *Parser) servesAt(l Location, d *draft) bool {
	parts := strings.Split(l.Path, "/")
	if len(parts) != 3 || parts[0] != "" || l.Query {
		return false
	}
	npub, err1 := url.PathUnescape(parts[1])
	repo, err2 := url.PathUnescape(parts[2])
	return err1 == nil && err2 == nil && strings.EqualFold(npub, Npub(d.author)) && repo == d.identifier+".git"
}

// listedRelay tells whether one of the relays tags names our authority.
func (p *Parser) listedRelay(d *draft, rep *report) bool {
	listed := false
	for _, t := range d.ev.Tags {
		if len(t) == 0 || t[0] != "relays" {
			continue
		}
		for _, raw := range t[1:] {
			l, err := ParseRelayURL(raw)
			if err != nil {
				rep.refused("tag relays", raw, err)
				continue
			}
			listed = listed || p.owns(l)
		}
	}
	return listed
}
