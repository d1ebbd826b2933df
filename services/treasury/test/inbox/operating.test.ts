import { acrossTenants } from "@lango/postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { clearInbox, listRows, listWaiting } from "./delivery-rows.store.ts";
import { setUpInbox } from "./inbox-at.ts";

const at = setUpInbox();
const db = () => at.database.db;
const url = "/api/v1/platform/inbox";
const ask = (method: string, path: string, body?: object) =>
	at.call({ method, url: `${url}${path}`, token: at.token(at.tenants.lango, "superuser"), body });
type Item = { id: string; route: string; status: string; error: string };
const list = async (query = "") =>
	(await ask("GET", query)).body as { items: Item[]; next_cursor: string | null };

beforeEach(async () => {
	await clearInbox(db());
	for (const route of ["b2c-result", "timeout", "standing-order"])
		await at.post(`/webhooks/mobilemoney/${route}`, '{"Result":{"ResultCode":0,"ConversationID":"AG_1"}}');
	await at.built.jobs.runDue();
});

test("the operator sees what gateways sent, the latest first, in pages, and by what they look for", async () => {
	const first = await list("?limit=2");
	expect(first.items.map(({ route }) => route)).toEqual(["standing-order", "timeout"]);
	const second = await list(`?limit=2&cursor=${first.next_cursor}`);
	expect(second).toMatchObject({ items: [{ route: "b2c-result", status: "ignored" }], next_cursor: null });
	expect((await list("?route=timeout&status=ignored")).items).toHaveLength(1);
	expect((await list("?status=done")).items).toEqual([]);
	expect((await list("?object=mobile_money.AG_1&gateway=mobile_money")).items).toHaveLength(2);
	expect((await list("?object=AG_1")).items).toHaveLength(2);
	expect((await list("?object=AG_1&gateway=card_gateway")).items).toEqual([]);
});

test("one delivery has its text and its headers", async () => {
	const [item] = (await list("?route=timeout")).items;
	const { status, body } = await ask("GET", `/${item?.id}`);
	expect([status, body["raw"]]).toEqual([200, '{"Result":{"ResultCode":0,"ConversationID":"AG_1"}}']);
	expect((await ask("GET", "/999999")).body["code"]).toBe("delivery_not_found");
});

describe("a replay", () => {
	test("applies one delivery again, and has an entry in the audit log", async () => {
		const [item] = (await list("?route=b2c-result")).items;
		expect(await ask("POST", `/${item?.id}/replay`)).toEqual({ status: 202, body: { replayed: 1 } });
		expect(await listWaiting(db())).toEqual(["mobile_money.AG_1"]);
		expect((await ask("POST", `/${item?.id}/replay`)).body).toEqual({ replayed: 0 });
		await at.built.jobs.runDue();
		expect((await listRows(db())).map(({ status }) => status)).toEqual(["ignored", "ignored", "ignored"]);
		const [entry] = await acrossTenants(db(), (tx) =>
			tx.query(
				"select action, subject from platform_audit_log where action = 'inbox.replayed' order by id limit 1",
			),
		);
		expect(entry).toEqual({ action: "inbox.replayed", subject: item?.id });
	});

	test("applies those of a time and a status again", async () => {
		const day = { from: "2000-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z" };
		expect((await ask("POST", "/replay", { ...day, status: "parked" })).body).toEqual({ replayed: 0 });
		expect((await ask("POST", "/replay", { ...day, status: "ignored" })).body).toEqual({ replayed: 3 });
	});

	test("of an unknown delivery is refused", async () => {
		expect((await ask("POST", "/999999/replay")).body["code"]).toBe("delivery_not_found");
	});
});
