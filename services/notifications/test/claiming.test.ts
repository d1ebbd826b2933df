import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Claimed, Lane } from "../src/dispatch/claim.store.ts";
import { type DispatcherOptions, startDispatcher } from "../src/dispatch/dispatcher.ts";
import { resultOf } from "../src/dispatch/outcome.ts";
import { listTenantsWithIdleLanes } from "../src/dispatch/recover.store.ts";
import { rearmIdleLanes, recoverDeliveries } from "../src/dispatch/recover.ts";
import { settle } from "../src/dispatch/settle.ts";
import { createSettling } from "../src/dispatch/settle-batches.ts";
import type { ProviderCalls } from "../src/providers/provider-calls.ts";
import { accepted, claimFrom, failFor, sendingIn, settleAs } from "./dispatch.ts";
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

const unsent = "select from message_deliveries where status <> 'sent'";

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

test("an answer counts after its lease has ended, and no longer when another attempt has begun", async () => {
	const tenant = office.tenant({});
	const lane = emailLane(tenant.id);
	const answer = (claimed: Claimed) =>
		resultOf({
			...{ lane, claimed, provider: undefined, outcome: { is: "accepted" }, tookMs: 1, random: 0 },
			...{ calledAt: new Date(), now: new Date() },
		});
	await office.send(tenant, greeting(addresses(2)));
	const claimed = await claimFrom(office, lane);
	await settleAs(
		office,
		tenant.id,
		claimed.map(({ id, attempt }) => ({
			id,
			attempt,
			from: ["sending"],
			status: "queued",
			dueAt: new Date(),
		})),
	);
	const [again] = await claimFrom(office, lane, 1);
	const settled = await settleAs(office, tenant.id, claimed.map(answer));
	expect(settled).toMatchObject([{ status: "sent" }]);
	expect(again?.attempt).toBe(2);
	expect(settled.map(({ id }) => id)).not.toContain(again?.id);
});

test("failures and tries that reach no provider are counted as tries; postponed claims and lost leases are not", async () => {
	const tenant = office.tenant({});
	await office.send(tenant, greeting(addresses(1)));
	const unreachable = { status: "queued", errorClass: "unreachable" } as const;
	const ends = {
		postponed: { status: "queued" },
		lost: { status: "queued", event: { kind: "decision", detail: { decision: "lease_lost" } } },
		"not reached": { ...unreachable, isFailure: false },
		failed: { status: "queued", errorClass: "refused", isFailure: true },
	} as const;
	for (const end of ["postponed", "not reached", "lost", "not reached", "failed", "postponed"] as const) {
		const [claimed] = await claimFrom(office, emailLane(tenant.id));
		if (claimed === undefined) throw new Error("nothing was claimed");
		const { id, attempt } = claimed;
		await settleAs(office, tenant.id, [
			{ id, attempt, from: ["sending"], dueAt: new Date(Date.now() - 1_000), ...ends[end] },
		]);
	}
	const [claimed] = await claimFrom(office, emailLane(tenant.id));
	expect(claimed).toMatchObject({ attempt: 7, failures: 1, tries: 3 });
});

/** Starts a dispatcher with few slots. */
function startSending(send: DispatcherOptions["send"]) {
	const { db } = office.database;
	const { vault } = sendingIn(office);
	return startDispatcher({
		pollMs: 2_000,
		...{ db, send, now: () => new Date(), leaseSeconds: 30, vault },
		log: office.app.log as unknown as DispatcherOptions["log"],
		...{ roomFor: () => 100, giveBack: () => {}, sizes: { urgent: 4, normal: 8, bulk: 4 } },
		settling: createSettling({
			settle: (batch) => settle({ db, now: () => new Date(), vault }, batch),
			onError: (error) => {
				throw error;
			},
		}),
	});
}

