package xcodebuild

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/xcresult"
)

// Faults reports faults.
type Faults interface {
	// TakeFaults returns the faults that happen now to a device ("" means no specific device), with their details.
	TakeFaults(ctx context.Context, udid string, names ...string) (map[string]map[string]string, error)
}

func (t Tool) taken(ctx context.Context, udid string, names ...string) (map[string]map[string]string, error) {
	if t.Faults == nil {
		return nil, nil
	}
	return t.Faults.TakeFaults(ctx, udid, names...)
}

// trouble applies the faults of the agent's start. calm releases their resources.
func (t Tool) trouble(ctx context.Context, udid, address string) (calm func(), err error) {
	calm = func() {}
	happens, err := t.taken(ctx, udid, flaw.AgentPortTaken, flaw.AgentExitsEarly, flaw.AgentNeverReady, flaw.AgentFloodsOutput)
	if err != nil {
		return calm, err
	}
	if flood := happens[flaw.AgentFloodsOutput]; flood != nil {
		t.flood(flood["kilobytes"])
	}
	if happens[flaw.AgentExitsEarly] != nil {
		fmt.Fprint(t.Stderr, "xcodebuild[1317:5775] Error Domain=IDETestOperationsObserverErrorDomain Code=5 \"Early unexpected exit, "+
			"operation never finished bootstrapping - no restart will be attempted\"\n\n")
		return calm, appleError(fmt.Sprintf("Test target %s encountered an error (Early unexpected exit, operation never finished "+
			"bootstrapping - no restart will be attempted)", t.Scheme.Name))
	}
	if happens[flaw.AgentNeverReady] != nil {
		<-ctx.Done()
		return calm, ctx.Err()
	}
	if happens[flaw.AgentPortTaken] != nil {
		return occupy(address)
	}
	return calm, nil
}

// flood prints many lines on both streams.
func (t Tool) flood(kilobytes string) {
	n, _ := strconv.Atoi(kilobytes) // validated when the fault was armed
	line := append(bytes.Repeat([]byte("t =     0.00s Wait for idle. "), 36)[:1023], '\n')
	for range n {
		t.Stdout.Write(line)
		t.Stderr.Write(line)
	}
}

// occupy plays another program on a port: it closes every connection.
func occupy(address string) (leave func(), err error) {
	stranger, err := net.Listen("tcp", address)
	if err != nil {
		return func() {}, err
	}
	go func() {
		for {
			conn, err := stranger.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	return func() { stranger.Close() }, nil
}

// plannedFailure is the kind of an armed build failure, or "".
func (s *session) plannedFailure(ctx context.Context) (string, error) {
	happens, err := s.taken(ctx, "", flaw.BuildFails)
	return happens[flaw.BuildFails]["kind"], err
}

// failOnDemand fails a target like the compiler or the signing step.
func (s *session) failOnDemand(b buildable, kind string) error {
	name := b.target.Name
	switch kind {
	case "compile":
		in, err := s.readInputs(b)
		if err != nil || len(in.sources) == 0 {
			return err
		}
		i := issue{path: in.sources[0].path, line: 1, column: 1, severity: "error", message: "cannot find 'undefined' in scope"}
		s.say("%s:%d:%d: error: %s\n\n", i.path, i.line, i.column, i.message)
		s.keep(b, []issue{i})
		return failedBuild{first: i.message, commands: []string{fmt.Sprintf("SwiftCompile normal arm64 %s (in target '%s' from "+
			"project '%s')",
			escapePath(i.path), name, s.container.Name)}}
	case "signing":
		text := fmt.Sprintf("Signing for \"%s\" requires a development team. Select a development team in the Signing & "+
			"Capabilities editor.", name)
		s.say("%s: error: %s (in target '%s' from project '%s')\n", strings.TrimSuffix(s.container.Path, "/"), text, name, s.container.Name)
		s.result.Build.Errors = append(s.result.Build.Errors, xcresult.Issue{Type: "Uncategorized", Message: text, Target: name})
		return failedBuild{first: text}
	}
	return nil
}

// appleError is an error in Apple's exact words, capital letters included.
type appleError string

func (a appleError) Error() string { return string(a) }
