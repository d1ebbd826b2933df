import { useProfile } from "@lango/client/react";
import type { ReactNode } from "react";
import { isGranted } from "../../services/service-access.queries.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import type { ProviderScope } from "./provider.queries.ts";

type ProviderGate = {
	slug: string;
	isForPlatform?: boolean;
	children: (scope: ProviderScope, may: { mayChange: boolean }) => ReactNode;
};

/** Checks before a page of providers that the plan includes notifications, and the user's permissions. */
export function ProviderGate({ slug, isForPlatform = false, children }: ProviderGate) {
	const profile = useProfile();
	const platformId = isForPlatform ? profile?.tenantId : undefined;
	return (
		<ServiceGate
			service="notifications"
			product="notifications"
			slug={slug}
			permission="notifications.providers.view"
			isForPlatform={isForPlatform}
		>
			{({ service }, granted) =>
				children(
					{ service, slug, platformId },
					{ mayChange: isGranted(granted, "notifications.providers.manage") },
				)
			}
		</ServiceGate>
	);
}
