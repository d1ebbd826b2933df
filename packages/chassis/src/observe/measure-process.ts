import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { getHeapSpaceStatistics } from "node:v8";
import type { Meter } from "@opentelemetry/api";
import { observe } from "./instruments.ts";

const windowMs = 10_000;
type Delays = { p50: number; p99: number; max: number };

/** The event loop of the process, which all its services share. It costs a timer every 20 ms. */
const delays = monitorEventLoopDelay({ resolution: 20 });
let seen: Delays = { p50: 0, p99: 0, max: 0 };
let seenAt = Number.NEGATIVE_INFINITY;

/** The delays since the last read. Reads within ten seconds of each other share one result. */
function readDelays(): Delays {
	if (performance.now() - seenAt < windowMs) return seen;
	const seconds = (nanoseconds: number) => nanoseconds / 1e9;
	if (delays.count > 0)
		seen = {
			p50: seconds(delays.percentile(50)),
			p99: seconds(delays.percentile(99)),
			max: seconds(delays.max),
		};
	delays.reset();
	seenAt = performance.now();
	return seen;
}

/** Measures the process of a service. */
export function measureProcess(meter: Meter): void {
	delays.enable();
	observe(meter, "process.memory.usage", () => [{ value: process.memoryUsage.rss() }]);
	observe(meter, "process.uptime", () => [{ value: process.uptime() }]);
	observe(meter, "process.cpu.time", () => {
		const { user, system } = process.cpuUsage();
		return [
			{ value: user / 1e6, attributes: { "cpu.mode": "user" } },
			{ value: system / 1e6, attributes: { "cpu.mode": "system" } },
		];
	});
	observe(meter, "nodejs.eventloop.delay.p50", () => [{ value: readDelays().p50 }]);
	observe(meter, "nodejs.eventloop.delay.p99", () => [{ value: readDelays().p99 }]);
	observe(meter, "nodejs.eventloop.delay.max", () => [{ value: readDelays().max }]);
	observe(meter, "nodejs.eventloop.time", () => {
		const { active, idle } = performance.eventLoopUtilization();
		return [
			{ value: active / 1e3, attributes: { "nodejs.eventloop.state": "active" } },
			{ value: idle / 1e3, attributes: { "nodejs.eventloop.state": "idle" } },
		];
	});
	observe(meter, "v8js.memory.heap.used", () =>
		getHeapSpaceStatistics().map(({ space_name, space_used_size }) => ({
			value: space_used_size,
			attributes: { "v8js.heap.space.name": space_name },
		})),
	);
}
