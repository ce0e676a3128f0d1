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

    /// The element, or a fault that says it is not there.
    func locate(_ query: Query) throws -> Sighting {
        guard let found = try surface.find(query, in: target) else {
            throw AgentFault(.notFound, "element \(query) not found")
        }
        return found
    }
}
