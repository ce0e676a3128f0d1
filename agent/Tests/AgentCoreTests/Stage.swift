import XCTest

@testable import AgentCore

/// A surface with one app, or a few. The tree of the first is what `show` makes of the number of looks so far, so that a test can let things
/// move; what it was made to do is written down.
final class Stage: Surface {
    static let shop = "com.example.shop"

    var show: (Int) throws -> Node? = { _ in Stage.tree }
    var hittable: (Int) -> Bool = { _ in true }
    var focused: Focus = Stage.publicOnly ? .unknown : .element(Stage.field)
    /// Whether keys go nowhere; XCTest says so when they are pressed.
    var lacksFocus = false
    /// Where apps begin on the screen.
    var origins: [String: Point] = [:]
    var fails: Error?
    var picture: [UInt8] = [1]
    var systemAlerts: [Node] = []
    var states: [String: AppState] = [Stage.shop: .runningForeground]
    var home = false
    lazy var onHome: () -> Bool = { [unowned self] in home }
    /// What apps other than the first show.
    var others: [String: Node] = [:]
    var notice: Node?
    /// How many levels are read at once.
    var levels = Int.max
    private(set) var partsRead = 0
    /// What a finger reaches, whatever the tree says; and what was asked about.
    var reachable: [Place] = []
    private(set) var asked: [Place] = []
    var onKey: (Stroke) -> Void = { _ in }
    var onTap: (Point) -> Void = { _ in }
    /// Rows of a wheel; another one is an exception.
    var rows: [String] = []
    private(set) var looks = 0
    private(set) var looksAtAlerts = 0
    private(set) var did: [String] = []
    /// The apps that points were touched through.
    private(set) var through: [String] = []

    /// Whether the tests are run as if only XCTest's public interface were there.
    static let publicOnly = !Settings(ProcessInfo.processInfo.environment).privateAPI

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

    func state(of bundle: String) -> AppState { states[bundle] ?? .notRunning }
    func details(of bundle: String) -> AppDetails { AppDetails(displayName: "Shop", version: "1.2", build: "34") }

    func snapshot(of bundle: String) throws -> Node? {
        mustNotWait(for: bundle)
        guard bundle == Stage.shop else { return others[bundle] }
        looks += 1
        return try show(looks).map(mustBeReadable)
    }

    private func mustNotWait(for bundle: String) {
        if bundle != Agent.springboard, ![.runningForeground, .notRunning].contains(state(of: bundle)) {
            XCTFail("\(bundle) is used, and is not in front: XCTest waits for it for 90 seconds")
        }
    }

    func origin(of bundle: String) -> Point {
        mustNotWait(for: bundle)
        return origins[bundle] ?? .zero
    }

    func showsHomeScreen() -> Bool { onHome() }
    func hasCover() -> Bool { !systemAlerts.isEmpty || notice != nil }
    func banner() -> Node? { notice }

    func subtree(at way: [Int], in bundle: String) throws -> Node? {
        partsRead += 1
        return try others[bundle]?.at(way).map(mustBeReadable)
    }

    func outline(at way: [Int], in bundle: String) -> (node: Node, children: Int)? {
        guard var node = others[bundle]?.at(way) else { return nil }
        let count = node.children.count
        node.children = []
        return (node, count)
    }

    private func mustBeReadable(_ node: Node) throws -> Node {
        if node.height > levels { throw TooDeep() }
        return node
    }

    func find(_ query: Query, in bundle: String) throws -> Sighting? {
        guard let root = try snapshot(of: bundle) else {
            throw AgentFault(.appNotRunning, "app \(bundle) is not running")
        }
        guard let node = query.find(in: root)?.last else { return nil }
        return Sighting(frame: node.frame, hittable: hittable(looks)) { node }
    }

    func isHittable(_ place: Place, in bundle: String) -> Bool {
        asked.append(place)
        return reachable.contains(place)
    }

