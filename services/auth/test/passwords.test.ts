import { expect, test } from "vitest";
import { openOffice } from "./office.ts";
import {
	acceptedKey,
	apiKey,
	claimsOf,
	codeOf,
	openBrowser,
	password,
	setUpSignOn,
	startSignOn,
} from "./sign-on.ts";

const next = "Tembo-na-Simba-77";
const signOn = setUpSignOn({
	...acceptedKey,
	AUTH_SHOW_LINKS: "true",
	LANGO_TRUSTED_PROXIES: "127.0.0.1",
});
const office = openOffice(signOn);

let asker = 0;
/** From an address of its own, so that no test is limited by another. */
const strange = () => {
	asker += 1;
	return { "x-forwarded-for": `198.51.100.${asker}` };
};
const change = (token: string, body: object) =>
	office.call("POST", "/api/v1/auth/password/change", { token, body });
const requestReset = (email: string, headers: object = strange()) =>
	office.call("POST", "/api/v1/auth/password/reset-request", { body: { email }, headers });
const reset = (token: string, more: object = {}) =>
	office.call("POST", "/api/v1/auth/password/reset", { body: { token, password: next, ...more } });
const verify = (token: string, body: object = { password: next }) =>
	office.call("POST", "/api/v1/auth/email/verify", { body: { token, ...body } });

type LinkEvent = "auth.password.reset_requested" | "auth.email.verification_requested";
/** The link in a person's mail, fetched by the id in the latest event as the mail sender does. */
async function mailed(type: LinkEvent, userId: string) {
	const event = (await office.events(type, userId)).at(-1);
	const url = `/api/v1/auth/links/${event?.data.link_id}`;
	const link = (await office.call("GET", url, { headers: apiKey })).json();
	return { link, token: String(link.url).split("=")[1] ?? "", url };
}
const resetMail = async (email: string, userId: string) => {
	await requestReset(email);
	return mailed("auth.password.reset_requested", userId);
};

test("a password is changed with the current one; all other sessions and browser sessions end", async () => {
	const firm = await office.found();
	const browser = openBrowser(signOn.app);
	const other = (await browser.signIn(firm.email)).json();
	expect((await change(firm.token, { current_password: password, new_password: next })).json()).toEqual({
		changed: true,
	});
	expect((await signOn.me(firm.token)).statusCode).toBe(200);
	expect((await signOn.me(other.access_token)).statusCode).toBe(401);
	const refreshed = { refresh_token: other.refresh_token, client_id: "auth-ui" };
	expect((await office.call("POST", "/api/v1/auth/refresh", { body: refreshed })).statusCode).toBe(401);
	const authorize = await browser.get(
		"/api/v1/authorize?response_type=code&client_id=cafe-website&redirect_uri=http://localhost:3002/auth/callback&scope=openid&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256",
	);
	expect(authorize.headers.location).toMatch(/^http:\/\/localhost:3000\/login/);
	expect((await office.signIn(firm.email)).statusCode).toBe(401);
	expect((await office.signIn(firm.email, { password: next })).statusCode).toBe(200);
	const sid = String(claimsOf(other.access_token).sid);
	expect(await office.events("auth.session.revoked", sid)).toMatchObject([
		{ data: { because: "password_changed" } },
	]);
});

test("a wrong current password changes nothing and is counted as a failure", async () => {
	const firm = await office.found();
	const wrong = () => change(firm.token, { current_password: "not-my-password", new_password: next });
	for (let attempt = 0; attempt < 10; attempt += 1)
		expect(codeOf(await wrong())).toEqual([403, "password_wrong"]);
	expect(codeOf(await wrong())).toEqual([429, "too_many_attempts"]);
	expect((await office.signIn(firm.email)).statusCode).toBe(200);
});

test("a weak new password is refused, naming it", async () => {
	const firm = await office.found();
	for (const new_password of ["short", "password123", firm.email]) {
		const response = await change(firm.token, { current_password: password, new_password });
		expect(response.json()).toMatchObject({ code: "password_weak", field: "new_password" });
	}
});

