import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import {
	backend,
	bearer,
	claimsOf,
	codeOf,
	obtainBackendTokens,
	obtainTokens,
	setUpSignOn,
} from "./sign-on.ts";

// Switching the outlet of a session: /auth/outlet-exchange, then /auth/select-outlet.

const nurse = "nurse@uhai.example";
const signOn = setUpSignOn();
let outlets: Record<string, string>;
beforeAll(async () => {
	outlets = await signOn.outletsOf("uhai");
});

const exchange = (token: string, body?: object) =>
	signOn.app.inject({
		method: "POST",
		url: "/api/v1/auth/outlet-exchange",
		headers: bearer(token),
		...(body !== undefined && { payload: body }),
	});
const exchangeTokenOf = async (token: string): Promise<string> => {
	const response = await exchange(token);
	if (response.statusCode !== 200) throw new Error(`no exchange token: ${response.body}`);
	return response.json().ssoExchangeToken;
};
type Choice = {
	ssoExchangeToken: string;
	outletId: string | undefined;
	client_id?: string;
	client_secret?: string;
};
const select = (payload: Choice, headers: Record<string, string> = {}) =>
	signOn.app.inject({ method: "POST", url: "/api/v1/auth/select-outlet", headers, payload });
const limitsOf = (token: string) => {
	const { client_id, scope, aud, sid, sub, tenant_id } = claimsOf(token);
	return { client_id, scope, aud, sid, sub, tenant_id };
};
const accessOnly = ["access_token", "expires_in", "scope", "token_type"];

/** Tokens of the confidential client for the nurse, who has an outlet to choose. */
const backendTokens = () => obtainBackendTokens(signOn.app, nurse);

test("an exchange that began with an access token is answered with an access token of the same limits only", async () => {
	const tokens = await obtainTokens(signOn.app, nurse);
	signOn.now.forward(3_600);
	const ssoExchangeToken = await exchangeTokenOf(tokens.access_token);
	const response = await select({ ssoExchangeToken, outletId: outlets.WARD });
	expect(response.statusCode).toBe(200);
	const answer = response.json();
	expect(Object.keys(answer).sort()).toEqual(accessOnly);
	expect(limitsOf(answer.access_token)).toEqual(limitsOf(tokens.access_token));
	expect(claimsOf(answer.access_token)).toMatchObject({
		exp: claimsOf(tokens.access_token).exp,
		outlet_id: outlets.WARD,
	});
	expect(answer.expires_in).toBe(5 * 3_600);
});

test("the session keeps its refresh token, and a refresh names the outlet that was switched to", async () => {
	const tokens = await obtainTokens(signOn.app, nurse);
	await select({ ssoExchangeToken: tokens.ssoExchangeToken ?? "", outletId: outlets.WARD });
	await select({ ssoExchangeToken: await exchangeTokenOf(tokens.access_token), outletId: outlets.PHARM });
	const refreshed = await signOn.refresh(tokens.refresh_token);
	expect(claimsOf(refreshed.json().access_token)).toMatchObject({ outlet_id: outlets.PHARM });
});

test("a token of a narrower scope is exchanged for one of that scope", async () => {
	const { refresh_token } = await obtainTokens(signOn.app, nurse);
	const narrow = (await signOn.refresh(refresh_token, { scope: "openid" })).json();
	const ssoExchangeToken = await exchangeTokenOf(narrow.access_token);
	const answer = (await select({ ssoExchangeToken, outletId: outlets.WARD })).json();
	expect(answer.scope).toBe(narrow.scope);
	expect(limitsOf(answer.access_token)).toEqual(limitsOf(narrow.access_token));
});

test("an exchange that began at /token is answered with all tokens of the session", async () => {
	const { ssoExchangeToken = "" } = await obtainTokens(signOn.app, nurse);
	const answer = (await select({ ssoExchangeToken, outletId: outlets.WARD })).json();
	expect(Object.keys(answer).sort()).toEqual([...accessOnly, "id_token", "refresh_token"].sort());
});

test("an exchange token expires with the access token it began with", async () => {
	const { access_token } = await obtainTokens(signOn.app, nurse);
	signOn.now.forward(6 * 3_600 - 60);
	const choose = { ssoExchangeToken: await exchangeTokenOf(access_token), outletId: outlets.WARD };
	signOn.now.forward(61);
	expect(codeOf(await select(choose))).toEqual([401, "exchange_token_invalid"]);
});

test("a confidential client must authenticate to begin an exchange", async () => {
	const { access_token } = await backendTokens();
	const other = { client_id: "cafe-website" };
	for (const body of [
		undefined,
		other,
		{ ...backend, client_secret: "wrong" },
		{ client_id: backend.client_id },
	]) {
		const refused = await exchange(access_token, body);
		expect([refused.statusCode, refused.json().code]).toEqual([401, "invalid_client"]);
	}
	expect((await exchange(access_token, backend)).statusCode).toBe(200);
	const ofPublic = await obtainTokens(signOn.app, nurse);
	expect((await exchange(ofPublic.access_token, backend)).statusCode).toBe(401);
	expect((await exchange(ofPublic.access_token, other)).statusCode).toBe(200);
});

