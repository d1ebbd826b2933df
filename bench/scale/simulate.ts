import { day, ratePerSecond, rushAt } from "./day.ts";
import { drawFrom, openTally, type Tally } from "./histogram.ts";
import type { Cores, Kind } from "./model.ts";
import { type Arrival, runQueue } from "./queue.ts";
import { gapOf, randomFrom } from "./random.ts";

const minuteMs = 60_000;

export type Simulation = {
	kinds: readonly Kind[];
	cores: Cores;
	people: number;
	seed: number;
	/** The hours from the first up to (and without) the last; only so many minutes of them, where that is said. */
	hours: readonly [from: number, to: number];
	minutes?: number;
	/** How many of a kind a second come at a minute since midnight, where not as day.ts has it. */
	rateAt?: (kind: Kind, minute: number) => number;
};

/** What was seen of one kind in one hour: how long it waited for a core of each station, and for both. */
export type Seen = { server: Tally; database: Tally; both: Tally };

export type Simulated = {
	arrived: number;
	served: number;
	/** By hour and by place among the kinds. */
	seen(hour: number, kind: number): Seen;
	/** Cores at work on the average of the time that was simulated. */
	used: Cores;
};

/**
 * Lets the requests of a day come by chance, as often as day.ts says, each taking of the cores what one that was recorded took, first
 * of the service and then of PostgreSQL; of that what it takes at full load, where it had to wait. The same seed gives the same day.
 */
export function simulate(simulation: Simulation): Simulated {
	const { kinds, cores, hours } = simulation;
	const seen = Array.from({ length: hours[1] * kinds.length }, openSeen);
	const seenOf = (hour: number, kind: number) => {
		const found = seen[hour * kinds.length + kind];
		if (found === undefined) throw new Error(`nothing is known of the hour ${hour}`);
		return found;
	};
	const hashing = new Set(kinds.flatMap(({ hashes }, kind) => (hashes ? [kind] : [])));
	const { arrived, served, busyMs } = runQueue({
		stations: [
			{ cores: cores.server, sliceMs: day.sliceMs, limited: { kinds: hashing, atOnce: cores.server } },
			{ cores: cores.database, sliceMs: day.sliceMs },
		],
		next: arrivalsOf(simulation),
		served: ({ atMs, kind }, [server = 0, database = 0]) => {
			const into = seenOf(Math.floor(atMs / (60 * minuteMs)), kind);
			into.server.add(server);
			into.database.add(database);
			into.both.add(server + database);
		},
	});
	const { minutes = (hours[1] - hours[0]) * 60 } = simulation;
	const [server = 0, database = 0] = busyMs.map((ms) => ms / (minutes * minuteMs));
	return { arrived, served, seen: seenOf, used: { server, database } };
}

const openSeen = (): Seen => ({ server: openTally(), database: openTally(), both: openTally() });

/** Requests by chance: between two minutes at which rates change, all streams together come at one rate. */
function arrivalsOf(simulation: Simulation): () => Arrival | undefined {
	const { kinds, hours, people, seed, rateAt = usualRate(people) } = simulation;
	const { minutes = (hours[1] - hours[0]) * 60 } = simulation;
	const random = randomFrom(seed);
	const draws = kinds.map(({ server, database, shares }) => ({
		server: drawFrom(server),
		database: drawFrom(database),
		shares,
	}));
	const endMs = hours[0] * 60 * minuteMs + minutes * minuteMs;
	let atMs = hours[0] * 60 * minuteMs;
	let until = atMs;
	let upTo: number[] = [];
	/** When the next comes, if within this minute; by an exponential gap. */
	const comes = () => {
		const total = upTo.at(-1) ?? 0;
		return total === 0 ? Number.POSITIVE_INFINITY : atMs + gapOf(1_000 / total, random);
	};
	// Chance has no memory: from the next minute on it begins anew.
	const turnMinute = () => {
		atMs = until;
		until += minuteMs;
		let sum = 0;
		upTo = kinds.map((kind) => {
			sum += rateAt(kind, atMs / minuteMs);
			return sum;
		});
	};
	return () => {
		let then = comes();
		while (then >= until) {
			if (until >= endMs) return undefined;
			turnMinute();
			then = comes();
		}
		atMs = then;
		const wanted = random() * (upTo.at(-1) ?? 0);
		const kind = upTo.findIndex((sum) => wanted < sum);
		const draw = draws[kind];
		if (draw === undefined) throw new Error("there is no such kind");
		return { atMs, kind, needsMs: [draw.server(random), draw.database(random)], shares: draw.shares };
	};
}

const usualRate =
	(people: number) =>
	({ habit }: Kind, minute: number): number =>
		ratePerSecond(habit, Math.floor(minute / 60), people) * rushAt(minute % 60);
