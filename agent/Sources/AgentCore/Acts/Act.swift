extension Agent {
    /// Sends an input if its app is in front and what it is aimed at is there, where it was, and within reach. Then tells
    /// what the screen shows.
    func act(_ r: Act) throws -> any Response {
        let input = try mustBeInput(r)
        let start = reads
        let view = View(
            candidates: r.app.isEmpty ? [] : [r.app], orSpringBoard: false, limits: options.limits.with(r.terms))
        var before = Glance(front: try inFront(view.candidates) ?? "", state: .unknown)
        try before.mustBe(r.app)
        // A tree is needed to aim, and to tell whether anything has changed.
        let looks = r.aim != nil || r.terms.patienceMS > 0
        if looks {
            before = try glance(view)
            try before.mustBe(r.app)
        }
        let inCover = try r.aim.map { try mustReach($0, in: before) } ?? false
        // Where nobody knows the app in front, SpringBoard has the whole screen.
        let bundle = inCover || before.front.isEmpty ? Agent.springboard : before.front
        try carryOut(input, on: bundle, fresh: inCover ? nil : before.root)
        announce()
        var sight = try settle(view, r.terms, unlike: looks ? before.digest : "")
        sight.samples = reads - start
        return sight
    }

    /// Refuses an aim that a finger would miss. Returns whether it is in what lies over the app.
    private func mustReach(_ aim: Aim, in seen: Glance) throws -> Bool {
        // One tree, so that what lies over the app keeps fingers from it.
        let all = Node("Other", frame: seen.roots.first?.frame ?? .zero, children: seen.roots)
        guard let path = all.path(after: Int(aim.rank), where: aim.matches), let node = path.last else {
            throw AgentFault(.stale, "\(aim) is not there any more")
        }
        guard node.frame.isNear(aim.frame) else {
            throw AgentFault(.unstable, "\(aim) has moved from \(aim.frame) to \(node.frame)")
        }
        let inCover = !seen.cover.isEmpty && path[1] == seen.roots.last
        var reach = Hit.reach(path, at: aim.at)
        if reach == .covered, seen.cover.isEmpty, let place = seen.root?.place(of: node) {
            // The platform knows the order of drawing.
            reach = try surface.isHittable(place, in: seen.front) ? .reached : .covered
        }
        guard reach == .reached else {
            throw AgentFault(.notHittable, "a finger at \(aim.at.x), \(aim.at.y) does not reach \(aim)")
        }
        return inCover
    }

    private func mustBeInput(_ r: Act) throws -> any Input {
        do {
            return try r.inner()
        } catch {
            throw AgentFault(.badRequest, "the input: \(AgentFault.of(error).message)")
        }
    }
}

extension Glance {
    /// Refuses an app that is not in front.
    func mustBe(_ app: String) throws {
        guard app.isEmpty || front == app else { throw AgentFault(.notInFront, front) }
    }
}

extension Aim: CustomStringConvertible {
    func matches(_ node: Node) -> Bool {
        func same(_ a: String, _ b: String) -> Bool { a.unicodeScalars.elementsEqual(b.unicodeScalars) }
        return type == node.type && same(identifier, node.identifier) && same(label, node.label)
    }

    public var description: String {
        "\(type) \(rank) with identifier \(JSON.quoted(identifier)) and label \(JSON.quoted(label))"
    }
}

extension Rect {
    /// Differs by a point at most.
    func isNear(_ other: Rect) -> Bool {
        [x - other.x, y - other.y, width - other.width, height - other.height].allSatisfy { abs($0) <= 1 }
    }
}
