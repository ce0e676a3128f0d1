extension Agent {
    /// A point of the screen, from the origin of the app that it is sent through. On an iPad an app may have but a part of
    /// the screen.
    func local(_ point: Point, in bundle: String) throws -> Point {
        if bundle == target, let fresh { return point - fresh.frame.origin }
        return point - (try surface.origin(of: bundle))
    }

    func touch(_ point: Point, in bundle: String) throws {
        try surface.tap(try local(point, in: bundle), in: bundle)
    }

    func tap(_ point: Point) throws -> any Response {
        try touch(point, in: try front())
        return OK()
    }

    func doubleTap(_ point: Point) throws -> any Response {
        let app = try front()
        try surface.doubleTap(try local(point, in: app), in: app)
        return OK()
    }

    func tapWithType(_ r: TapWithType) throws -> any Response {
        guard ElementType.number(of: r.type) != nil else {
            throw AgentFault(.badRequest, "unknown element type \(JSON.quoted(r.type))")
        }
        return try tap(Query(r.selector, byLabel: r.byLabel, type: r.type), wait: seconds(r.timeoutMS))
    }

    /// Taps an element, by coordinates, behind four layers of defence. Nothing waits for the app to be idle, so an
    /// element is there and hittable while it still slides in, and a tap on where it was would hit something else:
    /// 1. its frame must be the same in two polls in a row;
    /// 2. then it is looked up once more, afresh;
    /// 3. and must still be where it was: an easing curve has plateaus;
    /// 4. the tap goes to the centre of that last frame, as a coordinate.
    /// Without a wait the first three do not apply: one look cannot tell whether anything moves.
    func tap(_ query: Query, wait: Double) throws -> any Response {
        var still = Stillness()
        try pollUntilFound(wait: wait) {
            var found = try hittable(query)
            if wait > 0 {
                try still.mustHold(found.frame, query)
                found = try hittable(query)
                try still.mustHold(found.frame, query)
            }
            // Only now is SpringBoard asked, once, and not at every look.
            guard try reaches(found) else { throw AgentFault(.notHittable, "element \(query) is under an alert") }
            try touch(found.frame.centre, in: found.inSystemAlert ? Agent.springboard : target)
        }
        return OK()
    }

    /// An element that nothing of its own app keeps a finger from.
    private func hittable(_ query: Query) throws -> Sighting {
        if try isBehind(target) { throw AgentFault(.notHittable, "app \(target) is not in front") }
        let found = try locate(query)
        guard found.hittable else { throw AgentFault(.notHittable, "element \(query) is not hittable") }
        return found
    }
}

/// What is known about an element's motion: its last frame, and how often in a row it was seen there.
struct Stillness {
    private var frame: Rect?
    private var seen = 0

    /// Takes one more look into account; throws while the element may be moving. What has no frame cannot be judged.
    mutating func mustHold(_ now: Rect, _ query: Query) throws {
        guard now != .zero else { return }
        seen = now == frame ? seen + 1 : 1
        frame = now
        guard seen >= 2 else { throw AgentFault(.unstable, "element \(query) is unstable: it is moving") }
    }
}
