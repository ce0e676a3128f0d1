import Foundation
import XCTest

/// Apple's UI testing as a surface. Every call comes on the main thread.
final class XCUISurface: Surface {
    private let privateAPI: Bool
    private var apps: [String: XCUIApplication] = [:]
    private var issues: [String] = []

    init(privateAPI: Bool) { self.privateAPI = privateAPI }

    /// XCTest failed at something, and goes on as if it had not.
    func note(_ issue: String) { issues.append(issue) }

    /// Does something with XCUITest. What it throws in Objective-C, and what it merely reports, come out as an error.
    private func attempt<T>(_ body: @MainActor () throws -> T) throws -> T {
        issues = []
        var result: Result<T, Error>?
        let thrown = IosAgentCatch {
            MainActor.assumeIsolated { result = Result { try body() } }
        }
        if let thrown {
            defer { free(thrown) }
            throw AgentFault(.exception, String(cString: thrown))
        }
        let value = try result!.get()  // set, for nothing was thrown
        if let issue = issues.first { throw AgentFault(.exception, issue) }
        return value
    }

    /// A handle of an app; it need not run. Each has its own setting of whether to wait for idleness.
    @MainActor
    private func app(_ bundle: String) -> XCUIApplication {
        if let known = apps[bundle] { return known }
        let app = XCUIApplication(bundleIdentifier: bundle)
        if privateAPI, !IosAgentSkipQuiescence(Unmanaged.passUnretained(app).toOpaque()) {
            print("ios-agent: this XCTest has no currentInteractionOptions; events wait until the app is idle")
        }
        apps[bundle] = app
        return app
    }

    /// The app, if it has a screen to look at.
    @MainActor
    private func running(_ bundle: String) throws -> XCUIApplication {
        let app = app(bundle)
        guard app.state != .notRunning, app.state != .unknown else {
            throw AgentFault(.appNotRunning, "app \(bundle) is not running")
        }
        return app
    }

    // MARK: Looking

    func state(of bundle: String) throws -> AppState { try attempt { AppState(self.app(bundle).state) } }

    func details(of bundle: String) throws -> AppDetails {
        // Version and build have no public source; they stay empty.
        try attempt {
            let app = self.app(bundle)
            return AppDetails(displayName: app.state == .runningForeground ? app.label : "")
        }
    }

    func snapshot(of bundle: String) throws -> Node? {
        try attempt {
            guard let app = try? self.running(bundle) else { return nil }
            var root = Node(try app.snapshot())
            if root.contains("Keyboard"), let focused = self.focused(in: app) { root.markFocused(focused) }
            return root
        }
    }

    func find(_ query: Query, in bundle: String) throws -> Sighting? {
        try attempt {
            let element = self.element(query, in: try self.running(bundle))
            // An element can go between two questions; then it is not there, which is no exception.
            guard element.exists, let seen = try? element.snapshot() else { return nil }
            let hittable = element.isHittable
            var node = Node(seen)
            if let focused = self.focused(in: self.app(bundle)) { node.markFocused(focused) }
            return Sighting(frame: node.frame, hittable: hittable) { node }
        }
    }

    func alerts(of bundle: String) throws -> [Node] {
        try attempt {
            guard let app = try? self.running(bundle), app.alerts.count > 0 else { return [] }
            return app.alerts.allElementsBoundByIndex.compactMap { try? $0.snapshot() }.map { Node($0) }
        }
    }

    func screenshot() throws -> [UInt8] { try attempt { Array(XCUIScreen.main.screenshot().pngRepresentation) } }

    @MainActor
    private func element(_ query: Query, in app: XCUIApplication) -> XCUIElement {
        let type = query.type.flatMap(ElementType.number(of:)).flatMap(XCUIElement.ElementType.init) ?? .any
        let exact = NSPredicate(format: query.byLabel ? "label == %@" : "identifier == %@", argumentArray: [query.base])
        let matches = app.descendants(matching: type).matching(exact)
        // firstMatch stops at the first; by its number, an element is looked for among all.
        return query.index == 0 ? matches.firstMatch : matches.element(boundBy: min(query.index, 1_000_000))
    }

    /// What has the keyboard. The attribute is not documented, so that it may be missing, or not to be used.
    @MainActor
    private func focusedElement(in app: XCUIApplication) -> XCUIElement? {
        guard privateAPI else { return nil }
        let focus = NSPredicate(format: "hasKeyboardFocus == true", argumentArray: nil)
        let element = app.descendants(matching: .any).matching(focus).firstMatch
        return element.exists ? element : nil
    }

    @MainActor
    private func focused(in app: XCUIApplication) -> Node? {
        focusedElement(in: app).flatMap { try? $0.snapshot() }.map { Node($0) }
    }

    // MARK: Touching

    /// Coordinates only: XCUIElement.tap() waits for idleness by a way of its own, for ever if something spins.
    @MainActor
    private func coordinate(_ point: Point, in bundle: String) -> XCUICoordinate {
        app(bundle).coordinate(withNormalizedOffset: CGVector(dx: 0, dy: 0))
            .withOffset(CGVector(dx: point.x, dy: point.y))
    }

    func tap(_ point: Point, in bundle: String) throws {
        try attempt { self.coordinate(point, in: bundle).tap() }
    }

    func press(_ point: Point, seconds: Double, in bundle: String) throws {
        try attempt { self.coordinate(point, in: bundle).press(forDuration: seconds) }
    }

    func drag(_ move: Drag, in bundle: String) throws {
        try attempt {
            self.coordinate(move.from, in: bundle).press(
                forDuration: move.pressSeconds, thenDragTo: self.coordinate(move.to, in: bundle),
                withVelocity: XCUIGestureVelocity(CGFloat(move.velocity)), thenHoldForDuration: move.holdSeconds)
        }
    }

    func pinch(_ query: Query?, scale: Double, velocity: Double, in bundle: String) throws {
        try attempt {
            let app = try self.running(bundle)
            let element = query.map { self.element($0, in: app) } ?? app
            element.pinch(withScale: CGFloat(scale), velocity: CGFloat(velocity))
        }
    }

    func adjust(_ query: Query, slider position: Double, in bundle: String) throws {
        try attempt {
            self.element(query, in: try self.running(bundle)).adjust(toNormalizedSliderPosition: CGFloat(position))
        }
    }

    func adjust(_ query: Query, wheel value: String, in bundle: String) throws {
        try attempt { self.element(query, in: try self.running(bundle)).adjust(toPickerWheelValue: value) }
    }

    // MARK: Typing

    func focus(in bundle: String) throws -> Focus {
        try attempt {
            let app = try self.running(bundle)
            if let node = self.focused(in: app) { return .element(node) }
            return app.keyboards.firstMatch.exists ? .keyboard : .nothing
        }
    }

    func type(_ text: String, into focus: Focus, in bundle: String) throws {
        try attempt {
            let app = try self.running(bundle)
            if case .element = focus, let element = self.focusedElement(in: app) {
                element.typeText(text)
            } else {
                app.typeText(text)
            }
        }
    }

    func key(_ key: Key, into focus: Focus, in bundle: String) throws {
        let keys: [Key: XCUIKeyboardKey] = [
            .enter: .return, .delete: .delete, .tab: .tab, .space: .space, .escape: .escape,
        ]
        if let text = keys[key] {
            try type(text.rawValue, into: focus, in: bundle)
        } else {
            try attempt { XCUIDevice.shared.press(.home) }
        }
    }
}
