import { expect, test } from "vitest";
import {
	bearer,
	claimsOf,
	obtainTokens,
	openBrowser,
	password,
	setUpSignOn,
	startSignOn,
} from "./sign-on.ts";

const signOn = setUpSignOn({ LANGO_TRUSTED_PROXIES: "127.0.0.1" });

const post = (payload: object, headers: Record<string, string> = {}) =>
	signOn.app.inject({
		method: "POST",
		url: "/api/v1/auth/login",
		payload,
		headers: { origin: "http://localhost:3000", ...headers },
	});

test("a known device is not locked out by failures elsewhere", async () => {
	const first = await post({ email: "owner@kahawa.example", password });
	const device = first.cookies.find(({ name }) => name === "lango-device");
	expect(device).toMatchObject({ httpOnly: true, sameSite: "Lax" });
	for (let attempt = 0; attempt < 11; attempt += 1)
		await post({ email: "owner@kahawa.example", password: "wrong-password" });
	expect((await post({ email: "owner@kahawa.example", password })).statusCode).toBe(429);
	expect(
		(await post({ email: "owner@kahawa.example", password }, { cookie: `lango-device=${device?.value}` }))
			.statusCode,
	).toBe(200);
	expect(
		(await post({ email: "cashier@kahawa.example", password }, { cookie: `lango-device=${device?.value}` }))
			.statusCode,
	).toBe(200);
});

test("of a hundred wrong passwords at once at most ten are checked, and other addresses are not affected", async () => {
	const email = "pharm@uhai.example";
	const at = { "x-forwarded-for": "203.0.113.1" };
	const answers = await Promise.all(
		Array.from({ length: 100 }, (_, turn) => post({ email, password: `Guess-number-${turn}` }, at)),
	);
	const of = (status: number) => answers.filter(({ statusCode }) => statusCode === status);
	expect(of(401).length).toBeLessThanOrEqual(10);
	expect(of(401).length + of(429).length).toBe(100);
	for (let failed = of(401).length; failed < 10; failed += 1)
		expect((await post({ email, password: "wrong-password" }, at)).statusCode).toBe(401);
	const locked = await post({ email, password }, at);
	expect([locked.statusCode, locked.json().code]).toEqual([429, "too_many_attempts"]);
	expect(Number(locked.headers["retry-after"])).toBeGreaterThan(0);
	expect((await post({ email, password }, { "x-forwarded-for": "203.0.113.2" })).statusCode).toBe(200);
});

test("sign-ins beyond a full hashing queue are refused with 503 sign_in_busy and Retry-After, and do not count as failures", async () => {
	const narrow = await startSignOn({
		AUTH_PASSWORD_HASHES_AT_ONCE: "1",
		AUTH_PASSWORD_HASHES_WAITING: "1",
		AUTH_PASSWORD_HASHES_PER_ACCOUNT: "10",
	});
	const attempt = (guess: string) =>
		narrow.app.inject({
			method: "POST",
			url: "/api/v1/auth/login",
			payload: { email: "nurse@uhai.example", password: guess },
		});
	const answers = await Promise.all(Array.from({ length: 10 }, () => attempt("wrong-password")));
	const of = (status: number) => answers.filter(({ statusCode }) => statusCode === status);
	expect(of(401).length).toBeGreaterThanOrEqual(2);
	expect(of(503).length).toBeGreaterThanOrEqual(1);
	expect(of(401).length + of(503).length).toBe(10);
	for (const busy of of(503)) {
		expect(busy.json().code).toBe("sign_in_busy");
		expect(busy.headers["retry-after"]).toBe("2");
		expect(busy.cookies).toEqual([]);
	}
	for (let failed = of(401).length; failed < 10; failed += 1)
		expect((await attempt("wrong-password")).statusCode).toBe(401);
	expect((await attempt(password)).statusCode).toBe(429);
	await narrow.close();
});

test("repeated sign-ins with the right password are never slowed", async () => {
	const at = { "x-forwarded-for": "203.0.113.3" };
	for (let turn = 0; turn < 15; turn += 1)
		expect((await post({ email: "nurse@uhai.example", password }, at)).statusCode).toBe(200);
});

