import { inTenant } from "@lango/postgres";
import { beforeAll, expect, test } from "vitest";
import {
	type Browser,
	claimsOf,
	obtainCode,
	obtainTokens,
	openBrowser,
	setUpSignOn,
	tradeCode,
} from "./sign-on.ts";

const signOn = setUpSignOn();
let browser: Browser;
beforeAll(async () => {
	browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
});

test("a refresh token returns new tokens of the same session", async () => {
	const first = await obtainTokens(signOn.app, "admin@uhai.example");
	const next = await signOn.refresh(first.refresh_token);
	expect(next.statusCode).toBe(200);
	const tokens = next.json();
	expect(tokens.refresh_token).not.toBe(first.refresh_token);
	expect(claimsOf(tokens.access_token)).toMatchObject({
		sid: claimsOf(first.access_token).sid,
		sub: claimsOf(first.access_token).sub,
	});
	expect((await signOn.refresh(tokens.refresh_token)).statusCode).toBe(200);
});

test("twenty refreshes of one token at once all succeed with one successor, which is the one that lives", async () => {
	const first = await obtainTokens(signOn.app, "admin@uhai.example");
	const responses = await Promise.all(Array.from({ length: 20 }, () => signOn.refresh(first.refresh_token)));
	expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(200));
	const successors = new Set(responses.map((response) => response.json().refresh_token));
	expect(successors.size).toBe(1);
	expect((await signOn.refresh([...successors][0])).statusCode).toBe(200);
});

test("the previous token is valid for twenty seconds; after that its use ends its session and no other", async () => {
	const here = await obtainTokens(signOn.app, "admin@uhai.example");
	const elsewhere = await obtainTokens(signOn.app, "admin@uhai.example");
	const successor = (await signOn.refresh(here.refresh_token)).json().refresh_token;
	signOn.now.forward(19);
	expect((await signOn.refresh(here.refresh_token)).json().refresh_token).toBe(successor);
	signOn.now.forward(2);
	expect((await signOn.refresh(here.refresh_token)).json()).toMatchObject({ error: "invalid_grant" });
	expect((await signOn.refresh(successor)).json()).toMatchObject({ error: "invalid_grant" });
	expect((await signOn.refresh(elsewhere.refresh_token)).statusCode).toBe(200);
});

test("an older refresh token ends its session at once", async () => {
	const first = await obtainTokens(signOn.app, "admin@uhai.example");
	const second = (await signOn.refresh(first.refresh_token)).json();
	const third = (await signOn.refresh(second.refresh_token)).json();
	expect((await signOn.refresh(first.refresh_token)).json()).toMatchObject({ error: "invalid_grant" });
	expect((await signOn.refresh(third.refresh_token)).statusCode).toBe(400);
	expect((await signOn.me(third.access_token)).statusCode).toBe(401);
});

test("the reuse of a code or refresh token is recorded in the audit log and published, with the request id", async () => {
	const obtained = await obtainCode(browser);
	const first = (await tradeCode(signOn.app, obtained)).json();
	await tradeCode(signOn.app, obtained);
	const other = await obtainTokens(signOn.app, "admin@uhai.example");
	await signOn.refresh((await signOn.refresh(other.refresh_token)).json().refresh_token);
	await signOn.refresh(other.refresh_token);
	for (const [{ access_token: token }, reason] of [
		[first, "code_used_twice"],
		[other, "refresh_token_reused"],
	] as const) {
		const { sid, sub, tenant_id } = claimsOf(token);
		const [row] = await inTenant(signOn.db, String(tenant_id), (tx) =>
			tx.query<{ request_id: string }>(
				"select action, tenant_id, after, request_id from audit_log where tenant_id = $1 and subject = $2",
				[tenant_id, sid],
			),
		);
		expect(row).toMatchObject({ action: `session.${reason}`, tenant_id, after: { user_id: sub } });
		const [event] = await signOn.db.query(
			"select envelope->'data'->>'because' as because, envelope->>'correlationid' as id from outbox where subject = $1",
			[sid],
		);
		expect(event).toEqual({ because: reason, id: row?.request_id });
	}
});

test("garbage and tokens of another client are refused and end nothing", async () => {
	const { refresh_token: token } = await obtainTokens(signOn.app, "admin@uhai.example");
	const forged = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
	for (const response of [
		await signOn.refresh("garbage"),
		await signOn.refresh(forged),
		await signOn.refresh(token, { client_id: "console-ui" }),
	])
		expect(response.json()).toMatchObject({ error: "invalid_grant" });
	expect((await signOn.refresh(token)).statusCode).toBe(200);
});

