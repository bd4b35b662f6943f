package rules

const casesIntro = "# Test cases\n\n" + generated + "Cases from the public tests of implementations and from the rules, by number. Only those stand here that a scenario or\n" +
	"test shows; the others wait for the relay or for relay-to-relay sync.\n"

const faultsIntro = "# Faults\n\n" + generated + "Defects of published designs, and the mutants made from them, that a scenario or test would notice.\n"

// Cases lists the test cases that are shown.
func Cases() []Row { return nil }

// Faults lists the known faults that something here would notice.
func Faults() []Row { return nil }
