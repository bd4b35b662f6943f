package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"graspsync/core"
)

// An attack is what one author can do to somebody else's repository without any right to it. It is written out into
// ordinary actions, each a well-signed event or a push, so that it is delivered, judged and traced as all others.

// attackWays are the kinds of attack, in the order in which they come.
func attackWays() []string {
	return []string{"same-identifier", "listing", "foreign-state", "garbage-states", "dates", "sources", "hundred-coordinates", "url-flood",
		"deletions", "pushes"}
}

// attackStep is the distance of an attack's actions where none is given, within the writes of a source (S-06).
const attackStep = Span(1200 * core.Millisecond)

// attack is one attack being written out.
type attack struct {
	s          *Scenario
	a          *Action // as written
	victim     string  // user
	identifier string
	host       string // a host of the victim's
	n, pushes  int
	out        []Action
}

// attackActions writes an attack out; what is wrong with it goes to p.
func (s *Scenario) attackActions(p *problems, path string, a *Action) []Action {
	victim, identifier, err := splitRepo(a.Attack)
	repo, known := s.Repos[a.Attack]
	switch {
	case err != nil:
		p.add(path+".attack", err.Error())
		return nil
	case !known:
		p.add(path+".attack", fmt.Sprintf("repository %q is not declared under repos", a.Attack))
		return nil
	case a.By == "" || a.By == victim:
		p.add(path+".by", fmt.Sprintf("%q, must be a user other than %q, whose repository it is", a.By, victim))
		return nil
	case a.Repeat != 0:
		p.add(path+".repeat", "does not go with attack; its actions are many already")
		return nil
	}
	for i, way := range a.Ways {
		if !slices.Contains(attackWays(), way) {
			p.add(fmt.Sprintf("%s.ways[%d]", path, i), unknown("way to attack", way, attackWays()))
			return nil
		}
	}
	x := &attack{s: s, a: a, victim: victim, identifier: identifier, host: "victim.invalid"}
	if len(repo.Clone) > 0 {
		x.host = hostOf(repo.Clone[0])
	}
	for _, way := range attackWays() {
		if a.Ways == nil || slices.Contains(a.Ways, way) {
			x.way(way)
		}
	}
	return x.out
}

// hostOf is the host of a clone URL, or the host that stands for one.
func hostOf(clone string) string {
	if _, rest, ok := strings.Cut(clone, "://"); ok {
		clone, _, _ = strings.Cut(rest, "/")
	}
	return clone
}

func (x *attack) way(way string) {
	switch way {
	case "same-identifier": // whose repository is it, and whose state
		x.announce(way)
		x.state(way+" state", tag("refs/heads/main", x.object("evil")), tag("HEAD", "ref: refs/heads/main"))
	case "listing": // the victim, and others nobody asked
		x.announce(way, tag("maintainers", user(x.victim), user("nobody")))
		x.announce(way + " back")
	case "foreign-state": // newer than the victim's own, and empty
		for i, refs := range []Labels{tag("refs/heads/main", x.object("evil")), nil, tag("refs/heads/main", x.object("base"))} {
			x.state(fmt.Sprint(way, " ", i), refs)
		}
	case "garbage-states":
		for i, refs := range garbage(x) {
			x.state(fmt.Sprint(way, " ", i), refs...)
		}
	case "dates":
		for i, at := range []Unix{0, -1, 1<<62 - 1, -1 << 62} {
			x.raw(core.KindState, fmt.Sprint(way, " ", i), []Labels{tag("d", x.identifier), tag("refs/heads/main", x.object("evil"))}).CreatedAt = &at
			x.raw(core.KindAnnouncement, fmt.Sprint(way, " a", i), x.listing()).CreatedAt = &at
		}
	case "sources":
		x.raw(core.KindAnnouncement, way, append(x.listing(), badSources(x)...))
		for i, src := range badSources(x) {
			x.pr(fmt.Sprint(way, " ", i), x.coordinate(x.victim), src)
		}
	case "hundred-coordinates": // a pull request that concerns everybody
		tags := []Labels{x.coordinate(x.victim)}
		for i := range 100 {
			tags = append(tags, tag("a", fmt.Sprintf("30617:%s:r%d", user(x.a.By), i)), tag("a", fmt.Sprintf("30617:%s:%s", user("u"+strconv.Itoa(i)), x.identifier)))
		}
		x.pr(way, tags...)
		x.pr(way+" again", append(tags, tag("clone", "https://"+x.host+"/hundred.git"))...)
	case "url-flood": // other people's traffic for the victim's host
		for i := range 40 {
			x.pr(fmt.Sprint(way, " ", i), x.coordinate(x.a.By), tag("clone", fmt.Sprintf("https://%s/f%d.git", x.host, i)),
				tag("clone", fmt.Sprintf("https://%s/g%d.git", x.host, i)))
		}
	case "deletions":
		x.deletions(way)
	case "pushes":
		x.push(Refs{{"main", "evil"}})
		x.push(Refs{{"main", "none"}})
		x.push(Refs{{"refs/notes/evil", "evil"}})
		for _, name := range x.victims() {
			x.push(Refs{{"refs/nostr/" + eventID(name).String(), "evil"}})
		}
	}
}

// deletions are of everything the victim published, by id and by coordinate, with a date beyond it.
func (x *attack) deletions(way string) {
	var ids []Labels
	for i, name := range x.victims() {
		one := tag("e", "<event "+name+">")
		ids = append(ids, one)
		x.raw(core.KindDeletion, fmt.Sprint(way, " ", i), []Labels{one})
	}
	x.raw(core.KindDeletion, way+" all", ids)
	for i, kind := range []uint32{core.KindAnnouncement, core.KindState} {
		for k, owner := range []string{x.victim, x.a.By} {
			x.raw(core.KindDeletion, fmt.Sprint(way, " c", i, k), []Labels{tag("a", fmt.Sprintf("%d:%s:%s", kind, user(owner), x.identifier))})
		}
	}
}

