import type { FaultRule, Ids } from "@lango/sandbox-base";
import type { Store } from "./records/store.ts";
import type { TaskKind } from "./records/tables.ts";

/** How this gateway is set up. */
export type Settings = {
	secretKey: string;
	/** Where a browser reaches the gateway, without a slash at the end. */
	publicUrl: string;
	/** A charge is settled this many days after it was paid: T+1 or T+2. */
	settlementDays: number;
	/** Where settled money goes. */
	settlesTo: "bank" | "balance";
	/** Lowest units, for each transfer. */
	transferFee: number;
	/** The time between a transfer or a step of a refund and its outcome. */
	outcomeAfterMs: number;
	/** Also sends the signature in these headers. */
	signatureAliases: readonly string[];
};

/** The events of §6, and those that the gateway sends besides. */
export const events = [
	"charge.success",
	"charge.dispute.create",
	"charge.dispute.remind",
	"charge.dispute.resolve",
	"transfer.success",
	"transfer.failed",
	"transfer.reversed",
	"refund.pending",
	"refund.processing",
	"refund.processed",
	"refund.failed",
	"refund.needs-attention",
	"invoice.create",
	"invoice.update",
	"invoice.payment_failed",
	"subscription.create",
	"subscription.disable",
	"subscription.not_renew",
	"subscription.expiring_cards",
	"paymentrequest.success",
] as const;
export type EventName = (typeof events)[number];

/** What the operations of the gateway share. */
export type Gateway = {
	settings: Settings;
	store: Store;
	ids: Ids;
	/** The time by the gateway's clock; while planned work runs, the time at which it was due. */
	now(): Date;
	/** Plans work; it survives a restart. */
	plan(kind: TaskKind, key: string | number, at: Date): void;
	/** Sends a signed event to the webhook address. */
	publish(event: EventName, data: unknown): void;
	/** The rule of the first of these faults that applies to the operation now. */
	takeFault(operation: string, ...faults: string[]): FaultRule | undefined;
	/** What can be changed while the gateway runs. */
	switches: { isOtpRequired: boolean; webhookUrl: string | undefined };
};

/** Of every object of a test account. */
export const domain = "test";
/** The id of the merchant's account. */
export const integration = 463_433;
export const merchantName = "Lango (sandbox)";

/** The time after a number of milliseconds, or before for a negative one. */
export const after = (at: Date | string, ms: number): Date => new Date(new Date(at).getTime() + ms);

export const dayMs = 86_400_000;
export const hourMs = 3_600_000;
