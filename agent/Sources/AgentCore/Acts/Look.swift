extension Agent {
    /// Which app is in front, and what it shows when it is still.
    func look(_ r: Look) throws -> any Response {
        let candidates = r.candidates.split(whereSeparator: \.isNewline).map(String.init)
            .filter { $0 != Agent.springboard && $0 != options.bundle }
        let view = View(
            candidates: candidates, orSpringBoard: !r.candidates.isEmpty, limits: options.limits.with(r.terms))
        let before = reads
        var sight = try settle(view, r.terms, unlike: r.unlike)
        sight.samples = reads - before
        return sight
    }

    /// Looks until two looks `stable` apart agree and `min` has passed, or until `max`. It does not look in between: a look
    /// is the dearest thing there is. As long as the still screen's digest is `unlike`, it looks on until `patience`, and a
    /// change that is seen then has another `max` to come to rest.
    func settle(_ view: View, _ terms: LookTerms, unlike: String) throws -> Sight {
        let (stable, least) = (Double(terms.stableMS) / 1000, Double(terms.minMS) / 1000)
        let (most, patience) = (Double(terms.maxMS) / 1000, Double(terms.patienceMS) / 1000)
        let start = clock.now
        var (since, deadline) = (start, start + most)  // since when nothing has changed, and when that must be
        var (last, waits): (String?, Bool) = (nil, false)
        clock.sleep(max(0, min(least - stable, most)))  // what is seen before that decides nothing
        while true {
            let now = clock.now
            let seen = try glance(view)
            if seen.digest != last {
                since = now
                if waits { deadline = now + most }
                (last, waits) = (seen.digest, false)
            }
            let settled = now - since >= stable - Agent.tick
            let due: Double
            if !settled || now < start + least - Agent.tick {
                due = now >= deadline - Agent.tick ? now : min(deadline, max(since + stable, start + least))
            } else {
                waits = seen.digest == unlike && now < start + patience - Agent.tick
                due = waits ? min(now + Agent.lookAgain, start + patience) : now
            }
            if due <= now || isAbandoned() { return Sight(seen, settled: settled, waited: now - start) }
            clock.sleep(max(0, due - clock.now))
        }
    }

    /// How long a change that is waited for may go unseen.
    static let lookAgain = 1.0
}

extension Sight {
    init(_ seen: Glance, settled: Bool, waited: Double) {
        (self.settled, waitedMS, truncated) = (settled, UInt32(clamping: Int(waited * 1000 + 0.5)), seen.left)
        (front, state, cover) = (seen.front, seen.state.rawValue, seen.cover)
        (digest, json) = (seen.digest, seen.json)
    }
}
