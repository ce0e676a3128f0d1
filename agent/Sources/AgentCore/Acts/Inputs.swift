/// What an agent can do beyond version 1's requests.
extension Agent {
    /// Presses a key or button.
    public func press(_ key: Key) throws {
        let focus: Focus = key == .home ? .nothing : try mustHaveFocus()
        try surface.key(key, into: focus, in: target)
    }

    /// Drags something: holds it until it is lifted off, moves it, and lets it rest before it is dropped.
    public func drag(from: Point, to: Point, pressSeconds: Double, seconds: Double, holdSeconds: Double) throws {
        let times = [pressSeconds, holdSeconds]
        guard seconds > 0, seconds <= Agent.longestGesture,
            times.allSatisfy({ $0 >= 0 && $0 <= Agent.longestGesture })
        else {
            throw AgentFault(.badRequest, "a drag of \(seconds) seconds, after \(pressSeconds), before \(holdSeconds)")
        }
        let way = from.distance(to: to)
        guard way > 0 else { throw AgentFault(.badRequest, "a drag that goes nowhere") }
        try surface.drag(
            Drag(from: from, to: to, pressSeconds: pressSeconds, velocity: way / seconds, holdSeconds: holdSeconds),
            in: target)
    }

    /// Pinches an element, or the whole app. XCTest wants a velocity of the scale's direction, and throws otherwise.
    public func pinch(_ query: Query?, scale: Double, seconds: Double) throws {
        guard scale > 0, scale.isFinite, scale != 1, seconds > 0, seconds <= Agent.longestGesture else {
            throw AgentFault(.badRequest, "a pinch to \(scale) in \(seconds) seconds")
        }
        if let query { _ = try locate(query) }
        try surface.pinch(query, scale: scale, velocity: (scale - 1) / seconds, in: target)
    }

    /// Empties a text field: puts the cursor at its end and deletes as many characters as it has, until it reads as
    /// empty. A field that does not get shorter is told, not tried for ever.
    public func clear(_ query: Query, wait: Double) throws {
        var before = try text(of: query, wait: wait)
        while before > 0 {
            let frame = try locate(query).frame
            // The last point that is still inside: behind the text, wherever that ends.
            try surface.tap(Point(x: frame.x + max(0, frame.width - 4), y: frame.centre.y), in: target)
            let focus = try mustHaveFocus()
            for _ in 0..<before { try surface.key(.delete, into: focus, in: target) }
            let after = try text(of: query, wait: 0)
            guard after < before else {
                throw AgentFault(.exception, "element \(query) keeps its text: \(after) characters are left")
            }
            before = after
        }
    }

    /// How many characters a field has. A placeholder is no text, though some fields say it as their value.
    private func text(of query: Query, wait: Double) throws -> Int {
        let node = try pollUntilFound(wait: wait) { try locate(query).node() }
        return node.value == node.placeholder ? 0 : node.value.count
    }

    /// Gives an element a value: fields are emptied and typed into, switches tapped if they say something else, sliders
    /// moved, wheels turned.
    public func setValue(_ query: Query, to value: String, wait: Double) throws {
        let node = try pollUntilFound(wait: wait) { try locate(query).node() }
        switch node.type {
        case "Slider": try surface.adjust(query, slider: try position(value, of: query), in: target)
        case "PickerWheel": try surface.adjust(query, wheel: value, in: target)
        case "Switch", "Toggle", "CheckBox":
            guard ["0", "1"].contains(value) else {
                throw AgentFault(.badRequest, "a switch is 0 or 1, not \(JSON.quoted(value))")
            }
            if node.value != value { _ = try tap(query, wait: wait) }
        case "TextField", "SecureTextField", "SearchField", "TextView":
            try clear(query, wait: wait)
            if !value.isEmpty {
                _ = try tap(query, wait: wait)
                _ = try type(value)
            }
        default: throw AgentFault(.unsupported, "element \(query) is a \(node.type), which has no value to set")
        }
    }

    /// A slider's position from "0.25" or "25%".
    private func position(_ value: String, of query: Query) throws -> Double {
        let number = value.hasSuffix("%") ? Double(value.dropLast()).map { $0 / 100 } : Double(value)
        guard let number, (0...1).contains(number) else {
            throw AgentFault(.badRequest, "a slider goes from 0 to 1, or 0% to 100%, not \(JSON.quoted(value))")
        }
        return number
    }

    /// The alert on top: one of the target's own, else one of the system's, which belongs to SpringBoard.
    public func alert() throws -> (bundle: String, alert: Node)? {
        for bundle in target == Agent.springboard ? [target] : [target, Agent.springboard] {
            if let top = try surface.alerts(of: bundle).last { return (bundle, top) }
        }
        return nil
    }

    /// Taps a button of the alert on top: the one with this label, else the last, which accepts, or the first, which
    /// dismisses. An alert with one button can only be closed.
    public func answerAlert(button label: String?, accept: Bool) throws {
        guard let (bundle, alert) = try alert() else { throw AgentFault(.notFound, "there is no alert") }
        let buttons = Agent.buttons(in: alert)
        let chosen =
            label.map { wanted in buttons.first { $0.label == wanted } } ?? (accept ? buttons.last : buttons.first)
        guard let chosen else {
            let names = buttons.map { JSON.quoted($0.label) }.joined(separator: ", ")
            throw AgentFault(.notFound, "the alert has no such button; it has \(names)")
        }
        try surface.tap(chosen.frame.centre, in: bundle)
    }

    private static func buttons(in node: Node) -> [Node] {
        node.children.flatMap { $0.type == "Button" ? [$0] : buttons(in: $0) }
    }
}
