import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
	authorizeUrl,
	type Browser,
	location,
	obtainCode,
	obtainTokens,
	openBrowser,
	setUpSignOn,
	tradeCode,
} from "./sign-on.ts";
import { openStatementCount, type StatementCount } from "./statements.ts";

// How often a request goes to the database, counted there.

const signOn = setUpSignOn();
let count: StatementCount;
beforeAll(async () => {
	count = await openStatementCount(signOn.ownerUrl);
});
afterAll(() => count?.close());

const signedIn = async (email: string): Promise<Browser> => {
	const browser = openBrowser(signOn.app);
	await browser.signIn(email);
	return browser;
};
const refresh = async (token: string): Promise<string> => {
	const response = await signOn.refresh(token);
	expect(response.statusCode).toBe(200);
	return response.json().refresh_token;
};
const select = async (exchangeToken: string) => {
	const response = await signOn.app.inject({
		method: "POST",
		url: "/api/v1/auth/select-outlet",
		payload: { ssoExchangeToken: exchangeToken, outletId: (await signOn.outletsOf("uhai")).WARD },
	});
	expect(response.statusCode).toBe(200);
	return response.json<{ refresh_token: string }>();
};

const people = [
	["an administrator", "admin@uhai.example"],
	["somebody at one outlet", "pharm@uhai.example"],
	["somebody at one of several outlets", "nurse@uhai.example"],
] as const;

describe("round trips", () => {
	test.each(people)("a refresh by %s is one", async (_who, email) => {
		const first = await obtainTokens(signOn.app, email);
		let token = first.ssoExchangeToken
			? (await select(first.ssoExchangeToken)).refresh_token
			: first.refresh_token;
		token = await refresh(token);
		const { statements } = await count.during(async () => {
			for (let turn = 0; turn < 10; turn += 1) token = await refresh(token);
		});
		expect(statements).toHaveLength(10);
		expect(new Set(statements).size).toBe(1);
		expect(statements[0]).toContain("rotate_refresh_token");
	});

	test("while the choice of an outlet is open, a refresh makes the token to choose with in a second one", async () => {
		const { refresh_token: token } = await obtainTokens(signOn.app, "nurse@uhai.example");
		const { statements } = await count.during(() => refresh(token));
		expect(statements).toHaveLength(2);
	});

	test.each([
		["an administrator", "admin@uhai.example", 1],
		["somebody at one outlet, who is put there", "pharm@uhai.example", 1],
		["somebody at one of several outlets, who gets a token to choose with", "nurse@uhai.example", 2],
	] as const)("an exchange of a code by %s (%s): %i", async (_who, email, times) => {
		const browser = await signedIn(email);
		const obtained = await obtainCode(browser);
		const { statements } = await count.during(async () =>
			expect((await tradeCode(signOn.app, obtained)).statusCode).toBe(200),
		);
		expect(statements).toHaveLength(times);
	});

	test("asking for a code with a session is one: who is signed in, and the code", async () => {
		const browser = await signedIn("admin@uhai.example");
		const { statements } = await count.during(() => browser.get(authorizeUrl()));
		expect(statements).toHaveLength(1);
	});
});

test("a thousand tenants, and a person who belongs to all of them, cost a request no more than three do", async () => {
	const browser = await signedIn("admin@uhai.example");
	const { refresh_token: token } = (await tradeCode(signOn.app, await obtainCode(browser))).json();
	let live: string = token;
	const requests = () =>
		count.during(async () => {
			for (let turn = 0; turn < 5; turn += 1) {
				const response = await browser.get(authorizeUrl({ tenant: "uhai" }));
				expect(location(response).searchParams.has("code")).toBe(true);
				expect((await tradeCode(signOn.app, await obtainCode(browser))).statusCode).toBe(200);
				live = await refresh(live);
			}
		});
	/** The round with the fewest page reads, because a new connection also reads the catalog. */
	const settled = async () => {
		const rounds = [await requests(), await requests(), await requests(), await requests()];
		return rounds.reduce((least, round) => (round.pages < least.pages ? round : least));
	};
	const few = await settled();

	await count.arrange(
		"insert into tenants (slug, name) select 'firm-' || n, 'Firm ' || n from generate_series(1, 1000) n",
	);
	await count.arrange(
		`insert into outlets (tenant_id, code, name, use_case)
		 select id, 'O' || n, 'Outlet', 'retail' from tenants, generate_series(1, 3) n where slug like 'firm-%'`,
	);
	await count.arrange(
		`insert into memberships (tenant_id, user_id, roles) select t.id, u.id, '{staff}' from tenants t, users u
		  where t.slug like 'firm-%' and u.email = 'admin@uhai.example'`,
	);
	await count.arrange("analyze");
	const many = await settled();

	expect(many.statements.length).toBe(few.statements.length);
	expect(many.pages).toBeLessThan(1.5 * few.pages);
}, 60_000);
