import { Subscription } from "@lango/contracts";
import fc from "fast-check";
import Schema from "typebox/schema";
import { describe, expect, test } from "vitest";
import { type SubscriptionRecord, snapshotAt, stateAt } from "./state.ts";

const day = 86_400_000;
const start = Date.parse("2026-03-01T00:00:00Z");
const at = (days: number) => new Date(start + days * day);

const growth = {
	code: "GROWTH",
	products: ["ordering"],
	features: ["multi_outlet"],
	limits: { max_riders: 15 },
};
const starter = {
	code: "STARTER",
	products: ["auth"],
	features: ["customer_portal"],
	limits: { max_riders: 0 },
};
const trial: SubscriptionRecord = {
	tenantId: "7b0a1f0e-5c55-4f0e-9a5e-0d3c3c9a1b11",
	version: 1,
	plan: growth,
	pending: null,
	addOns: [],
	overrides: { features: {}, limits: {}, products: [] },
	trialEndsAt: at(14),
	periodEndsAt: null,
	expiresAt: at(14),
	graceUntil: at(21),
};
const paid: SubscriptionRecord = { ...trial, periodEndsAt: at(31), expiresAt: at(45), graceUntil: at(52) };
const cancelled: SubscriptionRecord = { ...paid, expiresAt: at(31), graceUntil: at(38) };

describe("the state of", () => {
	test.each<[string, SubscriptionRecord, number, string]>([
		["a trial at its start", trial, 0, "TRIAL full until 14, then 14"],
		["a trial one moment before its end", trial, 13.999, "TRIAL full until 14, then 14"],
		["a trial at its end", trial, 14, "EXPIRED grace until 14, then 21"],
		["a trial one moment before its grace period ends", trial, 20.999, "EXPIRED grace until 14, then 21"],
		["a trial at the end of its grace period", trial, 21, "EXPIRED read_only until 14, then -"],
		["a paid period, long after its trial", paid, 30.999, "ACTIVE full until 31, then 31"],
		["an unpaid period during its retries", paid, 31, "PAST_DUE full until 45, then 45"],
		["a period at the end of its retries", paid, 45, "EXPIRED grace until 45, then 52"],
		["a period that was never paid", paid, 52, "EXPIRED read_only until 45, then -"],
		["a cancelled period until its end", cancelled, 30.999, "ACTIVE full until 31, then 31"],
		["a cancelled period at its end: it skips PAST_DUE", cancelled, 31, "EXPIRED grace until 31, then 38"],
	])("%s", (...[, record, days, expected]) => {
		const { status, access, endsAt, nextAt } = stateAt(record, at(days));
		const dayOf = (date: Date) => (date.getTime() - start) / day;
		expect(`${status} ${access} until ${dayOf(endsAt)}, then ${nextAt === null ? "-" : dayOf(nextAt)}`).toBe(
			expected,
		);
	});
});

/** Any record that the table accepts: boundaries in order, some of them equal. */
const records: fc.Arbitrary<SubscriptionRecord> = fc
	.record({
		trialDays: fc.integer({ min: 0, max: 30 }),
		periodDays: fc.option(fc.integer({ min: 1, max: 60 }), { nil: null }),
		retryDays: fc.integer({ min: 0, max: 14 }),
		graceDays: fc.integer({ min: 0, max: 14 }),
		pendingDays: fc.option(fc.option(fc.integer({ min: 0, max: 90 }), { nil: null }), { nil: undefined }),
		addOns: fc.constantFrom(
			[],
			[{ products: ["pos"], features: ["api_webhooks"], limits: { max_riders: 5 } }],
		),
		version: fc.integer({ min: 1, max: 1_000 }),
	})
	.map(({ trialDays, periodDays, retryDays, graceDays, pendingDays, addOns, version }) => {
		const expires = (periodDays ?? trialDays) + (periodDays === null ? 0 : retryDays);
		return {
			...trial,
			version,
			addOns,
			trialEndsAt: at(trialDays),
			periodEndsAt: periodDays === null ? null : at(periodDays),
			expiresAt: at(expires),
			graceUntil: at(expires + graceDays),
			pending:
				pendingDays === undefined
					? null
					: { plan: starter, addOns: null, from: pendingDays === null ? null : at(pendingDays) },
		};
	});
const moments = fc.integer({ min: -5 * day, max: 120 * day }).map((offset) => new Date(start + offset));

