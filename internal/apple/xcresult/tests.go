package xcresult

import (
	"strconv"
	"strings"

	"ios-agent/internal/apple/jsondoc"
)

// The results of a test.
const (
	Passed          = "Passed"
	Failed          = "Failed"
	Skipped         = "Skipped"
	ExpectedFailure = "Expected Failure"
)

// Summary is `get test-results summary`.
type Summary struct {
	Title            string        `json:"title,omitempty"`
	Result           string        `json:"result,omitempty"`
	Environment      string        `json:"environmentDescription,omitempty"`
	Total            int           `json:"totalTestCount,omitempty"`
	Passed           int           `json:"passedTests,omitempty"`
	Failed           int           `json:"failedTests,omitempty"`
	Skipped          int           `json:"skippedTests,omitempty"`
	ExpectedFailures int           `json:"expectedFailures,omitempty"`
	StartTime        float64       `json:"startTime,omitempty"`
	FinishTime       float64       `json:"finishTime,omitempty"`
	Failures         []TestFailure `json:"testFailures,omitempty"`
	Insights         []Insight     `json:"topInsights,omitempty"`
	Statistics       []Statistic   `json:"statistics,omitempty"`
	Runs             []Run         `json:"devicesAndConfigurations,omitempty"`
	Extra            jsondoc.Extra `json:"-"`
}

// TestFailure is one failed test of a summary.
type TestFailure struct {
	Test       string        `json:"testName,omitempty"`
	Target     string        `json:"targetName,omitempty"`
	Text       string        `json:"failureText,omitempty"`
	Identifier string        `json:"testIdentifierString,omitempty"`
	URL        string        `json:"testIdentifierURL,omitempty"`
	Extra      jsondoc.Extra `json:"-"`
}

// Insight is an observation of Xcode over all tests.
type Insight struct {
	Category string        `json:"category,omitempty"`
	Impact   string        `json:"impact,omitempty"`
	Text     string        `json:"text,omitempty"`
	Extra    jsondoc.Extra `json:"-"`
}

// Statistic is a pair of texts.
type Statistic struct {
	Title    string        `json:"title,omitempty"`
	Subtitle string        `json:"subtitle,omitempty"`
	Extra    jsondoc.Extra `json:"-"`
}

// Run is one device with one configuration of a test plan.
type Run struct {
	Device           Device        `json:"device,omitzero"`
	Passed           int           `json:"passedTests,omitempty"`
	Failed           int           `json:"failedTests,omitempty"`
	Skipped          int           `json:"skippedTests,omitempty"`
	ExpectedFailures int           `json:"expectedFailures,omitempty"`
	Extra            jsondoc.Extra `json:"-"`
}

// Device is the device of a test run or of a build.
type Device struct {
	ID           string        `json:"deviceId,omitempty"`
	Name         string        `json:"deviceName,omitempty"`
	Model        string        `json:"modelName,omitempty"`
	Platform     string        `json:"platform,omitempty"`
	OS           string        `json:"osVersion,omitempty"`
	Build        string        `json:"osBuildNumber,omitempty"`
	Architecture string        `json:"architecture,omitempty"`
	Extra        jsondoc.Extra `json:"-"`
}

// Tests is `get test-results tests`.
type Tests struct {
	Devices []Device      `json:"devices,omitempty"`
	Nodes   []Node        `json:"testNodes,omitempty"`
	Extra   jsondoc.Extra `json:"-"`
}

// Node is one node of the tree: a plan, a bundle, a suite, a case, an argument, a repetition, a message.
type Node struct {
	Name       string        `json:"name,omitempty"`
	Type       string        `json:"nodeType,omitempty"`
	Identifier string        `json:"nodeIdentifier,omitempty"`
	URL        string        `json:"nodeIdentifierURL,omitempty"`
	Result     string        `json:"result,omitempty"`
	Details    string        `json:"details,omitempty"`
	Duration   string        `json:"duration,omitempty"`
	Seconds    float64       `json:"durationInSeconds,omitempty"`
	Tags       []string      `json:"tags,omitempty"`
	Children   []Node        `json:"children,omitempty"`
	Extra      jsondoc.Extra `json:"-"`
}

