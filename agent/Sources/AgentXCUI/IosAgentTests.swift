import Foundation
import XCTest

/// The agent is a test that does not end: XCUITest drives apps from tests only.
final class IosAgentTests: XCTestCase {
    private var surface: XCUISurface?

    override class func setUp() {
        super.setUp()
        RunnerDefault.set(Settings.ofThisAgent)
    }

    override func setUp() {
        super.setUp()
        continueAfterFailure = true  // else the first failed query would end the agent
        guard Settings.ofThisAgent.privateAPI else { return }
        let keys: [PrivateKey] = [.shouldSetShouldHaltWhenReceivesControl, .shouldHaltWhenReceivesControl]
        for key in keys where !key.set(self, 0) {
            print("ios-agent: this XCTest has no \(key.rawValue); \(key.without)")
        }
    }

    @MainActor
    func testRunAgent() throws {
        let settings = Settings.ofThisAgent
        let surface = XCUISurface(privateAPI: settings.privateAPI)
        self.surface = surface
        if settings.privateAPI { IssueMethod.take(from: self) { surface.note($0) } }
        let abandoned = expectation(description: "nobody needs the agent any more")
        let agent = Agent(surface: surface, options: settings.options)
        let server = try Server(agent: agent, worker: MainWorker(), port: settings.port) { _ in
            abandoned.fulfill()
        }
        server.start()
        server.announce()
        // Waiting runs the main thread's queue and run loop, which is where requests are carried out.
        wait(for: [abandoned], timeout: .infinity)
    }

    /// XCTest reports a failed query or event as an issue of the test. It is the answer to a request, not the end.
    override func record(_ issue: XCTIssue) {
        guard let surface else { return super.record(issue) }
        surface.note(issue.compactDescription)
    }
}
