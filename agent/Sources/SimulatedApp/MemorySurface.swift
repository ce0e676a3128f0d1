import AgentCore

/// A device in memory: a home screen and the Conformance app in front of it.
public final class MemorySurface: Surface {
    private let app: ConformanceApp
    private let clock: Clock

    public init(clock: Clock) {
        self.clock = clock
        app = ConformanceApp(clock: clock)
    }

    private var home: Node {
        let place = Rect(x: 27, y: 75, width: 60, height: 60)
        let icon = Node("Icon", identifier: "Conformance", label: "Conformance", frame: place)
        let window = Node("Window", frame: Screen.size, children: [icon])
        return Node("Application", label: "SpringBoard", frame: Screen.size, children: [window])
    }

    private var apps: [String: AppState] {
        [ConformanceApp.bundle: .runningForeground, Agent.springboard: .runningBackground]
    }

    public func state(of bundle: String) -> AppState { apps[bundle] ?? .notRunning }

    public func details(of bundle: String) -> AppDetails {
        bundle == ConformanceApp.bundle
            ? AppDetails(displayName: "Conformance", version: "1.0", build: "1") : AppDetails()
    }

    public func snapshot(of bundle: String) -> Node? {
        switch bundle {
        case ConformanceApp.bundle: return app.root
        case Agent.springboard: return home
        default: return nil
        }
    }

    public func find(_ query: Query, in bundle: String) throws -> Sighting? {
        guard let root = snapshot(of: bundle) else {
            throw AgentFault(.appNotRunning, "app \(bundle) is not running")
        }
        guard let path = query.find(in: root), let node = path.last else { return nil }
        let front = state(of: bundle) == .runningForeground
        return Sighting(frame: node.frame, hittable: front && Hit.reaches(path)) { node }
    }

    public func alerts(of bundle: String) -> [Node] {
        func alerts(in node: Node) -> [Node] { node.children.flatMap { $0.type == "Alert" ? [$0] : alerts(in: $0) } }
        return snapshot(of: bundle).map(alerts) ?? []
    }

    public func screenshot() -> [UInt8] { Picture.png(of: app.root) }

    public func tap(_ point: Point, in bundle: String) {
        if let path = Hit.path(to: point, in: app.root) { app.tapped(path) }
    }

    public func press(_ point: Point, seconds: Double, in bundle: String) {
        clock.sleep(seconds)
        if let path = Hit.path(to: point, in: app.root) { app.held(path, seconds: seconds) }
    }

    public func drag(_ move: Drag, in bundle: String) {
        if let path = Hit.path(to: move.from, in: app.root) { app.dragged(path, from: move.from, to: move.to) }
    }

    public func pinch(_ query: Query?, scale: Double, velocity: Double, in bundle: String) throws {
        throw AgentFault(.unsupported, "nothing in this app can be pinched")
    }

    public func adjust(_ query: Query, slider position: Double, in bundle: String) throws {
        try app.adjusted(query.base)
    }

    public func adjust(_ query: Query, wheel value: String, in bundle: String) throws {
        try app.adjusted(query.base)
    }

    public func focus(in bundle: String) -> Focus {
        guard bundle == ConformanceApp.bundle, let field = app.focus,
            let node = Query(field).find(in: app.root)?.last
        else { return .nothing }
        return .element(node)
    }

    public func type(_ text: String, into focus: Focus, in bundle: String) { app.typed(text) }

    public func key(_ key: Key, into focus: Focus, in bundle: String) {
        switch key {
        case .enter: app.typed("\n")
        case .delete: app.deleted()
        case .space: app.typed(" ")
        case .tab, .escape, .home: break
        }
    }
}
