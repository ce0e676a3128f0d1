extension Agent {
    /// Types at the cursor of what has the focus.
    func type(_ text: String) throws -> any Response {
        let focus = try mustHaveFocus()
        try keyed { try surface.type(text, into: focus, in: target) }
        return OK()
    }

    func mustHaveFocus() throws -> Focus {
        let focus = try isBehind(target) ? .nothing : surface.focus(in: target)
        guard focus != .nothing else { throw Agent.noFocus }
        return focus
    }

    private static let noFocus = AgentFault(.noFocus, "no focus: nothing has the keyboard; tap a text field first")

    /// Presses keys. Where the focus is not known, XCTest says that nothing has it, before it presses any.
    func keyed(_ press: () throws -> Void) throws {
        do {
            try press()
        } catch let fault as AgentFault where fault.code == .exception && fault.message.contains("has keyboard focus") {
            throw Agent.noFocus
        }
    }
}