test("a refresh token expires after thirty days without use, and after ninety days in all cases", async () => {
	const idle = await obtainTokens(signOn.app, "admin@uhai.example");
	let used = await obtainTokens(signOn.app, "admin@uhai.example");
	for (let month = 0; month < 3; month += 1) {
		signOn.now.forward(29 * 86_400);
		const response = await signOn.refresh(used.refresh_token);
		expect(response.statusCode).toBe(200);
		used = response.json();
	}
	expect((await signOn.refresh(idle.refresh_token)).json()).toMatchObject({ error: "invalid_grant" });
	signOn.now.forward(4 * 86_400);
	expect((await signOn.refresh(used.refresh_token)).json()).toMatchObject({ error: "invalid_grant" });
});

test("a refresh by a removed member is refused", async () => {
	const { refresh_token: token } = await obtainTokens(signOn.app, "cashier@kahawa.example");
	const { inTenant } = await import("@lango/postgres");
	const kahawa = signOn.tenants.get("kahawa") ?? "";
	const change = (status: string) =>
		inTenant(signOn.db, kahawa, (tx) =>
			tx.query("update memberships set status = $1 where roles = '{cashier}'", [status]),
		);
	await change("removed");
	expect((await signOn.refresh(token)).json()).toMatchObject({ error: "invalid_grant" });
	await change("active");
});

test("the refresh route of the specification is the same operation with its own response", async () => {
	const { refresh_token: token } = await obtainTokens(signOn.app, "admin@uhai.example");
	const post = (payload: object) =>
		signOn.app.inject({ method: "POST", url: "/api/v1/auth/refresh", payload });
	const response = await post({ refresh_token: token, client_id: "cafe-website" });
	expect(response.statusCode).toBe(200);
	expect(response.json().refresh_token).toBe((await signOn.refresh(token)).json().refresh_token);
	const refused = await post({ refresh_token: "garbage", client_id: "cafe-website" });
	expect(refused.statusCode).toBe(401);
	expect(refused.json()).toMatchObject({ code: "invalid_grant", error: expect.any(String) });
});

test("a refresh contains the selected outlet only while it is assigned to the user and active", async () => {
	const [uhai = "", nurse] = [signOn.tenants.get("uhai"), "nurse@uhai.example"];
	const db = signOn.db;
	const inUhai = (sql: string, values: unknown[] = []) => inTenant(db, uhai, (tx) => tx.query(sql, values));
	const ward = await inUhai("select id from outlets where code = 'WARD'");
	const outletId = (ward[0] as { id: string }).id;
	const mine = "tenant_id = $1 and outlet_id = $2 and user_id = (select id from users where email = $3)";
	const first = await obtainTokens(signOn.app, nurse);
	const { sid } = claimsOf(first.access_token);
	await inUhai("update sessions set outlet_id = $3 where tenant_id = $1 and id = $2", [uhai, sid, outletId]);

	let token = first.refresh_token;
	const outletNow = async () => {
		const answer = (await signOn.refresh(token)).json();
		token = answer.refresh_token;
		return [claimsOf(answer.access_token)["outlet_code"], answer.requiresOutletSelection ?? false];
	};
	expect(await outletNow()).toEqual(["WARD", false]);
	await inUhai(`delete from membership_outlets where ${mine}`, [uhai, outletId, nurse]);
	expect(await outletNow()).toEqual(["PHARM", false]);
	await inUhai(
		"insert into membership_outlets (tenant_id, user_id, outlet_id) select $1, id, $2 from users where email = $3 on conflict do nothing",
		[uhai, outletId, nurse],
	);
	await inUhai("update sessions set outlet_id = $3 where tenant_id = $1 and id = $2", [uhai, sid, outletId]);
	await inUhai("update outlets set status = 'archived' where tenant_id = $1 and id = $2", [uhai, outletId]);
	expect(await outletNow()).toEqual(["PHARM", false]);
	await inUhai("update outlets set status = 'active' where tenant_id = $1 and id = $2", [uhai, outletId]);
	await inUhai("update sessions set outlet_id = null where tenant_id = $1 and id = $2", [uhai, sid]);
	expect(await outletNow()).toEqual(["", true]);
});
