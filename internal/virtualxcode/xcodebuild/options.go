package xcodebuild

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

// options is a parsed command line.
type options struct {
	project, workspace, schemeName, target, configuration, sdk string
	derivedData, resultBundle, xctestrun, testProducts         string
	destinations, only, skip                                   []string
	coverage, testPlan                                         string
	parallel, iterations, enumStyle, enumFormat, enumPath      string
	archivePath, exportPath, exportOptions, license            string
	diagnostics, timeout                                       string
	asked                                                      map[string]bool // flags that are there
	actions                                                    []string
	settings                                                   [][2]string // KEY=VALUE, in order
	userDefaults                                               [][2]string // -KEY=VALUE, in order
}

// ignored are real options without effect here: the first group takes a value, the second does not.
var (
	ignoredValues = words(`-packageCachePath -parallel-testing-worker-count
		-maximum-concurrent-test-simulator-destinations -maximum-parallel-testing-workers -clonedSourcePackagesDirPath -arch
		-jobs -xcconfig -toolchain -test-timeouts-enabled -default-test-execution-time-allowance -maximum-test-execution-time-allowance
		-testLanguage -testRegion -resultBundleVersion -resultStreamPath -only-test-configuration
		-skip-test-configuration -enableAddressSanitizer -enableThreadSanitizer -enableUndefinedBehaviorSanitizer
		-test-repetition-relaunch-enabled -scmProvider -packageAuthorizationProvider -defaultPackageRegistryURL`)
	flags = words(`-version -checkFirstLaunchStatus -list
		-showBuildSettings -showdestinations -showsdks -showTestPlans -resolvePackageDependencies -enumerate-tests
		-exportArchive -json -quiet -verbose -skipMacroValidation
		-skipPackagePluginValidation -skipPackageUpdates -skipPackageSignatureValidation -allowProvisioningUpdates
		-allowProvisioningDeviceRegistration -parallelizeTargets -hideShellScriptEnvironment -disableAutomaticPackageResolution
		-onlyUsePackageVersionsFromResolvedFile -showBuildTimingSummary -retry-tests-on-failure -run-tests-until-failure -alltargets
		-disable-concurrent-destination-testing -disable-concurrent-testing -skipUnavailableActions`)
	pair     = lazyregexp.New(`^([A-Za-z_][A-Za-z0-9_\[\]=*.-]*?)=(.*)$`)
	joinable = []string{"-only-testing", "-skip-testing"} // also as -only-testing:X
)

func words(s string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		all[w] = true
	}
	return all
}

// targets maps options to their fields.
func (o *options) targets() (one map[string]*string, many map[string]*[]string) {
	one = map[string]*string{
		"-project": &o.project, "-workspace": &o.workspace, "-scheme": &o.schemeName, "-target": &o.target,
		"-configuration": &o.configuration,
		"-sdk":           &o.sdk, "-derivedDataPath": &o.derivedData, "-resultBundlePath": &o.resultBundle, "-xctestrun": &o.xctestrun,
		"-testProductsPath": &o.testProducts, "-enableCodeCoverage": &o.coverage, "-testPlan": &o.testPlan,
		"-parallel-testing-enabled": &o.parallel, "-test-iterations": &o.iterations, "-test-enumeration-style": &o.enumStyle,
		"-test-enumeration-format": &o.enumFormat, "-test-enumeration-output-path": &o.enumPath,
		"-license": &o.license, "-archivePath": &o.archivePath, "-exportPath": &o.exportPath, "-exportOptionsPlist": &o.exportOptions,
		"-collect-test-diagnostics": &o.diagnostics, "-destination-timeout": &o.timeout,
	}
	return one, map[string]*[]string{"-destination": &o.destinations, "-only-testing": &o.only, "-skip-testing": &o.skip}
}

