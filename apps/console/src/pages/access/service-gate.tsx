import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../session/platform.ts";
import { ProductMissingPage } from "../unauthorized/product-missing-page.tsx";
import { UnauthorizedPage } from "../unauthorized/unauthorized-page.tsx";
import { UnknownPage } from "../unknown/unknown-page.tsx";
import { holds, type ServicePlace, servicesOf, standingQuery } from "./access.queries.ts";
import { useIsPlatform } from "./use-is-platform.ts";
import { useLacksProduct } from "./use-lacks-product.ts";

type Gate = {
	service: string;
	slug: string;
	/** The service's permission that the page needs. Default: `<service>.roles.view`. */
	right?: string;
	children: (place: ServicePlace, rights: ReadonlySet<string>) => ReactNode;
};

/** Checks before a page of a service: the service exists here, the plan includes it (§2.6), and the person holds the permission. */
export function ServiceGate({ service, slug, right = `${service}.roles.view`, children }: Gate) {
	const { settings } = usePlatform();
	const isPlatform = useIsPlatform(slug);
	const known = servicesOf(settings).find((name) => name === service);
	if (known === undefined || isPlatform) return <UnknownPage />;
	return (
		<KnownService place={{ service: known, slug }} right={right}>
			{children}
		</KnownService>
	);
}

type Known = { place: ServicePlace; right: string; children: Gate["children"] };

function KnownService(known: Known) {
	if (useLacksProduct(known.place)) return <ProductMissingPage product={known.place.service} />;
	return <HadService {...known} />;
}

function HadService({ place, right, children }: Known) {
	const standing = useQuery(standingQuery(usePlatform(), place, right));
	return (
		<Loaded query={standing} isMain>
			{({ rights, outlet }) =>
				holds(rights, right) ? children({ ...place, outlet }, rights) : <UnauthorizedPage />
			}
		</Loaded>
	);
}
