import { useProfile, useVerdict } from "@lango/client/react";
import type { Product } from "@lango/contracts";
import type { ServiceName, ServiceScope } from "../../services/service-access.queries.ts";

/** The product of each service; undefined if the service is not a product (§2.6). */
const productOf: Readonly<Record<ServiceName, Product | undefined>> = {
	hospital: "hospital",
	inventory: "inventory",
	logistics: "logistics",
	marketflow: undefined,
	// Every plan sends messages; pages that need the product name it.
	notifications: undefined,
	ordering: "ordering",
	pos: "pos",
	projects: undefined,
	treasury: "treasury",
};

/**
 * Whether the tenant's plan lacks the product of a service, or the given one. Then nothing of the service
 * is shown, except to superusers.
 */
export function useLacksProduct({ service, slug }: ServiceScope, product = productOf[service]): boolean {
	const profile = useProfile();
	const verdict = useVerdict({
		tenant: slug,
		ignoresSubscription: true,
		...(product !== undefined && { product }),
	});
	return verdict.go === "product_missing" && profile?.globalRoles.includes("superuser") !== true;
}
