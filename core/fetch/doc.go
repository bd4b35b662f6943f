// Package fetch decides what one pass asks of one remote URL, step by step: compare the advertised refs,
// fetch the needed tips in one batch, then ask for what is left one by one, and fetch what of that is
// there. It also keeps the memory of what a URL has said it lacks (F-01 … F-05).
//
//	Comparing ─► Batch ─► Probing ─► Extra ─► Ending
//	    │          ▲ only if a needed OID is advertised
//	    └──────────┴──► any fault ────────────► Ending
//
// What may enter: decisions about one pass, given what is needed and what was answered. What may not:
// permits, waves, other passes, time sources.
package fetch
