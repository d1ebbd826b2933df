import { openPool, type Pool } from "@lango/postgres";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { purge } from "../src/sessions/purge.ts";
import { createIdlePurge } from "../src/sessions/purge-idle-sessions.ts";
import { fresh, type Office, openOffice } from "./office.ts";
import { claimsOf, obtainTokens, postToken, type SignOn, startSignOn } from "./sign-on.ts";

// what has had its time goes, and nothing else

const day = 86_400;
let signOn: SignOn;
let office: Office;
let owner: Pool;
beforeAll(async () => {
	signOn = await startSignOn();
	office = openOffice(signOn);
	owner = openPool({ url: signOn.ownerUrl, name: "purges-test", sizeMax: 2 });
});
afterAll(async () => {
	await owner.close();
	await signOn.close();
});
beforeEach(async () => {
	await owner.query("truncate sessions, browser_sessions, invitations cascade");
});

const open = async (email = "admin@uhai.example") => {
	const tokens = await obtainTokens(signOn.app, email);
	return { ...tokens, id: String(claimsOf(tokens.access_token).sid) };
};
const idsOf = async (table: "sessions" | "browser_sessions" | "invitations") =>
	(await owner.query<{ id: string }>(`select id from ${table} order by 1`)).map(({ id }) => id);
const purgeNow = () => purge(signOn.db, signOn.now.at);
const refresh = (refresh_token: string) =>
	postToken(signOn.app, { grant_type: "refresh_token", refresh_token, client_id: "cafe-website" });

test("a revoked session goes seven days after its end, with its browser's, and one that lives stays", async () => {
	const ended = await open();
	const living = await open("nurse@uhai.example");
	await office.call("POST", "/api/v1/auth/logout", { token: ended.access_token });
	await owner.query(
		"update browser_sessions set ended_at = $2 where id = (select browser_session_id from sessions where id = $1)",
		[ended.id, signOn.now.at],
	);
	const browsers = (await idsOf("browser_sessions")).length;
	signOn.now.forward(7 * day);
	await purgeNow();
	expect(await idsOf("sessions")).toContain(ended.id);
	signOn.now.forward(1);
	await purgeNow();
	expect(await idsOf("sessions")).not.toContain(ended.id);
	expect(await idsOf("sessions")).toContain(living.id);
	expect(await idsOf("browser_sessions")).toHaveLength(browsers - 1);
	expect((await refresh(living.refresh_token)).statusCode).toBe(200);
});

test("a session nobody used goes seven days after it idled away, and one in use stays", async () => {
	const idle = await open();
	const used = await open("nurse@uhai.example");
	const purgeIdle = createIdlePurge(signOn.db);
	signOn.now.forward(29 * day);
	const { refresh_token: next } = (await refresh(used.refresh_token)).json();
	signOn.now.forward(8 * day);
	expect(await purgeIdle(signOn.now.at)).toBe(0);
	signOn.now.forward(1);
	expect(await purgeIdle(signOn.now.at)).toBeGreaterThanOrEqual(1);
	const left = await idsOf("sessions");
	expect(left).not.toContain(idle.id);
	expect(left).toContain(used.id);
	expect((await refresh(next)).statusCode).toBe(200);
	expect(await purgeIdle(signOn.now.at)).toBe(0);
});

test("invitations go thirty days after they were used, withdrawn or ran out, and open ones stay", async () => {
	const firm = await office.found();
	const invite = async (days: number) => {
		const email = `${fresh("guest")}@guests.example`;
		const made = await office.call("POST", `/api/v1/tenants/${firm.slug}/invitations`, {
			token: firm.token,
			body: { email, roles: ["viewer"], expires_in_days: days },
		});
		return { email, ...made.json<{ id: string; token: string }>() };
	};
	const [used, withdrawn, ranOut, later] = [
		await invite(30),
		await invite(30),
		await invite(1),
		await invite(30),
	];
	await office.register({ email: used.email, org_action: "join_existing", invitation: used.token });
	await office.call("DELETE", `/api/v1/tenants/${firm.slug}/invitations/${withdrawn.id}`, {
		token: firm.token,
	});

	signOn.now.forward(30 * day);
	await purgeNow();
	expect(await idsOf("invitations")).toHaveLength(4);
	signOn.now.forward(1);
	await purgeNow();
	expect(await idsOf("invitations")).toEqual([ranOut.id, later.id].sort());
	signOn.now.forward(day);
	await purgeNow();
	expect(await idsOf("invitations")).toEqual([later.id]);
	signOn.now.forward(30 * day);
	await purgeNow();
	expect(await idsOf("invitations")).toEqual([]);
});

test("a purge does not wait for a row that somebody holds, and takes it the next time", async () => {
	const [held, other] = [await open(), await open()];
	for (const { access_token } of [held, other])
		await office.call("POST", "/api/v1/auth/logout", { token: access_token });
	signOn.now.forward(7 * day + 1);
	const purgeIdle = createIdlePurge(signOn.db);
	await owner.transaction(async (tx) => {
		await tx.query("select from sessions where id = $1 for update", [held.id]);
		await purgeNow();
		signOn.now.forward(60 * day);
		await purgeIdle(signOn.now.at);
		expect(await idsOf("sessions")).toEqual([held.id]);
	});
	await purgeNow();
	expect(await idsOf("sessions")).toEqual([]);
});

test("two purges at once remove each row once", async () => {
	const ended = [await open(), await open(), await open()];
	await owner.query("update sessions set revoked_at = $1", [signOn.now.at]);
	signOn.now.forward(7 * day + 1);
	const gone = await Promise.all([purgeNow(), purgeNow(), purgeNow()]);
	expect(gone.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(ended.length);
	expect(await idsOf("sessions")).toEqual([]);
});

test("each purge is a schedule of the service", async () => {
	const idle = await open();
	signOn.now.forward(37 * day + 1);
	await signOn.jobs.run("sessions.purge-idle");
	expect(await idsOf("sessions")).not.toContain(idle.id);
	expect(await idsOf("browser_sessions")).toHaveLength(1);
	await signOn.jobs.run("sessions.purge");
	expect(await idsOf("browser_sessions")).toHaveLength(0);
	await signOn.jobs.run("links.purge");
	await signOn.jobs.run("tenants.finish-erasures");
	expect(await signOn.jobs.runDue(), "all four are due, and no more").toBe(4);
});
