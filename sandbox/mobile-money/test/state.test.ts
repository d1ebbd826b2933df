import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Gateway, openGateway, pushBody } from "./gateway.ts";
import { fixture, shapeOf } from "./shape.ts";

const folder = mkdtempSync(join(tmpdir(), "lango-mobile-money-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function within<T>(options: object, work: (gateway: Gateway) => Promise<T>): Promise<T> {
	const gateway = await openGateway(options);
	try {
		return await work(gateway);
	} finally {
		await gateway.stop();
	}
}

/** Some calls, and everything that can be read after them. */
async function callAll({ post, control }: Gateway) {
	const answers = [await post("/stkpush/v1/processrequest", pushBody())];
	await expect.poll(async () => (await control("GET deliveries")).items[0]?.state).toBe("failed");
	answers.push(await post("/stkpush/v1/processrequest", pushBody({ Amount: "0" })));
	answers.push(await control("POST phones/254712345678/pay", { shortcode: "600200", amount_minor: 500 }));
	answers.push(
		await post("/b2c/v1/paymentrequest", {
			...{ InitiatorName: "nobody", SecurityCredential: "eA==", CommandID: "BusinessPayment", Amount: "10" },
			...{ PartyA: "600100", PartyB: "254712345678", Remarks: "Test" },
			...{ QueueTimeOutURL: "http://127.0.0.1:1/t", ResultURL: "http://127.0.0.1:1/r" },
		}),
	);
	await expect.poll(async () => (await control("GET deliveries")).items[1]?.state).toBe("failed");
	return [answers, await control("GET ledger"), await control("GET deliveries")];
}

test("the same seed and the same calls give the same bytes, and another seed gives others", async () => {
	const [first, second, other] = [
		await within({ seed: "one" }, callAll),
		await within({ seed: "one" }, callAll),
		await within({ seed: "two" }, callAll),
	];
	expect(JSON.stringify(second)).toBe(JSON.stringify(first));
	expect(JSON.stringify(other)).not.toBe(JSON.stringify(first));
});

test("after a restart the ledger is as before, and an open prompt still ends by the clock", async () => {
	const truthFile = join(folder, "state.jsonl");
	const phone = { PartyA: "254712345678", PhoneNumber: "254712345678" };
	const now = () => new Date("2026-11-24T08:00:00Z");
	const before = await within({ truthFile, now }, async ({ post, control }) => {
		await post("/stkpush/v1/processrequest", pushBody(phone));
		return control("GET ledger");
	});
	await within({ truthFile, now }, async ({ control }) => {
		expect(await control("GET ledger")).toEqual(before);
		const phoneNow = async () => (await control("GET phones")).items[0];
		expect(await phoneNow()).toMatchObject({ prompt: { reference: "INV-1" } });
		await control("POST clock", { advance_seconds: 60 });
		expect(await phoneNow()).toMatchObject({ prompt: null });
	});
});

test("a QR code is a PNG in base64", async () => {
	const body = {
		MerchantName: "Lango",
		RefNo: "INV-1",
		Amount: "250",
		TrxCode: "PB",
		CPI: "600100",
		Size: "300",
	};
	await within({}, async ({ post }) => {
		const made = await post("/qrcode/v1/generate", body);
		expect([made.status, shapeOf(made.text)]).toEqual([200, fixture("qr")]);
		expect(made.body.QRCode).toMatch(/^iVBORw0KGgo/);
		expect((await post("/qrcode/v1/generate", { ...body, TrxCode: "XX" })).body.errorMessage).toBe(
			"Bad Request - Invalid TrxCode",
		);
	});
});

test("the reference describes every operation", async () => {
	await within({}, async ({ url }) => {
		const { paths } = JSON.parse(await (await fetch(`${url}/openapi.json`)).text());
		expect(paths["/mobilemoney/stkpush/v1/processrequest"].post.requestBody.content).toMatchObject({
			"application/json": { schema: { required: expect.arrayContaining(["Password", "CallBackURL"]) } },
		});
	});
});
