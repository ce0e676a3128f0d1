import XCTest

@testable import AgentCore

/// A surface with one app. Its tree is what `show` makes of the number of looks so far, so that a test can let things
/// move; what it was made to do is written down.
final class Stage: Surface {
    static let shop = "com.example.shop"

    var show: (Int) throws -> Node? = { _ in Stage.tree }
    var hittable: (Int) -> Bool = { _ in true }
    var focused: Focus = .element(Stage.field)
    var fails: Error?
    var picture: [UInt8] = [1]
    var systemAlerts: [Node] = []
    var onKey: (Key) -> Void = { _ in }
    var onTap: (Point) -> Void = { _ in }
    private(set) var looks = 0
    private(set) var did: [String] = []

    static let field = Node(
        "TextField", identifier: "email", label: "Email", value: "a@b.c", placeholder: "you@example.com",
        frame: Rect(x: 20, y: 150, width: 350, height: 40))

    /// A small screen: a button, a field, three rows, a switch, and scaffolding without a name or area.
    static var tree: Node {
        let rows = ["Tea", "Coffee", "Milk"].enumerated().map { n, label in
            Node(
                "Cell", identifier: "row", label: label,
                frame: Rect(y: 200 + Double(n) * 50, width: 390, height: 50))
        }
        let text = Node("StaticText", label: "Log in", frame: Rect(x: 30, y: 110, width: 80, height: 20))
        let login = Node(
            "Button", identifier: "login", label: "Log in", frame: Rect(x: 20, y: 100, width: 100, height: 40),
            children: [text])
        var news = Node("Switch", identifier: "news", frame: Rect(x: 300, y: 400, width: 60, height: 30))
        (news.enabled, news.selected) = (false, true)
        let scaffolding = Node("Other", children: [Node("Other")])
        let window = Node(
            "Window", frame: Rect(width: 390, height: 844), children: [login, field] + rows + [news, scaffolding])
        return Node("Application", label: "Shop", frame: Rect(width: 390, height: 844), children: [window])
    }

    /// The tree with its button further down.
    static func moved(by dy: Double) -> Node {
        var root = tree
        root.children[0].children[0].frame.y += dy
        return root
    }

    func state(of bundle: String) -> AppState { bundle == Stage.shop ? .runningForeground : .notRunning }
    func details(of bundle: String) -> AppDetails { AppDetails(displayName: "Shop", version: "1.2", build: "34") }

    func snapshot(of bundle: String) throws -> Node? {
        guard bundle == Stage.shop else { return nil }
        looks += 1
        return try show(looks)
    }

    func find(_ query: Query, in bundle: String) throws -> Sighting? {
        guard let root = try snapshot(of: bundle) else {
            throw AgentFault(.appNotRunning, "app \(bundle) is not running")
        }
        guard let node = query.find(in: root)?.last else { return nil }
        return Sighting(frame: node.frame, hittable: hittable(looks)) { node }
    }

    func alerts(of bundle: String) -> [Node] { bundle == Agent.springboard ? systemAlerts : [] }
    func screenshot() -> [UInt8] { picture }

    private func act(_ what: String) throws {
        if let fails { throw fails }
        did.append(what)
    }

    func tap(_ p: Point, in bundle: String) throws {
        try act("tap \(p.x) \(p.y)")
        onTap(p)
    }
    func press(_ p: Point, seconds: Double, in bundle: String) throws { try act("press \(p.x) \(p.y) \(seconds)") }
    func drag(_ d: Drag, in bundle: String) throws {
        try act("drag \(d.from.x) \(d.from.y) \(d.to.x) \(d.to.y) \(d.pressSeconds) v\(d.velocity) \(d.holdSeconds)")
    }
    func pinch(_ query: Query?, scale: Double, velocity: Double, in bundle: String) throws {
        try act("pinch \(scale) v\(velocity)")
    }
    func adjust(_ query: Query, slider position: Double, in bundle: String) throws { try act("slider \(position)") }
    func adjust(_ query: Query, wheel value: String, in bundle: String) throws { try act("wheel \(value)") }
    func focus(in bundle: String) -> Focus { focused }
    func type(_ text: String, into focus: Focus, in bundle: String) throws { try act("type \(text)") }
    func key(_ key: Key, into focus: Focus, in bundle: String) throws {
        try act("key \(key.rawValue)")
        onKey(key)
    }
}

/// Time that passes only when the agent sleeps.
final class ManualClock: AgentCore.Clock {
    var now = 0.0
    func sleep(_ seconds: Double) { now += seconds }
}

/// An agent on a stage, looking at its app.
class AgentTestCase: XCTestCase {
    var stage = Stage()
    var clock = ManualClock()
    var options = AgentOptions()
    lazy var agent: Agent = {
        let agent = Agent(surface: stage, clock: clock, options: options)
        _ = try? agent.answer(make(SetTarget.self) { $0.bundle = Stage.shop })
        return agent
    }()

    func make<R: Request>(_ type: R.Type, _ fill: (inout R) -> Void = { _ in }) -> R {
        var request = R()
        fill(&request)
        return request
    }

    func ask<A: Response>(_ request: any Request, file: StaticString = #filePath, line: UInt = #line) throws -> A {
        try XCTUnwrap(try agent.answer(request) as? A, file: file, line: line)
    }

    func fault(_ request: any Request, file: StaticString = #filePath, line: UInt = #line) -> AgentFault? {
        var caught: AgentFault?
        XCTAssertThrowsError(try agent.answer(request), file: file, line: line) { caught = $0 as? AgentFault }
        return caught
    }

    func tapElement(_ selector: String, timeout: UInt64? = nil) -> TapElement {
        make(TapElement.self) { ($0.selector, $0.timeoutMS) = (selector, timeout) }
    }
}
