import { setTimeout as sleep } from "node:timers/promises";
import { inTenant, openPool } from "@lango/postgres";
import { beforeAll, describe, expect, test } from "vitest";
import { openOffice } from "./office.ts";
import { bearer, obtainTokens, setUpSignOn } from "./sign-on.ts";

const signOn = setUpSignOn();

const me = async (token: string) => (await signOn.me(token)).json();

/** Waits until the response is as expected, because a notification of the database takes a moment. */
const becomes = (token: string, wanted: object) => expect.poll(() => me(token)).toMatchObject(wanted);

describe("X-Outlet-ID", () => {
	const outlets = new Map<string, string>();
	beforeAll(async () => {
		const listed = (await signOn.app.inject("/api/v1/tenants/uhai/outlets")).json();
		for (const { code, id } of listed) outlets.set(code, id);
	});
	const meAt = async (email: string, outletId: string) => {
		const { access_token } = await obtainTokens(signOn.app, email);
		const headers = { authorization: `Bearer ${access_token}`, "x-outlet-id": outletId };
		const answer = await signOn.app.inject({ url: "/api/v1/auth/me", headers });
		return { answer, without: await me(access_token) };
	};

	test.each([
		["the selected one", "pharm@uhai.example", "WARD"],
		["those of a person who selected none", "nurse@uhai.example", "HQ"],
	])("outside of the caller's scope is refused: %s", async (_, email, code) => {
		const { answer } = await meAt(email, outlets.get(code) ?? "");
		expect([answer.statusCode, answer.json().code]).toEqual([403, "outlet_forbidden"]);
	});

	test.each([
		["the selected outlet", "pharm@uhai.example", () => outlets.get("PHARM")?.toUpperCase()],
		["an outlet of the caller's", "nurse@uhai.example", () => outlets.get("WARD")],
		["any outlet, for an administrator", "admin@uhai.example", () => outlets.get("PHARM")],
		["a malformed one", "pharm@uhai.example", () => "HQ"],
	])("with %s changes nothing in the answer", async (_, email, named) => {
		const { answer, without } = await meAt(email, named() ?? "");
		expect(answer.statusCode).toBe(200);
		expect(answer.json()).toEqual(without);
	});

	test("is ignored for a person without outlets", async () => {
		const { email } = await openOffice(signOn).join("uhai");
		const { answer } = await meAt(email, outlets.get("WARD") ?? "");
		expect(answer.statusCode).toBe(200);
	});
});

test("a selected outlet is in the next answer, before the notification arrives", async () => {
	const { access_token, ssoExchangeToken } = await obtainTokens(signOn.app, "nurse@uhai.example");
	const outlets = (await signOn.app.inject("/api/v1/tenants/uhai/outlets")).json<
		Array<{ id: string; code: string }>
	>();
	const outletId = outlets.find(({ code }) => code === "WARD")?.id ?? "";
	expect(await me(access_token)).toMatchObject({ outlet_id: "" });
	const owner = openPool({ url: signOn.ownerUrl, name: "owner", sizeMax: 1 });
	try {
		await owner.query("alter table sessions disable trigger user");
		const chosen = await signOn.app.inject({
			method: "POST",
			url: "/api/v1/auth/select-outlet",
			payload: { ssoExchangeToken, outletId },
		});
		expect(chosen.statusCode).toBe(200);
		expect(await me(chosen.json().access_token)).toMatchObject({ outlet_id: outletId });
	} finally {
		await owner.query("alter table sessions enable trigger user");
		await owner.close();
	}
});

test("a profile asked for again is the same, and a change of the person, their roles or their tenant shows", async () => {
	const { access_token } = await obtainTokens(signOn.app, "pharm@uhai.example");
	const uhai = signOn.tenants.get("uhai") ?? "";
	const first = await me(access_token);
	expect(await me(access_token)).toEqual(first);
	await signOn.db.query("update users set name = 'Peter W. Barasa' where email = 'pharm@uhai.example'");
	await becomes(access_token, { name: "Peter W. Barasa" });
	await inTenant(signOn.db, uhai, (tx) =>
		tx.query("update memberships set roles = '{manager}' where tenant_id = $1 and user_id = $2", [
			uhai,
			first.user_id,
		]),
	);
	await becomes(access_token, { roles: ["manager"] });
	await signOn.db.query("update tenants set name = 'Uhai' where slug = 'uhai'");
	await becomes(access_token, {
		memberships: [{ tenant_id: uhai, slug: "uhai", name: "Uhai", roles: ["manager"], status: "active" }],
	});
	await inTenant(signOn.db, uhai, (tx) =>
		tx.query("update outlets set status = 'archived' where tenant_id = $1 and code = 'PHARM'", [uhai]),
	);
	await becomes(access_token, { outlet_id: "" });
});

