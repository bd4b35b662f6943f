package generate

import "graspsync/scenarios"

// trouble draws what goes wrong: windows over the hosts, a driver that misbehaves, storage, crashes, clocks, limits.
func (g *generator) trouble() {
	d := g.source("trouble")
	if g.on(FaultWindows) {
		for range d.few(0, 4) {
			g.Faults = append(g.Faults, g.window(&d, d.between(0, g.Horizon), scenarios.Labels(some(&d, g.hostNames, 1, 2))))
		}
	}
	if g.use(&d, Swizzle, 1, 4) {
		g.swizzle(&d)
	}
	faults := g.Faults[:0]
	for _, f := range g.Faults {
		if f.To > f.From {
			faults = append(faults, f)
		}
	}
	g.Faults = faults
	g.driver(&d)
	g.storage(&d)
	g.process(&d)
	if g.p.Hostile && len(g.Expect) == 0 {
		g.mallory(&d)
	}
}

// window is one fault over hosts, from an instant.
func (g *generator) window(d *source, from scenarios.Span, hosts scenarios.Labels) scenarios.Fault {
	if len(hosts) == 0 {
		hosts = scenarios.Labels{pick(d, g.hostNames...)}
	}
	f := scenarios.Fault{From: from, To: min(from+max(d.ladder(10*sec, min1, 10*min1, hour), ms), g.Horizon)}
	switch d.Below(6) {
	case 0:
		f.Stall = hosts
	case 1:
		f.Refuse = hosts
	case 2:
		f.Throttle = hosts
		f.RetryAfter = pick(d, 0, 30*sec, 10*min1)
	case 3:
		f.Partition = hosts
	case 4:
		f.Flap = hosts
	default:
		r, ok := g.answer(d)
		if !ok {
			f.Refuse = hosts
			break
		}
		f.Upset, f.Rule = hosts, r
	}
	return f
}

// swizzle stops a part of the hosts one by one and restores them in another order.
func (g *generator) swizzle(d *source) {
	hosts := some(d, shuffled(d, g.hostNames), 2, 3)
	if len(hosts) == 0 {
		return
	}
	at, end := d.between(0, g.Horizon/2), d.between(g.Horizon/2, g.Horizon)
	step := (end - at) / scenarios.Span(2*len(hosts)) / ms * ms
	stopped := g.window(d, at, hosts[:1])
	stopped.Upset, stopped.Rule = nil, scenarios.Rule{}
	stopped.Stall, stopped.Refuse, stopped.Throttle, stopped.Partition, stopped.Flap = nil, nil, nil, nil, nil
	for i, back := range shuffled(d, hosts) {
		_ = back
		f := stopped
		f.Partition = scenarios.Labels{hosts[i]}
		f.From = at + step*scenarios.Span(i)
		for j, h := range shuffled(d, hosts) {
			if h == hosts[i] {
				f.To = min(end-step*scenarios.Span(j), g.Horizon)
			}
		}
		if f.To > f.From {
			g.Faults = append(g.Faults, f)
		}
	}
}

func (g *generator) driver(d *source) {
	var out scenarios.Driver
	used := false
	if g.use(d, WakeTrouble, 1, 3) {
		used = true
		out.LateWake, out.LateBy = d.ratio(), max(d.ladder(100*ms, 2*sec, 40*sec), ms)
		if d.oneIn(2) {
			out.EarlyWake = d.ratio()
		}
	}
	if g.use(d, CompletionTrouble, 1, 3) {
		used = true
		out.Duplicate, out.Again, out.AfterEnd, out.Stray = d.ratio(), d.ladder(0, sec, 5*min1), d.ratio(), d.ratio()
		out.End, out.Cancel = d.ladder(0, 100*ms, 5*sec), d.ladder(0, 100*ms, 20*sec)
	}
	if g.use(d, WorkTrouble, 1, 3) {
		used = true
		for _, w := range some(d, []*scenarios.Work{&out.Check, &out.Copy, &out.Align, &out.Store, &out.Remove, &out.Create, &out.Delete}, 1, 3) {
			w.Delay, w.Spread = d.ladder(0, 10*ms, sec, 30*sec), pick(d, 0, 500*ms, 5*sec)
			switch d.Below(5) {
			case 0:
				w.FailFirst = d.number(1, 3)
			case 1:
				w.Fail = d.ratio()
			case 2:
				w.LoseFirst = 1
			case 3:
				w.Lose = &scenarios.Ratio{Num: 1, Den: pick(d, int64(20), 8)}
			}
		}
		if d.oneIn(6) {
			out.GitMissing = d.ratio()
		}
	}
	out.Recheck = d.oneIn(4)
	if used {
		g.Driver = &out
	}
}

