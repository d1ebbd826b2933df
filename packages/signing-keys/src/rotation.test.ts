import fc from "fast-check";
import { expect, test } from "vitest";
import {
	activeSeconds,
	dueSteps,
	type KeyState,
	nextChangeAt,
	publishedBeforeSeconds,
	signOnPlan,
} from "./rotation.ts";

/** Applies the steps that are due, as the store would. */
function apply(
	keys: KeyState[],
	{ now, serial, isForced }: { now: Date; serial: () => string; isForced: boolean },
): KeyState[] {
	let next = keys;
	for (const step of dueSteps(keys, { now, isForced })) {
		if (step.kind === "make")
			next = [...next, { kid: serial(), algorithm: step.algorithm, status: step.status, changedAt: now }];
		else if (step.kind === "remove") next = next.filter(({ kid }) => kid !== step.kid);
		else
			next = next.map((key) => {
				if (key.kid === step.kid) return { ...key, status: "active" as const, changedAt: now };
				return key.kid === step.retire ? { ...key, status: "retired" as const, changedAt: now } : key;
			});
	}
	return next;
}

type Walk = { keys: KeyState[]; now: Date; published: Map<string, number>; firsts: ReadonlySet<string> };

/** Checks the rules for one transition from `before` to `walk`. */
function expectKept(before: readonly KeyState[], { keys, now, published, firsts }: Walk): void {
	for (const algorithm of ["ES256", "RS256"]) {
		const active = keys.filter((key) => key.algorithm === algorithm && key.status === "active");
		expect(active).toHaveLength(1);
		for (const { kid, changedAt } of active.filter((key) => !firsts.has(key.kid)))
			expect(changedAt.getTime() - (published.get(kid) ?? Number.NaN)).toBeGreaterThanOrEqual(
				publishedBeforeSeconds * 1_000,
			);
	}
	for (const gone of before.filter(({ kid }) => !keys.some((key) => key.kid === kid))) {
		expect(gone.status).toBe("retired");
		expect(now.getTime() - gone.changedAt.getTime()).toBeGreaterThanOrEqual(
			signOnPlan.publishedAfterSeconds * 1_000,
		);
	}
}

test("with any sequence of ticks and forced rotations, one key is active, and each key is published long enough before and after it signs", () => {
	const tick = fc.record({ seconds: fc.integer({ min: 1, max: 40 * 86_400 }), isForced: fc.boolean() });
	fc.assert(
		fc.property(fc.array(tick, { minLength: 1, maxLength: 60 }), (ticks) => {
			let count = 0;
			const serial = () => `k${++count}`;
			const keys = apply([], { now: new Date(0), serial, isForced: false });
			const published = new Map(keys.map(({ kid }) => [kid, 0]));
			let walk: Walk = { keys, now: new Date(0), published, firsts: new Set(published.keys()) };
			for (const { seconds, isForced } of ticks) {
				const now = new Date(walk.now.getTime() + seconds * 1_000);
				const next = apply(walk.keys, { now, serial, isForced });
				for (const { kid } of next) if (!published.has(kid)) published.set(kid, now.getTime());
				const before = walk.keys;
				walk = { ...walk, keys: next, now };
				expectKept(before, walk);
			}
		}),
	);
});

test("a key that is checked every minute is replaced after ninety days and not earlier", () => {
	const at = (seconds: number) => new Date(seconds * 1_000);
	const keys: KeyState[] = [
		{ kid: "a", algorithm: "ES256", status: "active", changedAt: at(0) },
		{ kid: "r", algorithm: "RS256", status: "active", changedAt: at(0) },
	];
	expect(dueSteps(keys, { now: at(activeSeconds - 2 * publishedBeforeSeconds - 1) })).toEqual([]);
	expect(dueSteps(keys, { now: at(activeSeconds - 2 * publishedBeforeSeconds) })).toMatchObject([
		{ kind: "make", status: "pending" },
		{ kind: "make" },
	]);
});

test.each([
	["pending", "2026-03-02T08:11:00.000Z"],
	["active", "2026-05-31T08:00:00.000Z"],
	["retired", "2026-05-31T08:10:00.000Z"],
] as const)("a key that is %s since eight in the morning of 2 March changes next at %s", (status, at) => {
	const key = { algorithm: "ES256", status, changedAt: new Date("2026-03-02T08:00:00Z") } as const;
	expect(nextChangeAt(key).toISOString()).toBe(at);
});
