"""What the simulated machine does in each scenario, and how near a measurement has to come.

A scenario is a machine (declarations of Tests/Simulator) and a number of cycles, each of phases in order.
A phase sets the power and may do something to the counters; it is also a window that is measured. `sustain`
sees a cycle as a generation: prefill, decode and gap; other tools are told of each phase by their own calls.
"""

from dataclasses import dataclass

PACKAGE = "class/powercap/intel-rapl/intel-rapl:0/energy_uj"
MEMORY = "class/powercap/intel-rapl/intel-rapl:0/intel-rapl:0:0/energy_uj"
RANGE = 262_143_328_850  # microjoules: 2^32 - 1 steps of 61 uJ, as RAPL parts have


@dataclass(frozen=True)
class Phase:
    kind: str  # prefill, decode or gap
    seconds: float
    package: float  # watts
    actions: tuple[str, ...] = ()  # done to the counters where the phase begins, after its power is set
    disturbs: float = 0.0  # seconds from here on in which a counter tells nothing; inf: to the end

    @property
    def lines(self) -> list[str]:
        return [f"power package-0 {self.package:g} dram {DRAM:g}", *self.actions]


DRAM = 6.0


@dataclass(frozen=True)
class Scenario:
    name: str
    title: str
    what: str
    cycles: tuple[tuple[Phase, ...], ...]
    machine: str
    whole: float | None = None  # largest error of the window over all cycles, percent
    window: float | None = None  # largest error of a window of the kind `judged`, percent
    mean: float | None = None  # largest error of the mean over these, percent
    judged: tuple[str, ...] = ("prefill", "decode", "gap")
    void: bool = False  # whether "no value" is a right answer for a window that a fault touches
    silent: bool = False  # whether no value is right for every window
    interval: str | None = None  # sustain's --interval, where its default is not enough
    quick: tuple[int, float] = (4, 1.0)  # cycles and factor on the lengths for --quick

    @property
    def seconds(self) -> float:
        return sum(phase.seconds for cycle in self.cycles for phase in cycle)


def counter(start: int = 60_000_000_000, maximum: int = RANGE) -> str:
    """RAPL counts in steps of 2^-14 J and renews about every millisecond (Intel SDM vol. 3B, 15.10.1)."""
    return f"unit=61.03515625 period=1ms range={maximum} start={start}"


def machine(package: str = "", dram: str = "", number: int = 0, more: str = "") -> str:
    """One processor with its memory, as zone intel-rapl:NUMBER."""
    return "\n".join(
        [
            "domain package-0 20",
            f"domain dram {DRAM:g}",
            f"zone intel-rapl:{number} package-0 package-0 {package or counter()} max_power=150",
            f"zone intel-rapl:{number}:0 dram dram {dram or counter(7_000_000_000)}",
            more,
        ]
    )


def even(count: int, prefill: float, decode: float, watts: float = 85.0) -> tuple[tuple[Phase, ...], ...]:
    return ((Phase("prefill", prefill, watts), Phase("decode", decode, watts)),) * count


def disturbed(*actions: str, seconds: float = 0.0) -> tuple[tuple[Phase, ...], ...]:
    """Four cycles of 1 s and 2 s; the fault comes with the decode of the second."""
    calm = even(1, 1, 2)[0]
    fault = (calm[0], Phase("decode", 2, 85.0, actions, disturbs=seconds))
    return (calm, fault, calm, calm)


def square(count: int) -> tuple[tuple[Phase, ...], ...]:
    return ((Phase("prefill", 0.3, 140.0), Phase("decode", 2.7, 90.0), Phase("gap", 2.0, 20.0)),) * count


def scenarios() -> list[Scenario]:
    return [*plain(), *faults(), *layouts()]


