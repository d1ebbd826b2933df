import { inTenant, type OutletFilter } from "@lango/postgres";
import type { DeliveryStatus } from "../delivery.ts";
import { failures } from "../failures.ts";
import type { MessageRequest, StoredData } from "../message.ts";
import { type Accepting, acceptMessage, type RecordWith } from "../messages/accept-message.ts";
import type { Accepted } from "../messages/message.store.ts";
import { findResendSource, type ResendSource } from "./delivery.store.ts";

/** States from which a delivery can be sent again as a new message. */
export const resendable: readonly DeliveryStatus[] = [
	"failed",
	"dead",
	"expired",
	"undelivered",
	"bounced",
	"cancelled",
	"skipped_preference",
	"skipped_no_credit",
	"skipped_no_subscription",
	"skipped_limit",
];

/** A request to send a delivery again. */
export type Resend = Pick<MessageRequest, "requester" | "claims" | "isUnlimited" | "isBulk"> & {
	tenantId: string;
	id: string;
	outlets: OutletFilter;
	/** Accepts that a message with an unknown outcome may arrive twice. */
	mayDuplicate: boolean;
	/** Records the resend in the transaction of its message. */
	record?: RecordWith;
};

/**
 * Sends a delivery again as a new message to its address, with the template that is in force now. A delivery
 * is sent again once; after that its message is returned. Throws `delivery_not_found`, `test_not_resendable`,
 * `delivery_not_final`, `may_duplicate_required`, `data_gone`, or what accepting a message throws.
 */
export async function resendDelivery(parts: Accepting, resend: Resend): Promise<Accepted> {
	const { id, outlets, mayDuplicate, record, ...caller } = resend;
	const { tenantId } = caller;
	const source = await inTenant(parts.db, tenantId, (tx) => findResendSource(tx, { id, outlets }));
	if (source === undefined) throw failures.delivery_not_found();
	if (source.resentAs !== null)
		return { messageId: source.resentAs, isReplayed: true, pending: 0, counts: {} };
	requireResendable(source, mayDuplicate);
	return acceptMessage(parts, requestOf(parts, source, { ...caller, resendOf: id }), record);
}

/** Throws `data_gone`. */
function requestOf(
	{ vault }: Accepting,
	source: ResendSource,
	caller: Pick<MessageRequest, "requester" | "claims" | "isUnlimited" | "isBulk" | "tenantId"> & {
		resendOf: string;
	},
): MessageRequest {
	if (source.address === undefined || source.data === undefined) throw failures.data_gone();
	const { values, subject, pushTitle, linkId } = vault.openData(source.data) as StoredData;
	return {
		...{ ...caller, source: "resend", overLimit: "refuse" },
		channel: source.channel,
		template: source.template,
		to: [source.channel === "in_app" ? `user:${source.userId}` : vault.openAddress(source.address)],
		data: values,
		metadata: {
			labels: source.labels,
			...(subject !== undefined && { subject }),
			...(pushTitle !== undefined && { pushTitle }),
			...(source.provider !== null && { provider: source.provider }),
		},
		...(source.locale !== null && { locale: source.locale }),
		...(source.outletId !== null && { outletId: source.outletId }),
		...(source.aboutTenantId !== null && { aboutTenantId: source.aboutTenantId }),
		...(source.isExempt && source.aboutTenantId !== null && { peopleOf: source.aboutTenantId }),
		...(linkId !== undefined && { linkId }),
		isExempt: source.isExempt,
		// Two clicks at once are the same resend.
		idempotencyKey: `resend ${caller.resendOf}`,
	};
}

function requireResendable({ isTest, status, errorCode }: ResendSource, mayDuplicate: boolean): void {
	if (isTest) throw failures.test_not_resendable();
	if (!resendable.includes(status)) throw failures.delivery_not_final();
	if (errorCode === "outcome_unknown" && !mayDuplicate) throw failures.may_duplicate_required();
}