// The types of nodes that callers decide by.
const (
	NodeCase     = "Test Case"
	NodeFailure  = "Failure Message"
	NodeArgument = "Arguments"
	NodeRepeat   = "Repetition"
	NodeWarning  = "Runtime Warning"
)

// Details is `get test-results test-details`.
type Details struct {
	Name        string        `json:"testName,omitempty"`
	Identifier  string        `json:"testIdentifier,omitempty"`
	URL         string        `json:"testIdentifierURL,omitempty"`
	Result      string        `json:"testResult,omitempty"`
	Description string        `json:"testDescription,omitempty"`
	Duration    string        `json:"duration,omitempty"`
	Seconds     float64       `json:"durationInSeconds,omitempty"`
	Devices     []Device      `json:"devices,omitempty"`
	Runs        []Node        `json:"testRuns,omitempty"`
	Extra       jsondoc.Extra `json:"-"`
}

// Activities is `get test-results activities`.
type Activities struct {
	Name       string        `json:"testName,omitempty"`
	Identifier string        `json:"testIdentifier,omitempty"`
	URL        string        `json:"testIdentifierURL,omitempty"`
	Runs       []ActivityRun `json:"testRuns,omitempty"`
	Extra      jsondoc.Extra `json:"-"`
}

// ActivityRun is one run of a test, step by step.
type ActivityRun struct {
	Device     Device        `json:"device,omitzero"`
	Activities []Activity    `json:"activities,omitempty"`
	Extra      jsondoc.Extra `json:"-"`
}

// Activity is one step of a test.
type Activity struct {
	Title       string        `json:"title,omitempty"`
	StartTime   float64       `json:"startTime,omitempty"`
	Failure     bool          `json:"isAssociatedWithFailure,omitempty"`
	Attachments []Attachment  `json:"attachments,omitempty"`
	Children    []Activity    `json:"childActivities,omitempty"`
	Extra       jsondoc.Extra `json:"-"`
}

// Attachment is a file kept with a step.
type Attachment struct {
	Name      string        `json:"name,omitempty"`
	UUID      string        `json:"uuid,omitempty"`
	PayloadID string        `json:"payloadId,omitempty"`
	Extra     jsondoc.Extra `json:"-"`
}

// Walk visits every node with its ancestors.
func (t Tests) Walk(visit func(n Node, above []Node)) {
	for _, n := range t.Nodes {
		n.walk(nil, visit)
	}
}

func (n Node) walk(above []Node, visit func(Node, []Node)) {
	visit(n, above)
	above = append(above[:len(above):len(above)], n)
	for _, c := range n.Children {
		c.walk(above, visit)
	}
}

// Case is a test case with its failures.
type Case struct {
	Node
	Bundle   string
	Messages []Message
	Warnings []string // runtime warnings, of passed tests too
}

// Message is one failure, with the argument or repetition it belongs to.
type Message struct {
	File string
	Line int
	Text string
	Of   string
}

// Cases are the test cases in their order.
func (t Tests) Cases() []Case {
	var all []Case
	t.Walk(func(n Node, above []Node) {
		if n.Type != NodeCase {
			return
		}
		c := Case{Node: n}
		for _, a := range above {
			if strings.HasSuffix(a.Type, "bundle") {
				c.Bundle = a.Name
			}
		}
		for _, child := range n.Children {
			child.walk(nil, func(m Node, within []Node) {
				switch m.Type {
				case NodeFailure:
					c.Messages = append(c.Messages, message(m.Name, within))
				case NodeWarning:
					c.Warnings = append(c.Warnings, m.Name)
				}
			})
		}
		all = append(all, c)
	})
	return all
}

// message reads `File.swift:12: text`; line 0 means that the place is unknown.
func message(s string, within []Node) Message {
	m := Message{Text: s}
	var of []string
	for _, w := range within {
		if w.Type == NodeArgument || w.Type == NodeRepeat || w.Type == "Device" || w.Type == "Test Plan Configuration" {
			of = append(of, w.Name)
		}
	}
	m.Of = strings.Join(of, ", ")
	file, rest, ok := strings.Cut(s, ":")
	line, text, ok2 := strings.Cut(rest, ": ")
	if n, err := strconv.Atoi(line); ok && ok2 && err == nil && n >= 0 && file != "" {
		m.Text = text
		if n > 0 {
			m.File, m.Line = file, n
		}
	}
	return m
}
