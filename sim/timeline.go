package sim

import (
	"strconv"
	"strings"

	"graspsync/core"
	"graspsync/core/value"
)

// Timeline draws the passes of a record as text, one row per domain in order of its first pass, between
// two instants, width columns wide. A cell shows the most telling thing that happened in its span:
//
//	X  a pass ended with a failure     H  a hedge started
//	+  a pass brought something        *  a pass started
//	-  a pass ran                      .  nothing
//
// It is for failure texts: what it cannot show is in the record.
func (r *Record) Timeline(names *value.Names, from, to core.Time, width int) string {
	if to <= from || width <= 0 {
		return ""
	}
	var order []core.Handle
	rows := make(map[core.Handle][]byte)
	label := 0
	for i := range r.Passes {
		p := &r.Passes[i]
		if p.Start > to || p.End >= 0 && p.End < from {
			continue
		}
		row := rows[p.Domain]
		if row == nil {
			row = []byte(strings.Repeat(".", width))
			rows[p.Domain] = row
			order = append(order, p.Domain)
			label = max(label, len(domainName(names, p.Domain)))
		}
		p.draw(row, from, to)
	}
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", label) + "  " + from.String() + " … " + to.String() + ", a column is " +
		((to - from) / core.Time(width)).String() + "\n")
	for _, d := range order {
		name := domainName(names, d)
		b.WriteString(name + strings.Repeat(" ", label-len(name)) + "  " + string(rows[d]) + "\n")
	}
	return b.String()
}

func domainName(names *value.Names, h core.Handle) string {
	if names != nil {
		if t := names.Text(h); t != "" {
			return t
		}
	}
	return "#" + strconv.FormatUint(uint64(h), 10)
}

// rank orders the marks of a cell: a later one in this list hides an earlier one.
const rank = ".-*+HX"

func (p *PassRecord) draw(row []byte, from, to core.Time) {
	column := func(t core.Time) int {
		t = min(max(t, from), to) - from
		return min(int(t/max((to-from)/core.Time(len(row)), 1)), len(row)-1)
	}
	mark := func(i int, c byte) {
		if strings.IndexByte(rank, c) > strings.IndexByte(rank, row[i]) {
			row[i] = c
		}
	}
	end := p.End
	if end < 0 {
		end = to
	}
	for i := column(p.Start); i <= column(end); i++ {
		mark(i, '-')
	}
	if p.Start >= from {
		c := byte('*')
		if p.Hedge {
			c = 'H'
		}
		mark(column(p.Start), c)
	}
	if p.End < 0 || p.End > to {
		return
	}
	switch {
	case p.Supplied > 0:
		mark(column(end), '+')
	case p.Class != core.OK && p.Class != core.Cancelled && p.Class != core.NotOurRef:
		mark(column(end), 'X')
	}
}
