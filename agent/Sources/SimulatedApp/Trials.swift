import AgentCore

/// What the Conformance app has to try the inputs that version 1 does not have on: a slider, a wheel, something to carry and somewhere to
/// drop it, an area for two taps or fingers, and questions of the system.
struct Trials {
    private static let colours = ["Red", "Orange", "Yellow", "Green", "Blue", "Violet"]
    /// How long a finger must rest on something before it can be carried away.
    private static let lift = 0.5

    private var volume = 50
    private var colour = "Green"
    private var basket = "empty"
    private var dropped = 0
    private var doubles = 0
    private var pinches = 0
    private var zoom = 1.0
    private var answer = "none"
    /// What the system asks on behalf of the app.
    private(set) var asked: Question?

    struct Question {
        let title, reason: String
        /// Each with the answer it is.
        let buttons: [(label: String, means: String)]
    }

    // MARK: What is shown

    func slider(_ s: inout Screen) {
        s.add("Slider", "controls-slider-volume", label: "Volume", value: "\(volume)%")
        s.add("StaticText", "controls-slider-value", label: "Volume: \(volume)")
    }

    func wheel(_ s: inout Screen) {
        s.add("Picker", "extras-wheel", label: "Colour", height: 160) {
            [Node("PickerWheel", label: "Colour", value: colour, frame: $0)]
        }
        s.add("StaticText", "extras-wheel-value", label: "Colour: \(colour)")
    }

    func moving(_ s: inout Screen) {
        s.add("StaticText", "drag-lemon", label: "Lemon")
        s.add("Other", "drop-basket", label: "Basket", height: 80) {
            [Node("StaticText", label: "Basket: \(basket)", frame: $0)]
        }
        s.add("StaticText", "drop-count", label: "Dropped: \(dropped)")
        s.add("Other", "gesture-pinch-area", label: "Double tap or pinch", height: 90)
        let scale = zoom == zoom.rounded() ? "\(Int(zoom))" : "\(zoom)"
        s.add(
            "StaticText", "gesture-pinch-status", label: "Doubles: \(doubles), pinches: \(pinches), scale \(scale)")
    }

    func permissions(_ s: inout Screen) {
        s.add("StaticText", "permissions-answer", label: "Last answer: \(answer)")
        s.add("Button", "permissions-location", label: "Ask for location")
        s.add("Button", "permissions-notifications", label: "Ask for notifications")
    }

    /// SpringBoard's alert.
    var question: Node? {
        asked.map { Dialog.node("Alert", title: $0.title, text: $0.reason, buttons: $0.buttons.map(\.label)) }
    }

    // MARK: What hands do

    mutating func tapped(_ identifier: String) {
        switch identifier {
        case "permissions-location":
            asked = Question(
                title: "Allow “Conformance” to use your location?", reason: "To test location.",
                buttons: [("Allow Once", "once"), ("Allow While Using App", "granted"), ("Don’t Allow", "denied")])
        case "permissions-notifications":
            asked = Question(
                title: "“Conformance” Would Like to Send You Notifications", reason: "To test notifications.",
                buttons: [("Don’t Allow", "denied"), ("Allow", "granted")])
        default: break
        }
    }

    /// Someone pressed a button of the system's alert.
    mutating func answered(_ label: String) {
        guard let button = asked?.buttons.first(where: { $0.label == label }) else { return }
        (answer, asked) = (button.means, nil)
    }

    mutating func doubleTapped(_ path: [Node]) {
        if path.last?.identifier == "gesture-pinch-area" { doubles += 1 }
    }

    mutating func pinched(_ path: [Node], scale: Double) {
        if path.contains(where: { $0.identifier == "gesture-pinch-area" }) { (pinches, zoom) = (pinches + 1, scale) }
    }

    /// Something was carried from here to there. Returns whether there was something to carry.
    mutating func carried(_ from: [Node], to: [Node], after rest: Double) -> Bool {
        guard rest >= Trials.lift, from.last?.identifier == "drag-lemon" else { return false }
        if to.contains(where: { $0.identifier == "drop-basket" }) { (basket, dropped) = ("Lemon", dropped + 1) }
        return true
    }

    mutating func moved(slider: Node, to position: Double) { volume = Int((position * 100).rounded()) }

    /// A wheel turns as far as it goes. As XCTest does, it says so when the row never came.
    mutating func turned(wheel: Node, to row: String) throws {
        guard Trials.colours.contains(row) else {
            throw AgentFault(.exception, "Failed to adjust to picker wheel value \(row)")
        }
        colour = row
    }
}
