import { expect, test } from "vitest";
import { day, hours, ratePerSecond, rushAt } from "./day.ts";
import { histogramOf } from "./histogram.ts";
import { busiestHour, coresOfHour, habits, kindsOf, wholeCores } from "./model.ts";
import { type Cost, type MeasuredFlow, measuredFlows, type Recorded, type ServiceTimes } from "./recorded.ts";
import { type Simulation, simulate } from "./simulate.ts";

/** Each request takes 1 ms of the service and half of it of PostgreSQL, a sign-in by password 50 ms. */
const recorded: Recorded = {
	date: "2026-11-21",
	machine: "made up",
	command: "none",
	installation: { people: 1, tenants: 1 },
	bytesARow: {},
	costs: byFlow((flow): Cost => {
		const serverMs = flow === "sign-in" ? 50 : flow === "code flow" ? 2 : 1;
		const databaseMs = flow === "code flow" ? 1 : 0.5;
		const none = { driverMs: 0, perSecond: 0, statements: 1, walBytes: 0, pages: 0, rows: {} };
		return { ...none, serverMs, databaseMs };
	}),
	serviceTimes: byFlow((flow): Record<string, ServiceTimes> => {
		const times = (ms: number) => histogramOf([ms]);
		const bytes = { sentBytes: 0, receivedBytes: 0 };
		const one = {
			server: times(flow === "sign-in" ? 50 : 1),
			database: times(0.5),
			rest: times(1),
			...bytes,
		};
		return flow === "code flow" ? { authorize: one, token: one } : { [flow]: one };
	}),
};

function byFlow<T>(of: (flow: MeasuredFlow) => T): Record<MeasuredFlow, T> {
	return Object.fromEntries(measuredFlows.map((flow) => [flow, of(flow)])) as Record<MeasuredFlow, T>;
}

const kinds = kindsOf(recorded);
const simulation = (more: Partial<Simulation> = {}): Simulation => {
	const hour = busiestHour(recorded, day.people);
	return {
		kinds,
		people: 200_000,
		seed: 1,
		cores: { server: 2, database: 1 },
		hours: [hour, hour + 1],
		...more,
	};
};

test("every curve has a whole day in it, and a rush takes from its hour what it adds", () => {
	for (const curve of Object.values(day.curves)) {
		expect(curve).toHaveLength(hours);
		expect(curve.reduce((sum: number, share) => sum + share, 0)).toBeCloseTo(100, 9);
	}
	const hour = Array.from({ length: 60 }, (_, minute) => rushAt(minute));
	expect(hour.reduce((sum, one) => sum + one, 0)).toBeCloseTo(60, 9);
	expect(Math.min(...hour)).toBeGreaterThanOrEqual(0);
});

test("the requests of all hours are those of the day", () => {
	for (const habit of habits) {
		const rates = Array.from({ length: hours }, (_, hour) => ratePerSecond(habit, hour, 1_000) * 3_600);
		expect(rates.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1_000 * day.comingShare * habit.aDay, 6);
	}
});

test("the model adds up what comes by what each takes", () => {
	const hour = busiestHour(recorded, day.people);
	const rates = Object.fromEntries(
		habits.map((habit) => [habit.flow, ratePerSecond(habit, hour, day.people)]),
	);
	const of = (flow: MeasuredFlow) => rates[flow] ?? Number.NaN;
	const { server, database } = coresOfHour(recorded, hour, day.people);
	const short = of("refresh") + of("me") + of("tenant");
	expect(server).toBeCloseTo((short + 2 * of("code flow") + 50 * of("sign-in")) / 1_000, 9);
	expect(database).toBeCloseTo((0.5 * (short + of("sign-in")) + of("code flow")) / 1_000, 9);
	expect(wholeCores({ server: 2.1, database: 0.2 })).toEqual({ server: 3, database: 1 });
});

test("where recorded times are those of the model, the simulation keeps as many cores at work, and serves all that come", () => {
	const hour = busiestHour(recorded, day.people);
	const { used, arrived, served, seen } = simulate(simulation());
	const model = coresOfHour(recorded, hour, 200_000);
	expect(Math.abs(used.server / model.server - 1)).toBeLessThan(0.06);
	expect(Math.abs(used.database / model.database - 1)).toBeLessThan(0.03);
	expect(served).toBe(arrived);
	expect(kinds.reduce((sum, _, kind) => sum + seen(hour, kind).both.count(), 0)).toBe(arrived);
});

test("at full load the requests of a flow take together what it takes on the average", () => {
	const costs = byFlow((flow) => ({ ...recorded.costs[flow], serverMs: 0.5, databaseMs: 0.25 }));
	const shared = kindsOf({ ...recorded, costs });
	const of = (flow: MeasuredFlow) =>
		shared.filter(({ habit }) => habit.flow === flow).map(({ shares }) => shares);
	expect(of("code flow")).toEqual([
		[0.25, 0.25],
		[0.25, 0.25],
	]);
	expect(of("refresh")).toEqual([[0.5, 0.5]]);
});

test("more cores are never busier all together for it, and let nobody wait longer", () => {
	const run = (server: number) =>
		simulate(simulation({ people: 4_000_000, minutes: 6, cores: { server, database: 2 } }));
	const [few, many] = [run(1), run(3)];
	expect(many.arrived).toBe(few.arrived);
	const hour = busiestHour(recorded, day.people);
	for (const [kind] of kinds.entries())
		expect(many.seen(hour, kind).server.mean()).toBeLessThanOrEqual(few.seen(hour, kind).server.mean());
});

test("a day is the same for the same seed, and another for another", () => {
	const run = (seed: number) => {
		const { arrived, used } = simulate(simulation({ people: 50_000, seed }));
		return { arrived, used };
	};
	expect(run(3)).toEqual(run(3));
	expect(run(3)).not.toEqual(run(4));
});
