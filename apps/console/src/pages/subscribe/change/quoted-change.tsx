import { ClientError } from "@lango/client";
import type { SubscriptionBilling } from "@lango/contracts";
import { formatDay, useLanguage } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Page } from "../../../layout/page.tsx";
import { ErrorNotice } from "../../../notices/error-notice.tsx";
import { Loaded } from "../../../notices/loaded.tsx";
import { showToast } from "../../../notices/toast.ts";
import { usePlatform } from "../../../platform.ts";
import { isGain } from "../../../subscription/offer.ts";
import { quoteQuery, subscriptionAddress } from "../../../subscription/subscription.queries.ts";
import type { SubscriptionContext } from "../../../subscription/use-subscription-context.ts";
import { useZone } from "../../../tenant/use-tenant.ts";
import { BackToSubscription } from "./back-to-subscription.tsx";
import { ConfirmChange, type Taking } from "./confirm-change.tsx";
import { Difference } from "./difference.tsx";
import type { RequestedChange } from "./requested-change.ts";
import { useChangeTexts } from "./texts.ts";

type Quoted = {
	wanted: Extract<RequestedChange, { kind: "change" }>;
	billing: SubscriptionBilling;
	context: SubscriptionContext;
	slug: string;
};
type Taken = {
	outcome: "payment_requested" | "changed" | "scheduled";
	operation_id: string | null;
};

/** A change of what is paid: what is gained and lost, what it costs, when, and doing it by the quote. */
export function QuotedChange({ wanted, billing, context, slug }: Quoted) {
	const platform = usePlatform();
	const words = useChangeTexts();
	const quote = useQuery(quoteQuery(platform, context.tenantId, wanted.body));
	const take = useTaking({ context, slug, periodEndsAt: billing.period_ends_at });
	const titles = { plan: words.changeTitle, add: words.addTitle, drop: words.dropTitle };
	const maySchedule =
		!isGain(wanted.gain) && billing.cancelled_at === null && billing.period_ends_at !== null;
	if (quote.error !== null && quote.data === undefined)
		return (
			<Page title={titles[wanted.what](wanted.name)}>
				<ErrorNotice error={quote.error} messages={words.refused} onRetry={quote.refetch} />
				<BackToSubscription />
			</Page>
		);
	return (
		<Page title={titles[wanted.what](wanted.name)} lead={words.changeLead}>
			<Loaded query={quote}>
				{(found) => (
					<div className="grid items-start gap-4 lg:grid-cols-2 lg:gap-5">
						<Difference gain={wanted.gain} quote={found} />
						<ConfirmChange
							key={found.quote_id}
							quote={found}
							wanted={wanted}
							scheduledFor={maySchedule ? billing.period_ends_at : null}
							isPart={wanted.price.interval === billing.interval}
							take={take}
						/>
					</div>
				)}
			</Loaded>
			<BackToSubscription />
		</Page>
	);
}

/** Takes a quote. One that no longer holds is asked for anew, and shown before anything is done. */
function useTaking({
	context,
	slug,
	periodEndsAt,
}: {
	context: SubscriptionContext;
	slug: string;
	periodEndsAt: string | null;
}) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const navigate = useNavigate();
	const words = useChangeTexts();
	const zone = { language: useLanguage(), timeZone: useZone() };
	return useMutation({
		mutationFn: ({ quote, mode, acknowledge }: Taking) =>
			platform.client.call<Taken>(subscriptionAddress(platform, context.tenantId, "/change"), {
				method: "POST",
				body: { quote_id: quote.quote_id, mode, acknowledge },
			}),
		onSuccess: async ({ outcome, operation_id }) => {
			if (outcome === "scheduled" && periodEndsAt !== null)
				showToast("done", words.scheduled(formatDay(periodEndsAt, zone)));
			if (outcome === "changed") showToast("done", words.changed);
			const payment = outcome === "payment_requested" ? (operation_id ?? undefined) : undefined;
			await navigate({
				to: "/$slug/subscribe",
				params: { slug },
				search: payment === undefined ? {} : { payment },
			});
			await context.renew();
		},
		onError: async (error) => {
			const isOld = error instanceof ClientError && error.code.startsWith("quote_");
			if (isOld) await queries.resetQueries({ queryKey: ["subscription", context.tenantId, "quote"] });
		},
	});
}
