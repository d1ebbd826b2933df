import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, describe, expect, test } from "vitest";
import { purge } from "../src/purge/purge.ts";
import { greeting, openOffice } from "./office.ts";

const office = setUp(openOffice);

const userId = randomUUID();
const outletId = randomUUID();
const base = "/api/v1/uhai/notifications";
const admin = () => office.token(office.uhai, "admin", { sub: userId });
const get = (path: string) => office.call({ url: `${base}${path}`, token: admin() });
const post = (path: string, body?: object) =>
	office.call({ method: "POST", url: `${base}${path}`, token: admin(), body });

const addOutlet = () =>
	inTenant(office.database.db, office.uhai.id, (tx) =>
		tx.query(
			`insert into outlets (id, tenant_id, code, name, use_case, is_hq, status, settings, synced_at)
			 values ($1, $2, 'A', 'A', 'retail', false, 'active', '{}', now())`,
			[outletId, office.uhai.id],
		),
	);

describe("the feed", () => {
	const names = ["mail", "item", "text", "again", "ticket"] as const;
	type Name = (typeof names)[number];
	const ids = {} as Record<Name, string>;
	const times = {} as Record<Name, string>;

	/** Sends a message a second after the one before. */
	const send = async (name: Name, call: () => ReturnType<typeof office.call>) => {
		office.clock.now = new Date((office.clock.now ?? new Date()).getTime() + 1_000);
		const { status, body } = await call();
		expect([name, status, body.code]).toEqual([name, 202, undefined]);
		ids[name] = body.requestId;
		times[name] = office.clock.now.toISOString();
	};

	beforeAll(async () => {
		const device = { platform: "android", token: "device-token-of-the-feed" };
		expect((await post("/devices", device)).status).toBe(201);
		await addOutlet();
		const atOutlet = { token: admin(), headers: { "x-outlet-id": outletId } };
		const mail = greeting(["Asha@uhai.example"], { metadata: { order: "17" } });
		await send("mail", () => office.send(office.uhai, mail, atOutlet));
		await send("item", () => post("/messages", greeting([`user:${userId}`], { channel: "in_app" })));
		await send("text", () => post("/messages", greeting(["0712345678"], { channel: "sms" })));
		const { body } = await get(`/messages/${ids.text}/deliveries`);
		await send("again", () => post(`/deliveries/${body.items[0]?.id}/resend`, {}));
		const ticket = {
			...{ name: "Asha", ticket_number: "T1", vehicle_reg: "KAA 001A", gross_weight: 9, net_weight: 7 },
			...{ compliance_status: "ok", download_link: "https://lango.example/t" },
		};
		const weighing = { template: "weighing/weight_ticket", data: ticket };
		await send("ticket", () => post("/messages", greeting(["asha@uhai.example"], weighing)));
		office.clock.now = undefined;
	});

	const shown = async (query: string) => {
		const { status, body } = await get(`/messages?${query}&total=true`);
		expect([query, status, body.total]).toEqual([query, 200, body.items.length]);
		return body.items.map(({ id }) => names.find((name) => ids[name] === id));
	};

	test.each<[filter: string, query: () => string, shown: Name[]]>([
		["nothing", () => "", ["ticket", "again", "text", "item", "mail"]],
		["a status of a delivery", () => "status=skipped_no_credit", ["again", "text"]],
		["a channel", () => "channel=in_app", ["item"]],
		["a template", () => "template=weighing/weight_ticket", ["ticket"]],
		["a category", () => "category=operations", ["ticket"]],
		["a source", () => "source=resend", ["again"]],
		["an outlet", () => `outlet=${outletId}`, ["mail"]],
		["an e-mail address, whatever its case", () => "address=ASHA@uhai.example", ["ticket", "mail"]],
		["a number as people of the country write it", () => "address=0712 345 678", ["again", "text"]],
		["a person", () => `user_id=${userId}`, ["item"]],
		["a label", () => "label=order:17", ["mail"]],
		["another value of a label", () => "label=order:18", []],
		["a time from", () => `from=${times.again}`, ["ticket", "again"]],
		["a time to, without it", () => `to=${times.item}`, ["mail"]],
		["times in several zones", () => "from=2026-01-01T01:00:00%2B03:00&to=2025-12-31T23:00:00Z", []],
		["several filters", () => "status=skipped_no_credit&source=rest", ["text"]],
	])("shows the messages of %s, the newest first", async (_filter, query, expected) => {
		expect(await shown(query())).toEqual(expected);
	});

	test("says whose each message is", async () => {
		const { body } = await get("/messages");
		expect(body.items.map(({ tenant_id }) => tenant_id)).toEqual(names.map(() => office.uhai.id));
	});

	test.each([
		["to=2026-01-01T00:00:00Z&from=2026-01-01T00:00:00Z", "to"],
		["from=2026-01-01T00:00:00-03:00&to=2026-01-01T01:00:00Z", "to"],
		["status=lost", "status"],
		["label=order", "label"],
	])("refuses %s", async (query, field) => {
		expect(await get(`/messages?${query}`)).toMatchObject({
			...{ status: 400, body: { code: "invalid_input", field } },
		});
	});
});

test("a message of an outlet that the tenant does not have is refused", async () => {
	const headers = { "x-outlet-id": randomUUID() };
	const sent = await office.send(office.uhai, greeting(["outlet@uhai.example"]), { headers });
	expect(sent).toMatchObject({ status: 404, body: { code: "outlet_not_found", field: "x-outlet-id" } });
});

test("a message that does not exist is not found, nor are its deliveries, and it cannot be cancelled", async () => {
	const path = `/messages/${randomUUID()}`;
	for (const answer of [await get(path), await get(`${path}/deliveries`), await post(`${path}/cancel`)])
		expect(answer).toMatchObject({ status: 404, body: { code: "message_not_found" } });
});

test("the token of a device is not shown", async () => {
	const device = { platform: "android", token: "device-token-that-is-secret" };
	expect((await post("/devices", device)).status).toBe(201);
	const { body } = await post("/messages", greeting([device.token], { channel: "push" }));
	const { body: found } = await get(`/messages/${body.requestId}/deliveries`);
	const answer = await get(`/deliveries/${found.items[0]?.id}/address`);
	expect(answer).toMatchObject({ status: 403, body: { code: "address_secret" } });
});

test("a delivery that does not exist is not found, showing an address is audited, and a purged address is gone", async () => {
	const missing = { status: 404, body: { code: "delivery_not_found" } };
	expect(await get(`/deliveries/${randomUUID()}`)).toMatchObject(missing);
	expect(await get(`/deliveries/${randomUUID()}/address`)).toMatchObject(missing);
	expect(await post(`/deliveries/${randomUUID()}/resend`, {})).toMatchObject(missing);
	const { body } = await post("/messages", greeting(["Gone@uhai.example"]));
	const { body: found } = await get(`/messages/${body.requestId}/deliveries`);
	const path = `/deliveries/${found.items[0]?.id}/address`;
	expect((await get(path)).body).toEqual({ address: "Gone@uhai.example" });
	const { body: log } = await get("/audit");
	expect(log.items).toContainEqual(
		expect.objectContaining({ action: "address.revealed", subject: found.items[0]?.id }),
	);
	await post(`/messages/${body.requestId}/cancel`);
	await purge(office.database.db, new Date(Date.now() + 31 * 86_400_000));
	expect(await get(path)).toMatchObject({ status: 409, body: { code: "data_gone" } });
});