describe("a snapshot", () => {
	const shape = Schema.Compile(Subscription);
	const rank = { TRIAL: 0, ACTIVE: 0, PAST_DUE: 1, EXPIRED: 2 };
	const accessRank = { full: 0, grace: 1, read_only: 2 };

	test("matches the published schema", () => {
		fc.assert(
			fc.property(records, moments, (record, now) => {
				expect(shape.Check(snapshotAt(record, now))).toBe(true);
			}),
		);
	});

	test("stays the same until next_change_at, and changes then", () => {
		fc.assert(
			fc.property(records, moments, fc.nat(), (record, now, some) => {
				const snapshot = snapshotAt(record, now);
				const next =
					snapshot.next_change_at === null ? Number.POSITIVE_INFINITY : Date.parse(snapshot.next_change_at);
				expect(next).toBeGreaterThan(now.getTime());
				const before = Math.min(next - now.getTime(), 1_000 * day);
				for (const offset of [some % before, before - 1])
					expect(snapshotAt(record, new Date(now.getTime() + offset))).toEqual(snapshot);
				if (snapshot.next_change_at !== null)
					expect(snapshotAt(record, new Date(next))).not.toEqual(snapshot);
			}),
		);
	});

	test("loses access by time alone, and never regains it", () => {
		fc.assert(
			fc.property(records, moments, moments, (record, one, other) => {
				const [before, after] = one < other ? [one, other] : [other, one];
				const [first, then] = [snapshotAt(record, before), snapshotAt(record, after)];
				expect(rank[then.status]).toBeGreaterThanOrEqual(rank[first.status]);
				expect(accessRank[then.access]).toBeGreaterThanOrEqual(accessRank[first.access]);
			}),
		);
	});

	test("has features unless access is read_only", () => {
		fc.assert(
			fc.property(records, moments, (record, now) => {
				const { access, features } = snapshotAt(record, now);
				expect(features.length > 0).toBe(access !== "read_only");
			}),
		);
	});

	test("has grace_until only when it is expired", () => {
		fc.assert(
			fc.property(records, moments, (record, now) => {
				const { status, access, expiry, grace_until } = snapshotAt(record, now);
				expect(grace_until === null).toBe(status !== "EXPIRED");
				expect(now.getTime() >= expiry * 1_000).toBe(status === "EXPIRED");
				expect(access === "grace").toBe(grace_until !== null && now.getTime() < Date.parse(grace_until));
			}),
		);
	});

	test("depends only on the record and the time", () => {
		fc.assert(
			fc.property(records, moments, (record, now) => {
				expect(snapshotAt(structuredClone(record), now)).toEqual(snapshotAt(record, now));
			}),
		);
	});
});

describe("a pending change", () => {
	const downgraded: SubscriptionRecord = { ...paid, pending: { plan: starter, addOns: null, from: at(31) } };

	test("with a time is shown with that time and has no effect yet", () => {
		expect(snapshotAt(downgraded, at(30))).toMatchObject({
			plan: "GROWTH",
			features: ["multi_outlet"],
			pending_change: { plan: "STARTER", effective_at: at(31).toISOString() },
		});
	});

	test("takes effect at its time without a job", () => {
		expect(snapshotAt(downgraded, at(31))).toMatchObject({
			plan: "STARTER",
			features: ["customer_portal"],
			limits: { max_riders: 0 },
			products: ["auth"],
			pending_change: null,
		});
	});

	test("brings its add-ons at its time, and keeps the current ones if it names none", () => {
		const riders = { products: ["pos"], features: ["api_webhooks"], limits: { max_riders: 5 } };
		const kept = { ...downgraded, addOns: [riders] };
		expect(snapshotAt(kept, at(31))).toMatchObject({ limits: { max_riders: 5 }, products: ["pos", "auth"] });
		const dropped = { ...kept, pending: { plan: starter, addOns: [], from: at(31) } };
		expect(snapshotAt(dropped, at(30))).toMatchObject({
			plan: "GROWTH",
			products: expect.arrayContaining(["pos"]),
		});
		expect(snapshotAt(dropped, at(31))).toMatchObject({ limits: { max_riders: 0 }, products: ["auth"] });
	});

	test("that waits for its payment has no time, and never takes effect by itself", () => {
		const unpaid = { ...trial, pending: { plan: starter, addOns: null, from: null } };
		expect(snapshotAt(unpaid, at(100))).toMatchObject({
			plan: "GROWTH",
			pending_change: { plan: "STARTER", effective_at: null },
		});
	});
});
