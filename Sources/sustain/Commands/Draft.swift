import Analysis
import Session

/// A variant before its options are checked.
struct Draft {
    var options: ParsedOptions
    /// What tells it from others: option and value as a name shows them.
    var model: String?
    var engine: String?
    /// Option (as it is shown) and value, of the options with several values.
    var values: [(option: String, value: String)] = []
    var recorded: JSONValue = .object([:])
    var expectedSHA256: String?

    /// Every combination, models outermost.
    static func all(_ parsed: ParsedOptions) throws(Failure) -> [Draft] {
        let models = (parsed.values["model"] ?? []) + parsed.operands
        if models.contains("") {
            throw Failure(
                thing: "--model", cause: "is empty", remedy: "is a variable of your script unset?",
                exit: .usage)
        }
        var drafts: [Draft] = models.isEmpty ? [Draft(options: parsed.with("model", nil))] : []
        for model in models {
            var draft = Draft(options: parsed.with("model", [model]))
            draft.model = model
            drafts.append(draft)
        }
        drafts = drafts.flatMap { draft in engines(parsed).map { $0(draft) } }
        for key in CompareOptionTable.swept {
            guard let values = parsed.values[key], values.count > 1 else { continue }
            let option = parsed.command.options.first { $0.key == key }?.names.last ?? "--\(key)"
            drafts = drafts.flatMap { draft in
                values.map { value in
                    var next = draft
                    next.options = draft.options.with(key, [value])
                    next.values.append((option, value))
                    return next
                }
            }
        }
        return drafts.map { $0.withRecord() }
    }

    /// What each engine that was named makes of a draft.
    private static func engines(_ parsed: ParsedOptions) -> [(Draft) -> Draft] {
        let libraries = parsed.values["llama-lib"] ?? []
        let programs = parsed.values["exec"] ?? []
        func llama(_ library: String?) -> (Draft) -> Draft {
            { draft in
                var next = draft
                next.options = draft.options.with("exec", nil).with("llama-lib", library.map { [$0] })
                    .with("engine", ["llama"])
                next.engine = library ?? "default"
                return next
            }
        }
        var result = libraries.map { llama($0 == "default" ? nil : $0) }
        if libraries.isEmpty, parsed.values["engine"]?.contains("llama") ?? false || programs.isEmpty {
            result.append(llama(nil))
        }
        result += programs.map { program in
            { draft in
                var next = draft
                next.options = draft.options.with("exec", [program]).with("llama-lib", nil)
                    .with("engine", ["exec"])
                next.engine = program
                return next
            }
        }
        return result
    }

    /// Keeps what makes the variant what it is.
    func withRecord() -> Draft {
        var members: [String: JSONValue] = [:]
        for key in ["model", "engine", "llama-lib", "exec"] + CompareOptionTable.swept {
            if let value = options.values[key]?.last { members[key] = .string(value) }
        }
        var next = self
        next.recorded = .object(members)
        return next
    }

    // MARK: Names

    /// A name for each, of what differs between them; a second one of the same gets a number.
    static func names(_ drafts: [Draft]) -> [String] {
        let models = short(drafts.map { $0.model ?? "" }, strip: ".gguf")
        let engines = short(drafts.map { $0.engine ?? "" }, strip: "")
        let hasEngines = Set(drafts.map(\.engine)).count > 1
        var seen: [String: Int] = [:]
        return drafts.indices.map { index in
            var parts = models[index].isEmpty ? [] : [models[index]]
            if hasEngines || parts.isEmpty { parts.append(engines[index]) }
            parts += drafts[index].values.map { "\($0.option) \($0.value)" }
            let name = parts.joined(separator: " ")
            let count = (seen[name] ?? 0) + 1
            seen[name] = count
            return count == 1 ? name : "\(name) #\(count)"
        }
    }

    /// The last part of each path where that tells them apart, else the whole.
    private static func short(_ paths: [String], strip ending: String) -> [String] {
        let last = paths.map { path -> String in
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return !ending.isEmpty && name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
        }
        return Set(last).count == Set(paths).count ? last : paths
    }
}
