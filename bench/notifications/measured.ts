import { median, spreadOf } from "../figures.ts";
import { ms, rate } from "../report.ts";
import type { Measured } from "./stage.ts";

/** The columns of a table of loads, with rows of `measuredRow`. */
export const measuredHead = ["", "a second", "p50 ms", "p95 ms", "p99 ms", "own µs", "database µs"];

/** The row of the runs of a load. */
export const measuredRow = (name: string, outcomes: readonly Measured[]): string[] => [
	name,
	rate(spreadOf(outcomes.map(({ perSecond }) => perSecond))),
	...[outcomes.map((one) => one.p50), outcomes.map((one) => one.p95), outcomes.map((one) => one.p99)].map(ms),
	...[outcomes.map(({ ownUs }) => ownUs), outcomes.map(({ databaseUs }) => databaseUs)].map((all) =>
		median(all).toFixed(0),
	),
];

type Costs = Pick<Measured, "ownUs" | "databaseUs">;

/** States what bounds a rate: the processor time of one request on each of the two cores. */
export function limitOf(outcomes: readonly Costs[]): string {
	const [own, database] = [
		median(outcomes.map(({ ownUs }) => ownUs)),
		median(outcomes.map(({ databaseUs }) => databaseUs)),
	];
	const most = Math.floor(1_000_000 / Math.max(own, database));
	const inMs = (us: number) => (us / 1_000).toFixed(2);
	return `Each takes ${inMs(own)} ms of the core of Node and ${inMs(database)} ms of the core that PostgreSQL shares with the driver: at most ${most} a second on this machine, and fewer as both wait for each other.`;
}
