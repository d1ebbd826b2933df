import { randomUUID } from "node:crypto";
import { authUserDeleted } from "@lango/contracts";
import { enqueueJob } from "@lango/jobs";
import { inTenant } from "@lango/postgres";
import { repointTenant, testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { readKeyEncryptionKeys } from "@lango/tokens";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createVault } from "../src/addresses/sealed-address.ts";
import { addToDigest, digestJob } from "../src/digests/add-to-digest.ts";
import { beginClosing, endWindow, listItems } from "../src/digests/digest.store.ts";
import type { DigestTerms } from "../src/digests/digest-wire.ts";
import { purge } from "../src/purge/purge.ts";
import { encryptionKeys, openOffice } from "./office.ts";

const office = setUp(openOffice);
const vault = createVault(readKeyEncryptionKeys(encryptionKeys));
type Tenant = typeof office.uhai;

const rows = <R extends Record<string, unknown>>(tenant: Tenant, text: string, values: unknown[] = []) =>
	inTenant(office.database.db, tenant.id, (tx) => tx.query<R>(text, values));

/** A new tenant with a person, and what its administrator calls. */
async function open() {
	const tenant = office.tenant({});
	const id = randomUUID();
	const token = office.token(tenant, "member", { sub: id, email: `p-${id}@uhai.example`, name: "Asha" });
	const call = (method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object) =>
		office.call({
			...{ method, url: `/api/v1/${tenant.slug}/notifications${path}` },
			...{ token: office.token(tenant, "admin"), ...(body !== undefined && { body }) },
		});
	const prefer = (body: object) =>
		office.call({ method: "PUT", url: `/api/v1/${tenant.slug}/notifications/preferences`, token, body });
	expect((await prefer({ time_zone: "Africa/Nairobi" })).status).toBe(200);
	const event = `custom.e${randomUUID().slice(0, 8)}`;
	const rule = async (digest: DigestTerms, more: object = {}): Promise<string> => {
		const { status, body } = await call("POST", "/triggers", {
			...{ name: randomUUID(), event, template: "shared/generic_notification", channels: ["email"], digest },
			recipients: [`user:${id}`],
			map: {
				...{ name: { from: "recipient.name" }, title: { from: "event.title" } },
				...{ message: { value: "See the list." }, action_link: { value: "https://lango.example/x" } },
			},
			...more,
		});
		expect({ status, body }).toMatchObject({
			status: 201,
			body: { digest, people: [{ user_id: id, name: "Asha" }] },
		});
		return body.id;
	};
	const happen = async (...titles: string[]) => {
		for (const title of titles) {
			const data = { title, project: title.slice(0, 1) };
			const sent = { id: randomUUID(), type: event, subject: "item", data };
			expect((await call("POST", "/events", sent)).status).toBe(202);
			await office.jobs.runDue();
		}
	};
	const windows = async () => (await call("GET", "/digests")).body.items;
	const sendNow = async () => {
		for (const { id: window } of await windows())
			expect(await call("POST", `/digests/${window}/send-now`)).toMatchObject({
				status: 202,
				body: { id: window },
			});
		await office.jobs.runDue();
	};
	const digests = () =>
		rows<{ status: string; channel: string; data: Buffer; data_key_id: string; class: string }>(
			tenant,
			`select d.status, m.channel, m.class, m.data, m.data_key_id from messages m join message_deliveries d on d.message_id = m.id
			  where m.source = 'digest' order by m.created_at, m.id`,
		);
	/** The titles in the digests that were sent, by digest. */
	const sent = async () =>
		(await digests()).map(({ data, data_key_id: keyId }) => {
			const { values } = vault.openData({ keyId, sealed: data }) as { values: Record<string, unknown> };
			const items = values["items"] as Array<{ title: string }>;
			expect(values).toMatchObject({ name: "Asha", count: items.length });
			return items.map(({ title }) => title);
		});
	return { tenant, id, call, prefer, rule, happen, windows, sendNow, digests, sent };
}

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

test("when a tenant gets another id, its digests go with it", async () => {
	const { tenant, rule, happen } = await open();
	await rule(hourly);
	await happen("One", "Two");
	const to = randomUUID();
	await repointTenant(office.database.db, { slug: tenant.slug, from: tenant.id, to });
	expect(await rows({ ...tenant, id: to }, "select items from digest_windows")).toEqual([{ items: 2 }]);
	expect(await rows({ ...tenant, id: to }, "select from digest_items")).toHaveLength(2);
});

test("two ids of a tenant that are merged keep one rule of each name, and every digest", async () => {
	const [from, to] = [await open(), await open()];
	for (const { rule } of [from, to]) await rule(hourly, { name: "Low stock" });
	const other = await from.rule(hourly);
	for (const { happen } of [from, to]) await happen("One");
	const known = await office.call({
		...{ method: "PUT", url: `/api/v1/${to.tenant.slug}/notifications/preferences` },
		...{ body: { time_zone: "Africa/Nairobi" }, token: office.token(to.tenant, "member", { sub: from.id }) },
	});
	expect(known.status).toBe(200);
	await repointTenant(office.database.db, { slug: from.tenant.slug, from: from.tenant.id, to: to.tenant.id });
	expect(
		await rows(
			to.tenant,
			`select t.name = 'Low stock' as is_kept, t.id = $1 as is_other from digest_windows w
			   left join triggers t on t.id = w.trigger_id order by is_kept`,
			[other],
		),
	).toEqual([
		{ is_kept: false, is_other: true },
		{ is_kept: true, is_other: false },
		{ is_kept: null, is_other: null },
	]);
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
