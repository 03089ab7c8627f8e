import Glibc
import Testing

/// Runs a body as a user without rights, as far as files go: as root no file is unreadable.
///
/// setfsuid(2) is a thread's own, capabilities over files go with it, and the body does not suspend. Swift's
/// Glibc module does not show the function.
func asNobody<Value>(_ body: () -> Value) throws -> Value {
    guard getuid() == 0 else { return body() }
    let symbol = try #require(dlsym(dlopen(nil, RTLD_NOW), "setfsuid"))
    let setFileUser = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> Int32).self)
    _ = setFileUser(65534)
    defer { _ = setFileUser(0) }
    // The call reports no error; an invalid user changes nothing and returns the one in force.
    try #require(setFileUser(uid_t.max) == 65534)
    return body()
}
