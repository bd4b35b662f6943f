package main

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
)

// bar shows how far a long list of runs is; without a terminal it is silent.
type bar struct{ b *progressbar.ProgressBar }

// barFrom is the number of runs from which a bar is worth its line.
const barFrom = 8

func (a *app) progress(runs int) bar {
	if runs < barFrom || !isTerminal(a.err) {
		return bar{}
	}
	return bar{progressbar.NewOptions(runs, progressbar.OptionSetWriter(a.err), progressbar.OptionSetDescription("running"),
		progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish())}
}

func (b bar) done() {
	if b.b != nil {
		_ = b.b.Add(1) // a broken terminal must not fail the run
	}
}

func (b bar) finish() {
	if b.b != nil {
		_ = b.b.Finish()
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
