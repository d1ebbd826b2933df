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

type Gate = {
	service: string;
	slug: string;
	/** The service's permission that the page needs. Default: `<service>.roles.view`. */
	right?: string;
	children: (place: ServiceScope, granted: ReadonlySet<string>) => ReactNode;
};

/** Checks before a page of a service: the service exists here, the plan includes it (§2.6), and the person holds the permission. */
export function ServiceGate({ service, slug, right = `${service}.roles.view`, children }: Gate) {
	const { settings } = usePlatform();
	const isPlatform = useIsPlatform(slug);
	const known = servicesOf(settings).find((name) => name === service);
	if (known === undefined || isPlatform) return <NotFoundPage />;
	return (
		<ExistingService place={{ service: known, slug }} right={right}>
			{children}
		</ExistingService>
	);
}

type Props = { place: ServiceScope; right: string; children: Gate["children"] };

function ExistingService(known: Props) {
	if (useLacksProduct(known.place)) return <ProductMissingPage product={known.place.service} />;
	return <AllowedService {...known} />;
}

function AllowedService({ place, right, children }: Props) {
	const standing = useQuery(serviceAccessQuery(usePlatform(), place, right));
	return (
		<Loaded query={standing} isMain>
			{({ granted, outlet }) =>
				isGranted(granted, right) ? children({ ...place, outlet }, granted) : <UnauthorizedPage />
			}
		</Loaded>
	);
}
