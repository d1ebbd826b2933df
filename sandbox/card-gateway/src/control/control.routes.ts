import { type Deliveries, type Faults, installFaults } from "@lango/sandbox-base";
import type { FastifyInstance } from "fastify";
import Type, { type Static } from "typebox";
import { amountShape, currencyShape, textShape } from "../answers/api-route.ts";
import { sendRefusal } from "../answers/install-api.ts";
import { notFound } from "../answers/refusal.ts";
import { choiceShape, readChoice } from "../checkout/checkout.routes.ts";
import { openCheckout, payCheckout } from "../checkout/pay-checkout.ts";
import { raiseDispute, resolveDispute, toDispute } from "../disputes/dispute.ts";
import { faultWords } from "../faults/fault-words.ts";
import type { Gateway } from "../gateway.ts";
import { balancesOf, move } from "../ledger/move.ts";
import { concludeRefund, toRefund } from "../refunds/refund.ts";
import { settleNow } from "../settlements/settle.ts";
import { toVerified } from "../transactions/to-transaction.ts";
import { toVerified as toVerifiedTransfer } from "../transfers/to-transfer.ts";
import { endTransfer } from "../transfers/transfer.ts";

type Control = { gateway: Gateway; deliveries: Deliveries; faults: Faults; reset: () => void };

const webhookShape = Type.Object({
	url: Type.Union([Type.Null(), Type.String({ pattern: "^https?://", maxLength: 2_000 })]),
});
/** A part of a list; without it all of it. */
const partShape = Type.Object({
	offset: Type.Integer({ minimum: 0, default: 0 }),
	limit: Type.Integer({ minimum: 1, maximum: 10_000_000, default: 10_000_000 }),
});
type Part = Static<typeof partShape>;
const otpShape = Type.Object({ is_required: Type.Boolean() });
const topUpShape = Type.Object({ amount: amountShape, currency: Type.Optional(currencyShape) });
const disputeShape = Type.Object({
	reference: textShape,
	amount: Type.Optional(amountShape),
	category: Type.Optional(textShape),
	due_in_hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
});
const resolutionShape = Type.Object({
	resolution: Type.Enum(["merchant-accepted", "auto-accepted", "declined"], { type: "string" }),
	/** Missing: all that is disputed. */
	amount: Type.Optional(amountShape),
});

const transferOutcomeShape = Type.Object({
	outcome: Type.Enum(["success", "failed", "reversed"], { type: "string" }),
});
const refundOutcomeShape = Type.Object({
	outcome: Type.Enum(["processed", "failed", "needs-attention"], { type: "string" }),
});

const tags = ["control"];

/** What tests and developers set and ask: rules, switches, the truth. The clock is installed beside it. */
export function installControl(app: FastifyInstance, control: Control): void {
	void app.register((scope, _options, done) => {
		scope.setErrorHandler(sendRefusal);
		installSwitches(scope, control);
		installActs(scope, control.gateway);
		done();
	});
}

function installSwitches(app: FastifyInstance, { gateway, deliveries, faults, reset }: Control): void {
	const { switches, store } = gateway;
	installFaults(app, "/_control/faults", { faults, words: faultWords });
	const ledger = { tags, summary: "The truth: every movement and balance", querystring: partShape };
	app.get<{ Querystring: Part }>("/_control/ledger", { schema: ledger }, ({ query: { offset, limit } }) => {
		const movements = store.list("movements");
		const total = movements.length;
		return { movements: movements.slice(offset, offset + limit), total, balances: balancesOf(gateway) };
	});
	const sent = {
		...{ tags, querystring: partShape },
		summary: "The latest events, how they were answered, and how many wait to be sent",
	};
	app.get<{ Querystring: Part }>(
		"/_control/deliveries",
		{ schema: sent },
		({ query: { offset, limit } }) => ({
			items: deliveries.list().slice(offset, offset + limit),
			waiting: deliveries.waiting(),
		}),
	);
	app.post("/_control/reset", { schema: { tags, summary: "Forget everything" } }, (_request, reply) => {
		reset();
		return reply.code(204).send();
	});
	app.put<{ Body: Static<typeof webhookShape> }>(
		"/_control/webhook",
		{ schema: { tags, summary: "Where events go", body: webhookShape } },
		({ body: { url } }) => {
			switches.webhookUrl = url ?? undefined;
			return { url };
		},
	);
	app.put<{ Body: Static<typeof otpShape> }>(
		"/_control/otp",
		{ schema: { tags, summary: "Whether transfers wait for a one-time password", body: otpShape } },
		({ body }) => {
			switches.isOtpRequired = body.is_required;
			return body;
		},
	);
}

/** What payers, their banks, and time do. */
function installActs(app: FastifyInstance, gateway: Gateway): void {
	app.post<{ Params: { access_code: string }; Body: Static<typeof choiceShape> }>(
		"/_control/checkouts/:access_code",
		{ schema: { tags, summary: "Pay, decline, wait or abandon, as a payer", body: choiceShape } },
		({ params, body }) => {
			const opened = openCheckout(gateway, params.access_code);
			return toVerified(gateway, payCheckout(gateway, opened, readChoice(body)));
		},
	);
	app.post("/_control/settle", { schema: { tags, summary: "Settle all charges now" } }, () => ({
		items: settleNow(gateway),
	}));
	app.post<{ Body: Static<typeof topUpShape> }>(
		"/_control/top-up",
		{ schema: { tags, summary: "Move money from the bank to the transfer balance", body: topUpShape } },
		({ body: { amount, currency = "KES" } }) => {
			const of = { currency, kind: "top_up", subject: "top-up" } as const;
			move(gateway, { ...of, account: "bank", amount: -amount });
			move(gateway, { ...of, account: "balance", amount });
			return { balances: balancesOf(gateway) };
		},
	);
	app.post<{ Body: Static<typeof disputeShape> }>(
		"/_control/dispute",
		{ schema: { tags, summary: "Raise a chargeback", body: disputeShape } },
		({ body: { due_in_hours: dueInHours, ...asked } }) =>
			toDispute(gateway, raiseDispute(gateway, { ...asked, dueInHours })),
	);
	app.post<{ Params: { reference: string }; Body: Static<typeof transferOutcomeShape> }>(
		"/_control/transfers/:reference",
		{ schema: { tags, summary: "End a transfer, as the recipient's bank", body: transferOutcomeShape } },
		({ params, body }) => {
			const transfer = gateway.store.find("transfers", "reference", params.reference);
			if (transfer === undefined) throw notFound("Transfer");
			return toVerifiedTransfer(gateway, endTransfer(gateway, transfer, body.outcome));
		},
	);
	app.post<{ Params: { id: string }; Body: Static<typeof refundOutcomeShape> }>(
		"/_control/refunds/:id",
		{ schema: { tags, summary: "End a refund, as the payer's bank", body: refundOutcomeShape } },
		({ params, body }) => {
			const refund = gateway.store.find("refunds", "id", params.id);
			if (refund === undefined) throw notFound("Refund");
			return toRefund(gateway, concludeRefund(gateway, refund, body.outcome));
		},
	);
	app.post<{ Params: { id: string }; Body: Static<typeof resolutionShape> }>(
		"/_control/disputes/:id/resolve",
		{ schema: { tags, summary: "Answer a chargeback, as the merchant", body: resolutionShape } },
		({ params, body }) => toDispute(gateway, resolveDispute(gateway, params.id, body)),
	);
}
