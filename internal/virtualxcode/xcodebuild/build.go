package xcodebuild

import (
	"cmp"
	"context"
	"crypto/md5"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/xcresult"
)

// failedBuild is a failed build: the failed commands, and the compiler's first message.
type failedBuild struct {
	commands []string
	first    string
}

func (f failedBuild) Error() string { return "the build failed" }

// build is the action of that name.
func (s *session) build(ctx context.Context, a action) error {
	return s.banner(a, s.buildTargets(ctx, s.targets(false)))
}

func (s *session) buildForTesting(ctx context.Context, a action) error {
	all := s.targets(true)
	err := s.slowBuild(ctx)
	if err == nil {
		err = s.buildTargets(ctx, all)
	}
	if err == nil {
		s.sayOutside()
		err = s.writeTestProducts(all)
	}
	return s.banner(a, err)
}

// banner ends an action that builds. Failures go to standard error, successes to standard output.
func (s *session) banner(a action, err error) error {
	failed, is := err.(failedBuild)
	switch {
	case err == nil:
		s.say("** %s SUCCEEDED **\n\n", a.banner)
		return nil
	case !is:
		return err
	}
	text := s.mentionResult() + fmt.Sprintf("** %s FAILED **\n\n\nThe following build commands failed:\n", a.banner)
	if a.banner == "TEST" {
		text = fmt.Sprintf("Testing failed:\n\t%s\n\tTesting cancelled because the build failed.\n\n", capital(failed.first)) + text
	}
	for _, c := range failed.commands {
		text += "\t" + c + "\n"
	}
	with := fmt.Sprintf("Building %s %s with scheme %s", s.container.Kind(), s.container.Name, s.scheme.Name)
	if s.configuration != "" {
		with += " and configuration " + s.configuration
	}
	text += fmt.Sprintf("\t%s\n(%s)\n", with, plural(len(failed.commands)+1, "failure"))
	return refusal{exit: exitFailed, text: text, plain: true}
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// buildTargets builds in order and stops at the first failure. At the end it says what was checked.
func (s *session) buildTargets(ctx context.Context, all []buildable) error {
	s.preamble(all)
	defer s.sayChecked()
	s.result.Build.Status = "succeeded"
	if err := s.spend(ctx, costPlan); err != nil {
		return err
	}
	failure, err := s.plannedFailure(ctx)
	if err != nil {
		return err
	}
	if err := s.checkSigning(ctx, all); err != nil {
		s.result.Build.Status = "failed"
		return err
	}
	for _, b := range all {
		err := s.failOnDemand(b, failure)
		if err == nil {
			err = s.buildTarget(ctx, b)
		}
		if err == nil {
			err = s.writeProfile(b)
		}
		if err != nil {
			if _, is := err.(failedBuild); is {
				s.result.Build.Status = "failed"
			}
			return err
		}
	}
	return nil
}

// preamble prints the build system's lines before a build.
func (s *session) preamble(all []buildable) {
	s.say("ComputePackagePrebuildTargetDependencyGraph\n\nPrepare " +
		"packages\n\nCreateBuildRequest\n\nSendProjectDescription\n\nCreateBuildOperation\n\n")
	s.say("%s", graphText(all))
	s.say("GatherProvisioningInputs\n\nCreateBuildDescription\n\n")
	sdk := s.destination.sdkPath()
	for _, tool := range []string{toolchain + "/usr/bin/clang -v -E -dM -isysroot " + sdk + " -x c -c /dev/null",
		developer + "/usr/bin/actool --version --output-format xml1", toolchain + "/usr/bin/swiftc --version",
		toolchain + "/usr/bin/ld -version_details"} {
		s.say("ExecuteExternalTool %s\n\n", tool)
	}
	signature := fmt.Sprintf("%x", md5.Sum([]byte(s.container.Path+"\x00"+s.conf()+"\x00"+s.destination.sdk)))
	s.say("Build description signature: %s\nBuild description path: %s/Build/Intermediates.noindex/XCBuildData/%s.xcbuilddata\n", signature,
		escapePath(s.buildRoot()), signature)
	for _, dir := range []string{"Build/Products", "Build/Intermediates.noindex"} {
		path := filepath.Join(s.buildRoot(), dir)
		if _, err := os.Stat(path); err != nil {
			s.say("CreateBuildDirectory %[1]s\n    cd %[2]s\n    builtin-create-build-directory %[1]s\n\n", escapePath(path),
				escapePath(s.container.Path))
		}
	}
	cache := fmt.Sprintf("%s/SDKStatCaches.noindex/%s-%s-%s.sdkstatcache", escapePath(s.buildRoot()), s.destination.sdkName(),
		s.destination.build, signature)
	s.say("ClangStatCache %[1]s/usr/bin/clang-stat-cache %[2]s %[3]s\n    cd %[4]s\n    %[1]s/usr/bin/clang-stat-cache %[2]s -o %[3]s\n\n",
		toolchain, sdk, cache, escapePath(s.container.Path))
}

// buildTarget compiles changed files and writes the product.
func (s *session) buildTarget(ctx context.Context, b buildable) error {
	in, err := s.readInputs(b)
	if err != nil {
		return err
	}
	log := stepLog{s, b}
	switch {
	case !in.changed() && !b.everyBuild() && !s.analyzing:
		return s.count(b, in)
	case !in.changed():
		in.fresh = nil
	}
	if failed := log.runScripts(in, true); len(failed.commands) > 0 {
		return failed
	}
	if err := s.compileTarget(ctx, log, &in); err != nil {
		return err
	}
	if failed := log.runScripts(in, false); len(failed.commands) > 0 {
		return failed
	}
	return in.remember()
}

// compileTarget compiles, links and bundles changed files.
func (s *session) compileTarget(ctx context.Context, log stepLog, in *inputs) error {
	s.analyzeTarget(log, *in)
	if !in.changed() {
		return s.count(log.b, *in)
	}
	if err := s.checkSources(ctx, log.b, in); err != nil {
		return err
	}
	log.prepare(*in)
	failed := failedBuild{}
	for _, src := range in.sources {
		if in.fresh[src.path] {
			failed.add(log.compile(src))
			s.keep(log.b, src.issues)
		}
	}
	if err := s.spend(ctx, costCompile*time.Duration(len(in.fresh))); err != nil {
		return err
	}
	if len(failed.commands) > 0 {
		return failed
	}
	if len(in.fresh) > 0 {
		log.module()
		if failed := log.runLinker(*in); len(failed.commands) > 0 {
			return failed
		}
	}
	log.finish()
	if err := s.writeProduct(log.b, *in); err != nil {
		return err
	}
	return s.spend(ctx, costLink)
}

func (s *session) analyzeTarget(log stepLog, in inputs) {
	if !s.analyzing {
		return
	}
	for _, src := range in.sources {
		log.analyze(src)
		for _, i := range src.issues {
			if i.severity == "analyze" {
				s.result.Build.Analyzer = append(s.result.Build.Analyzer, kept(log.b, i))
			}
		}
	}
}

// checkSigning refuses unsignable targets before any compilation. Simulators need no signature.
func (s *session) checkSigning(ctx context.Context, all []buildable) error {
	failed := failedBuild{}
	unsigned, err := s.unsigned(ctx)
	if err != nil {
		return err
	}
	for _, b := range all {
		if s.destination.simulator() || b.settings["CODE_SIGNING_ALLOWED"] == "NO" {
			continue
		}
		in, err := s.readInputs(b)
		if err != nil {
			return err
		}
		wrong := unsigned(b)
		for _, t := range in.about("sign") {
			wrong = append(wrong, t.text)
		}
		for _, text := range wrong {
			fmt.Fprintf(s.Stdout, "%s: error: %s %s\n", b.settings["PROJECT_FILE_PATH"], text, stepLog{s, b}.where())
			s.keep(b, []issue{{severity: "error", kind: "Code Signing Error", message: text}})
			failed.first = cmp.Or(failed.first, text)
		}
	}
	if failed.first == "" {
		return nil
	}
	return failed
}

func (f *failedBuild) add(commands []string, first string) {
	f.commands = append(f.commands, commands...)
	if f.first == "" {
		f.first = first
	}
}

// issueTypes are the types of Swift diagnostics in result bundles.
var issueTypes = map[string]string{"error": "Swift Compiler Error", "warning": "Swift Compiler Warning", "analyze": "Analyzer Warning"}

// keep adds diagnostics to the result bundle.
func (s *session) keep(b buildable, issues []issue) {
	for _, i := range issues {
		switch i.severity {
		case "error":
			s.result.Build.Errors = append(s.result.Build.Errors, kept(b, i))
		case "warning":
			s.result.Build.Warnings = append(s.result.Build.Warnings, kept(b, i))
		}
	}
}

// kept converts a diagnostic to the result bundle's form.
func kept(b buildable, i issue) xcresult.Issue {
	return xcresult.Issue{Type: cmp.Or(i.kind, issueTypes[i.severity]), Message: i.message, File: i.path, Target: b.target.Name,
		Line: i.line, Column: i.column}
}
