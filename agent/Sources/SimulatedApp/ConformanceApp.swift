import AgentCore

/// A small app in memory, with the names and behaviour of Virtual Xcode's Conformance app, as far as the contract of an
/// agent needs it. Time comes from outside.
final class ConformanceApp {
    static let bundle = "com.iosagent.conformance"
    private static let tabs = ["Controls", "Text Input", "Navigation", "Gestures", "Dynamic"]
    /// How long a sheet slides in.
    private static let slide = 0.5

    private let clock: Clock
    private var tab = "Controls"
    private var pushed = ""  // the screen on top of the tab's own
    private var taps = 0
    private var wifi = false
    private var username = ""
    private var selected = false  // all of it
    private(set) var focus: String?
    private var status = "No action yet"
    private var alert = false
    private var confirm = false
    private var sheet: Double?  // when it began to slide in
    private var held = "Tap and hold"
    private var swiped = "No swipe yet"
    private var scrolled = 0.0
    private var delayed: Double?  // when the label appears
    private var loading: Double?  // when it ends
    private var counting: Double?  // when it began
    private var togglable = false
    private var duplicate = ""
    /// What the screens for the inputs that version 1 does not have show.
    var trials = Trials()
    var size = Screen.portrait

    init(clock: Clock) { self.clock = clock }

    // MARK: What it shows

    var root: Node {
        var window = [page, tabBar]
        if let sheet { window.append(sheetNode(since: sheet)) }
        if focus != nil { window.append(Node("Keyboard", frame: Screen.keyboard)) }
        var windows = [Node("Window", frame: size, children: window)]
        if alert { windows.append(Node("Window", frame: size, children: [alertNode])) }
        if confirm { windows.append(Node("Window", frame: size, children: [confirmNode])) }
        return Node("Application", label: "Conformance", frame: size, children: windows)
    }

    private var page: Node {
        var s = Screen()
        switch (tab, pushed) {
        case ("Controls", _): controls(&s)
        case ("Text Input", _): input(&s)
        case ("Navigation", "nav-extras-button"): extras(&s)
        case ("Navigation", "nav-moving-button"): trials.moving(&s)
        case ("Navigation", "nav-permissions-button"): trials.permissions(&s)
        case ("Navigation", _): navigation(&s)
        case ("Gestures", _): gestures(&s)
        default: dynamic(&s)
        }
        let title = Node(
            "NavigationBar", identifier: tab, frame: Rect(y: 47, width: 390, height: 44),
            children: [Node("StaticText", label: tab, frame: Rect(x: 150, y: 57, width: 90, height: 22))])
        let scroll = Node("ScrollView", frame: Screen.content, children: s.nodes)
        // Scaffolding, as real apps have it; it is pruned.
        return Node("Other", frame: size, children: [scroll, title, Node("Other", children: [Node("Other")])])
    }

    private var tabBar: Node {
        let buttons = ConformanceApp.tabs.enumerated().map { i, name in
            var button = Node("Button", label: name, frame: Rect(x: Double(i) * 78, y: 761, width: 78, height: 49))
            button.selected = name == tab
            return button
        }
        return Node("TabBar", label: "Tab Bar", frame: Rect(y: 761, width: 390, height: 83), children: buttons)
    }

    private var alertNode: Node {
        Dialog.node(
            "Alert", title: "Test Alert", text: "This is a test alert.", buttons: ["OK"], names: ["nav-alert-ok"])
    }

    private var confirmNode: Node {
        Dialog.node(
            "Sheet", title: "Are you sure?", text: "", buttons: ["Delete", "Cancel"],
            names: ["nav-confirm-delete", "nav-confirm-cancel"])
    }

    private func sheetNode(since start: Double) -> Node {
        let left = max(0, 1 - (clock.now - start) / ConformanceApp.slide)
        let top = 60 + (left * 784).rounded()
        let dismiss = Node(
            "Button", identifier: "nav-sheet-dismiss", label: "Dismiss",
            frame: Rect(x: 16, y: top + 80, width: 358, height: 44))
        let text = Node(
            "StaticText", identifier: "nav-sheet-content", label: "Sheet Content",
            frame: Rect(x: 16, y: top + 20, width: 358, height: 44))
        return Node("Sheet", frame: Rect(y: top, width: 390, height: 784), children: [text, dismiss])
    }

    private func controls(_ s: inout Screen) {
        s.add("Button", "controls-tap-button", label: "Tap Me") {
            [Node("StaticText", label: "Tap Me", frame: Rect(x: $0.x + 100, y: $0.y + 10, width: 100, height: 20))]
        }
        s.add("StaticText", "controls-tap-count", label: "Tapped: \(taps)")
        s.add("Switch", "controls-toggle-wifi", label: "Wi-Fi", value: wifi ? "1" : "0")
        s.add("StaticText", "controls-wifi-status", label: wifi ? "On" : "Off")
        trials.slider(&s)
    }

    private func input(_ s: inout Screen) {
        s.add(
            "TextField", "text-username-field", value: username.isEmpty ? "Username" : username,
            placeholder: "Username", focused: focus == "text-username-field")
        s.add("Button", "text-clear-button", label: "Clear")
        s.add("StaticText", "text-username-value", label: "Username: \(username)")
    }

