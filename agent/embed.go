// Package agent embeds the Swift sources of the XCTest agent, which ios-agent compiles on the user's Mac. Sources is the embedded file
// system; driver/xctest/agentsource writes it out as an Xcode project. The folder is also a Swift package, so that `make test-agent` can
// build and test everything on any machine, except the thin layer over XCUITest.
package agent

import "embed"

// Sources are the folders of the agent's Xcode project, below Sources.
//
//go:embed Sources/AgentApp Sources/AgentCore Sources/AgentObjC Sources/AgentXCUI
var Sources embed.FS
