// Apple's signatures of what AgentXCUI uses of UIKit; see XCTestCase.swift.

public enum UIDeviceOrientation: Int, Sendable {
    case unknown = 0
    case portrait = 1
    case portraitUpsideDown = 2
    case landscapeLeft = 3
    case landscapeRight = 4
    case faceUp = 5
    case faceDown = 6
}

public enum UIUserInterfaceIdiom: Int, Sendable {
    case unspecified = -1
    case phone = 0
    case pad = 1
}

@MainActor open class UIDevice {
    open class var current: UIDevice { fatalError() }
    open var userInterfaceIdiom: UIUserInterfaceIdiom { fatalError() }
}
