import type { Sealed } from "@lango/tokens";
import type { CardPlan } from "../card-plans/card-plan.ts";
import type { SubscriptionSaid } from "../outcomes/evidence/card-evidence.ts";
import type { Payee } from "../payments/intent.ts";

/** A card that the gateway charges by a plan. */
export type CardSubscription = {
	tenantId: string;
	id: string;
	/** `tenant`: for its own trade. `platform`: the tenant pays its bills. */
	payee: Payee;
	status: CardSubscriptionStatus;
	plan: Pick<CardPlan, "id" | "name" | "frequency" | "amountMinor" | "currency">;
	authorizationId: string;
	/** The card; null once its person was deleted. */
	card: { brand: string; last4: string; expMonth: number; expYear: number } | null;
	/** The gateway's name of the payer. */
	customerCode: string;
	/** The gateway's; null until it answers or sends an event. */
	subscriptionCode: string | null;
	/** The secret that ends and resumes it; null until the gateway says it. */
	emailToken: Sealed | null;
	nextPaymentAt: Date | null;
	failureCode: string | null;
	/** Whether it was stopped here, and not by its payer at the gateway. */
	isStoppedHere: boolean;
	/** How often it was charged. */
	executions: number;
	lastExecutedAt: Date | null;
	version: number;
	createdAt: Date;
	endedAt: Date | null;
};

export const cardSubscriptionStatuses = [
	"creating",
	"active",
	"attention",
	"non_renewing",
	"disabled",
	"completed",
	"failed",
] as const;
export type CardSubscriptionStatus = (typeof cardSubscriptionStatuses)[number];

const charging: ReadonlySet<CardSubscriptionStatus> = new Set(["creating", "active", "attention"]);

/** Whether it charges the card, or may still do so. */
export const isCharging = ({ status }: Pick<CardSubscription, "status">): boolean => charging.has(status);

/** Whether the gateway can be asked to charge the card again. */
export const canResume = ({ status }: Pick<CardSubscription, "status">): boolean =>
	status === "non_renewing" || status === "disabled";

/** What the encrypted token of a subscription is bound to. */
export const emailTokenContext = "treasury|card subscription";

type Transitions = Readonly<
	Record<SubscriptionSaid["kind"], Partial<Record<CardSubscriptionStatus, CardSubscriptionStatus>>>
>;

const whileOpen = (next: CardSubscriptionStatus) => ({ creating: next, active: next, attention: next });

const transitions: Transitions = {
	created: { creating: "active", failed: "active" },
	refused: { creating: "failed" },
	charged: { creating: "active", failed: "active", attention: "active" },
	charge_failed: { creating: "attention", active: "attention" },
	not_renewed: whileOpen("non_renewing"),
	disabled: { ...whileOpen("disabled"), non_renewing: "disabled" },
	completed: { ...whileOpen("completed"), non_renewing: "completed", disabled: "completed" },
	enabled: { non_renewing: "active", disabled: "active" },
};

/**
 * The status after what is said; undefined: it does not change. A charge proves that the gateway has it,
 * but does not resume one that was stopped. Pure.
 */
export const nextStatus = (
	status: CardSubscriptionStatus,
	{ kind }: Pick<SubscriptionSaid, "kind">,
): CardSubscriptionStatus | undefined => transitions[kind][status];
