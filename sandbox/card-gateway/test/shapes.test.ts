import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "./harness.ts";
import { findViolations } from "./public-description.ts";
import { differencesFrom, referenceShapes } from "./shapes.ts";

/** Differences that are meant. */
const waivers: Readonly<Record<string, readonly string[]>> = {
	// An invoice is sent before its charge, as `invoice.payment_failed` shows it.
	"invoice.create": [
		"data.transaction.reference: string, here missing",
		"data.transaction.status: string, here missing",
		"data.transaction.amount: number, here missing",
		"data.transaction.currency: string, here missing",
	],
};

const email = "amina@kahawa.example";
let gateway: TestGateway;
const answers = new Map<string, unknown>();

/** Calls the gateway, and keeps its answer as that of the named call. */
async function keep(name: string, body?: unknown, what = name) {
	const answer = await gateway.call(what, body);
	expect(answer.body).toMatchObject({ status: true });
	answers.set(name, answer.body);
	return answer.body.data;
}

beforeAll(async () => {
	gateway = await startTestGateway({ outcomeAfterMs: 1_000 });
	const advance = (seconds: number) => gateway.control("POST clock", { advance_seconds: seconds });
	const day = 86_400;

	const started = await keep("POST /transaction/initialize", { amount: 100_000, email });
	await gateway.control(`POST checkouts/${started.access_code}`, { action: "pay", channel: "card" });
	const verified = await keep(
		"GET /transaction/verify/:reference",
		undefined,
		`GET /transaction/verify/${started.reference}`,
	);
	await keep("GET /transaction");

	await keep("POST /refund", { transaction: started.reference, amount: 10_000 });
	await advance(2);
	await keep("GET /refund");
	for (const mailbox of ["refund-fails", "refund-waits"]) {
		const reference = await gateway.pay({ email: `${mailbox}@kahawa.example` });
		await gateway.call("POST /refund", { transaction: reference });
	}
	await advance(2);

	const lost = await gateway.pay();
	const { id: disputeId } = await gateway.control("POST dispute", { reference: lost });
	await keep("GET /dispute");
	await keep("GET /dispute/:id", undefined, `GET /dispute/${disputeId}`);
	await advance(3 * day);
	const [settlement] = await keep("GET /settlement");
	await keep("GET /settlement/:id/transactions", undefined, `GET /settlement/${settlement.id}/transactions`);

	await gateway.control("POST top-up", { amount: 10_000_000 });
	await keep("GET /balance");
	await keep("GET /bank", undefined, "GET /bank?perPage=2");
	const recipient = (account_number: string) => ({
		...{ type: "nuban", name: "Duka Mart", account_number, bank_code: "11", currency: "KES" },
	});
	const { recipient_code: code } = await keep("POST /transferrecipient", recipient("0100200301"));
	const transfer = { source: "balance", amount: 50_000, recipient: code, reason: "Payout" };
	await keep("POST /transfer", { ...transfer, reference: "out-1" });
	await keep("POST /transfer/bulk", {
		source: "balance",
		transfers: [{ amount: 1, recipient: code, reference: "out-2" }],
	});
	for (const ending of ["0002", "0003"]) {
		const made = (await gateway.call("POST /transferrecipient", recipient(`010020${ending}`))).body.data;
		await gateway.call("POST /transfer", { ...transfer, recipient: made.recipient_code });
	}
	await advance(2);
	await keep("GET /transfer/verify/:reference", undefined, "GET /transfer/verify/out-1");
	await gateway.control("PUT otp", { is_required: true });
	const waiting = (await gateway.call("POST /transfer", { ...transfer, reference: "out-3" })).body.data;
	const [{ otp }] = (await gateway.control("GET overview")).transfers;
	await keep("POST /transfer/finalize_transfer", { transfer_code: waiting.transfer_code, otp });

	const page = await keep("POST /page", { name: "Fundraiser", description: "For the school", amount: 5_000 });
	const form = { method: "POST", redirect: "manual" as const, body: new URLSearchParams({ email }) };
	const checkout = (await fetch(`${gateway.url}/pay/${page.slug}`, form)).headers.get("location");
	await gateway.control(`POST checkouts/${checkout?.split("/").at(-1)}`, { action: "pay", channel: "card" });

	const plan = await keep("POST /plan", { name: "Monthly", interval: "monthly", amount: 50_000 });
	const { customer_code: customer } = verified.customer;
	const subscription = await keep("POST /subscription", { customer, plan: plan.plan_code });
	const of = { code: subscription.subscription_code, token: subscription.email_token };
	await keep("POST /subscription/disable", of);
	await keep("POST /subscription/enable", of);
	await gateway.call("POST /subscription/disable", of);
	await gateway.pay(
		{ email: "juma@duka.example" },
		{ card_number: "4000 0000 0000 0341", expiry: "01/2027" },
	);
	await gateway.call("POST /subscription", { customer: "juma@duka.example", plan: plan.plan_code });
	await advance(62 * day);
});
afterAll(() => gateway.stop());

test.each([...referenceShapes.keys()])("%s has the members and types of a real gateway", async (name) => {
	const isEvent = !name.includes("/");
	const answer = answers.get(name.replace(" (an item)", ""));
	const item = name.endsWith("(an item)") ? (answer as { data: unknown[] }).data[0] : answer;
	const value = isEvent ? (await gateway.sent()).find(({ event }) => event === name) : item;
	expect(value).toBeDefined();
	expect(differencesFrom(name, value)).toEqual(waivers[name] ?? []);
});

/** Where the public description is stricter than the answers of that gateway. */
const descriptionWaivers: ReadonlyArray<readonly [call: string, violation: string]> = [
	// The answers in the documentation of that gateway have null here.
	["GET /refund", "/data/0/customer/first_name must be string"],
	["GET /refund", "/data/0/customer/international_format_phone must be string"],
	["GET /refund", "/data/0/customer/last_name must be string"],
	["GET /refund", "/data/0/customer/metadata must be string"],
	["POST /transferrecipient", "/data/email must be string"],
	["GET /transfer/verify/:reference", "/data/recipient/email must be string"],
	// Its events of disputes have null or texts here.
	...["first_name", "international_format_phone", "last_name", "metadata"].map(
		(name) => ["GET /dispute", `/data/0/customer/${name} must be string`] as const,
	),
	...["first_name", "international_format_phone", "last_name", "phone"].map(
		(name) => ["GET /dispute/:id", `/data/customer/${name} must be string`] as const,
	),
	["GET /dispute/:id", "/data/customer/metadata must be object"],
	["GET /dispute", "/data/0/transaction/metadata must be object"],
	["GET /dispute/:id", "/data/transaction/metadata must be object"],
	// They have booleans, numbers, lists and objects here.
	["GET /refund", "/data/0/fully_deducted must be integer"],
	["GET /refund", "/meta/perPage must be string"],
	["GET /settlement", "/data must be object"],
	["GET /settlement/:id/transactions", "/data must be object"],
	["POST /subscription", "/data/authorization must be integer"],
	// They do not have it.
	["GET /refund", "/meta must have required property 'failedRefundCount'"],
];

test("the public description of a real gateway accepts the answers, but where its documentation contradicts it", async () => {
	// It describes the list by page; the documentation shows the one by cursor.
	answers.set("GET /transaction", (await gateway.call("GET /transaction?page=1")).body);
	const violations = [...answers].flatMap(([call, answer]) =>
		findViolations(call, answer).map((violation) => [call, violation]),
	);
	expect(violations.sort()).toEqual(descriptionWaivers.toSorted());
});
