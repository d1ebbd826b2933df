import type { Subscription, SubscriptionStatus } from "@lango/contracts";
import type { ReactNode } from "react";
import { Badge } from "../layout/badge.tsx";
import { useSubscribeTexts } from "./texts.ts";
import { usePlanName } from "./use-plan-name.ts";

const kinds: Readonly<Record<SubscriptionStatus, "done" | "warning" | "error">> = {
	TRIAL: "done",
	ACTIVE: "done",
	PAST_DUE: "warning",
	EXPIRED: "error",
};

type PlanHeading = { subscription: Pick<Subscription, "plan" | "status">; children?: ReactNode };

/** The name of the plan, the status of the subscription, and further badges. */
export function PlanHeading({ subscription: { plan, status }, children }: PlanHeading) {
	const nameOf = usePlanName();
	const { statuses } = useSubscribeTexts();
	return (
		<p className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1">
			<span className="font-display text-3xl leading-none">{nameOf(plan)}</span>
			<Badge kind={kinds[status]}>{statuses[status]}</Badge>
			{children}
		</p>
	);
}
