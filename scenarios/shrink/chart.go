package shrink

import (
	"fmt"
	"strings"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/scenarios"
	"graspsync/sim"
)

// Legend explains the marks of a chart.
const Legend = `events:  a arrives   r released   x expired   d deleted   p replaced   e evicted   n refused   - held
hosts:   * pass starts   H hedge starts   + it brings something   X it fails   T throttled   ~ fault   c cooling   - pass runs
relay:   C crash   U up again   S shutdown   s setting or clock   p push (P: it failed)   ! the failure`

// chart draws a run: a row for what happened to each event, to each host and to the relay itself; columns are time.
type chart struct {
	from, to core.Time
	width    int
	rows     []chartRow
}

type chartRow struct {
	name  string
	cells []byte
}

// maxChartRows bounds a chart; it is meant for minimal scenarios.
const maxChartRows = 60

// Chart runs s once more and draws it, width columns wide. Of a network it draws the relay that failed. The run is
// o's, but for seed and record.
func Chart(s *scenarios.Scenario, v sim.Violation, o scenarios.Options, width int) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprintf("no chart: the run ends in a panic: %v\n", p)
		}
	}()
	relay := ""
	if s.Network != nil {
		relay = s.Network.Relays[0]
		for _, r := range s.Network.Relays {
			if strings.HasPrefix(v.Text, r+": ") {
				relay = r
			}
		}
	}
	names := make(map[string]*value.Names)
	change := o.Change
	o.Change = func(r string, setup *sim.Setup) {
		if change != nil {
			change(r, setup)
		}
		if names[r] == nil { // runs that are compared with come later
			names[r] = setup.Names
		}
		if s.Network == nil {
			relay = r
		}
	}
	o.Seed = s.Seed
	res, err := s.Run(o)
	if err != nil {
		return "", err
	}
	rec := res.Record
	for i := range res.Relays {
		if res.Relays[i].Name == relay {
			rec = res.Relays[i].Record
		}
	}
	if rec == nil {
		return "", nil
	}
	c := &chart{to: core.Time(s.Horizon), width: max(width, 10)}
	if v.At >= 0 {
		c.to = min(c.to, max(v.At+v.At/8, core.Time(core.Second)))
	}
	c.relay(s, relay, rec, v)
	c.events(s, rec)
	c.faults(s)
	c.hosts(rec, names[relay])
	return c.String(), nil
}

// row is the row called name, made where it is not there.
func (c *chart) row(name string) []byte {
	for i := range c.rows {
		if c.rows[i].name == name {
			return c.rows[i].cells
		}
	}
	cells := []byte(strings.Repeat(".", c.width))
	if len(c.rows) < maxChartRows {
		c.rows = append(c.rows, chartRow{name, cells})
	}
	return cells
}

func (c *chart) column(t core.Time) int {
	t = min(max(t, c.from), c.to) - c.from
	return min(int(t/max((c.to-c.from)/core.Time(c.width), 1)), c.width-1)
}

// ranks orders marks: a later one hides an earlier one.
const ranks = ".~-c*sapnUSPHXTdxer+C!"

func (c *chart) mark(row []byte, t core.Time, m byte) {
	if t < c.from || t > c.to {
		return
	}
	c.set(row, c.column(t), m)
}

func (c *chart) set(row []byte, i int, m byte) {
	if strings.IndexByte(ranks, m) > strings.IndexByte(ranks, row[i]) {
		row[i] = m
	}
}

// fill marks a stretch of time; until is Never or negative where it lasts.
func (c *chart) fill(row []byte, from, until core.Time, m byte) {
	if until < 0 || until > c.to {
		until = c.to
	}
	for i := c.column(from); from <= c.to && i <= c.column(until); i++ {
		c.set(row, i, m)
	}
}

// relay is the row of the relay itself, with its pushes and the failure.
func (c *chart) relay(s *scenarios.Scenario, name string, rec *sim.Record, v sim.Violation) {
	row := c.row(name)
	for i := range s.Timeline {
		a := &s.Timeline[i]
		if s.Network != nil && a.On != name && (a.On != "" || name != s.Network.Relays[0]) {
			continue
		}
		at := core.Time(a.At)
		switch a.Verb() {
		case "crash":
			c.mark(row, at, 'C')
			if a.Down > 0 {
				c.mark(row, at+core.Time(a.Down), 'U')
			}
		case "shutdown":
			c.mark(row, at, 'S')
		case "set", "clock":
			c.mark(row, at, 's')
		}
	}
	for i := range rec.Pushes {
		m := byte('p')
		if p := &rec.Pushes[i]; p.AnsweredAt < 0 || !p.OK {
			m = 'P'
		}
		c.mark(row, rec.Pushes[i].Asked, m)
	}
	if v.At >= 0 {
		c.mark(row, v.At, '!')
	}
}

