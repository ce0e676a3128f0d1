import XCTest

/// What the agent uses of XCTest that Apple does not document. Each is looked for before it is used, and all are to be found
/// in the headers of WebDriverAgent. With IOS_AGENT_PUBLIC_API_ONLY none of the properties is used.
enum PrivateKey: String, CaseIterable {
    /// Of an app: bit 0 skips the wait for idleness before an event, bit 1 the one after it.
    case currentInteractionOptions
    /// Of an app: an alert is not dismissed before an event.
    case doesNotHandleUIInterruptions
    /// Of an element and of a snapshot.
    case hasKeyboardFocus
    /// Of a test: it goes on after an issue, also where XCTest waits for the main thread. WebDriverAgent switches both off.
    case shouldHaltWhenReceivesControl
    case shouldSetShouldHaltWhenReceivesControl

    /// What is different where this XCTest does not have it.
    var without: String {
        switch self {
        case .currentInteractionOptions: return "events wait until the app is idle"
        case .doesNotHandleUIInterruptions: return "XCTest may answer an alert before an event"
        case .hasKeyboardFocus: return "the focused element is not known"
        case .shouldHaltWhenReceivesControl, .shouldSetShouldHaltWhenReceivesControl:
            return "a failed query may end the agent"
        }
    }

    func has(_ object: AnyObject) -> Bool { IosAgentHas(Unmanaged.passUnretained(object).toOpaque(), rawValue) }
    func flag(_ object: AnyObject) -> Bool { IosAgentFlag(Unmanaged.passUnretained(object).toOpaque(), rawValue) }
    func set(_ object: AnyObject, _ value: Int32) -> Bool {
        IosAgentSet(Unmanaged.passUnretained(object).toOpaque(), rawValue, value)
    }
}

/// Methods of a test by which XCTest records an issue without the documented one.
enum IssueMethod: String, CaseIterable {
    case recordIssue = "_recordIssue:"
    case recordCaught = "_recordIssue:forCaughtError:"

    /// Gives the issues of a test to take, from every method that this XCTest has.
    static func take(from test: AnyObject, _ take: @escaping (String) -> Void) {
        let test = Unmanaged.passUnretained(test).toOpaque()
        for one in allCases {
            _ = IosAgentTakeIssues(test, one.rawValue) { take(String(cString: $0)) }
        }
    }
}

/// Settings that XCTest reads from the defaults of its runner.
enum RunnerDefault: String, CaseIterable {
    /// No pictures of the screen at each step and failure.
    case disableScreenshots = "DisableScreenshots"
    /// No film of the screen: it would last as long as the agent does.
    case disableRecordings = "DisableDiagnosticScreenRecordings"
    /// A query is answered in the runner, from a snapshot of the whole app, and not in the app.
    case localQueries = "XCTDisableRemoteQueryEvaluation"

    /// The first two keep XCTest from leaving things behind, and are set always. The third makes each question as dear as a
    /// look, and fails where a tree is too deep for one.
    static func set(_ settings: Settings) {
        for one in allCases {
            UserDefaults.standard.set(one != .localQueries || settings.localQueries, forKey: one.rawValue)
        }
    }
}
