import fc from "fast-check";
import { expect, test } from "vitest";
import { type Arrival, runQueue, type Station } from "./queue.ts";
import { gapOf, randomFrom } from "./random.ts";

const alone: Station = { cores: 1, sliceMs: Number.POSITIVE_INFINITY };
/** Each property is tried with the same cases every time. */
const fixed = { seed: 2026, numRuns: 4 };
const loads = fc.double({ min: 0.2, max: 0.75, noNaN: true });
const seeds = fc.integer({ min: 1, max: 2 ** 30 });

type Serving = {
	stations: readonly Station[];
	load: number;
	seed: number;
	count?: number;
	needOf: (random: () => number) => number;
};

/** Requests that come by chance, each needing 1 ms on the average: how long they waited, on the average. */
function meanWait({ stations, load, seed, count = 100_000, needOf }: Serving): number {
	const random = randomFrom(seed);
	const cores = stations[0]?.cores ?? 1;
	let [atMs, left, waited] = [0, count, 0];
	const next = (): Arrival | undefined => {
		if (left === 0) return undefined;
		left -= 1;
		atMs += gapOf(1 / (load * cores), random);
		return { atMs, kind: 0, needsMs: stations.map(() => needOf(random)) };
	};
	const { served } = runQueue({ stations, next, served: (_, waitsMs) => (waited += sum(waitsMs)) });
	expect(served).toBe(count);
	return waited / count;
}

const sum = (figures: readonly number[]) => figures.reduce((all, one) => all + one, 0);
const exponential = (random: () => number) => gapOf(1, random);
const always = () => 1;
/** The share of the figure by which two figures differ. */
const apart = (one: number, other: number) => Math.abs(one / other - 1);

test("one core, times by chance: the mean wait is that of M/M/1", () => {
	const holds = (load: number, seed: number) => {
		const measured = meanWait({ stations: [alone], load, seed, needOf: exponential });
		expect(apart(measured, load / (1 - load))).toBeLessThan(0.1);
	};
	fc.assert(fc.property(loads, seeds, holds), fixed);
});

test("one core, equal times: the mean wait is that of M/D/1, half as long", () => {
	const holds = (load: number, seed: number) => {
		const measured = meanWait({ stations: [alone], load, seed, needOf: always });
		expect(apart(measured, load / (2 * (1 - load)))).toBeLessThan(0.1);
	};
	fc.assert(fc.property(loads, seeds, holds), fixed);
});

test("several cores, times by chance: the mean wait is Erlang's", () => {
	const holds = (load: number, cores: number, seed: number) => {
		const measured = meanWait({ stations: [{ ...alone, cores }], load, seed, needOf: exponential });
		expect(apart(measured, erlangWait(cores, load))).toBeLessThan(0.12);
	};
	const high = fc.double({ min: 0.5, max: 0.75, noNaN: true });
	fc.assert(fc.property(high, fc.integer({ min: 2, max: 4 }), seeds, holds), fixed);
});

/** M/M/c with a mean time of 1: the share that waits at all, by how fast the line shrinks. */
function erlangWait(cores: number, load: number): number {
	const offered = cores * load;
	let blocked = 1; // Erlang B, by its recursion.
	for (let core = 1; core <= cores; core += 1) blocked = (offered * blocked) / (core + offered * blocked);
	return blocked / (1 - load * (1 - blocked)) / (cores - offered);
}

test("in small slices a core is shared, and the mean wait does not depend on how times are distributed", () => {
	const shared = { cores: 1, sliceMs: 0.05 };
	for (const needOf of [always, exponential]) {
		const measured = meanWait({ stations: [shared], load: 0.5, seed: 7, count: 30_000, needOf });
		expect(apart(measured, 1)).toBeLessThan(0.1);
	}
});

test("two stations in a row, times by chance: both wait as if they were alone", () => {
	const waited = meanWait({ stations: [alone, alone], load: 0.6, seed: 11, needOf: exponential });
	expect(apart(waited, 2 * 1.5)).toBeLessThan(0.1);
});

