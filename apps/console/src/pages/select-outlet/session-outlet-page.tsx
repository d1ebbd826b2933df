import { useClient, useClientState } from "@lango/client/react";
import type { PublicOutlet } from "@lango/contracts";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { PlainPage } from "../../layout/plain-page.tsx";
import { ErrorNotice } from "../../notices/error-notice.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { outletsQuery } from "../../tenant/tenant.queries.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { OutletList } from "./outlet-list.tsx";
import { lastFirst, offeredOf } from "./outlet-offer.ts";
import { useSelectOutletTexts } from "./texts.ts";

const route = getRouteApi("/$slug/auth/select-outlet");

/** `/{slug}/auth/select-outlet`: selects the outlet of the session for a user with several (§5.15). */
export function SessionOutletPage() {
	const { slug } = route.useParams();
	const outlets = useQuery(outletsQuery(usePlatform(), slug));
	const state = useClientState();
	const offeredIds = state.status === "choosing_outlet" ? state.outletIds : undefined;
	const tenant = useTenant();
	const words = useSelectOutletTexts();
	return (
		<PlainPage title={words.title} advice={words.lead(tenant?.name ?? slug)}>
			<Loaded query={outlets}>
				{(all) => (
					<Choice slug={slug} outlets={offeredOf(all, offeredIds)} maySettle={offeredIds !== undefined} />
				)}
			</Loaded>
		</PlainPage>
	);
}

type Choice = {
	slug: string;
	outlets: readonly PublicOutlet[];
	/** Whether a single outlet is selected automatically: only if the sign-on service listed it. */
	maySettle: boolean;
};

function Choice({ slug, outlets, maySettle }: Choice) {
	const client = useClient();
	const words = useSelectOutletTexts();
	const lastIds = client.lastUsedOutletIds(slug);
	const choice = useMutation({ mutationFn: (outletId: string) => client.selectOutlet(outletId) });
	useSingle(maySettle ? outlets : [], choice.mutate);
	if (outlets.length === 0)
		return (
			<p>
				{words.none} {words.noneAdvice}
			</p>
		);
	return (
		<>
			<ErrorNotice error={choice.error} messages={words.errors} />
			<OutletList
				outlets={lastFirst(outlets, lastIds)}
				hasAll={false}
				lastId={lastIds[0]}
				chosenId={choice.isPending ? choice.variables : undefined}
				onChoose={choice.mutate}
			/>
		</>
	);
}

/** Selects a single outlet automatically, once. If it is refused, the user decides. */
function useSingle(outlets: readonly PublicOutlet[], choose: (outletId: string) => void): void {
	const isBegun = useRef(false);
	const only = outlets.length === 1 ? outlets[0] : undefined;
	useEffect(() => {
		if (only === undefined || isBegun.current) return;
		isBegun.current = true;
		choose(only.id);
	}, [only, choose]);
}
