package sim

import (
	"slices"

	"graspsync/core"
)

// observe folds one step into the record.
func (r *Record) observe(now core.Time, in *core.Input, out []core.Effect) {
	switch in.Kind {
	case core.InEvent, core.InServed:
		e := r.seen(in.Event.ID, now)
		e.Kind = in.Event.Kind
		if in.Kind == core.InServed {
			e.Stored = now
		}
	case core.InCompared, core.InFetched, core.InProbed, core.InPassEnded:
		r.completed(now, in)
	case core.InRestarted:
		for i := len(r.Passes) - 1; i >= 0; i-- {
			if p := &r.Passes[i]; p.End < 0 {
				p.End, p.Class = now, core.Lost
			}
		}
		clear(r.pass)
	case core.InPushAsked:
		if len(r.Pushes) < recordMax {
			r.push[in.Push.ID] = len(r.Pushes)
			r.Pushes = append(r.Pushes, PushRecord{ID: in.Push.ID, Asked: now, AnsweredAt: -1})
		}
	case core.InPushEnded:
		if p := r.Push(in.Push.ID); p != nil {
			p.Class = in.Class
		}
	}
	for i := range out {
		r.effect(now, in, &out[i])
	}
}

func (r *Record) completed(now core.Time, in *core.Input) {
	i, ok := r.pass[in.Ask]
	if !ok {
		return
	}
	p := &r.Passes[i]
	switch in.Kind {
	case core.InPassEnded:
		p.End, p.Requests, p.Bytes = now, in.Requests, in.Bytes
		if in.Class != core.OK {
			p.Class = in.Class
		}
		delete(r.pass, in.Ask)
		return
	case core.InFetched:
		p.Supplied = len(in.OIDs)
	}
	p.Class = in.Class
}

func (r *Record) effect(now core.Time, in *core.Input, e *core.Effect) {
	switch e.Kind {
	case core.EfCompare:
		if len(r.Passes) < recordMax {
			r.pass[e.Ask] = len(r.Passes)
			r.Passes = append(r.Passes, PassRecord{Ask: e.Ask, Hunt: e.Hunt, Attempt: e.Attempt, Wave: e.Wave, Hedge: e.Hedge,
				URL: e.URL, Domain: e.Domain, Repo: e.Repo, Start: now, End: -1})
		}
	case core.EfStoreEvent:
		r.seen(e.Event, now).Stored = now
	case core.EfNotify:
		r.seen(e.Event, now).Notified = now
	case core.EfAnswer:
		ev := r.seen(e.Event, now)
		ev.Answers = append(ev.Answers, AnswerRecord{now, e.OK, e.Text})
	case core.EfPushVerdict:
		if p := r.Push(e.Push); p != nil {
			p.Verdicts = append(p.Verdicts, VerdictRecord{AnswerRecord{now, e.OK, e.Text}, slices.Clone(e.Refs), slices.Clone(e.Old)})
		}
	case core.EfAnswerPush:
		if p := r.Push(e.Push); p != nil {
			p.AnsweredAt, p.OK, p.Text = now, e.OK, e.Text
		}
	case core.EfReport:
		r.report(now, e)
	}
}

func (r *Record) report(now core.Time, e *core.Effect) {
	if e.Report == core.RepPass {
		return
	}
	rep := ReportRecord{At: now, Report: e.Report, Hunt: e.Hunt, Into: e.Into, Attempt: e.Attempt, Domain: e.Domain, URL: e.URL,
		Repo: e.Repo, Ask: e.Ask, Event: e.Event, Class: e.Class, Deadline: e.Deadline, Text: e.Text}
	if len(r.Reports) < recordMax {
		r.Reports = append(r.Reports, rep)
	}
	switch e.Report {
	case core.RepAttemptStarted:
		if len(r.Attempts) < recordMax {
			r.Attempts = append(r.Attempts, AttemptRecord{Hunt: e.Hunt, Attempt: e.Attempt, Start: now, End: -1})
		}
		return
	case core.RepAttemptEnded:
		for i := len(r.Attempts) - 1; i >= 0; i-- {
			if a := &r.Attempts[i]; a.Hunt == e.Hunt && a.Attempt == e.Attempt {
				a.End = now
				break
			}
		}
		return
	case core.RepHeld:
		ev := r.seen(e.Event, now)
		ev.Held, ev.Deadline, ev.Hunt, ev.EndedAt, ev.Ended = now, e.Deadline, e.Hunt, -1, core.RepNone
	case core.RepRevived, core.RepExtended, core.RepSoftExpired:
		r.seen(e.Event, now).Deadline = e.Deadline
	default:
		if !e.Report.Ends() {
			return
		}
		ev := r.seen(e.Event, now)
		ev.EndedAt, ev.Ended = now, e.Report
	}
	ev := r.seen(e.Event, now)
	ev.History = append(ev.History, rep)
}
