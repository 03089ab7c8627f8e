extension Trace {
    /// Takes out what the session objected to when it came: all of a generation, the worker's own marks of a load
    /// or an unload. The file has it; no figure does.
    mutating func dropRefused() {
        guard !objections.isEmpty else { return }
        let cycles = Set(objections.compactMap(\.cycle))
        let parts = Set(objections.filter { $0.cycle == nil }.map(\.part))
        let ofLoads: Set<MarkLine.Name> = [.loadBegin, .loadEnd, .unloadBegin, .unloadEnd]
        marks.removeAll { mark in
            mark.cycle.map(cycles.contains) ?? (ofLoads.contains(mark.name) && parts.contains(mark.part))
        }
        tokens.removeAll { cycles.contains($0.cycle) }
        done.removeAll { cycles.contains($0.cycle) }
        var problems = CycleProblems()
        for line in objections {
            if let cycle = line.cycle {
                problems.add("\(line.reason): not used", cycle: cycle)
            } else {
                notes.refused.append(
                    "\(line.part.rawValue): \(line.reason): its load and unload are not used")
            }
        }
        notes.refused += problems.warnings
    }
}
