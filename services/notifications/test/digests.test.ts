import { randomUUID } from "node:crypto";
import { authUserDeleted } from "@lango/contracts";
import { enqueueJob } from "@lango/jobs";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import { addToDigest, digestJob } from "../src/digests/add-to-digest.ts";
import { beginClosing, endWindow, listItems } from "../src/digests/digest.store.ts";
import { purge } from "../src/purge/purge.ts";
import { digestsIn } from "./digesting.ts";
import { openOffice } from "./office.ts";

const office = setUp(openOffice);
const { rows, open, vault } = digestsIn(office);

const hourly = { every: "1h", items_max: 10 } as const;

test("messages of a rule are collected, and sent as one message of the class bulk", async () => {
	const { tenant, id, rule, happen, windows, sendNow, digests, sent, call } = await open();
	const trigger = await rule(hourly, { channels: ["email", "in_app"] });
	await happen("One", "Two", "Three");
	expect(await windows()).toMatchObject([
		{ trigger_id: trigger, user_id: id, user_name: "Asha", key: "", items: 3, items_max: 10 },
		{ trigger_id: trigger, user_id: id, items: 3 },
	]);
	const { items: runs } = (await call("GET", `/triggers/${trigger}/runs`)).body;
	expect(runs[0]).toMatchObject({
		...{ status: "sent", messages: 2 },
		notes: [
			{ channel: "email", reason: "digested", recipients: 1 },
			{ channel: "in_app", reason: "digested", recipients: 1 },
		],
	});
	expect(await rows(tenant, "select status from message_deliveries")).toEqual(
		Array.from({ length: 6 }, () => ({ status: "digested" })),
	);
	expect(await digests()).toEqual([]);
	await sendNow();
	const titles = ["One", "Two", "Three"];
	expect(await sent()).toEqual([titles, titles]);
	expect(await digests()).toMatchObject([{ status: "queued", class: "bulk" }, { class: "bulk" }]);
	expect(await windows()).toEqual([]);
	expect(await rows(tenant, "select from digest_items where item is not null")).toEqual([]);
});

test("a digest with as many messages as allowed is sent at once, and the next message opens another", async () => {
	const { rule, happen, windows, sent } = await open();
	await rule({ every: "24h", items_max: 2 });
	await happen("One", "Two", "Three");
	expect(await sent()).toEqual([["One", "Two"]]);
	expect(await windows()).toMatchObject([{ items: 1 }]);
});

test("messages with different values at the path of the rule are in different digests", async () => {
	const { rule, happen, windows, sendNow, sent } = await open();
	await rule({ ...hourly, key: "event.project" });
	await happen("A1", "B1", "A2");
	expect((await windows()).map(({ key, items }) => [key, items]).toSorted()).toEqual([
		["A", 2],
		["B", 1],
	]);
	await sendNow();
	expect((await sent()).toSorted()).toEqual([["A1", "A2"], ["B1"]]);
});

test("a digest whose job was lost is sent by the recovery scan, and not before its time", async () => {
	const { tenant, rule, happen, windows, digests } = await open();
	await rule(hourly);
	await happen("One");
	const [window] = await windows();
	const run = async (minutes: number) => {
		office.clock.now = new Date(Date.now() + minutes * 60_000);
		await office.jobs.run("digests.close.sweep");
		await office.jobs.runDue();
		office.clock.now = undefined;
	};
	await inTenant(office.database.db, tenant.id, (tx) =>
		enqueueJob(tx, digestJob, { id: String(window?.id), tenantId: tenant.id }),
	);
	await office.jobs.runDue();
	await run(59);
	expect(await digests()).toEqual([]);
	await run(62);
	expect(await digests()).toHaveLength(1);
});

test("preferences apply to a message before it is collected, and to the digest", async () => {
	const { tenant, rule, happen, windows, prefer, sendNow, digests } = await open();
	await rule(hourly);
	await happen("One");
	await prefer({ categories: { general: { email: false } } });
	await happen("Two");
	expect(await windows()).toMatchObject([{ items: 1 }]);
	expect(await rows(tenant, "select status from message_deliveries order by created_at")).toEqual([
		{ status: "digested" },
		{ status: "skipped_preference" },
	]);
	await prefer({ categories: { digest: { email: false } } });
	await sendNow();
	expect(await digests()).toMatchObject([{ status: "skipped_preference" }]);
});

test("a digest of a removed rule is still sent, and one of a person who is no longer active is not", async () => {
	const [first, second] = [await open(), await open()];
	const trigger = await first.rule(hourly);
	await second.rule(hourly);
	for (const one of [first, second]) await one.happen("One");
	expect((await first.call("DELETE", `/triggers/${trigger}`)).status).toBe(204);
	expect(await first.windows()).toMatchObject([{ trigger_id: null, trigger_name: null }]);
	await rows(second.tenant, "update recipients set status = 'disabled'");
	for (const one of [first, second]) await one.sendNow();
	expect(await first.sent()).toEqual([["One"]]);
	expect(await second.digests()).toEqual([]);
	expect(await rows(second.tenant, "select status, reason from digest_windows")).toEqual([
		{ status: "closed", reason: "person_inactive" },
	]);
});

test("only an open digest can be sent now", async () => {
	const { call, rule, happen, windows, sendNow } = await open();
	await rule(hourly);
	await happen("One");
	const [window] = await windows();
	await sendNow();
	for (const id of [window?.id, randomUUID()])
		expect(await call("POST", `/digests/${id}/send-now`)).toMatchObject({
			status: 404,
			body: { code: "digest_not_found" },
		});
});

