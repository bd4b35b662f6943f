package fetch

// Stage is where a pass stands.
type Stage uint8

// Stages, in order; a pass skips those it has no use for.
const (
	Comparing Stage = iota // the refs are being listed
	Batch                  // the advertised needed OIDs are being fetched, all at once
	Probing                // residuals are asked one by one
	Extra                  // what the probes found is being fetched
	Ending                 // no more questions; waiting for its real end
)

// Step is the next thing a pass does.
type Step uint8

// Steps.
const (
	Fetch Step = iota // fetch OIDs of Pass.Ask
	Probe             // ask for Pass.Ask[0]
	End               // nothing more
)

// Pass is the course of one pass: compare, batch, residuals (F-01). The zero value is Comparing.
type Pass struct {
	Stage       Stage
	fingerprint [32]byte
	memo        bool // answers may be remembered: the advertisement is whole and did not move (F-02, F-04)
	single      bool // the batch was refused: its OIDs are asked one by one
	residual    []OID
	next        int
	found       []OID

	Ask    []OID // what the present step asks for
	Chosen int32 // residuals chosen and not yet reserved with the host's budget (D-03)

	Advertised, Attempted, Missing, Skipped, Deferred, Fetched int32
}

// Reset readies p for another pass, keeping its memory.
func (p *Pass) Reset() {
	*p = Pass{residual: p.residual[:0], found: p.found[:0], Ask: p.Ask[:0]}
}

// OnCompared takes a valid list of refs. advertised are the needed OIDs it names.
func (p *Pass) OnCompared(m *Memo, url Handle, fingerprint [32]byte, truncated bool, advertised []OID) {
	p.fingerprint, p.memo = fingerprint, !truncated
	if p.memo {
		m.Advertised(url, fingerprint)
	}
	p.Advertised = int32(len(advertised))
	p.Ask = append(p.Ask[:0], advertised...)
}

// AfterCompare is the step after OnCompared; wants are the OIDs still needed now, probes how many single
// questions may be asked.
func (p *Pass) AfterCompare(m *Memo, url Handle, now Time, wants []Want, probes int) Step {
	keep := p.Ask[:0]
	for _, o := range p.Ask {
		if wanted(wants, o) {
			keep = append(keep, o)
		}
	}
	p.Ask = keep
	if len(p.Ask) > 0 {
		p.Stage = Batch
		return Fetch
	}
	return p.residuals(m, url, now, wants, probes)
}

// OnFetched takes the outcome of a fetch: got OIDs came; refused means that the server has not one of them
// and so sent none; moved that its refs changed meanwhile (F-02).
func (p *Pass) OnFetched(got int32, refused, moved bool) {
	p.Fetched += got
	if moved {
		p.memo = false
	}
	p.single = p.Stage == Batch && refused && len(p.Ask) > 1
}

// AfterFetch is the step after OnFetched; wants are the OIDs still needed now.
func (p *Pass) AfterFetch(m *Memo, url Handle, now Time, wants []Want, probes int) Step {
	if p.Stage == Extra {
		p.Stage = Ending
		return End
	}
	if !p.single {
		// What was advertised and yet did not come is no residual: it is asked for again next time.
		keep := wants[:0]
		for _, w := range wants {
			if !has(p.Ask, w.OID) {
				keep = append(keep, w)
			}
		}
		wants = keep
	}
	return p.residuals(m, url, now, wants, probes)
}

func (p *Pass) residuals(m *Memo, url Handle, now Time, wants []Want, probes int) Step {
	p.residual, p.Skipped, p.Deferred = m.Choose(url, now, p.memo && !p.single, wants, probes, p.residual[:0])
	p.next, p.Chosen = 0, int32(len(p.residual))
	p.Stage = Probing
	return p.probe()
}

func (p *Pass) probe() Step {
	if p.next < len(p.residual) {
		p.Ask = append(p.Ask[:0], p.residual[p.next])
		p.next++
		p.Attempted++
		return Probe
	}
	if len(p.found) > 0 {
		p.Ask = append(p.Ask[:0], p.found...)
		p.Stage = Extra
		return Fetch
	}
	p.Stage = Ending
	return End
}

// OnProbed takes the answer to one single question and tells the next step; one refusal never ends the
// pass (F-01). available: the server serves it; missing: it said that it does not.
func (p *Pass) OnProbed(m *Memo, url Handle, now Time, available, missing bool, wants []Want) Step {
	o := p.Ask[0]
	if available {
		p.found = append(p.found, o)
	}
	if missing {
		p.Missing++
	}
	m.Asked(url, p.fingerprint, o, now, missing && p.memo)
	// What came in otherwise meanwhile is asked for no more.
	for p.next < len(p.residual) && !wanted(wants, p.residual[p.next]) {
		p.next++
	}
	keep := p.found[:0]
	for _, f := range p.found {
		if wanted(wants, f) {
			keep = append(keep, f)
		}
	}
	p.found = keep
	return p.probe()
}

func wanted(wants []Want, o OID) bool {
	for i := range wants {
		if wants[i].OID == o {
			return true
		}
	}
	return false
}

func has(oids []OID, o OID) bool {
	for i := range oids {
		if oids[i] == o {
			return true
		}
	}
	return false
}
