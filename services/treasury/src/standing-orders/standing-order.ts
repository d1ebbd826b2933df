import type { Frequency } from "../gateways/profiles/profile.ts";
import type { Payee } from "../payments/intent.ts";

/** A payment that a payer's wallet makes again and again, once the payer consented on the phone. */
export type StandingOrder = {
	tenantId: string;
	id: string;
	/** `tenant`: for its own trade. `platform`: the tenant pays its bills. */
	payee: Payee;
	status: StandingOrderStatus;
	phone: string;
	amountMinor: bigint;
	currency: string;
	frequency: Frequency;
	/** Days as `YYYY-MM-DD`, both included. */
	startOn: string;
	endOn: string;
	description: string;
	shortcode: string;
	/** The account that its executions name. */
	accountCode: string;
	/** The id that the gateway gave the request. */
	gatewayRef: string | null;
	failureCode: string | null;
	executions: number;
	lastExecutedAt: Date | null;
	/** The bills have another amount or interval now: the payer has to consent to a new order. */
	needsReplacement: boolean;
	version: number;
	createdAt: Date;
	endedAt: Date | null;
};

export const standingOrderStatuses = [
	"requested",
	"consent_pending",
	"active",
	"ended",
	"stopped",
	"failed",
] as const;
export type StandingOrderStatus = (typeof standingOrderStatuses)[number];

const open: ReadonlySet<StandingOrderStatus> = new Set(["requested", "consent_pending", "active"]);

/** Whether it collects, or may still do so. */
export const isOpenOrder = ({ status }: Pick<StandingOrder, "status">): boolean => open.has(status);

/** Whether what its wallet still pays is flagged: somebody has stopped it, or it was over. */
export const isClosedOrder = ({ status }: Pick<StandingOrder, "status">): boolean =>
	status === "stopped" || status === "ended";

/** Standing orders end by time: their last day was before a day, or they were made before a time. */
export type Ending = { lastDay: string; madeAt: Date };

/**
 * What time says about a standing order: it is over, or its payer has not consented. The gateway cannot be
 * asked; an execution later proves the consent all the same. Pure.
 */
export function saidByTime(
	{ status, endOn, createdAt }: Pick<StandingOrder, "status" | "endOn" | "createdAt">,
	{ lastDay, madeAt }: Ending,
): OrderSaid | undefined {
	if (endOn < lastDay) return { kind: "over" };
	if (status === "active" || createdAt >= madeAt) return undefined;
	return { kind: "refused", code: "no_consent" };
}

/** What is said about a standing order. */
export type OrderSaid =
	/** The gateway took the request, and asks the payer. */
	| { kind: "accepted" }
	/** The gateway did not take it, or the payer did not consent. */
	| { kind: "refused"; code: string }
	| { kind: "consented" }
	| { kind: "executed" }
	| { kind: "stopped" }
	/** Its last day is over. */
	| { kind: "over" };

/**
 * The status after what is said; undefined: it does not change. A payment proves the consent, whatever was
 * said before; what was stopped or is over stays so. Pure.
 */
export function nextStatus(
	status: StandingOrderStatus,
	{ kind }: Pick<OrderSaid, "kind">,
): StandingOrderStatus | undefined {
	const next = transitions[kind](status);
	return next === status ? undefined : next;
}

type Transition = (status: StandingOrderStatus) => StandingOrderStatus;

const begin: Transition = (status) => (isClosedOrder({ status }) ? status : "active");
const ifOpen =
	(next: StandingOrderStatus): Transition =>
	(status) =>
		isOpenOrder({ status }) ? next : status;

const transitions: Readonly<Record<OrderSaid["kind"], Transition>> = {
	accepted: (status) => (status === "requested" ? "consent_pending" : status),
	refused: (status) => (status === "active" ? status : ifOpen("failed")(status)),
	consented: begin,
	executed: begin,
	stopped: ifOpen("stopped"),
	over: ifOpen("ended"),
};
