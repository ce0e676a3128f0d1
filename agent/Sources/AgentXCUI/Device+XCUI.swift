import UIKit
import XCTest

extension XCUISurface {
    /// XCTest has no public way to lock a device or to call Siri by a button.
    func press(_ button: DeviceButton) throws {
        try attempt {
            guard let known = XCUISurface.hardware(button), XCUIDevice.shared.hasHardwareButton(known) || known == .home
            else {
                throw AgentFault(.unsupported, "XCTest cannot press the \(button.rawValue) button of this device")
            }
            XCUIDevice.shared.press(known)
        }
    }

    /// A simulator has only some of the buttons, and the SDK of simulators does not even name the others.
    private static func hardware(_ button: DeviceButton) -> XCUIDevice.Button? {
        switch button {
        case .home: return .home
        case .action: return .action
        #if !targetEnvironment(simulator)
            case .volumeUp: return .volumeUp
            case .volumeDown: return .volumeDown
            #if compiler(>=6.0)  // Xcode 16 is the first to know it
                case .camera: return .camera
            #endif
        #endif
        default: return nil
        }
    }

    func rotate(to orientation: Orientation) throws {
        let known: [Orientation: UIDeviceOrientation] = [
            .portrait: .portrait, .portraitUpsideDown: .portraitUpsideDown, .landscapeLeft: .landscapeLeft,
            .landscapeRight: .landscapeRight,
        ]
        try attempt { XCUIDevice.shared.orientation = known[orientation] ?? .portrait }
    }
}
