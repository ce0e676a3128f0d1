package xcodebuild

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/project"
)

// scripts are the script phases of the target before or after its sources. A comment may name a script that the project lacks: it is
// then added before the sources.
func (b buildable) scripts(in inputs, early bool) (found []project.Script) {
	for _, script := range b.target.Scripts {
		if script.Early == early {
			found = append(found, script)
		}
	}
	for _, t := range in.about("script") {
		name, _ := scriptTrouble(t)
		known := slices.ContainsFunc(b.target.Scripts, func(s project.Script) bool { return s.Name == name })
		if early && !known {
			found = append(found, project.Script{Name: name, Early: true, Outputs: true})
		}
	}
	return found
}

// everyBuild is the note for a script that runs in every build.
func (b buildable) everyBuild() bool {
	return slices.ContainsFunc(b.target.Scripts, func(s project.Script) bool { return s.Always || !s.Outputs })
}

func scriptTrouble(t trouble) (name, prints string) {
	name, prints, _ = strings.Cut(t.text, ":")
	return strings.TrimSpace(name), strings.TrimSpace(prints)
}

// about are the troubles of one kind in all sources of the target.
func (in inputs) about(kind string) (found []trouble) {
	for _, src := range in.sources {
		found = append(found, src.about(kind)...)
	}
	return found
}

const (
	scriptAlways = "will be run during every build because the option to run the script phase \"Based on dependency analysis\" " +
		"is unchecked."
	scriptNoOutput = "will be run during every build because it does not specify any outputs. To address this issue, either add output " +
		"dependencies to the script phase, or configure it to run in every build by unchecking \"Based on dependency analysis\" in the " +
		"script phase."
)

// runScripts prints the script phases without running them; the first script with a failure in a comment ends the build.
func (l stepLog) runScripts(in inputs, early bool) (failed failedBuild) {
	for _, script := range l.b.scripts(in, early) {
		switch {
		case script.Always:
			l.s.say("note: Run script build phase '%s' %s %s\n", script.Name, scriptAlways, l.where())
		case !script.Outputs:
			fmt.Fprintf(l.s.Stdout, "warning: Run script build phase '%s' %s %s\n", script.Name, scriptNoOutput, l.where())
		}
		head, file := l.scriptStep(script)
		l.s.say("%s\n    cd %s\n    /bin/sh -c %s\n", head, escapePath(l.b.project.Dir), file)
		for _, t := range in.about("script") {
			name, prints := scriptTrouble(t)
			if name != script.Name {
				continue
			}
			fmt.Fprintf(l.s.Stdout, "%s\nCommand PhaseScriptExecution failed with a nonzero exit code\n", prints)
			l.s.keep(l.b, []issue{{severity: "error", kind: "Uncategorized", message: "Command PhaseScriptExecution failed with a " +
				"nonzero exit code"}})
			failed.add([]string{head}, "Command PhaseScriptExecution failed with a nonzero exit code")
		}
		l.s.say("\n")
		if len(failed.commands) > 0 {
			return failed
		}
	}
	return failed
}

func (l stepLog) scriptStep(script project.Script) (head, file string) {
	id := strings.ToUpper(strings.ReplaceAll(buildID(l.b.target.Name+"/"+script.Name), "-", ""))[:24]
	file = escapePath(filepath.Join(l.b.settings["TARGET_TEMP_DIR"], "Script-"+id+".sh"))
	return fmt.Sprintf("PhaseScriptExecution %s %s %s", escapePath(script.Name), file, l.where()), file
}
