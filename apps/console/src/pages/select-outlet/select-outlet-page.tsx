import { isInScope } from "@lango/client";
import { useClient, useClientState } from "@lango/client/react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { PlainPage } from "../../layout/plain-page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { readNext } from "../../session/next-path.ts";
import { outletsQuery } from "../../tenant/tenant.queries.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { OutletList } from "./outlet-list.tsx";
import { lastFirst } from "./outlet-offer.ts";
import { useSelectOutletTexts } from "./texts.ts";

const route = getRouteApi("/$slug/select-outlet");

/**
 * `/{slug}/select-outlet`: selects the outlet of these pages for a user who is not bound to one. Kept for
 * the tab and sent as X-Outlet-ID.
 */
export function SelectOutletPage() {
	const { slug } = route.useParams();
	const { next } = route.useSearch();
	const client = useClient();
	const { history } = useRouter();
	const state = useClientState();
	const scope = state.status === "ready" ? state.outletScope : undefined;
	const outlets = useQuery(outletsQuery(usePlatform(), slug));
	const tenant = useTenant();
	const words = useSelectOutletTexts();
	const lastIds = client.lastUsedOutletIds(slug);
	const choose = (outletId: string) => {
		client.chooseOutlet(outletId);
		history.replace(readNext(next) ?? `/${slug}`);
	};
	return (
		<PlainPage title={words.title} advice={words.lead(tenant?.name ?? slug)}>
			<Loaded query={outlets}>
				{(all) => (
					<OutletList
						outlets={lastFirst(
							all.filter(({ id }) => scope === undefined || isInScope(scope, id)),
							lastIds,
						)}
						hasAll={scope?.kind === "all"}
						lastId={lastIds[0]}
						chosenId={undefined}
						onChoose={choose}
					/>
				)}
			</Loaded>
		</PlainPage>
	);
}
