package xcodeargs

// The parts of xcodebuild's command line, from its manual page and help.

// actions take no value.
var actions = []string{
	"analyze", "archive", "build", "build-for-testing", "clean", "docbuild", "install", "installhdrs", "installloc",
	"installsrc", "test", "test-without-building",
}

// With one of these questions xcodebuild answers, builds nothing, and still exits with 0.
var questions = []string{
	"-checkFirstLaunchStatus", "-checkForNewerComponents", "-create-xcframework", "-dry-run", "-enumerate-tests", "-exportArchive",
	"-exportLocalizations", "-exportNotarizedApp", "-help", "-importLocalizations", "-license", "-list", "-n",
	"-resolvePackageDependencies", "-runFirstLaunch", "-showBuildSettings", "-showBuildSettingsForIndex", "-showTestPlans",
	"-showdestinations", "-showsdks", "-usage", "-version",
}

// switches take no value.
var switches = []string{
	"-allowInternalDistribution", "-allowProvisioningDeviceRegistration", "-allowProvisioningUpdates", "-alltargets",
	"-checkFirstLaunchStatus", "-checkForNewerComponents", "-create-xcframework",
	"-disable-concurrent-destination-testing", "-disable-concurrent-testing", "-disableAutomaticPackageResolution",
	"-disablePackageRepositoryCache", "-downloadAllPlatforms", "-downloadAllPreviouslySelectedPlatforms", "-dry-run",
	"-enumerate-tests", "-exportArchive", "-exportLocalizations", "-exportNotarizedApp", "-help",
	"-hideShellScriptEnvironment", "-importLocalizations", "-includeScreenshots", "-json", "-license", "-list",
	"-mergeImport", "-n", "-onlyUsePackageVersionsFromResolvedFile", "-parallelizeTargets", "-quiet",
	"-resolvePackageDependencies", "-retry-tests-on-failure", "-run-tests-until-failure", "-runFirstLaunch",
	"-showBuildSettings", "-showBuildSettingsForIndex", "-showBuildTimingSummary", "-showTestPlans", "-showdestinations",
	"-showsdks", "-skipMacroValidation", "-skipPackagePluginValidation", "-skipPackageSignatureValidation",
	"-skipPackageUpdates", "-skipUnavailableActions", "-usage", "-verbose", "-version",
}

// valued options take the next argument, whatever its form.
var valued = []string{
	"-arch", "-archive", "-archivePath", "-architectureVariant", "-authenticationKeyID", "-authenticationKeyIssuerID",
	"-authenticationKeyPath", "-buildVersion", "-clonedSourcePackagesDirPath", "-collect-test-diagnostics",
	"-configuration", "-debug-symbols", "-default-test-execution-time-allowance", "-defaultLanguage",
	"-defaultPackageRegistryURL", "-derivedDataPath", "-destination", "-destination-timeout", "-downloadComponent",
	"-downloadPlatform", "-enableAddressSanitizer", "-enableCodeCoverage", "-enablePerformanceTestsDiagnostics",
	"-enableThreadSanitizer", "-enableUndefinedBehaviorSanitizer", "-exportLanguage", "-exportOptionsPlist",
	"-exportPath", "-find", "-find-executable", "-find-library", "-framework", "-headers", "-importComponent",
	"-importPath", "-importPlatform", "-jobs", "-library", "-localizationPath",
	"-maximum-concurrent-test-device-destinations", "-maximum-concurrent-test-simulator-destinations",
	"-maximum-parallel-testing-workers", "-maximum-test-execution-time-allowance", "-only-test-configuration",
	"-only-testing", "-output", "-packageAuthorizationProvider", "-packageCachePath",
	"-packageDependencySCMToRegistryTransformation", "-packageFingerprintPolicy", "-packageSigningEntityPolicy",
	"-parallel-testing-enabled", "-parallel-testing-worker-count", "-project", "-resultBundlePath",
	"-resultBundleVersion", "-resultStreamPath", "-scheme", "-scmProvider", "-sdk", "-skip-test-configuration",
	"-skip-testing", "-target", "-test-enumeration-format", "-test-enumeration-output-path", "-test-enumeration-style",
	"-test-iterations", "-test-repetition-relaunch-enabled", "-test-timeouts-enabled", "-testLanguage", "-testPlan",
	"-testProductsPath", "-testRegion", "-toolchain", "-workspace", "-xcconfig", "-xctestrun",
}
