import type { JournalSource } from "../journals/journal.queries.ts";
import type { Exception } from "./exception.queries.ts";

type Side = Exception["ours"];

/** A page about one side of an exception, of an organisation or of the platform. */
export type SideLink = {
	page: "intent" | "receipt" | "payout" | "refund" | "dispute" | "settlement";
	/** The id of what the page shows; of a refund its receipt, by which the page of refunds finds it. */
	id: string;
	/** Undefined of a settlement: that is the platform's. */
	tenantId: string | undefined;
};

const textOf = (side: Side, name: string): string | undefined => {
	const value = side[name];
	return typeof value === "string" && value !== "" ? value : undefined;
};

const pages = ["intent", "receipt", "payout", "dispute"] as const;

/** The pages of what one side names. */
export function linksOf(side: Side): SideLink[] {
	const tenantId = textOf(side, "tenant_id");
	const ofTenant = pages.flatMap((page) => {
		const id = textOf(side, `${page}_id`);
		return id === undefined || tenantId === undefined ? [] : [{ page, id, tenantId }];
	});
	const receiptId = textOf(side, "receipt_id");
	const isRefund = textOf(side, "refund_id") !== undefined && receiptId !== undefined;
	const settlementId = textOf(side, "settlement_id");
	return [
		...ofTenant,
		...(isRefund ? [{ page: "refund" as const, id: receiptId, tenantId }] : []),
		...(settlementId === undefined
			? []
			: [{ page: "settlement" as const, id: settlementId, tenantId: undefined }]),
	];
}

const bookedKinds = ["payout", "refund", "dispute", "receipt", "settlement"] as const;

/** What of our side has journals, if it names something that has. */
export function journalSourceOf({ ours }: Pick<Exception, "ours">): JournalSource | undefined {
	for (const kind of bookedKinds) {
		const id = textOf(ours, `${kind}_id`);
		if (id !== undefined) return { source_type: kind, source_id: id };
	}
	return undefined;
}

/** A number of the mobile-money gateway has letters; one of the card gateway has none. */
const mobileNumber = /^(?=.*[A-Z])[A-Z0-9]{6,20}$/;
const ownReference = /^(pay|out)-[0-9a-f]{32}$/;

/**
 * By what the webhook inbox finds what the gateway sent: mobile money sends its number, the card gateway our
 * reference.
 */
export function inboxObjectOf({ subject, ours, theirs }: Exception): string | undefined {
	const receipt = textOf(theirs, "receipt") ?? textOf(ours, "receipt");
	if (receipt !== undefined && mobileNumber.test(receipt)) return receipt;
	return textOf(theirs, "reference") ?? (ownReference.test(subject) ? subject : undefined);
}