def plain() -> list[Scenario]:
    return [
        Scenario(
            "constant", "Constant power", "85 W package + 6 W dram for 30 s", even(3, 1, 9), machine(), whole=0.01,
            quick=(3, 0.2),
        ),
        Scenario(
            "square", "Square wave",
            "20 W for 2 s, 140 W for 0.3 s, 90 W for 2.7 s, 18 times, on counters renewed every 1 ms; the windows"
            " judged are the 18 short phases",
            square(18), machine(), mean=0.1, window=0.35, judged=("prefill",), quick=(3, 0.5),
        ),
        Scenario(
            "wraps", "Wraps every 3 s and 5 s",
            "85 W package wraps every 3 s (range 255 J), 6 W dram every 5 s (30 J); a window of 30 s and 30 of 1 s;"
            " sustain with --interval 25ms, as range / (4 x plausible ceiling) asks for",
            even(15, 1, 1),
            machine(counter(1_000_000, 255_000_000), counter(1_000_000, 30_000_000)),
            whole=0.01, window=0.1, interval="25ms",
        ),
    ]


def faults() -> list[Scenario]:
    forever = float("inf")
    known = {"void": True, "window": 0.1, "whole": 0.1}
    return [
        Scenario(
            "reset", "Reset", "The package counter falls from 60 kJ to 0 and counts on, as when its driver is"
            " loaded again", disturbed(f"reset {PACKAGE} 0"), machine(), **known,
        ),
        Scenario(
            "small-reset", "Reset from a small value", "The package counter falls from about 2 kJ to 0 and counts on",
            disturbed(f"reset {PACKAGE} 0"), machine(counter(1_000_000_000)), **known,
        ),
        Scenario(
            "frozen", "Frozen for 5 s", "The package counter shows one value for 5 s, then the true one",
            disturbed(f"fault {PACKAGE} frozen for=5s", seconds=5), machine(), **known,
        ),
        Scenario(
            "eio", "EIO for 5 s", "Reading the package counter fails with EIO for 5 s; the counter counts on",
            disturbed(f"fault {PACKAGE} eio for=5s", seconds=5), machine(), **known,
        ),
        Scenario(
            "revoked", "EACCES from the middle on", "From the second cycle on the package counter may not be read",
            disturbed(f"fault {PACKAGE} eacces", seconds=forever), machine(), **known,
        ),
        Scenario(
            "forbidden", "EACCES throughout", "No energy_uj may be read, as for a user without rights since Linux"
            " 5.10", even(2, 1, 2), machine(more=f"fault {PACKAGE} eacces\nfault {MEMORY} eacces"), silent=True,
            window=0.1, whole=0.1,
        ),
    ]


def layouts() -> list[Scenario]:
    mirror = f"zone intel-rapl:1 package-1 package-0 {counter()} max_power=150"
    inner = f"zone intel-rapl:0:1 core core {counter()}\nzone intel-rapl:0:2 uncore uncore {counter()}"
    mmio = f"zone intel-rapl-mmio:0 package-0 package-0 {counter()} max_power=150"
    domains = "domain core 12\ndomain uncore 3\ndomain rest 9\nsum platform package-0 dram rest"
    psys = "zone intel-rapl:{} psys platform " + counter(90_000_000_000)
    return [
        Scenario(
            "mirrored", "Mirrored packages",
            "Two zones, package-0 and package-1, show the one counter of a single processor, as on multi-die parts;"
            " the machine's topology names one socket",
            square(4), machine(more=mirror), whole=0.1, window=0.35,
        ),
        Scenario(
            "platform", "psys and mmio",
            "Zone package-0 with core, uncore and dram; psys as intel-rapl:1 (package + dram + 9 W); package-0 once"
            " more under intel-rapl-mmio",
            even(2, 1, 2), machine(more="\n".join([domains, inner, psys.format(1), mmio])), whole=0.1, window=0.1,
        ),
        Scenario(
            "psys-first", "psys comes first", "Zone intel-rapl:0 is psys, intel-rapl:1 is package-0 with its dram",
            even(2, 1, 2), machine(number=1, more=f"{domains}\n{psys.format(0)}"), whole=0.1, window=0.1,
        ),
    ]
