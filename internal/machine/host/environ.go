package host

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/fault/mask"
)

// usual lists the daemon's variables that programs get: the user and its home, the places of tools, the network settings. It is a list of
// needed names, not of secret ones, because a list of all secret names cannot be complete. A prefix does not pass a name that sounds like a
// secret.
func usual() []string {
	return []string{
		"HOME", "USER", "LOGNAME", "SHELL", "PATH", "PWD", "TMPDIR", "TERM", "TZ", "LANG", "LC_*", "XDG_*", "__CF_USER_TEXT_ENCODING", "CI",
		"DEVELOPER_DIR", "SDKROOT", "TOOLCHAINS", "XCODE_*", "SWIFT_*", "SWIFTPM_*", "TEST_RUNNER_*", "SIMCTL_CHILD_*", "DEVICECTL_CHILD_*",
		"NSUnbufferedIO", "CLICOLOR", "NO_COLOR", "COLUMNS",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL",
		"HOMEBREW_PREFIX", "JAVA_HOME", "NODE_BINARY", "NVM_DIR", "RBENV_ROOT", "RBENV_VERSION", "GEM_HOME", "GEM_PATH", "FLUTTER_ROOT",
		"IOS_AGENT_*", "GORACE", "GOCOVERDIR", // the last three are for programs of our own
	}
}

// environ is the environment of a program: the inherited variables, overridden by its Cmd.
func (c Cmd) environ() []string {
	ours := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !c.inherits(name)
	})
	if filepath.Base(c.Name) == "xcodebuild" { // it holds back its output in a pipe, else, and a caller waits for a line of it
		ours = append(ours, "NSUnbufferedIO=YES")
	}
	return append(ours, c.Env...)
}

func (c Cmd) inherits(name string) bool {
	switch {
	case strings.HasPrefix(name, mask.Prefix):
		return false
	case c.Inherit != nil:
		return lists(c.Inherit, name)
	}
	return slices.Contains(usual(), name) || lists(usual(), name) && !mask.Named(name) || lists(c.named, name)
}

// lists reports whether a list contains a name; an entry that ends in * is a prefix.
func lists(list []string, name string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		prefix, is := strings.CutSuffix(entry, "*")
		return entry == name || is && strings.HasPrefix(name, prefix)
	})
}