test.each([
	["/token", async (tokens: { ssoExchangeToken: string }) => tokens.ssoExchangeToken, true],
	[
		"/auth/outlet-exchange",
		async ({ access_token }: { access_token: string }) =>
			(await exchange(access_token, backend)).json().ssoExchangeToken as string,
		false,
	],
] as const)(
	"a confidential client must authenticate to end an exchange that began at %s; a refusal does not consume it",
	async (_where, begin, hasRefreshToken) => {
		const ssoExchangeToken = await begin(await backendTokens());
		const choice = { ssoExchangeToken, outletId: outlets.WARD };
		expect(codeOf(await select(choice))).toEqual([401, "invalid_client"]);
		expect(codeOf(await select({ ...choice, client_id: backend.client_id }))).toEqual([
			401,
			"invalid_client",
		]);
		expect(codeOf(await select({ ...choice, client_id: "cafe-website" }))).toEqual([
			401,
			"exchange_token_invalid",
		]);
		const secret = Buffer.from(`${backend.client_id}:${backend.client_secret}`).toString("base64");
		const answer = await select(choice, { authorization: `Basic ${secret}` });
		expect(answer.statusCode).toBe(200);
		expect("refresh_token" in answer.json()).toBe(hasRefreshToken);
	},
);

test("an exchange of one session selects no outlet of another tenant, and no other client may end it", async () => {
	const { access_token } = await obtainTokens(signOn.app, nurse);
	const ssoExchangeToken = await exchangeTokenOf(access_token);
	const foreign = (await signOn.app.inject("/api/v1/tenants/kahawa/outlets")).json()[0].id;
	expect(codeOf(await select({ ssoExchangeToken, outletId: foreign }))).toEqual([403, "outlet_forbidden"]);
	const choice = { ssoExchangeToken, outletId: outlets.WARD };
	expect(codeOf(await select({ ...choice, client_id: "pos-ui" }))).toEqual([401, "exchange_token_invalid"]);
	expect((await select({ ...choice, client_id: "cafe-website" })).statusCode).toBe(200);
});

test("four wrong outlet ids do not consume an exchange token, the fifth does", async () => {
	const { ssoExchangeToken = "", access_token } = await obtainTokens(signOn.app, nurse);
	const wrong = async (token: string, times: number) => {
		for (let time = 0; time < times; time += 1)
			expect(codeOf(await select({ ssoExchangeToken: token, outletId: randomUUID() }))).toEqual([
				403,
				"outlet_forbidden",
			]);
	};
	await wrong(ssoExchangeToken, 4);
	expect((await select({ ssoExchangeToken, outletId: outlets.WARD })).statusCode).toBe(200);
	const another = await exchangeTokenOf(access_token);
	await wrong(another, 5);
	const late = await select({ ssoExchangeToken: another, outletId: outlets.WARD });
	expect(codeOf(late)).toEqual([401, "exchange_token_invalid"]);
});

test("of twenty wrong ids at once five are counted; of twenty right ones at once one succeeds", async () => {
	const { access_token } = await obtainTokens(signOn.app, nurse);
	const race = async (outletId: string | undefined) => {
		const ssoExchangeToken = await exchangeTokenOf(access_token);
		const answers = await Promise.all(
			Array.from({ length: 20 }, () => select({ ssoExchangeToken, outletId })),
		);
		return Object.groupBy(answers, ({ statusCode }) => statusCode);
	};
	const wrong = await race(randomUUID());
	expect([wrong[403]?.length, wrong[401]?.length]).toEqual([5, 15]);
	const right = await race(outlets.WARD);
	expect([right[200]?.length, right[401]?.length]).toEqual([1, 19]);
});

type Step =
	| { kind: "exchange"; at: number }
	| { kind: "select"; at: number; outlet: string }
	| { kind: "wait"; seconds: number };
const steps: fc.Arbitrary<Step[]> = fc.array(
	fc.oneof(
		fc.record({ kind: fc.constant("exchange" as const), at: fc.nat(9) }),
		fc.record({
			kind: fc.constant("select" as const),
			at: fc.nat(9),
			outlet: fc.constantFrom("WARD", "PHARM", "HQ", "none"),
		}),
		fc.record({ kind: fc.constant("wait" as const), seconds: fc.integer({ min: 1, max: 5_000 }) }),
	),
	{ minLength: 2, maxLength: 12 },
);

/** Plays steps that begin with one access token; answers every answer of select-outlet that held tokens. */
async function play(first: string, all: readonly Step[]): Promise<Array<{ access_token: string }>> {
	const answers = [{ access_token: first }];
	const exchangeTokens = ["unknown"];
	const takeStep = async (step: Step) => {
		if (step.kind === "wait") return signOn.now.forward(step.seconds);
		if (step.kind === "exchange") {
			const response = await exchange(answers[step.at % answers.length]?.access_token ?? "");
			expect([200, 401]).toContain(response.statusCode);
			if (response.statusCode === 200) exchangeTokens.push(response.json().ssoExchangeToken);
			return;
		}
		const ssoExchangeToken = exchangeTokens[step.at % exchangeTokens.length] ?? "";
		const response = await select({ ssoExchangeToken, outletId: outlets[step.outlet] ?? randomUUID() });
		expect([200, 401, 403]).toContain(response.statusCode);
		if (response.statusCode === 200) answers.push(response.json());
	};
	for (const step of all) await takeStep(step);
	return answers.slice(1);
}

test("no sequence of exchanges yields a refresh token, an ID token, more scope or a later expiry from an access token", async () => {
	let given = 0;
	await fc.assert(
		fc.asyncProperty(steps, async (all) => {
			const { access_token: first } = await obtainTokens(signOn.app, nurse);
			for (const answer of await play(first, all)) {
				given += 1;
				expect(Object.keys(answer).sort()).toEqual(accessOnly);
				expect(limitsOf(answer.access_token)).toEqual(limitsOf(first));
				expect(Number(claimsOf(answer.access_token).exp)).toBeLessThanOrEqual(Number(claimsOf(first).exp));
			}
		}),
		{ numRuns: 25 },
	);
	expect(given).toBeGreaterThan(0);
}, 60_000);
