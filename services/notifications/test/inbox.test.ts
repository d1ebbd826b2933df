import { randomUUID } from "node:crypto";
import { authUserCreated } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test, vi } from "vitest";
import { addItem } from "../src/inbox/inbox.store.ts";
import { purge } from "../src/purge/purge.ts";
import { removePerson } from "../src/recipients/erase-person.store.ts";
import { greeting, openOffice } from "./office.ts";

const office = setUp(() => openOffice({ NOTIFICATIONS_DISPATCH: "on" }));

/** A person of the tenant with an inbox, and how it is called. */
async function person(tenant = office.uhai) {
	const id = randomUUID();
	const data = {
		user_id: id,
		email: `p-${id}@uhai.example`,
		name: "Asha",
		roles: ["member"],
		status: "active",
	};
	await office.transport.publish(
		testEvent(authUserCreated, { subject: id, data, tenant: { id: tenant.id } }),
	);
	const token = office.token(tenant, "member", { sub: id });
	const base = `/api/v1/${tenant.slug}/notifications/inbox`;
	const get = async (path = "") => (await office.call({ url: base + path, token })).body;
	const isKnown = () =>
		inTenant(office.database.db, tenant.id, (tx) => tx.query("select from recipients where id = $1", [id]));
	await expect.poll(isKnown).toHaveLength(1);
	return {
		...{ id, token, get },
		put: (count: number, now = new Date()) =>
			inTenant(office.database.db, tenant.id, async (tx) => {
				for (let n = 0; n < count; n += 1) {
					const item = { id: randomUUID(), userId: id, title: `Item ${n}`, body: "Read this." };
					const { id: tenantId } = tenant;
					const at = new Date(now.getTime() + n);
					await addItem(tx, {
						...item,
						tenantId,
						category: "general",
						template: "shared/generic_notification",
						now: at,
					});
				}
			}),
		change: (itemId: string, body: object) =>
			office.call({ method: "PATCH", url: `${base}/${itemId}`, token, body }),
		seeAll: () => office.call({ method: "POST", url: `${base}/see-all`, token }),
		readAll: () => office.call({ method: "POST", url: `${base}/read-all`, token }),
	};
}

const inAppTo = (id: string) => ({ ...greeting([`user:${id}`]), channel: "in_app" });

test("a message to user:<id> on in_app is an item of that inbox, and reading it is reported on the delivery", async () => {
	const asha = await person();
	const { status, body } = await office.send(office.uhai, inAppTo(asha.id));
	expect([status, body]).toMatchObject([202, { status: "accepted" }]);
	await vi.waitFor(async () => expect(await asha.get("/count")).toEqual({ unread: 1, unseen: 1 }), 10_000);
	const { items } = await asha.get();
	expect(items).toMatchObject([
		{
			...{ title: "Stock is low", link: "https://lango.example/stock", category: "general" },
			...{ seen_at: null, read_at: null, archived_at: null },
		},
	]);
	const url = `/api/v1/uhai/notifications/messages/${body.requestId}/deliveries`;
	const statusNow = async () =>
		(await office.call({ url, token: office.token(office.uhai, "admin") })).body.items[0]?.status;
	await expect.poll(statusNow).toBe("delivered");
	const changed = await asha.change(items[0]?.id ?? "", { read: true });
	expect([changed.status, changed.body]).toMatchObject([200, { read_at: expect.any(String) }]);
	expect(await asha.get("/count")).toEqual({ unread: 0, unseen: 0 });
	expect(await statusNow()).toBe("read");
});

test("a message on in_app to an unknown person is refused with the place", async () => {
	const { status, body } = await office.send(office.uhai, inAppTo(randomUUID()));
	expect([status, body.code, body.field]).toEqual([400, "address_invalid", "to.0"]);
});

test("a delivery that is repeated adds no second item", async () => {
	const asha = await person();
	const item = { tenantId: office.uhai.id, id: randomUUID(), userId: asha.id, title: "Once", body: "Once." };
	const add = () =>
		inTenant(office.database.db, office.uhai.id, (tx) =>
			addItem(tx, { ...item, category: "general", template: "shared/generic_notification", now: new Date() }),
		);
	expect(await Promise.all([add(), add(), add()])).toEqual([true, true, true]);
	expect((await asha.get()).items).toHaveLength(1);
});

