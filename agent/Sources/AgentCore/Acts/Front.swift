/// The app in front, and what it shows.
extension Agent {
    /// The app in front: the target, else SpringBoard with its home screen, else the first candidate that is. Nil if none of
    /// them is. XCTest has no public way to ask which app it is, but it tells the state of an app by its bundle id.
    func inFront(_ candidates: [String]) throws -> String? {
        // SpringBoard is there behind every app, so that its own state says little.
        if target != Agent.springboard, try surface.state(of: target) == .runningForeground { return target }
        if try surface.showsHomeScreen() { return Agent.springboard }
        return try candidates.first { try surface.state(of: $0) == .runningForeground }
    }

    /// The tree of an app in front, or nil. An app behind another is not read: XCTest would wait for it for 90 seconds. Nor
    /// is the agent's own, which could not answer while it asks.
    func tree(of bundle: String) throws -> Node? {
        guard bundle != options.bundle else { return nil }
        guard try bundle == Agent.springboard || surface.state(of: bundle) == .runningForeground else { return nil }
        reads += 1
        do {
            return try surface.snapshot(of: bundle)
        } catch is TooDeep {
            return try Parts.tree(surface, bundle)
        }
    }

    /// The tree of an app, or a fault that says why it has none.
    func mustSee(_ bundle: String) throws -> Node {
        try mustNotBeBehind(bundle)
        guard let root = try tree(of: bundle) else {
            throw AgentFault(.appNotRunning, "app \(bundle) is not running")
        }
        return root
    }

    /// Whether an app runs behind another. XCTest waits for such an app, three times for 30 seconds, whatever it is asked
    /// but the state.
    func isBehind(_ bundle: String) throws -> Bool {
        try bundle != Agent.springboard && [.suspended, .runningBackground].contains(surface.state(of: bundle))
    }

    func mustNotBeBehind(_ bundle: String) throws {
        if try isBehind(bundle) { throw AgentFault(.appNotRunning, "app \(bundle) is not in front") }
    }

    /// One look at the app in front.
    func glance(_ view: View) throws -> Glance {
        for _ in 0..<Agent.glances {
            let known = try inFront(view.candidates)
            guard let front = known ?? (view.orSpringBoard ? Agent.springboard : nil) else { break }
            // An app that has left the front meanwhile is not the one; what came is looked at then.
            guard let root = try tree(of: front) else { continue }
            let cover = try front == Agent.springboard ? nil : self.cover()
            return Glance(
                front: front, state: try surface.state(of: front), root: root,
                cover: cover.map { springboardRoot($0, over: root) }, limits: view.limits)
        }
        return Glance(state: try surface.state(of: target))
    }

    /// How often the app in front may leave it during one look.
    private static let glances = 3

    /// What SpringBoard shows over an app: an alert, else a banner. SpringBoard is looked at only if there is something.
    private func cover() throws -> Node? {
        guard try surface.hasCover() else { return nil }
        return try surface.alerts(of: Agent.springboard).last { $0.type == "Alert" } ?? surface.banner()
    }
}

/// What to look at, and how much of it to tell.
struct View {
    /// Apps that may be in front besides the target and SpringBoard.
    var candidates: [String]
    /// Whether SpringBoard is looked at when none of them is in front.
    var orSpringBoard: Bool
    var limits: Limits
}

/// One look at the app in front.
struct Glance {
    /// Empty if it is not known.
    let front: String
    /// Of the app in front; of the target if it is not known.
    let state: AppState
    /// Whose what lies over it is; empty if nothing does.
    let cover: String
    /// The whole tree of the app.
    let root: Node?
    /// What is told: the app's tree, and that of what lies over it.
    let roots: [Node]
    let left: UInt32
    let json: String
    let digest: String

    /// Of nothing.
    init(front: String = "", state: AppState) {
        (self.front, self.state, cover, root, roots, left) = (front, state, "", nil, [], 0)
        json = JSON.tree([])
        digest = Sight.digest(front: front, cover: "", json: json)
    }

    init(front: String, state: AppState, root: Node, cover: Node?, limits: Limits) {
        (self.front, self.state, self.root) = (front, state, root)
        self.cover = cover == nil ? "" : Agent.springboard
        (roots, left) = Trimmer.trees([root] + (cover.map { [$0] } ?? []), limits)
        json = JSON.tree(roots)
        digest = Sight.digest(front: front, cover: self.cover, json: json)
    }
}
