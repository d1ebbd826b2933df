import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";

/** A page of the card gateway where anybody pays the organisation. */
export type PaymentPage = {
	id: string;
	status: "creating" | "active" | "failed";
	link: string | null;
	name: string;
	description: string;
	/** Null: the payer chooses it. */
	amount_minor: number | null;
	currency: string;
	created_at: string;
};

export type PageRequest = Pick<PaymentPage, "name" | "description" | "currency"> & { amount_minor?: number };

/** The cache key of payment pages. */
export const paymentPagesKey = ({ slug }: ServiceScope) => ["treasury", slug, "payment-pages"];

export const paymentPagesAddress = (platform: Platform, scope: ServiceScope): string =>
	`${serviceAddress(platform, scope)}/payment-pages`;

type Making = { request: PageRequest; idempotencyKey: string };

/** Makes a payment page. The same key makes it once. */
export const makePaymentPage = (
	platform: Platform,
	scope: ServiceScope,
	{ request, idempotencyKey }: Making,
): Promise<PaymentPage> =>
	platform.client.call(paymentPagesAddress(platform, scope), {
		...{ outlet: "none", method: "POST", body: request, idempotencyKey },
	});