test("the addresses of one IPv6 network are one address, those of the next another", async () => {
	const email = "owner@duka.example";
	const from = (ip: string) => ({ "x-forwarded-for": ip });
	for (let turn = 1; turn <= 10; turn += 1)
		expect((await post({ email, password: "wrong" }, from(`2001:db8:7:8::${turn}`))).statusCode).toBe(401);
	expect((await post({ email, password }, from("2001:db8:7:8:ffff::1"))).statusCode).toBe(429);
	expect((await post({ email, password }, from("2001:db8:7:9::1"))).statusCode).toBe(200);
});

test("the outlet can be changed later, by a new exchange token of the same session", async () => {
	const outlets = (await signOn.app.inject("/api/v1/tenants/uhai/outlets")).json<
		Array<{ id: string; code: string }>
	>();
	const idOf = (code: string) => outlets.find((one) => one.code === code)?.id;
	const select = (ssoExchangeToken: string, code: string) =>
		signOn.app.inject({
			method: "POST",
			url: "/api/v1/auth/select-outlet",
			payload: { ssoExchangeToken, outletId: idOf(code) },
		});
	const exchange = (token: string) =>
		signOn.app.inject({
			method: "POST",
			url: "/api/v1/auth/outlet-exchange",
			headers: bearer(token),
		});
	const tokens = await obtainTokens(signOn.app, "nurse@uhai.example");
	const ward = (await select(tokens.ssoExchangeToken ?? "", "WARD")).json();
	const { ssoExchangeToken } = (await exchange(ward.access_token)).json();
	const pharmacy = (await select(ssoExchangeToken, "PHARM")).json();
	expect(claimsOf(pharmacy.access_token)).toMatchObject({
		outlet_code: "PHARM",
		sid: claimsOf(ward.access_token).sid,
	});
	await signOn.app.inject({
		method: "POST",
		url: "/api/v1/auth/logout",
		headers: bearer(ward.access_token),
	});
	expect((await exchange(ward.access_token)).statusCode).toBe(401);
});

test("expired rows are purged in small batches, and live ones stay", async () => {
	const { purge } = await import("../src/sessions/purge/purge.ts");
	const count = async () => {
		const [row] = await signOn.db.query<{ count: bigint }>("select count(*) from browser_sessions");
		return Number(row?.count);
	};
	await openBrowser(signOn.app).signIn("admin@uhai.example");
	expect(await purge(signOn.db, signOn.now.at)).toBe(0);
	const before = await count();
	expect(before).toBeGreaterThan(0);
	signOn.now.forward(15 * 86_400);
	await openBrowser(signOn.app).signIn("admin@uhai.example");
	signOn.now.forward(7 * 86_400);
	expect(await purge(signOn.db, signOn.now.at)).toBeGreaterThanOrEqual(before);
	expect(await count()).toBe(1);
	signOn.now.forward(91 * 86_400);
	await signOn.jobs.run("sessions.purge");
	expect(await count()).toBe(0);
});

test("every answer has the security headers, and answers about a person are not cached", async () => {
	for (const url of ["/api/v1/authorize", "/api/v1/auth/me", "/.well-known/jwks.json", "/nowhere"]) {
		const { headers } = await signOn.app.inject(url);
		expect(headers["x-content-type-options"], url).toBe("nosniff");
		expect(headers["x-frame-options"], url).toBe("DENY");
		expect(headers["content-security-policy"], url).toContain("frame-ancestors 'none'");
		expect(headers["x-request-id"], url).toBeDefined();
	}
	const { access_token } = await obtainTokens(signOn.app, "admin@uhai.example");
	for (const url of ["/api/v1/auth/me", "/api/v1/userinfo", "/api/v1/auth/sessions", "/api/v1/authorize"]) {
		const { headers } = await signOn.app.inject({
			url,
			headers: bearer(access_token),
		});
		expect(headers["cache-control"], url).toMatch(/^no-store$|^private, no-cache$/);
	}
});
