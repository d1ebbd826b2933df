import { domain, type Gateway, integration } from "../gateway.ts";
import { codeOf } from "../records/codes.ts";
import type { PaymentPage, Transaction } from "../records/tables.ts";

export type NewPage = {
	name: string;
	description?: string | undefined;
	amount?: number | null | undefined;
	currency: string;
	metadata?: unknown;
};

/** Adds a page at which anybody can pay, §4.4. */
export function createPage({ store, ids, now }: Gateway, page: NewPage): PaymentPage {
	return store.add("pages", (ordinal) => ({
		ordinal,
		id: 1_308_000 + ordinal,
		slug: codeOf(ids, { purpose: "page", ordinal, length: 10 }),
		name: page.name,
		description: page.description ?? "",
		amount: page.amount ?? null,
		currency: page.currency,
		...(page.metadata !== undefined && { metadata: page.metadata }),
		createdAt: now().toISOString(),
	}));
}

/** The answer of `POST /page`. The real gateway leaves `link` out. */
export const toPage = ({ settings }: Gateway, page: PaymentPage) => ({
	name: page.name,
	description: page.description,
	amount: page.amount,
	split_code: null,
	integration,
	domain,
	slug: page.slug,
	currency: page.currency,
	type: "payment",
	collect_phone: false,
	active: true,
	published: true,
	migrate: false,
	...(page.metadata !== undefined && { metadata: page.metadata }),
	link: `${settings.publicUrl}/pay/${page.slug}`,
	id: page.id,
	createdAt: page.createdAt,
	updatedAt: page.createdAt,
});

/** Sends `paymentrequest.success` for a transaction of a page, after its `charge.success`. */
export function publishPagePaid(gateway: Gateway, transaction: Transaction): void {
	if (transaction.pageSlug === null) return;
	const page = gateway.store.get("pages", "slug", transaction.pageSlug);
	gateway.publish("paymentrequest.success", {
		id: 1_089_000 + transaction.ordinal,
		domain,
		amount: transaction.amount,
		currency: transaction.currency,
		due_date: null,
		has_invoice: false,
		invoice_number: null,
		description: page.description,
		pdf_url: null,
		line_items: [],
		tax: [],
		request_code: `PRQ_${codeOf(gateway.ids, { purpose: "payment request", ordinal: transaction.ordinal })}`,
		status: "success",
		paid: true,
		paid_at: transaction.paidAt,
		metadata: page.metadata ?? null,
		notifications: [{ sent_at: transaction.createdAt, channel: "email" }],
		offline_reference: `${3_365_000_000 + transaction.ordinal}`,
		customer: transaction.customerId,
		created_at: transaction.createdAt,
	});
}