const requests = fc.array(
	fc.record({
		gapMs: fc.double({ min: 0, max: 5, noNaN: true }),
		kind: fc.integer({ min: 0, max: 2 }),
		needsMs: fc.array(fc.double({ min: 0, max: 9, noNaN: true }), { minLength: 2, maxLength: 2 }),
	}),
	{ maxLength: 200 },
);
const places = fc.record({
	cores: fc.integer({ min: 1, max: 3 }),
	sliceMs: fc.constantFrom(0.5, 3, Number.POSITIVE_INFINITY),
	atOnce: fc.integer({ min: 1, max: 2 }),
});

test("whatever comes, all that arrived is served, once, not before it was worked on, and no work is lost", () => {
	const holds = (drawn: ReadonlyArray<{ gapMs: number; kind: number; needsMs: number[] }>, place: Place) => {
		let atMs = 0;
		const arrivals = drawn.map(({ gapMs, ...one }): Arrival => {
			atMs += gapMs;
			return { ...one, atMs };
		});
		const came = arrivals.values();
		const served: Arrival[] = [];
		const totals = runQueue({
			stations: stationsOf(place),
			next: () => came.next().value,
			served: (arrival, waitsMs) => {
				expect(waitsMs).toHaveLength(2);
				expect(Math.min(...waitsMs)).toBeGreaterThanOrEqual(0);
				served.push(arrival);
			},
		});
		expect(served.toSorted((one, other) => one.atMs - other.atMs)).toHaveLength(arrivals.length);
		expect(new Set(served)).toEqual(new Set(arrivals));
		expect(totals).toMatchObject({ arrived: arrivals.length, served: arrivals.length });
		for (const [at, busyMs] of totals.busyMs.entries()) {
			const needed = sum(arrivals.map(({ needsMs }) => needsMs[at] ?? 0));
			expect(busyMs).toBeCloseTo(needed, 6);
			expect(busyMs).toBeLessThanOrEqual(totals.endMs * place.cores + 1e-6);
		}
	};
	fc.assert(fc.property(requests, places, holds), { seed: 2026, numRuns: 150 });
});

type Place = { cores: number; sliceMs: number; atOnce: number };
const stationsOf = ({ cores, sliceMs, atOnce }: Place): Station[] => [
	{ cores, sliceMs, limited: { kinds: new Set([2]), atOnce } },
	{ cores, sliceMs },
];

test("of a limited kind only so many are worked on at once, and others pass by", () => {
	const hash = { kind: 1, needsMs: [30] };
	const arrivals: Arrival[] = [
		{ atMs: 0, ...hash },
		{ atMs: 0, ...hash },
		{ atMs: 1, kind: 0, needsMs: [1] },
	];
	const waits: number[] = [];
	const stations = [{ cores: 2, sliceMs: 3, limited: { kinds: new Set([1]), atOnce: 1 } }];
	const came = arrivals.values();
	runQueue({ stations, next: () => came.next().value, served: (_, waitsMs) => waits.push(sum(waitsMs)) });
	expect(waits).toEqual([0, 0, 30]);
});

test("what had to wait needs only its share, what found a core free all of it", () => {
	const one = { kind: 0, needsMs: [10], shares: [0.5] };
	const arrivals: Arrival[] = [0, 4, 30].map((atMs) => ({ ...one, atMs }));
	const came = arrivals.values();
	const waits: number[] = [];
	const { busyMs, endMs } = runQueue({
		stations: [alone],
		next: () => came.next().value,
		served: (_, waitsMs) => waits.push(sum(waitsMs)),
	});
	expect([waits, busyMs, endMs]).toEqual([[0, 6, 0], [25], 40]);
});

test("the same seed gives the same waits, another one others", () => {
	const measure = (seed: number) =>
		meanWait({ stations: [alone], load: 0.5, seed, count: 2_000, needOf: exponential });
	expect(measure(5)).toBe(measure(5));
	expect(measure(5)).not.toBe(measure(6));
});
