extension Agent {
    static let pollEvery = 0.05

    /// Tries until it succeeds, fails for good, or the wait is over; then the reason of the last try stands: not a mere
    /// "not found". Without a wait it tries once. What the platform threw is never tried again.
    func pollUntilFound<T>(wait: Double, _ attempt: () throws -> T) throws -> T {
        let deadline = clock.now + wait
        while true {
            do {
                return try attempt()
            } catch let fault as AgentFault where fault.isPassing && clock.now < deadline && !isAbandoned() {
                clock.sleep(Agent.pollEvery)
            }
        }
    }

    /// The element, in the target or in an alert that the system shows over it, or a fault that says it is not there.
    func locate(_ query: Query) throws -> Sighting {
        try mustNotBeBehind(target)
        if let found = try surface.find(query, in: target) { return found }
        if let alert = try systemAlert(), let found = try find(query, in: alert) { return found }
        throw AgentFault(.notFound, "element \(query) not found")
    }

    private func find(_ query: Query, in alert: Node) throws -> Sighting? {
        let root = try query.index == 0 ? nil : tree(of: target)
        let rest = root.map { query.behind($0) } ?? query
        guard let node = rest?.find(in: Node("Application", children: [alert]))?.last else { return nil }
        var found = Sighting(frame: node.frame, hittable: true) { node }
        found.inSystemAlert = true
        return found
    }

    /// Whether a finger would reach it, with whatever the system shows over the target.
    func reaches(_ found: Sighting) throws -> Bool {
        guard found.hittable else { return false }
        return try found.inSystemAlert || !systemAsks()
    }
}
