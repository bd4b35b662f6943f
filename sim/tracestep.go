package sim

import "graspsync/core"

// The shape of a step's two halves. traceread.go holds the inverse of each function, field by field.

func (w *enc) input(in *core.Input) {
	w.open()
	w.word("kind", in.Kind.String())
	if in.Class != 0 {
		w.word("class", in.Class.String())
	}
	w.ask("ask", in.Ask)
	if in.Origin == core.FromSync {
		w.word("origin", in.Origin.String())
	}
	w.flag("duplicate", in.Duplicate)
	w.flag("deleted", in.Deleted)
	w.flag("related", in.Related)
	w.flag("authed", in.Authed)
	w.flag("has-heads", in.HasHeads)
	w.flag("truncated", in.Truncated)
	w.flag("refs-moved", in.RefsMoved)
	w.flag("had-refs", in.HadRefs)
	if in.Verdict != 0 {
		w.word("verdict", in.Verdict.String())
	}
	w.int("status", int64(in.Status))
	w.int("question", int64(in.Question))
	w.int("requests", int64(in.Requests))
	w.int("retry-after", int64(in.RetryAfter))
	w.int("bytes", in.Bytes)
	w.int("offset", int64(in.Offset))
	w.int("from", int64(in.From))
	w.int("repo", int64(in.Repo))
	w.int("final-url", int64(in.FinalURL))
	w.hex("address", in.Address[:])
	w.hex("fingerprint", in.Fingerprint[:])
	w.oids("oids", in.OIDs)
	w.refs("refs", in.Refs)
	w.hex("target", in.Target[:])
	if in.Event != nil {
		w.event("event", in.Event)
	}
	if in.Push != nil {
		w.push("push", in.Push)
	}
	if in.Config != nil {
		w.config("config", in.Config)
	}
	w.close()
}

func (w *enc) coordinate(c *core.Coordinate) {
	w.hex("owner", c.Owner[:])
	w.int("identifier", int64(c.Identifier))
	w.int("repo", int64(c.Repo))
}

func (w *enc) event(k string, e *core.Event) {
	w.key(k)
	w.open()
	w.key("id")
	w.quotedHex(e.ID[:])
	w.hex("author", e.Author[:])
	w.int("kind", int64(e.Kind))
	w.int("created-at", e.CreatedAt)
	w.int("size", int64(e.Size))
	w.coordinate(&e.Repo)
	w.flag("lists-us", e.ListsUs)
	if w.list("maintainers", len(e.Maintainers)) {
		for i := range e.Maintainers {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			w.quotedHex(e.Maintainers[i][:])
		}
		w.endList()
	}
	if w.list("sources", len(e.Sources)) {
		for i := range e.Sources {
			w.item(i)
			w.mustInt("url", int64(e.Sources[i].URL))
			w.int("domain", int64(e.Sources[i].Domain))
			if e.Sources[i].Class != core.Public {
				w.word("class", e.Sources[i].Class.String())
			}
			w.close()
		}
		w.endList()
	}
	w.refs("refs", e.Refs)
	w.int("head", int64(e.Head))
	w.flag("unsatisfied", e.Unsatisfied)
	w.oid("commit", e.Commit)
	if w.list("repositories", len(e.Repositories)) {
		for i := range e.Repositories {
			w.item(i)
			w.coordinate(&e.Repositories[i])
			w.close()
		}
		w.endList()
	}
	if w.list("targets", len(e.Targets)) {
		for i := range e.Targets {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			w.quotedHex(e.Targets[i][:])
		}
		w.endList()
	}
	if w.list("coordinates", len(e.Coordinates)) {
		for i := range e.Coordinates {
			w.item(i)
			w.mustInt("kind", int64(e.Coordinates[i].Kind))
			w.coordinate(&e.Coordinates[i].Coordinate)
			w.close()
		}
		w.endList()
	}
	if w.list("mentions", len(e.Mentions)) {
		for i := range e.Mentions {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			w.quotedHex(e.Mentions[i][:])
		}
		w.endList()
	}
	w.flag("protected", e.Protected)
	w.text("raw", string(e.Raw))
	w.close()
}

func (w *enc) push(k string, p *core.Push) {
	w.key(k)
	w.open()
	w.key("id")
	w.b = appendUint(w.b, p.ID)
	w.coordinate(&p.Repo)
	w.int("from", int64(p.From))
	if w.list("updates", len(p.Updates)) {
		for i := range p.Updates {
			u := &p.Updates[i]
			w.item(i)
			w.mustInt("name", int64(u.Name))
			w.oid("old", u.Old)
			w.oid("new", u.New)
			w.hex("event", u.Event[:])
			w.int("space", int64(u.Space))
			w.close()
		}
		w.endList()
	}
	w.refs("current", p.Current)
	w.flag("moved", p.Moved)
	w.int("bytes", p.Bytes)
	w.close()
}

func (w *enc) effect(e *core.Effect) {
	w.open()
	w.word("kind", e.Kind.String())
	if e.Report != 0 {
		w.word("report", e.Report.String())
	}
	w.flag("ok", e.OK)
	if e.Class != 0 {
		w.word("class", e.Class.String())
	}
	if e.Wave == core.PRWave {
		w.word("wave", e.Wave.String())
	}
	w.flag("hedge", e.Hedge)
	w.int("space", int64(e.Space))
	w.int("attempt", int64(e.Attempt))
	w.int("question", int64(e.Question))
	w.int("hunt", int64(e.Hunt))
	w.int("into", int64(e.Into))
	w.int("url", int64(e.URL))
	w.int("domain", int64(e.Domain))
	w.int("repo", int64(e.Repo))
	w.int("from", int64(e.From))
	w.int("head", int64(e.Head))
	w.ask("ask", e.Ask)
	w.uint("push", e.Push)
	w.int("deadline", int64(e.Deadline))
	w.hex("event", e.Event[:])
	w.oids("oids", e.OIDs)
	w.refs("refs", e.Refs)
	w.refs("old", e.Old)
	w.text("text", e.Text)
	if e.Pass != nil {
		w.passReport("pass", e.Pass)
	}
	w.close()
}

func (w *enc) passReport(k string, p *core.PassReport) {
	w.key(k)
	w.open()
	w.int("needed", int64(p.Needed))
	w.int("advertised", int64(p.Advertised))
	w.int("attempted", int64(p.Attempted))
	w.int("missing", int64(p.Missing))
	w.int("skipped", int64(p.Skipped))
	w.int("deferred", int64(p.Deferred))
	w.int("fetched", int64(p.Fetched))
	w.int("requests", int64(p.Requests))
	w.int("bytes", p.Bytes)
	w.int("duration", int64(p.Duration))
	w.int("started", int64(p.Started))
	w.close()
}
