import fc from "fast-check";
import { expect, test } from "vitest";
import {
	activeSeconds,
	dueSteps,
	goesOnAt,
	type KeyState,
	publishedBeforeSeconds,
	signOnPlan,
} from "./rotation.ts";

/** Applies what is due, as the database would. */
function apply(
	keys: KeyState[],
	{ now, serial, isAsked }: { now: Date; serial: () => string; isAsked: boolean },
): KeyState[] {
	let next = keys;
	for (const step of dueSteps(keys, { now, isAsked })) {
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

/** The rules, checked of one step from `before` to `walk`. */
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

test("at any pace and whenever somebody asks, one key signs, each was published long enough before, and stays long enough after", () => {
	const tick = fc.record({ seconds: fc.integer({ min: 1, max: 40 * 86_400 }), isAsked: fc.boolean() });
	fc.assert(
		fc.property(fc.array(tick, { minLength: 1, maxLength: 60 }), (ticks) => {
			let count = 0;
			const serial = () => `k${++count}`;
			const keys = apply([], { now: new Date(0), serial, isAsked: false });
			const published = new Map(keys.map(({ kid }) => [kid, 0]));
			let walk: Walk = { keys, now: new Date(0), published, firsts: new Set(published.keys()) };
			for (const { seconds, isAsked } of ticks) {
				const now = new Date(walk.now.getTime() + seconds * 1_000);
				const next = apply(walk.keys, { now, serial, isAsked });
				for (const { kid } of next) if (!published.has(kid)) published.set(kid, now.getTime());
				const before = walk.keys;
				walk = { ...walk, keys: next, now };
				expectKept(before, walk);
			}
		}),
	);
});

test("a key that is looked after every minute is replaced after ninety days, not before", () => {
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
] as const)("a key that is %s since eight in the morning of 2 March goes on at %s", (status, at) => {
	const key = { algorithm: "ES256", status, changedAt: new Date("2026-03-02T08:00:00Z") } as const;
	expect(goesOnAt(key).toISOString()).toBe(at);
});
