import { ClientError } from "@lango/client";
import type { SubscriptionBilling } from "@lango/contracts";
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
import { useFormat } from "../../../tenant/use-format.ts";
import { BackToSubscription } from "./back-to-subscription.tsx";
import { type AcceptedQuote, ConfirmChange } from "./confirm-change.tsx";
import { Difference } from "./difference.tsx";
import type { RequestedChange } from "./requested-change.ts";
import { useChangeTexts } from "./texts.ts";

type Quoted = {
	requested: Extract<RequestedChange, { kind: "change" }>;
	billing: SubscriptionBilling;
	context: SubscriptionContext;
	slug: string;
};
type Outcome = {
	outcome: "payment_requested" | "changed" | "scheduled";
	operation_id: string | null;
};

/** A change of a paid subscription: effect, cost and time, confirmed with a quote. */
export function QuotedChange({ requested, billing, context, slug }: Quoted) {
	const platform = usePlatform();
	const words = useChangeTexts();
	const quote = useQuery(quoteQuery(platform, context.tenantId, requested.body));
	const accept = useAcceptQuote({ context, slug, periodEndsAt: billing.period_ends_at });
	const titles = { plan: words.changeTitle, add: words.addTitle, drop: words.dropTitle };
	const maySchedule =
		!isGain(requested.gain) && billing.cancelled_at === null && billing.period_ends_at !== null;
	if (quote.error !== null && quote.data === undefined)
		return (
			<Page title={titles[requested.what](requested.name)}>
				<ErrorNotice error={quote.error} messages={words.errors} onRetry={quote.refetch} />
				<BackToSubscription />
			</Page>
		);
	return (
		<Page title={titles[requested.what](requested.name)} lead={words.changeLead}>
			<Loaded query={quote}>
				{(found) => (
					<div className="grid items-start gap-4 lg:grid-cols-2 lg:gap-5">
						<Difference gain={requested.gain} quote={found} />
						<ConfirmChange
							key={found.quote_id}
							quote={found}
							requested={requested}
							scheduledFor={maySchedule ? billing.period_ends_at : null}
							isPart={requested.price.interval === billing.interval}
							accept={accept}
						/>
					</div>
				)}
			</Loaded>
			<BackToSubscription />
		</Page>
	);
}

/** Accepts a quote. An expired or outdated one is replaced and shown before anything changes. */
function useAcceptQuote({
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
	const format = useFormat();
	return useMutation({
		mutationFn: ({ quote, mode, acknowledge }: AcceptedQuote) =>
			platform.client.call<Outcome>(subscriptionAddress(platform, context.tenantId, "/change"), {
				method: "POST",
				body: { quote_id: quote.quote_id, mode, acknowledge },
			}),
		onSuccess: async ({ outcome, operation_id }) => {
			const payment = outcome === "payment_requested" ? (operation_id ?? undefined) : undefined;
			await navigate({
				to: "/$slug/subscribe",
				params: { slug },
				search: payment === undefined ? {} : { payment },
			});
			if (outcome === "scheduled" && periodEndsAt !== null)
				showToast("done", words.scheduled(format.day(periodEndsAt)));
			if (outcome === "changed") showToast("done", words.changed);
			await context.renew();
		},
		onError: async (error) => {
			const isOld = error instanceof ClientError && error.code.startsWith("quote_");
			if (isOld) await queries.resetQueries({ queryKey: ["subscription", context.tenantId, "quote"] });
		},
	});
}
