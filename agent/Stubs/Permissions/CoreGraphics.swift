/// Whether this process may take pictures of windows.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func CGPreflightScreenCaptureAccess() -> Bool { fatalError() }
