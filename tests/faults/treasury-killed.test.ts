import { randomUUID } from "node:crypto";
import { waitForBlockedQueries } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test, vi } from "vitest";
import { startTreasuryProcesses } from "./treasury-processes.ts";

// The steps of collecting a payment, each ended by kill -9. A lock on a table holds the statements that write
// to it, so that a process dies at exactly that step.

const till = setUp(startTreasuryProcesses);
const soon = { timeout: 30_000, interval: 100 };
/** Jobs whose heartbeat ended are looked for every 15 seconds. */
const restart = { timeout: 45_000, interval: 250 };

let phones = 0;
/** A phone of a person who acts when the test says so, or of one who accepts at once. */
const newPhone = (accepts = false) => `2547110${String(++phones).padStart(2, "0")}${accepts ? "001" : "500"}`;
const blocked = (statement: string) => waitForBlockedQueries(till.database.db, { like: `%${statement}%` });
const killBoth = () => Promise.all(till.processes.map((one) => one.kill()));
const startBoth = () => Promise.all(till.processes.map((one) => one.start()));

const paidOnce = { status: "succeeded", payments: 1, receipts: 1, journals: 1 };

async function askFor(tenant: "uhai" | "kahawa"): Promise<Bill> {
	const bill = { tenant: till.tenants[tenant], operationId: await till.ask(till.tenants[tenant]) };
	await vi.waitFor(async () => expect(await stored(bill)).toBeDefined(), soon);
	return bill;
}

type Bill = { tenant: (typeof till)["tenants"]["uhai"]; operationId: string };
const stored = ({ tenant, operationId }: Bill) => till.findBill(tenant, operationId);
const becomes = (bill: Bill, state: object, wait = soon) =>
	vi.waitFor(async () => expect(await stored(bill)).toMatchObject(state), wait);

/** Prompts a phone, and waits until it shows the prompt. */
async function prompt(bill: Bill): Promise<string> {
	const phone = newPhone();
	expect(await till.push(till.processes[0], { ...bill, phone })).toBe(202);
	await vi.waitFor(async () => expect(await till.sandbox.isPrompted(phone)).toBe(true), soon);
	return phone;
}

test("an intent is committed and the process dies before it answers: the same key returns it, and so does its operation", async () => {
	const [first, second] = till.processes;
	const { uhai: tenant } = till.tenants;
	const asked = {
		...{ tenant, path: "intents", headers: { "idempotency-key": randomUUID() } },
		body: {
			...{ operation_id: randomUUID(), amount_minor: 150_000, currency: "KES", description: "Order 17" },
			channels: ["push"],
		},
	};
	const release = await till.block("attempts", "access exclusive");
	const unanswered = till.call({ at: first, ...asked });
	await blocked("from attempts");
	await first.kill();
	expect(await unanswered).toBeUndefined();
	await release();
	const byKey = await till.call({ at: second, ...asked });
	const byOperation = await till.call({ at: second, ...asked, headers: {} });
	expect([byKey?.status, byOperation?.status]).toEqual([200, 200]);
	expect(byOperation?.body["id"]).toBe(byKey?.body["id"]);
	await first.start();
}, 60_000);

test("a bill is asked for, and the process dies before it is stored: there is one intent", async () => {
	const release = await till.block("locators");
	const { uhai: tenant } = till.tenants;
	const bill = { tenant, operationId: await till.ask(tenant) };
	await blocked("insert into locators");
	await killBoth();
	await release();
	await till.letTimePass();
	await startBoth();
	await becomes(bill, { status: "requires_payment", attempts: [] }, restart);
}, 90_000);