test("a lane that cannot be claimed from delays no other lane, and keeps no slots", async () => {
	const tenants = [office.tenant({}), office.tenant({}), office.tenant({})] as const;
	for (const [place, { id }] of tenants.entries()) {
		await office.send(tenants[place] ?? office.uhai, greeting(addresses(5)));
		await rows(id, "update lanes set served_at = $1", [new Date(place * 1_000)]);
	}
	const [first, failing, last] = tenants;
	await failFor(office, failing.id, { table: "lanes" });
	const dispatcher = startSending(async (_lane, claimed) => accepted(claimed));
	const open = async () =>
		(await Promise.all([first, last].map(({ id }) => rows(id, unsent)))).map(({ length }) => length);
	await expect.poll(open).toEqual([0, 0]);
	await dispatcher.stop();
	expect(await rows(failing.id, unsent)).toHaveLength(5);
});

test("a tenant whose provider hangs delays no other tenant", async () => {
	const [hanging, other] = [office.tenant({}), office.tenant({})];
	await office.send(hanging, greeting(addresses(40)));
	const { promise: end, resolve: answer } = Promise.withResolvers<void>();
	let called = 0;
	const dispatcher = startSending(async ({ tenantId }, claimed) => {
		if (tenantId === hanging.id) {
			called += 1;
			await end;
		}
		return accepted(claimed);
	});
	await expect.poll(() => called).toBeGreaterThan(0);
	for (let n = 0; n < 5; n++) await office.send(other, greeting(addresses(1)));
	dispatcher.wake("normal");
	const open = () => rows(other.id, unsent);
	await expect.poll(open).toEqual([]);
	expect(called).toBeLessThan(8);
	answer();
	await dispatcher.stop();
});

test("a provider that fails when it is asked for an outcome delays no other tenant's recovery", async () => {
	const tenants = [office.tenant({}), office.tenant({})];
	for (const tenant of tenants) {
		await office.send(tenant, greeting(addresses(1)));
		await claimFrom(office, emailLane(tenant.id));
		await rows(
			tenant.id,
			`update message_deliveries set status = 'unknown', provider_id = $1, text_key = '\\x00',
			   called_at = now() - interval '90 seconds', due_at = now() - interval '1 second'`,
			[randomUUID()],
		);
	}
	const asked: string[] = [];
	const lookUp: ProviderCalls["lookUp"] = async ({ tenantId }) => {
		asked.push(tenantId);
		if (asked.length === 1) throw new Error("the provider did not answer");
		return { eventKey: "1", kind: "sent" };
	};
	const { db, now, vault } = sendingIn(office);
	const recovering = { db, now, vault, calls: { lookUp } as ProviderCalls };
	await expect(recoverDeliveries(recovering, AbortSignal.timeout(20_000))).rejects.toMatchObject({
		errors: [{ message: "the provider did not answer" }],
	});
	const states = await Promise.all(
		asked.map((id) => rows(id, "select status, due_at > now() as is_later from message_deliveries")),
	);
	expect(states).toEqual([[{ status: "unknown", is_later: true }], [{ status: "sent", is_later: false }]]);
	expect(new Set(asked)).toEqual(new Set(tenants.map(({ id }) => id)));
});