test("changes are visible also after the connection for notifications was lost", async () => {
	const { access_token } = await obtainTokens(signOn.app, "cashier@kahawa.example");
	await me(access_token);
	await signOn.db.query(
		"select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lango-auth-listen' and datname = current_database()",
	);
	await signOn.db.query("update users set name = 'Juma A.' where email = 'cashier@kahawa.example'");
	await becomes(access_token, { name: "Juma A." });
	await sleep(600);
	await me(access_token);
	await signOn.db.query("update users set name = 'Juma B.' where email = 'cashier@kahawa.example'");
	await becomes(access_token, { name: "Juma B." });
});

describe("language and theme", () => {
	const change = (token: string, payload: object) =>
		signOn.app.inject({ method: "PATCH", url: "/api/v1/auth/me", headers: bearer(token), payload });
	const office = openOffice(signOn);

	test("are stored with the person, each by itself, for all sessions; null removes a choice", async () => {
		const { email } = await office.found();
		const [one, other] = [await office.tokenOf(email), await office.tokenOf(email)];
		expect(await me(one)).toMatchObject({ profile: { locale: null, theme: null } });
		expect((await change(one, { locale: "sw" })).statusCode).toBe(204);
		expect((await change(one, { theme: "dark" })).statusCode).toBe(204);
		await becomes(other, { profile: { locale: "sw", theme: "dark" } });
		expect((await change(one, { theme: null })).statusCode).toBe(204);
		await becomes(other, { profile: { locale: "sw", theme: null } });
	});

	test.each([
		[{ locale: "fr" }, "locale"],
		[{ theme: "purple" }, "theme"],
		[{ name: "Amina" }, "name"],
	])("%j is refused", async (payload, field) => {
		const { access_token } = await obtainTokens(signOn.app, "admin@uhai.example");
		const answer = await change(access_token, payload);
		expect(answer.statusCode).toBe(400);
		expect(answer.json()).toMatchObject({ code: "invalid_input", field });
	});

	test("cannot be changed by a session that has ended", async () => {
		const token = await office.tokenOf((await office.found()).email);
		await signOn.app.inject({ method: "POST", url: "/api/v1/auth/logout", headers: bearer(token) });
		const answer = await change(token, { theme: "dark" });
		expect([answer.statusCode, answer.json().code]).toEqual([401, "session_ended"]);
	});

	test("a new language is announced for every tenant of the person, and links are mailed in it", async () => {
		const { email, userId, token } = await office.found();
		const announced = async () => (await office.events("auth.user.updated", userId)).map(({ data }) => data);
		const before = await announced();
		await change(token, { locale: "sw" });
		await change(token, { locale: "sw", theme: "light" });
		const after = await announced();
		expect(after.slice(before.length)).toMatchObject([{ locale: "sw", status: "active" }]);
		const headers = { "accept-language": "en" };
		await office.call("POST", "/api/v1/auth/password/reset-request", { body: { email }, headers });
		const [reset] = await office.events("auth.password.reset_requested", userId);
		expect(reset?.data).toMatchObject({ locale: "sw" });
	});
});

test("a session that has ended is refused at once, however often it was asked about", async () => {
	const { access_token } = await obtainTokens(signOn.app, "owner@kahawa.example");
	for (let turn = 0; turn < 3; turn += 1) await me(access_token);
	await signOn.app.inject({
		method: "POST",
		url: "/api/v1/auth/logout",
		headers: bearer(access_token),
	});
	expect(await me(access_token)).toMatchObject({ code: "session_ended" });
});