// events are rows of what became of each event.
func (c *chart) events(s *scenarios.Scenario, rec *sim.Record) {
	called := make(map[core.EventID]string)
	for i := range s.Timeline {
		if name := s.Timeline[i].EventName(); name != "" {
			called[scenarios.EventID(name)] = name
		}
	}
	for _, repo := range sorted(s.Repos) {
		for _, name := range []string{"announce " + repo, "base " + repo} {
			called[scenarios.EventID(name)] = name
		}
	}
	for i := range rec.Events {
		e := &rec.Events[i]
		if strings.HasPrefix(called[e.ID], "base ") || strings.HasPrefix(called[e.ID], "announce ") && len(e.History) == 0 && e.Arrived <= 0 {
			continue // stands at the start
		}
		name := called[e.ID]
		if name == "" {
			name = e.ID.String()[:12]
		}
		row := c.row(name)
		c.mark(row, e.Arrived, 'a')
		for _, a := range e.Answers {
			if !a.OK {
				c.mark(row, a.At, 'n')
			}
		}
		held := core.Time(-1)
		for _, h := range e.History {
			if h.Report == core.RepHeld {
				held = h.At
			}
			if m := endMark(h.Report); m != 0 {
				if held >= 0 {
					c.fill(row, held, h.At, '-')
				}
				c.mark(row, h.At, m)
				held = -1
			}
		}
		if held >= 0 {
			c.fill(row, held, -1, '-')
		}
		if e.Stored >= 0 && e.Held < 0 {
			c.mark(row, e.Stored, 'r')
		}
	}
}

// endMark is the mark of a residence's end; 0 of other reports.
func endMark(k core.ReportKind) byte {
	switch k {
	case core.RepEndedReleased:
		return 'r'
	case core.RepEndedRefused:
		return 'n'
	case core.RepEndedExpired:
		return 'x'
	case core.RepEndedDeleted:
		return 'd'
	case core.RepEndedReplaced:
		return 'p'
	case core.RepEndedEvicted:
		return 'e'
	}
	return 0
}

// faults draws the windows on the rows of their hosts.
func (c *chart) faults(s *scenarios.Scenario) {
	for i := range s.Faults {
		f := &s.Faults[i]
		until := core.Never
		if f.To > 0 {
			until = core.Time(f.To)
		}
		for _, h := range f.Hosts() {
			c.fill(c.row(h), core.Time(f.From), until, '~')
		}
	}
	for i := range s.Local {
		l, until := &s.Local[i], core.Never
		if l.To > 0 {
			until = core.Time(l.To)
		}
		c.fill(c.row("own work"), core.Time(l.From), until, '~')
	}
}

// hosts are rows of the passes to each host.
func (c *chart) hosts(rec *sim.Record, names *value.Names) {
	text := func(h core.Handle) string {
		if names == nil {
			return fmt.Sprintf("#%d", h)
		}
		return names.Text(h)
	}
	for _, r := range rec.ReportsOf(core.RepCooling) {
		if r.At <= c.to {
			c.fill(c.row(text(r.Domain)), r.At, r.Deadline, 'c')
		}
	}
	for i := range rec.Passes {
		p := &rec.Passes[i]
		if p.Start > c.to {
			continue
		}
		row := c.row(text(p.Domain))
		c.fill(row, p.Start, p.End, '-')
		m := byte('*')
		if p.Hedge {
			m = 'H'
		}
		c.mark(row, p.Start, m)
		switch {
		case p.End < 0:
		case p.Supplied > 0:
			c.mark(row, p.End, '+')
		case p.Class == core.TooManyRequests:
			c.mark(row, p.End, 'T')
		case p.Class != core.OK && p.Class != core.Cancelled && p.Class != core.NotOurRef:
			c.mark(row, p.End, 'X')
		}
	}
}

// String is the chart with a line of time above.
func (c *chart) String() string {
	label := 0
	for i := range c.rows {
		label = max(label, len(c.rows[i].name))
	}
	var b strings.Builder
	column := ((c.to - c.from) / core.Time(c.width)).String()
	fmt.Fprintf(&b, "%-*s  %v to %v, a column is %s\n", label, "", c.from, c.to, column)
	for _, r := range c.rows {
		fmt.Fprintf(&b, "%-*s  %s\n", label, r.name, r.cells)
	}
	return b.String()
}