test("items are seen, read, archived and back, and listed by state in pages, the newest first", async () => {
	const asha = await person();
	await asha.put(5);
	const first = await asha.get("?limit=3");
	expect(first.items.map(({ title }) => title)).toEqual(["Item 4", "Item 3", "Item 2"]);
	const rest = await asha.get(`?limit=3&cursor=${first.next_cursor}`);
	expect([rest.items.map(({ title }) => title), rest.next_cursor]).toEqual([["Item 1", "Item 0"], null]);
	const [newest = { id: "" }, second = { id: "" }] = first.items;
	await asha.change(newest.id, { archived: true });
	await asha.change(second.id, { seen: true });
	expect(await asha.get("/count")).toEqual({ unread: 4, unseen: 3 });
	expect((await asha.get("?state=archived")).items.map(({ id }) => id)).toEqual([newest.id]);
	await asha.change(second.id, { read: true });
	expect((await asha.get("?state=unread")).items).toHaveLength(3);
	await asha.change(second.id, { read: false });
	await asha.change(newest.id, { archived: false });
	expect((await asha.seeAll()).body).toEqual({ unread: 5, unseen: 0 });
	expect((await asha.readAll()).body).toEqual({ unread: 0, unseen: 0 });
	expect((await asha.get("?state=unread")).items).toEqual([]);
});

test("another person's items cannot be read or changed, and programs have no inbox", async () => {
	const [asha, baraka] = [await person(), await person()];
	await asha.put(1);
	const [item = { id: "" }] = (await asha.get()).items;
	expect((await baraka.get()).items).toEqual([]);
	const foreign = await baraka.change(item.id, { read: true });
	expect([foreign.status, foreign.body.code]).toEqual([404, "item_not_found"]);
	expect((await asha.change(item.id, {})).status).toBe(400);
	expect((await asha.change(item.id, { read: "yes" })).body.field).toBe("read");
});

test("an inbox is read after the subscription has expired", async () => {
	const asha = await person(office.duka);
	await asha.put(1);
	expect((await asha.get()).items).toHaveLength(1);
	expect((await asha.readAll()).status).toBe(200);
});

test("an inbox keeps its newest 500 items", async () => {
	const asha = await person();
	await fill(asha.id, 498);
	await asha.put(5);
	const titles: unknown[] = [];
	for (let cursor: string | null | undefined = ""; cursor !== null; ) {
		const page = await asha.get(`?limit=100${cursor ? `&cursor=${cursor}` : ""}`);
		titles.push(...page.items.map(({ title }) => title));
		cursor = page.next_cursor;
	}
	expect([titles.length, titles[0], titles.at(-1)]).toEqual([500, "Item 4", "Old item 3"]);
});

/** Adds items that are older than those of now, in one statement. */
const fill = (userId: string, count: number) =>
	inTenant(office.database.db, office.uhai.id, (tx) =>
		tx.query(
			`insert into inbox_items (tenant_id, id, user_id, title, body, category, template, created_at)
			 select $1, gen_random_uuid(), $2, 'Old item ' || n, 'Read this.', 'general', 'shared/generic_notification',
			        now() - make_interval(hours => 1, secs => -n)
			   from generate_series(0, $3::int - 1) n on conflict do nothing`,
			[office.uhai.id, userId, count],
		),
	);

test("items are removed after 180 days, and with their person", async () => {
	const asha = await person();
	const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
	await asha.put(1, daysAgo(181));
	await asha.put(1, daysAgo(179));
	await purge(office.database.db, new Date());
	expect((await asha.get()).items).toHaveLength(1);
	await inTenant(office.database.db, office.uhai.id, (tx) =>
		removePerson(tx, { tenantId: office.uhai.id, id: asha.id }),
	);
	expect((await asha.get()).items).toEqual([]);
});
