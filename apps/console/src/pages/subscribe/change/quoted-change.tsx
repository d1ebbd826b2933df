import { ClientError } from "@lango/client";
import type { SubscriptionBilling } from "@lango/contracts";
import { formatDay, useLanguage } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Page } from "../../../frame/page.tsx";
import { Fault } from "../../../notices/fault.tsx";
import { Loaded } from "../../../notices/loaded.tsx";
import { showToast } from "../../../notices/toast.ts";
import { usePlatform } from "../../../session/platform.ts";
import { useZone } from "../../../tenant/use-tenant.ts";
import { isGain } from "../offer.ts";
import { quoteQuery, subscriptionAddress } from "../subscribe.queries.ts";
import type { Desk } from "../use-subscription-desk.ts";
import { Back } from "./back.tsx";
import { ConfirmChange, type Taking } from "./confirm-change.tsx";
import { Difference } from "./difference.tsx";
import { useChangeTexts } from "./texts.ts";
import type { Wanted } from "./wanted.ts";

type Quoted = {
	wanted: Extract<Wanted, { kind: "change" }>;
	billing: SubscriptionBilling;
	desk: Desk;
	slug: string;
};
type Taken = {
	outcome: "payment_requested" | "changed" | "scheduled";
	operation_id: string | null;
};

/** A change of what is paid: what is gained and lost, what it costs, when, and doing it by the quote. */
export function QuotedChange({ wanted, billing, desk, slug }: Quoted) {
	const platform = usePlatform();
	const words = useChangeTexts();
	const quote = useQuery(quoteQuery(platform, desk.tenantId, wanted.body));
	const take = useTaking({ desk, slug, periodEndsAt: billing.period_ends_at });
	const titles = { plan: words.changeTitle, add: words.addTitle, drop: words.dropTitle };
	const maySchedule =
		!isGain(wanted.gain) && billing.cancelled_at === null && billing.period_ends_at !== null;
	if (quote.error !== null && quote.data === undefined)
		return (
			<Page title={titles[wanted.what](wanted.name)}>
				<Fault error={quote.error} own={words.refused} onAgain={quote.refetch} />
				<Back />
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
			<Back />
		</Page>
	);
}

/** Takes a quote. One that no longer holds is asked for anew, and shown before anything is done. */
function useTaking({ desk, slug, periodEndsAt }: { desk: Desk; slug: string; periodEndsAt: string | null }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const navigate = useNavigate();
	const words = useChangeTexts();
	const zone = { language: useLanguage(), timeZone: useZone() };
	return useMutation({
		mutationFn: ({ quote, mode, acknowledge }: Taking) =>
			platform.client.call<Taken>(subscriptionAddress(platform, desk.tenantId, "/change"), {
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
			await desk.renew();
		},
		onError: async (error) => {
			const isOld = error instanceof ClientError && error.code.startsWith("quote_");
			if (isOld) await queries.resetQueries({ queryKey: ["subscription", desk.tenantId, "quote"] });
		},
	});
}
