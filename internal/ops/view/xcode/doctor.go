package xcode

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/fault/mask"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/system"
)

// doctorIn are the inputs of the doctor.
type doctorIn struct {
	Enabled bool `json:"enabled,omitempty" doc:"ignored" cli:"-"`
	Plain   bool `json:"nonRedacted,omitempty" doc:"show the user's paths, names and values; secrets stay hidden"`
}

// doctorOut is XcodeBuildMCP's report: the checks, the machine and its environment.
type doctorOut struct {
	Healthy bool              `json:"healthy"`
	Checks  []system.Check    `json:"checks"`
	System  map[string]string `json:"system"`
	Env     map[string]string `json:"environment"`
	Tools   map[string]int    `json:"tools"` // number of tools by group
	Works   []string          `json:"works"`
	Lacks   []string          `json:"lacks"`
}

// Text is the report.
func (o doctorOut) Text() string {
	lines := []string{system.DoctorOut{Healthy: o.Healthy, Checks: o.Checks}.Text(), "works: " + strings.Join(o.Works, ", ")}
	if len(o.Lacks) > 0 {
		lines = append(lines, "missing: "+strings.Join(o.Lacks, ", "))
	}
	for _, table := range []struct {
		title string
		rows  map[string]string
	}{{"system", o.System}, {"environment", o.Env}} {
		lines = append(lines, table.title+":")
		for _, key := range slices.Sorted(maps.Keys(table.rows)) {
			lines = append(lines, "  "+key+": "+table.rows[key])
		}
	}
	count := 0
	for _, n := range o.Tools {
		count += n
	}
	return strings.Join(append(lines, fmt.Sprintf("tools: %d places in %d groups", count, len(o.Tools))), "\n")
}

// features are the product's features, each with the check that it depends on.
var features = []struct{ feature, check string }{
	{"building and testing", "toolchain"}, {"simulators", "devices"}, {"ui automation", "agent"},
	{"physical devices", "devicectl"}, {"swift packages", "swift"},
}

// doctor is the doctor in XcodeBuildMCP's shape, which also counts the tools of each group.
func (v views) doctor(tools func() []op.Op) op.Op {
	spec := taking(time.Minute, tool(Doctor,
		"Report on Xcode, tools, machine and environment, and what works", readOnly, "doctor"))
	return op.New(spec, func(ctx context.Context, c *op.Call, in doctorIn) (doctorOut, error) {
		report, err := v.core.System.Doctor(ctx, c, system.DoctorIn{})
		if err != nil {
			return doctorOut{}, err
		}
		out := doctorOut{
			Healthy: report.Healthy, Checks: report.Checks, System: v.core.System.Machine(), Env: v.core.System.Environ(c.Env, matters),
			Tools: map[string]int{},
		}
		for _, o := range tools() {
			for _, g := range o.Groups {
				out.Tools[g]++
			}
		}
		for _, f := range features {
			i := slices.IndexFunc(out.Checks, func(c system.Check) bool { return c.Name == f.check })
			if i >= 0 && out.Checks[i].Status == "ok" {
				out.Works = append(out.Works, f.feature)
			} else {
				out.Lacks = append(out.Lacks, f.feature)
			}
		}
		for key := range out.Env {
			if strings.HasPrefix(key, mask.Prefix) || !in.Plain && mask.Named(key) {
				out.Env[key] = "<hidden>"
			}
		}
		if !in.Plain {
			out.redact()
		}
		return out, nil
	})
}

// matters reports whether the report shows a variable of the environment.
func matters(name string) bool {
	return slices.Contains([]string{"PATH", "DEVELOPER_DIR", "HOME", "USER", "TMPDIR", "SHELL", "LANG"}, name) ||
		strings.HasPrefix(name, "IOS_AGENT_") || strings.HasPrefix(name, "XCODEBUILDMCP_")
}

// redact hides the user's name, home folder and host, because people paste reports into public places.
func (o *doctorOut) redact() {
	home, name, machine := o.System["home"], o.System["user"], o.System["host"]
	hide := func(text string) string {
		if len(home) > 1 {
			text = strings.ReplaceAll(text, home, "~")
		}
		for _, word := range []string{name, machine} {
			if len(word) > 2 {
				text = regexp.MustCompile(`\b`+regexp.QuoteMeta(word)+`\b`).ReplaceAllString(text, "<hidden>")
			}
		}
		return text
	}
	for _, table := range []map[string]string{o.System, o.Env} {
		for key, value := range table {
			table[key] = hide(value)
		}
	}
	o.System["user"], o.System["host"] = "<hidden>", "<hidden>"
	for i := range o.Checks {
		o.Checks[i].Message, o.Checks[i].Hint = hide(o.Checks[i].Message), hide(o.Checks[i].Hint)
	}
}
