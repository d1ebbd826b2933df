import { openPool, type Pool } from "@lango/postgres";
import { besideOthers } from "@lango/testkit";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { purgeLinks } from "../src/links/purge-links.ts";
import { purge } from "../src/sessions/purge/purge.ts";
import { createIdlePurge } from "../src/sessions/purge/purge-idle-sessions.ts";
import { fresh, openOffice } from "./office.ts";
import { claimsOf, obtainTokens, setUpSignOn } from "./sign-on.ts";

// what has had its time goes, and nothing else

const day = 86_400;
const signOn = setUpSignOn();
const office = openOffice(signOn);
let owner: Pool;
beforeAll(async () => {
	owner = openPool({ url: signOn.ownerUrl, name: "purges-test", sizeMax: 2 });
});
afterAll(() => owner.close());
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

/** Lays so many rows of each kind that run out at a moment. */
const lay = async (count: number, expiresAt: Date) => {
	const [who] = await owner.query<{ user_id: string; tenant_id: string; client_id: string }>(
		"select u.id as user_id, u.primary_tenant_id as tenant_id, c.id as client_id from users u, clients c limit 1",
	);
	const { user_id, tenant_id, client_id } = who ?? {};
	const one = "decode(md5(random()::text || n), 'hex')";
	const uuid = "gen_random_uuid()";
	await owner.query(
		`insert into browser_sessions (token_hash, user_id, auth_time, amr, last_used_at, expires_at)
		 select ${one}, $1, $2, '{pwd}', $2, $2 from generate_series(1, $3::int) n on conflict do nothing`,
		[user_id, expiresAt, count],
	);
	await owner.query(
		`insert into sessions (id, tenant_id, user_id, client_id, scope, auth_time, amr, idle_expires_at, expires_at)
		 select ${uuid}, $2, $1, $3, 'openid', $4, '{pwd}', $4, $4 from generate_series(1, $5::int) n on conflict do nothing`,
		[user_id, tenant_id, client_id, expiresAt, count],
	);
	await owner.query(
		`insert into authorization_codes
		   (code_hash, tenant_id, user_id, client_id, browser_session_id, redirect_uri, scope, auth_time, amr, expires_at)
		 select ${one}, $2, $1, $3, ${uuid}, 'https://a.example', 'openid', $4, '{pwd}', $4 from generate_series(1, $5::int) n on conflict do nothing`,
		[user_id, tenant_id, client_id, expiresAt, count],
	);
	await owner.query(
		`insert into one_time_tokens (token_hash, kind, tenant_id, user_id, expires_at)
		 select ${one}, 'sso_exchange', $2, $1, $3 from generate_series(1, $4::int) n on conflict do nothing`,
		[user_id, tenant_id, expiresAt, count],
	);
	await owner.query(
		`insert into invitations
		   (id, tenant_id, email, email_folded, roles, token_hash, key_id, created_by, created_at, expires_at)
		 select ${uuid}, $2, 'a@b.example', 'a@b.example', '{viewer}', ${one}, 'k1', $1, $3, $3 from generate_series(1, $4::int) n on conflict do nothing`,
		[user_id, tenant_id, expiresAt, count],
	);
	await owner.query(
		`insert into one_time_links (id, kind, user_id, email, token_hash, key_id, created_at, expires_at)
		 select ${uuid}, 'password_reset', $1, 'a@b.example', ${one}, 'k1', $2, $2 from generate_series(1, $3::int) n on conflict do nothing`,
		[user_id, expiresAt, count],
	);
};
const kinds = [
	"authorization_codes",
	"browser_sessions",
	"invitations",
	"one_time_links",
	"one_time_tokens",
	"sessions",
];
const countAll = async () => {
	const counts = kinds.map((table) => `(select count(*)::int from ${table}) as ${table}`);
	const [row] = await owner.query<Record<string, number>>(`select ${counts.join(", ")}`);
	return row;
};
const each = (count: number) => Object.fromEntries(kinds.map((table) => [table, count]));
const clear = () => owner.query(`truncate ${kinds.join(", ")} cascade`);

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
	expect((await signOn.refresh(living.refresh_token)).statusCode).toBe(200);
});

