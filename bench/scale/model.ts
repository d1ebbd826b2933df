import { day, type Habit, hours, ratePerSecond } from "./day.ts";
import type { Histogram } from "./histogram.ts";
import type { MeasuredFlow, Recorded } from "./recorded.ts";

/** Cores at work, of the processes of the sign-on service and of PostgreSQL. */
export type Cores = { server: number; database: number };

export const habits = day.flows as ReadonlyArray<Habit & { flow: MeasuredFlow }>;

/** The model: how often a flow comes, by what it takes of a core at full load on the average. Nobody waits in it. */
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

/** The hour in which the model needs most cores. */
export function busiestHour(recorded: Recorded, people: number): number {
	const needs = Array.from({ length: hours }, (_, hour) => coresOfHour(recorded, hour, people).server);
	return needs.indexOf(Math.max(...needs));
}

/** What the model needs while the rush of an hour lasts. */
export const inRush = ({ server, database }: Cores): Cores => ({
	server: server * day.rush.times,
	database: database * day.rush.times,
});

/** As many whole cores as that takes, one of each at least. */
export function wholeCores({ server, database }: Cores): Cores {
	return { server: Math.max(1, Math.ceil(server)), database: Math.max(1, Math.ceil(database)) };
}

/**
 * One kind of request, as it comes and as it was recorded alone. `shares`: what its flow takes at full load on the average, of what it
 * took alone, by station.
 */
export type Kind = {
	name: string;
	habit: Habit;
	server: Histogram;
	database: Histogram;
	shares: readonly [server: number, database: number];
	hashes: boolean;
};

/** Every kind of request of a day. */
export function kindsOf({ serviceTimes, costs }: Recorded): Kind[] {
	return habits.flatMap((habit) => {
		const requests = Object.entries(serviceTimes[habit.flow]);
		const { serverMs, databaseMs } = costs[habit.flow];
		const alone = (of: "server" | "database") => requests.reduce((sum, [, times]) => sum + times[of].mean, 0);
		const shares = [serverMs / alone("server"), databaseMs / alone("database")] as const;
		const hashes = habit.flow === "sign-in";
		return requests.map(([name, { server, database }]) => ({
			name,
			habit,
			server,
			database,
			shares,
			hashes,
		}));
	});
}