test("an attempt is stored and nothing was sent: no phone was asked, the attempt expires, and the other process renews the token and collects", async () => {
	const [first, second] = till.processes;
	const bill = await askFor("uhai");
	const [phone, other] = [newPhone(true), newPhone(true)];
	await till.endTokens();
	till.links.gateway.pause();
	const unanswered = till.push(first, { ...bill, phone });
	await vi.waitFor(async () => expect(await till.isRenewing()).toBe(true), soon);
	await first.kill();
	expect(await unanswered).toBeUndefined();
	till.links.gateway.cut();
	till.links.gateway.restore();
	expect(await stored(bill)).toMatchObject({ attempts: [{ status: "submitting", is_named: false }] });
	await till.letTimePass();
	expect(await till.push(second, { ...bill, phone: other })).toBe(202);
	await becomes(bill, paidOnce, restart);
	await becomes(bill, { attempts: [{ status: "expired" }, { status: "succeeded" }] }, restart);
	expect([await till.sandbox.countPaid(phone), await till.sandbox.countPaid(other)]).toEqual([0, 1]);
	await first.start();
}, 120_000);

test("the gateway took the prompt and its answer was not read: the callback names the attempt and pays it", async () => {
	const [first] = till.processes;
	const bill = await askFor("uhai");
	const phone = newPhone(true);
	const release = await till.block("evidence");
	const unanswered = till.push(first, { ...bill, phone });
	await blocked("insert into evidence");
	await first.kill();
	expect(await unanswered).toBeUndefined();
	expect(await stored(bill)).toMatchObject({ attempts: [{ status: "submitting", is_named: false }] });
	await vi.waitFor(async () => expect(await till.sandbox.countPaid(phone)).toBe(1), soon);
	await release();
	await first.start();
	await till.letTimePass();
	await becomes(bill, { ...paidOnce, attempts: [{ status: "succeeded", is_named: true }] }, restart);
}, 90_000);

/** Opens the page of the card gateway for a bill. */
const checkOut = ({ tenant, operationId }: Bill) =>
	till.call({
		...{ at: till.processes[0], tenant, path: `bills/${operationId}/checkout` },
		body: { email: "amina@example.com" },
	});

test("the card gateway opened a checkout and its answer was not read: what is paid there is counted, once", async () => {
	const [first] = till.processes;
	const bill = await askFor("uhai");
	const release = await till.block("evidence");
	const unanswered = checkOut(bill);
	await blocked("insert into evidence");
	await first.kill();
	expect(await unanswered).toBeUndefined();
	expect(await stored(bill)).toMatchObject({ attempts: [{ status: "submitting" }] });
	await release();
	await till.cards.pay();
	await becomes(bill, { ...paidOnce, attempts: [{ status: "succeeded" }] }, restart);
	await first.start();
}, 60_000);

test("an event of the card gateway is committed and the process dies before it answers: it comes again as a duplicate, and is counted once", async () => {
	const [, second] = till.processes;
	const bill = await askFor("kahawa");
	expect((await checkOut(bill))?.status).toBe(201);
	const { duplicates } = await till.countDeliveries();
	const release = await till.holdCommits("webhook_deliveries");
	await till.cards.pay();
	await blocked("commit");
	till.links.database.pause();
	await release();
	await second.kill();
	till.links.database.restore();
	await second.start();
	await becomes(bill, paidOnce, restart);
	const applied = { waiting: 0, duplicates: duplicates + 1 };
	await vi.waitFor(async () => expect(await till.countDeliveries()).toEqual(applied), restart);
	expect(await stored(bill)).toMatchObject(paidOnce);
}, 90_000);

test("a settlement is posted and both processes die before its charge is released: it is released once", async () => {
	const { uhai: tenant } = till.tenants;
	const request = { amount_minor: 150_000, currency: "KES", description: "Order 17", channels: ["card"] };
	const asked = await till.call({ at: till.processes[0], tenant, path: "intents", body: request });
	const path = `intents/${asked?.body["id"]}/checkout`;
	const opened = await till.call({
		at: till.processes[0],
		tenant,
		path,
		body: { email: "amina@example.com" },
	});
	expect(opened?.status).toBe(201);
	await till.cards.pay();
	const settled = () => till.findSettled(tenant);
	await vi.waitFor(async () => expect(await settled()).toMatchObject({ pending: 150_000 }), soon);
	await till.cards.control("settle", "POST");
	const release = await till.block("receipts");
	const day = 86_400_000;
	const range = { from: new Date(Date.now() - day), to: new Date(Date.now() + day) };
	expect(await till.operate(till.processes[0], "settlements/fetch", range)).toBe(202);
	await blocked("from receipts where tenant_id");
	await killBoth();
	await release();
	expect(await settled()).toEqual({ settlements: 1, releases: 0, pending: 150_000, available: 0 });
	await startBoth();
	await till.letTimePass();
	const released = { settlements: 1, releases: 1, pending: 0, available: 150_000 };
	await vi.waitFor(async () => expect(await settled()).toEqual(released), restart);
}, 120_000);

