import XCTest

extension XCUISurface {
    /// The character that XCTest takes for a key.
    static func text(of cap: Stroke.Cap) -> String {
        switch cap {
        case .character(let text): return text
        case .named(let name): return key(name).rawValue
        }
    }

    private static func key(_ name: KeyName) -> XCUIKeyboardKey {
        switch name {
        case .enter: return .return
        case .delete: return .delete
        case .forwardDelete: return .forwardDelete
        case .tab: return .tab
        case .space: return .space
        case .escape: return .escape
        case .up: return .upArrow
        case .down: return .downArrow
        case .left: return .leftArrow
        case .right: return .rightArrow
        case .home: return .home
        case .end: return .end
        case .pageUp: return .pageUp
        case .pageDown: return .pageDown
        }
    }
}

extension XCUIElement.KeyModifierFlags {
    init(_ modifiers: Modifiers) {
        self = []
        let all: [(Modifiers, XCUIElement.KeyModifierFlags)] = [
            (.shift, .shift), (.control, .control), (.option, .option), (.command, .command),
        ]
        for (ours, theirs) in all where modifiers.contains(ours) { insert(theirs) }
    }
}
