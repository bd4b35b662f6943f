package scenarios

// Expectations of a scenario written in Go. Instants are texts as in the YAML form: "31s", "30m".

func (t *Test) spans(texts ...string) Spans {
	t.tb.Helper()
	out := make(Spans, 0, len(texts))
	for _, text := range texts {
		s, err := ParseSpan(text)
		if err != nil {
			t.tb.Fatalf("%v", err)
		}
		out = append(out, s)
	}
	return out
}

func (t *Test) comparison(text string) (c Count) {
	t.tb.Helper()
	if err := c.setText(text); err != nil {
		t.tb.Fatalf("%v", err)
	}
	return c
}

// ExpectReleasedBetween says that every event of the repository was released, none before first or after
// last.
func (r *TestRepo) ExpectReleasedBetween(first, last string) {
	r.t.tb.Helper()
	if len(r.events) == 0 {
		r.t.tb.Fatalf("%s: no event was delivered; add one with State, PR or Announce", r.name)
	}
	for _, e := range r.events {
		r.t.Expect(Expectation{Released: e, Between: r.t.spans(first, last)})
	}
}

// ExpectExpiredAt says that every event of the repository expired at an instant.
func (r *TestRepo) ExpectExpiredAt(at string) {
	r.t.tb.Helper()
	if len(r.events) == 0 {
		r.t.tb.Fatalf("%s: no event was delivered; add one with State, PR or Announce", r.name)
	}
	for _, e := range r.events {
		r.t.Expect(Expectation{Expired: e, At: r.t.spans(at)})
	}
}

// ExpectAttempts says at which instants attempts of the repository's hunt began.
func (r *TestRepo) ExpectAttempts(at ...string) {
	r.t.tb.Helper()
	r.t.Expect(Expectation{Attempts: r.name, At: r.t.spans(at...)})
}

// ExpectRefs says which branches the repository has in the end, each at the commit of its own name.
func (r *TestRepo) ExpectRefs(branches ...string) {
	r.t.tb.Helper()
	is := Refs{}
	for _, b := range branches {
		is = append(is, Ref{b, lastWord(b)})
	}
	r.t.Expect(Expectation{Refs: r.name, Is: is})
}

// ExpectReleasedBetween says when the event was released.
func (e *TestEvent) ExpectReleasedBetween(first, last string) {
	e.r.t.tb.Helper()
	e.r.t.Expect(Expectation{Released: e.a.As, Between: e.r.t.spans(first, last)})
}

// ExpectExpiredAt says when the event expired.
func (e *TestEvent) ExpectExpiredAt(at string) {
	e.r.t.tb.Helper()
	e.r.t.Expect(Expectation{Expired: e.a.As, At: e.r.t.spans(at)})
}

// ExpectHeldAt says that the event was held at an instant.
func (e *TestEvent) ExpectHeldAt(at string) {
	e.r.t.tb.Helper()
	e.r.t.Expect(Expectation{Held: e.a.As, At: e.r.t.spans(at)})
}

// ExpectPasses says at which instants passes to the host began.
func (h *TestHost) ExpectPasses(at ...string) {
	h.t.tb.Helper()
	h.t.Expect(Expectation{Passes: h.name, At: h.t.spans(at...)})
}

// ExpectRequests compares the HTTP requests the host saw: "4", "<= 40", "2..5".
func (h *TestHost) ExpectRequests(count string) {
	h.t.tb.Helper()
	h.t.Expect(Expectation{Requests: h.name, Count: h.t.comparison(count)})
}

// ExpectAtOnce compares the greatest number of passes that ran there at one time.
func (h *TestHost) ExpectAtOnce(count string) {
	h.t.tb.Helper()
	h.t.Expect(Expectation{AtOnce: h.name, Count: h.t.comparison(count)})
}

// ExpectCounter compares a counter of the result, as ("hedges", "1").
func (t *Test) ExpectCounter(name, count string) {
	t.tb.Helper()
	t.Expect(Expectation{Counter: name, Count: t.comparison(count)})
}