test("changing a password requires a live session", async () => {
	const firm = await office.found();
	const body = { current_password: password, new_password: next };
	expect((await office.call("POST", "/api/v1/auth/password/change", { body })).statusCode).toBe(401);
	await office.call("POST", "/api/v1/auth/logout", { token: firm.token });
	expect(codeOf(await change(firm.token, body))).toEqual([401, "session_ended"]);
});

test("of two concurrent changes of a password one succeeds", async () => {
	const firm = await office.found();
	const second = await office.tokenOf(firm.email);
	const answers = await Promise.all(
		[firm.token, second].map((token, index) =>
			change(token, { current_password: password, new_password: `${next}-${index}` }),
		),
	);
	expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
});

test("a link by mail sets a new password, ends every session and verifies the address", async () => {
	const firm = await office.found();
	const { token, link } = await resetMail(firm.email, firm.userId);
	expect(link).toMatchObject({ kind: "password_reset", email: firm.email });
	expect(link.url).toBe(`http://localhost:3000/reset-password#token=${token}`);
	expect((await reset(token)).json()).toEqual({ changed: true });
	expect((await signOn.me(firm.token)).statusCode).toBe(401);
	expect((await office.signIn(firm.email)).statusCode).toBe(401);
	const signedIn = (await office.signIn(firm.email, { password: next })).json();
	const me = (await signOn.me(signedIn.access_token)).json();
	expect(me.email_verified).toBe(true);
	expect((await office.events("auth.user.updated", firm.userId)).at(-1)?.data.email_verified).toBe(true);
});

test("a link is valid once, for an hour, and only the latest one", async () => {
	const firm = await office.found();
	const first = await resetMail(firm.email, firm.userId);
	const second = await resetMail(firm.email, firm.userId);
	expect(codeOf(await reset(first.token))).toEqual([400, "link_invalid"]);
	expect((await reset(second.token)).statusCode).toBe(200);
	expect(codeOf(await reset(second.token, { password: `${next}!` }))).toEqual([400, "link_invalid"]);
	const third = await resetMail(firm.email, firm.userId);
	signOn.now.forward(3_601);
	expect(codeOf(await reset(third.token))).toEqual([400, "link_invalid"]);
	expect(codeOf(await office.call("GET", third.url, { headers: apiKey }))).toEqual([404, "link_not_found"]);
});

test.each([
	["stays valid if the address was never verified", false, 200],
	["becomes invalid if the address is verified", true, 400],
])("after a change of the password a reset link %s", async (_, isVerified, status) => {
	const firm = await office.found();
	await signOn.db.query("update users set email_verified = $2 where id = $1", [firm.userId, isVerified]);
	const { token } = await resetMail(firm.email, firm.userId);
	const changed = await change(firm.token, { current_password: password, new_password: next });
	expect(changed.statusCode).toBe(200);
	expect((await reset(token)).statusCode).toBe(status);
});

test("a link used many times at once sets one password", async () => {
	const firm = await office.found();
	const { token } = await resetMail(firm.email, firm.userId);
	const answers = await Promise.all(
		Array.from({ length: 4 }, (_, index) => reset(token, { password: `${next}-${index}` })),
	);
	expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400, 400, 400]);
	const won = answers.findIndex(({ statusCode }) => statusCode === 200);
	expect((await office.signIn(firm.email, { password: `${next}-${won}` })).statusCode).toBe(200);
});

test("a weak password does not consume the link", async () => {
	const firm = await office.found();
	const { token } = await resetMail(firm.email, firm.userId);
	expect((await reset(token, { password: "12345678" })).json()).toMatchObject({
		code: "password_weak",
		field: "password",
	});
	expect((await reset(token)).statusCode).toBe(200);
});

test("requesting a link gets the same answer in the same time, also for an unknown address", async () => {
	const firm = await office.found();
	const disabled = await office.found();
	const root = await office.tokenOf("root@lango.example");
	await office.call("POST", `/api/v1/admin/people/${disabled.userId}/disable`, { token: root });
	for (const email of [firm.email, "unknown@nowhere.example", disabled.email]) {
		const began = performance.now();
		const response = await requestReset(email);
		expect(performance.now() - began).toBeGreaterThan(240);
		expect([response.statusCode, response.body]).toEqual([202, '{"accepted":true}']);
	}
	expect(await office.events("auth.password.reset_requested", firm.userId)).toHaveLength(1);
	expect(await office.events("auth.password.reset_requested", disabled.userId)).toEqual([]);
});

