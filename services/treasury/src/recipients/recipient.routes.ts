import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	originOf,
	pageOf,
	permit,
	type Route,
	readCursor,
	route,
	tenantOf,
	tenantWide,
	timeForm,
	totalOf,
} from "@lango/chassis";
import { FailureBody, Page, PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import { createCache } from "@lango/memory";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import { type Bank, listBanks } from "../gateways/card-gateway/recipients.ts";
import { findPayoutConfig } from "../gateways/shortcodes/payout-config.store.ts";
import { lockAvailable } from "../ledger/available.store.ts";
import type { Treasury } from "../treasury.ts";
import { recipientFailures } from "./failures.ts";
import { isPaidTo, listRecipients, revokeRecipient } from "./recipient.store.ts";
import type { Recipient } from "./recipient.ts";
import { registerRecipient } from "./register-recipient.ts";

const tags = ["recipients"];
const ofTheTenant = { outlets: tenantWide("recipients are the tenant's") };
const banksMaxAgeMs = 24 * 3_600_000;
const bankListsMax = 100;
const Kind = Type.Enum(["bank", "mobile_money"], { type: "string" });

const RecipientWire = Type.Object({
	id: Uuid,
	type: Kind,
	name: Type.String(),
	masked_account: Type.String(),
	bank_code: Type.String(),
	bank_name: Type.Union([Type.String(), Type.Null()]),
	currency: Type.String(),
	status: Type.Enum(["active", "removed"], { type: "string" }),
	created_at: Type.String({ format: "date-time" }),
});

const RecipientBody = Shape({
	type: Kind,
	name: Type.String({ minLength: 1, maxLength: 100 }),
	account_number: Type.String({
		pattern: "^[0-9A-Za-z+]{4,34}$",
		maxLength: 34,
		description: "Stored encrypted, and shown by its last characters only",
	}),
	bank_code: Type.String({ minLength: 1, maxLength: 20, description: "A code of the list of banks" }),
	currency: Type.String({ pattern: "^[A-Z]{3}$", maxLength: 3 }),
});

const BankWire = Type.Object({
	code: Type.String(),
	name: Type.String(),
	type: Type.Union([Type.String(), Type.Null()]),
	currency: Type.Union([Type.String(), Type.Null()]),
});

const toWire = (recipient: Recipient) => ({
	...{ id: recipient.id, type: recipient.type, name: recipient.name, currency: recipient.currency },
	...{ masked_account: recipient.maskedAccount, bank_code: recipient.bankCode },
	bank_name: recipient.bankName ?? null,
	status: recipient.revokedAt === undefined ? ("active" as const) : ("removed" as const),
	created_at: recipient.createdAt.toISOString(),
});

/** The routes of the tenant's recipients of payouts, and of the banks that they choose from. */
export const recipientRoutes = (treasury: Treasury): readonly Route[] => [
	listingBanks(treasury),
	listing(treasury),
	adding(treasury),
	removing(treasury),
];

function listingBanks({ gateways, now }: Treasury): Route {
	const lists = createCache<readonly Bank[]>({ sizeMax: bankListsMax, maxAgeMs: banksMaxAgeMs, now });
	return route({
		...ofTheTenant,
		access: permit("treasury.recipients.view"),
		method: "GET",
		url: "/banks",
		schema: {
			summary: "Lists banks and providers of mobile money, kept for 24 hours",
			tags,
			querystring: Type.Object({
				country: Type.Optional(Type.String({ pattern: "^[a-z]{2,30}$", maxLength: 30 })),
				type: Type.Optional(Type.String({ pattern: "^[a-z_]{2,30}$", maxLength: 30 })),
				pay_with_bank_transfer: Type.Optional(Type.Boolean()),
			}),
			response: { 200: Type.Object({ items: Type.Array(BankWire) }), 409: FailureBody, 503: FailureBody },
		},
		handler: async (request) => {
			const { country, type, pay_with_bank_transfer: payWithBankTransfer } = request.query;
			const banks = await lists.load(JSON.stringify([country, type, payWithBankTransfer]), async () => {
				const gateway = await gateways.requireCardGateway();
				const query = {
					...(country !== undefined && { country }),
					...(type !== undefined && { type }),
					...(payWithBankTransfer !== undefined && { payWithBankTransfer }),
				};
				return requireAccepted(await listBanks(gateway, query)).ids.banks;
			});
			const items = banks.map(({ type: kind, currency, ...bank }) => ({
				...{ ...bank, type: kind ?? null, currency: currency ?? null },
			}));
			return { items };
		},
	});
}

const listing = ({ db }: Treasury): Route =>
	route({
		...ofTheTenant,
		access: permit("treasury.recipients.view"),
		method: "GET",
		url: "/recipients",
		schema: {
			summary: "Lists recipients of payouts, the newest first",
			tags,
			querystring: Type.Object({
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(RecipientWire) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted } = request.query;
			const after = readCursor(cursor, timeForm);
			return inTenant(db, tenantOf(request).id, async (tx) => {
				const found = await listRecipients(tx, { after, limit: limit + 1 });
				return {
					...pageOf(found, { limit, toWire, placeOf: ({ place, id }) => [place, id] }),
					...(await totalOf(tx, isCounted, listRecipients)),
				};
			});
		},
	});

const adding = (treasury: Treasury): Route =>
	route({
		...ofTheTenant,
		access: permit("treasury.recipients.add"),
		method: "POST",
		url: "/recipients",
		schema: {
			summary: "Registers a recipient of payouts at the gateway",
			description:
				"An account that is registered already is returned as it is (200). An account never changes.",
			tags,
			body: RecipientBody,
			response: { 200: RecipientWire, 201: RecipientWire, 409: FailureBody, 503: FailureBody },
		},
		handler: async (request, reply) => {
			const { account_number: accountNumber, bank_code: bankCode, type, name, currency } = request.body;
			const { recipient, isNew } = await registerRecipient(treasury, {
				...{ tenantId: tenantOf(request).id, type, name, currency, accountNumber, bankCode },
				by: { actor: actorOf(callerOf(request)), ...originOf(request) },
			});
			return reply.code(isNew ? 201 : 200).send(toWire(recipient));
		},
	});

const removing = ({ db, now }: Treasury): Route =>
	route({
		...ofTheTenant,
		access: permit("treasury.recipients.delete"),
		method: "DELETE",
		url: "/recipients/:id",
		schema: {
			summary: "Removes a recipient of payouts",
			tags,
			params: Type.Object({ tenant: Type.String(), id: Uuid }),
			response: { 204: Type.Null(), 404: FailureBody, 409: FailureBody },
		},
		handler: async (request, reply) => {
			const { id: tenantId } = tenantOf(request);
			const { id } = request.params;
			await inTenant(db, tenantId, async (tx) => {
				await lockAvailable(tx, tenantId);
				const { recipientId } = await findPayoutConfig(tx);
				if (recipientId === id || (await isPaidTo(tx, id))) throw recipientFailures.recipient_in_use();
				if (!(await revokeRecipient(tx, id, now()))) throw recipientFailures.recipient_not_found();
				await recordAudit(tx, {
					...{ tenantId, at: now(), actor: actorOf(callerOf(request)), ...originOf(request) },
					...{ action: "recipient.removed", subject: id, detail: {} },
				});
			});
			return reply.code(204).send(null);
		},
	});
