extension Agent {
    /// When a swipe does not say.
    static let swipeSeconds = 0.3
    /// A finger that stays longer is a mistake.
    static let longestGesture = 3600.0
    /// A finger must rest for a moment or the system takes the drag for something else.
    static let touchDown = 0.05

    func longPress(_ r: LongPress) throws -> any Response {
        try surface.press(Point(x: Double(r.x), y: Double(r.y)), seconds: try duration(r.seconds), in: target)
        return OK()
    }

    /// Moves the finger at distance / seconds points a second. A swipe that goes nowhere is a finger that stays.
    func swipe(_ r: Swipe) throws -> any Response {
        let time = try duration(r.seconds ?? Agent.swipeSeconds)
        let from = Point(x: Double(r.startX), y: Double(r.startY))
        let to = Point(x: Double(r.endX), y: Double(r.endY))
        let way = from.distance(to: to)
        if way == 0 {
            try surface.press(from, seconds: time, in: target)
        } else {
            let move = Drag(from: from, to: to, pressSeconds: Agent.touchDown, velocity: way / time, holdSeconds: 0)
            try surface.drag(move, in: target)
        }
        return OK()
    }

    /// Refuses durations that no finger has: a swipe of zero seconds would be infinitely fast.
    private func duration(_ seconds: Double) throws -> Double {
        guard seconds > 0, seconds <= Agent.longestGesture else {  // a NaN fails too
            throw AgentFault(.badRequest, "duration of \(seconds) seconds: want more than 0 and at most 3600")
        }
        return seconds
    }
}
