import fc from "fast-check";
import { expect, test } from "vitest";
import { type Health, weigh } from "./weight.ts";

const now = new Date("2026-11-24T08:00:00Z");
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const well: Health = {
	...{ id: "a", weight: 50, restingWeight: 50, weighedAt: ago(60) },
	...{ errors: 0, sent: 100, slow: 0, unanswered: 0 },
};
const weights = (...pool: Health[]) => Object.fromEntries(weigh(pool, now));

test("more than 50 errors in a minute cost 10 points, 50 do not", () => {
	expect(weights({ ...well, errors: 51 })).toEqual({ a: 40 });
	expect(weights({ ...well, errors: 50 })).toEqual({});
});

test("five calls in five minutes without an answer cost 10 points, four do not", () => {
	expect(weights({ ...well, errors: 5, unanswered: 5 })).toEqual({ a: 40 });
	expect(weights({ ...well, errors: 4, unanswered: 4 })).toEqual({});
});

test("a slow provider gives 10 points to the others, at most every five minutes", () => {
	const slow = { ...well, slow: 15 };
	const other = { ...well, id: "b" };
	expect(weights(slow, other)).toEqual({ a: 40, b: 60 });
	expect(weights({ ...well, slow: 14 }, other)).toEqual({});
	expect(weights({ ...slow, weighedAt: ago(4) }, other)).toEqual({});
	expect(weights({ ...slow, weighedAt: ago(5) }, other)).toEqual({ a: 40, b: 60 });
});

test("if all providers are slow nothing changes", () => {
	expect(weights({ ...well, slow: 50 }, { ...well, id: "b", slow: 90 })).toEqual({});
});

test("every 15 minutes a provider that works well moves 10 points towards its resting weight", () => {
	expect(weights({ ...well, weight: 20, weighedAt: ago(15) })).toEqual({ a: 30 });
	expect(weights({ ...well, weight: 45, weighedAt: ago(15) })).toEqual({ a: 50 });
	expect(weights({ ...well, weight: 70, weighedAt: ago(15) })).toEqual({ a: 60 });
	expect(weights({ ...well, weight: 20, weighedAt: ago(14) })).toEqual({});
});

test("weights stay within 0 to 100, and providers that work well return to rest", () => {
	const pool = fc.array(
		fc.record({
			weight: fc.integer({ min: 0, max: 100 }),
			restingWeight: fc.integer({ min: 0, max: 100 }),
			errors: fc.integer({ min: 0, max: 100 }),
			sent: fc.integer({ min: 0, max: 100 }),
			slow: fc.integer({ min: 0, max: 100 }),
			unanswered: fc.integer({ min: 0, max: 9 }),
			age: fc.integer({ min: 0, max: 30 }),
		}),
		{ minLength: 1, maxLength: 4 },
	);
	fc.assert(
		fc.property(pool, (drawn) => {
			let current: Health[] = drawn.map(({ age, slow, sent, ...one }, at) => ({
				...{ ...one, id: String(at), weighedAt: ago(age), sent, slow: Math.min(slow, sent) },
			}));
			for (const weight of weigh(current, now).values())
				expect(weight).toSatisfy((points: number) => points >= 0 && points <= 100);
			current = current.map((one) => ({ ...one, errors: 0, slow: 0, unanswered: 0 }));
			let at = now;
			for (let round = 0; round < 10; round++) {
				at = new Date(at.getTime() + 16 * 60_000);
				const changed = weigh(current, at);
				current = current.map((one) => ({
					...one,
					weight: changed.get(one.id) ?? one.weight,
					weighedAt: at,
				}));
				at = new Date(at.getTime() + 16 * 60_000);
			}
			expect(current.map(({ weight }) => weight)).toEqual(current.map(({ restingWeight }) => restingWeight));
		}),
	);
});
