import Analysis
import CPower
import Synchronization

/// One read of the sampler: a file's descriptor or a call, the fields it gives, when it is due.
///
/// Plain memory: written by the run thread before it is published, by the sampler's thread alone afterwards.
struct ReadSlot {
    /// -1 where `call` is used.
    var descriptor: Int32
    /// The descriptor is a perf_event counter's.
    var isCounter = false
    var call: DeviceCall?
    var firstField: Int
    var fieldCount: Int
    var interval: UInt64
    var readAtMarks: Bool
    /// CLOCK_MONOTONIC of the next read; 0 for "at once".
    var due: UInt64 = 0
    /// Whether the tick in progress reads it.
    var selected = false

    /// Whether one pread serves both.
    func canShare(with other: ReadSlot) -> Bool {
        descriptor >= 0 && descriptor == other.descriptor && interval == other.interval
            && readAtMarks == other.readAtMarks
    }
}

/// What the sampler reads, in the order of reading: memory of fixed size that grows while the sampler runs.
///
/// Unchecked Sendable: the run thread alone writes entries at and above the published counts, and publishes
/// them by a release store; `retired` is atomic.
final class ReadTable: @unchecked Sendable {
    /// Sources in all. The probe's own bounds are far below.
    static let capacity = 1024

    let slots: UnsafeMutablePointer<ReadSlot>
    let fields: UnsafeMutablePointer<cpower_field>
    private let retired: UnsafeMutablePointer<Atomic<Bool>>
    private let publishedSlots = Atomic<Int>(0)

    // The run thread's own.
    private var files: [SourceFile] = []
    private var owners: [any AnyObject & Sendable] = []
    private var slotOfSource: [Int] = []

    init() {
        slots = .allocate(capacity: Self.capacity)
        fields = .allocate(capacity: Self.capacity)
        fields.initialize(repeating: cpower_field_whole(), count: Self.capacity)
        retired = .allocate(capacity: Self.capacity)
        for slot in 0..<Self.capacity { (retired + slot).initialize(to: Atomic(false)) }
    }

    deinit {
        retired.deinitialize(count: Self.capacity)
        retired.deallocate()
        fields.deallocate()
        slots.deallocate()
    }

    /// Slots that may be read.
    var count: Int { publishedSlots.load(ordering: .acquiring) }

    func isRetired(_ slot: Int) -> Bool { retired[slot].load(ordering: .relaxed) }

    // MARK: The run thread's side

    /// Number of sources added so far: the next index.
    var sourceCount: Int { slotOfSource.count }

    /// Publishes sources; neighbours with the same file and interval share one read. Those that tell their
    /// readings themselves have no slot.
    func append(_ sources: [LiveSource], intervals: [UInt64]) {
        var slot = publishedSlots.load(ordering: .relaxed) - 1
        var firstNew = slot + 1
        for (source, interval) in zip(sources, intervals) {
            let index = slotOfSource.count
            var new = ReadSlot(
                descriptor: -1, call: nil, firstField: index, fieldCount: 1, interval: interval,
                readAtMarks: source.readAtMarks)
            if let owner = source.owner { owners.append(owner) }
            switch source.reading {
            case .file(let file, let field):
                files.append(file)
                fields[index] = field.raw
                new.descriptor = file.descriptor
                new.isCounter = file.isCounter
            case .call(let call): new.call = call
            case .helper:
                slotOfSource.append(-1)
                // The fields of a slot are numbered in a row.
                firstNew = slot + 1
                continue
            }
            if slot >= firstNew, slots[slot].canShare(with: new) {
                slots[slot].fieldCount += 1
            } else {
                slot += 1
                (slots + slot).initialize(to: new)
            }
            slotOfSource.append(slot)
        }
        publishedSlots.store(slot + 1, ordering: .releasing)
    }

    /// Stops the reading of a source, and of those that share its read.
    func retire(source: Int) {
        guard slotOfSource.indices.contains(source), slotOfSource[source] >= 0 else { return }
        retired[slotOfSource[source]].store(true, ordering: .relaxed)
    }
}
