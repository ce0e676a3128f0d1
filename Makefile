# make test is what a newcomer runs: it needs Go, and fetches the rest. .ci/run has the slower lanes.
.PHONY: attack lines rows soak soak-tenth test test-long test-scripts test-real-mac test-public-only check fmt race build release sbom vulncheck fuzz bench bench-peers test-peers test-agent test-sdk test-appium test-sarif test-chromium test-debugger test-desktop test-macax verify-mac

# More for `go test`: TESTFLAGS=-json is what .ci/run reads.
TESTFLAGS ?=

# All tests but the longest, once, on the program as it is shipped, without the C library; the packages that take longest first, so that no
# core waits for them at the end. `make check` vets, `make test-long` has what -short leaves out. GOGC: with memory to spare, the compiler, the linker and the tests need a tenth less time. More packages and tests at
# once than there are cores, because some of them wait for something.
test: export GOGC = 400
test: export CGO_ENABLED = 0
test: fmt
	TMPDIR=$$(scripts/scratch) go test -short $(TESTFLAGS) -vet=off -p 3 -parallel 6 -timeout 20m ./test/house ./test/script ./...

# The packages with tests that are longer, or are left out, with -short.
test-long: export GOGC = 400
test-long: export CGO_ENABLED = 0
test-long:
	TMPDIR=$$(scripts/scratch) go test $(TESTFLAGS) -vet=off -parallel 6 -timeout 20m $$(grep -rl --include='*_test.go' 'testing\.Short()' cmd internal test | xargs -n1 dirname | sort -u | sed 's|^|./|')

# The scripts alone; at the end, what they took.
test-scripts:
	@go test -count=1 -v ./test/script | grep -Ev '^(===|    ---|[[:space:]]+testscript.go)' | tail -12

# The scripts on a virtual world as unkind as a real Mac: see docs/virtual-faults.md.
test-real-mac:
	IOS_AGENT_VIRTUAL_PROFILE=real-mac go test $(TESTFLAGS) -vet=off -timeout 10m -run 'TestScripts' ./test/script

# The same with documented keys of XCTest only: see docs/agent-protocol.md.
test-public-only: export IOS_AGENT_PUBLIC_API_ONLY = 1
test-public-only: test-real-mac

# How large the product is: code lines without comments and blanks, packages, exported names, by floor.
lines:
	@go run ./test/lines $(DIR)

# How many facts of the documents that this began with work, by the tests that prove them, as a table.
rows:
	@go run ./test/rows

# What the compiler and the linters have to say, on both systems.
check: fmt
	go vet ./...
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 go vet ./...
	go tool staticcheck ./...

fmt:
	@test -z "$$(gofmt -l *.go agent cmd internal test)" || { gofmt -l *.go agent cmd internal test; echo 'not gofmt-ed'; exit 1; }

# The race detector over what runs in one process, and over processes that meet: a sample of the scripts. What is slow only
# because of its size, -short and RACESKIP leave out. Parsers, what writes documents, and what draws and packs pixels, are one goroutine:
# the detector would take fifteen times as long there, and find nothing.
PIXELS = image compress hash golang.org/x/image
RACE = -race $(PIXELS:%=-gcflags=%/...=-race=false) -short -timeout 20m -skip '^($(shell echo $(RACESKIP) | tr ' ' '|'))$$'
RACESKIP = TestServiceAnswersRepeatForSameSeed TestBytesMatchesHeapUse TestForgottenSessionGetsHigherRefNumbers TestInjectedTextIsNotExecuted TestLongAnswerIsBounded TestLongTextsCountTowardsMemoryLimit \
  TestSessionMemoryIsBounded TestNoInputBecomesAnOption TestOldestChoicesAreRemovedAboveLimit TestSameScreenStaysKnownInManySessions TestOpenAPIIsServed \
  TestSamplesAndVirtualOutputsHaveTheSameShape TestDeciderCannotReachDeniedEffects TestSpoolAndRecordCostNoMemory TestDamagedIndexDoesNotChangeAnswers \
  TestProductToolsMeetClientLimits
RACESCRIPTS = daemon|events|idle|jobs|mcp|pool|recovery|twohomes|xcode-logs
race:
	go test $(TESTFLAGS) -vet=off $(RACE) ./test/house $$(go list ./cmd/... ./internal/... | grep -vE '/internal/(apple|ui)/|/surface/reference$$')
	go test $(TESTFLAGS) -vet=off $(RACE) -run 'TestScripts/^($(RACESCRIPTS))$$|TestTwoAgentsRunSameJourneyAtOnce|TestNoDoubleBooking' ./test/script

