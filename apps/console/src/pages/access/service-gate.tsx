import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../session/platform.ts";
import { UnauthorizedPage } from "../unauthorized/unauthorized-page.tsx";
import { UnknownPage } from "../unknown/unknown-page.tsx";
import { holds, rightsQuery, type ServicePlace, servicesOf } from "./access.queries.ts";
import { useIsPlatform } from "./use-is-platform.ts";

type Gate = {
	service: string;
	slug: string;
	children: (place: ServicePlace, rights: ReadonlySet<string>) => ReactNode;
};

/** Before a page about the roles of a service: whether there is such a service, and whether the person may see them. */
export function ServiceGate({ service, slug, children }: Gate) {
	const { settings } = usePlatform();
	const isPlatform = useIsPlatform(slug);
	const known = servicesOf(settings).find((name) => name === service);
	if (known === undefined || isPlatform) return <UnknownPage />;
	return <KnownService place={{ service: known, slug }}>{children}</KnownService>;
}

function KnownService({ place, children }: { place: ServicePlace; children: Gate["children"] }) {
	const rights = useQuery(rightsQuery(usePlatform(), place));
	return (
		<Loaded query={rights} isMain>
			{(held) => (holds(held, `${place.service}.roles.view`) ? children(place, held) : <UnauthorizedPage />)}
		</Loaded>
	);
}
