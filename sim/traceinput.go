package sim

import "graspsync/core"

// The inverses of tracestep.go.

func (r *dec) input() (in core.Input) {
	r.object("input", func(key string) bool {
		switch key {
		case "kind":
			in.Kind = core.InputKind(r.one("input kind", int(core.NumInputKinds), func(i int) string { return core.InputKind(i).String() }))
		case "class":
			in.Class = r.class()
		case "ask":
			in.Ask = r.ask()
		case "origin":
			in.Origin = core.Origin(r.one("origin", 2, func(i int) string { return core.Origin(i).String() }))
		case "duplicate":
			in.Duplicate = r.flag()
		case "deleted":
			in.Deleted = r.flag()
		case "related":
			in.Related = r.flag()
		case "authed":
			in.Authed = r.flag()
		case "has-heads":
			in.HasHeads = r.flag()
		case "truncated":
			in.Truncated = r.flag()
		case "refs-moved":
			in.RefsMoved = r.flag()
		case "had-refs":
			in.HadRefs = r.flag()
		case "verdict":
			in.Verdict = core.Verdict(r.one("verdict", int(core.StoreDeleted)+1, func(i int) string { return core.Verdict(i).String() }))
		case "status":
			in.Status = uint16(r.int(0, 1<<16-1))
		case "question":
			in.Question = uint16(r.int(0, 1<<16-1))
		case "requests":
			in.Requests = r.int32()
		case "retry-after":
			in.RetryAfter = r.time()
		case "bytes":
			in.Bytes = r.any()
		case "offset":
			in.Offset = r.time()
		case "from":
			in.From = r.handle()
		case "repo":
			in.Repo = r.handle()
		case "final-url":
			in.FinalURL = r.handle()
		case "address":
			r.hex(in.Address[:])
		case "fingerprint":
			r.hex(in.Fingerprint[:])
		case "oids":
			in.OIDs = r.oids()
		case "refs":
			in.Refs = r.refs()
		case "target":
			r.hex(in.Target[:])
		case "event":
			in.Event = r.event()
		case "push":
			in.Push = r.push()
		case "config":
			in.Config = r.config()
		default:
			return false
		}
		return true
	})
	return in
}

// coordinate reads the fields that an object shares with a coordinate.
func (r *dec) coordinate(c *core.Coordinate, key string) bool {
	switch key {
	case "owner":
		r.hex(c.Owner[:])
	case "identifier":
		c.Identifier = r.handle()
	case "repo":
		c.Repo = r.handle()
	default:
		return false
	}
	return true
}

func (r *dec) event() *core.Event {
	e := new(core.Event)
	r.object("event", func(key string) bool {
		switch key {
		case "id":
			r.hex(e.ID[:])
		case "author":
			r.hex(e.Author[:])
		case "kind":
			e.Kind = r.uint32()
		case "created-at":
			e.CreatedAt = r.any()
		case "size":
			e.Size = r.int32()
		case "lists-us":
			e.ListsUs = r.flag()
		case "maintainers":
			r.array(func() {
				var p core.PubKey
				r.hex(p[:])
				e.Maintainers = append(e.Maintainers, p)
			})
		case "sources":
			r.array(func() { e.Sources = append(e.Sources, r.source()) })
		case "refs":
			e.Refs = r.refs()
		case "head":
			e.Head = r.handle()
		case "unsatisfied":
			e.Unsatisfied = r.flag()
		case "commit":
			e.Commit = r.oid()
		case "repositories":
			r.array(func() {
				var c core.Coordinate
				r.object("repository", func(key string) bool { return r.coordinate(&c, key) })
				e.Repositories = append(e.Repositories, c)
			})
		case "targets":
			r.array(func() {
				var id core.EventID
				r.hex(id[:])
				e.Targets = append(e.Targets, id)
			})
		case "coordinates":
			r.array(func() {
				var d core.Deleted
				r.object("coordinate", func(key string) bool {
					if key == "kind" {
						d.Kind = r.uint32()
						return true
					}
					return r.coordinate(&d.Coordinate, key)
				})
				e.Coordinates = append(e.Coordinates, d)
			})
		case "mentions":
			r.array(func() {
				var id core.EventID
				r.hex(id[:])
				e.Mentions = append(e.Mentions, id)
			})
		case "protected":
			e.Protected = r.flag()
		case "raw":
			e.Raw = []byte(r.text())
		default:
			return r.coordinate(&e.Repo, key)
		}
		return true
	})
	return e
}

