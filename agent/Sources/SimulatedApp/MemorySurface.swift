import AgentCore

/// A device in memory: a home screen and the Conformance app in front of it.
public final class MemorySurface: Surface {
    private let app: ConformanceApp
    private let clock: Clock
    /// As with XCTest's public interface alone, nobody says which element has the focus. Nor does a keyboard on the screen:
    /// there is one of hardware.
    private let publicOnly: Bool
    private var front = ConformanceApp.bundle

    public init(clock: Clock, publicOnly: Bool = false) {
        (self.clock, self.publicOnly) = (clock, publicOnly)
        app = ConformanceApp(clock: clock)
    }

    private var home: Node {
        let place = Rect(x: 27, y: 75, width: 60, height: 60)
        let icon = Node("Icon", identifier: "Conformance", label: "Conformance", frame: place)
        let window = Node("Window", frame: Screen.portrait, children: [icon])
        return Node("Application", label: "SpringBoard", frame: Screen.portrait, children: [window])
    }

    /// SpringBoard's tree, with its alert on top.
    private var springboard: Node {
        var root = home
        if let question = app.trials.question {
            root.children.append(Node("Window", frame: root.frame, children: [question]))
        }
        return root
    }

    // MARK: Looking

    public func state(of bundle: String) -> AppState {
        switch bundle {
        case front: return .runningForeground
        case ConformanceApp.bundle, Agent.springboard: return .runningBackground
        default: return .notRunning
        }
    }

    public func details(of bundle: String) -> AppDetails {
        bundle == ConformanceApp.bundle
            ? AppDetails(displayName: "Conformance", version: "1.0", build: "1") : AppDetails()
    }

    public func snapshot(of bundle: String) -> Node? {
        switch bundle {
        case ConformanceApp.bundle: return publicOnly ? withoutFocus(app.root) : app.root
        case Agent.springboard: return springboard
        default: return nil
        }
    }

    public func showsHomeScreen() -> Bool { front == Agent.springboard }

    private func withoutFocus(_ node: Node) -> Node {
        var copy = node
        copy.focused = false
        copy.children = node.children.filter { $0.type != "Keyboard" }.map(withoutFocus)
        return copy
    }

    public func find(_ query: Query, in bundle: String) throws -> Sighting? {
        guard let root = snapshot(of: bundle) else {
            throw AgentFault(.appNotRunning, "app \(bundle) is not running")
        }
        guard let path = query.find(in: root), let node = path.last else { return nil }
        let front = state(of: bundle) == .runningForeground
        return Sighting(frame: node.frame, hittable: front && Hit.reaches(path)) { node }
    }

    public func hasAlert(in bundle: String) -> Bool { alerts(of: bundle).contains { $0.type == "Alert" } }

    public func alerts(of bundle: String) -> [Node] {
        func alerts(in node: Node) -> [Node] {
            node.children.flatMap { ["Alert", "Sheet"].contains($0.type) ? [$0] : alerts(in: $0) }
        }
        return snapshot(of: bundle).map(alerts) ?? []
    }

    public func screenshot() -> [UInt8] { Picture.png(of: app.root) }

    // MARK: Touching

    /// What a finger lands on. An alert of the system is over everything, and takes what is beside it too.
    private func path(to point: Point) -> [Node]? {
        Hit.path(to: point, in: app.trials.asked == nil && front == ConformanceApp.bundle ? app.root : springboard)
    }

    public func tap(_ point: Point, in bundle: String) {
        guard let path = path(to: point), let hit = path.last else { return }
        if app.trials.asked != nil {
            app.trials.answered(hit.label)
        } else if front == Agent.springboard {
            if hit.type == "Icon" { front = ConformanceApp.bundle }
        } else {
            app.tapped(path)
        }
    }

    /// The app under the finger, if it is the app's to answer.
    private func touched(_ point: Point) -> [Node]? {
        app.trials.asked == nil && front == ConformanceApp.bundle ? path(to: point) : nil
    }

    public func doubleTap(_ point: Point, in bundle: String) {
        if let path = touched(point) { app.trials.doubleTapped(path) }
    }

    public func press(_ point: Point, seconds: Double, in bundle: String) {
        clock.sleep(seconds)
        if let path = touched(point) { app.held(path, seconds: seconds) }
    }

    public func drag(_ way: Carry, in bundle: String) {
        guard let from = touched(way.from) else { return }
        let to = touched(way.to) ?? []
        if !app.trials.carried(from, to: to, after: way.pressSeconds) {
            app.dragged(from, from: way.from, to: way.to)
        }
    }

    public func pinch(_ place: Place?, scale: Double, velocity: Double, in bundle: String) throws {
        guard (scale > 1) == (velocity > 0) else { throw AgentFault(.exception, "velocity must go with the scale") }
        app.trials.pinched(try path(to: place), scale: scale)
    }

    public func adjust(_ place: Place, slider position: Double, in bundle: String) throws {
        guard let slider = try path(to: place).last else { return }
        app.trials.moved(slider: slider, to: position)
    }

    public func adjust(_ place: Place, wheel row: String, in bundle: String) throws {
        guard let wheel = try path(to: place).last else { return }
        try app.trials.turned(wheel: wheel, to: row)
    }

    private func path(to place: Place?) throws -> [Node] {
        guard let place else { return [app.root] }
        guard let path = app.root.path(to: place) else { throw AgentFault(.exception, "no \(place.type) is there") }
        return path
    }

    // MARK: Typing

    public func focus(in bundle: String) -> Focus {
        if publicOnly { return .unknown }
        guard bundle == ConformanceApp.bundle, let field = app.focus,
            let node = Query(field).find(in: app.root)?.last
        else { return .nothing }
        return .element(node)
    }

    public func type(_ text: String, into focus: Focus, in bundle: String) throws {
        try mustHaveFocus()
        app.typed(text)
    }

    public func press(_ stroke: Stroke, times: Int, into focus: Focus, in bundle: String) throws {
        // What is no text goes to whatever takes it, and XCTest does not ask whether anything does.
        if stroke.isText { try mustHaveFocus() }
        if app.focus != nil { for _ in 0..<times { press(stroke) } }
    }

    /// In XCTest's words.
    private func mustHaveFocus() throws {
        guard app.focus == nil else { return }
        let words = "Failed to synthesize event: Neither element nor any descendant has keyboard focus."
        throw AgentFault(.exception, words)
    }

    private func press(_ stroke: Stroke) {
        guard stroke != .selectAll else { return app.selectAll() }
        guard stroke.modifiers.isSubset(of: .shift) else { return }  // no other shortcut does anything here
        switch stroke.cap {
        case .character(let text): app.typed(stroke.modifiers == .shift ? text.uppercased() : text)
        case .named(.enter): app.typed("\n")
        case .named(.delete): app.deleted()
        case .named(.space): app.typed(" ")
        case .named(.tab): app.typed("\t")
        default: break  // they move a caret that is always at the end
        }
    }

    // MARK: The device

    public func press(_ button: DeviceButton) throws {
        guard button == .home else {
            throw AgentFault(.unsupported, "this device has no \(button.rawValue) button")
        }
        front = Agent.springboard
    }

    public func rotate(to orientation: Orientation) {
        app.size = [.landscapeLeft, .landscapeRight].contains(orientation) ? Screen.landscape : Screen.portrait
    }
}