test("a user gets at most three links per hour, and the answer does not reveal it", async () => {
	const firm = await office.found();
	for (let asked = 0; asked < 5; asked += 1) expect((await requestReset(firm.email)).statusCode).toBe(202);
	expect(await office.events("auth.password.reset_requested", firm.userId)).toHaveLength(3);
});

test("of twenty requests at once for one person three links are sent", async () => {
	const firm = await office.found();
	const answers = await Promise.all(Array.from({ length: 20 }, () => requestReset(firm.email)));
	expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([202]));
	expect(await office.events("auth.password.reset_requested", firm.userId)).toHaveLength(3);
	const [row] = await signOn.db.query<{ all: number; open: number }>(
		`select count(*)::int as all, (count(*) filter (where used_at is null))::int as open
		   from one_time_links where user_id = $1 and kind = 'password_reset'`,
		[firm.userId],
	);
	expect(row).toEqual({ all: 3, open: 1 });
});

test("of twenty requests at once to have an address proved three links are sent, the one of the registration among them", async () => {
	const firm = await office.found();
	const ask = () =>
		office.call("POST", "/api/v1/auth/email/verification-request", { token: firm.token, headers: strange() });
	const answers = await Promise.all(Array.from({ length: 20 }, ask));
	expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([202]));
	expect(await office.events("auth.email.verification_requested", firm.userId)).toHaveLength(3);
});

test("a disabled user cannot reset their password with an earlier link", async () => {
	const firm = await office.found();
	const { token } = await resetMail(firm.email, firm.userId);
	await signOn.db.query("update users set status = 'disabled' where id = $1", [firm.userId]);
	expect(codeOf(await reset(token))).toEqual([400, "link_invalid"]);
	await signOn.db.query("update users set status = 'active' where id = $1", [firm.userId]);
	expect((await reset(token)).statusCode).toBe(200);
});

test("of a hundred wrong current passwords at once at most ten are checked", async () => {
	const firm = await office.found();
	const answers = await Promise.all(
		Array.from({ length: 100 }, (_, turn) =>
			change(firm.token, { current_password: `Guess-number-${turn}`, new_password: next }),
		),
	);
	const of = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length;
	expect(of(403)).toBeGreaterThan(0);
	expect(of(403)).toBeLessThanOrEqual(10);
	expect(of(403) + of(429)).toBe(100);
});

test("one IP address can request twenty links per minute", async () => {
	const from = strange();
	const answers = await Promise.all(
		Array.from({ length: 20 }, () => requestReset("unknown@x.example", from)),
	);
	expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([202]));
	expect(codeOf(await requestReset("unknown@x.example", from))).toEqual([429, "rate_limited"]);
});

test("the link of a registration verifies the address once", async () => {
	const firm = await office.found();
	const { token, link } = await mailed("auth.email.verification_requested", firm.userId);
	expect(link.kind).toBe("email_verification");
	expect((await verify(token)).json()).toEqual({ verified: true });
	expect(codeOf(await verify(token))).toEqual([400, "link_invalid"]);
});

test("a user can request the verification link again, three times an hour, until the address is verified", async () => {
	const firm = await office.found();
	const ask = (token = firm.token) =>
		office.call("POST", "/api/v1/auth/email/verification-request", { token });
	for (let asked = 0; asked < 4; asked += 1) expect((await ask()).statusCode).toBe(202);
	expect(await office.events("auth.email.verification_requested", firm.userId)).toHaveLength(3);
	await verify((await mailed("auth.email.verification_requested", firm.userId)).token);
	signOn.now.forward(3_601);
	const again = (await office.signIn(firm.email, { password: next })).json();
	expect((await ask(again.access_token)).statusCode).toBe(202);
	expect(await office.events("auth.email.verification_requested", firm.userId)).toHaveLength(3);
	expect((await office.call("POST", "/api/v1/auth/email/verification-request")).statusCode).toBe(401);
});

