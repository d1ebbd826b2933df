import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	originOf,
	pageBy,
	permit,
	type Route,
	readKey,
	route,
	tenantOf,
	tenantWide,
	totalOf,
	uuidForm,
} from "@lango/chassis";
import { Page, PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { CheckoutBody, checkoutResponses, readCheckout, toCheckoutWire } from "../checkouts/checkout-wire.ts";
import { startCheckout } from "../checkouts/start-checkout.ts";
import { getMobileMoneyProfile } from "../gateways/profiles/profile.store.ts";
import { AmountMinor, Currency, toMinor } from "../money/amount.ts";
import { describeIntents } from "../payments/describe-intents.ts";
import { paymentFailures } from "../payments/failures.ts";
import { listIntents } from "../payments/intent.store.ts";
import { AttemptStatusWire, IntentStatusWire, IntentWire } from "../payments/intent-wire.ts";
import { amountOfPush, PromptRefusalWire, whyNotByPush } from "../prompts/push-amount.ts";
import { requestPush } from "../prompts/request-push.ts";
import type { Treasury } from "../treasury.ts";
import { amountDue } from "../unapplied/amount-due.ts";
import { listUnapplied } from "../unapplied/unapplied.store.ts";

const tags = ["billing"];
/** What every route of bills declares: a tenant must be able to pay, whatever its plan is. */
const ofBills = {
	withoutProduct: { because: "every tenant pays the platform, also without the product treasury" },
	subscription: { exempt: "an expired tenant must be able to pay" },
	outlets: tenantWide("the tenant pays the platform as a whole"),
} as const;

const BillsWire = Type.Object({
	...Page(IntentWire).properties,
	unapplied: Type.Array(Type.Object({ currency: Currency, amount_minor: AmountMinor }), {
		description: "What the tenant has paid and no bill has used, by currency",
	}),
});

const BillWire = Type.Object({ ...IntentWire.properties, prompt_refusal: PromptRefusalWire });

const OperationParams = Type.Object({ tenant: Type.String(), operation_id: Uuid });

/** The routes of what a tenant owes the platform: its intents with the payee platform. */
export const billRoutes = (domain: Treasury): readonly Route[] => [
	...reading(domain),
	payingByPhone(domain),
	payingByCard(domain),
];

const reading = (domain: Treasury): Route[] => [
	route({
		method: "GET",
		url: "/bills",
		access: permit("treasury.billing.view"),
		...ofBills,
		schema: {
			summary: "Lists what the tenant has to pay to the platform, and has paid, the newest first",
			tags,
			querystring: Type.Object({
				status: Type.Optional(IntentStatusWire),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: BillsWire },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted, status } = request.query;
			const query = {
				payee: "platform",
				status,
				after: readKey(cursor, uuidForm),
				limit: limit + 1,
			} as const;
			const { bills, credit, ...total } = await inTenant(domain.db, tenantOf(request).id, async (tx) => ({
				bills: await describeIntents(tx, await listIntents(tx, query), domain),
				credit: await listUnapplied(tx),
				...(await totalOf(tx, isCounted, (all, page) => listIntents(all, { ...query, ...page }))),
			}));
			return {
				...pageBy(bills, { limit, toWire: (bill) => bill, keyOf: ({ id }) => id }),
				...total,
				unapplied: credit.map(({ currency, amountMinor }) => ({
					...{ currency, amount_minor: toMinor(amountMinor) },
				})),
			};
		},
	}),
	route({
		method: "GET",
		url: "/bills/:operation_id",
		access: permit("treasury.billing.view"),
		...ofBills,
		schema: {
			summary: "Returns what an operation asks the tenant to pay, with attempts and payments",
			tags,
			params: OperationParams,
			response: { 200: BillWire },
		},
		handler: async (request) => {
			const operationId = request.params.operation_id;
			return inTenant(domain.db, tenantOf(request).id, async (tx) => {
				const query = { payee: "platform", operationId, after: undefined, limit: 1 } as const;
				const [intent] = await listIntents(tx, query);
				const [bill] = intent === undefined ? [] : await describeIntents(tx, [intent], domain);
				if (intent === undefined || bill === undefined) throw paymentFailures.intent_not_found();
				const { settings } = await getMobileMoneyProfile(tx);
				const amountMinor = amountOfPush(await amountDue(tx, intent), intent);
				return { ...bill, prompt_refusal: whyNotByPush(amountMinor, settings) ?? null };
			});
		},
	}),
];

const payingByPhone = (domain: Treasury): Route =>
	route({
		method: "POST",
		url: "/bills/:operation_id/push",
		access: permit("treasury.billing.manage"),
		...ofBills,
		schema: {
			summary: "Asks a phone to pay a bill",
			description:
				"The payer confirms with their PIN. Follow the bill until it is paid. The phone is asked for what is not covered by money that the tenant has paid and not used.",
			tags,
			params: OperationParams,
			body: Shape({ phone: Type.String({ minLength: 9, maxLength: 20, examples: ["0712 345 678"] }) }),
			response: { 202: Type.Object({ attempt_id: Uuid, status: AttemptStatusWire }) },
		},
		handler: async (request, reply) => {
			const { intent, requestedBy } = await findToPay(domain, request, "bill.push_requested");
			const { tenantId, id: intentId, payee } = intent;
			const asked = { tenantId, intentId, payee, phone: request.body.phone, requestedBy };
			const { id, status } = await requestPush(domain, asked);
			return reply.code(202).send({ attempt_id: id, status });
		},
	});

const payingByCard = (domain: Treasury): Route =>
	route({
		method: "POST",
		url: "/bills/:operation_id/checkout",
		access: permit("treasury.billing.manage"),
		...ofBills,
		schema: {
			summary: "Opens the card gateway's page where a bill is paid",
			description:
				"Send the payer's browser to the address of the answer, and follow the bill until it is paid. While a checkout waits for its payer it is returned again, by 200. It is for what is not covered by money that the tenant has paid and not used.",
			tags,
			params: OperationParams,
			body: CheckoutBody,
			response: checkoutResponses,
		},
		handler: async (request, reply) => {
			const found = await findToPay(domain, request, "bill.checkout_requested");
			const asked = { ...found, ...readCheckout(request.body) };
			const { code, body } = toCheckoutWire(await startCheckout(domain, asked));
			return reply.code(code).send(body);
		},
	});

type Paying = Parameters<typeof callerOf>[0] & { params: { operation_id: string } };

/** Finds the bill that a person starts to pay, and notes that. Throws `intent_not_found`. */
async function findToPay({ db, now }: Treasury, request: Paying, action: string) {
	const tenantId = tenantOf(request).id;
	const operationId = request.params.operation_id;
	const actor = actorOf(callerOf(request));
	const [bill] = await inTenant(db, tenantId, async (tx) => {
		const found = await listIntents(tx, { payee: "platform", operationId, after: undefined, limit: 1 });
		if (found[0] !== undefined)
			await recordAudit(tx, {
				...{ tenantId, at: now(), actor, action, subject: found[0].id },
				...{ detail: { operation_id: operationId }, ...originOf(request) },
			});
		return found;
	});
	if (bill === undefined) throw paymentFailures.intent_not_found();
	return { intent: bill, requestedBy: actor.id };
}
