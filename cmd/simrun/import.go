package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"graspsync/importer"
	"graspsync/scenarios"
)

// importCmd turns real events into a scenario.
type importCmd struct {
	Events   string   `arg:"" name:"events" help:"Dump of NIP-34 events, one JSON object per line; - is standard input."`
	Service  string   `placeholder:"HOST" help:"Our authority; default the host in most clone and relays tags alike."`
	Output   string   `short:"o" placeholder:"FILE" help:"Write the scenario; - is standard output (the summary then goes to standard error)."`
	Name     string   `help:"Name of the scenario; default from the output file."`
	Arrivals string   `placeholder:"LOG" help:"A relay's log: order and instants of arrival; default created_at."`
	Window   string   `placeholder:"SPAN" help:"Squeeze the arrivals by created_at into this; default 10m, real keeps the real distances."`
	Client   bool     `help:"The events come from clients, not from other relays."`
	Class    []string `sep:"none" placeholder:"HOST=CLASS" help:"How a host behaves, * for all others: ok, empty, typical, flaky, indexing, throttle:N, or an answer as stall, dns, html, 429. May be repeated."`
	Holder   []string `sep:"none" placeholder:"ID=HOST,…" help:"Only these hosts have the data of the repository with this identifier. May be repeated."`
}

// Run imports and prints the summary. Nothing to hunt is a failure: such a scenario would prove nothing.
func (c *importCmd) Run(a *app, code *int) error {
	opt, err := c.options()
	if err != nil {
		return err
	}
	if c.Arrivals != "" {
		log, err := os.Open(c.Arrivals)
		if err != nil {
			return err
		}
		defer log.Close()
		opt.RelayLog = bufio.NewReader(log)
	}
	in := io.Reader(os.Stdin)
	if c.Events != "-" {
		f, err := os.Open(c.Events)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	s, sum, err := importer.Import(in, opt)
	summaryTo := a.out
	if c.Output == "-" {
		summaryTo = a.err
	}
	if sum != nil {
		if e := sum.Write(summaryTo); e != nil {
			return e
		}
	}
	switch {
	case errors.Is(err, importer.ErrNoHunt):
		*code = exitUsage
		fmt.Fprintf(a.err, "simrun: %s: %v\n", c.Events, err)
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", c.Events, err)
	}
	return c.write(a, s)
}

// options checks what the flags say.
func (c *importCmd) options() (o importer.Options, err error) {
	o = importer.Options{Name: c.Name, Service: c.Service, Client: c.Client}
	if o.Name == "" && c.Output != "" && c.Output != "-" {
		o.Name = strings.TrimSuffix(filepath.Base(c.Output), filepath.Ext(c.Output))
	}
	switch c.Window {
	case "":
	case "real":
		o.Window = -1
	default:
		if o.Window, err = scenarios.ParseSpan(c.Window); err != nil {
			return o, fmt.Errorf("--window: %w", err)
		}
		if o.Window == 0 {
			return o, errors.New("--window is 0, must be longer (or real)")
		}
	}
	for _, text := range c.Class {
		host, class, ok := strings.Cut(text, "=")
		if !ok || host == "" || class == "" {
			return o, fmt.Errorf("--class %s: write HOST=CLASS, as github.com=throttle:15", text)
		}
		if o.Classes == nil {
			o.Classes = map[string]string{}
		}
		o.Classes[host] = class
	}
	for _, text := range c.Holder {
		id, hosts, ok := strings.Cut(text, "=")
		if !ok || id == "" || hosts == "" {
			return o, fmt.Errorf("--holder %s: write ID=HOST or ID=HOST,HOST", text)
		}
		if o.Holders == nil {
			o.Holders = map[string][]string{}
		}
		o.Holders[id] = append(o.Holders[id], strings.Split(hosts, ",")...)
	}
	return o, nil
}

func (c *importCmd) write(a *app, s *scenarios.Scenario) error {
	text := s.Encode()
	switch c.Output {
	case "":
		fmt.Fprintln(a.out, "nothing written; -o FILE keeps the scenario")
		return nil
	case "-":
		_, err := a.out.Write(text)
		return err
	}
	if err := os.WriteFile(c.Output, text, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "written to %s; run it: go run ./cmd/simrun run %s\n", c.Output, quote(c.Output))
	return nil
}
