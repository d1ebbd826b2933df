import { randomBytes, randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { beforeEach, expect, test } from "vitest";
import { getProfile } from "../../src/gateways/profiles/profile.store.ts";
import { issueCallbackToken } from "../../src/inbox/callback-token.store.ts";
import type { CallbackRoute } from "../../src/inbox/callback-token.ts";
import { clearInbox, listRows, listWaiting } from "./delivery-rows.store.ts";
import { setUpInbox } from "./inbox-at.ts";

const at = setUpInbox();
const db = () => at.database.db;
beforeEach(() => clearInbox(db()));

/** The address of a route with a token of ours. */
async function addressOf(route: CallbackRoute): Promise<string> {
	const { id: tenantId } = at.tenants.uhai;
	const { id: profileId } = await getProfile(db(), "mobile_money");
	await ensureTenant(db(), tenantId);
	const about = { tenantId, profileId, route, objectKind: "attempt", objectId: randomUUID() } as const;
	const token = await inTenant(db(), tenantId, (tx) =>
		issueCallbackToken(tx, { ...about, expiresAt: undefined }, new Date()),
	);
	return `/webhooks/mobilemoney/${route}/${profileId}/${token}`;
}

const age = (days: number) =>
	db().query("update webhook_deliveries set received_at = received_at - make_interval(days => $1)", [days]);

test("what cannot be applied yet is parked with its reason, and stays, if its token is ours", async () => {
	await at.post(await addressOf("standing-order"), "{}");
	await at.post(await addressOf("callback"), "<xml/>");
	await at.post(await addressOf("timeout"), "{}");
	await at.built.jobs.runDue();
	await age(91);
	await at.built.jobs.run("inbox.purge");
	expect(await listRows(db())).toMatchObject([
		{ status: "parked", trust: "token", error: "the body cannot be read" },
		{ status: "parked", trust: "token", error: "the body cannot be read" },
		{ status: "parked", trust: "token", error: "the gateway did not finish the request in time" },
	]);
});

test.each<[CallbackRoute, string]>([
	["callback", "<xml/>"],
	["timeout", "{}"],
	["standing-order", "{}"],
])(
	"at the route %s nothing of a sender who is not trusted is parked: it is removed after seven days",
	async (route, body) => {
		await at.post(`/webhooks/mobilemoney/${route}`, body);
		await at.post(`/webhooks/mobilemoney/${route}/${randomUUID()}/${randomBytes(16).toString("hex")}`, body);
		await at.built.jobs.runDue();
		const ignored = { status: "ignored", trust: "none" };
		expect(await listRows(db())).toMatchObject([ignored, ignored]);
		await age(6);
		await at.built.jobs.run("inbox.purge");
		expect(await listRows(db())).toHaveLength(2);
		await age(2);
		await at.built.jobs.run("inbox.purge");
		expect(await listRows(db())).toEqual([]);
	},
);

test("what was applied is removed after 90 days", async () => {
	await at.post(await addressOf("callback"), "{}");
	await at.built.jobs.runDue();
	await db().query("update webhook_deliveries set status = 'done'");
	await age(89);
	await at.built.jobs.run("inbox.purge");
	expect(await listRows(db())).toHaveLength(1);
	await age(2);
	await at.built.jobs.run("inbox.purge");
	expect(await listRows(db())).toEqual([]);
});

test("a delivery whose job was lost is applied by the recovery scan", async () => {
	await at.post("/webhooks/mobilemoney/timeout", "{}");
	await db().query("delete from pgboss.job where name = 'inbox.apply'");
	await at.built.jobs.run("inbox.apply.sweep");
	expect(await listWaiting(db())).toEqual([]);
	await db().query("update webhook_deliveries set received_at = received_at - interval '3 minutes'");
	await at.built.jobs.run("inbox.apply.sweep");
	await at.built.jobs.runDue();
	expect(await listRows(db())).toMatchObject([{ status: "ignored" }]);
});

test("tokens that ended are removed with their locators, and others stay", async () => {
	const { id: tenantId } = at.tenants.uhai;
	const counted = () =>
		inTenant(db(), tenantId, (tx) =>
			tx.query(
				"select (select count(*)::int from callback_tokens) as tokens, count(*)::int as located from locators where kind = 'callback_token'",
			),
		);
	await inTenant(db(), tenantId, (tx) => tx.query("delete from callback_tokens"));
	await inTenant(db(), tenantId, (tx) => tx.query("delete from locators where kind = 'callback_token'"));
	for (const route of ["callback", "timeout", "confirmation"] as const) await addressOf(route);
	const expires = (route: string, at: Date) =>
		inTenant(db(), tenantId, (tx) =>
			tx.query("update callback_tokens set expires_at = $2 where route = $1", [route, at]),
		);
	await expires("callback", new Date(Date.now() + 3_600_000));
	await expires("timeout", new Date(Date.now() - 3_600_000));
	expect(await counted()).toEqual([{ tokens: 3, located: 3 }]);
	await at.built.jobs.run("tokens.purge");
	expect(await counted()).toEqual([{ tokens: 2, located: 2 }]);
});