# One static program: without the C library it starts sooner and needs a megabyte less.
build:
	CGO_ENABLED=0 go build -o ios-agent ./cmd/ios-agent

# What people download, in dist: a tarball for each system and architecture, and SHA256SUMS. The same commit gives the same bytes.
release:
	go run ./test/release $(if $(VERSION),-version $(VERSION))

# What that program is made of, with checksums, as ios-agent.cdx.json (CycloneDX).
sbom: build
	go run ./test/sbom ios-agent >ios-agent.cdx.json

# Known vulnerabilities in the code we call; it says when it could not look.
vulncheck:
	scripts/vulncheck

# The attack: the tests that SECURITY.md names, with 50,000 calls and 200 times kill -9. .ci/run has a tenth of both.
attack:
	TESTFLAGS="$(TESTFLAGS)" scripts/attack

# A little fuzzing of everything that reads bytes from elsewhere; FUZZTIME=10m for more. By number and not by time: a
# fuzzer that is stopped by the clock on a busy machine now and then calls that a failure.
FUZZTIME ?= 5000x
fuzz:
	@for pkg in $$(grep -rl --include='*_test.go' '^func Fuzz' internal | xargs -n1 dirname | sort -u); do \
	  for target in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$pkg/*_test.go | cut -c6-); do \
	    echo "$$pkg $$target"; go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) ./$$pkg || exit 1; \
	  done; \
	done

# Figures, each beside its bound; ratios to a baseline of the same run. BENCHFLAGS=-judge=sizes is what .ci/run gives it: there only
# what a busy machine cannot change fails.
bench:
	@[ "$$CI" != true ] || scripts/appium >/dev/null
	go run ./test/bench $(BENCHFLAGS)

# The same beside other MCP servers of this field, from npm, and our proxy beside Debian's mitmdump.
bench-peers:
	scripts/bench-peers

# Other people's programs: XcodeBuildMCP, from npm, on Virtual Xcode; curl, Node and har-validator with our proxy; mitmproxy's own engine
# beside our patterns.
test-peers:
	scripts/peers
	@scripts/mitmdump >/dev/null || [ $$? = 77 ]
	IOS_AGENT_PEERS=1 go test $(TESTFLAGS) -count=1 ./test/peers

# The real Appium with its XCUITest driver, and WebdriverIO, on a virtual phone. Skipped, with the reason, where there is no Node; never with
# CI=true.
test-appium:
	@scripts/appium || { code=$$?; [ $$code = 77 ] && echo "test-appium: skipped" && exit 0; exit $$code; }; \
	IOS_AGENT_APPIUM=1 go test $(TESTFLAGS) -vet=off -count=1 -timeout 5m ./test/appium

# What `ios-agent audit` writes, against the schema of SARIF. Skipped, with the reason, where there is no Node; never with CI=true.
test-sarif:
	@scripts/sarif || { code=$$?; [ $$code = 77 ] && echo "test-sarif: skipped" && exit 0; exit $$code; }

# A real browser through our proxy. Skipped, with the reason, where there is none; never with CI=true.
test-chromium:
	@chromium=$$(scripts/chromium) || { code=$$?; [ $$code = 77 ] && echo "test-chromium: skipped" && exit 0; exit $$code; }; \
	IOS_AGENT_CHROMIUM=$$chromium go test $(TESTFLAGS) -vet=off -count=1 -timeout 5m -run TestChromiumLoadsPageThroughProxy ./internal/network/mitm

# The Swift agent, with a Swift toolchain that is fetched where none is installed.
test-agent:
	scripts/test-agent

# The SDK for apps, likewise.
test-sdk:
	scripts/test-sdk

# The debugger: a real lldb-dap on a real program, which survives it. Skipped, with the reason, where there is none; never with CI=true.
test-debugger:
	@scripts/lldb || { code=$$?; [ $$code = 77 ] && echo "test-debugger: skipped" && exit 0; exit $$code; }; \
	IOS_AGENT_DEBUGGER=1 go test $(TESTFLAGS) -vet=off -count=1 -timeout 10m ./internal/xcode/debugger && \
	IOS_AGENT_DEBUGGER=1 go test $(TESTFLAGS) -vet=off -count=1 -timeout 10m \
	  -run 'TestDebugARealProgram|TestDebugThrough|TestProgramSurvivesEndOfDebugger|TestDetachKillsHungDebugger' ./test/script && \
	CGO_ENABLED=0 go test -c -o swift-debugger.test ./internal/xcode/debugger && \
	{ IOS_AGENT_SWIFT_DEBUGGER=1 scripts/swift-linux ./swift-debugger.test -test.v -test.timeout 5m -test.run 'TestSwiftProgramIsDebugged$$' || \
	  { code=$$?; [ $$code = 77 ] && echo "test-debugger: Swift skipped"; }; }

# Desktop apps: real programs of GTK 3, GTK 4, Qt and Chromium on a virtual display, driven. Skipped, with the reason, where they are
# missing; never with CI=true.
test-desktop:
	@scripts/desktop || { code=$$?; [ $$code = 77 ] && echo "test-desktop: skipped" && exit 0; exit $$code; }; \
	IOS_AGENT_DESKTOP=1 go test $(TESTFLAGS) -vet=off -count=1 -timeout 10m -run 'TestReal|TestScripts/^desktop' ./internal/driver/atspi ./test/xdesktop ./test/script

# The driver of macOS for desktop apps: its Go code over fake frameworks that gcc compiles, as the product is built and with the race
# detector, and its build for both kinds of Mac. Skipped, with the reason, where there is no gcc; never with CI=true.
test-macax:
	@command -v gcc >/dev/null || { echo "test-macax: not run: the fake frameworks need gcc"; [ "$$CI" != true ]; exit; }; \
	CGO_ENABLED=0 go vet -tags macaxfake ./internal/driver/macax && \
	CGO_ENABLED=0 go test $(TESTFLAGS) -vet=off -tags macaxfake -count=1 -timeout 5m ./internal/driver/macax && \
	CGO_ENABLED=1 go test $(TESTFLAGS) -vet=off -tags macaxfake -count=1 -timeout 5m -race -short ./internal/driver/macax && \
	for arch in arm64 amd64; do \
	  GOOS=darwin GOARCH=$$arch CGO_ENABLED=0 go test -c -vet=off -tags macaxfake -o /dev/null ./internal/driver/macax || exit 1; \
	done

# Chaos by many seeds: hours of things going wrong, in minutes. A failing seed fails again. Walks by each driver, over several devices and
# on the desktop, on which every answer is held to the truth, and histories of leases beside a model. Every input with every fault, and a virtual world that answers the same
# a hundred times. Then logs of full length, and ten thousand claims.
FIRST ?= 0
SOAK = go test $(TESTFLAGS) -vet=off -timeout 60m -count=1
# The walks of the oracle.
WALKS = TestNothingButTheTruth|TestTheDeviceThatIsMeant|TestNothingWeSuggestDestroysAForm|TestTheTruthOnTheDesktop
soak:
	IOS_AGENT_SOAK_FIRST=$(FIRST) IOS_AGENT_SOAK_SEEDS=300 $(SOAK) -run TestTruthUnderChaos ./internal/driver/xctest
	IOS_AGENT_SOAK_FIRST=$(FIRST) IOS_AGENT_SOAK_SEEDS=300 $(SOAK) -run '$(WALKS)' ./test/oracle
	IOS_AGENT_SOAK_FIRST=$(FIRST) IOS_AGENT_SOAK_SEEDS=10000 $(SOAK) -run TestHistories ./internal/device/lease
	IOS_AGENT_SOAK_SEEDS=1 go test $(TESTFLAGS) -timeout 10m -count=1 \
	  -run 'TestDispatchStateMatchesSentInputs|TestWorldAnswersRepeatForSameSeed|TestMemoryIsBoundedForLongLog|TestHugeBuildLogKeepsMemorySmall' \
	  ./internal/device/act ./internal/virtualxcode ./internal/apple/buildlog ./internal/xcode/builder
	IOS_AGENT_SOAK_CLAIMS=10000 $(SOAK) -run TestNoDoubleBooking ./test/script

# A tenth of the random tests above, and 300 walks of all kinds together, from a seed that the committed tree gives: the same commit takes
# the same walks everywhere.
TREE = $(shell printf %d 0x$$(git rev-parse --short=7 'HEAD^{tree}'))
soak-tenth:
	@echo "soak-tenth: the first seed is $(TREE); make soak FIRST=$(TREE) takes all from there"
	IOS_AGENT_SOAK_FIRST=$(TREE) IOS_AGENT_SOAK_SEEDS=30 $(SOAK) -run TestTruthUnderChaos ./internal/driver/xctest
	IOS_AGENT_SOAK_FIRST=$(TREE) IOS_AGENT_SOAK_WALKS=300 $(SOAK) -run '$(WALKS)' ./test/oracle
	IOS_AGENT_SOAK_FIRST=$(TREE) IOS_AGENT_SOAK_SEEDS=1000 $(SOAK) -run TestHistories ./internal/device/lease

# On a Mac with Xcode: what holds with Apple's tools, as one page, and one file that replays anywhere.
verify-mac:
	scripts/verify-mac
