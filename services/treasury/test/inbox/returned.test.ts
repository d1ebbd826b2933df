import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readEvent } from "../../src/gateways/card-gateway/events/read-event.ts";
import { readCallback } from "../../src/gateways/mobile-money/callbacks/read-callback.ts";
import { readBody } from "../../src/inbox/read-body.ts";

const folder = join(import.meta.dirname, "../fixtures/webhooks");
const bodyOf = (path: string) => readBody(readFileSync(join(folder, `${path}.json`)));
const event = (name: string) => readEvent(bodyOf(`card-gateway/${name}`));

test.each([
	["refund-pending", { said: { kind: "pending" }, amountMinor: 10_000n }],
	["refund-processing", { said: { kind: "processing" }, amountMinor: 10_000n }],
	["refund-processed", { said: { kind: "processed" }, amountMinor: 5_000n }],
	["refund-failed", { said: { kind: "failed", code: "failed" }, amountMinor: 20_000n }],
	[
		"refund-needs-attention",
		{ said: { kind: "needs_attention" }, amountMinor: 5_306n, gatewayRef: "123456" },
	],
])("%s says the transaction, and the amount as a number or as text", (name, said) => {
	expect(event(name)).toMatchObject({
		kind: "refund",
		event: { currency: "NGN", reference: expect.stringMatching(/.{15,}/), ...said },
	});
});

test.each([
	["charge-dispute-create", "open", null],
	["charge-dispute-remind", "reminded", null],
	["charge-dispute-resolve", "lost", "auto-accepted"],
])(
	"%s says the transaction, until when it is due, and that the dispute is %s",
	(name, status, resolution) => {
		expect(event(name)).toMatchObject({
			kind: "dispute",
			event: {
				...{ reference: expect.any(String), transactionId: expect.any(String), currency: "NGN" },
				dispute: { status, resolution, gatewayId: expect.stringMatching(/^\d+$/), dueAt: expect.any(Date) },
			},
		});
	},
);

const resolved = (resolution: unknown) =>
	readEvent({
		event: "charge.dispute.resolve",
		data: { id: 7, refund_amount: 100, currency: "KES", resolution, transaction: { reference: "pay-1" } },
	});

test("a dispute is won if the claim is declined, and lost if it is accepted; without a word for it a person has to look", () => {
	expect(resolved("declined")).toMatchObject({ event: { dispute: { status: "won" } } });
	expect(resolved("merchant-accepted")).toMatchObject({ event: { dispute: { status: "lost" } } });
	for (const unclear of [null, "other"])
		expect(resolved(unclear)).toEqual({
			...{ kind: "parked", because: "the gateway does not say in whose favour the dispute ended" },
		});
});

test("the result of a reversal says its number and amount only if it succeeded: a placeholder does not count", () => {
	const result = (name: string) =>
		readCallback("reversal-result", bodyOf(`mobile-money/reversal-result-${name}`));
	expect(result("success")).toEqual({
		kind: "reversal",
		result: {
			...{ code: "0", receipt: "SKE52PAWR9", amountMinor: 100n, chargeMinor: 0n },
			...{ originatorId: "dad6-4c34-8787-c8cb963a496d1268232", conversationId: expect.any(String) },
		},
	});
	expect(result("failure-alnum-code")).toMatchObject({
		result: { code: "R000002", receipt: undefined, amountMinor: undefined },
	});
});
