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
	children: (place: ServicePlace, rights: ReadonlySet<string>) => ReactNode;
};

/** Before a page about the roles of a service: whether there is such a service, the plan has it (§2.6), and the person may see them. */
export function ServiceGate({ service, slug, children }: Gate) {
	const { settings } = usePlatform();
	const isPlatform = useIsPlatform(slug);
	const known = servicesOf(settings).find((name) => name === service);
	if (known === undefined || isPlatform) return <UnknownPage />;
	return <KnownService place={{ service: known, slug }}>{children}</KnownService>;
}

function KnownService({ place, children }: { place: ServicePlace; children: Gate["children"] }) {
	if (useLacksProduct(place)) return <ProductMissingPage product={place.service} />;
	return <HadService place={place}>{children}</HadService>;
}

function HadService({ place, children }: { place: ServicePlace; children: Gate["children"] }) {
	const standing = useQuery(standingQuery(usePlatform(), place));
	return (
		<Loaded query={standing} isMain>
			{({ rights, outlet }) =>
				holds(rights, `${place.service}.roles.view`) ? (
					children({ ...place, outlet }, rights)
				) : (
					<UnauthorizedPage />
				)
			}
		</Loaded>
	);
}
