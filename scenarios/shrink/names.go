package shrink

func names(g *gate, label string) {}
