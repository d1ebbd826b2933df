import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCard } from "../../src/gateways/card-gateway/events/read-card.ts";
import { readEvent } from "../../src/gateways/card-gateway/events/read-event.ts";
import { readOrigin } from "../../src/gateways/card-gateway/events/read-origin.ts";
import { readCallback } from "../../src/gateways/mobile-money/callbacks/read-callback.ts";
import { type CallbackRoute, callbackRoutes } from "../../src/inbox/callback-token.ts";
import { readBody } from "../../src/inbox/read-body.ts";

const folder = join(import.meta.dirname, "../fixtures/webhooks");
const bodyOf = (gateway: string, name: string) =>
	readBody(readFileSync(join(folder, gateway, `${name}.json`)));
const callback = (route: CallbackRoute, name: string) => readCallback(route, bodyOf("mobile-money", name));
const event = (name: string) => readEvent(bodyOf("card-gateway", name));
const namesOf = (gateway: string) =>
	readdirSync(join(folder, gateway)).map((name) => name.replace(".json", ""));

describe("a push callback", () => {
	test("that succeeded says the amount, the receipt, the time of Nairobi and the phone, masked", () => {
		expect(callback("callback", "push-callback-success")).toEqual({
			kind: "attempt",
			statement: {
				reference: undefined,
				merchantRequestId: "29115-34620561-1",
				checkoutRequestId: "ws_CO_191220191020363925",
				phone: "254708374149",
				eventKey: undefined,
				said: {
					kind: "paid",
					amountMinor: 100n,
					currency: "KES",
					receipt: "NLJ7RT61SV",
					paidAt: new Date("2019-12-19T07:21:15Z"),
					payerMasked: "2547•••••149",
				},
			},
		});
	});

	test.each([
		["push-callback-fail-1032-request", { kind: "cancelled", code: "1032" }],
		["push-callback-fail-1037-ds", { kind: "failed", code: "timeout" }],
		["push-callback-fail-1037-no", { kind: "failed", code: "timeout" }],
		["push-callback-fail-1-the", { kind: "failed", code: "1" }],
		["push-callback-fail-17-rule", { kind: "failed", code: "17" }],
		["push-callback-fail-1019-transaction", { kind: "failed", code: "1019" }],
		["push-callback-fail-1025-an", { kind: "failed", code: "1025" }],
		["push-callback-fail-2001-the", { kind: "failed", code: "2001" }],
	])("%s says %j", (name, said) => {
		expect(callback("callback", name)).toMatchObject({ kind: "attempt", statement: { said } });
	});

	test.each([
		["numbers as text", { ResultCode: "0", amount: "199.99", phone: "254708374149" }],
		["numbers", { ResultCode: 0, amount: 199.99, phone: 254_708_374_149 }],
	])("is read alike with %s, and with the gateway's own name before the receipt number", (_what, given) => {
		const item = [
			{ Name: "Amount", Value: given.amount },
			{ Name: "OwnReceiptNumber", Value: "NLJ7RT61SV" },
			{ Name: "PhoneNumber", Value: given.phone },
		];
		const stkCallback = {
			CheckoutRequestID: "ws_CO_1",
			ResultCode: given.ResultCode,
			CallbackMetadata: { Item: item },
		};
		expect(readCallback("callback", { Body: { stkCallback } })).toMatchObject({
			statement: { said: { kind: "paid", amountMinor: 19_999n, receipt: "NLJ7RT61SV" } },
		});
	});
});

test("a confirmation says the receipt, the amount in cents, the shortcode, the account and the masked phone", () => {
	expect(callback("confirmation", "confirmation")).toEqual({
		kind: "confirmation",
		confirmation: {
			receipt: "RKL51ZDR4F",
			amountMinor: 500n,
			shortcode: "600966",
			accountRef: "Sample Transaction",
			payerMasked: "2547•••••126",
			occurredAt: new Date("2023-11-21T09:13:25Z"),
		},
	});
});

test("a confirmation with the hash of a phone says no phone", () => {
	const MSISDN = `${"2f9c0b1a".repeat(7)}00000126`;
	const body = { TransID: "RKL51ZDR4F", TransAmount: "5.00", BusinessShortCode: "600966", MSISDN };
	expect(readCallback("confirmation", body)).toMatchObject({ confirmation: { payerMasked: undefined } });
});

describe("a status result", () => {
	test("says what became of the transaction", () => {
		expect(callback("txn-status-result", "status-result-success")).toMatchObject({
			kind: "status",
			result: {
				code: "0",
				status: "Completed",
				receipt: "MBN31H462N",
				amountMinor: 30_000n,
				originatorId: "3213-416199-2",
				finishedAt: new Date("2018-02-23T02:41:12Z"),
				chargeMinor: 2_240n,
			},
		});
	});

	test("that answers no question has no status and no receipt: its placeholder does not count", () => {
		const { result } = callback("txn-status-result", "status-result-notfound") as { result: object };
		expect(result).toMatchObject({
			code: "2032",
			status: undefined,
			receipt: undefined,
			amountMinor: undefined,
		});
	});
});