    var appAlerts: [Node] = []
    func hasAlert(in bundle: String) -> Bool { bundle == Agent.springboard ? !systemAlerts.isEmpty : false }
    func alerts(of bundle: String) -> [Node] {
        mustNotWait(for: bundle)
        guard bundle == Agent.springboard else { return appAlerts }
        looksAtAlerts += 1
        return systemAlerts
    }
    func screenshot() -> [UInt8] { picture }

    private func act(_ what: String) throws {
        if let fails { throw fails }
        did.append(what)
    }

    private func touch(_ what: String, _ bundle: String) throws {
        mustNotWait(for: bundle)
        try act(what)
        through.append(bundle)
    }

    func tap(_ p: Point, in bundle: String) throws {
        try touch("tap \(p.x) \(p.y)", bundle)
        onTap(p)
    }
    func doubleTap(_ p: Point, in bundle: String) throws { try touch("double \(p.x) \(p.y)", bundle) }
    func press(_ p: Point, seconds: Double, in bundle: String) throws {
        try touch("press \(p.x) \(p.y) \(seconds)", bundle)
    }
    func drag(_ d: Carry, in bundle: String) throws {
        let (press, hold) = (d.pressSeconds, d.holdSeconds)
        try touch("drag \(d.from.x) \(d.from.y) \(d.to.x) \(d.to.y) \(press) v\(d.velocity) \(hold)", bundle)
    }
    func pinch(_ place: Place?, scale: Double, velocity: Double, in bundle: String) throws {
        try touch("pinch \(place.map { "\($0.type)[\($0.index)]" } ?? "app") \(scale) v\(velocity)", bundle)
    }
    func adjust(_ place: Place, slider position: Double, in bundle: String) throws {
        try act("\(place.type)[\(place.index)] \(position)")
    }
    func adjust(_ place: Place, wheel row: String, in bundle: String) throws {
        guard rows.contains(row) else { throw AgentFault(.exception, "Failed to adjust") }
        try act("\(place.type)[\(place.index)] \(row)")
    }
    func focus(in bundle: String) -> Focus {
        mustNotWait(for: bundle)
        return focused
    }
    private func mustHaveFocus() throws {
        guard lacksFocus else { return }
        throw AgentFault(
            .exception, "Failed to synthesize event: Neither element nor any descendant has keyboard focus.")
    }
    func type(_ text: String, into focus: Focus, in bundle: String) throws {
        try mustHaveFocus()
        try act("type \(text)")
    }
    func press(_ stroke: Stroke, times: Int, into focus: Focus, in bundle: String) throws {
        if stroke.isText { try mustHaveFocus() }
        var name = ""
        switch stroke.cap {
        case .named(let key): name = key.rawValue
        case .character(let text): name = text
        }
        try act("key \(name) \(stroke.modifiers.rawValue) x\(times)")
        for _ in 0..<times { onKey(stroke) }
    }
    func press(_ button: DeviceButton) throws {
        guard button == .home else { throw AgentFault(.unsupported, "no \(button) here") }
        try act("button \(button.rawValue)")
    }
    func rotate(to orientation: Orientation) throws { try act("rotate \(orientation.rawValue)") }
}

extension Node {
    fileprivate func at(_ way: [Int]) -> Node? {
        way.reduce(self) { node, i in node.flatMap { $0.children.indices.contains(i) ? $0.children[i] : nil } }
    }

    /// How many levels there are, however many.
    fileprivate var height: Int {
        var (level, n) = ([self], 0)
        while !level.isEmpty { (level, n) = (level.flatMap(\.children), n + 1) }
        return n
    }
}

/// Time that passes only when the agent sleeps.
final class ManualClock: AgentCore.Clock {
    var now = 0.0
    func sleep(_ seconds: Double) { now += seconds }
}

/// A serial queue as a worker.
final class QueueWorker: Worker {
    private let queue = DispatchQueue(label: "test")
    func perform(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
    func probe(_ answer: @escaping @Sendable () -> Void) { queue.async(execute: answer) }
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
