import Foundation
import UIKit
import XCTest

/// Apple's UI testing as a surface. Every call comes on the main thread.
final class XCUISurface: Surface {
    private let privateAPI: Bool
    private var apps: [String: XCUIApplication] = [:]
    private var issues: [String] = []
    /// What this XCTest does not have.
    private var missing: Set<PrivateKey> = []

    init(privateAPI: Bool) { self.privateAPI = privateAPI }

    /// XCTest failed at something, and goes on as if it had not.
    func note(_ issue: String) { issues.append(issue) }

    /// Does something with XCUITest. What it throws in Objective-C, and what it merely reports, come out as an error.
    func attempt<T>(_ body: @MainActor () throws -> T) throws -> T {
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
        if privateAPI {
            if !PrivateKey.currentInteractionOptions.set(app, 3) { lacks(.currentInteractionOptions) }
            if !PrivateKey.doesNotHandleUIInterruptions.set(app, 1) { lacks(.doesNotHandleUIInterruptions) }
            if !PrivateKey.hasKeyboardFocus.has(app) { lacks(.hasKeyboardFocus) }
        }
        apps[bundle] = app
        return app
    }

    private func lacks(_ key: PrivateKey) {
        guard missing.insert(key).inserted else { return }
        print("ios-agent: this XCTest has no \(key.rawValue); \(key.without)")
    }

    /// Whether elements say that they have the keyboard.
    private var knowsFocus: Bool { privateAPI && !missing.contains(.hasKeyboardFocus) }

    @MainActor
    private func node(_ snapshot: any XCUIElementSnapshot) -> Node { Node(snapshot, focus: knowsFocus) }

