import type { ReactNode } from "react";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { NotificationsGate } from "../messages/state/notifications-gate.tsx";

type TriggerGate = {
	slug: string;
	children: (scope: ServiceScope, may: { mayChange: boolean }) => ReactNode;
};

/** Checks before a page of rules that the plan includes notifications, and the user's permissions. */
export function TriggerGate({ slug, children }: TriggerGate) {
	return (
		<NotificationsGate slug={slug} product="notifications" permission="notifications.triggers.view">
			{(scope, may) => children(scope, { mayChange: may("notifications.triggers.change") })}
		</NotificationsGate>
	);
}
