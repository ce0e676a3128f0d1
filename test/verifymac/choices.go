package main

import (
	"os"

	"ios-agent/internal/driver/idb"
	"ios-agent/internal/machine/host"
)

// onExample builds the example of the SDK and drives it by the identifiers that the SDK makes. The SDK's own macro runs while it builds:
// its package swift-syntax comes from the network.
func (t *trial) onExample() part {
	run := []string{"run", "--project-path", t.copied("Example", "Example.xcodeproj"), "--simulator-id", "@" + simulatorKey,
		"--extra-args=-skipMacroValidation", "--launch-args=-AgentNoAnimations"}
	offline := absence{[]string{"Could not resolve package dependencies", "Failed to clone repository", "Could not resolve host"},
		lack{"the package swift-syntax cannot be fetched", "connect the Mac to the network, then: scripts/verify-mac --only sdk"}}
	const needsExample, breaks = "sdk-run", "an app that uses the SDK does not build, or its elements have no identifiers"
	return part{key: "sdk", name: "Apps made for agents", breaks: breaks, limit: longTime, steps: []step{
		{name: needsExample, args: run, says: []string{"com.example.agentidentifiers"}, needs: needsAgent, limit: buildTime, lacks: offline},
		{name: "sdk-screen", args: []string{"snapshot"}, says: []string{`"login.submit"`}, needs: needsExample},
		{name: "sdk-tap", args: []string{"tap", "--identifier", "login.submit"}, says: []string{"Both are needed"}, needs: needsExample},
		{name: "audit", args: []string{"audit", "--fail-under", "60"}, says: []string{`"score":`}, needs: needsExample},
		{name: "sdk-email", args: []string{"fill", "--identifier", "login.email", "--text", "ada"}, needs: needsExample},
		{name: "sdk-password", args: []string{"fill", "--identifier", "login.password", "--text", "secret"}, needs: "sdk-email"},
		{name: "sdk-sign-in", args: []string{"tap", "--identifier", "login.submit"}, says: []string{"Cart of "}, needs: "sdk-password"},
		{name: "sdk-remove", args: []string{"tap", "--identifier", "cart.remove[mug]"}, says: []string{changed}, needs: "sdk-sign-in"},
		{name: "sdk-list", args: []string{"snapshot"}, says: []string{`"cart.remove[tea]"`}, needs: "sdk-remove"},
	}}
}

// byIDB looks and touches through idb_companion, on a Mac that has it.
func (t *trial) byIDB() part {
	by := func(args ...string) []string { return append(args, "--driver", "idb") }
	const breaks = "with `--driver idb` screens are not seen or touched; other drivers are as before"
	p := part{key: "idb", name: "The driver idb", breaks: breaks, steps: []step{
		{name: "idb-settings", args: []string{"launch", settingsApp, "--args=-AppleLanguages", "--args=(en)"}, needs: needsSimulator},
		{name: "idb-screen", args: by("snapshot"), says: []string{"General"}, needs: "idb-settings", tries: 5},
		{name: "idb-tap", args: by("tap", "--label", "General"), says: []string{changed}, needs: "idb-screen"},
		{name: "idb-back", args: by("back"), says: []string{changed}, needs: "idb-tap"},
		{name: "idb-home", args: by("press-button", "home"), needs: "idb-screen"},
		{name: "idb-home-screen", args: by("snapshot"), says: []string{"com.apple.springboard"}, needs: "idb-home", tries: 5},
	}}
	if !host.Installed(t.tools.Tool(idb.Program)) {
		p.off = lack{idb.Program + " is not installed", "brew install facebook/fb/idb-companion"}
	}
	return p
}

// onDevice drives a physical device, and only if a person named it.
func (t *trial) onDevice() part {
	on := func(args ...string) []string { return append(args, "--udid", t.device) }
	const needsDevice, breaks = "cable-agent", "physical devices are not seen or not driven; simulators are as before"
	p := part{key: "cable", name: "A device on a cable", breaks: breaks, limit: longTime, steps: []step{
		{name: "cable-checks", args: []string{"doctor", "--strict", "--device", t.device}},
		{name: needsDevice, args: on("agent", "start"), needs: "cable-checks", limit: buildTime},
		{name: "cable-settings", args: on("launch", settingsApp), needs: "cable-checks"},
		{name: "cable-screen", args: on("snapshot"), says: []string{settingsApp}, needs: needsDevice, tries: extras},
		{name: "cable-picture", args: on("screenshot", "--out", t.picture("device.png")), needs: needsDevice},
		{name: "cable-swipe", args: on("swipe", "--direction", "up"), needs: "cable-screen"},
		{name: "cable-home", args: on("press-button", "home"), says: []string{changed}, needs: "cable-screen"},
		{name: "cable-agent-stop", args: on("agent", "stop"), needs: needsDevice},
	}}
	switch {
	case t.device == "":
		p.off = lack{"--device names no device", "ios-agent devices --type device, then: scripts/verify-mac --device UDID"}
	case os.Getenv("IOS_AGENT_TEAM") == "":
		p.off = lack{"no team signs the agent", "export IOS_AGENT_TEAM=TEAM, then: scripts/verify-mac --device " + t.device}
	}
	return p
}
