/// Alerts, of the system and of the target. The system's belong to SpringBoard: an app's own tree does not have them.
extension Agent {
    /// Whether the system asks something over the target. Costs a question to SpringBoard, not a look at it.
    func systemAsks() throws -> Bool {
        try target != Agent.springboard && surface.hasAlert(in: Agent.springboard)
    }

    /// What the system asks. SpringBoard is looked at only if there is something.
    func systemAlert() throws -> Node? {
        try systemAsks() ? surface.alerts(of: Agent.springboard).last { $0.type == "Alert" } : nil
    }

    /// SpringBoard's tree with the alert alone, or none.
    func systemRoot(over root: Node?) throws -> [Node] {
        try systemAlert().map { [springboardRoot($0, over: root)] } ?? []
    }

    /// SpringBoard's tree with one element of it. Its label is a space on a real device too.
    func springboardRoot(_ node: Node, over root: Node?) -> Node {
        Node("Application", label: " ", frame: root?.frame ?? node.frame, children: [node])
    }

    /// Whose screen a finger meets. An event that is sent through an app which lies under an alert lets XCTest deal with
    /// that alert by itself first, and it presses a button that nobody chose.
    /// One that is sent through an app behind another waits for that app.
    func front() throws -> String { try systemAsks() || isBehind(target) ? Agent.springboard : target }

    /// Reads the alert on top, and presses one of its buttons. Tells what it was.
    func alert(_ r: Alert) throws -> any Response {
        guard let action = AlertAction(rawValue: r.action) else {
            throw AgentFault(.badRequest, "there is no answer \(r.action) to an alert")
        }
        guard let found = try action == .read ? topAlert() : stillAlert() else {
            if action == .read { return AlertState(json: "null") }
            throw AgentFault(.notFound, "there is no alert")
        }
        if action != .read {
            let button = try choose(action, r.button, found.buttons)
            try touch(button.frame.centre, in: found.bundle)
        }
        return AlertState(json: found.json)
    }

    /// The alert on top: the system's, else one of the target's own.
    private func topAlert() throws -> FoundAlert? {
        if let alert = try systemAlert() { return FoundAlert(bundle: Agent.springboard, node: alert) }
        if try isBehind(target) { return nil }
        return try surface.alerts(of: target).last(where: FoundAlert.asks).map { FoundAlert(bundle: target, node: $0) }
    }

    /// The alert on top when it no longer grows into its place: two looks at it agree, or it never rests.
    private func stillAlert() throws -> FoundAlert? {
        var last = try topAlert()
        for _ in 0..<20 where last != nil {
            clock.sleep(Agent.pollEvery)
            let now = try topAlert()
            if now == last { break }
            last = now
        }
        return last
    }

    private func choose(_ action: AlertAction, _ label: String, _ buttons: [Node]) throws -> Node {
        func refuses(_ button: Node) -> Bool { Agent.refusals.contains(button.label.lowercased()) }
        let chosen: Node?
        switch action {
        case .accept: chosen = buttons.last { !refuses($0) } ?? buttons.last
        case .dismiss: chosen = buttons.first(where: refuses) ?? buttons.first
        default: chosen = buttons.first { $0.label == label }
        }
        guard let chosen else {
            let names = buttons.map { JSON.quoted($0.label) }.joined(separator: ", ")
            throw AgentFault(.notFound, "the alert has no button \(JSON.quoted(label)); it has \(names)")
        }
        return chosen
    }

    /// What the buttons say that leave things as they are. XCTest does not tell which is the preferred one, or cancels.
    private static let refusals: Set<String> = [
        "cancel", "don’t allow", "don't allow", "not now", "no", "ask app not to track", "don’t allow paste",
    ]
}

enum AlertAction: UInt8 {
    case read, accept, dismiss, press
}

/// An alert, and whose it is.
private struct FoundAlert: Equatable {
    var bundle: String
    var node: Node

    /// The buttons in document order.
    var buttons: [Node] { FoundAlert.all("Button", in: node) }

    /// A sheet without a name is a question if it has buttons, and nothing to fill in or scroll through.
    static func asks(_ node: Node) -> Bool {
        if node.type == "Alert" { return true }
        let more = ["TextField", "SecureTextField", "Table", "CollectionView", "ScrollView"]
        return node.identifier.isEmpty && !all("Button", in: node).isEmpty
            && more.allSatisfy { all($0, in: node).isEmpty }
    }

    var json: String {
        let texts = FoundAlert.all("StaticText", in: node).map(\.label).filter { $0 != node.label && !$0.isEmpty }
        return JSON.alert(
            title: node.label, text: texts.joined(separator: "\n"), buttons: buttons.map(\.label), source: bundle)
    }

    /// What there is of a type, except in a button: its text says what the button says.
    private static func all(_ type: String, in node: Node) -> [Node] {
        node.children.flatMap { $0.type == type ? [$0] : $0.type == "Button" ? [] : all(type, in: $0) }
    }
}
