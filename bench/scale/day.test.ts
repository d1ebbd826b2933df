import { expect, test } from "vitest";
import { day, hours, ratePerSecond } from "./day.ts";
import { busiestHour, coresOfHour, habits, wholeCores } from "./model.ts";
import { type Cost, type MeasuredFlow, measuredFlows, type Recorded } from "./recorded.ts";

/** Each request takes 1 ms of the service and 0.5 ms of PostgreSQL, a sign-in by password 50 ms. */
const recorded: Recorded = {
	date: "2026-11-21",
	machine: "made up",
	command: "none",
	installation: { people: 1, tenants: 1 },
	bytesARow: {},
	costs: byFlow((flow): Cost => {
		const serverMs = flow === "sign-in" ? 50 : flow === "code flow" ? 2 : 1;
		const databaseMs = flow === "code flow" ? 1 : 0.5;
		const none = {
			driverMs: 0,
			perSecond: 0,
			statements: 1,
			walBytes: 0,
			pages: 0,
			rows: {},
			receivedBytes: 0,
		};
		return { ...none, serverMs, databaseMs };
	}),
};

function byFlow<T>(of: (flow: MeasuredFlow) => T): Record<MeasuredFlow, T> {
	return Object.fromEntries(measuredFlows.map((flow) => [flow, of(flow)])) as Record<MeasuredFlow, T>;
}

test("the shares of every curve are those of a whole day", () => {
	for (const curve of Object.values(day.curves)) {
		expect(curve).toHaveLength(hours);
		expect(curve.reduce((sum: number, share) => sum + share, 0)).toBeCloseTo(100, 9);
	}
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
