package asked

// ours maps the core family's operations to their phrases.
var ours = map[string]string{
	// devices
	"list_devices": "which simulators are there; available devices; connected iPhones; list phones; what devices do I have; " +
		"which iOS versions; udid of a simulator; is a device booted; runtimes; simctl list; idb list-targets; " +
		"devicectl list devices; xctrace list; installed simulators; simulator names; device ids; iPad models; emulators; " +
		"what can I test on; plugged in phones; booted simulators; device inventory; OS versions; watchOS; tvOS; all simulators; " +
		"every simulator; all devices; simulator list",
	"boot_device": "start a simulator; turn on a simulator; open a simulator; power on; launch an iPhone simulator; boot; " +
		"simctl boot; bootstatus; fire up a simulator; spin up an emulator; bring up an iPad; simulator is not booted; " +
		"simulator is shut down; device not booted; wait until booted; wake a simulator; simulator will not start; cold boot; " +
		"switch on; switch on a simulator; power up; start an iPhone; start an iPad",
	"shutdown_device": "turn off a simulator; power off; stop the simulator; close the simulator; shut down; simctl shutdown; " +
		"switch off the simulator; halt the emulator; simulator eats memory; no longer need the simulator; simulator off; " +
		"quit the emulator; power down; switch off; close down; simulators off",
	"reset_sim": "factory reset; erase all content and settings; wipe a simulator; clean simulator; fresh simulator; " +
		"start over; simctl erase; resetContentAndSettings; wipe everything; pristine device; like new; restore factory settings; " +
		"clean slate; blank simulator; clear the keychain; clearKeychain; corrupted simulator; out of the box; " +
		"remove all apps and data; full reset; virgin state",
	"use_device": "switch to another device; select a device; change the current simulator; pick which phone; target device; " +
		"default device; set the active device; work on the other phone; target another udid; wrong device; stick to one device; " +
		"commands go to the wrong simulator; select by name; destination; change simulator; switch phones; for all commands; " +
		"next commands",
	"set_location": "simulate location; fake gps; mock location; spoof position; change coordinates; pretend to be in Paris; " +
		"latitude longitude; move the user; geolocation; city; simctl location; setSimulatedLocation; lat lon; lat lng; " +
		"CLLocationManager; CoreLocation; teleport; user is in Tokyo; geofence; map position; near me; where the phone thinks it is; " +
		"be in another country; gps; pretend to be abroad; blue dot; Berlin; London; New York; San Francisco; Sydney; " +
		"turn off location; stop faking location; turn off gps; relocate; change country; move to; teleport to",
	"grant_permission": "grant camera permission; allow photos access; microphone permission; privacy settings; " +
		"location permission; contacts access; calendar; deny permission; revoke permission; reset permissions; authorization; tcc; " +
		"tracking; simctl privacy; setPermission; resetPermission; idb approve; pre-authorize; avoid the permission dialog; " +
		"without a permission popup; always allow location; photo library; reminders; motion; media library; make the app ask again; " +
		"app cannot access contacts; access denied; withdraw a permission; NSUsageDescription; camera roll; address book; mic; " +
		"gps permission; permissions of the app; ask for access again; deny access; without being asked",
	"set_appearance": "dark mode; light mode; night mode; theme; dynamic type; larger text; font size; text size; " +
		"accessibility size; increase contrast; high contrast; appearance; simctl ui; darkmode; UIUserInterfaceStyle; " +
		"interface style; color scheme; bigger fonts; large fonts; font scaling; XXL text; preferredContentSizeCategory; " +
		"content size category; text gets truncated at large sizes; legibility; day mode; reading size; large text mode; " +
		"white background; black background; appearance mode; night; enable dark mode; activate dark; switch to light; dark theme; " +
		"dark UI",
	"set_status_bar": "status bar; 9:41; battery level; full battery; carrier name; signal bars; wifi icon; " +
		"clock in the status bar; clean screenshots for the App Store; simctl status_bar; statusbar override; fake battery; " +
		"battery percentage; low battery; charging icon; 5G icon; LTE icon; operator name; wifi bars; cellular bars; no signal; " +
		"marketing screenshots; demo mode; fake clock; time in the corner",
	"pasteboard": "clipboard; copy and paste; paste text; what was copied; read the clipboard; set clipboard; simctl pbcopy; " +
		"pbpaste; UIPasteboard; setClipboard; getPasteboard; pasteText; paste buffer; copied text; did the copy button work; " +
		"clipboard content; put text on the clipboard; copied link; setPasteboard",
	"prepare_device": "turn off autocorrect; disable predictive text; autocapitalization; prepare for UI tests; " +
		"keyboard settings; typed text comes out wrong; smart quotes; autocorrection; autocorrect changes my text; autocomplete; " +
		"QuickType; suggestions bar; words get replaced; first letter is capitalised; wrong characters arrive; mangled text; typos; " +
		"capitalization; flaky typing; simulator for automation; disable suggestions; keyboard preferences; spellcheck; " +
		"auto-correct; auto-correction; auto-capitalize; auto-capitalised; smart punctuation",

	// pool
	"list_device_pool": "which phones are free; which agent is using the simulator; whose device is it; free devices; busy devices; " +
		"claimed by whom; availability; device pool; device farm; fleet; device lab; occupied; unclaimed; who owns the device; " +
		"reserved by; taken devices; owners; nobody uses; which devices can I take; holder; whose phone; busy",
	"refresh_devices": "a new phone is not listed; rescan devices; device does not show up; detect devices again; " +
		"just plugged in; plugged in an iPhone; usb; not detected; not recognized; new simulator is missing; device list is stale; " +
		"rediscover; reload the device list; created a simulator in Xcode; missing device; list is out of date; iPhone is missing; " +
		"newly connected; not shown; connected device is missing; newly created simulator",
	"resolve_device": "find a free simulator; get me any free iPhone; give me a device with iOS 18; pick the best device; " +
		"available iPad; any iPhone; best match; matching device; allocate; choose automatically; pick for me; " +
		"need an iPad with iOS 17; wait for a free one; queue for a device; suitable device; automatically select; " +
		"whichever is idle; lend me; borrow; get hold of a simulator",
	"claim_device": "reserve a device; lock a phone for me; take a device exclusively; claim; book a simulator; exclusive; " +
		"exclusively; exclusive access; acquire; check out a phone; only I may use it; keep others off; occupy; mine alone; " +
		"hold a device for me; reserve for CI; mark as taken; allocate to me; want the same phone; borrow a phone; reserved for me; " +
		"lock the device; book; secure a phone; block a device for me; for my tests",
	"release_device": "give a device back; unlock the device; free the phone; release the lease; done with the device; " +
		"unclaim; unreserve; return the device; hand back; let others use it; finished with the phone; check in; end my reservation; " +
		"drop the claim; relinquish; I am done; need it no more; no longer needed; not need any more; hand the simulator back; " +
		"unlock; free up; give back",
	"ensure_devices": "several simulators at once; at the same time; simultaneously; parallel tests on three phones; " +
		"boot multiple devices; many devices; multiple; two iPhones; pair of simulators; chat between two phones; parallel; matrix; " +
		"shard tests; a set of devices; concurrently; start 4 simulators; multi-device test; both an iPhone; sharding; " +
		"five simulators; in parallel; group of devices; three phones; together; phones together; three simulators; " +
		"multiple simulators",
	"renew_device": "keep my claim; extend the lease; keep the device longer; lease expires; claim runs out; prolong; " +
		"heartbeat; keepalive; more time with the device; about to expire; refresh my claim; extend the reservation; " +
		"still need the device; half an hour more; do not lose my device; claim expired; by half an hour; longer",
	"take_over_device": "steal a device; another session has my device; force claim; device is claimed by someone else; " +
		"break the lock; hijack; override the claim; someone left it locked; blocked by another session; seize; kick out; " +
		"device busy; DEVICE_CLAIMED; evict; colleague; stuck claim; force release; belongs to someone else; snatch; " +
		"owned by another agent; dead session; held by; blocked device",
	"cleanup_devices": "expired claims; stale leases; remove old claims; leftover claims; orphaned claims; dead sessions; " +
		"abandoned reservations; zombie; prune; garbage collect; crashed session still holds; forgotten leases; tidy up the pool; " +
		"outdated reservations; claims of sessions that are gone; claim expired; expired",
	"device_claim_log": "who had the device before; history of claims; who took my device; previous owner; usage history; " +
		"who used the phone yesterday; reservation log; audit of claims; who stole; reason of the takeover; past claims; " +
		"claim history; earlier holders; who took over; ownership history",
	"read_device_claims": "watch claims; changes of claims; claim events; subscribe to claims; monitor reservations; " +
		"tell me when a device gets free; claim feed; pool events; cursor of claims; claims as they change; pool changes",

	// apps
	"install_app": "install the app; put an ipa on the phone; deploy a .app; sideload; add an app; simctl install; " +
		"idb install; installApp; .app bundle; deploy the build; put the build on the simulator; upgrade the app; " +
		"update to a newer build; artifact from CI; app path; load the app onto; get the app onto; add .app; reinstall; " +
		"devicectl install; new version; load my app; load the .app; transfer the app; copy the app onto; upload the app",
	"launch_app": "start the app; open my app; launch with arguments; launch environment; change the language; app in German; " +
		"locale; AppleLanguages; region; localization; restart the app; relaunch; feature flags; cold start; simctl launch; " +
		"launchApp; activateApp; launchArguments; launchEnvironment; environment variable; ProcessInfo; French; Spanish; Japanese; " +
		"Arabic; right-to-left; RTL; translation; bring to the foreground; activate; back to the foreground; " +
		"resume the app from the background; reopen; command line arguments; UserDefaults override; process arguments; start fresh; " +
		"idb launch; other language; relaunchApp; start with a flag; launch flag; flags; parameters for the app; env; with env; " +
		"start with environment; in French; in German; test translations; debug flag; reset flag; feature toggle; " +
		"skip onboarding flag; with arguments; into the foreground; start an app; open an app; start the application; " +
		"with a test flag; app in Spanish; relaunch app with env",
	"terminate_app": "kill the app; quit the app; force quit; stop the app; close the app; end the process; " +
		"swipe the app away; simctl terminate; killApp; stopApp; terminateApp; force close; force stop; app switcher; " +
		"swipe up to close; kill -9; close completely; idb terminate; shut the app; app is not to run; end the app; exit the app; " +
		"multitasking; exit an app; close an app; stop running app",
	"uninstall_app": "delete the app; remove the app; uninstall; fresh install; wipe the app's data; clear app data; " +
		"first launch again; simctl uninstall; removeApp; clearState; clearApp; get rid of the app; onboarding again; fresh state; " +
		"reset the state of the app; reinstall; brand new user; clear UserDefaults; clear the cache; clean install; " +
		"wipe the local database; app from scratch; idb uninstall; first-run; deinstall; logged out state; clean data; " +
		"delete the data of the app; new user; remove completely; together with its data; trash the app; remove an app; delete an app",
	"list_apps": "which apps are installed; installed apps; is my app running; running apps; bundle ids on the device; " +
		"app version; app container; data container; Documents folder; sandbox; simctl listapps; get_app_container; appinfo; " +
		"isAppInstalled; queryAppState; idb list-apps; bundle identifiers; where are the files of the app; Core Data; sqlite; Realm; " +
		"plist; sandbox path; Library folder; which version is installed; build number; third-party apps; pid of the app; " +
		"home directory; is Safari installed; Caches folder; preferences file; NSHomeDirectory; app state; running or not; " +
		"state of the app; does the app run; installed version; on the simulator; app present; what is installed; package name; " +
		"find the bundle id; installed or not; running processes; data container of my app; container path; which apps",
	"open": "open a url; deep link; universal link; open a web page; Safari; custom url scheme; open settings; simctl openurl; " +
		"openURL; openLink; deeplink; universal links; myapp://; scheme://; https link; website; browser; navigate to a url; " +
		"Settings app; Maps link; mailto; jump straight to a screen; OAuth callback; magic link; idb open; url handler; " +
		"associated domains; link handling; onOpenURL; Safari page; route; browse to; visit a website; go to a website; at a route; " +
		"web address; via url; test a universal link; follow a deep link; test a link",
	"push": "push notification; send a notification; apns; remote notification; payload; notification badge; test push; " +
		"simctl push; pushNotification; sendUserNotification; apns file; aps; silent push; content-available; banner; badge count; " +
		"rich notification; notification arrives; remote; UNUserNotificationCenter; Firebase message; FCM; APNS payload; " +
		"notification category; didReceiveRemoteNotification; incoming notification; fake notification; red number on the icon; " +
		"custom JSON; alert title; chat notification; deliver a message; trigger a notification; fire a notification; " +
		"receive a notification",
	"run": "build and run; run my app; compile and launch; try my change; start the project; build the app and show it; Cmd R; " +
		"build and launch; Cmd+R; play button; see my change; see my edit; compile and start; rebuild and relaunch; run the project; " +
		"run the scheme; Product Run; install and launch my code; build, install and launch; does it start after my edit; " +
		"edit and run; try it out on the simulator; bring my code onto the simulator; preview my change; execute; compile and show; " +
		"launch my project; try my code; latest code; build it and open; build and see",
	"test": "run unit tests; run only one test; run a single test; run one test class; UI tests; XCTest; failing tests; " +
		"test suite; Swift Testing; rerun tests; xcodebuild test; only-testing; XCTestCase; unit test target; Cmd U; test class; " +
		"test method; XCUITest suite; regression tests; integration tests; TDD; do all tests pass; did I break something; " +
		"verify my change; test bundle; idb xctest; Quick Nimble; execute tests; flaky test again; run the tests; single test; " +
		"test target; spec; test case; run tests for; unit-test; testExample; verify nothing broke; only run; run LoginTests; " +
		"execute the suite; check with tests",

	// screen
	"snapshot": "what is on the screen; see the screen; view hierarchy; accessibility tree; list elements; " +
		"which buttons are there; element tree; read the screen; current view; UI dump; find an element; web view; html; " +
		"web page content; links of a page; getPageSource; page source; describe-ui; describe-all; maestro hierarchy; " +
		"maestro studio; Appium inspector; debugDescription; XCUIElementQuery; UI tree; view tree; what can I tap; what do I see; " +
		"visible elements; accessibility hierarchy; labels on the screen; DOM; WKWebView; findElement; findElements; " +
		"accessibility id; look at the screen; observe; which screen is it; texts on the screen; element list; locators; selectors; " +
		"UI hierarchy; dump; what changed on the screen; nested elements; inspect the UI; XPath; interactive elements; " +
		"controls on the screen; what does the screen contain; contents of the screen; what is shown; contain; tappable; " +
		"clickable elements; all buttons; heading; title of the screen; written on the screen; what does it say; captions; " +
		"identifier of an element; find the identifier; examine the screen; explore the app; enumerate elements; interact with",
	"take_screenshot": "screenshot; picture of the screen; take a photo of the screen; capture the screen; how does it look; " +
		"annotated screenshot; image; jpeg; png; simctl io screenshot; takeScreenshot; screengrab; screen grab; screen shot; snap; " +
		"visual check; pixels; bounding boxes; annotate; numbered elements; colors; layout glitch; visual regression; looks wrong; " +
		"visually; image file; getScreenshotAs; viewportScreenshot; render; ugly; misaligned; appearance of the screen; pic; " +
		"save the screen; looks odd; looks strange; looks off; looks different; weird; broken layout; half size; downscaled; " +
		"thumbnail; visual proof; grab a frame; jpg; evidence; grab; shoot a picture; photograph; picture of the page",
	"get_element": "read the value of a field; full text of a label; is the switch on; is the button enabled; " +
		"frame of an element; attributes of an element; placeholder; element state; coordinates of an element; getAttribute; " +
		"getText; isEnabled; isSelected; isDisplayed; isHittable; getRect; bounds; toHaveText; toHaveValue; toHaveLabel; " +
		"getAttributes; copyTextFrom; whole text; truncated text; traits; checked; is it selected; is it disabled; hittable; " +
		"properties of a control; describe-point; size of a button; where is the button; label of a button; greyed out; " +
		"text is cut off in the outline; rect; element info; single element; exact text; currently selected; equals; current value; " +
		"what does the label say; which option is selected; dimensions; width and height; highlighted; toggled; switch state; " +
		"enabled or disabled; identifier of a button; badge shows; check if; number shown; counter value",
	"list_refs": "which refs are there; refs of the last screen; forgot the refs; ref numbers; element references; " +
		"last seen elements; without a new snapshot; refs again; @e7; handles; remembered refs; cached elements; element ids I have",
	"record_video": "record a video; screen recording; film the screen; movie of the session; gif; capture a clip; mp4; " +
		"simctl io recordVideo; startRecording; stopRecording; startRecordingScreen; screencast; screen capture video; mov; hevc; " +
		"h264; codec; stop recording; demo video; reproduce the bug on video; footage; save the recording; idb record; " +
		"capture the animation; videotape; recorder; while I reproduce; clip; shoot a video; tape; film what happens; film",
	"wait": "wait until something appears; wait for a text; wait for the spinner to disappear; loading to finish; " +
		"wait for an element; until the screen is still; animation to end; settle; timeout; element to vanish; poll; assertVisible; " +
		"assertNotVisible; extendedWaitUntil; waitForExistence; waitForAnimationToEnd; waitFor; toBeVisible; toExist; withTimeout; " +
		"implicit wait; explicit wait; WebDriverWait; ExpectedConditions; until loaded; progress indicator; activity indicator; " +
		"spinner gone; sleep; assert that a text shows; verify that something is shown; assert; assertion; expect element; " +
		"becomes enabled; screen is stable; skeleton; toast appears; synchronization; too early; race; idle; stops moving; " +
		"finished loading; still loading; verify; make sure it is visible; NSPredicate expectation; appear; goes away; is displayed; " +
		"displayed; check that it is shown; is it there yet; assert text; ensure visible; list is populated; pause until; " +
		"data has loaded; content arrives; until filled; slow to load; until visible; remains; eventually; within 10 seconds; " +
		"rendered; loads; populated; no longer there; becomes; ready; refreshes; hold on until; progress bar; give it time; " +
		"stay until; check if it shows; check whether; confirm that",
	"audit": "accessibility audit; check accessibility; missing labels; accessibility identifiers; VoiceOver; " +
		"touch targets too small; a11y; SARIF; overlapping elements; accessibilityIdentifier missing; performAccessibilityAudit; " +
		"WCAG; unlabeled buttons; hit area; 44 points; reading order; focus order; testability; duplicate identifiers; blind users; " +
		"screen reader; accessibility issues; lint the UI; testID; accessible; elements without a label; inaccessible; " +
		"accessibility score; Accessibility Inspector; automatable; accessibility problems; tap target size; baseline",

	// touch
	"tap_element": "tap a button; press a button on the screen; click; touch a cell; select a row; tap coordinates; " +
		"hit a link; choose a tab; tick a checkbox; open a menu item; tapOn; click on; mobile: tap; idb ui tap; press Login; " +
		"push a button; nothing happens when I tap; tap does nothing; button does not respond; tap at x y; tap by label; " +
		"tap by text; by accessibility id; select a tab; choose an option; open a cell; hit Continue; radio button; checkbox; " +
		"follow a link; tab bar; icon; press Save; activate a control; coordinate tap; mobile: click; tap on an element; " +
		"press Submit; select an item; hamburger menu; tap outside; tapping; pick an entry; add to cart; share sheet; " +
		"bring up a menu; open the drawer; first result; second item; floating button; toolbar; avatar; close button; X button; " +
		"keypad; profile picture; as guest; hit a key on the keypad; dead button; button seems dead; blue button; third row; " +
		"hit Buy; touch the cell",
	"double_tap": "double tap; tap twice; double click; zoom by tapping; doubleTapOn; doubleTap; multiTap; tap two times; " +
		"double-click; like a photo; select a word; quick taps; twice; dbltap; two quick taps; mobile: doubleTap; heart; " +
		"tap quickly; two times",
	"long_press": "long press; press and hold; hold down; context menu; touch and hold; haptic touch; jiggle mode; " +
		"longPressOn; longPress; touchAndHold; forDuration; 3D touch; force touch; peek; hold a finger; hold for 2 seconds; " +
		"edit mode; contextual menu; keep pressing; long tap; long-tap; long click; quick actions; preview menu; hold the icon; " +
		"UIContextMenuInteraction; push-to-talk; press longer; popover menu; open the context menu; hold my finger; " +
		"hold on a message; reactions",
	"touch": "finger down; hold at a point; raw touch; press at coordinates for a while; touch down; touch up; " +
		"low level touch; finger up; hold x y; hold a coordinate; touchesBegan; press a point for seconds; raw tap; " +
		"put a finger on a point; lift the finger; hold at coordinates; pointer down",
	"swipe": "swipe left; swipe to delete; flick; scroll down a bit; pull to refresh; next page; dismiss a sheet by swiping; " +
		"carousel; swipeUp; swipeLeft; swipeDown; swipeRight; mobile: swipe; fling; page through; onboarding pages; swipe actions; " +
		"trailing action; reveal the delete button; refresh the list; pull down; bottom sheet; slide left; idb ui swipe; " +
		"dismiss a card; stories; scroll a little; scroll up; swipe right; archive a mail; gesture; next slide; drag down the sheet; " +
		"flip through; vertical swipe; horizontal swipe; interactive dismiss; move to the next page; intro pages; next card; " +
		"flick through; next photo; left to right; scroll horizontally; skip the intro; card stack; side drawer; gallery; " +
		"next onboarding card; go to the next card; slide over",
	"scroll_to": "scroll to an element; scroll until it is visible; find something below; element is off screen; " +
		"scroll down to the bottom; long list; scroll to the end; last item of a list; scrollUntilVisible; mobile: scroll; scrollTo; " +
		"scrollIntoView; whileElement; below the fold; further down; bottom of the page; end of the list; not hittable; " +
		"infinite list; table view row; collection view; offscreen; off-screen; bring into view; keep scrolling; " +
		"scroll to the footer; element is hidden below; scroll until; reach an element; not visible on the screen; far down; " +
		"scroll view; scrolling; deep in the list; lazy list; scroll to the top; somewhere below; scroll and find; viewport; " +
		"out of view; out of sight; element does not exist until scrolled; lower on the page; get down to; go down to; " +
		"to the footer; go to the bottom",
	"drag": "drag and drop; reorder a list; move an item; drag a row; pull a handle; dragFromToForDuration; longPressAndDrag; " +
		"dragAndDrop; drop; rearrange; reorder; sort rows; move an icon; drag handle; drag a pin; kanban; move a card; " +
		"drag to the trash; slide to unlock; crop handle; map marker; from one place to another; put onto; change the order; " +
		"move to another position; draw a line; relocate; pull one item onto another; into a column; puzzle piece; move a tile; " +
		"lift and drop; kanban column; shift to another spot; another spot; reposition; carry over; shift",
	"pinch": "zoom in; zoom out; pinch; two fingers; magnify a map; spread; pinch-to-zoom; withScale; zoom a map; " +
		"zoom a photo; enlarge; shrink; two-finger; multitouch; multi-touch; spread fingers; scale gesture; zoom level; " +
		"make the picture bigger; mobile: pinch; zooming; bigger map",
	"set_value": "move a slider; turn a switch on; toggle a switch; flip a toggle; pick a date; date picker; picker wheel; " +
		"stepper; segmented control; choose a value; set volume; turn off a setting; toNormalizedSliderPosition; " +
		"adjustSliderToPosition; setColumnToValue; selectPickerWheelValue; toPickerWheelValue; UISwitch; UISlider; UIDatePicker; " +
		"UIPickerView; UISegmentedControl; UIStepper; slider to 50 percent; toggle on; toggle off; wheel; birthday; birth date; " +
		"time picker; brightness; turn on a toggle; enable an option; switch off; quantity; increment; decrement; scrub; " +
		"checkbox on; half way; percent; calendar date; enable dark toggle; select a date; country picker; drop-down; adjust; " +
		"maximum; minimum; to the maximum; country wheel; spin the wheel; notifications toggle; on state; off state; flip; " +
		"time wheel; remember me switch; alarm; set the wheel; tick; enable a switch; disable a switch; switch on a setting",
	"back": "go back; previous screen; navigation bar back; pop the view; return to the last page; navigateBack; back button; " +
		"pop; previous page; leave this screen; one level up; navigation controller; swipe from the left edge; edge swipe back; " +
		"exit this screen; return to the list; close the detail page; go back one step; navigate back; last screen; back arrow; " +
		"chevron; detail view; parent screen; up one level; undo navigation; return to the page; return to the overview; " +
		"page before; go up",
	"home": "home screen; go to the springboard; background the app; send the app to the background; home button; minimize; " +
		"sendToHome; backgroundApp; springboard; app icons; leave the app; put in the background; go to background; " +
		"enter background; didEnterBackground; suspend the app; scenePhase; minimise; exit without killing; press home; widgets; " +
		"background and foreground; home indicator; seconds in the background; out of the app; without killing; " +
		"leave without killing; exit to the home screen; iPhone home",
	"press_button": "volume button; lock the phone; lock screen; side button; power button; Siri; Apple Pay; hardware button; " +
		"action button; unlock; sleep the device; volume up; volume down; power; lock the device; isLocked; louder; quieter; " +
		"screen off; wake the phone; idb ui button; physical button; camera button; camera control; XCUIDevice press; locked; " +
		"turn the screen off; sleep button; mobile: pressButton; invoke Siri; volume keys; push the side key; power key",
	"rotate": "landscape; portrait; rotate the device; turn the phone; orientation; upside down; setOrientation; " +
		"landscapeLeft; landscapeRight; device orientation; sideways; tilt; UIDeviceOrientation; horizontal; flip the phone; " +
		"layout in landscape; upright; autorotate; rotation; turn the iPad; widescreen; hold it sideways; iPad in portrait; flip; " +
		"rotate back",
	"alert": "dismiss an alert; accept a dialog; permission popup; system prompt; tap OK on the alert; close the popup; " +
		"allow button; confirmation; what does the alert say; cancel the dialog; don't allow; answer a prompt; acceptAlert; " +
		"dismissAlert; mobile: alert; addUIInterruptionMonitor; UIAlertController; action sheet; permission dialog; " +
		"Allow While Using; Allow Once; OK button; popup blocks; system dialog; notification permission prompt; tracking prompt; " +
		"ATT; App Tracking; interruption; confirm deletion; message box; unexpected popup; text of the alert; alert title; " +
		"handle popups; camera permission popup; modal; accept; pop-up; location prompt; dialog box; asks for permission; " +
		"rate this app; press Allow; warning box; Would Like to; would like to send you notifications; would like to access; " +
		"consent; cookie dialog; deny; Not Now; Ask App Not to Track; say yes; say no; Save Password; close the dialog; refuse; " +
		"agree; deny the prompt; approve; reject; decline; confirm the dialog; permission request; close that; system message",
	"type_text": "type into a field; enter text; write something; type the password; append text; keyboard input; insert text; " +
		"search for something in the search bar; password field; inputText; sendKeys; send_keys; typeText; idb ui text; " +
		"keyboard typing; enter characters; type at the cursor; focused field; emoji; unicode; umlauts; secret; one-time code; otp; " +
		"pin code; verification code; search term; search query; chat message; write a message; type and submit; add to the text; " +
		"type a comment; setText; TextView; typing; first responder; type letters; enter a password; 6-digit code; enter the code; " +
		"enter a message; digits",
	"fill": "fill in a form; enter the email; replace the text; type into the password field; set a text field; log in; " +
		"put text into a field; username; change the text of a field; login form; replaceText; setText; overwrite; fill field; " +
		"email address; username and password; credentials; sign in; sign up; register; UITextField; edit a field; " +
		"replace the content; new value; checkout form; textfield; replace existing text; enter my name; address form; account; " +
		"signin; textbox; input field; registration form; update a field; log into; change the name; first name; last name; " +
		"edit my profile; phone number field; log in as; login with; log in with; amount; sign in as; complete the form; " +
		"populate the fields; shipping address; fill out; put in",
	"clear": "empty a field; delete the text; clear the search bar; erase what was typed; remove the text of a field; " +
		"clearText; eraseText; clear input; blank; delete everything typed; remove characters; clear text field; empty the search; " +
		"erase the input; text box empty; wipe the field; delete all characters; clear button; backspace everything; reset a field; " +
		"start typing again; remove the text; delete the input; text from the input",
	"press_key": "press return; hit enter; delete key; backspace; tab key; escape; arrow key; keyboard shortcut; " +
		"submit by return; space bar; pressKey; tapReturnKey; tapBackspaceKey; enter; done key; go key; newline; line break; " +
		"shortcut; cmd+S; command key; modifier; ctrl; shift; arrow down; esc; idb ui key; HID; keycode; hit Done; hotkey; " +
		"key combination; next field; tab; keystroke; send a key; mobile: keys; search key; press Enter; cmd A; cmd+z; undo; redo; " +
		"select all; cmd+c; spacebar; shift tab",
	"key_sequence": "several keys; type key by key; keys one after the other; idb ui key-sequence; keys in a row; " +
		"tab then enter; series of keys; multiple keys; keystrokes; key presses; arrow arrow enter; chain of keys; " +
		"more than one key; key combo one by one; arrow keys and enter; keys after each other",
	"hide_keyboard": "hide the keyboard; dismiss the keyboard; keyboard covers the button; close the keyboard; " +
		"keyboard is in the way; hideKeyboard; keyboard blocks; keyboard overlaps; put away the keyboard; resignFirstResponder; " +
		"endEditing; field behind the keyboard; keyboard stuck; isKeyboardShown; lower the keyboard; get rid of the keyboard; " +
		"unfocus; keyboard stays open; keyboard will not go away; obscured by the keyboard; blur; retract; collapse the keyboard; " +
		"keyboard hides; keyboard is in front; in front of the button",
	"batch": "several steps at once; many actions in one call; script of steps; macro; sequence of taps; " +
		"fill and submit a form; automate a flow; runFlow; yaml flow; multi-step; chain; combine; round trip; fewer calls; " +
		"perform steps; end to end; user journey; login flow; commands in a row; bulk; save tokens; several taps; W3C actions; " +
		"many taps; step list; flow; one go; scripted; single call; actions together; maestro test; e2e; do all of this; " +
		"list of commands; UI commands; run commands; step by step in one call; in one go; login and pay",

	// agents, session, system
	"agent_status": "is the driver running; status of the XCTest agent; WebDriverAgent; runner state; xctrunner; WDA; " +
		"driver status; driver up; automation agent; port of the agent; driver version; test runner process; agent alive; " +
		"automation backend; is WebDriverAgent running; driver health",
	"agent_build": "rebuild the agent; agent is out of date; build the XCTest runner; recompile the driver; WDA build; " +
		"build the driver; outdated agent; after an Xcode update; agent does not match; build WebDriverAgent; new Xcode version; " +
		"compile the runner; agent build",
	"agent_start": "start the agent; warm up; prepare a physical device for driving; start WebDriverAgent; " +
		"drive a real device; control a real iPhone; automate a physical phone; sign the agent; team id; development team; " +
		"enable automation; prewarm; first tap is slow; warm start the driver; bring up the driver; " +
		"UI automation on a physical iPhone; DEVELOPMENT_TEAM; launch WDA; set up my phone for automation",
	"agent_stop": "stop the agent; restart the driver; the driver hangs; kill the runner; driver stuck; restart the agent; " +
		"kill WDA; runner hangs; unresponsive driver; frozen driver; UI commands time out; recover the driver; taps time out; " +
		"stop WebDriverAgent; quit the driver; driver does not answer; shut down the runner",
	"agent_logs": "log of the agent; why does the driver fail; agent output; driver log; WDA log; runner output; " +
		"agent crashed; driver error; automation log; runner log; driver keeps crashing; xctrunner log; WebDriverAgent log; " +
		"what does the agent say; driver output; agent died; why does the driver not start; driver does not start",
	"session_set_defaults": "set default scheme; remember the project; do not repeat the scheme; session settings; " +
		"configure workspace; default simulator and scheme; default project; default configuration; Release configuration; " +
		"always use this workspace; .xcworkspace; .xcodeproj; persist; config.yaml; remember the scheme; switch the driver; " +
		"use Appium; appium server url; WDA url; idb_companion; idb driver; save settings; suppress warnings; preset; " +
		"so that I need not pass it; default env; stop asking for the scheme; pin the project; connect to Appium; " +
		"derivedDataPath default; always build this scheme; useLatestOS; use WebDriverAgent; use idb instead; another driver; " +
		"driver instead; always build; set project and scheme; set the scheme once; once and for all; set project; for later calls; " +
		"keep the scheme; keep scheme and simulator; use the same project; project once",
	"session_show_defaults": "what are my defaults; current settings of the session; which scheme is set; " +
		"which project is configured; active profile; show config; current scheme; effective configuration; settings in effect; " +
		"where does a default come from; which workspace; stored defaults; what will be built; configured scheme; my configuration",
	"session_clear_defaults": "forget defaults; reset session settings; unset; forget the scheme; forget the project; " +
		"wrong project remembered; drop settings; clear config; remove saved scheme; forget workspace; without defaults; " +
		"reset defaults; clear the profile; stale defaults",
	"session_use_defaults_profile": "switch profile; another set of defaults; staging profile; change profile; " +
		"activate a profile; production profile; profiles; named defaults; global defaults; monorepo; two projects; " +
		"alternate configuration; use the other profile; profile switch; client profile",
	"doctor": "is everything installed; is my machine set up; is my Mac ready; check my setup; diagnose; Xcode is not found; " +
		"something does not work; environment check; requirements; troubleshoot; health check; preflight; xcode-select; " +
		"command line tools; xcrun error; Developer Mode; trust this computer; pairing; not trusted; prerequisites; dependencies; " +
		"verify the installation; sanity check; toolchain; utility not found; mitmproxy missing; cable; signing team; disk image; " +
		"appium-doctor; broken environment; physical device not usable; what is missing; cannot drive my phone; installed correctly; " +
		"setup problem; misconfigured; unable to find utility; everything fails; is Xcode installed; nothing works; setup OK; " +
		"fails to start; missing tool; is everything ready; correct Xcode version; verify the toolchain; validate; " +
		"environment problems; diagnose my Mac",
	"health": "is the server alive; ping; server version; heartbeat; liveness; healthz; readiness; which version of ios-agent; " +
		"responding; online; health endpoint; server up; is it reachable; alive; version number of the server; daemon version; " +
		"version of the daemon",
	"ensure_server": "start the server; server address; where does the server run; port; daemon running; start the daemon; " +
		"url of the server; REST address; base url; HTTP port; connection refused; localhost; server down; background server; " +
		"REST API; serve; daemon is not running; server not running; listening on; bring up the server",
	"guide": "how do I use this; help; tutorial; instructions; how does it work; getting started; workflow; documentation; " +
		"manual; cheat sheet; examples; first steps; best practices; what can you do; capabilities; learn; introduction; usage; " +
		"explain ios-agent; how to begin; docs; recommended workflow; beginner; readme; primer",
	"parse": "read a crash file; parse an ips file; symbolicate a file; read a build log file; xcresult; explain tool output; " +
		"result bundle; understand a log file; .ips; .crash; MetricKit; xcresulttool; .xcresult; simctl output; log show output; " +
		"idb output; pasted log; interpret; stdin; xcodebuild output file; devicectl output; decode; human readable; " +
		"file that a tester sent; raw output; explain this error; somebody sent me; make sense of; showdestinations; showsdks; " +
		"digest a file; result bundle contents; make sense of xcodebuild; text of a tool",
	"read_events": "what did other sessions do; audit trail; history of calls; recent calls; activity; audit log; history; " +
		"call log; what did the other agent do; timeline; who did what; events; last calls; commands so far; failed calls; " +
		"activity feed; what have I done; what has been done; operation history; trace of the agent; previous commands; journal; " +
		"which operations failed; what did session; other session; calls of another session; recent commands; list of commands; " +
		"my commands; tool calls; log of calls; all calls",
	"job_status": "is the build still running; state of a background job; progress of a job; still going; background task; " +
		"is it done; job id; how far; pending; long-running; finished yet; has the build finished; task state; is the job done; " +
		"async; still compiling; running jobs; tests still running; still running; tests running; job ended; job finished; " +
		"is the job over; job state",
	"job_wait": "wait for a job; wait for the build to finish; result of a background job; block until done; " +
		"result of the job; await; wait for the tests to finish; collect the result; job output; long build; call went on as a job; " +
		"job completes; join; until the test run is over; get the outcome of the job; job ended; until the job ends",
	"job_cancel": "cancel a build; stop a job; abort; interrupt a running job; cancel the tests; stop the build; " +
		"kill the running build; stop the test run; build hangs; stuck build; takes too long; ctrl-c; never mind; " +
		"cancel the operation; abort the tests; halt the build; endless build; call off; kill job; long build; endless tests",
	"show_step": "what did step s12 do; what did my last tap do; what happened in the last step; details of a step; why did nothing change; " +
		"previous action; screens before and after; did my tap work; last action; outcome; diff; tap had no effect; step id; " +
		"what changed; evidence; result of the previous command; nothing happened; no effect; which element was tapped; " +
		"compare before and after; last tap; effect of my swipe; step details; ineffective; did it work; did it do anything; " +
		"anything happen; did the swipe work; did anything change; dead button; button seems dead",
	"status": "where am I; current device; current session; overview; which device am I on; what is running; daemon status; " +
		"whoami; session name; which app is open; foreground app; frontmost app; my claim; context; jobs running; active device; " +
		"which simulator is selected; selected device; session id; situation; app in front; state of my session; controlling; " +
		"which simulator do I control; am I connected; which device do I drive",

	// debugger
	"debug_launch": "launch program under debugger; launch under the debugger; run with a debugger; start a program in lldb; " +
		"lldb -- program; debug from the start; stop at the start; break in main; debug the launch of my app; crash at launch; gdb --args; " +
		"start the app under lldb; stop at entry; wait for debugger; run a binary under lldb",
	"debug_attach": "debug my app; attach lldb; start debugging; debugger; " +
		"gdb; debug a process; process attach; lldb -p; attach to pid; attach by name; waitfor; " +
		"attach to a running app; debugserver; inspect the running process; get into the debugger; LLDB; hook up the debugger; " +
		"connect the debugger; debugging session; step through my code; wait for the app to launch; debug the app; use the debugger",
	"debug_break": "set a breakpoint; stop at a line; break in a function; conditional breakpoint; logpoint; tracepoint; hit count; " +
		"ignore count; breakpoint condition; print without stopping; stop at the tenth time; " +
		"halt when a condition holds; pause at a line; breakpoint set; br set; b main; symbolic breakpoint; viewDidLoad; " +
		"break when it is called; stop execution; ViewController.swift; file and line; is this method called; " +
		"stop when a function is reached; objc_exception_throw; add a breakpoint; stop in; conditional; exception breakpoint; " +
		"break on; halt in a function; stop in a method; break in",
	"debug_unbreak": "remove a breakpoint; delete a breakpoint; clear breakpoints; breakpoint delete; br del; br delete; " +
		"no longer stop; unset a breakpoint; stop pausing at; breakpoint off; get rid of the breakpoint; take the breakpoint away; " +
		"drop the breakpoint; keeps stopping",
	"debug_continue": "resume the program; continue after a breakpoint; go on; run on; process continue; resume execution; " +
		"keep going; unpause; let it run; proceed; carry on; unfreeze; frozen at a breakpoint; stopped at a breakpoint; resume; " +
		"thread continue; run again after the stop; let the program go",
	"debug_pause": "pause the program; interrupt the debugger; break now; where is it stuck; app hangs; freeze; deadlock; " +
		"process interrupt; suspend; SIGSTOP; infinite loop; stuck; hang; app is not responding; UI frozen; beachball; " +
		"main thread blocked; app froze; stop where it is; unresponsive app; 100% CPU; busy loop; halt execution; ANR; endless loop; " +
		"hung; freezes; locks up; app is stuck; freeze the program; endless spinner",
	"debug_step": "step over; step into; step out; next line; single step; thread step-over; step-in; step-out; step-inst; " +
		"finish; line by line; step through; advance one line; walk through the code; go into the function; leave the function; " +
		"stepping; one line further; next statement; stepOver; stepInto",
	"debug_wait": "wait for the breakpoint; until the breakpoint is hit; wait until it stops; until paused; " +
		"hits the breakpoint; wait for the stop; block until the breakpoint; program ended; stopped yet; exit code; " +
		"notify when the breakpoint is reached; wait for a crash in the debugger; is it paused; breakpoint reached; process exit",
	"debug_stack": "backtrace; call stack; stack trace; where is the program stopped; threads; who called this function; bt; " +
		"main thread activity; thread backtrace; frames; callers; call chain; which function is executing; current line; " +
		"bt all; stacktrace; who calls; main thread; how did we get here; stopped where; calling function; call hierarchy; " +
		"thread list; up the stack; current function; which function; who called this method; called from; caller",
	"debug_vars": "local variables; value of a variable; inspect variables; print a variable; arguments of a function; " +
		"what is in self; frame variables; frame variable; fr v; locals; parameters; self; scope; contents of an array; " +
		"print locals; what is nil; argument values; which value does it have; property; inspect state; ivar; dump variables; " +
		"variable contents; value of x; register values; at the breakpoint; contents of a variable",
	"debug_eval": "evaluate an expression; evaluate; print an expression; p variable; expr; value of an expression; " +
		"compute a value; frame variable; read a member; print a value; watch expression; what is x plus y",
	"debug_set": "change a variable; set a variable; modify a variable at runtime; assign a value; setVariable; new value; " +
		"overwrite a variable; force a value; expression assignment",
	"debug_watch": "watchpoint; watchpoint set variable; data breakpoint; stop when a variable changes; who changes it; " +
		"break on write; break on read; watch a variable; memory is overwritten; hardware watchpoint",
	"debug_unwatch": "remove a watchpoint; delete a watchpoint; watchpoint delete; stop watching a variable",
	"debug_log":     "logpoint output; lines of logpoints; tracepoint output; what did the logpoint print; printed by a logpoint",
	"debug_lldb": "lldb command; po; print an object; expression; memory read; disassemble; " +
		"registers; call a method; evaluate Swift; run code in the app; image lookup; " +
		"register read; memory; object description; lldb prompt; thread list; " +
		"recursiveDescription; disassembly; type lookup; invoke a function; " +
		"target modules; raw debugger command; lldb console; memory address; breakpoint disable",
	"debug_detach": "detach the debugger; stop debugging; let the app run without debugger; process detach; end debugging; " +
		"quit the debugger; leave the debugger; finish debugging; disconnect; close lldb; exit lldb; remove the debugger; " +
		"without the debugger; slow under the debugger; get rid of lldb; stop lldb",
	"debug_sessions": "attached debuggers; list breakpoints; debug sessions; breakpoint list; br list; which breakpoints; " +
		"am I debugging; is a debugger attached; active debuggers; all breakpoints; where did I set breakpoints; debugger id; " +
		"existing breakpoints; running debuggers",

	// logs, crashes, builds
	"data_show": "how much disk does it use; stored data; how long are logs kept; storage; disk usage; how big; retention; " +
		"size of the database; log storage; space; footprint; oldest log; how far back; gigabytes; megabytes; kept for how long; " +
		"occupied; how old; stored logs",
	"data_delete": "delete stored logs; clear the logs; free disk space; remove captured traffic; forget everything; purge; " +
		"wipe history; clear captured requests; remove recorded data; empty the log; disk full; clear traffic; forget requests; " +
		"clear flows; clear the network log; old logs; erase log history; clean up logs; start with an empty log; delete history; " +
		"GDPR; remove personal data; network history; clear history; erase recordings; drop everything recorded; what was recorded",
	"list_crashes": "crash reports; recent crashes; did my app crash; crash logs; how often did it crash; list crashes; " +
		"idb crash list; DiagnosticReports; .ips files; Jetsam; out of memory; OOM; hangs; crash count; any crashes; crashed today; " +
		"crash history; since yesterday; memory kill; watchdog; killed by the system; stability; crash groups; killed for memory; " +
		"memory pressure; crash statistics; how many crashes; crash reporter; crash overview; Crashlytics; ran out of memory; " +
		"overnight; crash rate; memory limit; used too much memory; did anything crash",
	"show_crash": "why did my app crash; crash reason; stack trace of the crash; exception; where did it crash; fatal error; " +
		"SIGSEGV; EXC_BAD_ACCESS; last crash; the app closed by itself; app quit unexpectedly; symbolicate; app disappeared; " +
		"app vanished; suddenly closes; closes itself; crashes on startup; crash at launch; fatalError; unexpectedly found nil; " +
		"force unwrap; index out of range; SIGABRT; SIGTRAP; EXC_BREAKPOINT; NSException; uncaught exception; unrecognized selector; " +
		"crash log; crashing thread; back on the home screen; thrown to the home screen; app dies; root cause; what killed my app; " +
		"dyld; assertion failed; precondition; kicked out; atos; bad access; abort; line that crashed; app is gone; app exited; " +
		"unexpectedly; shuts down; bombs; app terminates; stopped working; symbolication; app keeps closing; blew up; " +
		"exception message; keeps crashing; immediately closes; splash screen; termination reason; faulting thread; exits; " +
		"crashes when; closes right after; last exception; instantly; returns to the home screen; EXC_CRASH; SIGKILL; shuts itself; " +
		"0x8badf00d; 0xdead10cc; 0xc00010ff; closes when; shuts down by itself; app stops working; signal 11; stops with a signal; " +
		"segmentation fault; segfault; trap; while scrolling; SIGBUS",
	"pull_crashes": "crash reports of a physical device; copy crashes from the iPhone; get crash logs off the phone; " +
		"idevicecrashreport; crash from the device; fetch crashes; download crash reports; sync crashes; real iPhone crashed; " +
		"off the phone; physical iPhone crash; collect crash logs; retrieve crashes; copy .ips from the phone; my phone crashed; " +
		"transfer; crash on a real device; import crashes; ips from the iPhone; by cable; crash of a tester; from a connected iPhone",
	"show_crash_hook": "what runs on a crash; crash hook; which script is run on a crash; is a hook set; current hook; " +
		"crash callback; show the hook; hook program; configured crash handler; what happens on a crash; crash automation",
	"set_crash_hook": "run a script when the app crashes; notify me of crashes; on crash; callback; webhook; Slack; alert me; " +
		"automatically; crash handler; trigger; script on a crash; email; execute a program; file a ticket; react to crashes; " +
		"register a hook; when it crashes; post the crash; whenever; crash notification; hook up; each time",
	"remove_crash_hook": "stop running a script on crashes; remove crash hook; disable the hook; unregister; delete the hook; " +
		"turn off the crash script; unhook; cancel crash notifications; stop notifying; no longer run; crash handler off; hook off",
	"read_logs": "show the logs; console output; what did the app print; print statements; NSLog; os_log; error messages; " +
		"device console; syslog; search the log; log lines; stdout; OSLog Logger; tail the log; warnings in the log; debug output; " +
		"log show; simctl spawn log; Console.app; print(); debugPrint; stderr; subsystem; grep; filter by level; errors in the log; " +
		"what did the app say; last log lines; runtime warnings; purple warnings; layout constraints; " +
		"Unable to simultaneously satisfy constraints; AutoLayout; idb log; fault; messages; find in the log; logcat; console.log; " +
		"React Native log; Flutter; logged; log of the step; printed; NSLog output; log level; search log for; app log; system log; " +
		"trace messages; log file; log message; see my print; exceptions in the log; decoding error; errors only; only errors; " +
		"around my last tap; exception text; what was printed; see prints; look for in the log; view log; printed by the app; " +
		"memory warning; log entries; stack trace in the log",
	"export_logs": "save the log to a file; export logs; download the logs; write log lines to disk; NDJSON; JSON lines; jsonl; " +
		"attach the logs to a bug report; log archive; all log lines; dump the log; logs as an artifact; pipe the logs into jq; " +
		"bulk export; more than 1000 lines; full log; complete log file",
	"summarize_logs": "summary of the logs; how many errors; most frequent errors; overview of warnings; " +
		"what went wrong in the log; error count; top errors; group errors; digest; recurring; noisy; log statistics; any errors; " +
		"error rate; new errors; aggregate; warnings count; log summary; recap; resolved errors; sum up; overview of the log; " +
		"count errors; gist; at a glance; how healthy; errors and warnings; how many warnings; last hour; error statistics; " +
		"statistics of the log",
	"list_builds": "last builds; build history; previous test runs; where is the build log; past builds; earlier builds; " +
		"build ids; builds that failed; last test run; path of the build log; previous results; recent builds; when was it built; " +
		"how did the last build end; earlier test runs; runs; builds of today; history of builds; what was built",
	"show_build": "why did the build fail; compiler errors; build errors; warnings of the build; failed tests; " +
		"which tests failed; compile error; test results; build log; build failed; compile failed; linker error; undefined symbol; " +
		"symbol not found; swiftc; what to fix; why did the test fail; diagnostics; fix-it; deprecated; No such module; " +
		"cannot find in scope; type-check; compiler messages; exit code 65; codesign error; test failures; XCTAssert failure; " +
		"error line; red build; does not compile; assertion message; broken build; ld; build problems; syntax error; build breaks; " +
		"failing; compilation; module not found; last build; issue navigator; build output; unresolved identifier; test report; " +
		"what broke; red tests; compile warnings; Command failed; PhaseScriptExecution; duplicate symbols; ambiguous use; " +
		"undeclared; expected expression; linker command failed; Swift error; errors of the compiler; compiler complains; " +
		"complaints; list of errors; compile issues",
	"logs_start": "follow the log; start streaming logs; listen to the app's log; watch the console; stream logs; live log; " +
		"log stream; real time; realtime; verbose; debug level; attach the console; whole device log; all processes; start log; " +
		"verbose logging; launched from Xcode; startLogsBroadcast; keep capturing; live; info level; begin following; continuously; " +
		"monitor the log; another process; system-wide; kernel; as they come",
	"logs_stop": "stop streaming logs; stop following the log; unfollow; end streaming; stopLogsBroadcast; enough logs; " +
		"no longer follow; stop log; stop listening; stop tailing; quit following; log stream off; finish streaming",
	"log_sources": "where do logs come from; why are there no logs; which logs are captured; lost lines; log is empty; " +
		"nothing in the log; no output; logs missing; lines lost; dropped lines; is logging on; followed apps; feeds; " +
		"my print does not show; captured sources; no log lines; lost messages; log status; empty log; which apps are followed",

	// network
	"proxy_start": "capture network traffic; sniff http; intercept https; start the proxy; monitor requests; see api calls; " +
		"Charles; mitmproxy; Proxyman; record network traffic; mitm; man in the middle; Wireshark; tcpdump; packet capture; " +
		"network inspector; over the wire; web debugging proxy; Burp; Fiddler; SSL proxying; watch network calls; enable the proxy; " +
		"network monitor; start capture; http debugging; debug networking; sniffer; eavesdrop; record requests; turn on the proxy; " +
		"begin capturing; HTTP Toolkit; sniff; capture https",
	"proxy_status": "is the proxy running; proxy port; state of the proxy; proxy on; which port does the proxy listen on; " +
		"proxy state; mitmproxy running; proxy address; owner of the proxy; is capturing on; proxy active; what does the proxy do; " +
		"are requests being captured; proxy up",
	"proxy_set": "only one host; ignore hosts; certificate pinning bypass list; system proxy; pass through hosts; " +
		"Mac's proxy settings; exclude a domain from the proxy; allow list; whitelist; blacklist; bypass; SSL pinning; pinned hosts; " +
		"noise of analytics; only show my api; focus on one host; upstream proxy; corporate proxy; host filter; do not intercept; " +
		"limit to a domain; pass-through; pinning breaks the app; tunnel; reconfigure the proxy; skip a domain; leave a host alone; " +
		"include only; restrict; certificate pinning; third-party hosts; exclude from interception; exclude; hide hosts; flood; " +
		"Proxyman allow list; Charles include; Charles block list; do not decrypt; leave encrypted; decrypt only",
	"proxy_take_over": "another session owns the proxy; take the proxy from another session; proxy is busy; seize the proxy; " +
		"mocks of another session; hijack the proxy; own the proxy; steal the proxy; proxy in use by; control of the proxy; " +
		"proxy belongs to another; become owner; other agent has the proxy",
	"proxy_map": "map local; map remote; HAR as mock; mock from a HAR; replay a recorded HAR; serve a local file instead of the server; " +
		"redirect requests to staging; send requests to another server; rewrite the host; local fixtures; answer from a folder; " +
		"routeFromHAR; Charles map local; Charles map remote; Proxyman map local; point the api at localhost; swap the backend",
	"proxy_throttle": "throttle the network; slow network; simulate 3g; network link conditioner; bad network; go offline; " +
		"airplane mode for one request; packet loss; latency; limit bandwidth; edge network; poor connectivity; flaky network; " +
		"no internet; slow connection; Charles throttle; simulate a slow server; unreliable network; network conditions",
	"proxy_check": "why does no traffic show up; does the app use the proxy; is traffic coming through; nothing shows up in the proxy; " +
		"diagnose the proxy; is the certificate trusted; is the app pinning; check certificate pinning; requests are missing why; " +
		"proxy troubleshooting; why do no flows show up; verify the proxy setup; does traffic go through; bypasses the proxy",
	"proxy_launch": "launch the app through the proxy; start the app with the proxy; launch with proxy; set up the proxy and launch; " +
		"capture traffic of the app; route the app through the proxy; run the app behind the proxy; one command proxy setup; " +
		"reboot the simulator with the proxy; open the app with traffic capture",
	"proxy_run": "build and run through the proxy; run my app with the proxy; build and capture its traffic; " +
		"build and launch behind the proxy; run with traffic capture; compile and record requests",
	"proxy_guide": "no requests are captured; how to route the app through the proxy; set up the proxy on a phone; " +
		"traffic does not show; configure the proxy; traffic is empty; no flows; not going through the proxy; nothing captured; " +
		"proxy setup; wifi proxy settings; set the proxy on an iPhone; manual proxy; no requests show; traffic is missing; " +
		"simulator ignores the proxy; traffic of a physical phone; configure wifi; requests do not appear; how to see the traffic; " +
		"flows are empty; point the app at the proxy; set up interception; Charles does not show; Charles setup; captures nothing; " +
		"proxy sees nothing; proxy does not work",
	"list_flows": "what requests did the app send; http requests; api calls; network log; which urls were called; " +
		"failed requests; traffic; backend calls; endpoints; network activity; 404; 500; REST calls; GraphQL; XHR; URLSession; " +
		"which server; analytics events; 401; 403; 4xx; 5xx; POST; request history; did the app call the backend; " +
		"was the request sent; captured requests; network tab; flows; outgoing; web requests; request list; domains; unauthorized; " +
		"http errors; contacted; fetched; hit the server; does it talk to; api errors; Alamofire; websites contacted; " +
		"tracking calls; server calls; recent requests; telemetry; queries; did the app hit; endpoint hit; 500 returned; " +
		"server returned; api usage; any failed requests; http status; calls made on login; made a call; Charles sequence; " +
		"Proxyman list; view traffic; monitor traffic; examine traffic; list calls; HTTP traffic; requests made",
	"show_flow": "response body of a request; request headers; what did the server answer; json response; " +
		"details of a request; payload that was sent; status code; show a request as curl; response of the login call; " +
		"response body; headers; cookies; json; content type; inspect a request; full request; what did the backend return; as curl; " +
		"request body; response headers; timing of a request; server replied; latest request; parameters sent; query string; " +
		"what was posted; authorization header; raw response; returned data; POST body; backend returned; response of; one request; " +
		"cURL; came back; headers of; what did we send; what does the API return; mutation; sent to; came back from; body of; " +
		"Charles contents; Proxyman response",
	"summarize_flows": "network summary; slowest requests; slow api calls; traffic by host; how many requests; bandwidth; " +
		"network statistics; slowest; slow endpoint; latency per host; top hosts; data volume; failures by host; response times; " +
		"network overview; which api is slow; request count; calls per domain; traffic report; api performance; network performance; " +
		"network stats; aggregate; per host; slowness; breakdown; how long do endpoints take; duration of requests; long requests; " +
		"slowest host; which host; hosts",
	"wait_flow": "wait for a request; wait until the api call is done; wait for the response; until the network call finishes; " +
		"wait for POST; waitForResponse; waitForRequest; await the request; make sure the call was made; " +
		"assert that a request is sent; verify the analytics call; upload finishes; expect a request; sync finished; " +
		"backend responded; until saved; request completes; request goes out; cy.wait; wait for the backend; response arrives; " +
		"call returns; upload is finished; network call finished; block until the upload; until the request",
	"export_flows": "export HAR; save the traffic; download a response body; curl command to a file; share the network log; " +
		"write requests to a file; HAR file; .har; Postman; archive; attach to a bug report; to disk; dump the traffic; " +
		"store the response; hand to the backend team; export; save as curl; Charles session; save requests; as a file; " +
		"network dump; write the body; traffic file; http archive; send to a colleague; bearer token; unmasked cookies; " +
		"hand the traffic; to a colleague; traffic as a file; Charles export; Proxyman export",
	"proxy_hold": "pause a request; intercept a request and change it; breakpoint on a request; modify a response on the fly; " +
		"hold; tamper; edit a request before it is sent; edit the response; intercept; modify the header; rewrite; alter; " +
		"manipulate; change the json the server returns; Charles breakpoint; breakpoints on traffic; rewrite rule; catch a request; " +
		"trap; freeze a request; hold the response; man in the middle edit; change the status code; modify the body; " +
		"stop before sending; tweak the response; intercept and modify; in flight; edit traffic; halt a request; suspend a request; " +
		"before it leaves; change a request; tamper with; Proxyman breakpoint; Charles breakpoints",
	"proxy_unhold": "stop intercepting; do not hold requests any more; disable traffic breakpoints; stop interception; " +
		"no more pausing requests; interception off; stop holding; end holding; clear the hold pattern; requests hang since my hold; " +
		"intercept off; cancel the hold; remove the hold; do not intercept any longer; stop catching; stop trapping",
	"proxy_held": "which requests are paused; held requests; waiting requests; stuck requests; intercepted requests; on hold; " +
		"blocked requests; paused requests; was it intercepted; caught requests; trapped; list held; hung requests; pending requests; " +
		"request queue; anything caught; see intercepted",
	"proxy_release": "let a paused request continue; release a request; change a held response; send the held request on; " +
		"forward a request; send modified; let it through; change and send; edited body; pass on; unblock one; let the held one go; " +
		"modified response; resume a request; set a header on the held request; override the status of the held; " +
		"continue the intercepted; release; go through; forward with changes",
	"proxy_release_all": "let all requests go; release everything that is held; resume all; forward all; flush; " +
		"unblock everything; let everything through; release all; continue all; all held; app hangs on held requests; " +
		"forward everything; drain; all paused requests; every paused; every held request; all intercepted",
	"proxy_mock": "mock a response; stub an api; fake server answer; return 500; simulate a server error; " +
		"make the network slow; slow network; delay responses; latency; offline mode; no internet; simulate a bad connection; " +
		"network link conditioner; timeout; throttle; 3G; airplane mode; canned response; fail requests; empty response; " +
		"drop connection; flaky network; Map Local; mock data; stubbing; WireMock; fixture; OHHTTPStubs; MSW; fake backend; 503; " +
		"429; 401; rate limit; unreachable; server down; outage; offline; go offline; setAirplaneMode; toggleAirplaneMode; " +
		"no connectivity; loading state; error state; error screen; error handling; empty state; malformed json; truncated; " +
		"connection reset; block a host; blocklist; setURLBlacklist; static response; override the response; internet down; " +
		"connection lost; reachability; bad gateway; network failure; poor network; degrade; chaos; respond with; unavailable; " +
		"dummy response; block requests; lose connection; stub; no network; bad network; without internet; API returns; " +
		"internal server error; pretend the server; backend is down; EDGE; retry logic; slow connection; times out; API times out; " +
		"request times out; API fails; what if the server; simulate errors; broken server; let requests fail; add latency; " +
		"always return; make it fail; wifi off; disable wifi; cut the network; network off; lose signal; poor reception; " +
		"train tunnel; server is slow; stub out; seconds of latency; respond slowly; error 500; 404 for; empty cart; answer with; " +
		"Charles map local; Proxyman map local; Charles throttle; Charles throttling; imitate; substitute; force a failure; " +
		"return 404; return an error; flaky server; unreliable network; no connection",
	"proxy_mocks": "which mocks are active; list stubs; mock rules; active stubs; mock list; what is mocked; " +
		"are any mocks left; show stubs; current mocks; stub rules; rule ids; is this response mocked; existing mocks; " +
		"overview of mocks; faked responses",
	"proxy_unmock": "remove a mock; stop mocking; delete a stub; real server again; disable mocks; unstub; clear mocks; " +
		"back online; remove the rule; delete rules; real responses; stop faking; online again; reset mocks; internet back; " +
		"connection back; normal network; remove the throttle; remove the delay; undo the mock; end offline mode; reconnect; " +
		"remove stubs; un-mock; full speed again; go online; real backend; back to the real server; original backend; " +
		"back to normal; take away mocks; all mocks; drop the mocks; take away; restore the real API; real API",
	"proxy_replay": "repeat a request; send a request again; replay; resend with another body; retry the api call; " +
		"rerun a request; resubmit; compose; repeat; call the endpoint again; fire again; duplicate; same request; edit and resend; " +
		"reissue; send twice; another header; once more; redo a request; repeat the call; re-send; trigger the request again; " +
		"with another token; Charles repeat; Proxyman repeat; Charles compose",
	"proxy_cert": "ca certificate; root certificate; ssl certificate of the proxy; trust the certificate; https does not work; " +
		"CA file; pem; root CA; mitmproxy-ca; where is the certificate; certificate path; fingerprint; certificate for a real phone; " +
		"certificate profile; mitm.it; show the cert; certificate details; cert file; download the certificate; " +
		"certificate location; AirDrop the certificate",
	"install_proxy_cert": "install the certificate; trust the proxy; ssl errors; tls handshake fails; " +
		"certificate on the simulator; https traffic is not readable; simctl keychain; add-root-cert; trust the CA in the simulator; " +
		"certificate invalid; SSL handshake; cannot decrypt; encrypted; untrusted; decrypt https; SSL error; TLS error; " +
		"certificate not trusted; NSURLErrorDomain -1202; secure connection failed; server certificate; untrusted certificate; " +
		"add the CA; make the simulator trust; garbled; App Transport Security; not private; connection is not private; " +
		"only CONNECT; Charles certificate; Charles SSL",
	"proxy_stop": "stop the proxy; stop capturing traffic; turn off the proxy; restore network settings; disable the proxy; " +
		"end capture; quit mitmproxy; no internet after the proxy; remove the system proxy; stop sniffing; stop recording traffic; " +
		"undo the proxy; kill the proxy; finish capturing; Mac lost its internet; put the network settings back; proxy off; " +
		"shut the proxy down; stop intercepting traffic; end sniffing; shut the proxy; close the proxy",
}
