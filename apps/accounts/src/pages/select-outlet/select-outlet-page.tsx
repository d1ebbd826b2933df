import type { PublicOutlet } from "@lango/contracts";
import { ChoiceButtons, FormError } from "@lango/interface";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { explainRefusal } from "../../session/explain-refusal.ts";
import type { Me } from "../../session/me.ts";
import { findOfferedOutlets, selectOutlet } from "../../session/select-outlet.ts";
import { useSettings } from "../../settings.ts";
import { outletsQuery, tenantQuery } from "../../tenant/tenant.queries.ts";
import { useTexts } from "../../texts/texts.ts";
import { ErrorPage } from "../error-page.tsx";
import { GateFrame } from "../gate-frame.tsx";
import { NoticePage } from "../notice-page.tsx";
import { SignedInOnly } from "../signed-in-only.tsx";
import { lastOutletId, orderOutlets, rememberOutlet } from "./outlet-order.ts";

const route = getRouteApi("/$tenant/auth/select-outlet");

/**
 * `/{tenant}/auth/select-outlet`: selects the outlet of the session (§5.15). The one that the person selected
 * last in this browser is selected without a question, unless they came to change it.
 */
export function SelectOutletPage() {
	return <SignedInOnly>{(me) => <Outlets me={me} />}</SignedInOnly>;
}

function Outlets({ me }: { me: Me }) {
	const { authUrl } = useSettings();
	const { tenant: slug } = route.useParams();
	const texts = useTexts();
	const outlets = useQuery(outletsQuery(authUrl, slug));
	const tenant = useQuery(tenantQuery(authUrl, slug));
	const offer = useQuery(offerQuery(authUrl));
	const words = texts.selectOutlet;
	const failed = [outlets, offer].find(({ error }) => error !== null);

	if (failed !== undefined && failed.error !== null)
		return <ErrorPage failure={failed.error} onRetry={() => failed.refetch()} />;
	if (outlets.data === undefined || offer.data === undefined)
		return <NoticePage title={texts.opening.title} text={texts.profile.loading} gate="opening" />;
	const offered = orderOutlets(outlets.data, { ...offer.data, lastId: lastOutletId(me) });
	if (offered.length === 0)
		return <NoticePage title={words.title} text={words.none} advice={words.noneAdvice} />;
	const mayPreselect = offer.data.ids !== undefined;
	return (
		<Choice me={me} offered={offered} mayPreselect={mayPreselect} tenantName={tenant.data?.name ?? slug} />
	);
}

/**
 * Finds the outlets that may be selected, which the one-time token lists. Without a token in the session a
 * new one is requested.
 */
function offerQuery(authUrl: string) {
	return queryOptions({
		queryKey: ["outlet-offer", authUrl],
		queryFn: async () => ({ ids: await findOfferedOutlets(authUrl) }),
		staleTime: Number.POSITIVE_INFINITY,
		gcTime: 0,
		retry: false,
	});
}

type Choice = {
	me: Me;
	offered: PublicOutlet[];
	/** Whether an outlet may be selected automatically: only if the service lists it. */
	mayPreselect: boolean;
	tenantName: string;
};

function Choice({ me, offered, mayPreselect, tenantName }: Choice) {
	const texts = useTexts();
	const words = texts.selectOutlet;
	const choice = useChoice(me);
	const { changesOutlet = false } = useLocation().state;
	const lastId = lastOutletId(me);
	const { mutate, isIdle } = choice;
	const [first] = offered;
	const isKnown = offered.length === 1 || (first?.id === lastId && !changesOutlet);
	const preselected = mayPreselect && isKnown ? first?.id : undefined;
	const hasStarted = useRef(false);
	useEffect(() => {
		// Select an outlet automatically, but only once: it may be refused.
		if (preselected === undefined || !isIdle || hasStarted.current) return;
		hasStarted.current = true;
		mutate(preselected);
	}, [preselected, isIdle, mutate]);

	const explained = choice.error === null ? undefined : explainRefusal(choice.error, texts);
	return (
		<GateFrame title={words.title} gate={choice.isPending ? "opening" : "closed"} announce>
			<p className="mt-3 mb-7 text-quiet">{words.lead(tenantName)}</p>
			<FormError errors={explained === undefined ? [] : [explained]} reference={explained?.reference} />
			<ChoiceButtons
				choices={offered.map(({ id, name, use_case }) => ({ id, name, detail: texts.useCases[use_case] }))}
				search={words.search}
				notFound={words.notFound}
				lastId={lastId}
				last={words.last}
				chosenId={choice.isPending ? choice.variables : undefined}
				choosing={words.choosing}
				onChoose={mutate}
			/>
		</GateFrame>
	);
}

function useChoice(me: Me) {
	const { authUrl } = useSettings();
	const navigate = useNavigate();
	const queries = useQueryClient();
	return useMutation({
		mutationFn: async (outletId: string) => {
			await selectOutlet(authUrl, outletId);
			rememberOutlet(me, outletId);
		},
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["me"] });
			await navigate({ to: "/profile", replace: true });
		},
	});
}
