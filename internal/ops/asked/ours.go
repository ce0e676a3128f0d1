package asked

// ours are the phrases of our own operations.
var ours = map[string]string{
	// devices
	"list_devices": "which simulators are there; available devices; connected iPhones; list phones; what devices do I have; " +
		"which iOS versions; udid of a simulator; is a device booted; runtimes",
	"boot_device":     "start a simulator; turn on a simulator; open a simulator; power on; launch an iPhone simulator; boot",
	"shutdown_device": "turn off a simulator; power off; stop the simulator; close the simulator; shut down",
	"reset_sim":       "factory reset; erase all content and settings; wipe a simulator; clean simulator; fresh simulator; start over",
	"use_device": "switch to another device; select a device; change the current simulator; pick which phone; target device; " +
		"default device",
	"set_location": "simulate location; fake gps; mock location; spoof position; change coordinates; pretend to be in Paris; " +
		"latitude longitude; move the user; geolocation; city",
	"grant_permission": "grant camera permission; allow photos access; microphone permission; privacy settings; location permission; " +
		"contacts access; calendar; deny permission; revoke permission; reset permissions; authorization; tcc; tracking",
	"set_appearance": "dark mode; light mode; night mode; theme; dynamic type; larger text; font size; text size; accessibility size; " +
		"increase contrast; high contrast; appearance",
	"set_status_bar": "status bar; 9:41; battery level; full battery; carrier name; signal bars; wifi icon; clock in the status bar; " +
		"clean screenshots for the App Store",
	"pasteboard": "clipboard; copy and paste; paste text; what was copied; read the clipboard; set clipboard",
	"prepare_device": "turn off autocorrect; disable predictive text; autocapitalization; prepare for UI tests; keyboard settings; " +
		"typed text comes out wrong; smart quotes",

	// pool
	"list_device_pool": "which phones are free; who is using the simulator; who has the device; free devices; busy devices; " +
		"claimed by whom; availability",
	"refresh_devices": "a new phone is not listed; rescan devices; device does not show up; detect devices again",
	"resolve_device":  "find a free simulator; get me any free iPhone; give me a device with iOS 18; pick the best device; available iPad",
	"claim_device":    "reserve a device; lock a phone for me; take a device exclusively; claim; book a simulator",
	"release_device":  "give a device back; unlock the device; free the phone; release the lease; done with the device",
	"ensure_devices": "several simulators at once; at the same time; simultaneously; " +
		"parallel tests on three phones; boot multiple devices; many devices",
	"renew_device":       "keep my claim; extend the lease; keep the device longer",
	"take_over_device":   "steal a device; another session has my device; force claim; device is claimed by someone else; break the lock",
	"cleanup_devices":    "expired claims; stale leases; remove old claims",
	"device_claim_log":   "who had the device before; history of claims; who took my device",
	"read_device_claims": "watch claims; changes of claims",

	// apps
	"install_app": "install the app; put an ipa on the phone; deploy a .app; sideload; add an app",
	"launch_app": "start the app; open my app; launch with arguments; launch environment; change the language; app in German; locale; " +
		"AppleLanguages; region; localization; restart the app; relaunch; feature flags; cold start",
	"terminate_app": "kill the app; quit the app; force quit; stop the app; close the app; end the process; swipe the app away",
	"uninstall_app": "delete the app; remove the app; uninstall; fresh install; wipe the app's data; clear app data; first launch again",
	"list_apps":     "which apps are installed; installed apps; is my app running; running apps; bundle ids on the device; app version; " +
		"app container; data container; Documents folder; sandbox",
	"open":          "open a url; deep link; universal link; open a web page; Safari; custom url scheme; open settings",
	"push":          "push notification; send a notification; apns; remote notification; payload; notification badge; test push",
	"run":           "build and run; run my app; compile and launch; try my change; start the project; build the app and show it; Cmd R",
	"test": "run unit tests; run only one test; run a single test; run one test class; UI tests; XCTest; failing tests; " +
		"test suite; Swift Testing; rerun tests",

	// screen
	"snapshot": "what is on the screen; see the screen; view hierarchy; accessibility tree; list elements; which buttons are there; " +
		"element tree; read the screen; current view; UI dump; find an element; web view; html; web page content; links of a page",
	"take_screenshot": "screenshot; picture of the screen; take a photo of the screen; capture the screen; how does it look; " +
		"annotated screenshot; image; jpeg; png",
	"get_element": "read the value of a field; full text of a label; is the switch on; is the button enabled; frame of an element; " +
		"attributes of an element; placeholder; element state; coordinates of an element",
	"list_refs":    "which refs are there; refs of the last screen",
	"record_video": "record a video; screen recording; film the screen; movie of the session; gif; capture a clip; mp4",
	"wait": "wait until something appears; wait for a text; wait for the spinner to disappear; loading to finish; " +
		"wait for an element; until the screen is still; animation to end; settle; timeout; element to vanish; poll",
	"audit": "accessibility audit; check accessibility; missing labels; accessibility identifiers; VoiceOver; " +
		"touch targets too small; a11y; contrast of elements; SARIF; overlapping elements",

	// touch
	"tap_element": "tap a button; press a button on the screen; click; touch a cell; select a row; tap coordinates; hit a link; " +
		"choose a tab; tick a checkbox; open a menu item",
	"double_tap": "double tap; tap twice; double click; zoom by tapping",
	"long_press": "long press; press and hold; hold down; context menu; touch and hold; haptic touch; jiggle mode",
	"touch":      "finger down; hold at a point; raw touch; press at coordinates for a while",
	"swipe": "swipe left; swipe to delete; flick; scroll down a bit; pull to refresh; next page; dismiss a sheet by swiping; " +
		"carousel",
	"scroll_to": "scroll to an element; scroll until it is visible; find something below; element is off screen; " +
		"scroll down to the bottom; long list; scroll to the end; last item of a list",
	"drag":  "drag and drop; reorder a list; move an item; drag a row; pull a handle",
	"pinch": "zoom in; zoom out; pinch; two fingers; magnify a map; spread",
	"set_value": "move a slider; turn a switch on; toggle a switch; flip a toggle; pick a date; date picker; picker wheel; stepper; " +
		"segmented control; choose a value; set volume; turn off a setting",
	"back": "go back; previous screen; navigation bar back; pop the view; return to the last page",
	"home": "home screen; go to the springboard; background the app; send the app to the background; home button; minimize",
	"press_button": "volume button; lock the phone; lock screen; side button; power button; Siri; Apple Pay; hardware button; " +
		"action button; unlock; sleep the device",
	"rotate": "landscape; portrait; rotate the device; turn the phone; orientation; upside down",
	"alert": "dismiss an alert; accept a dialog; permission popup; system prompt; tap OK on the alert; close the popup; " +
		"allow button; confirmation; what does the alert say; cancel the dialog; don't allow; answer a prompt",
	"type_text": "type into a field; enter text; write something; type the password; append text; keyboard input; insert text; " +
		"search for something in the search bar; password field",
	"fill": "fill in a form; enter the email; replace the text; type into the password field; set a text field; log in; " +
		"put text into a field; username; change the text of a field; login form",
	"clear": "empty a field; delete the text; clear the search bar; erase what was typed; remove the text of a field",
	"press_key": "press return; hit enter; delete key; backspace; tab key; escape; arrow key; keyboard shortcut; submit by return; " +
		"space bar",
	"key_sequence":  "several keys; type key by key; keys one after the other",
	"hide_keyboard": "hide the keyboard; dismiss the keyboard; keyboard covers the button; close the keyboard; keyboard is in the way",
	"batch": "several steps at once; many actions in one call; script of steps; macro; sequence of taps; fill and submit a form; " +
		"automate a flow",

	// agents, session, system
	"agent_status": "is the driver running; status of the XCTest agent; WebDriverAgent; runner state",
	"agent_build":  "rebuild the agent; agent is out of date; build the XCTest runner",
	"agent_start":  "start the agent; warm up; prepare a physical device for driving",
	"agent_stop":   "stop the agent; restart the driver; the driver hangs; kill the runner",
	"agent_logs":   "log of the agent; why does the driver fail; agent output",
	"session_set_defaults": "set default scheme; remember the project; do not repeat the scheme; session settings; configure workspace; " +
		"default simulator and scheme",
	"session_show_defaults":        "what are my defaults; current settings of the session; which scheme is set",
	"session_clear_defaults":       "forget defaults; reset session settings",
	"session_use_defaults_profile": "switch profile; another set of defaults; staging profile",
	"doctor": "is everything installed; is my machine set up; is my Mac ready; " +
		"check my setup; diagnose; Xcode is not found; something does not work; environment check; " +
		"requirements; troubleshoot; health check",
	"health":        "is the server alive; ping; server version",
	"ensure_server": "start the server; server address; where does the server run; port; daemon running",
	"guide":         "how do I use this; help; tutorial; instructions; how does it work; getting started; workflow",
	"parse": "read a crash file; parse an ips file; symbolicate a file; read a build log file; xcresult; explain tool output; " +
		"result bundle; understand a log file",
	"read_events": "what did other sessions do; audit trail; history of calls; recent calls; activity",
	"job_status":  "is the build still running; state of a background job; progress of a job",
	"job_wait":    "wait for a job; wait for the build to finish; result of a background job",
	"job_cancel":  "cancel a build; stop a job; abort; interrupt a running job",
	"show_step": "what did my last tap do; what happened in the last step; details of a step; why did nothing change; " +
		"previous action; screens before and after",
	"status": "where am I; current device; current session; overview; which device am I on; what is running; daemon status",

	// debugger
	"debug_attach": "debug my app; attach lldb; launch program under debugger; start debugging; debugger; launch under the debugger; " +
		"gdb; debug a process",
	"debug_break": "set a breakpoint; stop at a line; break in a function; conditional breakpoint; halt when a condition holds; " +
		"pause at a line",
	"debug_unbreak":  "remove a breakpoint; delete a breakpoint; clear breakpoints",
	"debug_continue": "resume the program; continue after a breakpoint; go on; run on",
	"debug_pause":    "pause the program; interrupt the debugger; break now; where is it stuck; app hangs; freeze; deadlock",
	"debug_step":     "step over; step into; step out; next line; single step",
	"debug_wait":     "wait for the breakpoint; until the breakpoint is hit; wait until it stops",
	"debug_stack": "backtrace; call stack; stack trace; where is the program stopped; threads; who called this function; bt; " +
		"what is the main thread doing",
	"debug_vars": "local variables; value of a variable; inspect variables; print a variable; arguments of a function; " +
		"what is in self; frame variables",
	"debug_lldb": "lldb command; evaluate an expression; po; print an object; expression; memory read; disassemble; " +
		"change a variable; watchpoint; registers",
	"debug_detach":   "detach the debugger; stop debugging; let the app run without debugger",
	"debug_sessions": "attached debuggers; list breakpoints; debug sessions",

	// logs, crashes, builds
	"data_show":    "how much disk does it use; stored data; how long are logs kept; storage",
	"data_delete":  "delete stored logs; clear the logs; free disk space; remove captured traffic; forget everything",
	"list_crashes": "crash reports; recent crashes; did my app crash; crash logs; how often did it crash; list crashes",
	"show_crash": "why did my app crash; crash reason; stack trace of the crash; exception; where did it crash; fatal error; SIGSEGV; " +
		"EXC_BAD_ACCESS; last crash; the app closed by itself; app quit unexpectedly; symbolicate",
	"pull_crashes":      "crash reports of a physical device; copy crashes from the iPhone; get crash logs off the phone",
	"show_crash_hook":   "what runs on a crash; crash hook",
	"set_crash_hook":    "run a script when the app crashes; notify me of crashes; on crash",
	"remove_crash_hook": "stop running a script on crashes; remove crash hook",
	"read_logs": "show the logs; console output; what did the app print; print statements; NSLog; os_log; error messages; " +
		"device console; syslog; search the log; log lines; stdout; OSLog Logger; tail the log; warnings in the log; " +
		"debug output",
	"summarize_logs": "summary of the logs; how many errors; most frequent errors; overview of warnings; what went wrong in the log",
	"list_builds":    "last builds; build history; previous test runs; where is the build log",
	"show_build": "why did the build fail; compiler errors; build errors; warnings of the build; failed tests; which tests failed; " +
		"compile error; test results; build log",
	"logs_start":  "follow the log; start streaming logs; listen to the app's log; watch the console; stream logs",
	"logs_stop":   "stop streaming logs; stop following the log",
	"log_sources": "where do logs come from; why are there no logs; which logs are captured; lost lines",

	// network
	"proxy_start": "capture network traffic; sniff http; intercept https; start the proxy; monitor requests; see api calls; Charles; " +
		"mitmproxy; Proxyman; record network traffic",
	"proxy_status": "is the proxy running; proxy port; state of the proxy",
	"proxy_set": "only one host; ignore hosts; certificate pinning bypass list; system proxy; pass through hosts; " +
		"Mac's proxy settings; exclude a domain from the proxy",
	"proxy_take_over": "another session owns the proxy; take the proxy from another session",
	"proxy_guide": "no requests are captured; how to route the app through the proxy; set up the proxy on a phone; " +
		"traffic does not show; configure the proxy",
	"list_flows": "what requests did the app send; http requests; api calls; network log; which urls were called; failed requests; " +
		"traffic; backend calls; endpoints; network activity; 404; 500",
	"show_flow": "response body of a request; request headers; what did the server answer; json response; details of a request; " +
		"payload that was sent; status code; show a request as curl; response of the login call",
	"summarize_flows": "network summary; slowest requests; slow api calls; traffic by host; how many requests; bandwidth",
	"wait_flow":       "wait for a request; wait until the api call is done; wait for the response; until the network call finishes",
	"export_flows": "export HAR; save the traffic; download a response body; curl command to a file; share the network log; " +
		"write requests to a file",
	"proxy_hold": "pause a request; intercept a request and change it; breakpoint on a request; modify a response on the fly; hold; " +
		"tamper; edit a request before it is sent; edit the response",
	"proxy_unhold":      "stop intercepting; do not hold requests any more",
	"proxy_held":        "which requests are paused; held requests; waiting requests",
	"proxy_release":     "let a paused request continue; release a request; change a held response; send the held request on",
	"proxy_release_all": "let all requests go; release everything that is held",
	"proxy_mock": "mock a response; stub an api; fake server answer; return 500; simulate a server error; make the network slow; " +
		"slow network; delay responses; latency; offline mode; no internet; simulate a bad connection; " +
		"network link conditioner; timeout; throttle; 3G; airplane mode; canned response; fail requests; empty response; " +
		"drop connection; flaky network",
	"proxy_mocks":  "which mocks are active; list stubs; mock rules",
	"proxy_unmock": "remove a mock; stop mocking; delete a stub; real server again; disable mocks",
	"proxy_replay": "repeat a request; send a request again; replay; resend with another body; retry the api call",
	"proxy_cert":   "ca certificate; root certificate; ssl certificate of the proxy; trust the certificate; https does not work",
	"install_proxy_cert": "install the certificate; trust the proxy; ssl errors; tls handshake fails; certificate on the simulator; " +
		"https traffic is not readable",
	"proxy_stop": "stop the proxy; stop capturing traffic; turn off the proxy; restore network settings",
}
