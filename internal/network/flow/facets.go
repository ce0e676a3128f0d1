package flow

import (
	"net"
	"strconv"
	"strings"
	"time"
)

// Facets are the fields by which flows are selected and counted. They are small: a list of many flows needs only them.
type Facets struct {
	ID       string
	Number   int64
	Started  time.Time
	State    State
	Method   string
	URL      string
	Status   int // 0 without a response
	Kind     TroubleKind
	Error    string // its first bytes
	TotalMS  float64
	Device   string
	App      string
	Process  string
	ClientIP string
	Rule     string
	Size     int64 // bytes of the flow in the store
}

// mostError is the maximum length of an error in the facets, in bytes.
const mostError = 200

// Facets gives the facets of a flow.
func (f *Flow) Facets() Facets {
	out := Facets{
		ID: f.ID, Number: f.Number, Started: f.Started, State: f.State, Method: f.Request.Method, URL: f.Request.URL, Kind: f.Kind,
		Error: firstBytes(f.Error, mostError), TotalMS: f.Timing.Total, Device: f.Client.Simulator, App: f.Client.App,
		Process: f.Client.Process, ClientIP: ipOf(f.Client.Address), Rule: f.Rule,
	}
	if f.Response != nil {
		out.Status = f.Response.Status
	}
	return out
}

func firstBytes(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

func ipOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}

// Finished reports whether the flow has ended.
func (f *Facets) Finished() bool { return f.State == Done || f.State == Failed }

// Broken reports a connection error: the flow ended without an answer, or with an error.
func (f *Facets) Broken() bool {
	return f.State == Failed || f.Error != "" || f.Kind != "" || f.Finished() && f.Status == 0
}

// Host is the name of the server, without its port.
func (f *Facets) Host() string {
	host, _ := Place(f.URL)
	if name, port, err := net.SplitHostPort(host); err == nil && port != "" {
		return name
	}
	return strings.Trim(host, "[]")
}

// Path is the path with the query.
func (f *Facets) Path() string {
	_, path := Place(f.URL)
	return path
}

// Place splits a URL into its host, with the port, and its path with the query.
func Place(url string) (host, path string) {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return "", url
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, path = rest[:end], rest[end:]
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return host, path
}

// Line writes the facets that have no column in the store, in one line.
func (f *Facets) Line() string {
	fields := []string{
		string(f.State), f.Method, strconv.Itoa(f.Status), string(f.Kind), f.Error, strconv.FormatFloat(f.TotalMS, 'f', -1, 64),
		f.Process, f.ClientIP, f.Rule, strconv.FormatInt(f.Size, 10),
	}
	for i, one := range fields {
		fields[i] = strings.ReplaceAll(one, "\t", " ")
	}
	return strings.Join(fields, "\t") + "\t" + f.URL // the last field may contain tabs
}

// lineFields is the number of fields in a line.
const lineFields = 11

// ReadLine reads a line that Line wrote. It reports success.
func (f *Facets) ReadLine(line string) bool {
	var fields [lineFields]string
	for i := range lineFields - 1 {
		field, rest, ok := strings.Cut(line, "\t")
		if !ok {
			return false
		}
		fields[i], line = field, rest
	}
	f.State, f.Method, f.Kind, f.Error = State(fields[0]), fields[1], TroubleKind(fields[3]), fields[4]
	f.Process, f.ClientIP, f.Rule, f.URL = fields[6], fields[7], fields[8], line
	var err [3]error
	f.Status, err[0] = strconv.Atoi(fields[2])
	f.TotalMS, err[1] = strconv.ParseFloat(fields[5], 64)
	f.Size, err[2] = strconv.ParseInt(fields[9], 10, 64)
	return err[0] == nil && err[1] == nil && err[2] == nil
}
