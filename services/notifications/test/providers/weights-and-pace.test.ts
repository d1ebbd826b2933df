import { randomUUID } from "node:crypto";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createVault } from "../../src/addresses/sealed-address.ts";
import type { Class } from "../../src/message.ts";
import { listSendingProviders, takePace } from "../../src/providers/account.store.ts";
import { addCallCounts } from "../../src/providers/health.store.ts";
import { createPace, type Pace } from "../../src/providers/pace.ts";
import { weighProviders } from "../../src/providers/weigh-providers.ts";
import { encryptionKeys, type Office, openOffice } from "../office.ts";
import { addPlatformProvider } from "../platform-provider.ts";

let office: Office;
const vault = createVault(readKeyEncryptionKeys(encryptionKeys));
const ids: Record<string, string> = {};
const start = new Date("2026-11-24T08:00:30Z");
const after = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
beforeAll(async () => {
	office = await openOffice();
	for (const name of ["first", "second"])
		ids[name] = await addPlatformProvider(
			office,
			{
				...{
					channel: "sms",
					kind: "africastalking",
					name,
					restingWeight: 50,
					perSecond: 10,
					inFlightMax: 10,
				},
				secrets: vault.sealCredentials({ credentials: { username: "u", apiKey: "k" } }),
			},
			start,
		);
});
afterAll(() => office.close());

const weights = async () => {
	const found = await listSendingProviders(office.database.db, { tenantId: office.uhai.id, channel: "sms" });
	return Object.fromEntries(found.map(({ name, weight }) => [name, weight]));
};
const events = async () =>
	(
		await office.database.db.query<{ envelope: { type: string; subject: string; data: object } }>(
			"select envelope from outbox where envelope->>'type' like 'notifications.provider.%' order by position",
		)
	).map(({ envelope: { type, subject, data } }) => ({ type, subject, data }));

test("a provider with more than 50 errors in a minute loses weight, and regains it when it works; both are published once", async () => {
	const { db } = office.database;
	const minute = new Date("2026-11-24T08:00:00Z");
	const failing = { providerId: ids["first"] ?? "", minute, sent: 3, errors: 30, slow: 0 };
	await addCallCounts(db, [failing]);
	await addCallCounts(db, [failing]);
	await weighProviders(db, after(1));
	expect(await weights()).toEqual({ first: 40, second: 50 });
	await weighProviders(db, after(2));
	expect(await weights()).toEqual({ first: 40, second: 50 });
	await weighProviders(db, after(17));
	expect(await weights()).toEqual({ first: 50, second: 50 });
	const first = { provider_id: ids["first"], channel: "sms", kind: "africastalking", name: "first" };
	const eventOf = (what: string, data: object) => ({
		...{ type: `notifications.provider.${what}`, subject: ids["first"] },
		data: { ...first, ...data },
	});
	expect(await events()).toEqual([
		eventOf("degraded", { errors: 60, slow_percent: 0, weight: 40, at: after(1).toISOString() }),
		eventOf("recovered", { errors: 0, slow_percent: 0, weight: 50, at: after(17).toISOString() }),
	]);
});

test("a provider that answers no call loses weight, although its breaker lets few calls through, and one that answers some does not", async () => {
	const { db } = office.database;
	for (const minutes of [30, 31, 32]) {
		const minute = new Date(Math.floor(after(minutes).getTime() / 60_000) * 60_000);
		const failing = { minute, errors: 2, slow: 0 };
		await addCallCounts(db, [
			{ ...failing, providerId: ids["first"] ?? "", sent: 0 },
			{ ...failing, providerId: ids["second"] ?? "", sent: 1 },
		]);
	}
	await weighProviders(db, after(33));
	expect(await weights()).toEqual({ first: 40, second: 50 });
	expect((await events()).at(-1)).toMatchObject({
		...{ type: "notifications.provider.degraded", subject: ids["first"] },
	});
});

