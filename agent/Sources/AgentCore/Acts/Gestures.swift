extension Agent {
    /// When a swipe does not say.
    static let swipeSeconds = 0.3
    /// A finger that stays longer is a mistake.
    static let longestGesture = 3600.0
    /// A finger must rest for a moment or the system takes the drag for something else.
    static let touchDown = 0.05

    func longPress(_ r: LongPress) throws -> any Response {
        try hold(Point(x: Double(r.x), y: Double(r.y)), try duration(r.seconds))
        return OK()
    }

    /// Moves the finger at distance / seconds points a second. A swipe that goes nowhere is a finger that stays.
    func swipe(_ r: Swipe) throws -> any Response {
        let time = try duration(r.seconds ?? Agent.swipeSeconds)
        let from = Point(x: Double(r.startX), y: Double(r.startY))
        let to = Point(x: Double(r.endX), y: Double(r.endY))
        let way = from.distance(to: to)
        if way == 0 {
            try hold(from, time)
        } else {
            let move = Carry(from: from, to: to, pressSeconds: Agent.touchDown, velocity: way / time, holdSeconds: 0)
            try carry(move)
        }
        return OK()
    }

    /// Rests a finger somewhere, draws it elsewhere, and lets it rest again. One that goes nowhere is a finger that stays.
    func drag(_ r: Drag) throws -> any Response {
        let rest = try pause(r.pressSeconds) + pause(r.holdSeconds)
        guard r.velocity >= 0, r.moveSeconds <= Agent.longestGesture else {  // a NaN fails too
            throw AgentFault(.badRequest, "a velocity of \(r.velocity) points a second")
        }
        if r.from == r.to {
            try hold(r.from, max(rest, Agent.touchDown))
            return OK()
        }
        let way = Carry(
            from: r.from, to: r.to, pressSeconds: max(r.pressSeconds, Agent.touchDown), velocity: r.velocity,
            holdSeconds: r.holdSeconds)
        try carry(way)
        return OK()
    }

    private func hold(_ point: Point, _ seconds: Double) throws {
        let app = try front()
        try surface.press(try local(point, in: app), seconds: seconds, in: app)
    }

    private func carry(_ way: Carry) throws {
        let app = try front()
        var moved = way
        (moved.from, moved.to) = (try local(way.from, in: app), try local(way.to, in: app))
        try surface.drag(moved, in: app)
    }

    /// Pinches the innermost element at the point that has room for two fingers: XCTest pinches elements, not points.
    /// It wants a velocity of the scale's direction, and throws otherwise.
    func pinch(_ r: Pinch) throws -> any Response {
        guard r.scale > 0, r.scale.isFinite, r.scale != 1, r.velocity >= 0, r.velocity.isFinite else {
            throw AgentFault(.badRequest, "a pinch to \(r.scale) at \(r.velocity) a second")
        }
        let size = r.velocity > 0 ? r.velocity : abs(r.scale - 1) / Agent.pinchSeconds
        let place = try targetRoot().element(at: Point(x: Double(r.x), y: Double(r.y))) {
            min($0.frame.width, $0.frame.height) >= Agent.twoFingers && ElementType.number(of: $0.type) != nil
        }?.place
        try surface.pinch(place, scale: r.scale, velocity: r.scale < 1 ? -size : size, in: target)
        return OK()
    }

    /// How long two fingers take when nobody says.
    static let pinchSeconds = 0.5
    /// The least side, in points, of what two fingers fit on.
    static let twoFingers = 44.0

    /// A rest of a finger, which may be none.
    func pause(_ seconds: Double) throws -> Double {
        guard seconds >= 0, seconds <= Agent.longestGesture else {
            throw AgentFault(.badRequest, "\(seconds) seconds: want from 0 to 3600")
        }
        return seconds
    }

    /// Refuses durations that no finger has: a swipe of zero seconds would be infinitely fast.
    private func duration(_ seconds: Double) throws -> Double {
        guard seconds > 0, seconds <= Agent.longestGesture else {  // a NaN fails too
            throw AgentFault(.badRequest, "duration of \(seconds) seconds: want more than 0 and at most 3600")
        }
        return seconds
    }
}
