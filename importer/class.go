package importer

import (
	"fmt"
	"strconv"
	"strings"

	"graspsync/core"
	"graspsync/scenarios"
)

// Empty is the class of a host that answers as a healthy one and has nothing.
const Empty = "empty"

// hostOf is the simulated host of a class: "ok" answers at once, "empty" answers and has nothing;
// "typical", "flaky" and "indexing" are the kinds of host a scenario knows; "throttle:N" lets N requests
// per minute pass; any other word is the answer to every request, as stall, dns, html or 429.
func hostOf(class string) (h scenarios.Host, err error) {
	var b scenarios.Behaviour
	word, arg, hasArg := strings.Cut(class, ":")
	switch {
	case class == "ok":
	case class == Empty:
		b.Like = "typical"
	case class == "typical", class == "flaky", class == "indexing":
		b.Like = class
	case word == "throttle":
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 || n > 1<<16 {
			return h, fmt.Errorf("class is %q, must be throttle:N with N from 1 to 65536", class)
		}
		b.Like, b.Rule = "typical", scenarios.Rule{Answer: word, Limit: n, Window: scenarios.Span(core.Minute)}
	case class == "drip":
		b.Rule = scenarios.Rule{Answer: class, BytesPerSec: 100}
	case hasArg || class == "" || class == "redirect":
		return h, fmt.Errorf("class is %q, must be ok, empty, typical, flaky, indexing, throttle:N or an answer as stall, dns, html, 429", class)
	default:
		b.Rule = scenarios.Rule{Answer: class}
	}
	h.Script = []scenarios.Phase{{Behaviour: b}}
	return h, nil
}

// classOf is the class a host has under the assignment: its own, that of "*", or "typical".
func classOf(classes map[string]string, host string) string {
	if c, ok := classes[host]; ok {
		return c
	}
	if c, ok := classes["*"]; ok {
		return c
	}
	return "typical"
}