test("a balance result says the balance of each account", () => {
	const reading = callback("balance-result", "balance-result");
	expect(reading).toMatchObject({
		kind: "balance",
		result: {
			code: "0",
			accounts: [
				{ name: "Working Account", currency: "KES", currentMinor: 70_000_000n },
				{ name: "Float Account" },
				{ name: "Utility Account", availableMinor: 22_803_700n },
				{ name: "Charges Paid Account", currentMinor: -154_000n },
				{ name: "Organization Settlement Account" },
			],
		},
	});
});

test.each([
	["0", "standing-order-callback-success-lower"],
	["1037", "standing-order-callback-failure-pascal"],
])("the answer to a standing order has the code %s in %s, in camel or Pascal case", (code, name) => {
	expect(callback("standing-order", name)).toMatchObject({ kind: "consent", result: { code } });
});

test.each([
	["b2c-result", "b2c-result-success", { code: "0", amountMinor: 1_000n, chargeMinor: undefined }],
	["b2b-result", "b2b-result-success", { code: "0", amountMinor: 19_000n, receipt: "QKA81LK5CY" }],
	["b2c-result", "b2c-result-failure", { code: "2001", amountMinor: undefined, receipt: undefined }],
	["b2b-result", "b2b-result-failure-object-param", { code: "2001", receipt: undefined }],
] as const)("%s of %s says what became of a payout; only a paid one has a receipt", (route, name, result) => {
	expect(callback(route, name)).toMatchObject({ kind: "payout", result });
});

test.each([
	["transfer-successful", { kind: "paid" }],
	["transfer-failed", { kind: "failed" }],
	["transfer-reversed", { kind: "reversed" }],
] as const)("%s of a transfer of ours says what became of its payout", (name, said) => {
	const body = bodyOf("card-gateway", name) as { data: { reference: string } };
	const reference = `out-${"0".repeat(32)}`;
	expect(readEvent({ ...body, data: { ...body.data, reference } })).toMatchObject({
		...{ kind: "transfer", statement: { reference, said } },
	});
});

test("a timeout is read whatever its body says", () => {
	expect(callback("timeout", "timeout-guess")).toEqual({ kind: "timeout" });
	expect(readCallback("txn-timeout", undefined)).toEqual({ kind: "timeout" });
});