func (r *dec) source() (s core.Source) {
	r.object("source", func(key string) bool {
		switch key {
		case "url":
			s.URL = r.handle()
		case "domain":
			s.Domain = r.handle()
		case "class":
			s.Class = core.SourceClass(r.one("source class", int(core.Own)+1, func(i int) string { return core.SourceClass(i).String() }))
		default:
			return false
		}
		return true
	})
	return s
}

func (r *dec) push() *core.Push {
	p := new(core.Push)
	r.object("push", func(key string) bool {
		switch key {
		case "id":
			p.ID = r.uint()
		case "from":
			p.From = r.handle()
		case "updates":
			r.array(func() { p.Updates = append(p.Updates, r.update()) })
		case "current":
			p.Current = r.refs()
		case "moved":
			p.Moved = r.flag()
		case "bytes":
			p.Bytes = r.any()
		default:
			return r.coordinate(&p.Repo, key)
		}
		return true
	})
	return p
}

func (r *dec) update() (u core.RefUpdate) {
	r.object("update", func(key string) bool {
		switch key {
		case "name":
			u.Name = r.handle()
		case "old":
			u.Old = r.oid()
		case "new":
			u.New = r.oid()
		case "event":
			r.hex(u.Event[:])
		case "space":
			u.Space = core.RefSpace(r.int(0, 255))
		default:
			return false
		}
		return true
	})
	return u
}

func (r *dec) effect() (e core.Effect) {
	r.object("effect", func(key string) bool {
		switch key {
		case "kind":
			e.Kind = core.EffectKind(r.one("effect kind", int(core.NumEffectKinds), func(i int) string { return core.EffectKind(i).String() }))
		case "report":
			e.Report = core.ReportKind(r.one("report", int(core.NumReportKinds), func(i int) string { return core.ReportKind(i).String() }))
		case "ok":
			e.OK = r.flag()
		case "class":
			e.Class = r.class()
		case "wave":
			e.Wave = core.Wave(r.one("wave", 2, func(i int) string { return core.Wave(i).String() }))
		case "hedge":
			e.Hedge = r.flag()
		case "space":
			e.Space = core.RefSpace(r.int(0, 255))
		case "attempt":
			e.Attempt = r.uint32()
		case "question":
			e.Question = uint16(r.int(0, 1<<16-1))
		case "hunt":
			e.Hunt = core.HuntID(r.uint32())
		case "into":
			e.Into = core.HuntID(r.uint32())
		case "url":
			e.URL = r.handle()
		case "domain":
			e.Domain = r.handle()
		case "repo":
			e.Repo = r.handle()
		case "from":
			e.From = r.handle()
		case "head":
			e.Head = r.handle()
		case "ask":
			e.Ask = r.ask()
		case "push":
			e.Push = r.uint()
		case "deadline":
			e.Deadline = r.time()
		case "event":
			r.hex(e.Event[:])
		case "oids":
			e.OIDs = r.oids()
		case "refs":
			e.Refs = r.refs()
		case "old":
			e.Old = r.refs()
		case "text":
			e.Text = r.text()
		case "pass":
			e.Pass = r.passReport()
		default:
			return false
		}
		return true
	})
	return e
}

func (r *dec) passReport() *core.PassReport {
	p := new(core.PassReport)
	r.object("pass report", func(key string) bool {
		switch key {
		case "needed":
			p.Needed = r.int32()
		case "advertised":
			p.Advertised = r.int32()
		case "attempted":
			p.Attempted = r.int32()
		case "missing":
			p.Missing = r.int32()
		case "skipped":
			p.Skipped = r.int32()
		case "deferred":
			p.Deferred = r.int32()
		case "fetched":
			p.Fetched = r.int32()
		case "requests":
			p.Requests = r.int32()
		case "bytes":
			p.Bytes = r.any()
		case "duration":
			p.Duration = r.time()
		case "started":
			p.Started = r.time()
		default:
			return false
		}
		return true
	})
	return p
}