test("a value of one kind is refused as another", async () => {
	const firm = await office.found();
	const resetting = await resetMail(firm.email, firm.userId);
	const verifying = await mailed("auth.email.verification_requested", firm.userId);
	expect(codeOf(await verify(resetting.token))).toEqual([400, "link_invalid"]);
	expect(codeOf(await reset(verifying.token))).toEqual([400, "link_invalid"]);
	const joined = await office.call("POST", "/api/v1/auth/join", {
		token: firm.token,
		body: { invitation: resetting.token },
	});
	expect(codeOf(joined)).toEqual([400, "invitation_invalid"]);
	expect((await verify(verifying.token)).statusCode).toBe(200);
});

test("no event and no table holds the value of a link", async () => {
	const firm = await office.found();
	const { token } = await resetMail(firm.email, firm.userId);
	for (const [table, column] of [
		["outbox", "envelope"],
		["one_time_links", "token_hash"],
	])
		expect(
			await signOn.db.query(`select 1 from ${table} t where t::text like $1`, [`%${token}%`]),
			column,
		).toEqual([]);
});

test("on a developer's machine the address is shown in the log; by default it is not", async () => {
	const firm = await office.found();
	const { link } = await resetMail(firm.email, firm.userId);
	expect(signOn.logged.join("\n")).toContain(link.url);
	const quiet = await startSignOn(acceptedKey);
	const other = openOffice(quiet);
	await other.found();
	await other.call("POST", "/api/v1/auth/password/reset-request", { body: { email: "admin@uhai.example" } });
	const shown = quiet.logged.join("\n");
	await quiet.close();
	expect(shown).not.toMatch(/#token=/);
});

test.each(["", "production", "Development", "staging"])(
	"links in the log are refused when NODE_ENV is %j",
	async (NODE_ENV) => {
		await expect(startSignOn({ AUTH_SHOW_LINKS: "true", NODE_ENV })).rejects.toThrow(/AUTH_SHOW_LINKS/);
	},
);

test("links that expired a day ago are purged, others stay", async () => {
	const firm = await office.found();
	const count = async () =>
		(await signOn.db.query("select 1 from one_time_links where user_id = $1", [firm.userId])).length;
	await signOn.jobs.run("links.purge");
	expect(await count()).toBe(1);
	signOn.now.forward(5 * 86_400);
	await signOn.jobs.run("links.purge");
	expect(await count()).toBe(0);
});

test("verifying an address sets a new password: the password from the registration and every session end", async () => {
	const firm = await office.found(); // A stranger registered the address, knows the password and is signed in.
	const second = (await office.signIn(firm.email)).json();
	const resetting = await resetMail(firm.email, firm.userId);
	const { token } = await mailed("auth.email.verification_requested", firm.userId);
	expect((await verify(token, {})).json()).toMatchObject({ code: "invalid_input", field: "password" });
	const weak = (await verify(token, { password: "12345678" })).json();
	expect(weak).toMatchObject({ code: "password_weak", field: "password" });
	const before = (await signOn.me(firm.token)).json();
	expect(before.email_verified).toBe(false);
	const verified = await verify(token);
	expect(verified.json()).toEqual({ verified: true });
	expect(verified.cookies.find(({ name }) => name === "lango-device")?.value).toBeTruthy();
	for (const one of [firm.token, second.access_token]) expect((await signOn.me(one)).statusCode).toBe(401);
	expect((await office.signIn(firm.email)).statusCode).toBe(401);
	expect(codeOf(await reset(resetting.token))).toEqual([400, "link_invalid"]);
	const mine = (await office.signIn(firm.email, { password: next })).json();
	const after = (await signOn.me(mine.access_token)).json();
	expect(after.email_verified).toBe(true);
});

test("a sign-in with the old password beside the verification leaves no session", async () => {
	const firm = await office.found();
	const { token } = await mailed("auth.email.verification_requested", firm.userId);
	const [verified, ...attempts] = await Promise.all([
		verify(token),
		...Array.from({ length: 6 }, () => office.signIn(firm.email)),
	]);
	expect(verified?.statusCode).toBe(200);
	for (const attempt of attempts) {
		if (attempt.statusCode !== 200) continue;
		const bearer = attempt.json().access_token;
		expect((await signOn.me(bearer)).statusCode).toBe(401);
	}
});
