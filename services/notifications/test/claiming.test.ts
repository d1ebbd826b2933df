import { inTenant } from "@lango/postgres";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Lane } from "../src/dispatch/claim.store.ts";
import { accepted, claimFrom, settleAs } from "./dispatch.ts";
import { greeting, type Office, openOffice } from "./office.ts";
import { expectTrue } from "./walk-rules.ts";
import { createProviders, createWorld, finish, steps, take } from "./walk-world.ts";

let office: Office;
beforeAll(async () => {
	office = await openOffice();
});
afterAll(() => office.close());

let names = 0;
const addresses = (count: number) => Array.from({ length: count }, () => `person${++names}@uhai.example`);
const emailLane = (tenantId: string): Lane => ({ tenantId, channel: "email", messageClass: "normal" });
const rows = <R extends Record<string, unknown>>(tenantId: string, text: string, values: unknown[] = []) =>
	inTenant(office.database.db, tenantId, (tx) => tx.query<R>(text, values));

test("two dispatchers never claim the same delivery", async () => {
	const tenant = office.tenant({});
	await office.send(tenant, greeting(addresses(60)));
	const claims = await Promise.all(
		Array.from({ length: 6 }, () => claimFrom(office, emailLane(tenant.id), 20)),
	);
	const ids = claims.flat().map(({ id }) => id);
	expect(ids.length).toBe(60);
	expect(new Set(ids).size).toBe(60);
});

test("a lane is idle when nothing is due, and due again with the next message", async () => {
	const tenant = office.tenant({});
	const dueAt = async () =>
		(await rows<{ next_due_at: Date | null }>(tenant.id, "select next_due_at from lanes"))[0]?.next_due_at;
	await office.send(tenant, greeting(addresses(1)));
	expect(await dueAt()).toBeInstanceOf(Date);
	await claimFrom(office, emailLane(tenant.id));
	expect(await dueAt()).toBe(null);
	await office.send(tenant, greeting(addresses(1)));
	expect(await dueAt()).toBeInstanceOf(Date);
});

test("messages that are accepted while their lane is claimed are all claimed", async () => {
	const tenant = office.tenant({});
	const seen = new Set<string>();
	let isOver = false;
	const claiming = (async () => {
		while (true) {
			const wasOver = isOver;
			const [lane] = await rows<{ next_due_at: Date | null }>(tenant.id, "select next_due_at from lanes");
			const claimed = lane?.next_due_at ? await claimFrom(office, emailLane(tenant.id), 3) : [];
			for (const { id } of claimed) seen.add(id);
			if (wasOver && !lane?.next_due_at) return;
		}
	})();
	await Promise.all(
		Array.from({ length: 8 }, async () => {
			for (let n = 0; n < 10; n++) await office.send(tenant, greeting(addresses(1)));
		}),
	);
	isOver = true;
	await claiming;
	expect(seen.size).toBe(80);
});

test("a result of an attempt whose lease was lost changes nothing", async () => {
	const tenant = office.tenant({});
	await office.send(tenant, greeting(addresses(1)));
	const [first] = await claimFrom(office, emailLane(tenant.id));
	if (first === undefined) throw new Error("nothing was claimed");
	await settleAs(office, tenant.id, [
		{ id: first.id, attempt: first.attempt, from: ["sending"], status: "queued", dueAt: new Date() },
	]);
	const [second] = await claimFrom(office, emailLane(tenant.id));
	expect(await settleAs(office, tenant.id, [accepted(first)])).toEqual([]);
	expect(second?.attempt).toBe(2);
});

test("a message is complete once, when its last delivery is sent or final", async () => {
	const tenant = office.tenant({});
	const { body } = await office.send(tenant, greeting(addresses(30)));
	const claimed = await claimFrom(office, emailLane(tenant.id));
	const settled = await Promise.all(
		Array.from({ length: 6 }, (_, part) =>
			settleAs(office, tenant.id, claimed.slice(part * 5, part * 5 + 5).map(accepted)),
		),
	);
	expect(settled.flat().filter(({ isMessageComplete }) => isMessageComplete).length).toBeGreaterThan(0);
	const events = await office.database.db.query<{ envelope: string }>(
		"select envelope::text from outbox where envelope::text like '%notifications.message.completed%' and envelope::text like $1",
		[`%${body.requestId}%`],
	);
	expect(events.length).toBe(1);
});

/** NOTIFICATION_WALKS=500 walks more often. A failure prints the seed and the shortest walk that fails. */
const numRuns = Number(process.env["NOTIFICATION_WALKS"] ?? 12);

test("after any walk of sends, failures, reports and deaths the sums are right, and every delivery ends", async () => {
	const providers = await createProviders(office);
	await fc.assert(
		fc.asyncProperty(fc.array(steps, { minLength: 15, maxLength: 40, size: "max" }), async (walk) => {
			const world = await createWorld(office, providers);
			for (const step of walk) await take(world, step);
			await expectTrue(world);
			await finish(world);
			expect(await expectTrue(world)).toEqual([]);
		}),
		{ numRuns },
	);
}, 600_000);
