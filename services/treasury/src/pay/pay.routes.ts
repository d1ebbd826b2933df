import { open, type Route, route } from "@lango/chassis";
import { Shape, Uuid } from "@lango/contracts";
import Type from "typebox";
import { CheckoutBody, checkoutResponses, readCheckout, toCheckoutWire } from "../checkouts/checkout-wire.ts";
import { startCheckout } from "../checkouts/start-checkout.ts";
import { AmountMinor, BalanceMinor, Currency, toMinor } from "../money/amount.ts";
import { maskPhone } from "../money/phone.ts";
import { isOpen } from "../payments/intent.ts";
import { AttemptStatusWire, IntentStatusWire } from "../payments/intent-wire.ts";
import { PromptRefusalWire } from "../prompts/push-amount.ts";
import { requestPush } from "../prompts/request-push.ts";
import type { Treasury } from "../treasury.ts";
import { findByCode, findPayable, type Payable } from "./find-payable.ts";

const tags = ["pay"];
const ofPayers = {
	access: open("the pay code of 160 bits is the proof: payers need no account"),
	secretPath: true,
} as const;

const Params = Type.Object({ code: Type.String({ minLength: 1, maxLength: 64 }) });
const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
/** A code starts at most so many prompts within 24 hours. */
const promptsMax = 10;
/** The person behind a pay code is not known. */
const requestedBy = "payer";

const PayableWire = Type.Object({
	status: IntentStatusWire,
	description: Type.String(),
	payee_name: Type.String(),
	amount_minor: AmountMinor,
	due_minor: { ...BalanceMinor, description: "What is still to be paid" },
	currency: Currency,
	expires_at: Type.String({ format: "date-time" }),
	is_over: Type.Boolean({
		description:
			"Whether the time to pay it is over. Money that comes late can keep it open or open it again.",
	}),
	return_url: OrNull(Type.String({ description: "Where the payer goes afterwards" })),
	needs_email: Type.Boolean({ description: "Whether the checkout needs the e-mail address of the payer" }),
	phone: OrNull(
		Type.Object(
			{
				shortcode: Type.String(),
				kind: Type.Enum(["paybill", "till"], { type: "string" }),
				account_code: Type.String({ description: "The account number to pay to at the paybill" }),
				prompt_refusal: PromptRefusalWire,
			},
			{ description: "Null: it cannot be paid by phone now" },
		),
	),
	card_channels: Type.Array(Type.String(), { description: "Empty: no checkout can be opened now" }),
	latest_attempt: OrNull(
		Type.Object({
			id: Uuid,
			channel: Type.String(),
			status: AttemptStatusWire,
			phone_masked: OrNull(Type.String()),
			failure_code: OrNull(Type.String()),
		}),
	),
});

/** The routes of a payer without an account. */
export const payRoutes = (domain: Treasury): readonly Route[] => [
	reading(domain),
	payingByCard(domain),
	payingByPhone(domain),
];

const reading = (domain: Treasury): Route =>
	route({
		...ofPayers,
		method: "GET",
		url: "/api/v1/pay/:code",
		schema: {
			summary: "Returns what is to be paid, who gets it, and how it can be paid",
			tags,
			params: Params,
			response: { 200: PayableWire },
		},
		handler: async ({ params: { code } }) => toWire(await findPayable(domain, code)),
	});

const payingByCard = (domain: Treasury): Route =>
	route({
		...ofPayers,
		method: "POST",
		url: "/api/v1/pay/:code/checkout",
		schema: {
			summary: "Opens the card gateway's page for a payer",
			tags,
			params: Params,
			body: CheckoutBody,
			response: checkoutResponses,
		},
		handler: async ({ params, body: wanted }, reply) => {
			const intent = await findByCode(domain, params.code);
			const asked = { intent, requestedBy, ...readCheckout(wanted) };
			const { code, body } = toCheckoutWire(await startCheckout(domain, asked));
			return reply.code(code).send(body);
		},
	});

const payingByPhone = (domain: Treasury): Route =>
	route({
		...ofPayers,
		method: "POST",
		url: "/api/v1/pay/:code/push",
		schema: {
			summary: "Asks the payer's phone to pay",
			description: "A code starts ten prompts a day at most.",
			tags,
			params: Params,
			body: Shape({ phone: Type.String({ minLength: 9, maxLength: 20, examples: ["0712 345 678"] }) }),
			response: { 202: Type.Object({ attempt_id: Uuid, status: AttemptStatusWire }) },
		},
		handler: async ({ params, body: { phone } }, reply) => {
			const { tenantId, id: intentId, payee } = await findByCode(domain, params.code);
			const asked = { tenantId, intentId, payee, phone, requestedBy, promptsMax };
			const { id, status } = await requestPush(domain, asked);
			return reply.code(202).send({ attempt_id: id, status });
		},
	});

const toWire = ({ intent, dueMinor, isOver, payeeName, phone, cardChannels, latest }: Payable) => ({
	...{ status: intent.status, description: intent.description, payee_name: payeeName },
	amount_minor: toMinor(intent.amountMinor),
	due_minor: isOpen(intent) ? toMinor(dueMinor) : 0,
	...{ currency: intent.currency, expires_at: intent.expiresAt.toISOString(), is_over: isOver },
	...{ return_url: intent.returnUrl, needs_email: intent.customer.email === undefined },
	phone:
		phone === undefined
			? null
			: {
					...{ shortcode: phone.shortcode, kind: phone.kind, account_code: intent.accountCode },
					prompt_refusal: phone.promptRefusal ?? null,
				},
	card_channels: [...cardChannels],
	latest_attempt:
		latest === undefined
			? null
			: {
					...{ id: latest.id, channel: latest.channel, status: latest.status },
					phone_masked: latest.phone === null ? null : maskPhone(latest.phone),
					failure_code: latest.failureCode,
				},
});
