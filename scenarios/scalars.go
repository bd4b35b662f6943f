package scenarios

import (
	"fmt"
	"strconv"
	"strings"

	"graspsync/core"
)

// Span is a length of virtual time, or an instant counted from the start of the run. Its text is whole
// numbers with units: "500ms", "1m30s", "24h", "7d". There are no fractions and no signs.
type Span core.Time

// maxSpan bounds every span: ten years.
const maxSpan = Span(3660 * core.Day)

type unit struct {
	name string
	size core.Time
}

func spanUnits() [7]unit {
	return [7]unit{{"d", core.Day}, {"h", core.Hour}, {"m", core.Minute}, {"s", core.Second}, {"ms", core.Millisecond},
		{"us", 1000}, {"ns", 1}}
}

// ParseSpan reads the text of a Span.
func ParseSpan(text string) (Span, error) {
	bad := func(why string) (Span, error) {
		return 0, fmt.Errorf("%q is no time span: %s; write whole numbers with units, as 500ms, 30s, 1m30s or 24h", text, why)
	}
	if text == "0" {
		return 0, nil
	}
	if text == "" {
		return bad("it is empty")
	}
	if text[0] == '-' {
		return bad("it is negative")
	}
	var total core.Time
	last := core.Time(maxSpan) + 1
	for rest := text; rest != ""; {
		digits := 0
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		end := digits
		for end < len(rest) && rest[end] >= 'a' && rest[end] <= 'z' {
			end++
		}
		if digits == 0 || digits > 18 {
			return bad("a number is missing, too long or has a fraction")
		}
		if end == digits {
			return bad("a unit is missing or the number has a fraction")
		}
		n, err := strconv.ParseInt(rest[:digits], 10, 64)
		if err != nil {
			return bad("a number is too long")
		}
		var size core.Time
		for _, u := range spanUnits() {
			if u.name == rest[digits:end] {
				size = u.size
			}
		}
		if size == 0 {
			return bad("unit " + strconv.Quote(rest[digits:end]) + " is none of d, h, m, s, ms, us, ns")
		}
		if size >= last {
			return bad("its units are not in order, largest first")
		}
		last = size
		if core.Time(n) > core.Time(maxSpan)/size || total+core.Time(n)*size > core.Time(maxSpan) {
			return bad("it is longer than " + maxSpan.String())
		}
		total += core.Time(n) * size
		rest = rest[end:]
	}
	return Span(total), nil
}

func (s *Span) setText(text string) (err error) {
	*s, err = ParseSpan(text)
	return err
}

// String is the shortest text ParseSpan reads back: hours only from one hour up, days never.
func (s Span) String() string {
	if s < 0 {
		return "-" + (-s).String()
	}
	if s == 0 {
		return "0s"
	}
	var b strings.Builder
	rest := core.Time(s)
	for _, u := range spanUnits() {
		if u.size == core.Day {
			continue
		}
		if n := rest / u.size; n > 0 {
			b.WriteString(strconv.FormatInt(int64(n), 10) + u.name)
			rest -= n * u.size
		}
	}
	return b.String()
}

// Count is a comparison with a whole number: "17", "= 17", "<= 40", ">= 3", "2..5".
type Count struct {
	Min, Max int64
	Set      bool
}

const maxCount = 1 << 40

func (c *Count) setText(text string) error {
	wrong := fmt.Errorf("%q is no comparison; write 17, \"<= 40\", \">= 3\" or 2..5", text)
	num := func(s string) (int64, bool) {
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		return n, err == nil && n >= 0 && n <= maxCount
	}
	*c = Count{Max: maxCount, Set: true}
	var ok bool
	t := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(t, "<="):
		c.Max, ok = num(t[2:])
	case strings.HasPrefix(t, ">="):
		c.Min, ok = num(t[2:])
	case strings.Contains(t, ".."):
		lo, hi, _ := strings.Cut(t, "..")
		var ok2 bool
		c.Min, ok = num(lo)
		c.Max, ok2 = num(hi)
		ok = ok && ok2 && c.Min <= c.Max
	default:
		c.Min, ok = num(strings.TrimPrefix(t, "="))
		c.Max = c.Min
	}
	if !ok {
		return wrong
	}
	return nil
}

// Holds tells whether n satisfies the comparison.
func (c Count) Holds(n int64) bool { return n >= c.Min && n <= c.Max }

// String is the text setText reads back.
func (c Count) String() string {
	lo, hi := strconv.FormatInt(c.Min, 10), strconv.FormatInt(c.Max, 10)
	switch {
	case c.Min == c.Max:
		return lo
	case c.Max == maxCount:
		return ">= " + lo
	case c.Min == 0:
		return "<= " + hi
	}
	return lo + ".." + hi
}

func (c Count) encodeNode() node {
	if c.Min == c.Max {
		return plain(c.String())
	}
	return text(c.String())
}

// Ratio is a share as "1/3".
type Ratio struct{ Num, Den int64 }

func (r *Ratio) setText(text string) error {
	a, b, found := strings.Cut(text, "/")
	n, err1 := strconv.ParseInt(a, 10, 32)
	m, err2 := strconv.ParseInt(b, 10, 32)
	if !found || err1 != nil || err2 != nil || n < 0 || m < 1 || n > m {
		return fmt.Errorf("%q is no share; write 1/3, from 0/1 to 1/1", text)
	}
	*r = Ratio{n, m}
	return nil
}

// String is "num/den".
func (r Ratio) String() string {
	return strconv.FormatInt(r.Num, 10) + "/" + strconv.FormatInt(r.Den, 10)
}
