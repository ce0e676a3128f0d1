package xcode

import "ios-agent/internal/op"

// The tools of XcodeBuildMCP: the name of each, and the core operation that does the same, if that has another name.
var (
	ListSims  = row("list_sims", "list_devices")
	bootSim   = row("boot_sim", "boot_device")
	openSim   = row("open_sim", "")
	eraseSims = row("erase_sims", "reset_sim")

	installAppSim = row("install_app_sim", "install_app")
	launchAppSim  = row("launch_app_sim", "launch_app")
	stopAppSim    = row("stop_app_sim", "terminate_app")

	recordSimVideo   = row("record_sim_video", "record_video")
	screenshotTool   = row("screenshot", "take_screenshot")
	setSimLocation   = row("set_sim_location", "set_location")
	resetSimLocation = row("reset_sim_location", "")
	setSimAppearance = row("set_sim_appearance", "set_appearance")
	simStatusbar     = row("sim_statusbar", "set_status_bar")

	startSimLogCap    = row("start_sim_log_cap", "")
	stopSimLogCap     = row("stop_sim_log_cap", "")
	startDeviceLogCap = row("start_device_log_cap", "")
	stopDeviceLogCap  = row("stop_device_log_cap", "")
	launchAppLogsSim  = row("launch_app_logs_sim", "")

	ListDevices      = row("list_devices", "")
	installAppDevice = row("install_app_device", "")
	launchAppDevice  = row("launch_app_device", "")
	stopAppDevice    = row("stop_app_device", "")

	launchMacApp = row("launch_mac_app", "")
	stopMacApp   = row("stop_mac_app", "")

	swiftPackageBuild = row("swift_package_build", "")
	swiftPackageTest  = row("swift_package_test", "")
	swiftPackageRun   = row("swift_package_run", "")
	swiftPackageList  = row("swift_package_list", "")
	swiftPackageStop  = row("swift_package_stop", "")
	swiftPackageClean = row("swift_package_clean", "")

	scaffoldIOSProject   = row("scaffold_ios_project", "")
	scaffoldMacOSProject = row("scaffold_macos_project", "")

	buildSim       = row("build_sim", "")
	buildRunSim    = row("build_run_sim", "run")
	buildDevice    = row("build_device", "")
	buildRunDevice = row("build_run_device", "")
	buildMacOS     = row("build_macos", "")
	buildRunMacOS  = row("build_run_macos", "")
	cleanTool      = row("clean", "")

	getSimAppPath    = row("get_sim_app_path", "")
	getDeviceAppPath = row("get_device_app_path", "")
	getMacAppPath    = row("get_mac_app_path", "")

	testSim    = row("test_sim", "")
	testDevice = row("test_device", "")
	testMacOS  = row("test_macos", "")

	DiscoverProjs     = row("discover_projs", "")
	listSchemes       = row("list_schemes", "")
	showBuildSettings = row("show_build_settings", "")
	getAppBundleID    = row("get_app_bundle_id", "")
	getMacBundleID    = row("get_mac_bundle_id", "")

	getCoverageReport = row("get_coverage_report", "")
	getFileCoverage   = row("get_file_coverage", "")

	describeUI = row("describe_ui", "")
	snapshotUI = row("snapshot_ui", "snapshot")
	waitForUI  = row("wait_for_ui", "wait")

	tapTool     = row("tap", "tap_element")
	longPress   = row("long_press", "")
	touchTool   = row("touch", "")
	swipeTool   = row("swipe", "")
	dragTool    = row("drag", "")
	gestureTool = row("gesture", "")
	buttonTool  = row("button", "press_button")

	typeText                      = row("type_text", "")
	keyPress                      = row("key_press", "press_key")
	keySequence                   = row("key_sequence", "")
	toggleSoftwareKeyboard        = row("toggle_software_keyboard", "")
	toggleConnectHardwareKeyboard = row("toggle_connect_hardware_keyboard", "")
	batchTool                     = row("batch", "")

	debugAttachSim        = row("debug_attach_sim", "")
	debugAttachProcess    = row("debug_attach_process", "")
	debugBreakpointAdd    = row("debug_breakpoint_add", "")
	debugBreakpointRemove = row("debug_breakpoint_remove", "")
	debugContinue         = row("debug_continue", "")
	debugPause            = row("debug_pause", "")
	debugStep             = row("debug_step", "")
	debugWait             = row("debug_wait", "")
	debugStack            = row("debug_stack", "")
	debugVariables        = row("debug_variables", "")
	debugLLDBCommand      = row("debug_lldb_command", "")
	debugDetach           = row("debug_detach", "")

	SessionStatus = row("session_status", "")
	Doctor        = row("doctor", "")
	DiscoverTools = row("discover_tools", "")
)

// setDefaults is a core operation; XcodeBuildMCP has a tool of the same name.
var setDefaults = op.Spec{Name: "session_set_defaults", Family: op.Core}

func row(name, twin string) op.Spec { return op.Spec{Name: name, Family: Family, Twin: twin} }