func (g *generator) storage(d *source) {
	if !g.on(StorageTrouble) {
		return
	}
	for range d.few(0, 3) {
		from := d.between(0, g.Horizon-ms)
		l := scenarios.Local{From: from, To: min(from+max(d.ladder(sec, min1, 10*min1), ms), g.Horizon)}
		if d.oneIn(4) {
			l.Times = d.number(1, 3)
		}
		switch d.Below(5) {
		case 0:
			l.DiskFull = true
		case 1:
			l.Fail = some(d, []string{"check", "copy", "align", "store", "remove", "create", "delete", "receive"}, 1, 3)
			if len(l.Fail) == 0 {
				l.Fail = scenarios.Labels{"align"}
			}
		case 2:
			l.Slow, l.By = scenarios.Labels{pick(d, "check", "copy", "align", "store", "remove", "create", "delete")}, max(d.ladder(sec, 20*sec, 2*min1), ms)
		case 3:
			l.Lock, l.Repo = scenarios.Labels{pick(d, "main", "dev", "tags/v1", "HEAD")}, pick(d, g.copies...).name
		default:
			if len(g.events) == 0 {
				continue
			}
			l.Refuse, l.Verdict = pick(d, g.events...).name, pick(d, "failed", "superseded", "deleted")
		}
		if (l.Fail != nil || l.Slow != nil) && d.oneIn(3) {
			l.Repo = pick(d, g.copies...).name
		}
		g.Local = append(g.Local, l)
	}
}

// process draws what happens to the relay's own process, clock and configuration.
func (g *generator) process(d *source) {
	if g.on(Crashes) && (g.p.With.Has(Crashes) || d.oneIn(3)) {
		for range d.few(1, 3) {
			at := d.between(0, g.Horizon)
			if len(g.events) > 0 && d.oneIn(2) { // soon after something came
				at = g.clamp(pick(d, g.events...).at + d.ladder(0, ms, 500*ms, sec, 20*sec))
			}
			g.add(scenarios.Action{At: at, Crash: true, Down: d.ladder(0, sec, min1, 31*min1, 25*hour)})
		}
	}
	if g.use(d, Clocks, 1, 4) {
		for range d.few(1, 3) {
			g.add(scenarios.Action{At: d.between(0, g.Horizon), Clock: pick(d, "10m", "-10m", "1h", "-1h", "3s", "-3s", "25h", "0")})
		}
	}
	if g.use(d, Reconfigure, 1, 4) {
		for range d.few(1, 3) {
			g.add(scenarios.Action{At: d.between(0, g.Horizon), Set: g.reconfigured(d)})
		}
	}
	if g.use(d, Crashes, 1, 25) {
		g.add(scenarios.Action{At: d.between(g.Horizon/2, g.Horizon), Shutdown: true})
	}
}

// mallory attacks a repository of somebody else.
func (g *generator) mallory(d *source) {
	all := []string{"same-identifier", "listing", "foreign-state", "garbage-states", "dates", "sources", "hundred-coordinates", "url-flood", "deletions", "pushes"}
	ways := some(d, all, 1, 4)
	if len(ways) == 0 {
		ways = []string{pick(d, all...)}
	}
	g.add(scenarios.Action{At: d.between(0, g.Horizon/2), Attack: pick(d, g.copies...).name, By: "mallory", Ways: ways, Origin: "client", Address: "203.0.113.66", Step: d.ladder(10*ms, 200*ms, 1200*ms)})
	g.Hostile = scenarios.Labels{"mallory"}
}
