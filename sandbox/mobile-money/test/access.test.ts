import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Gateway, openGateway, pushBody } from "./gateway.ts";
import { fixture, shapeOf } from "./shape.ts";

let gateway: Gateway;
beforeAll(async () => {
	gateway = await openGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
	await gateway.control("POST reset");
	await gateway.signIn();
});

const push = (path = "/stkpush/v1/processrequest") => gateway.post(path, pushBody());
const tokenOf = async () => JSON.parse((await gateway.login()).text).access_token;

test("a token has the gateway's form", async () => {
	const answer = await gateway.login();
	expect([answer.status, shapeOf(answer.text)]).toEqual([200, fixture("token")]);
});

test("a new token makes the one before invalid", async () => {
	const [first, second] = [await tokenOf(), await tokenOf()];
	gateway.useToken(first);
	const refused = await push();
	expect([refused.status, shapeOf(refused.text)]).toEqual([404, fixture("error")]);
	expect(refused.body).toMatchObject({ errorCode: "404.001.03", errorMessage: "Invalid Access Token" });
	gateway.useToken(second);
	expect((await push()).status).toBe(200);
});

test("a token ends after 3600 seconds", async () => {
	await gateway.control("POST clock", { advance_seconds: 3599 });
	expect((await push()).status).toBe(200);
	await gateway.control("POST clock", { advance_seconds: 1 });
	expect((await push()).body).toMatchObject({ errorCode: "404.001.03" });
});

test.each([
	["sandbox-consumer-key", "wrong"],
	["unknown", "sandbox-consumer-secret"],
])("the consumer key %s with the secret %s gets no token", async (name, secret) => {
	const refused = await gateway.login(name, secret);
	expect([refused.status, JSON.parse(refused.text)]).toMatchObject([400, { errorCode: "400.008.01" }]);
});

test("another grant type gets no token", async () => {
	expect(await gateway.send("GET", "/oauth/v1/generate?grant_type=password")).toMatchObject({
		status: 400,
		body: { errorCode: "400.008.02" },
	});
});

test("calls without a token, to unknown paths and with a body that is not JSON are refused", async () => {
	expect((await push("/unknown")).body).toMatchObject({ errorCode: "404.001.01" });
	const broken = await gateway.post("/stkpush/v1/processrequest", "{");
	expect(broken).toMatchObject({ status: 400, body: { errorCode: "400.002.05" } });
	gateway.useToken("");
	expect(await push()).toMatchObject({ status: 404, body: { errorCode: "404.001.04" } });
});

test("a shortcode with a consumer key of its own is not the business of others", async () => {
	const own = { consumer_key: "own-key", consumer_secret: "own-secret" };
	await gateway.control("PUT shortcodes", [{ shortcode: "600100", ...own }]);
	expect((await push()).body.errorMessage).toBe("Bad Request - Invalid BusinessShortCode");
	gateway.useToken(JSON.parse((await gateway.login("own-key", "own-secret")).text).access_token);
	expect((await push()).status).toBe(200);
});

test("a client for a real gateway runs unchanged with the aliases of its path and receipt", async () => {
	const other = await openGateway({ pathAlias: "mpesa", receiptKey: "MpesaReceiptNumber" });
	try {
		const { status } = await other.send("POST", "/mpesa/stkpush/v1/processrequest", pushBody());
		expect(status).toBe(200);
		for (const path of ["/mpesa/c2b/v2/registerurl", "/mpesa/b2c/v3/paymentrequest"])
			expect((await other.send("POST", path, {})).body.errorCode).toBe("400.002.02");
		await expect
			.poll(async () => (await other.control("GET deliveries")).items[0]?.body)
			.toContain('"Name":"MpesaReceiptNumber"');
	} finally {
		await other.stop();
	}
});
