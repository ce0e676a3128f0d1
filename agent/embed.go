// Package agent holds the sources of the XCTest agent, as they are compiled on a Mac. The folder is a Swift package too,
// so that all but the thin layer over XCUITest is built and tested anywhere: `make test-agent`.
package agent

import "embed"

// Sources are the folders of the agent's Xcode project, below Sources.
//
//go:embed Sources/AgentApp Sources/AgentCore Sources/AgentObjC Sources/AgentXCUI
var Sources embed.FS
