package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ios-agent/internal/driver/idb"
	"ios-agent/internal/machine/host"
)

// onExample builds the example of the SDK and drives it by the identifiers that the SDK makes. The SDK's own macro runs while it builds.
func (t *trial) onExample() []part {
	if t.sdk == "" {
		return nil
	}
	copied := filepath.Join(t.work, "sdk") // Xcode writes into the folder of a project
	if err := copySDK(t.sdk, copied); err != nil {
		fmt.Fprintln(t.out, "the SDK is not copied:", err)
	}
	run := []string{"run", "--project-path", filepath.Join(copied, "Example", "Example.xcodeproj"), "--simulator-id", t.simulator,
		"--extra-args=-skipMacroValidation", "--launch-args=-AgentNoAnimations"}
	const needsExample, breaks = "sdk-run", "an app that uses the SDK does not build, or its elements have no identifiers"
	return []part{{"Apps made for agents", breaks, []step{
		{name: needsExample, args: run, says: []string{"com.example.agentidentifiers"}, needs: needsAgent},
		{name: "sdk-screen", args: []string{"snapshot"}, says: []string{`"login.submit"`}, needs: needsExample},
		{name: "sdk-tap", args: []string{"tap", "--identifier", "login.submit"}, says: []string{"Both are needed"}, needs: needsExample},
		{name: "audit", args: []string{"audit", "--fail-under", "60"}, says: []string{`"score":`}, needs: needsExample},
		{name: "sdk-email", args: []string{"fill", "--identifier", "login.email", "--text", "ada"}, needs: needsExample},
		{name: "sdk-password", args: []string{"fill", "--identifier", "login.password", "--text", "secret"}, needs: "sdk-email"},
		{name: "sdk-sign-in", args: []string{"tap", "--identifier", "login.submit"}, says: []string{"Cart of "}, needs: "sdk-password"},
		{name: "sdk-remove", args: []string{"tap", "--identifier", "cart.remove[mug]"}, says: []string{"changed"}, needs: "sdk-sign-in"},
		{name: "sdk-list", args: []string{"snapshot"}, says: []string{`"cart.remove[tea]"`}, needs: "sdk-remove"},
	}}}
}

// copySDK copies what a build of the SDK needs, and not what earlier builds left.
func copySDK(from, to string) error {
	manifest, err := os.ReadFile(filepath.Join(from, "Package.swift"))
	if err != nil {
		return err
	}
	for _, folder := range []string{"Sources", "Tests", "Example"} {
		err = errors.Join(err, os.CopyFS(filepath.Join(to, folder), os.DirFS(filepath.Join(from, folder))))
	}
	return errors.Join(err, os.WriteFile(filepath.Join(to, "Package.swift"), manifest, 0o600))
}

// byIDB looks and touches through idb_companion, on a Mac that has it.
func (t *trial) byIDB() []part {
	if !host.Installed(t.tools.Tool(idb.Program)) {
		fmt.Fprintf(t.out, "%s is not installed: the driver idb is not tried\n", idb.Program)
		return nil
	}
	by := func(args ...string) []string { return append(args, "--driver", "idb") }
	return []part{{"The driver idb", "with `--driver idb` screens are not seen or touched; other drivers are as before", []step{
		{name: "idb-settings", args: []string{"launch", settingsApp, "--args=-AppleLanguages", "--args=(en)"}, needs: needsSimulator},
		{name: "idb-screen", args: by("snapshot"), says: []string{"General"}, needs: "idb-settings", tries: 5},
		{name: "idb-tap", args: by("tap", "--label", "General"), says: []string{"changed"}, needs: "idb-screen"},
		{name: "idb-back", args: by("back"), says: []string{"changed"}, needs: "idb-tap"},
		{name: "idb-home", args: by("press-button", "home"), needs: "idb-screen"},
		{name: "idb-home-screen", args: by("snapshot"), says: []string{"com.apple.springboard"}, needs: "idb-home", tries: 5},
	}}}
}