    /// The app, if it has a screen to look at. XCTest waits for an app that is behind another, three times for 30 seconds.
    @MainActor
    private func running(_ bundle: String) throws -> XCUIApplication {
        let app = app(bundle)
        let needed: [XCUIApplication.State] =
            bundle == Agent.springboard
            ? [.runningForeground, .runningBackground, .runningBackgroundSuspended] : [.runningForeground]
        guard needed.contains(app.state) else {
            throw AgentFault(.appNotRunning, "app \(bundle) is not running in front")
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
        try reading {
            guard let app = try? self.running(bundle) else { return nil }
            return self.node(try app.snapshot())
        }
    }

    func subtree(at way: [Int], in bundle: String) throws -> Node? {
        try reading {
            let element = self.element(at: way, in: try self.running(bundle))
            return element.exists ? self.node(try element.snapshot()) : nil
        }
    }

    func outline(at way: [Int], in bundle: String) throws -> (node: Node, children: Int)? {
        try attempt {
            let element = self.element(at: way, in: try self.running(bundle))
            guard element.exists else { return nil }
            return (Node(container: element), element.children(matching: .any).count)
        }
    }

    /// XCTest cannot read more than some 60 levels at once, and calls it an illegal argument of the accessibility.
    private func reading(_ body: @MainActor () throws -> Node?) throws -> Node? {
        do {
            return try attempt(body)
        } catch let error where String(describing: error).contains("kAXErrorIllegalArgument") {
            throw TooDeep()
        }
    }

    @MainActor
    private func element(at way: [Int], in app: XCUIApplication) -> XCUIElement {
        way.reduce(app) { $0.children(matching: .any).element(boundBy: $1) }
    }

    /// Behind another app the icons are still there, out of reach. The dock's come last, and are on every page.
    func showsHomeScreen() throws -> Bool {
        try attempt {
            let board = self.app(Agent.springboard)
            guard board.state == .runningForeground else { return false }
            let count = board.icons.count
            return [count - 1, 0].contains { $0 >= 0 && board.icons.element(boundBy: $0).isHittable }
        }
    }

    /// What SpringBoard calls a notification, and what it shows over an app for a while: WebDriverAgent looks for the same.
    private static let banners = ["NotificationShortLookView", "SBTransientOverlayWindow"]

    func hasCover() throws -> Bool {
        let alert = XCUIElement.ElementType.alert.rawValue
        return try attempt {
            self.overlays("elementType == %@ OR identifier IN %@", [alert, XCUISurface.banners]).exists
        }
    }

    func banner() throws -> Node? {
        try attempt {
            let banner = self.overlays("identifier IN %@", [XCUISurface.banners])
            return banner.exists ? (try? banner.snapshot()).map { self.node($0) } : nil
        }
    }

    @MainActor
    private func overlays(_ format: String, _ arguments: [Any]) -> XCUIElement {
        app(Agent.springboard).descendants(matching: .any)
            .matching(NSPredicate(format: format, argumentArray: arguments)).firstMatch
    }

    func find(_ query: Query, in bundle: String) throws -> Sighting? {
        try attempt {
            let element = self.element(query, in: try self.running(bundle))
            // An element can go between two questions; then it is not there, which is no exception.
            guard element.exists, let seen = try? element.snapshot() else { return nil }
            let hittable = element.isHittable
            let node = self.node(seen)
            return Sighting(frame: node.frame, hittable: hittable) { node }
        }
    }

    func isHittable(_ place: Place, in bundle: String) throws -> Bool {
        try attempt { self.element(place, in: try self.running(bundle)).isHittable }
    }

    func hasAlert(in bundle: String) throws -> Bool { try attempt { self.app(bundle).alerts.firstMatch.exists } }

    func alerts(of bundle: String) throws -> [Node] {
        try attempt {
            guard let app = try? self.running(bundle) else { return [] }
            // An alert lies over a sheet.
            return [app.sheets, app.alerts].flatMap { $0.allElementsBoundByIndex }
                .compactMap { try? $0.snapshot() }.map { self.node($0) }
        }
    }

    func screenshot() throws -> [UInt8] { try attempt { Array(XCUIScreen.main.screenshot().pngRepresentation) } }

    @MainActor
    private func element(_ query: Query, in app: XCUIApplication) -> XCUIElement {
        let exact = NSPredicate(format: query.byLabel ? "label == %@" : "identifier == %@", argumentArray: [query.base])
        let matches = app.descendants(matching: elementType(query.type)).matching(exact)
        // firstMatch stops at the first; by its number, an element is looked for among all.
        return query.index == 0 ? matches.firstMatch : matches.element(boundBy: min(query.index, 1_000_000))
    }

    @MainActor
    private func elementType(_ name: String?) -> XCUIElement.ElementType {
        name.flatMap(ElementType.number(of:)).flatMap(XCUIElement.ElementType.init) ?? .any
    }

    /// What has the keyboard.
    @MainActor
    private func focusedElement(in app: XCUIApplication) -> XCUIElement? {
        guard knowsFocus else { return nil }
        let focus = NSPredicate(format: "\(PrivateKey.hasKeyboardFocus.rawValue) == true", argumentArray: nil)
        let element = app.descendants(matching: .any).matching(focus).firstMatch
        return element.exists ? element : nil
    }

    // MARK: Touching

    /// Only on an iPad do apps share the screen. SpringBoard has all of it.
    func origin(of bundle: String) throws -> Point {
        try attempt {
            guard bundle != Agent.springboard, UIDevice.current.userInterfaceIdiom == .pad else { return .zero }
            return Rect(try self.running(bundle).frame).origin
        }
    }

    /// Coordinates only: XCUIElement.tap() waits for idleness by a way of its own, for ever if something spins.
    @MainActor
    private func coordinate(_ point: Point, in bundle: String) -> XCUICoordinate {
        app(bundle).coordinate(withNormalizedOffset: CGVector(dx: 0, dy: 0))
            .withOffset(CGVector(dx: point.x, dy: point.y))
    }

    func tap(_ point: Point, in bundle: String) throws {
        try attempt { self.coordinate(point, in: bundle).tap() }
    }

    func doubleTap(_ point: Point, in bundle: String) throws {
        try attempt { self.coordinate(point, in: bundle).doubleTap() }
    }

    func press(_ point: Point, seconds: Double, in bundle: String) throws {
        try attempt { self.coordinate(point, in: bundle).press(forDuration: seconds) }
    }

    func drag(_ way: Carry, in bundle: String) throws {
        try attempt {
            self.coordinate(way.from, in: bundle).press(
                forDuration: way.pressSeconds, thenDragTo: self.coordinate(way.to, in: bundle),
                withVelocity: way.velocity == 0 ? .default : XCUIGestureVelocity(CGFloat(way.velocity)),
                thenHoldForDuration: way.holdSeconds)
        }
    }

    func pinch(_ place: Place?, scale: Double, velocity: Double, in bundle: String) throws {
        try attempt {
            let app = try self.running(bundle)
            let element = place.map { self.element($0, in: app) } ?? app
            element.pinch(withScale: CGFloat(scale), velocity: CGFloat(velocity))
        }
    }

    func adjust(_ place: Place, slider position: Double, in bundle: String) throws {
        try attempt {
            self.element(place, in: try self.running(bundle)).adjust(toNormalizedSliderPosition: CGFloat(position))
        }
    }

    func adjust(_ place: Place, wheel row: String, in bundle: String) throws {
        try attempt { self.element(place, in: try self.running(bundle)).adjust(toPickerWheelValue: row) }
    }

    /// A snapshot and a query have the same elements in the same order.
    @MainActor
    private func element(_ place: Place, in app: XCUIApplication) -> XCUIElement {
        app.descendants(matching: elementType(place.type)).element(boundBy: place.index)
    }

    // MARK: Typing

    func focus(in bundle: String) throws -> Focus {
        try attempt {
            let app = try self.running(bundle)
            guard self.knowsFocus else { return .unknown }
            if let seen = try? self.focusedElement(in: app)?.snapshot() { return .element(self.node(seen)) }
            return app.keyboards.firstMatch.exists ? .unknown : .nothing
        }
    }

    func type(_ text: String, into focus: Focus, in bundle: String) throws {
        try attempt { try self.typist(focus, in: bundle).typeText(text) }
    }

    /// What is typed into: the element with the focus, else the app, which hands the keys on.
    @MainActor
    private func typist(_ focus: Focus, in bundle: String) throws -> XCUIElement {
        let app = try running(bundle)
        if case .element = focus, let element = focusedElement(in: app) { return element }
        return app
    }

    /// Keys that are text are typed as text, in one event however often. The others, and all with modifiers, are keys of a
    /// hardware keyboard.
    func press(_ stroke: Stroke, times: Int, into focus: Focus, in bundle: String) throws {
        let text = XCUISurface.text(of: stroke.cap)
        if stroke.isText {
            return try type(String(repeating: text, count: times), into: focus, in: bundle)
        }
        try attempt {
            let typist = try self.typist(focus, in: bundle)
            for _ in 0..<times { typist.typeKey(text, modifierFlags: XCUIElement.KeyModifierFlags(stroke.modifiers)) }
        }
    }
}
