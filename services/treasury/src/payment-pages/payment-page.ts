import { randomBytes } from "node:crypto";
import { hashSecret } from "@lango/tokens";

/** A page of the card gateway where anybody pays a tenant. */
export type PaymentPage = {
	tenantId: string;
	id: string;
	status: PaymentPageStatus;
	name: string;
	description: string;
	/** Null: the payer chooses it. */
	amountMinor: bigint | null;
	currency: string;
	/** What the tenant wants to find again in the payments of the page. */
	metadata: Readonly<Record<string, string>>;
	/** The address of the page; null unless it is active. */
	link: string | null;
	failureCode: string | null;
	createdAt: Date;
};

/** `creating`: the gateway has not answered. It may have the page, and is never asked for it again. */
export const paymentPageStatuses = ["creating", "active", "failed"] as const;
export type PaymentPageStatus = (typeof paymentPageStatuses)[number];

/** Mints the token that binds charges to a page: 160 random bits. */
export const mintPageToken = (): string => randomBytes(20).toString("base64url");

/** The hash by which a page is found. */
export const hashPageToken = (token: string): string => hashSecret(token).toString("hex");
