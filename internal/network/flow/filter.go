package flow

import (
	"strings"
	"time"
)

// Filter selects flows. The zero value of a field accepts all.
type Filter struct {
	Host                 string // exact, upper and lower case are equal; with a port, only that port
	Path                 string // a part of the path with its query; capitals count
	Method               string // upper and lower case are equal
	StatusMin, StatusMax int    // with a bound, only flows with a response
	HasError             *bool  // that ended without an answer or with an error
	Failed               bool   // answered with 400 or more, or HasError
	Since, Until         time.Time
	Device, App          string
	OrUnknown            bool // also flows of an unknown device
	ClientIP             string
	After                int64 // later than this arrival number
	Finished             bool  // only flows that have ended
}

// Fits reports whether the filter accepts a flow.
func (q Filter) Fits(f *Flow) bool {
	facets := f.Facets()
	return q.FitsFacets(&facets)
}

// FitsFacets reports whether the filter accepts a flow with these facets.
func (q Filter) FitsFacets(f *Facets) bool {
	return f.Number > q.After &&
		(q.Method == "" || strings.EqualFold(q.Method, f.Method)) &&
		(q.Device == "" || q.Device == f.Device || q.OrUnknown && f.Device == "") && (q.App == "" || q.App == f.App) &&
		(q.ClientIP == "" || q.ClientIP == f.ClientIP) &&
		(q.Since.IsZero() || !f.Started.Before(q.Since)) && (q.Until.IsZero() || !f.Started.After(q.Until)) &&
		(!q.Finished || f.Finished()) && (q.HasError == nil || *q.HasError == f.Broken()) &&
		(!q.Failed || f.Broken() || f.Status >= 400) &&
		q.fitsStatus(f.Status) && q.fitsHost(f) && (q.Path == "" || strings.Contains(f.Path(), q.Path))
}

func (q Filter) fitsStatus(status int) bool {
	if q.StatusMin == 0 && q.StatusMax == 0 {
		return true
	}
	return status != 0 && status >= q.StatusMin && (q.StatusMax == 0 || status <= q.StatusMax)
}

func (q Filter) fitsHost(f *Facets) bool {
	if q.Host == "" || strings.EqualFold(q.Host, f.Host()) {
		return true
	}
	host, _ := Place(f.URL)
	return strings.EqualFold(q.Host, host)
}
