package stockgit

import (
	"strings"

	"graspsync/core"
	"graspsync/fakes"
	"graspsync/sim"
)

// run is how a row of the observations is carried out against the fakes.
type run struct {
	list   bool // ls-remote, else fetch
	prefix string
	url    string
	wants  []string
	set    func(*world)
}

// left are the rows that no fake stands for, with the reason. They are still rows to be read: each reason
// says where the behaviour belongs instead.
var left = map[string]string{
	"auth/askpass=echo":                   "credential helpers belong to the child's environment; the fakes refuse with 401, whatever is sent",
	"scheme/file":                         "no server takes part: the relay refuses the scheme before git starts",
	"scheme/ext":                          "no server takes part",
	"scheme/ssh refused":                  "no HTTP server takes part: the relay refuses the scheme",
	"scheme/git refused":                  "no HTTP server takes part: the relay refuses the scheme",
	"scheme/nostr":                        "no server takes part",
	"lock/shallow.lock present + depth=1": "about a file in the local repository; fetches are never shallow",
	"lock/shallow.lock present, full":     "about a file in the local repository",
	"static/fetch packed tip":             "the fake mirror holds loose files alone, which is the dear case; packed ones are cheaper",
	"static/fetch good,missing":           "git asks for several objects at once, so how many came before the miss is chance; one run had 9 requests",
}

const limited = " http.lowSpeedLimit=1 http.lowSpeedTime=5"

// httpRules are the faulty servers of the http rows; nil = healthy.
var httpRules = map[string]fakes.Rule{
	"html200":       {Do: fakes.HTML},
	"401":           {Do: fakes.Status, Status: 401},
	"403":           {Do: fakes.Status, Status: 403},
	"404":           {Do: fakes.Status, Status: 404},
	"429":           {Do: fakes.Status, Status: 429},
	"500":           {Do: fakes.Status, Status: 500},
	"503":           {Do: fakes.Status, Status: 503},
	"504html":       {Do: fakes.Status, Status: 504},
	"empty200":      {Do: fakes.Empty},
	"redirect":      {Do: fakes.Redirect, To: "https://moved.example/r.git"},
	"redirectloop":  {Do: fakes.Redirect, To: measuredURL},
	"redirectpost":  {Do: fakes.PostRedirect, To: "https://moved.example/r.git"},
	"close":         {Do: fakes.Close},
	"erradv":        {Do: fakes.ErrLine},
	"dropadv":       {Do: fakes.CutAdvert},
	"truncpack":     {Do: fakes.CutPack},
	"nocontenttype": {Do: fakes.NoType},
	"429post":       {Do: fakes.PostStatus, Status: 429},
	"stall":         {Do: fakes.Stall},
	"stallpack":     {Do: fakes.StallMid, On: fakes.On(sim.AskFetch)},
}

// netRules are the servers of the tcp and net rows.
var netRules = map[string]fakes.Rule{
	"net/refused":           {Do: fakes.Refuse},
	"net/dns":               {Do: fakes.DNS},
	"net/tls-to-plain":      {Do: fakes.TLS},
	"tcp/rst-on-accept":     {Do: fakes.Reset},
	"tcp/rst-after-request": {Do: fakes.Reset},
	"tcp/no-response":       {Do: fakes.Stall},
	"tcp/drip":              {Do: fakes.Drip, Gap: 800 * core.Millisecond},
	"tcp/drip-slow":         {Do: fakes.Drip, Gap: 3 * core.Second},
	"tcp/infinite-adv":      {Do: fakes.Endless},
}

var wantLabels = map[string]string{"tip": tip, "reachable-nontip": ancestor, "unreachable-present": unreachable, "hidden-ref-tip": hidden, "missing": missing}

var allowed = map[string]fakes.Allow{"default": fakes.AllowAdvertised, "allowTip": fakes.AllowTip, "allowReachable": fakes.AllowReachable, "allowAny": fakes.AllowAny}