// parseOptions reads a command line. Options may appear in any place; other words are settings or actions.
func parseOptions(argv []string) (options, error) {
	o := options{asked: map[string]bool{}}
	one, many := o.targets()
	for i := 0; i < len(argv); i++ {
		name, value, joined := argv[i], "", false
		if head, tail, cut := strings.Cut(argv[i], ":"); cut && slices.Contains(joinable, head) {
			name, value, joined = head, tail, true
		}
		if name == "-sdk" && i+1 == len(argv) {
			o.asked[name] = true // -version -sdk without a name means all SDKs
			continue
		}
		target, single := one[name]
		targets, several := many[name]
		if single || several || ignoredValues[name] {
			if !joined {
				if i++; i == len(argv) {
					return o, usage("option '%s' requires an argument", name)
				}
				value = argv[i]
			}
			if single {
				*target = value
			} else if several {
				*targets = append(*targets, value)
			}
			continue
		}
		if err := o.word(argv[i]); err != nil {
			return o, err
		}
	}
	return o, o.check()
}

// word reads a word that is not an option with a value.
func (o *options) word(w string) error {
	m := pair.FindStringSubmatch(strings.TrimPrefix(w, "-"))
	switch {
	case flags[w]:
		o.asked[w] = true
	case strings.HasPrefix(w, "-") && m != nil:
		o.userDefaults = append(o.userDefaults, [2]string{m[1], m[2]})
	case strings.HasPrefix(w, "-"):
		return usage("invalid option '%s'", w)
	case m != nil:
		o.settings = append(o.settings, [2]string{m[1], m[2]})
	default:
		o.actions = append(o.actions, w)
	}
	return nil
}

func (o *options) check() error {
	if o.project != "" && o.workspace != "" {
		return refuse(exitUsage, "You cannot specify both an Xcode project and a workspace")
	}
	if n, err := strconv.Atoi(o.iterations); o.iterations != "" && (err != nil || n < 1) {
		return usage("option '-test-iterations' requires a number of iterations, not '%s'", o.iterations)
	}
	if !slices.Contains([]string{"", "never", "on-failure"}, o.diagnostics) {
		return refuse(exitUsage, "option -collect-test-diagnostics requires one of two values: on-failure or never")
	}
	for _, a := range o.actions {
		if _, ok := actions[a]; !ok {
			return refuse(exitFailed, "Unknown build action '%s'.", a)
		}
	}
	return nil
}

// usageText is the beginning of the real tool's usage.
const usageText = "Usage: xcodebuild [-project <projectname>] [[-target <targetname>]...|-alltargets] [-configuration " +
	"<configurationname>] [-arch <architecture>]... [-sdk [<sdkname>|<sdkpath>]] [-showBuildSettings [-json]] " +
	"[<buildsetting>=<value>]... [<buildaction>]...\n" +
	"       xcodebuild [-project <projectname>] -scheme <schemeName> [-destination <destinationspecifier>]... " +
	"[-configuration <configurationname>] [-arch <architecture>]... [-sdk [<sdkname>|<sdkpath>]] " +
	"[-showBuildSettings [-json]] [-showdestinations] [<buildsetting>=<value>]... [<buildaction>]...\n" +
	"       xcodebuild -workspace <workspacename> -scheme <schemeName> [-destination " +
	"<destinationspecifier>]... [-configuration <configurationname>] [-arch <architecture>]... [-sdk " +
	"[<sdkname>|<sdkpath>]] [-showBuildSettings] [-showdestinations] [<buildsetting>=<value>]... " +
	"[<buildaction>]...\n" +
	"       xcodebuild -version [-sdk [<sdkfullpath>|<sdkname>] [-json] [<infoitem>] ]\n" +
	"       xcodebuild -list [[-project <projectname>]|[-workspace <workspacename>]] [-json]\n" +
	"       xcodebuild -showsdks [-json]\n"

func usage(format string, a ...any) error {
	return refusal{exit: exitUsage, text: fmt.Sprintf(format, a...) + "\n\n" + usageText}
}
