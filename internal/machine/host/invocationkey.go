package host

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An invocation finds its transcript by its arguments. Parts that differ between machines and runs are replaced in them first:
//
//   - The program is its base name: "/usr/bin/xcrun" is "xcrun".
//   - Secrets, as secret.go finds them, are <secret>.
//   - The file Cmd.Outputs[0] is <output 0>, and so on.
//   - A path in Cmd.Dir begins with <dir>, one in the home folder with <home>.
//   - A path in a temporary folder (that of the recorder, or one of the usual: /tmp, /var/tmp, macOS's
//     /var/folders/x/y/T, with and without /private) is <tmp>, with its extension: "/tmp/shot-81/a.png" is "<tmp>.png".
//     Of nested places, the innermost counts.
//   - The port after a loopback address, in NAME=port and in the argument after a flag is <port>, where the name or the
//     flag ends in "port".
//
// The identifiers of devices stay, because they distinguish invocations. Env, Dir itself and Stdin do not count.
const usualTmp = `(?:/private)?(?:/tmp|/var/tmp|/var/folders/[^/\s]+/[^/\s]+/[A-Z])`

var (
	extTmp   = lazy(`^\.[A-Za-z]{1,12}[0-9]?$`)
	loopback = lazy(`(localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):\d{1,5}`)
	portName = lazy(`(?i)^(\S*port=)\d{1,5}$`)
	portFlag = lazy(`(?i)^-\S*port$`)
)

const portMark = "<port>"

// keyOf returns the normal form of a new invocation.
func keyOf(c Cmd) []string {
	v := newRedactor(c)
	var outputs []string
	for _, path := range c.Outputs {
		outputs = append(outputs, v.text(path))
	}
	return headingOf(c, v).key(outputs)
}

// key returns the normal form of a recorded invocation.
func (t transcript) key() []string {
	var outputs []string
	for _, o := range t.Outputs {
		outputs = append(outputs, o.Path)
	}
	return t.heading.key(outputs)
}

func (h heading) key(outputs []string) []string {
	places := h.places()
	key := []string{filepath.Base(h.Argv[0])}
	for i, arg := range h.Argv[1:] {
		arg = markOutputs(arg, outputs)
		for _, p := range places {
			arg = p.mark(arg)
		}
		key = append(key, markPort(h.Argv[i], arg))
	}
	return key
}

// markOutputs replaces the longest path first, because one path may contain another.
func markOutputs(arg string, outputs []string) string {
	order := make([]int, len(outputs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(outputs[b]), len(outputs[a])) })
	for _, i := range order {
		if outputs[i] != "" && (arg == outputs[i] || filepath.IsAbs(outputs[i])) {
			arg = strings.ReplaceAll(arg, outputs[i], "<output "+strconv.Itoa(i)+">")
		}
	}
	return arg
}

func markPort(before, arg string) string {
	if _, err := strconv.ParseUint(arg, 10, 16); err == nil && portFlag().MatchString(before) {
		return portMark
	}
	arg = loopback().ReplaceAllString(arg, "${1}:"+portMark)
	return portName().ReplaceAllString(arg, "${1}"+portMark)
}

// place is a folder whose path differs between machines.
type place struct {
	folder string
	put    func(rest string) string
	paths  *regexp.Regexp // a path in the folder: the text before it, and the rest
}

// places returns the folders in the order of the search: a folder before its parent.
func (h heading) places() []place {
	all := []place{newPlace(h.Dir, putDir), newPlace(h.Home, putHome), newPlace(h.Tmp, putTmp)}
	all = slices.DeleteFunc(all, func(p place) bool { return !filepath.IsAbs(p.folder) })
	slices.SortStableFunc(all, func(a, b place) int { return cmp.Compare(len(b.folder), len(a.folder)) })
	return append(all, place{put: putTmp, paths: pathsIn(usualTmp)})
}

func newPlace(folder string, put func(string) string) place {
	folder = strings.TrimRight(folder, "/")
	return place{folder, put, pathsIn(regexp.QuoteMeta(folder))}
}

// pathsIn finds paths at the beginning of an argument or after a separator; a path in the middle of another does not count.
func pathsIn(folder string) *regexp.Regexp {
	return regexp.MustCompile(`(^|^-[A-Za-z]|[=:,;'"\s(]|://)` + folder + `([^:,;'"\s]*)`)
}

func putDir(rest string) string  { return "<dir>" + rest }
func putHome(rest string) string { return "<home>" + rest }

func putTmp(rest string) string {
	if ext := filepath.Ext(rest); extTmp().MatchString(ext) {
		return "<tmp>" + ext
	}
	return "<tmp>"
}

func (p place) mark(arg string) string {
	return p.paths.ReplaceAllStringFunc(arg, func(found string) string {
		m := p.paths.FindStringSubmatch(found)
		if before, rest := m[1], m[2]; rest == "" || rest[0] == '/' { // "/Users/meg" is not in "/Users/me"
			return before + p.put(rest)
		}
		return found
	})
}