/** The pace of a process, on the database of the test. */
const paceOfProcess = () =>
	createPace({
		take: (id, wanted) => takePace(office.database.db, id, wanted),
		onError: (error) => {
			throw error;
		},
	});
const newProvider = (perSecond: number) =>
	addPlatformProvider(
		office,
		{
			...{ channel: "push", kind: "fcm", name: randomUUID(), restingWeight: 50, perSecond, inFlightMax: 10 },
			secrets: vault.sealCredentials({ credentials: {} }),
		},
		start,
	);
type Begun = { at: number; messageClass: Class };
/** Lets calls begin one after another, as many at once as a process has slots, for a time in milliseconds. */
async function callFor(ms: number, pace: Pace, { id, messageClass }: { id: string; messageClass: Class }) {
	const begun: Begun[] = [];
	const until = performance.now() + ms;
	const slot = async () => {
		while (performance.now() < until) {
			const waitMs = await pace.wait(id, messageClass);
			if (waitMs === 0) begun.push({ at: performance.now(), messageClass });
			else await new Promise((resolve) => setTimeout(resolve, waitMs));
		}
	};
	await Promise.all(Array.from({ length: 20 }, slot));
	return begun;
}
/** The largest number of calls that began within one second. */
const mostInASecond = (calls: readonly Begun[]) => {
	const times = calls.map(({ at }) => at).toSorted((left, right) => left - right);
	return Math.max(
		...times
			.map((start, place) => times.slice(place).findIndex((at) => at >= start + 1_000))
			.map((n, place) => (n === -1 ? times.length - place : n)),
	);
};

test("two processes together never call a provider more often than its pace in any second, and use it", async () => {
	const id = await newProvider(60);
	const processes = [paceOfProcess(), paceOfProcess()];
	const calls = (
		await Promise.all(processes.map((pace) => callFor(2_500, pace, { id, messageClass: "normal" })))
	).flat();
	expect(mostInASecond(calls)).toBeLessThanOrEqual(60);
	expect(calls.length).toBeGreaterThan(60);
	for (const pace of processes) pace.stop();
});

test("bulk messages leave a fifth of the pace, and do not delay others", async () => {
	const id = await newProvider(50);
	const [bulk, others] = [paceOfProcess(), paceOfProcess()];
	const about = { id, messageClass: "bulk" as const };
	const running = callFor(2_500, bulk, about);
	await new Promise((resolve) => setTimeout(resolve, 300));
	const waits: number[] = [];
	for (let n = 0; n < 8; n++) {
		const askedAt = performance.now();
		expect(await others.wait(id, "urgent")).toBe(0);
		waits.push(performance.now() - askedAt);
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
	const calls = await running;
	expect(mostInASecond(calls)).toBeLessThanOrEqual(40);
	expect(calls.length).toBeGreaterThan(40);
	expect(Math.min(...waits)).toBeLessThan(150);
	for (const pace of [bulk, others]) pace.stop();
});

test("a statement takes calls for all that wait, a call that would wait too long is given back, and a stop gives back all", async () => {
	const id = await newProvider(10);
	let statements = 0;
	const pace = createPace({
		take: (providerId, wanted) => {
			statements += 1;
			return takePace(office.database.db, providerId, wanted);
		},
		onError: () => {},
	});
	const waits = Promise.all(Array.from({ length: 100 }, () => pace.wait(id, "normal")));
	await new Promise((resolve) => setTimeout(resolve, 600));
	expect(statements).toBeLessThan(20);
	expect(pace.waiting(id)).toBeLessThan(50);
	pace.stop();
	const given = await waits;
	expect(given.filter((ms) => ms > 5_000).length).toBeGreaterThan(40);
	expect(given.filter((ms) => ms === 1).length).toBeGreaterThan(30);
	expect(given.filter((ms) => ms === 0).length).toBeLessThan(10);
	expect(await pace.wait(id, "urgent")).toBe(1);
	const missing = paceOfProcess();
	expect(await missing.wait(randomUUID(), "urgent")).toBe(5_000);
});
