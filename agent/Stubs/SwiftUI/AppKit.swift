// Signatures of AppKit that the twin of verify-mac uses, as Apple's documentation has them. Nothing runs.
@_exported import Foundation

@MainActor
public protocol NSApplicationDelegate: NSObjectProtocol {
    func applicationDidFinishLaunching(_ notification: Notification)
    func applicationShouldTerminateAfterLastWindowClosed(_ sender: NSApplication) -> Bool
}

@MainActor
open class NSApplication {
    public enum ActivationPolicy { case regular, accessory, prohibited }
    public class var shared: NSApplication { fatalError() }
    @discardableResult public func setActivationPolicy(_ activationPolicy: ActivationPolicy) -> Bool { fatalError() }
    public func activate(ignoringOtherApps flag: Bool) {}
}

public protocol NSItemProviderWriting {}
extension NSString: NSItemProviderWriting {}

open class NSItemProvider {
    public init(object: NSItemProviderWriting) {}
}