test("a tenant whose lanes cannot be set due does not stop the others", async () => {
	const tenants = [office.tenant({}), office.tenant({}), office.tenant({})];
	for (const tenant of tenants) {
		await office.send(tenant, greeting(addresses(1)));
		await rows(tenant.id, "update lanes set next_due_at = null");
	}
	const { db } = office.database;
	const now = () => new Date(Date.now() + 1_000);
	const [failing = ""] = await listTenantsWithIdleLanes(db, now());
	await failFor(office, failing, { table: "lanes" });
	await expect(rearmIdleLanes({ db, now }, AbortSignal.timeout(20_000))).rejects.toMatchObject({
		errors: [{ message: "failed for a test" }],
	});
	expect(await listTenantsWithIdleLanes(db, now())).toEqual([failing]);
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

describe("paused e-mail", () => {
	const owner = () => office.token(office.lango, "superuser");
	const decide = (slug: string, what: "pause" | "resume", reason = "test") =>
		office.call({
			method: "POST",
			url: `/api/v1/${slug}/notifications/reputation/${what}`,
			token: owner(),
			body: { reason },
		});
	const bulkLane = (tenantId: string): Lane => ({ ...emailLane(tenantId), messageClass: "bulk" });
	const statuses = async (tenantId: string) =>
		Object.fromEntries(
			(
				await rows<{ status: string; n: number }>(
					tenantId,
					"select status, count(*)::integer as n from message_deliveries group by status",
				)
			).map(({ status, n }) => [status, n]),
		);

	test("nothing but urgent e-mail is claimed once a pause is committed, however many dispatchers claim", async () => {
		const tenant = office.tenant({});
		await office.send(tenant, greeting(addresses(120)));
		await office.send(tenant, greeting(addresses(120)));
		await office.send(tenant, greeting(addresses(90)));
		let isOver = false;
		const claiming = Array.from({ length: 8 }, async (_, n) => {
			const lane = n % 2 === 0 ? bulkLane(tenant.id) : emailLane(tenant.id);
			for (let rounds = 0; !isOver || rounds === 0; rounds++) await claimFrom(office, lane, 2);
		});
		await expect.poll(async () => (await statuses(tenant.id))["sending"] ?? 0).toBeGreaterThan(4);
		expect((await decide(tenant.slug, "pause")).status).toBe(200);
		const claimed = (await statuses(tenant.id))["sending"] ?? 0;
		await new Promise((resolve) => setTimeout(resolve, 150));
		isOver = true;
		await Promise.all(claiming);
		expect(claimed).toBeLessThan(330);
		expect(await statuses(tenant.id)).toEqual({ sending: claimed, queued: 330 - claimed });
		await decide(tenant.slug, "resume");
		const rest = await Promise.all([
			claimFrom(office, bulkLane(tenant.id), 330),
			claimFrom(office, emailLane(tenant.id), 330),
		]);
		expect(rest.flat()).toHaveLength(330 - claimed);
	}, 30_000);

	test("urgent e-mail and other channels are claimed during a pause", async () => {
		const tenant = office.tenant({});
		await decide(tenant.slug, "pause");
		const [push] = addresses(1);
		await office.send(tenant, greeting([`token-${push}-0123456789`], { channel: "push" }));
		await office.send(tenant, greeting(addresses(1)));
		await rows(tenant.id, "update message_deliveries set class = 'urgent' where channel = 'email'");
		const lanes: Lane[] = [
			{ tenantId: tenant.id, channel: "push", messageClass: "normal" },
			{ tenantId: tenant.id, channel: "email", messageClass: "urgent" },
		];
		for (const lane of lanes) expect(await claimFrom(office, lane)).toHaveLength(1);
	});

	test("what expires during a pause ends at its time, and the timeline of what waits says why", async () => {
		const tenant = office.tenant({});
		const soon = new Date(Date.now() + 60_000).toISOString();
		await office.send(tenant, greeting(addresses(1), { expires_at: soon }));
		const waiting = await office.send(tenant, greeting(addresses(1)));
		await decide(tenant.slug, "pause");
		office.clock.now = new Date(Date.now() + 120_000);
		await office.jobs.run("lanes.expire");
		expect(await statuses(tenant.id)).toEqual({ expired: 1, queued: 1 });
		const token = office.token(tenant, "admin");
		const base = `/api/v1/${tenant.slug}/notifications`;
		const { body } = await office.call({
			url: `${base}/messages/${waiting.body.requestId}/deliveries`,
			token,
		});
		const decisions = async () => {
			const found = await office.call({ url: `${base}/deliveries/${body.items[0]?.id}`, token });
			const timeline = found.body["timeline"] as Array<{ detail: { decision?: string; cause?: string } }>;
			return timeline.map(({ detail }) => [detail.decision, detail.cause]);
		};
		expect(await decisions()).toEqual([["paused", "owner"]]);
		await decide(tenant.slug, "resume");
		office.clock.now = undefined;
		expect((await decisions())[0]).toEqual(["paused", "owner"]);
	});
});
