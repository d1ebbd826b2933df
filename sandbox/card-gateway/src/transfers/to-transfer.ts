import { domain, type Gateway, integration, merchantName } from "../gateway.ts";
import { toRecipient } from "../recipients/recipient.ts";
import type { Transfer } from "../records/tables.ts";

/** A transfer as each answer and event shows it: the gateway's own words for its times differ. */

const toCore = (transfer: Transfer) => ({
	domain,
	amount: transfer.amount,
	currency: transfer.currency,
	reference: transfer.reference,
	source: "balance",
	source_details: null,
	reason: transfer.reason,
	status: transfer.status,
	failures: null,
	transfer_code: transfer.code,
	titan_code: null,
	transferred_at: null,
	id: transfer.id,
});

/** The answer of `POST /transfer`. */
export const toStarted = (transfer: Transfer) => ({
	transfersessionid: [],
	transfertrials: [],
	...toFinalized(transfer),
	request: 1_068_439_000 + transfer.ordinal,
});

/** The answer of `POST /transfer/finalize_transfer`. */
export const toFinalized = (transfer: Transfer) => ({
	...toCore(transfer),
	integration,
	recipient: transfer.recipientId,
	createdAt: transfer.createdAt,
	updatedAt: transfer.updatedAt,
});

/** A line of the answer of `POST /transfer/bulk`. */
export const toQueued = ({ store }: Gateway, transfer: Transfer) => ({
	reference: transfer.reference,
	recipient: store.get("recipients", "id", transfer.recipientId).code,
	amount: transfer.amount,
	transfer_code: transfer.code,
	currency: transfer.currency,
	status: transfer.status,
});

/** The answer of `GET /transfer/verify/:reference`. */
export function toVerified({ store }: Gateway, transfer: Transfer) {
	const recipient = store.get("recipients", "id", transfer.recipientId);
	const { createdAt } = recipient;
	return {
		...toCore(transfer),
		integration,
		request: 1_068_403_000 + transfer.ordinal,
		createdAt: transfer.createdAt,
		updatedAt: transfer.updatedAt,
		recipient: { ...toRecipient(recipient), isDeleted: false, createdAt, updatedAt: createdAt },
		session: { provider: null, id: null },
		fee_charged: transfer.fee,
		fees_breakdown: null,
		gateway_response: null,
	};
}

/** The data of `transfer.success`, whose times are in camel case, and of the two other events. */
export function toEnded({ store }: Gateway, transfer: Transfer) {
	const recipient = store.get("recipients", "id", transfer.recipientId);
	const { createdAt } = recipient;
	const account = { id: integration, is_live: false, business_name: merchantName };
	if (transfer.status === "success")
		return {
			...toCore(transfer),
			createdAt: transfer.createdAt,
			updatedAt: transfer.updatedAt,
			integration: { ...account, logo_path: null },
			recipient: { ...toRecipient(recipient), createdAt, updatedAt: createdAt },
			session: { provider: null, id: null },
			fee_charged: transfer.fee,
			gateway_response: null,
		};
	return {
		...toCore(transfer),
		integration: account,
		recipient: { ...toRecipient(recipient), created_at: createdAt, updated_at: createdAt },
		session: { provider: "sandbox", id: String(74_849_400_998_000 + transfer.ordinal) },
		created_at: transfer.createdAt,
		updated_at: transfer.updatedAt,
	};
}
