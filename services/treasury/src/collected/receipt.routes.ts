import {
	actorOf,
	callerOf,
	chassisFailures,
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
import { FailureBody, Page, PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import Type from "typebox";
import { sumTakenOfPlatform } from "../holds/hold.store.ts";
import { AmountMinor } from "../money/amount.ts";
import { paymentFailures } from "../payments/failures.ts";
import { findTenantOfIntent } from "../payments/intent.store.ts";
import { listPaymentsOf } from "../payments/payment.store.ts";
import { QueryWire, toQueryWire } from "../queries/query-wire.ts";
import { receiptFailures } from "../receipts/failures.ts";
import { findReceipt, listReceipts } from "../receipts/receipt.store.ts";
import type { Receipt } from "../receipts/receipt.ts";
import type { Treasury } from "../treasury.ts";
import { allocateToIntent } from "./allocate-to-intent.ts";
import { ReceiptKindWire, ReceiptStateWire, ReceiptWire, toReceiptWire } from "./receipt-wire.ts";
import { verifyReceipt } from "./verify-receipt.ts";

const common = { outlets: tenantWide("receipts are the tenant's") } as const;
const tags = ["receipts"];
const Params = Type.Object({ tenant: Type.String(), id: Uuid });

/** The routes of the money that gateways vouch for, whether or not it pays something. */
export const receiptRoutes = (domain: Treasury): readonly Route[] => [
	listing(domain),
	showing(domain),
	allocating(domain),
	verifying(domain),
];

/** Writes receipts with their payments, in a statement of each kind for all. Call it inside the tenant. */
async function describeReceipts(tx: Database, receipts: readonly Receipt[]) {
	const ids = receipts.map(({ id }) => id);
	const payments = await listPaymentsOf(tx, ids);
	const taken = await sumTakenOfPlatform(tx, ids);
	return receipts.map((receipt) =>
		toReceiptWire(receipt, { payments, takenMinor: taken.get(receipt.id) ?? 0n }),
	);
}

const listing = ({ db }: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.receipts.view"),
		method: "GET",
		url: "/receipts",
		schema: {
			summary: "Lists what gateways say was paid to the tenant, paid out and returned, the newest first",
			description:
				"Also what the tenant paid to the platform. A receipt of which only a part is allocated counts as unallocated: its rest waits.",
			tags,
			querystring: Type.Object({
				kind: Type.Optional(ReceiptKindWire),
				state: Type.Optional(ReceiptStateWire),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(ReceiptWire) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted, kind, state } = request.query;
			const query = { kind, state, after: readKey(cursor, uuidForm), limit: limit + 1 };
			const { rows, ...total } = await inTenant(db, tenantOf(request).id, async (tx) => ({
				rows: await describeReceipts(tx, await listReceipts(tx, query)),
				...(await totalOf(tx, isCounted, (all, page) => listReceipts(all, { ...query, ...page }))),
			}));
			return { ...pageBy(rows, { limit, toWire: (receipt) => receipt, keyOf: ({ id }) => id }), ...total };
		},
	});

const showing = (domain: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.receipts.view"),
		method: "GET",
		url: "/receipts/:id",
		schema: {
			summary: "Returns a receipt with the payments that were made of it",
			tags,
			params: Params,
			response: { 200: ReceiptWire },
		},
		handler: (request) => showReceipt(domain, { tenantId: tenantOf(request).id, id: request.params.id }),
	});

const allocating = (domain: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.receipts.manage"),
		method: "POST",
		url: "/receipts/:id/allocate",
		schema: {
			summary: "Allocates a receipt to what it pays",
			description:
				"Without an amount: as much as the intent needs. Send what the person saw as unallocated_minor: if another amount is left, because the request was sent before or somebody else has allocated a part, it is refused. A payment request that is cancelled or expired can be paid, as by a payment that comes late. Money for a bill pays it, and else the next one of the tenant. A receipt of the platform owner, whose tenant is not known, is allocated by its superusers only, to an intent of any tenant, to which it moves.",
			tags,
			params: Params,
			body: Shape({
				intent_id: Uuid,
				amount_minor: Type.Optional(AmountMinor),
				unallocated_minor: Type.Optional(AmountMinor),
			}),
			response: { 200: ReceiptWire, 409: FailureBody },
		},
		handler: async (request) => {
			const { intent_id: intentId, amount_minor, unallocated_minor: seen } = request.body;
			const { id: holderId, slug } = tenantOf(request);
			const isOwner = slug === domain.settings.platformOwnerSlug;
			const tenantId = isOwner ? await findPayingTenant(domain, request, intentId) : holderId;
			await allocateToIntent(domain, {
				...{ holderId, tenantId, intentId, receiptId: request.params.id },
				amountMinor: amount_minor === undefined ? undefined : BigInt(amount_minor),
				seenMinor: seen === undefined ? undefined : BigInt(seen),
				by: { actor: actorOf(callerOf(request)), ...originOf(request) },
			});
			return showReceipt(domain, { tenantId, id: request.params.id });
		},
	});

const verifying = (domain: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.receipts.manage"),
		method: "POST",
		url: "/receipts/:id/verify",
		schema: {
			summary: "Asks the gateway about a receipt that is not verified",
			description:
				"The answer comes later: read the query at mobile-money/queries. If it is Completed, with the same amount and shortcode, the receipt counts. If the gateway does not know it, it is removed. Any other answer changes nothing.",
			tags,
			params: Params,
			response: { 202: QueryWire, 409: FailureBody, 503: FailureBody },
		},
		handler: async (request, reply) => {
			const createdBy = actorOf(callerOf(request));
			const asking = { tenantId: tenantOf(request).id, receiptId: request.params.id, createdBy };
			const query = await verifyReceipt(domain, asking);
			return reply.code(202).send(toQueryWire(query, domain.now()));
		},
	});

/** Finds the tenant of an intent for the platform owner. Throws `forbidden` and `intent_not_found`. */
async function findPayingTenant(
	{ db }: Treasury,
	request: Parameters<typeof callerOf>[0],
	intentId: string,
): Promise<string> {
	const caller = callerOf(request);
	if (caller.kind !== "user" || !caller.isPlatformOwner) throw chassisFailures.forbidden();
	const tenantId = await findTenantOfIntent(db, intentId);
	if (tenantId === undefined) throw paymentFailures.intent_not_found();
	return tenantId;
}

/** Reads a receipt, and writes it with its payments. Throws `receipt_not_found`. */
async function showReceipt({ db }: Treasury, { tenantId, id }: { tenantId: string; id: string }) {
	return inTenant(db, tenantId, async (tx) => {
		const found = await findReceipt(tx, id);
		const [shown] = await describeReceipts(tx, found === undefined ? [] : [found]);
		if (shown === undefined) throw receiptFailures.receipt_not_found();
		return shown;
	});
}
