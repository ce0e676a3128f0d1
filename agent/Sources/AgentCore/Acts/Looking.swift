extension Agent {
    /// The element's value or, when it has none, its label.
    func getValue(_ r: GetValue) throws -> any Response {
        let query = Query.lenient(r.selector, byLabel: r.byLabel, type: r.type)
        let node = try pollUntilFound(wait: seconds(r.timeoutMS)) { try locate(query).node() }
        return Value([node.value, node.label].first { !$0.isEmpty })
    }

    /// Answers null where there is no such element, be it because the app is not running.
    func findElement(_ r: FindElement) throws -> any Response {
        let query = Query.lenient(r.selector, byLabel: r.byLabel, type: r.type)
        do {
            let found = try locate(query)
            let (node, left) = Trimmer.element(try found.node(), options.limits)
            return Found(json: JSON.element(node, hittable: try reaches(found)), truncated: left)
        } catch let fault as AgentFault where fault.isPassing {
            return Found(json: JSON.element(nil), truncated: 0)
        }
    }

    func dumpTree() throws -> any Response {
        let root = try mustSee(target)
        let (roots, left) = Trimmer.trees(try [root] + systemRoot(over: root), options.limits)
        return TreeResponse(json: JSON.tree(roots), truncated: left)
    }

    func targetInfo() throws -> any Response {
        let details = try surface.details(of: target)
        let state = try surface.state(of: target)
        return TargetInfo(
            json: JSON.object([
                "bundle_id": target, "display_name": details.displayName, "version": details.version,
                "build": details.build, "state": state.rawValue,
            ]))
    }

    /// Looks until two looks `stable` apart agree and `min` has passed, or until `max`. An app that is not running is an
    /// observation, not a failure.
    func observe(_ r: Observe) throws -> any Response {
        let (stable, least, most) = (Double(r.stableMS) / 1000, Double(r.minMS) / 1000, Double(r.maxMS) / 1000)
        let start = clock.now
        var since = start  // since when nothing has changed
        var last: Glimpse?
        var answer = Observation()
        while true {
            let now = clock.now
            let look = try glimpse()
            if last != nil, last != look { since = now }
            last = look
            answer.samples += 1
            let waited = now - start
            answer.settled = now - since >= stable - Agent.tick
            if isAbandoned() || waited >= most - Agent.tick || answer.settled && waited >= least - Agent.tick {
                let (roots, left) = Trimmer.trees(look.roots, options.limits.with(depth: r.maxDepth, nodes: r.maxNodes))
                answer.waitedMS = UInt32(clamping: Int(waited * 1000 + 0.5))
                (answer.truncated, answer.bundle, answer.state) = (left, target, look.state.rawValue)
                answer.json = JSON.tree(roots)
                return answer
            }
            clock.sleep(min(Agent.pollEvery, most - waited))
        }
    }

    /// Sums of times are not exact; what is closer than this is the same.
    static let tick = 1e-6

    private struct Glimpse: Equatable {
        /// The target's, and SpringBoard's when that asks something.
        var roots: [Node]
        var state: AppState
    }

    private func glimpse() throws -> Glimpse {
        let root = try tree(of: target)
        let system = try systemRoot(over: root)
        return Glimpse(roots: (root.map { [$0] } ?? []) + system, state: try surface.state(of: target))
    }
}
