package buildlog

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

// stageOf maps the first words of lines to the stage of a run.
var stageOf = map[string]Stage{
	"CompileSwift": Compiling, "SwiftCompile": Compiling, "CompileC": Compiling, "CompileSwiftSources": Compiling,
	"SwiftEmitModule": Compiling,
	"EmitSwiftModule": Compiling, "SwiftDriver": Compiling, "ProcessInfoPlistFile": Compiling, "PhaseScriptExecution": Compiling,
	"CompileAssetCatalog": Compiling, "CompileAssetCatalogVariant": Compiling, "ProcessProductPackaging": Compiling, "ProcessPCH": Compiling,
	"CompileStoryboard": Compiling, "CompileXIB": Compiling, "Ld": Linking, "Libtool": Linking, "CodeSign": Compiling,
}

var (
	packageLines = []string{"Resolve Package Graph", "Resolved source packages:", "Fetching from ", "Checking out ",
		"Creating working copy ", "Updating from ", "Updating http", "Fetching http"}
	buildTarget = lazyregexp.New(`^=== (?:BUILD|CLEAN|ANALYZE|BUILD AGGREGATE|TEST)(?: AGGREGATE)? TARGET (.+) OF PROJECT ` +
		`(.+?)(?: WITH .*)? ===$`)
	targetGraph   = lazyregexp.New(`^note: Target dependency graph \((\d+) targets?\)`)
	swiftProgress = lazyregexp.New(`^\[(\d+)/(\d+)\] (\w+)(?: (\S+))?(?: (\S+))?`)
	prettyCompile = lazyregexp.New(`^(?:› )?Compiling .*?(\S+\.(?:swift|m|mm|c|cc|cpp))(?: \(.*\))?$`)
)

// step reads the head of a build step, or that packages are resolved.
func (r *Reader) step(s string) bool {
	if s[0] == ' ' || s[0] == '\t' {
		return false
	}
	if s[0] == '=' {
		m := buildTarget.FindStringSubmatch(s)
		if m == nil {
			return false
		}
		r.head("", m[1], m[2])
		return true
	}
	if m := progressIn(s); m != nil {
		r.closeCurrent()
		r.advance(Compiling)
		r.log.Progress.Done, _ = strconv.Atoi(m[1])
		r.log.Progress.Total, _ = strconv.Atoi(m[2])
		if m[3] == "Compiling" {
			r.compiled(m[4] + "/" + m[5])
		}
		return true
	}
	for _, p := range packageLines {
		if strings.HasPrefix(s, p) {
			r.closeCurrent()
			r.advance(ResolvingPackages)
			return true
		}
	}
	word, _, _ := strings.Cut(s, " ")
	stage, known := stageOf[word]
	rest, target, project := cutTarget(s)
	if !known && target == "" {
		return r.prettyStep(s)
	}
	r.head(word, target, project)
	if known {
		r.advance(stage)
	}
	switch word {
	case "CompileC", "CompileSwift", "SwiftCompile":
		r.sources(word, rest)
	case "Ld", "Libtool":
		r.log.Progress.Linked++
	}
	return true
}

func progressIn(s string) []string {
	if s[0] != '[' {
		return nil
	}
	return swiftProgress.FindStringSubmatch(s)
}

// prettyStep reads the compilation of a file as formatters print it.
func (r *Reader) prettyStep(s string) bool {
	if !strings.Contains(s, "Compiling ") {
		return false
	}
	m := prettyCompile.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	r.closeCurrent()
	r.advance(Compiling)
	r.compiled(m[1])
	return true
}

// head records the step of the following lines.
func (r *Reader) head(task, target, project string) {
	r.closeCurrent()
	r.task, r.target, r.project, r.taskErrors = task, target, project, 0
	r.tail = r.tail[:0]
	p := &r.log.Progress
	p.Task, p.Target = task, target
	if target != "" && len(p.Targets) < maxList && r.once("target", target, project) && !slices.Contains(p.Targets, target) {
		p.Targets = append(p.Targets, target)
	}
}

func (r *Reader) advance(s Stage) {
	if s <= r.log.Progress.Stage {
		return
	}
	r.log.Progress.Stage = s
}

// sources counts the files of a compile step. CompileC names the object file first; a batch of Swift files is named
// once as a whole, and then each file by itself.
func (r *Reader) sources(word, s string) {
	words := shellWords(s)
	if word == "CompileC" {
		if len(words) > 2 {
			r.compiled(words[2])
		}
		return
	}
	for _, w := range words[1:] {
		if strings.HasPrefix(w, "/") && path.Ext(w) == ".swift" {
			r.compiled(w)
		}
	}
}

func (r *Reader) compiled(file string) {
	if r.once("file", file) {
		r.log.Progress.Compiled++
	}
}

// shellWords splits at spaces without a backslash before them.
func shellWords(s string) []string {
	var words []string
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] == ' ':
			words = append(words, b.String())
			b.Reset()
		default:
			b.WriteByte(s[i])
		}
	}
	return append(words, b.String())
}

// graph reads the number of targets.
func (r *Reader) graph(message string) {
	if m := targetGraph.FindStringSubmatch("note: " + message); m != nil {
		r.log.Progress.Total, _ = strconv.Atoi(m[1])
	}
}