describe("an event of the card gateway", () => {
	const reference = `pay-${"0".repeat(32)}`;
	const charge = (data: object) => readEvent({ event: "charge.success", data: { reference, ...data } });

	test("charge.success with our reference says the amount, the fee, the channel and the transaction", () => {
		const data = { id: 302_961, amount: 100_000, currency: "KES", fees: 3_500, channel: "card" };
		expect(charge({ ...data, paid_at: "2026-11-26T08:00:00.000Z" })).toEqual({
			kind: "attempt",
			statement: {
				...{ reference, merchantRequestId: undefined, checkoutRequestId: undefined, phone: undefined },
				eventKey: "charge.success|302961|success",
				said: {
					...{ kind: "paid", amountMinor: 100_000n, currency: "KES", receipt: "302961" },
					...{ paidAt: new Date("2026-11-26T08:00:00Z"), payerMasked: undefined },
					...{ channel: "card", feeMinor: 3_500n },
				},
			},
		});
	});

	test.each([
		[
			"a fee that the payer bore lowers the fee",
			{ amount: 103_500, requested_amount: 100_000, fees: 3_500 },
			0n,
		],
		[
			"a part of it that the payer bore, too",
			{ amount: 101_000, requested_amount: 100_000, fees: 3_500 },
			2_500n,
		],
		["no fee is said", { amount: 100_000, fees: null }, undefined],
	])("%s", (_what, amounts, feeMinor) => {
		const { statement } = charge({ id: "7", currency: "KES", ...amounts }) as { statement: { said: object } };
		expect(statement.said).toMatchObject({ amountMinor: 100_000n });
		expect((statement.said as { feeMinor?: bigint }).feeMinor).toBe(feeMinor);
	});

	test("of a charge of less than was requested only what was paid counts, with its fee", () => {
		const amounts = { amount: 60_000, requested_amount: 100_000, fees: 2_100 };
		expect(charge({ id: "7", currency: "KES", ...amounts })).toMatchObject({
			statement: { said: { amountMinor: 60_000n, feeMinor: 2_100n } },
		});
	});

	test("an id beyond 2^53 stays exact", () => {
		const raw = `{"event":"charge.success","data":{"id":12345678901234567890,"reference":"${reference}","amount":1,"currency":"KES"}}`;
		expect(readEvent(readBody(Buffer.from(raw)))).toMatchObject({
			statement: { said: { receipt: "12345678901234567890" } },
		});
	});

	test.each([
		["subscription-created", "SUB_vsyqdmlzble3uii", { kind: "created" }],
		["subscription-disabled", "SUB_vsyqdmlzble3uii", { kind: "completed" }],
		["subscription-not-renew", "SUB_d638sdiWAio7jnl", { kind: "not_renewed" }],
		["invoice-created", "SUB_fq7dbe8tju0i1v8", undefined],
		["invoice-updated", "SUB_l07i1s6s39nmytr", { kind: "charged" }],
		["invoice-failed", "SUB_f7ct8g01mtcjf78", { kind: "charge_failed" }],
	])("%s says of the card subscription %s %j", (name, subscriptionCode, said) => {
		expect(event(name)).toMatchObject({ kind: "card_subscription", event: { subscriptionCode, said } });
	});

	test("a card subscription that is stopped has not completed, and an invoice that is not paid says nothing", () => {
		const read = (name: string, data: object) => readEvent({ event: name, data });
		const subscription_code = "SUB_1";
		expect(read("subscription.disable", { subscription_code, status: "cancelled" })).toMatchObject({
			event: { said: { kind: "disabled" } },
		});
		expect(read("invoice.update", { subscription: { subscription_code }, paid: false })).toMatchObject({
			event: { said: undefined },
		});
	});

	test("cards that expire name their subscriptions", () => {
		const subscriptionCodes = ["SUB_lejj927x2kxciw1"];
		expect(event("subscription-expiring-card")).toEqual({ kind: "cards_expiring", subscriptionCodes });
	});

	test("a card is read that can be charged again, and its plan in every form", () => {
		const authorization = { authorization_code: "AUTH_1", brand: "Visa ", last4: "4081", reusable: true };
		const data = {
			authorization: { ...authorization, channel: "card", exp_month: "12", exp_year: "2030" },
			customer: { customer_code: "CUS_1" },
		};
		const card = { ...{ code: "AUTH_1", customerCode: "CUS_1", brand: "visa" }, last4: "4081" };
		const expiry = { expMonth: 12, expYear: 2030 };
		expect(readCard(data)).toEqual({ ...card, ...expiry });
		for (const change of [{ reusable: false }, { channel: "bank" }, { exp_month: "13" }, { last4: "" }])
			expect(readCard({ ...data, authorization: { ...data.authorization, ...change } })).toBeUndefined();
		const plans = [
			{ plan: "PLN_1" },
			{ plan: { plan_code: "PLN_1" } },
			{ plan_object: { plan_code: "PLN_1" } },
		];
		for (const plan of plans) expect(readOrigin(plan)).toMatchObject({ planCode: "PLN_1" });
	});

	test.each([
		["transfer-successful", "parked", "the transfer has no reference of ours"],
		["transfer-failed", "parked", "the transfer has no reference of ours"],
		["transfer-reversed", "parked", "the transfer has no reference of ours"],
		["payment-request-success", "ignored", "the money comes by its charge.success"],
		["payment-request-pending", "ignored", "the event is not one that the treasury takes"],
		["customer-id-success", "ignored", "the event is not one that the treasury takes"],
		["customer-id-failed", "ignored", "the event is not one that the treasury takes"],
		["dva-assign-success", "ignored", "the event is not one that the treasury takes"],
		["dva-assign-failed", "ignored", "the event is not one that the treasury takes"],
	])("%s is %s: %s", (name, kind, because) => {
		expect(event(name)).toEqual({ kind, because });
	});
});

describe("readers", () => {
	const readAll = (body: unknown) =>
		[...callbackRoutes.map((route) => readCallback(route, body)), readEvent(body)].map(({ kind }) => kind);

	test("read every payload of a gateway", () => {
		const names = ["mobile-money", "card-gateway"].map((gateway) =>
			namesOf(gateway).map((name) => [gateway, name]),
		);
		for (const [gateway = "", name = ""] of names.flat())
			expect(readAll(bodyOf(gateway, name))).toHaveLength(14);
	});

	test("never throw, whatever the body is", () => {
		fc.assert(
			fc.property(fc.jsonValue(), (body) => {
				expect(readAll(body)).toHaveLength(14);
			}),
			{ numRuns: 500 },
		);
	});

	test("never throw when any value of a payload is replaced by another one", () => {
		const bodies = ["mobile-money", "card-gateway"].flatMap((gateway) =>
			namesOf(gateway).map((name) => bodyOf(gateway, name)),
		);
		const replace = (value: unknown, place: { left: number }, by: unknown): unknown => {
			place.left -= 1;
			if (place.left === 0) return by;
			if (Array.isArray(value)) return value.map((one) => replace(one, place, by));
			if (typeof value !== "object" || value === null) return value;
			return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replace(one, place, by)]));
		};
		fc.assert(
			fc.property(
				fc.constantFrom(...bodies),
				fc.integer({ min: 1, max: 80 }),
				fc.jsonValue(),
				(body, left, by) => {
					expect(readAll(replace(body, { left }, by))).toHaveLength(14);
				},
			),
			{ numRuns: 1_000 },
		);
	});
});
