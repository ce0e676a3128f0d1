package flow

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/text/brief"
)

// Summary counts the finished flows of a time range.
type Summary struct {
	Total     int
	Failed    int // with a status of 400 or more, or without an answer
	ByHost    []HostCount
	Errors    []ErrorPattern
	Slow      []SlowRequest
	MoreHosts int // number of hosts beyond the limit of ByHost
	Prose     string
}

// HostCount counts the results of the flows to one host.
type HostCount struct {
	Host             string
	Total            int
	Success          int // below 400
	ClientErrors     int
	ServerErrors     int
	ConnectionErrors int     // no answer, or an error
	AvgMS            float64 // average of the known durations, to a tenth
	timed            int
	sum              float64
}

// ErrorPattern is one kind of failure: POST /order -> 500.
type ErrorPattern struct {
	Pattern     string
	Count       int
	First, Last time.Time
}

// SlowRequest took more than SlowMS.
type SlowRequest struct {
	ID, Method, URL string
	TotalMS         float64
	Status          int
}

// SlowMS is the duration above which a request is slow, in milliseconds.
const SlowMS = 1000

// Limits: the distinct hosts and failures that are counted, then the entries that a summary lists.
const (
	mostHosts    = 2_000
	mostPatterns = 2_000
	toldHosts    = 50
	toldErrors   = 20
	toldSlow     = 20
)

// Summer makes a summary of flows in any order. Its memory is bounded. The zero value is ready for use.
type Summer struct {
	sum    Summary
	hosts  map[string]*HostCount
	errors map[string]*ErrorPattern
}

// Add counts a finished flow and ignores others.
func (s *Summer) Add(f *Facets) {
	if !f.Finished() {
		return
	}
	if s.hosts == nil {
		s.hosts, s.errors = map[string]*HostCount{}, map[string]*ErrorPattern{}
	}
	s.sum.Total++
	s.host(f)
	if f.Broken() || f.Status >= 400 {
		s.sum.Failed++
		s.failure(f)
	}
	if f.TotalMS > SlowMS {
		s.slow(f)
	}
}

func (s *Summer) host(f *Facets) {
	name := strings.ToLower(f.Host())
	one := s.hosts[name]
	if one == nil {
		if len(s.hosts) >= mostHosts {
			s.sum.MoreHosts++
			return
		}
		one = &HostCount{Host: name}
		s.hosts[name] = one
	}
	one.Total++
	switch {
	case f.Broken():
		one.ConnectionErrors++
	case f.Status >= 500:
		one.ServerErrors++
	case f.Status >= 400:
		one.ClientErrors++
	default:
		one.Success++
	}
	if f.TotalMS > 0 {
		one.timed++
		one.sum += f.TotalMS
	}
}

func (s *Summer) failure(f *Facets) {
	pattern := Pattern(f)
	one := s.errors[pattern]
	if one == nil {
		if len(s.errors) >= mostPatterns {
			return
		}
		one = &ErrorPattern{Pattern: pattern, First: f.Started, Last: f.Started}
		s.errors[pattern] = one
	}
	one.Count++
	if f.Started.Before(one.First) {
		one.First = f.Started
	}
	if f.Started.After(one.Last) {
		one.Last = f.Started
	}
}

// Pattern is a failure without its varying parts: the query is left out.
func Pattern(f *Facets) string {
	path, _, _ := strings.Cut(f.Path(), "?")
	if f.Broken() {
		return fmt.Sprintf("%s %s -> error (%s)", f.Method, path, cmp.Or(f.Error, string(f.Kind), "no response"))
	}
	return fmt.Sprintf("%s %s -> %d", f.Method, path, f.Status)
}

func (s *Summer) slow(f *Facets) {
	s.sum.Slow = append(s.sum.Slow, SlowRequest{f.ID, f.Method, ShownURL(f.URL), f.TotalMS, f.Status})
	if len(s.sum.Slow) >= 2*toldSlow {
		s.sum.Slow = slowest(s.sum.Slow)
	}
}

func slowest(all []SlowRequest) []SlowRequest {
	slices.SortStableFunc(all, func(a, b SlowRequest) int {
		return cmp.Or(cmp.Compare(b.TotalMS, a.TotalMS), strings.Compare(a.ID, b.ID))
	})
	return all[:min(len(all), toldSlow)]
}

// Summary is the summary of the flows added so far.
func (s *Summer) Summary() Summary {
	out := s.sum
	for _, one := range s.hosts {
		if one.timed > 0 {
			one.AvgMS = math.Round(one.sum/float64(one.timed)*10) / 10
		}
		out.ByHost = append(out.ByHost, *one)
	}
	slices.SortFunc(out.ByHost, func(a, b HostCount) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), strings.Compare(a.Host, b.Host))
	})
	if more := len(out.ByHost) - toldHosts; more > 0 {
		out.MoreHosts += more
		out.ByHost = out.ByHost[:toldHosts]
	}
	for _, one := range s.errors {
		out.Errors = append(out.Errors, *one)
	}
	slices.SortFunc(out.Errors, func(a, b ErrorPattern) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Pattern, b.Pattern))
	})
	out.Errors = out.Errors[:min(len(out.Errors), toldErrors)]
	out.Slow = slowest(slices.Clone(out.Slow))
	out.Prose = out.prose(len(s.hosts))
	return out
}

func (s *Summary) prose(hosts int) string {
	if s.Total == 0 {
		return "No requests."
	}
	text := fmt.Sprintf("%s to %s, %d failed", brief.Count(s.Total, "request"), brief.Count(hosts, "host"), s.Failed)
	if len(s.Errors) > 0 {
		text += fmt.Sprintf("; most often %s (%s)", s.Errors[0].Pattern, brief.Count(s.Errors[0].Count, "time"))
	}
	if len(s.Slow) > 0 {
		text += fmt.Sprintf("; slowest %s %s (%.0f ms)", s.Slow[0].Method, s.Slow[0].URL, s.Slow[0].TotalMS)
	}
	return text + "."
}
