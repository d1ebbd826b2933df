import type { Product } from "@lango/contracts";
import type { ReactNode } from "react";
import type { ServiceScope } from "../../../services/service-access.queries.ts";
import { isGranted } from "../../../services/service-access.queries.ts";
import { ServiceGate } from "../../access/service-gate.tsx";
import { useIsPlatform } from "../../access/use-is-platform.ts";

type NotificationsGate = {
	slug: string;
	/** The permission of the notification service that the page requires. */
	permission: string;
	/** The product that the page requires; none for pages of every plan. */
	product?: Product;
	children: (scope: ServiceScope, may: (permission: string) => boolean) => ReactNode;
};

/** Checks the user's permissions before a page of a tenant's notifications; the platform has them, too. */
export function NotificationsGate({ children, ...gate }: NotificationsGate) {
	const isPlatform = useIsPlatform(gate.slug);
	return (
		<ServiceGate service="notifications" isForPlatform={isPlatform} {...gate}>
			{(scope, granted) => children(scope, (permission) => isGranted(granted, permission))}
		</ServiceGate>
	);
}