// plan translates a row; false means that nothing here knows it.
func plan(o *observation) (r run, ok bool) {
	family, what, _ := strings.Cut(o.Case, "/")
	r = run{url: measuredURL, set: func(*world) {}}
	switch family {
	case "want":
		label, known := wantLabels[what]
		server, hide := strings.CutSuffix(o.Server, "+hide")
		allow, served := allowed[server]
		r.wants = []string{label}
		r.set = func(w *world) {
			refHidden(w, hide)
			if *o.Proto == 0 {
				w.repo.V0(allow)
			}
		}
		return r, known && served
	case "batch":
		good := []string{tip, ancestor}
		for _, l := range strings.Split(strings.TrimPrefix(what, "batch "), ",") {
			switch l {
			case "good":
				l, good = good[0], good[1:]
			case "missing":
				l = missing
			case "missing2":
				l = missing2
			case "tree":
				l = tip + "^{tree}"
			}
			r.wants = append(r.wants, l)
		}
		r.set = func(w *world) {
			if *o.Proto == 0 {
				w.repo.V0(fakes.AllowAny)
			}
		}
		return r, true
	case "ls-remote":
		r.list, r.url = true, "https://measured.example/"+strings.ReplaceAll(what, " ", "-")+".git"
		r.set = func(w *world) {
			if repo := w.Repo(r.url); what == "nonexistent" {
				repo.Exists(core.Hour)
			}
		}
		return r, what == "empty repo" || what == "nonexistent"
	case "http":
		name, verb, _ := strings.Cut(what, "/")
		rule, known := httpRules[name]
		r.list, r.wants = verb == "ls-remote", []string{tip}
		r.set = func(w *world) {
			w.rule(rule)
			w.Repo("https://moved.example/r.git").Ref("refs/heads/main", tip)
			if strings.HasSuffix(verb, " lowSpeedTime=5") {
				w.limit()
			}
		}
		return r, known
	case "tcp", "net":
		name, limit := strings.CutSuffix(o.Case, limited)
		rule, known := netRules[name]
		r.list = true
		r.set = func(w *world) {
			w.rule(rule)
			if limit {
				w.limit()
			}
		}
		return r, known
	case "auth":
		r.list, r.set = true, func(w *world) { w.rule(fakes.Rule{Do: fakes.Status, Status: 401}) }
		return r, what == "no GIT_TERMINAL_PROMPT, stdin null, no tty"
	case "huge":
		r.list, r.wants = !strings.HasSuffix(what, "fetch 1 oid"), []string{tip}
		if strings.HasSuffix(what, " refs/heads/*") {
			r.prefix = "refs/heads/"
		}
		r.set = func(w *world) {
			refHidden(w, false)
			w.repo.Filler(200_000)
			if *o.Proto == 0 {
				w.repo.V0(fakes.AllowAdvertised)
			}
		}
		return r, strings.HasPrefix(what, "200000 refs ")
	case "static":
		return planStatic(what)
	}
	return r, false
}

func planStatic(what string) (r run, ok bool) {
	r = run{url: "https://measured.example/static.git", list: strings.HasPrefix(what, "ls-remote")}
	r.set = func(w *world) {
		w.rule(fakes.Rule{Do: fakes.Dumb})
		// Four commits of three objects each, as measured; a commit's tree stands for tree and blobs.
		parents := []string(nil)
		for _, c := range []string{"s1", "s2", "s3", "s4"} {
			_, err := w.Graph.Blob(c+".blob", 10)
			_, err2 := w.Graph.Tree(c+".tree", 10, c+".blob")
			must(err, err2)
			_, err = w.Graph.Add(w.Graph.ID(c), c, fakes.CommitObject, 100, nodes(w, append([]string{c + ".tree"}, parents...))...)
			must(err)
			parents = []string{c}
		}
		repo := w.Repo(r.url)
		switch what {
		case "ls-remote empty":
		case "ls-remote nonexistent":
			repo.Exists(core.Hour)
		default:
			w.Tag("stag", "s4")
			repo.Ref("refs/heads/trunk", "s4").Ref("refs/tags/v1", "stag")
		}
	}
	wants := map[string]string{"fetch loose tip, closure of 12": "s4", "fetch loose ancestor, closure of 6": "s2", "fetch missing": missing}
	r.wants = []string{wants[what]}
	return r, r.list || wants[what] != ""
}

func nodes(w *world, labels []string) (out []fakes.Node) {
	for _, l := range labels {
		out = append(out, w.Graph.ByLabel(l))
	}
	return out
}

func must(errs ...error) {
	for _, err := range errs {
		if err != nil {
			panic(err)
		}
	}
}

func refHidden(w *world, hide bool) {
	if hide {
		w.repo.HiddenRef("refs/hidden/x", hidden)
	} else {
		w.repo.Ref("refs/hidden/x", hidden)
	}
}

func (w *world) limit() { w.client.LowSpeedLimit, w.client.LowSpeedTime = 1, 5*core.Second }
