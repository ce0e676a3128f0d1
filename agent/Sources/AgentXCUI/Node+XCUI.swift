import Foundation
import XCTest

extension Node {
    /// A snapshot of XCUITest, with all below it.
    @MainActor
    init(_ snapshot: any XCUIElementSnapshot) {
        self.init(
            ElementType.name(of: snapshot.elementType.rawValue), identifier: snapshot.identifier,
            label: snapshot.label, value: elementValue(snapshot.value), placeholder: snapshot.placeholderValue ?? "",
            frame: Rect(snapshot.frame), children: snapshot.children.map { Node($0) })
        enabled = snapshot.isEnabled
        selected = snapshot.isSelected
    }

    /// Whether there is something of this type in it.
    func contains(_ type: String) -> Bool { self.type == type || children.contains { $0.contains(type) } }

    /// Marks what has the keyboard: snapshots do not say it.
    mutating func markFocused(_ other: Node) {
        if type == other.type, identifier == other.identifier, frame == other.frame {
            focused = true
            return
        }
        for i in children.indices { children[i].markFocused(other) }
    }
}

extension Rect {
    init(_ frame: CGRect) {
        self.init(
            x: Double(frame.origin.x), y: Double(frame.origin.y), width: Double(frame.size.width),
            height: Double(frame.size.height))
    }
}

extension AppState {
    init(_ state: XCUIApplication.State) {
        switch state {
        case .notRunning: self = .notRunning
        case .runningBackgroundSuspended: self = .suspended
        case .runningBackground: self = .runningBackground
        case .runningForeground: self = .runningForeground
        default: self = .unknown
        }
    }
}
