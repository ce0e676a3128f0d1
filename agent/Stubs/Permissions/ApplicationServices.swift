/// Whether this process may use accessibility.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func AXIsProcessTrusted() -> Bool { fatalError() }
