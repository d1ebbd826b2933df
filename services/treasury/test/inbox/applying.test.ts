import { beforeEach, expect, test } from "vitest";
import { clearInbox, listRows, listWaiting } from "./delivery-rows.store.ts";
import { setUpInbox } from "./inbox-at.ts";

const at = setUpInbox();
const db = () => at.database.db;
beforeEach(() => clearInbox(db()));

test("what a later release handles is parked with its reason, and stays", async () => {
	await at.post("/webhooks/mobilemoney/b2c-result", '{"Result":{"ResultCode":0,"ConversationID":"AG_1"}}');
	await at.built.jobs.runDue();
	expect(await listRows(db())).toMatchObject([
		{ status: "parked", trust: "none", error: "payouts are not handled yet" },
	]);
	await at.built.jobs.run("inbox.purge");
	expect(await listRows(db())).toHaveLength(1);
});

test("a body that cannot be read is parked", async () => {
	await at.post("/webhooks/mobilemoney/callback", "<xml/>");
	await at.built.jobs.runDue();
	expect(await listRows(db())).toMatchObject([{ status: "parked", error: "the body cannot be read" }]);
});

test("what was ignored is removed after 90 days, what is parked is not", async () => {
	await at.post("/webhooks/mobilemoney/validation", '{"TransID":"X"}');
	await expect.poll(() => listRows(db())).toHaveLength(1);
	await at.post("/webhooks/mobilemoney/timeout", "{}");
	await at.built.jobs.runDue();
	expect((await listRows(db())).map(({ status }) => status).toSorted()).toEqual(["ignored", "parked"]);
	await at.built.jobs.run("inbox.purge");
	expect(await listRows(db())).toHaveLength(2);
	await db().query("update webhook_deliveries set received_at = received_at - interval '91 days'");
	await at.built.jobs.run("inbox.purge");
	expect(await listRows(db())).toMatchObject([{ status: "parked" }]);
});

test("a delivery whose job was lost is applied by the recovery scan", async () => {
	await at.post("/webhooks/mobilemoney/timeout", "{}");
	await db().query("delete from pgboss.job where name = 'inbox.apply'");
	await at.built.jobs.run("inbox.apply.sweep");
	expect(await listWaiting(db())).toEqual([]);
	await db().query("update webhook_deliveries set received_at = received_at - interval '3 minutes'");
	await at.built.jobs.run("inbox.apply.sweep");
	await at.built.jobs.runDue();
	expect(await listRows(db())).toMatchObject([{ status: "parked" }]);
});
