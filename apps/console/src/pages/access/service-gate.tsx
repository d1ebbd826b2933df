import type { Product } from "@lango/contracts";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import {
	isGranted,
	type ServiceScope,
	serviceAccessQuery,
	servicesOf,
} from "../../services/service-access.queries.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import { ProductMissingPage } from "../unauthorized/product-missing-page.tsx";
import { UnauthorizedPage } from "../unauthorized/unauthorized-page.tsx";
import { useIsPlatform } from "./use-is-platform.ts";
import { useLacksProduct } from "./use-lacks-product.ts";

type ServiceGate = {
	service: string;
	slug: string;
	/** The permission of the service that the page requires. Default: `<service>.roles.view`. */
	permission?: string;
	/** Whether the `_own` form of the permission is enough: the service then returns what is the user's. */
	orOwn?: boolean;
	/** The product that the page requires. Default: that of the service. */
	product?: Product;
	/** Whether the page is shown whatever the plan includes. */
	needsNoProduct?: boolean;
	/** Whether the page is the platform owner's, below the address of their own tenant. */
	isForPlatform?: boolean;
	/** Whether it is the platform owner's, too, about what belongs to no other tenant. */
	isAlsoForPlatform?: boolean;
	children: (scope: ServiceScope, granted: ReadonlySet<string>) => ReactNode;
};

/**
 * Checks before a page of a service that the service exists here, the plan includes it (§2.6), and the user
 * holds the permission.
 */
export function ServiceGate({ service, slug, isForPlatform = false, ...rules }: ServiceGate) {
	const { isAlsoForPlatform = false, ...gate } = rules;
	const { settings } = usePlatform();
	const isPlatform = useIsPlatform(slug);
	const known = servicesOf(settings).find((name) => name === service);
	const isHere = isPlatform ? isForPlatform || isAlsoForPlatform : !isForPlatform;
	if (known === undefined || !isHere) return <NotFoundPage />;
	const { permission = `${service}.roles.view`, ...rest } = gate;
	return <ExistingService {...rest} scope={{ service: known, slug }} permission={permission} />;
}

type Props = Pick<ServiceGate, "product" | "needsNoProduct" | "orOwn" | "children"> & {
	scope: ServiceScope;
	permission: string;
};

function ExistingService({ product, needsNoProduct = false, ...known }: Props) {
	const { scope } = known;
	const isLacking = useLacksProduct(scope, product);
	if (isLacking && !needsNoProduct) return <ProductMissingPage product={product ?? scope.service} />;
	return <AllowedService {...known} />;
}

function AllowedService({
	scope,
	permission,
	orOwn = false,
	children,
}: Omit<Props, "product" | "needsNoProduct">) {
	const isAllowed = (granted: ReadonlySet<string>) =>
		isGranted(granted, permission) || (orOwn && isGranted(granted, `${permission}_own`));

	const access = useQuery(serviceAccessQuery(usePlatform(), scope, permission));
	return (
		<Loaded query={access} isMain>
			{({ granted, outlet }) =>
				isAllowed(granted) ? children({ ...scope, outlet }, granted) : <UnauthorizedPage />
			}
		</Loaded>
	);
}
