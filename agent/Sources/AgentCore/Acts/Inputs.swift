/// Controls, keys, and the device's body.
extension Agent {
    /// The target's tree, for what must find an element at a point. What lies under an alert of the system is not there.
    func targetRoot() throws -> Node {
        guard try !systemAsks() else { throw AgentFault(.unsupported, "an alert of the system is in the way") }
        defer { fresh = nil }
        return try fresh ?? mustSee(target)
    }

    // MARK: Controls

    /// How an element takes a value; nil if it takes none.
    private func adjustment(of type: String) -> ((Node, Place, String) throws -> Void)? {
        switch type {
        case "Slider": return slide
        case "PickerWheel": return turn
        case "Switch", "Toggle", "CheckBox": return flip
        default: return nil
        }
    }

    /// Gives the adjustable element at a point a value.
    func setValue(_ r: SetValue) throws -> any Response {
        let point = Point(x: Double(r.x), y: Double(r.y))
        let found = try targetRoot().element(at: point) { adjustment(of: $0.type) != nil }
        guard let found, let adjust = adjustment(of: found.node.type) else {
            throw AgentFault(.unsupported, "nothing at \(r.x), \(r.y) takes a value")
        }
        try adjust(found.node, found.place, r.value)
        return OK()
    }

    /// A slider goes to "0.25" or "25%".
    private func slide(_ node: Node, _ place: Place, _ value: String) throws {
        let number = value.hasSuffix("%") ? Double(value.dropLast()).map { $0 / 100 } : Double(value)
        guard let number, (0...1).contains(number) else {
            throw AgentFault(.unsupported, "a slider goes from 0 to 1, or 0% to 100%, not to \(JSON.quoted(value))")
        }
        try surface.adjust(place, slider: number, in: target)
    }

    /// XCTest turns a wheel until it shows a row, and says that it failed when it never does. Whether it did, the wheel
    /// itself then tells. It was turned by then, so that this is no refusal.
    private func turn(_ node: Node, _ place: Place, _ value: String) throws {
        do {
            try surface.adjust(place, wheel: value, in: target)
        } catch let fault as AgentFault where fault.code == .exception {
            let now = try? targetRoot().path(to: place)?.last
            guard let now, now.value == value else {
                throw AgentFault(.exception, "the wheel does not turn to a row \(JSON.quoted(value)): \(fault.message)")
            }
        }
    }

    /// A switch that says something else is tapped.
    private func flip(_ node: Node, _ place: Place, _ value: String) throws {
        guard ["0", "1"].contains(value) else {
            throw AgentFault(.unsupported, "a switch is 0 or 1, not \(JSON.quoted(value))")
        }
        // With its label a switch may be as wide as the screen; only its knob, at the end, is sure to take the tap.
        let knob = Point(x: node.frame.x + max(node.frame.width - 30, node.frame.width / 2), y: node.frame.centre.y)
        if node.value != value { try touch(knob, in: target) }
    }

    // MARK: Keys

    /// More presses than this in one request are a mistake.
    static let mostPresses: UInt32 = 1000

    func key(_ r: Key) throws -> any Response {
        guard r.count <= Agent.mostPresses else {
            throw AgentFault(.badRequest, "\(r.count) presses of a key: want at most \(Agent.mostPresses)")
        }
        let stroke = Stroke(try cap(r.name), Modifiers(rawValue: r.modifiers))
        let focus = try mustHaveFocus()
        try keyed { try surface.press(stroke, times: max(1, Int(r.count)), into: focus, in: target) }
        return OK()
    }

    private func cap(_ name: String) throws -> Stroke.Cap {
        if let key = KeyName(rawValue: name) { return .named(key) }
        guard name.unicodeScalars.count == 1 else {
            throw AgentFault(.badRequest, "there is no key \(JSON.quoted(name))")
        }
        return .character(name)
    }

    /// Empties the field that has the focus, in the way that disturbs it least: the caret is at the end, as a rule, so that
    /// the delete key does it. Else the caret is put there. Else everything is selected, which is also all that can be done
    /// when nobody says which field it is.
    func clear() throws -> any Response {
        let focus = try mustHaveFocus()
        // The first key tells whether there is a field; what it deletes is to be deleted anyway.
        if focus == .unknown { try keyed { try surface.press(.delete, times: 1, into: focus, in: target) } }
        do {
            try empty(focus)
        } catch {
            // Keys may have been pressed, and a refusal says that nothing was sent.
            throw AgentFault(.exception, AgentFault.of(error).message)
        }
        return OK()
    }

    private func empty(_ focus: Focus) throws {
        guard case .element(var field) = focus else { return try deleteAll(.unknown) }
        let ways: [(Node) throws -> Void] = [
            { try self.delete($0) },
            {
                // The last point that is still inside: behind the text, wherever that ends.
                let frame = $0.frame
                let end = Point(x: frame.x + max(0, frame.width - 4), y: frame.y + max(0, frame.height - 4))
                try self.touch(end, in: self.target)
                try self.delete($0)
            },
            { try self.deleteAll(.element($0)) },
        ]
        for way in ways where length(of: field) > 0 {
            try way(field)
            guard case .element(let now) = try mustHaveFocus() else { return try deleteAll(.unknown) }
            field = now
        }
        guard length(of: field) == 0 else {
            throw AgentFault(.exception, "the field keeps its text: \(length(of: field)) characters are left")
        }
    }

    private func delete(_ field: Node) throws {
        try surface.press(.delete, times: length(of: field), into: .element(field), in: target)
    }

    private func deleteAll(_ focus: Focus) throws {
        try surface.press(.selectAll, times: 1, into: focus, in: target)
        try surface.press(.delete, times: 1, into: focus, in: target)
    }

    /// How many characters a field has. A placeholder is no text, though some fields say it as their value.
    private func length(of field: Node) -> Int { field.value == field.placeholder ? 0 : field.value.count }

    // MARK: The device

    func button(_ r: Button) throws -> any Response {
        guard let button = DeviceButton(rawValue: r.name) else {
            throw AgentFault(.badRequest, "there is no button \(JSON.quoted(r.name))")
        }
        guard try pause(r.seconds) == 0 else {
            throw AgentFault(.unsupported, "XCTest cannot hold the \(r.name) button")
        }
        try surface.press(button)
        return OK()
    }

    func rotate(_ r: Rotate) throws -> any Response {
        guard let orientation = Orientation(rawValue: r.orientation) else {
            throw AgentFault(.badRequest, "there is no orientation \(JSON.quoted(r.orientation))")
        }
        try surface.rotate(to: orientation)
        return OK()
    }
}
