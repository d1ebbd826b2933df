import { day, type Habit, hours, ratePerSecond } from "./day.ts";
import type { MeasuredFlow, Recorded } from "./recorded.ts";

/** Busy cores of the sign-on service and of PostgreSQL. */
export type Cores = { server: number; database: number };

export const habits = day.flows as ReadonlyArray<Habit & { flow: MeasuredFlow }>;

/**
 * The busy cores of an hour: the requests per second multiplied by their mean cost at full load. The model
 * has no queues.
 */
export function coresOfHour({ costs }: Recorded, hour: number, people: number): Cores {
	return add(
		habits.map((habit) => {
			const perSecond = ratePerSecond(habit, hour, people);
			const { serverMs, databaseMs } = costs[habit.flow];
			return { server: (perSecond * serverMs) / 1_000, database: (perSecond * databaseMs) / 1_000 };
		}),
	);
}

const add = (all: readonly Cores[]): Cores => ({
	server: all.reduce((sum, { server }) => sum + server, 0),
	database: all.reduce((sum, { database }) => sum + database, 0),
});

/** The hour with the most busy cores. */
export function busiestHour(recorded: Recorded, people: number): number {
	const needs = Array.from({ length: hours }, (_, hour) => coresOfHour(recorded, hour, people).server);
	return needs.indexOf(Math.max(...needs));
}

/** The busy cores during the peak of an hour. */
export const atPeak = ({ server, database }: Cores): Cores => ({
	server: server * day.peakTimes,
	database: database * day.peakTimes,
});

/** Rounded up to whole cores, at least one each. */
export function wholeCores({ server, database }: Cores): Cores {
	return { server: Math.max(1, Math.ceil(server)), database: Math.max(1, Math.ceil(database)) };
}
