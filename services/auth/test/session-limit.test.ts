import { inTenant, openPool } from "@lango/postgres";
import { expect, test } from "vitest";
import { openOffice } from "./office.ts";
import { claimsOf, obtainCode, openBrowser, postToken, setUpSignOn, tradeCode } from "./sign-on.ts";

const signOn = setUpSignOn();
const office = openOffice(signOn);

const countLive = async ({ userId, tenantId }: { userId: string; tenantId: string }) => {
	const [row] = await inTenant(signOn.db, tenantId, (tx) =>
		tx.query<{ clients: number; browsers: number }>(
			`select (select count(*)::int from browser_sessions where user_id = $1 and ended_at is null) as browsers,
			   (select count(*)::int from sessions where user_id = $1 and revoked_at is null) as clients`,
			[userId],
		),
	);
	return row;
};
/** The sessions that events report as ended by the limit. */
const listEnded = async (userId: string): Promise<string[]> => {
	const rows = await signOn.db.query<{ id: string }>(
		`select envelope->'data'->>'session_id' as id from outbox
		  where envelope->>'type' = 'auth.session.revoked' and envelope->'data'->>'because' = 'session_limit' and envelope->'data'->>'user_id' = $1`,
		[userId],
	);
	return rows.map(({ id }) => id);
};
const me = async (token: string) => (await signOn.me(token)).statusCode;

test("a person has at most 50 live sessions; the least recently used one ends, with its event", async () => {
	const firm = await office.found();
	const oldest = firm.token;
	const tokens: string[] = [];
	for (let turn = 0; turn < 49; turn += 1) {
		signOn.now.forward(1);
		tokens.push(await office.tokenOf(firm.email));
	}
	expect([await me(oldest), await listEnded(firm.userId)]).toEqual([200, []]);
	signOn.now.forward(1);
	tokens.push(await office.tokenOf(firm.email));
	expect(await listEnded(firm.userId)).toEqual([claimsOf(oldest).sid]);
	expect([await me(oldest), await me(tokens[0] ?? ""), await me(tokens[49] ?? "")]).toEqual([401, 200, 200]);
	expect(await countLive(firm)).toEqual({ browsers: 50, clients: 50 });
}, 60_000);

test("exchanges of codes count as well, and the client sessions end with their browser session", async () => {
	const firm = await office.found();
	signOn.now.forward(1);
	const browser = openBrowser(signOn.app);
	await browser.signIn(firm.email);
	const exchanged: string[] = [];
	for (let turn = 0; turn < 60; turn += 1) {
		signOn.now.forward(1);
		exchanged.push((await tradeCode(signOn.app, await obtainCode(browser))).json().access_token);
	}
	expect(await countLive(firm)).toEqual({ browsers: 2, clients: 50 });
	expect([await me(exchanged[9] ?? ""), await me(exchanged[10] ?? "")]).toEqual([401, 200]);
	expect(await listEnded(firm.userId)).toHaveLength(12);
}, 60_000);

test("a session in use is not the one that ends, however old it is", async () => {
	signOn.now.at = new Date(); // The database records by its own clock when a session opens.
	const firm = await office.found();
	let { refresh_token: token } = (await office.signIn(firm.email)).json();
	const refreshAfter = async (seconds: number) => {
		signOn.now.forward(seconds);
		const request = { grant_type: "refresh_token", refresh_token: token, client_id: "auth-ui" };
		const answer = await postToken(signOn.app, request);
		expect(answer.statusCode).toBe(200);
		token = answer.json().refresh_token;
	};
	const day = 86_400;
	for (const days of [29, 29, 7]) await refreshAfter(days * day);
	const tokens: string[] = [];
	for (let turn = 0; turn < 49; turn += 1) {
		signOn.now.forward(1);
		tokens.push(await office.tokenOf(firm.email));
	}
	await refreshAfter(1);
	expect(await listEnded(firm.userId)).toEqual([]);
	signOn.now.forward(1);
	await office.tokenOf(firm.email);
	expect(await listEnded(firm.userId)).toEqual([claimsOf(tokens[0] ?? "").sid]);
	await refreshAfter(1);
}, 60_000);

test("parallel sign-ins and exchanges of one person leave no more than 50 sessions", async () => {
	const firm = await office.found();
	const browser = openBrowser(signOn.app);
	await browser.signIn(firm.email);
	for (let turn = 0; turn < 46; turn += 1) {
		signOn.now.forward(2);
		await office.tokenOf(firm.email);
	}
	expect(await countLive(firm)).toMatchObject({ browsers: 48 });
	const codes = await Promise.all(Array.from({ length: 8 }, () => obtainCode(browser)));
	signOn.now.forward(1);
	const answers = await Promise.all([
		...codes.map((code) => tradeCode(signOn.app, code)),
		...Array.from({ length: 4 }, () => office.signIn(firm.email)),
	]);
	expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
	const live = await countLive(firm);
	expect(live?.browsers).toBe(50);
	expect(live?.clients).toBe(50);
}, 60_000);

test("a session that is recorded is answered although the surplus cannot be counted or ended, and the next one ends it", async () => {
	const firm = await office.found();
	const browser = openBrowser(signOn.app);
	await browser.signIn(firm.email);
	for (let turn = 0; turn < 48; turn += 1) {
		signOn.now.forward(1);
		await office.tokenOf(firm.email);
	}
	const owner = openPool({ url: signOn.ownerUrl, name: "session-limit-test", sizeMax: 1 });
	const rename = (from: string, to: string) => owner.query(`alter routine ${from} rename to ${to}`);
	try {
		for (const failing of ["exceeds_session_limit", "end_surplus_sessions"]) {
			await rename(failing, "absent");
			signOn.now.forward(1);
			expect((await office.signIn(firm.email)).statusCode).toBe(200);
			await rename("absent", failing);
		}
		const code = await obtainCode(browser);
		await rename("end_surplus_sessions", "absent");
		expect((await tradeCode(signOn.app, code)).statusCode).toBe(200);
		await rename("absent", "end_surplus_sessions");
	} finally {
		await owner.close();
	}
	expect(await countLive(firm)).toMatchObject({ browsers: 52 });
	signOn.now.forward(1);
	await office.tokenOf(firm.email);
	expect(await countLive(firm)).toEqual({ browsers: 50, clients: 50 });
}, 60_000);
