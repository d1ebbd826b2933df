import { useProfile } from "@lango/client/react";
import type { ReactNode } from "react";
import { isGranted } from "../../services/service-access.queries.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import type { TemplateScope } from "./draft/templates.queries.ts";

type TemplateGate = {
	slug: string;
	isForPlatform?: boolean;
	children: (scope: TemplateScope, may: { mayChange: boolean }) => ReactNode;
};

/** Checks before a page of templates that the plan includes notifications, and the user's permissions. */
export function TemplateGate({ slug, isForPlatform = false, children }: TemplateGate) {
	const profile = useProfile();
	return (
		<ServiceGate
			service="notifications"
			product="notifications"
			slug={slug}
			permission="notifications.templates.view"
			isForPlatform={isForPlatform}
		>
			{(scope, granted) =>
				children(
					{ ...scope, isPlatform: isForPlatform, tenantId: isForPlatform ? profile?.tenantId : undefined },
					{ mayChange: isGranted(granted, "notifications.templates.change") },
				)
			}
		</ServiceGate>
	);
}
