package main

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

const (
	// idleVariable sets when an unused daemon leaves.
	idleVariable = "IOS_AGENT_IDLE_EXIT"
	idleExit     = time.Hour
	// jobVariable sets how long a call waits before it becomes a job.
	jobVariable = "IOS_AGENT_JOB_AFTER"
	// agentWaitVariable sets how long an agent may take to start.
	agentWaitVariable = "IOS_AGENT_AGENT_WAIT"
	// agentPortVariable sets the first port of a range for agents; without it any free port is taken.
	agentPortVariable = "IOS_AGENT_AGENT_PORT"
	// teamVariable is the team that signs the agent for physical devices.
	teamVariable = "IOS_AGENT_TEAM"
	// wdaVariable is a prebuilt WebDriverAgent: its .xctestrun, or the folder that has it.
	wdaVariable = "IOS_AGENT_WDA_PRODUCTS"
	// prewarmVariable "off" starts a device's agent when it is first needed, not when the device is booted.
	prewarmVariable = "IOS_AGENT_PREWARM"
	// implicitVariable sets how long the lease lasts that the first command on a free device takes; 0 takes none.
	implicitVariable = "IOS_AGENT_IMPLICIT_LEASE"
	implicitLease    = 5 * time.Minute
	// macrosVariable "trust" builds with macros of packages that the user has not trusted in Xcode.
	macrosVariable = "IOS_AGENT_MACROS"
	// outputVariable "json" makes the JSON envelope what every command prints, as --json does; --json=false prints text then.
	outputVariable = "IOS_AGENT_OUTPUT"
	// passVariable names variables that programs get besides the usual ones.
	passVariable = "IOS_AGENT_PASS_ENV"
)

// settings are what the environment says about the daemon.
type settings struct {
	idleExit, jobAfter, agentWait, implicit time.Duration
	agentPort                               int
	prewarm, publicOnly, macros             bool
	pass, team, wdaProducts                 string
}

// readSettings reads the environment. A value that makes no sense is a fault: a daemon that ignored it would do
// something else than its user asked for. Clients read it too, because nobody sees why a daemon did not start.
func readSettings(getenv func(string) string) (settings, error) {
	r := reader{getenv: getenv}
	s := settings{
		idleExit:    r.duration(idleVariable, idleExit),
		jobAfter:    r.duration(jobVariable, op.JobAfter),
		agentWait:   r.duration(agentWaitVariable, 0),
		implicit:    r.duration(implicitVariable, implicitLease),
		agentPort:   r.port(agentPortVariable),
		prewarm:     r.choice(prewarmVariable, "on", "off") != "off",
		macros:      r.choice(macrosVariable, "ask", "trust") == "trust",
		pass:        r.names(passVariable),
		team:        r.getenv(teamVariable), // the starting process gets the problems
		wdaProducts: r.getenv(wdaVariable),  // likewise
		publicOnly:  r.choice(xcodebuild.PublicVariable, "0", "1") == "1",
	}
	return s, r.err
}

// outputJSON reports whether commands are to print the envelope.
func outputJSON(getenv func(string) string) (bool, error) {
	r := reader{getenv: getenv}
	return r.choice(outputVariable, "text", "json") == "json", r.err
}

// reader reads variables and keeps the first fault.
type reader struct {
	getenv func(string) string
	err    error
}

func (r *reader) refuse(variable, text, hint string) {
	if r.err == nil {
		r.err = fault.New(fault.InvalidInput, "%s is %q", variable, text).With("variable", variable).WithHint("%s", hint)
	}
}

func (r *reader) duration(variable string, unset time.Duration) time.Duration {
	text := r.getenv(variable)
	if text == "" {
		return unset
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		r.refuse(variable, text, "it is a duration with its unit, such as "+variable+"=90s")
	}
	return d
}

func (r *reader) port(variable string) int {
	text := r.getenv(variable)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		r.refuse(variable, text, "it is a port, such as "+variable+"=43000")
	}
	return int(n)
}

func (r *reader) choice(variable, one, other string) string {
	text := r.getenv(variable)
	if text != "" && text != one && text != other {
		r.refuse(variable, text, "it is "+one+" or "+other+", such as "+variable+"="+other)
	}
	return text
}

func (r *reader) names(variable string) string {
	text := r.getenv(variable)
	for _, name := range namesIn(text) {
		if !variableName.MatchString(name) {
			r.refuse(variable, text, "it is names of variables by commas, such as "+variable+"=SENTRY_AUTH_TOKEN,MATCH_*")
		}
	}
	return text
}

// namesIn are the names of variables in a text, separated by commas; a name that ends in * is a prefix.
func namesIn(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' })
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\*?$`)
