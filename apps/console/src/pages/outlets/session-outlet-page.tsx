import { useClient } from "@lango/client/react";
import type { PublicOutlet } from "@lango/contracts";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { PlainPage } from "../../frame/plain-page.tsx";
import { Fault } from "../../notices/fault.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../session/platform.ts";
import { outletsQuery } from "../../tenant/tenant.queries.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { lastFirst, lastOutletId, rememberOutlet } from "./last-outlet.ts";
import { OutletList } from "./outlet-list.tsx";
import { useOutletTexts } from "./texts.ts";

const route = getRouteApi("/$slug/auth/select-outlet");

/** `/{slug}/auth/select-outlet`: where somebody of several outlets says where this session works (§5.15). */
export function SessionOutletPage() {
	const { slug } = route.useParams();
	const outlets = useQuery(outletsQuery(usePlatform(), slug));
	const tenant = useTenant();
	const words = useOutletTexts();
	return (
		<PlainPage title={words.title} advice={words.lead(tenant?.name ?? slug)}>
			<Loaded query={outlets}>{(all) => <Choice outlets={all.filter(isOffered)} />}</Loaded>
		</PlainPage>
	);
}

/** Staff work at open outlets; headquarters is for who sees all of them. */
const isOffered = ({ status, is_hq }: PublicOutlet) => status === "active" && !is_hq;

function Choice({ outlets }: { outlets: readonly PublicOutlet[] }) {
	const client = useClient();
	const words = useOutletTexts();
	const lastId = lastOutletId();
	const choice = useMutation({
		mutationFn: async (outletId: string) => {
			await client.selectOutlet(outletId);
			rememberOutlet(outletId);
		},
	});
	useSingle(outlets, choice.mutate);
	if (outlets.length === 0)
		return (
			<p>
				{words.none} {words.noneAdvice}
			</p>
		);
	return (
		<>
			<Fault error={choice.error} own={words.refused} />
			<OutletList
				outlets={lastFirst(outlets, lastId)}
				hasAll={false}
				lastId={lastId}
				chosenId={choice.isPending ? choice.variables : undefined}
				onChoose={choice.mutate}
			/>
		</>
	);
}

/** A single one is chosen by itself, once: when it is refused, the person decides. */
function useSingle(outlets: readonly PublicOutlet[], choose: (outletId: string) => void): void {
	const isBegun = useRef(false);
	const only = outlets.length === 1 ? outlets[0] : undefined;
	useEffect(() => {
		if (only === undefined || isBegun.current) return;
		isBegun.current = true;
		choose(only.id);
	}, [only, choose]);
}