test("with a person their digests are erased, and 90 days after its end a digest is removed", async () => {
	const [erased, kept] = [await open(), await open()];
	for (const one of [erased, kept]) {
		await one.rule(hourly);
		await one.happen("One");
	}
	await kept.sendNow();
	await office.transport.publish(
		testEvent(authUserDeleted, {
			...{ subject: erased.id, tenant: erased.tenant },
			data: { user_id: erased.id, version: 9 },
		}),
	);
	const count = async ({ tenant }: typeof erased) =>
		(await rows(tenant, "select from digest_windows union all select from digest_items")).length;
	await expect
		.poll(async () => {
			await office.jobs.runDue();
			return count(erased);
		})
		.toBe(0);
	const after = (days: number) => new Date(Date.now() + days * 86_400_000);
	await purge(office.database.db, after(89));
	expect(await count(kept)).toBe(2);
	await purge(office.database.db, after(91));
	expect(await count(kept)).toBe(0);
});

test("a digest is due at the next time of day of the zone, also where clocks change", async () => {
	const due = async (after: string, zone: string, [at, weekday]: readonly [string, number?]) => {
		const [row] = await office.database.db.query<{ due: Date }>(
			"select next_local_time($1, $2, $3, $4) as due",
			[after, zone, at, weekday ?? null],
		);
		return row?.due.toISOString();
	};
	const berlin = "Europe/Berlin";
	expect([
		await due("2026-11-25T04:59:59Z", "Africa/Nairobi", ["08:00"]),
		await due("2026-11-25T05:00:00Z", "Africa/Nairobi", ["08:00"]),
		await due("2026-11-25T05:00:00Z", "Africa/Nairobi", ["08:00", 3]),
		await due("2026-11-25T05:00:00Z", "Africa/Nairobi", ["08:00", 1]),
		// 02:30 does not exist on the day when clocks go forward, and exists twice when they go back.
		await due("2027-03-27T12:00:00Z", berlin, ["02:30"]),
		await due("2027-10-30T12:00:00Z", berlin, ["02:30"]),
		await due("2027-10-31T01:30:00Z", berlin, ["02:30"]),
	]).toEqual([
		"2026-11-25T05:00:00.000Z",
		"2026-11-26T05:00:00.000Z",
		"2026-12-02T05:00:00.000Z",
		"2026-11-30T05:00:00.000Z",
		"2027-03-28T01:30:00.000Z",
		"2027-10-31T01:30:00.000Z",
		"2027-11-01T01:30:00.000Z",
	]);
	await fc.assert(
		fc.asyncProperty(
			fc.date({ min: new Date("2026-01-01"), max: new Date("2030-01-01"), noInvalidDate: true }),
			fc.constantFrom("Africa/Nairobi", berlin, "America/New_York", "Pacific/Apia"),
			fc.integer({ min: 1, max: 7 }),
			async (after, zone, weekday) => {
				const found = new Date(String(await due(after.toISOString(), zone, ["09:15", weekday])));
				const shown = new Intl.DateTimeFormat("en-GB", {
					timeZone: zone,
					weekday: "long",
					timeStyle: undefined,
				});
				const days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
				const waits = found.getTime() - after.getTime();
				expect(waits).toBeGreaterThan(0);
				expect(waits).toBeLessThanOrEqual(7 * 86_400_000 + 3_600_000);
				expect(shown.format(found)).toBe(days[weekday - 1]);
			},
		),
		{ numRuns: 50 },
	);
});

test("every message is in exactly one digest while others add and close at the same time", async () => {
	const { tenant, id, rule } = await open();
	const terms = { every: "1h", items_max: 5 } as const;
	const triggerId = await rule(terms);
	const { db } = office.database;
	const now = new Date();
	const place = {
		tenantId: tenant.id,
		triggerId,
		terms,
		channel: "email",
		userId: id,
		key: undefined,
	} as const;
	const titles = Array.from({ length: 200 }, (_, at) => `Item ${at}`);
	const sent: string[] = [];
	const add = async (title: string) =>
		inTenant(db, tenant.id, (tx) =>
			addToDigest(tx, { vault, now }, { ...place, messageId: randomUUID(), item: { title, body: "" } }),
		);
	const close = async () => {
		const open = await rows<{ id: string }>(tenant, "select id from digest_windows where status <> 'closed'");
		for (const window of open) {
			const later = new Date(now.getTime() + 7_200_000);
			await inTenant(db, tenant.id, (tx) => beginClosing(tx, { id: window.id, now: later }));
			await inTenant(db, tenant.id, async (tx) => {
				const items = await listItems(tx, window.id);
				if (await endWindow(tx, { id: window.id, messageId: randomUUID() }, later))
					sent.push(...items.map((item) => (vault.openData(item) as { title: string }).title));
			});
		}
	};
	const queue = [...titles];
	const adder = async () => {
		for (let title = queue.shift(); title !== undefined; title = queue.shift()) await add(title);
	};
	const closer = async () => {
		while (queue.length > 0) await close();
	};
	await Promise.all([...Array.from({ length: 12 }, adder), ...Array.from({ length: 4 }, closer)]);
	await close();
	expect(sent.toSorted()).toEqual(titles.toSorted());
	expect(await rows(tenant, "select from digest_windows where items > items_max")).toEqual([]);
});