test("a process renews the token and dies: the other one reads the new token, and fetches no further one", async () => {
	const [first, second] = till.processes;
	const bill = await askFor("kahawa");
	const push = (at: typeof first) => till.push(at, { ...bill, phone: newPhone() });
	expect(await push(first)).toBe(202);
	await till.endTokens();
	expect(await push(second)).toBe(202);
	await second.kill();
	const renewed = await till.findTokenGeneration();
	expect(await push(first)).toBe(202);
	expect(await till.findTokenGeneration()).toBe(renewed);
	await second.start();
}, 60_000);

test("a callback comes before the answer to its call: the late answer changes nothing", async () => {
	const bill = await askFor("uhai");
	await till.sandbox.setFaults([{ operation: "push", fault: "callback_before_ack" }]);
	expect(await till.push(till.processes[0], { ...bill, phone: newPhone(true) })).toBe(202);
	await till.sandbox.setFaults([]);
	await becomes(bill, { ...paidOnce, attempts: [{ status: "succeeded", is_named: true }] });
}, 60_000);

test("a callback is stored and both processes die while it is applied: no part of it remains, and it is applied once although it comes again", async () => {
	const bill = await askFor("uhai");
	const phone = await prompt(bill);
	const release = await till.block("journals");
	await till.sandbox.accept(phone);
	await blocked("post_journal");
	await killBoth();
	await release();
	const unpaid = { status: "processing", payments: 0, receipts: 0, journals: 0 };
	expect(await stored(bill)).toMatchObject({ ...unpaid, attempts: [{ status: "awaiting" }] });
	const before = await till.countDeliveries();
	expect(before.waiting).toBe(1);
	await startBoth();
	const { url, body } = (await till.sandbox.listSent()).at(-1) ?? { url: "", body: "" };
	expect((await fetch(url, { method: "POST", body })).status).toBe(200);
	await till.letTimePass();
	await becomes(bill, paidOnce, restart);
	const applied = { waiting: 0, duplicates: before.duplicates + 1 };
	await vi.waitFor(async () => expect(await till.countDeliveries()).toEqual(applied), restart);
	expect(await stored(bill)).toMatchObject(paidOnce);
}, 120_000);

test("a payment is committed and not published, and a callback is in the spool, when both processes die: both are made up for, and published once", async () => {
	const [published, spooled] = [await askFor("uhai"), await askFor("kahawa")];
	const [phone, other] = [await prompt(published), await prompt(spooled)];
	till.links.bus.cut();
	await till.sandbox.accept(phone);
	await becomes(published, paidOnce);
	expect(await till.countUnpublished()).toBeGreaterThan(0);
	till.links.database.cut();
	const before = (await till.sandbox.listSent()).length;
	await till.sandbox.accept(other);
	await vi.waitFor(async () => {
		const sent = (await till.sandbox.listSent()).slice(before);
		expect(new Set(sent.map(({ answered }) => answered))).toEqual(new Set([200]));
	}, soon);
	await killBoth();
	till.links.database.restore();
	till.links.bus.restore();
	expect(await stored(spooled)).toMatchObject({ status: "processing", receipts: 0 });
	await startBoth();
	await till.letTimePass();
	await becomes(spooled, paidOnce, restart);
	await vi.waitFor(async () => expect(await till.countUnpublished()).toBe(0), restart);
	for (const { operationId } of [published, spooled])
		expect(await till.countPublished("treasury.payment.succeeded", operationId)).toBe(1);
}, 120_000);