// victims are the names of what others publish under the repository, so far as they are known before the run.
func (x *attack) victims() (out []string) {
	if x.s.Repos[x.a.Attack].Start != "absent" {
		out = append(out, "announce "+x.a.Attack, "base "+x.a.Attack)
	}
	for i := range x.s.Timeline {
		a := &x.s.Timeline[i]
		if name := a.eventName(); name != "" && a.Repeat == 0 && a.about() == x.a.Attack && a.author() != x.a.By {
			out = append(out, name)
		}
	}
	return out
}

// next is the action that follows; its instant is one step later.
func (x *attack) next(a Action) *Action {
	a.At, a.By, a.On, a.Address = x.a.At+Span(x.n)*cmp.Or(x.a.Step, attackStep), x.a.By, x.a.On, x.a.Address
	x.n++
	x.out = append(x.out, a)
	return &x.out[len(x.out)-1]
}

func (x *attack) raw(kind uint32, name string, tags []Labels) *Action {
	return x.next(Action{Raw: int64(kind), Tags: tags, As: x.name(name), Origin: x.a.Origin, Via: x.a.Via})
}

// name is what an event or push of the attack is called: "mallory url-flood 3".
func (x *attack) name(of string) string {
	return strings.TrimSpace(cmp.Or(x.a.As, x.a.By) + " " + of)
}

func (x *attack) push(refs Refs) {
	x.next(Action{Push: x.a.Attack, Refs: refs, As: x.name("push " + strconv.Itoa(x.pushes))})
	x.pushes++
}

// announce takes the victim's identifier for the attacker's own repository, or another version of it.
func (x *attack) announce(name string, more ...Labels) {
	x.raw(core.KindAnnouncement, name, append(x.listing(), more...))
}

// listing are the tags of an announcement that this service accepts.
func (x *attack) listing() []Labels {
	clone := Labels{"clone", "https://<service>/<npub " + x.a.By + ">/" + x.identifier + ".git"}
	for _, text := range x.a.Clone {
		if !strings.Contains(text, "://") {
			text = "https://" + text + "/<npub " + x.a.By + ">/" + x.identifier + ".git"
		}
		clone = append(clone, text)
	}
	return []Labels{tag("d", x.identifier), clone, tag("relays", "wss://<service>")}
}

func (x *attack) state(name string, refs ...Labels) {
	x.raw(core.KindState, name, append([]Labels{tag("d", x.identifier)}, slices.DeleteFunc(refs, func(l Labels) bool { return l == nil })...))
}

// pr is a pull request for a commit that nobody has.
func (x *attack) pr(name string, tags ...Labels) {
	x.raw(core.KindPR, name, append([]Labels{tag("c", x.object(name))}, tags...))
}

func (x *attack) coordinate(owner string) Labels {
	return tag("a", fmt.Sprintf("30617:%s:%s", user(owner), x.identifier))
}

func (x *attack) object(label string) string { return "<object " + x.identifier + ":" + label + ">" }

func user(name string) string { return "<user " + name + ">" }

func tag(name string, values ...string) Labels { return append(Labels{name}, values...) }

// garbage are states that no repository can show, or that mean something else to git (ST-03).
func garbage(x *attack) [][]Labels {
	evil := x.object("evil")
	return [][]Labels{
		{tag("refs/heads/main", "zz")},
		{tag("refs/heads/main", "")},
		{tag("refs/heads/main")},
		{tag("refs/heads/main", "--upload-pack=/bin/evil")},
		{tag("refs/heads/main", "+"+evil+":refs/heads/main")},
		{tag("refs/heads/main", strings.Repeat("A", 40))},
		{tag("refs/heads/main", "ref: refs/heads/main")},
		{tag("refs/heads/main", "ref: refs/heads/other"), tag("refs/heads/other", "ref: refs/heads/main")},
		{tag("refs/heads/a", evil), tag("refs/heads/a/b", evil)},
		{tag("refs/heads/..", evil)},
		{tag("refs/heads/a b", evil)},
		{tag("refs/heads/main", evil), tag("refs/heads/main", x.object("base"))},
		{tag("refs/heads/main", strings.Repeat("0", 40))},
		{tag("refs/heads/main", strings.Repeat("a", 64)), tag("refs/heads/dev", strings.Repeat("b", 40))},
		{tag("refs/nostr/"+strings.Repeat("c", 64), evil)},
		{tag("HEAD", "ref: refs/heads/nowhere"), tag("refs/heads/main", "zz")},
	}
}

// badSources are clone URLs that must never be asked, or that nobody answers (U-02, I-14, I-18).
func badSources(x *attack) []Labels {
	own := Labels{"clone", "https://<service>/<npub " + x.victim + ">/" + x.identifier + ".git", "https://<service>:443/x.git", "http://<service>./x.git"}
	inside := Labels{"clone", "http://127.0.0.1/x.git", "http://[::1]/x.git", "http://169.254.169.254/latest.git", "http://10.0.0.1:8080/x.git",
		"http://localhost/x.git", "http://[::ffff:192.168.0.1]/x.git", "http://2130706433/x.git"}
	other := Labels{"clone", "file:///etc/passwd", "ssh://git@evil.invalid/x.git", "ext::sh -c evil", "javascript:alert(1)", "https://", ""}
	dead := Labels{"clone"}
	for i := range 30 {
		dead = append(dead, fmt.Sprintf("https://dead%d.invalid/x.git", i))
	}
	return []Labels{own, inside, other, dead}
}
