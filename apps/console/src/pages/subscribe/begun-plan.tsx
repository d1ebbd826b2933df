import { useProfile } from "@lango/client/react";
import type { Plan, Subscription } from "@lango/contracts";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { usePlatform } from "../../platform.ts";
import { readNext } from "../../session/next-path.ts";
import { plansQuery, subscriptionAddress } from "../../subscription/subscription.queries.ts";
import { useSubscribeTexts } from "../../subscription/texts.ts";
import type { SubscriptionContext } from "../../subscription/use-subscription-context.ts";

const route = getRouteApi("/$slug/subscribe");

type BegunPlan = { subscription: Subscription | null; context: SubscriptionContext; children: ReactNode };

/**
 * Begins the free trial of the plan that the person chose when they registered, and opens the page that they
 * wanted. If it cannot be begun, they choose on this page, where the plan comes first.
 */
export function BegunPlan({ subscription, context, children }: BegunPlan) {
	const words = useSubscribeTexts();
	const plan = useChosenPlan(subscription, context);
	const { mutate, isIdle, isError } = useBeginning(context);
	useEffect(() => {
		if (plan !== undefined && isIdle) mutate(plan);
	}, [plan, isIdle, mutate]);
	if (plan === undefined || isError) return children;
	return (
		<p role="status" className="text-quiet">
			{words.beginning}
		</p>
	);
}

/** The plan chosen at the registration, if it has a trial and this is the person's first organisation. */
function useChosenPlan(subscription: Subscription | null, context: SubscriptionContext): Plan | undefined {
	const profile = useProfile();
	const isFirst = profile?.memberships.length === 1 && profile.tenantId === context.tenantId;
	const mayBegin = subscription === null && context.mayChange && isFirst;
	const chosen = mayBegin ? profile.selectedPlan : undefined;
	const plans = useQuery({ ...plansQuery(usePlatform()), enabled: chosen !== undefined });
	return plans.data?.find(({ code, trial_days }) => code === chosen && trial_days > 0);
}

function useBeginning(context: SubscriptionContext) {
	const platform = usePlatform();
	const { slug } = route.useParams();
	const { next } = route.useSearch();
	const { history } = useRouter();
	const address = subscriptionAddress(platform, context.tenantId);
	return useMutation({
		mutationFn: ({ code }: Plan) => platform.client.call(address, { method: "POST", body: { plan: code } }),
		onSuccess: async () => {
			await context.renew();
			history.replace(readNext(next) ?? `/${slug}`);
		},
	});
}
