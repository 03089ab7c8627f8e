extension Timeline {
    /// Every window of the run with what else ran in it, by begin: for the record.
    func windows(_ contention: ContentionLog) -> [Window] {
        windows.map { window in
            var window = window
            window.contention = contention.contention(in: span(of: window))
            return window
        }
    }

    private func span(of window: Window) -> Span {
        Span(
            begin: start + Nanoseconds(Seconds(window.begin)), end: start + Nanoseconds(Seconds(window.end)))
    }

    /// Every window of the run, by begin.
    var windows: [Window] {
        var result: [Window] = []
        // Loads, unloads and the first token are known by the worker's own edges, which exclude what the
        // session does around them (emptying the page cache, waiting for answers).
        for part in parts where ![.loadCold, .loadWarm, .firstToken, .unload].contains(part.part) {
            result.append(window(part.part.rawValue, part.part, part.span, whole: part.whole))
        }
        for load in loads {
            let name = load.part == .deepening ? "load" : load.part.rawValue
            result.append(window(name, load.part, load.span, whole: load.whole))
        }
        for unload in unloads {
            result.append(window("unload", unload.part, unload.span, whole: unload.whole))
        }
        for generation in generations { result += windows(of: generation) }
        return result.enumerated().sorted {
            ($0.element.begin, $0.offset) < ($1.element.begin, $1.offset)
        }.map(\.element)
    }

    private func windows(of generation: Generation) -> [Window] {
        var result: [Window] = []
        let whole = generation.isWhole
        func add(_ name: String, _ span: Span?, tokens: Int?) {
            guard let span else { return }
            result.append(
                window(name, generation.part, span, cycle: generation.cycle, tokens: tokens, whole: whole))
        }
        let prefill = generation.part == .firstToken ? "first_token" : "prefill"
        add(prefill, generation.prefill, tokens: generation.counts?.prompt)
        // A generation of one token has no decode.
        if generation.counts?.decodeSteps != 0 {
            add("decode", generation.decode, tokens: generation.counts?.decodeSteps)
        }
        if generation.part == .warmup || generation.part == .sustained {
            add("cycle", generation.cycleSpan, tokens: generation.counts?.generated)
            add("gap", generation.gap, tokens: nil)
        }
        return result
    }

    private func window(
        _ name: String, _ part: Part, _ span: Span, cycle: Int? = nil, tokens: Int? = nil, whole: Bool
    ) -> Window {
        Window(
            name: name, part: part, cycle: cycle, begin: seconds(span.begin), end: seconds(span.end),
            tokens: tokens, whole: whole)
    }
}
