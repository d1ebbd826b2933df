import type { PublicOutlet } from "@lango/contracts";
import { FormError } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { post } from "../../session/ask.ts";
import { askSignedIn } from "../../session/ask-signed-in.ts";
import { explainRefusal } from "../../session/explain-refusal.ts";
import { holdTokens, takeExchangeToken } from "../../session/tokens.ts";
import { useSettings } from "../../settings.ts";
import { outletsQuery, tenantQuery } from "../../tenant/tenant.queries.ts";
import { useTexts } from "../../texts/texts.ts";
import { FaultPage } from "../fault-page.tsx";
import { GateFrame } from "../gate-frame.tsx";
import { NoticePage } from "../notice-page.tsx";
import { SignedInOnly } from "../signed-in-only.tsx";
import { lastOutletId, orderOutlets, rememberOutlet } from "./outlet-order.ts";

const route = getRouteApi("/$tenant/auth/select-outlet");

/** `/{tenant}/auth/select-outlet`: where somebody of several outlets says where they work (§5.15). */
export function SelectOutletPage() {
	return <SignedInOnly>{() => <Outlets />}</SignedInOnly>;
}

function Outlets() {
	const { authUrl } = useSettings();
	const { tenant: slug } = route.useParams();
	const texts = useTexts();
	const outlets = useQuery(outletsQuery(authUrl, slug));
	const tenant = useQuery(tenantQuery(authUrl, slug));
	const words = texts.selectOutlet;

	if (outlets.error !== null) return <FaultPage fault={outlets.error} onAgain={() => outlets.refetch()} />;
	if (outlets.data === undefined)
		return <NoticePage title={texts.callback.title} text={texts.profile.loading} gate="opening" />;
	const offered = orderOutlets(outlets.data, lastOutletId());
	if (offered.length === 0)
		return <NoticePage title={words.title} text={words.none} advice={words.noneAdvice} />;
	return <Choice offered={offered} tenantName={tenant.data?.name ?? slug} />;
}

function Choice({ offered, tenantName }: { offered: PublicOutlet[]; tenantName: string }) {
	const texts = useTexts();
	const words = texts.selectOutlet;
	const choice = useChoice();
	const { mutate, isIdle } = choice;
	const [only] = offered;
	const isSingle = offered.length === 1;
	const isBegun = useRef(false);
	useEffect(() => {
		// A single one is chosen by itself, once: when it is refused, the person decides.
		if (!isSingle || only === undefined || !isIdle || isBegun.current) return;
		isBegun.current = true;
		mutate(only.id);
	}, [isSingle, only, isIdle, mutate]);

	const explained = choice.error === null ? undefined : explainRefusal(choice.error, texts);
	return (
		<GateFrame title={words.title} gate={choice.isPending ? "opening" : "closed"} announce>
			<p className="mt-3 mb-7 text-quiet">{words.lead(tenantName)}</p>
			<FormError message={explained?.message} reference={explained?.reference} />
			<ul className="grid gap-3">
				{offered.map(({ id, name, use_case }) => (
					<li key={id}>
						<button
							type="button"
							disabled={choice.isPending}
							onClick={() => mutate(id)}
							className="flex min-h-16 w-full flex-wrap items-center justify-between gap-x-4 rounded-lg border border-edge bg-field px-4 py-3 text-left hover:border-link disabled:cursor-progress disabled:opacity-70"
						>
							<span>
								<span className="block text-lg font-semibold">{name}</span>
								<span className="block text-quiet">{texts.useCases[use_case]}</span>
							</span>
							<span className="text-quiet">
								{choice.isPending && choice.variables === id
									? words.choosing
									: id === lastOutletId() && words.last}
							</span>
						</button>
					</li>
				))}
			</ul>
		</GateFrame>
	);
}

function useChoice() {
	const { authUrl } = useSettings();
	const navigate = useNavigate();
	const queries = useQueryClient();
	return useMutation({
		mutationFn: async (outletId: string) => {
			const ssoExchangeToken = takeExchangeToken() ?? (await exchangeToken(authUrl));
			holdTokens(await post(`${authUrl}/api/v1/auth/select-outlet`, { ssoExchangeToken, outletId }));
			rememberOutlet(outletId);
		},
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["me"] });
			await navigate({ to: "/profile", replace: true });
		},
	});
}

/** For who changes the outlet later. */
async function exchangeToken(authUrl: string): Promise<string> {
	const answer = await askSignedIn(authUrl, "/api/v1/auth/outlet-exchange", { method: "POST" });
	return (answer as { ssoExchangeToken: string }).ssoExchangeToken;
}