    private func navigation(_ s: inout Screen) {
        s.add("StaticText", "nav-status-label", label: status)
        s.add("Button", "nav-sheet-button", label: "Show Sheet")
        s.add("Button", "nav-alert-button", label: "Show Alert")
        s.add("Button", "nav-confirm-button", label: "Show Confirmation")
        s.add("Button", "nav-extras-button", label: "Extras")
        s.add("Button", "nav-permissions-button", label: "Permissions")
        s.add("Button", "nav-moving-button", label: "Drag and Drop")
    }

    private func extras(_ s: inout Screen) {
        s.add("StaticText", "extras-duplicate-value", label: "Chosen: \(duplicate)")
        s.add("Button", label: "Duplicate")
        s.add("Button", label: "Duplicate")
        s.add("StaticText", label: "Duplicate")
        trials.wheel(&s)
    }

    private func gestures(_ s: inout Screen) {
        s.add("Table", "scroll-list", height: 300) { frame in
            (1...50).map { i in
                Node(
                    "StaticText", identifier: "scroll-item-\(i)", label: "Item \(i)",
                    frame: Rect(
                        x: frame.x, y: frame.y + Double(i - 1) * 44 - scrolled, width: frame.width, height: 44))
            }
        }
        s.add("Button", "gesture-longpress-target", label: "Hold", height: 100)
        s.add("StaticText", "gesture-longpress-status", label: held)
        s.add("Button", "gesture-swipe-area", label: "Swipe", height: 100)
        s.add("StaticText", "gesture-swipe-status", label: swiped)
    }

    private func dynamic(_ s: inout Screen) {
        let now = clock.now
        s.add("Button", "dynamic-show-delayed", label: "Show Delayed")
        if let delayed, delayed <= now { s.add("StaticText", "dynamic-delayed-label", label: "I appeared!") }
        s.add("Button", "dynamic-start-loading", label: "Start Loading")
        if let loading {
            if now < loading {
                s.add("ActivityIndicator", "dynamic-loading-spinner", label: "In progress", value: "1")
            } else {
                s.add("StaticText", "dynamic-loading-done", label: "Loading complete")
            }
        }
        s.add("Button", "dynamic-toggle-visibility", label: "Toggle Visibility")
        if togglable { s.add("StaticText", "dynamic-togglable", label: "Visible Element") }
        s.add("Button", "dynamic-start-counter", label: "Start Counter")
        if let counting {
            s.add("StaticText", "dynamic-counter-value", label: "Count: \(Int(now - counting))")
        }
    }

    // MARK: What a finger does

    /// A tap landed on this element.
    func tapped(_ path: [Node]) {
        let hit = path.last { !$0.identifier.isEmpty || $0.type == "Button" }
        guard let hit else { return }
        if ConformanceApp.tabs.contains(hit.label), path.contains(where: { $0.type == "TabBar" }) {
            (tab, pushed, focus) = (hit.label, "", nil)
            return
        }
        if hit.label == "Duplicate" {
            duplicate = path[path.count - 2].children.first { $0.label == "Duplicate" } == hit ? "first" : "second"
        }
        taps(on: hit.identifier)
    }

    private func taps(on identifier: String) {
        switch identifier {
        case "controls-tap-button": taps += 1
        case "controls-toggle-wifi": wifi.toggle()
        case "text-username-field": focus = identifier
        case "text-clear-button": username = ""
        case "nav-sheet-button": sheet = clock.now
        case "nav-sheet-dismiss": (sheet, status) = (nil, "Sheet dismissed")
        case "nav-alert-button": alert = true
        case "nav-alert-ok": (alert, status) = (false, "Alert confirmed")
        case "nav-confirm-button": confirm = true
        case "nav-confirm-delete": (confirm, status) = (false, "Deleted")
        case "nav-confirm-cancel": (confirm, status) = (false, "Cancelled")
        case "nav-extras-button", "nav-moving-button", "nav-permissions-button": pushed = identifier
        case "dynamic-show-delayed": delayed = clock.now + 2
        case "dynamic-start-loading": loading = clock.now + 2
        case "dynamic-toggle-visibility": togglable.toggle()
        case "dynamic-start-counter": counting = clock.now
        default: trials.tapped(identifier)
        }
    }

    /// A finger was held on this element.
    func held(_ path: [Node], seconds: Double) {
        if path.last?.identifier == "gesture-longpress-target", seconds >= 1 { held = "Long pressed!" }
    }

    /// A finger moved from this element.
    func dragged(_ path: [Node], from: Point, to: Point) {
        let (dx, dy) = (to.x - from.x, to.y - from.y)
        if path.contains(where: { $0.identifier == "scroll-list" }) {
            scrolled = min(max(0, scrolled - dy), 50 * 44 - 300)
        } else if path.last?.identifier == "gesture-swipe-area", max(abs(dx), abs(dy)) >= 20 {
            swiped = "Swiped: " + (abs(dx) > abs(dy) ? (dx < 0 ? "left" : "right") : (dy < 0 ? "up" : "down"))
        }
    }

    /// Text arrived at the field with the focus, and replaces what is selected. A newline is the return key.
    func typed(_ text: String) {
        for character in text {
            if character == "\n" { focus = nil } else { username = (selected ? "" : username) + [character] }
            selected = false
        }
    }

    func deleted() {
        username = selected ? "" : String(username.dropLast())
        selected = false
    }

    func selectAll() { selected = true }
}
