// What Socket.swift uses of Foundation. The one of Linux would bring Linux's sockets along.

open class NSLock: @unchecked Sendable {
    public init() {}
    open func lock() {}
    open func unlock() {}
}

open class Thread {
    open class func sleep(forTimeInterval seconds: Double) {}
}
