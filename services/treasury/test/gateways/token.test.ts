import { setUp } from "@lango/testkit/set-up";
import { beforeEach, describe, expect, test } from "vitest";
import type { MobileMoney } from "../../src/gateways/mobile-money/account.ts";
import { startPush } from "../../src/gateways/mobile-money/push.ts";
import { findStoredToken } from "./find-stored-token.store.ts";
import { type GatewaysAt, openGatewaysAt } from "./gateways-at.ts";
import { fixture, type Reply, startTestGateway, type TestGateway } from "./test-gateway.ts";

let made = 0;
let gateway: TestGateway;
const at = setUp(async (): Promise<GatewaysAt & { close(): Promise<void> }> => {
	gateway = await startTestGateway();
	const opened = await openGatewaysAt(gateway.url);
	return { ...opened, close: () => gateway.close().finally(() => opened.database.drop()) };
});

/** Every test has a credential of its own, so a token of its own. */
beforeEach(async () => {
	made = 0;
	await at.setPlatform("mobile_money", {
		consumer_key: "consumer",
		consumer_secret: "secret",
		passkey: "pass",
	});
	gateway.received.length = 0;
	answerPush(() => fixture("mobile-money/push-accepted"));
});

const isToken = (url: string) => url.startsWith("/oauth/");

/** Each token is another one; the push is answered by the bearer that it has. */
function answerPush(push: (bearer: string) => Reply, expiresIn: string | number = "3599"): void {
	gateway.answerWith(({ url, headers }) => {
		if (!isToken(url)) return push(String(headers["authorization"]));
		made += 1;
		return { status: 200, body: { access_token: `token-${made}`, expires_in: expiresIn } };
	});
}

const open = async (tenantId = at.tenantId): Promise<MobileMoney> => {
	const found = await at.process().findMobileMoney(tenantId);
	if (found === undefined) throw new Error("the tenant has no shortcode");
	return found;
};
const push = (account: MobileMoney) =>
	startPush(account, {
		...{ amountMinor: 10_000n, phone: "254712345678", accountReference: "7K3Q9XW2MA", description: "Test" },
		callbackUrl: "https://pay.example/callback",
	});
const bearers = () =>
	gateway.received.filter(({ url }) => !isToken(url)).map(({ headers }) => headers["authorization"]);

test("the token is fetched by GET with the consumer's key and secret, and is stored encrypted", async () => {
	expect(await push(await open())).toMatchObject({ is: "accepted" });
	const [request] = gateway.received;
	expect(request).toMatchObject({ method: "GET", url: "/oauth/v1/generate?grant_type=client_credentials" });
	expect(request?.headers["authorization"]).toBe(
		`Basic ${Buffer.from("consumer:secret").toString("base64")}`,
	);
	expect(bearers()).toEqual(["Bearer token-1"]);
	const stored = await findStoredToken(at.database.db);
	expect(stored?.toString("latin1")).not.toContain("token-1");
});

test("ten calls of two processes at once fetch one token", async () => {
	const accounts = [await open(), await open()];
	const answers = await Promise.all(
		Array.from({ length: 10 }, (_, index) => push(accounts[index % 2] as MobileMoney)),
	);
	expect(answers.every(({ is }) => is === "accepted")).toBe(true);
	expect(made).toBe(1);
});

test("a token is renewed 60 seconds before its end, and not earlier", async () => {
	answerPush(() => fixture("mobile-money/push-accepted"), 3_600);
	const account = await open();
	const begin = at.clock.now.getTime();
	await push(account);
	at.clock.now = new Date(begin + 3_539_000);
	await push(account);
	at.clock.now = new Date(begin + 3_541_000);
	await push(account);
	expect(bearers()).toEqual(["Bearer token-1", "Bearer token-1", "Bearer token-2"]);
});

describe("an invalid token is renewed once, and the call is sent once more", () => {
	test.each([
		[400, "400.003.01"],
		[401, "401.002.01"],
		[404, "404.001.03"],
	])("%i %s", async (status, errorCode) => {
		const refusal = { status, body: { requestId: "1", errorCode, errorMessage: "Invalid Access Token" } };
		answerPush((bearer) => (bearer === "Bearer token-1" ? refusal : fixture("mobile-money/push-accepted")));
		expect(await push(await open())).toMatchObject({ is: "accepted" });
		expect(bearers()).toEqual(["Bearer token-1", "Bearer token-2"]);
		answerPush(() => refusal);
		expect(await push(await open())).toMatchObject({ is: "refused", code: errorCode, isRetryable: true });
		expect(bearers()).toEqual(["Bearer token-1", "Bearer token-2", "Bearer token-2", "Bearer token-3"]);
	});
});

test("calls of two processes whose token was refused renew it once together", async () => {
	const [first, second] = [await open(), await open()];
	await push(first);
	const refusal = { status: 404, body: { errorCode: "404.001.03", errorMessage: "Invalid Access Token" } };
	answerPush((bearer) => (bearer === "Bearer token-1" ? refusal : fixture("mobile-money/push-accepted")));
	const answers = await Promise.all([push(first), push(second), push(first), push(second)]);
	expect(answers.every(({ is }) => is === "accepted")).toBe(true);
	expect(made).toBe(2);
});

test("without a token the call is refused and not sent; the next one tries again", async () => {
	const account = await open();
	gateway.answerWith(() => ({ status: 503, body: {} }));
	expect(await push(account)).toMatchObject({ is: "refused", code: "token_unavailable", isRetryable: true });
	gateway.answerWith(() => ({
		status: 400,
		body: { errorCode: "400.008.01", errorMessage: "Invalid keys" },
	}));
	expect(await push(account)).toMatchObject({ is: "refused", code: "400.008.01", isRetryable: false });
	expect(bearers()).toEqual([]);
	answerPush(() => fixture("mobile-money/push-accepted"));
	expect(await push(account)).toMatchObject({ is: "accepted" });
});

test("a tenant's own consumer key has a token of its own, and its passkey and initiator are its own", async () => {
	const tenantId = await at.addShortcode("600200");
	const own = { consumer_key: "own", consumer_secret: "own-secret", initiator_password: "its-password" };
	await at.setTenant(own, tenantId);
	const account = await open(tenantId);
	expect(account).toMatchObject({ shortcode: "600200", passkey: "pass", initiator: { name: "uhai-api" } });
	await push(account);
	await push(await open());
	expect(
		gateway.received.filter(({ url }) => isToken(url)).map(({ headers }) => headers["authorization"]),
	).toEqual([
		`Basic ${Buffer.from("own:own-secret").toString("base64")}`,
		`Basic ${Buffer.from("consumer:secret").toString("base64")}`,
	]);
	expect(bearers()).toEqual(["Bearer token-1", "Bearer token-2"]);
});
