import Analysis
import CPower

/// What a value needs that several files make, kept for as long as anything may read it: power as voltage x
/// current, or a battery's, which tells of the machine only in one state.
///
/// Unchecked Sendable: the memory is written once, here, and the files are immutable.
final class CombinedValue: @unchecked Sendable {
    private let memory: UnsafeMutablePointer<cpower_combined>
    private let files: [SourceFile]

    /// The magnitude of what `first` tells, times that of `second`, over `divisor` (above 0).
    ///
    /// - Parameters:
    ///   - state: a file whose text has to be this one (at most 23 bytes), else a read finds no value.
    ///   - base: for what runs down; the value is `base` less what the files tell.
    init(
        _ first: SourceFile, times second: SourceFile? = nil, over divisor: Int64 = 1,
        while state: (file: SourceFile, text: StaticString)? = nil, fallingFrom base: Int64? = nil
    ) {
        files = [first, second, state?.file].compactMap(\.self)
        var raw = cpower_combined()
        raw.descriptors = (first.descriptor, second?.descriptor ?? -1)
        raw.state_descriptor = state?.file.descriptor ?? -1
        raw.divisor = max(divisor, 1)
        raw.is_falling = base == nil ? 0 : 1
        raw.base = base ?? 0
        if let state {
            withUnsafeMutableBytes(of: &raw.state) { room in
                let text = UnsafeRawBufferPointer(
                    start: state.text.utf8Start, count: state.text.utf8CodeUnitCount)
                room.copyBytes(from: text.prefix(room.count - 1))
            }
        }
        memory = .allocate(capacity: 1)
        memory.initialize(to: raw)
    }

    deinit { memory.deallocate() }

    /// The source that reads it.
    func source(_ line: SourceLine, interval: Nanoseconds? = nil) -> LiveSource {
        var source = LiveSource(
            line, call: DeviceCall(function: cpower_combined_value, device: memory, item: 0),
            interval: interval)
        source.owner = self
        return source
    }
}
