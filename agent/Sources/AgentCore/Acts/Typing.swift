extension Agent {
    /// Types at the cursor of what has the focus. When nothing says that it has it but a keyboard is up, as in some web
    /// views, the app gets the text. Otherwise the text would go nowhere, and nobody would know.
    func type(_ text: String) throws -> any Response {
        try surface.type(text, into: try mustHaveFocus(), in: target)
        return OK()
    }

    func mustHaveFocus() throws -> Focus {
        let focus = try surface.focus(in: target)
        guard focus != .nothing else {
            throw AgentFault(.noFocus, "no focus: nothing has the keyboard; tap a text field first")
        }
        return focus
    }
}
