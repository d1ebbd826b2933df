import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { CardGatewayOptions } from "../src/index.ts";
import { startTestGateway, type TestGateway } from "./harness.ts";

const folder = mkdtempSync(join(tmpdir(), "card-gateway-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a gateway, and ends it. */
async function using<Result>(options: CardGatewayOptions, run: (gateway: TestGateway) => Promise<Result>) {
	const gateway = await startTestGateway(options);
	try {
		return await run(gateway);
	} finally {
		await gateway.stop();
	}
}

/** Calls of every kind; returns the answers and everything that was sent, as text. */
async function visit(gateway: TestGateway): Promise<string> {
	const paid = await gateway.pay();
	await gateway.call("POST /refund", { transaction: paid, amount: 1_000 });
	const { data: plan } = (await gateway.call("POST /plan", { name: "M", interval: "monthly", amount: 5 }))
		.body;
	await gateway.call("POST /subscription", { customer: "amina@kahawa.example", plan: plan.plan_code });
	await gateway.control("PUT faults", [{ operation: "charge.success", fault: "drop", probability: 0.5 }]);
	for (const amount of [1, 2, 3, 4]) await gateway.pay({ amount });
	await gateway.control("POST clock", { advance_seconds: 40 * 86_400 });
	const answers = [];
	for (const what of ["/transaction", "/refund", "/settlement", "/balance", "/_control/ledger"])
		answers.push((await gateway.call(`GET ${what}`)).body);
	const { items } = await gateway.control("GET deliveries");
	const sent = items.map(({ at, body, state }: Record<string, string>) => [at, body, state === "dropped"]);
	return JSON.stringify([answers, sent]);
}

test("the same seed and the same calls give the same bytes, also after a reset, and another seed gives others", async () => {
	const options = { publicUrl: "http://gateway.example" };
	const [first, afterReset] = await using({ ...options, seed: "one" }, async (gateway) => {
		const before = await visit(gateway);
		await gateway.control("POST reset");
		await gateway.control("PUT clock", { now: "2026-11-24T08:00:00Z" });
		return [before, await visit(gateway)];
	});
	const second = await using({ ...options, seed: "one" }, visit);
	const other = await using({ ...options, seed: "two" }, visit);
	expect(second).toBe(first);
	expect(afterReset).toBe(first);
	expect(other).not.toBe(first);
});

test("with a state file a restarted gateway knows everything, and does what was planned", async () => {
	const stateFile = join(folder, "state.jsonl");
	const reference = await using({ stateFile }, async (gateway) => {
		const paid = await gateway.pay();
		await gateway.call("POST /refund", { transaction: paid, amount: 1_000 });
		return paid;
	});
	await using({ stateFile }, async (gateway) => {
		const verified = (await gateway.call(`GET /transaction/verify/${reference}`)).body.data;
		expect(verified).toMatchObject({ status: "success", amount: 100_000 });
		expect(
			(
				await gateway.call("POST /transaction/initialize", {
					...{ amount: 1, email: "a@b.example", reference },
				})
			).body.code,
		).toBe("duplicate_reference");
		await gateway.control("POST clock", { advance_seconds: 86_400 });
		expect((await gateway.call("GET /refund")).body.data).toMatchObject([{ status: "processed" }]);
		expect((await gateway.call("GET /settlement")).body.data).toMatchObject([{ status: "success" }]);
	});
});

test.each([
	["POST checkouts/none", { action: "pay", channel: "card" }, "access_code_not_found"],
	["POST refunds/1", { outcome: "processed" }, "refund_not_found"],
	["POST transfers/none", { outcome: "success" }, "transfer_not_found"],
	["POST disputes/1/resolve", { resolution: "declined" }, "dispute_not_found"],
])("control answers 404 to %s, of which nothing is known", async (what, body, code) => {
	await using({}, async (gateway) => {
		await expect(gateway.control(what, body)).rejects.toThrow(`404 {"status":false`);
		await expect(gateway.control(what, body)).rejects.toThrow(code);
	});
});

test("control refuses pages of other sites", async () => {
	await using({}, async ({ url }) => {
		const headers = { "sec-fetch-site": "cross-site" };
		expect((await fetch(`${url}/_control/ledger`, { headers })).status).toBe(403);
	});
});

test("a payment page asks for the e-mail address and the amount, and its payment has the events of a payment link", async () => {
	await using({}, async (gateway) => {
		const asked = { name: "School <fund>", description: "Desks", metadata: { token: "t1" } };
		const { link, slug } = (await gateway.call("POST /page", asked)).body.data;
		expect(link).toBe(`${gateway.url}/pay/${slug}`);
		const page = await (await fetch(link)).text();
		expect(page).toContain("School &lt;fund&gt;");
		const body = new URLSearchParams({ email: "juma@duka.example", amount: "12.50" });
		const checkout = (await fetch(link, { method: "POST", redirect: "manual", body })).headers.get(
			"location",
		);
		await gateway.control(`POST checkouts/${checkout?.split("/").at(-1)}`, {
			action: "pay",
			channel: "ussd",
		});
		expect(await gateway.latest("charge.success")).toMatchObject({
			amount: 1_250,
			metadata: { token: "t1" },
		});
		expect(await gateway.latest("paymentrequest.success")).toMatchObject({ amount: 1_250, paid: true });
		const wrong = new URLSearchParams({ email: "juma@duka.example", amount: "0" });
		expect((await fetch(link, { method: "POST", body: wrong })).status).toBe(400);
		const none = new URLSearchParams({ email: "juma@duka.example" });
		expect((await fetch(link, { method: "POST", body: none })).status).toBe(400);
		expect((await fetch(`${gateway.url}/pay/none`)).status).toBe(404);
	});
});

test("the reference lists every call once, with its body, and every route of control", async () => {
	await using({ pathPrefix: "/cardgw" }, async ({ url }) => {
		const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
			paths: Record<string, object>;
		};
		const calls = Object.entries(paths).flatMap(([path, methods]) =>
			Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
		);
		expect(calls.filter((call) => !call.includes("/_control/")).sort()).toEqual([
			"GET /balance",
			"GET /bank",
			"GET /dispute",
			"GET /dispute/{id}",
			"GET /refund",
			"GET /settlement",
			"GET /settlement/{id}/transactions",
			"GET /transaction",
			"GET /transaction/verify/{reference}",
			"GET /transfer/verify/{reference}",
			"POST /page",
			"POST /plan",
			"POST /refund",
			"POST /subscription",
			"POST /subscription/disable",
			"POST /subscription/enable",
			"POST /transaction/initialize",
			"POST /transfer",
			"POST /transfer/bulk",
			"POST /transfer/finalize_transfer",
			"POST /transfer/resend_otp",
			"POST /transferrecipient",
		]);
		expect(calls).toContain("PUT /_control/faults");
		expect((await fetch(`${url}/docs`)).status).toBe(200);
		expect((await fetch(url)).status).toBe(200);
	});
});
