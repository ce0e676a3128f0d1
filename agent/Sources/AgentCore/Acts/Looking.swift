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

    /// Sums of times are not exact; what is closer than this is the same.
    static let tick = 1e-6
}