test("an idle session is removed after seven days, and a used one stays", async () => {
	const idle = await open();
	const used = await open("nurse@uhai.example");
	const purgeIdle = createIdlePurge(signOn.db);
	signOn.now.forward(29 * day);
	const { refresh_token: next } = (await signOn.refresh(used.refresh_token)).json();
	signOn.now.forward(8 * day);
	expect(await purgeIdle(signOn.now.at)).toBe(0);
	signOn.now.forward(1);
	expect(await purgeIdle(signOn.now.at)).toBeGreaterThanOrEqual(1);
	const left = await idsOf("sessions");
	expect(left).not.toContain(idle.id);
	expect(left).toContain(used.id);
	expect((await signOn.refresh(next)).statusCode).toBe(200);
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

test("a purge skips locked rows and removes them in a later run", async () => {
	const [held, other] = [await open(), await open()];
	for (const { access_token } of [held, other])
		await office.call("POST", "/api/v1/auth/logout", { token: access_token });
	signOn.now.forward(7 * day + 1);
	const purgeIdle = createIdlePurge(signOn.db);
	await owner.transaction(
		besideOthers(async (tx) => {
			const { tenant_id } = claimsOf(held.access_token);
			await tx.query("select from sessions where tenant_id = $1 and id = $2 for update", [
				tenant_id,
				held.id,
			]);
			await purgeNow();
			signOn.now.forward(60 * day);
			await purgeIdle(signOn.now.at);
			expect(await idsOf("sessions")).toEqual([held.id]);
		}),
	);
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

test("more rows of every kind than a batch has all go in one run, and those that live stay", async () => {
	await clear();
	await lay(1_201, signOn.now.at);
	await lay(3, new Date(signOn.now.at.getTime() + 90 * day * 1_000));
	expect(await countAll()).toEqual(each(1_204));
	signOn.now.forward(30 * day + 1);
	await signOn.jobs.run("sessions.purge");
	await signOn.jobs.run("links.purge");
	expect(await countAll()).toEqual(each(3));
});

test("more idle sessions than are looked at in a batch all go in one run, and those in use stay among them", async () => {
	await clear();
	await lay(4_500, signOn.now.at);
	await owner.query("update sessions set expires_at = $1", [
		new Date(signOn.now.at.getTime() + 90 * day * 1_000),
	]);
	await owner.query(
		"update sessions set idle_expires_at = expires_at where id in (select id from sessions order by id offset 2100 limit 7)",
	);
	signOn.now.forward(7 * day + 1);
	expect(await createIdlePurge(signOn.db)(signOn.now.at)).toBe(4_493);
	expect(await idsOf("sessions")).toHaveLength(7);
});

test("an aborted purge ends after its batch; the next one continues there", async () => {
	await clear();
	await lay(2_400, signOn.now.at);
	signOn.now.forward(37 * day + 1);
	/** Aborts the purge after its first batch. */
	const stopping = () => {
		const stop = new AbortController();
		const db: Pool = {
			...signOn.db,
			query: async (...asked) => {
				stop.abort();
				return signOn.db.query(...asked);
			},
		};
		return { db, signal: stop.signal };
	};
	const { db, signal } = stopping();
	const purgeIdle = createIdlePurge(db);
	expect(await purgeIdle(signOn.now.at, signal)).toBe(2_000);
	expect(await purgeIdle(signOn.now.at)).toBe(400);
	const first = stopping();
	expect(await purge(first.db, signOn.now.at, first.signal)).toBe(4 * 500);
	expect(await countAll()).toMatchObject({ authorization_codes: 1_900, one_time_links: 2_400 });
	const second = stopping();
	await purgeLinks(second.db, signOn.now.at, second.signal);
	expect(await countAll()).toMatchObject({ one_time_links: 1_900 });
	expect(await purgeNow()).toBe(4 * 1_900);
	await purgeLinks(signOn.db, signOn.now.at);
	expect(await countAll()).toEqual(each(0));
});

test("a run removes fifty thousand of a kind at most and leaves the rest to the next", async () => {
	await clear();
	await owner.query(
		`insert into one_time_tokens (token_hash, kind, tenant_id, user_id, expires_at)
		 select int4send(n), 'sso_exchange', $1, gen_random_uuid(), $2 from generate_series(1, 50001) n on conflict do nothing`,
		[signOn.tenants.get("uhai"), signOn.now.at],
	);
	signOn.now.forward(day + 1);
	expect(await purgeNow()).toBe(50_000);
	expect(await purgeNow()).toBe(1);
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
