import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import { ProductMissingPage } from "../unauthorized/product-missing-page.tsx";
import { UnauthorizedPage } from "../unauthorized/unauthorized-page.tsx";
import { isGranted, type ServiceScope, serviceAccessQuery, servicesOf } from "./access.queries.ts";
import { useIsPlatform } from "./use-is-platform.ts";
import { useLacksProduct } from "./use-lacks-product.ts";

type ServiceGate = {
	service: string;
	slug: string;
	/** The permission of the service that the page requires. Default: `<service>.roles.view`. */
	permission?: string;
	children: (scope: ServiceScope, granted: ReadonlySet<string>) => ReactNode;
};

/**
 * Checks before a page of a service that the service exists here, the plan includes it (§2.6), and the user
 * holds the permission.
 */
export function ServiceGate({ service, slug, permission = `${service}.roles.view`, children }: ServiceGate) {
	const { settings } = usePlatform();
	const isPlatform = useIsPlatform(slug);
	const known = servicesOf(settings).find((name) => name === service);
	if (known === undefined || isPlatform) return <NotFoundPage />;
	return (
		<ExistingService scope={{ service: known, slug }} permission={permission}>
			{children}
		</ExistingService>
	);
}

type Props = { scope: ServiceScope; permission: string; children: ServiceGate["children"] };

function ExistingService(known: Props) {
	if (useLacksProduct(known.scope)) return <ProductMissingPage product={known.scope.service} />;
	return <AllowedService {...known} />;
}

function AllowedService({ scope, permission, children }: Props) {
	const access = useQuery(serviceAccessQuery(usePlatform(), scope, permission));
	return (
		<Loaded query={access} isMain>
			{({ granted, outlet }) =>
				isGranted(granted, permission) ? children({ ...scope, outlet }, granted) : <UnauthorizedPage />
			}
		</Loaded>
	);
}
