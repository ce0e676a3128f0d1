package house_test

import "ios-agent/test/house"

// alone are the operations that change something and can end nothing of another session, each with its reason.
var alone = map[string]string{
	"refresh_devices":              "it lists the devices anew",
	"quern_refresh_devices":        "it lists the devices anew",
	"agent_build":                  "the agent is built once for all; who waits for it is not disturbed",
	"session_set_defaults":         "the defaults are the caller's own",
	"session_clear_defaults":       "the defaults are the caller's own",
	"session_use_defaults_profile": "the defaults are the caller's own",
	"export_flows":                 "it writes a file that the caller names",
	"export_logs":                  "it writes a file that the caller names",
	"proxy_replay":                 "it sends a request once",
	"replay_flow":                  "it sends a request once",
	"parse_build_output":           "it adds a build",
	"data_delete":                  "what is stored is the user's, and no session's; it never runs without a question",
	"set_crash_hook":               "the hook is the user's, one for a home; it never runs without a question",
	"remove_crash_hook":            "the hook is the user's, one for a home",
	"take_over_device":             "it is how a person forces it; it wants a reason, and never runs without a question",
	"proxy_take_over":              "it is how a person forces it; it wants a reason, and never runs without a question",
	"launch_mac_app":               "it opens an app",
	"stop_mac_app":                 "apps of the Mac are the user's, and no session's",
	"swift_package_build":          "it compiles; two builds of a package wait for each other",
	"swift_package_test":           "it compiles and tests; two builds of a package wait for each other",
	"swift_package_run":            "it starts a program",
	"swift_package_clean":          "build folders are the package's; it never runs without a question",
	"scaffold_ios_project":         "it writes a new project",
	"scaffold_macos_project":       "it writes a new project",
	"build_sim":                    "it compiles; two builds of a folder wait for each other",
	"build_device":                 "it compiles; two builds of a folder wait for each other",
	"build_macos":                  "it compiles; two builds of a folder wait for each other",
	"build_run_macos":              "it compiles and opens an app",
	"test_macos":                   "it compiles and tests; two builds of a folder wait for each other",
	"clean":                        "build folders are the project's; it never runs without a question",
	"desktop_debug_launch":         "it starts a program",
	"desktop_debug_attach":         "several sessions may look at a window; whose it was goes on",
}

// aims are the operations that could end or change what another session has, and what they are called with.
var aims = map[string]func(e *estate) []in{
	"claim_device":          onDevices,
	"quern_claim_device":    onDevices,
	"release_device":        onDevices,
	"quern_release_device":  onDevices,
	"renew_device":          onDevices,
	"resolve_device":        onDevices,
	"quern_resolve_device":  onDevices,
	"ensure_devices":        func(*estate) []in { return []in{{"count": 1}} },
	"quern_ensure_devices":  func(*estate) []in { return []in{{"count": 1}} },
	"cleanup_devices":       nothing,
	"quern_cleanup_devices": nothing,

	"stop_sim_log_cap":    func(e *estate) []in { return []in{{"logSessionId": e.simLog}} },
	"stop_device_log_cap": func(e *estate) []in { return []in{{"logSessionId": e.deviceLog}} },
	"set_log_filter":      func(*estate) []in { return []in{{"source": "all"}, {"source": "simulator", "process": "Mail"}} },
	"swift_package_stop":  func(e *estate) []in { return []in{{"pid": e.program}} },

	"proxy_start":              func(*estate) []in { return []in{{}, {"bypass": []string{"x.example"}}, {"system_proxy": true}} },
	"start_proxy":              func(*estate) []in { return []in{{}, {"port": 9999}, {"system_proxy": true}} },
	"proxy_stop":               nothing,
	"stop_proxy":               nothing,
	"proxy_set":                settings,
	"set_proxy_filter":         func(*estate) []in { return []in{{"host": "x.example"}, {}} },
	"configure_system_proxy":   nothing,
	"unconfigure_system_proxy": nothing,
	"proxy_hold":               func(*estate) []in { return []in{{"pattern": "~u /else"}} },
	"set_intercept":            func(*estate) []in { return []in{{"pattern": "~u /else"}} },
	"proxy_unhold":             nothing,
	"clear_intercept":          nothing,
	"proxy_release":            func(e *estate) []in { return []in{{"flow_id": e.flow}} },
	"release_flow":             func(e *estate) []in { return []in{{"flow_id": e.flow}} },
	"proxy_release_all":        nothing,
	"release_all_flows":        nothing,
	"proxy_mock":               func(e *estate) []in { return []in{{"pattern": "~u /else"}, {"id": e.mock, "status": 200}} },
	"set_mock":                 func(*estate) []in { return []in{{"pattern": "~u /else"}} },
	"update_mock":              func(e *estate) []in { return []in{{"rule_id": e.mock, "status_code": 200}} },
	"proxy_unmock":             func(e *estate) []in { return []in{{"id": e.mock}, {"all": true}} },
	"clear_mocks":              func(e *estate) []in { return []in{{"rule_id": e.mock}, {}} },

	"proxy_map": func(e *estate) []in {
		return []in{{"pattern": "~u /else", "to": "http://127.0.0.1:1"}, {"pattern": "~u /else", "to": "http://127.0.0.1:1", "id": e.mock}}
	},

	"debug_set":               debugging(in{"variable": "n", "value": "5"}),
	"debug_watch":             debugging(in{"variable": "n"}),
	"debug_unwatch":           debugging(in{"watchpoint": 1}),
	"debug_break":             debugging(in{"at": "main.c:13"}),
	"debug_unbreak":           debugging(in{"breakpoint": 1}),
	"debug_continue":          debugging(nil),
	"debug_pause":             debugging(nil),
	"debug_step":              debugging(nil),
	"debug_lldb":              debugging(in{"command": "bt"}),
	"debug_detach":            debugging(nil),
	"debug_attach_process":    func(e *estate) []in { return []in{{"pid": e.pid}, {"sessionId": e.window}} },
	"debug_breakpoint_add":    debugging(in{"file": "main.c", "line": 13}),
	"debug_breakpoint_remove": debugging(in{"breakpointId": 1}),
	"xcode_debug_continue":    debugging(nil),
	"xcode_debug_pause":       debugging(nil),
	"xcode_debug_step":        debugging(nil),
	"debug_lldb_command":      debugging(in{"command": "bt"}),
	"xcode_debug_detach":      debugging(nil),
	"debug_session":           func(e *estate) []in { return []in{{"action": "stop", "sessionId": e.window}} },
	"debug_ui_action":         func(e *estate) []in { return []in{{"action": "key", "key": "a", "sessionId": e.window}} },
}

func nothing(*estate) []in { return []in{{}} }

func onDevices(e *estate) []in { return []in{{"udid": e.udid}, {"udid": house.Physical}} }

func settings(*estate) []in {
	return []in{
		{"only": "x.example"}, {"only": "", "bypass": []string{"x.example"}}, {"upstream": "http://127.0.0.1:1"}, {"system_proxy": true},
		{"system_proxy": false},
	}
}

// debugging names the holder's debugger, and none, as the caller's own.
func debugging(with in) func(e *estate) []in {
	return func(e *estate) []in {
		named, none := in{"debugger": e.debugger, "debugSessionId": e.debugger}, in{}
		for name, v := range with {
			named[name], none[name] = v, v
		}
		return []in{named, none}
	}
}
