import Analysis

/// A comparison for programs that read test results: a case a variant, and one a gate.
enum JUnit {
    static func text(_ session: SessionDocument) -> String {
        var cases: [Markup] = []
        var (failures, errors) = (0, 0)
        let reference = session.variants.first { $0.name == session.reference }
        if let outcome = [reference?.outcome, session.outcome].compactMap(\.self).first(where: {
            $0.status != .completed
        }) {
            errors += 1
            let inner: Markup = "<error message=\"\(outcome.cause ?? outcome.status.rawValue)\"/>"
            cases.append(testCase("reference", session.reference, inner))
        }
        if let why = session.withoutSpeed {
            errors += 1
            cases.append(
                testCase("speed", session.reference, "<error message=\"\(why.thing): \(why.cause)\"/>"))
        }
        for comparison in session.comparisons {
            let variant = session.variants.first { $0.name == comparison.variant }
            // Conditions are no verdict on a variant: they are told beside it.
            let told = [comparison.sentence] + SessionReport.failedConditions(session)
            var inner: Markup = "<system-out>\(told.map { "\($0)" as Markup }.joined("\n"))</system-out>"
            if let outcome = variant?.outcome, outcome.status != .completed {
                errors += 1
                inner = "<error message=\"\(outcome.cause ?? outcome.status.rawValue)\"/>" + inner
            }
            cases.append(testCase("compared", comparison.variant, inner))
            guard let variant, let parity = variant.parity.value else { continue }
            failures += variant.saysOtherwise ? 1 : 0
            cases.append(
                testCase(
                    "parity", comparison.variant,
                    variant.saysOtherwise
                        ? "<failure message=\"\(parity.sentence)\"/>"
                        : "<system-out>\(parity.sentence)</system-out>"))
        }
        for gate in session.gates {
            var inner: Markup = .empty
            switch outcome(of: gate, session) {
            case .failed:
                failures += 1
                inner = "<failure message=\"\(gate.gate): \(gate.verdict.rawValue)\"/>"
            case .error:
                errors += 1
                let why = gate.reason ?? "the interval holds the threshold"
                inner = "<error message=\"\(gate.gate): \(gate.verdict.rawValue): \(why)\"/>"
            case .passed: break
            }
            cases.append(testCase(gate.gate, gate.variant, inner))
        }
        let document: Markup = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
            <testsuite name="sustain compare \(session.reference)" id="\(session.id)" tests="\(cases.count)" \
            failures="\(failures)" errors="\(errors)" timestamp="\(session.started)">
            \(cases.joined("\n"))
            </testsuite>
            </testsuites>

            """
        return document.text
    }

    private enum Outcome { case passed, failed, error }

    /// As the exit code takes it.
    private static func outcome(of gate: SessionDocument.Gate, _ session: SessionDocument) -> Outcome {
        switch gate.verdict {
        case .passed: .passed
        case .failed: .failed
        case .unavailable: .error
        case .inconclusive:
            switch session.codeOfInconclusive {
            case .done: .passed
            case .gateFailed: .failed
            default: .error
            }
        }
    }

    private static func testCase(_ name: String, _ variant: String, _ inner: Markup) -> Markup {
        "<testcase classname=\"\(variant)\" name=\"\(name)\">\(inner)</testcase>"
    }
}
