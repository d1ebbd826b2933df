import { Notice } from "@lango/interface";
import { useQueries } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Page } from "../../../layout/page.tsx";
import { ErrorNotice } from "../../../notices/error-notice.tsx";
import { usePlatform } from "../../../platform.ts";
import {
	addOnsQuery,
	billingQuery,
	plansQuery,
	subscriptionQuery,
	tenantAddOnsQuery,
} from "../../../subscription/subscription.queries.ts";
import { useSubscribeTexts } from "../../../subscription/texts.ts";
import {
	type SubscriptionContext,
	useSubscriptionContext,
} from "../../../subscription/use-subscription-context.ts";
import { useTexts } from "../../../texts/texts.ts";
import { BackToSubscription } from "./back-to-subscription.tsx";
import { PayForPlan } from "./pay-for-plan.tsx";
import { QuotedChange } from "./quoted-change.tsx";
import { readRequestedChange } from "./requested-change.ts";
import { useChangeTexts } from "./texts.ts";

const route = getRouteApi("/$slug/subscribe/change");

/**
 * `/{slug}/subscribe/change`: pays for a plan, changes it, or adds or removes an add-on, after showing cost
 * and effect.
 */
export function ChangePage() {
	const context = useSubscriptionContext();
	const { title, askAdministrator } = useSubscribeTexts();
	if (context === undefined) return null;
	if (context.mayChange) return <Change context={context} />;
	return (
		<Page title={title}>
			<Notice kind="warning">{askAdministrator}</Notice>
			<BackToSubscription />
		</Page>
	);
}

function Change({ context }: { context: SubscriptionContext }) {
	const { slug } = route.useParams();
	const search = route.useSearch();
	const platform = usePlatform();
	const texts = useTexts();
	const { title } = useSubscribeTexts();
	const words = useChangeTexts();
	const found = useQueries({
		queries: [
			subscriptionQuery(platform, context.tenantId),
			billingQuery(platform, context.tenantId),
			tenantAddOnsQuery(platform, context.tenantId),
			plansQuery(platform),
			addOnsQuery(platform),
		],
	});
	const [{ data: subscription }, { data: billing }, { data: ownAddOns }, { data: plans }, { data: addOns }] =
		found;
	const failed = found.find(({ error, data }) => error !== null && data === undefined);
	if (failed !== undefined)
		return (
			<Page title={title}>
				<ErrorNotice error={failed.error} messages={words.errors} onRetry={failed.refetch} />
			</Page>
		);
	if (subscription === undefined || billing === undefined || ownAddOns === undefined || !plans || !addOns)
		return (
			<p role="status" className="text-quiet">
				{texts.loading}
			</p>
		);
	const requested =
		billing && readRequestedChange(search, { subscription, plans, addOns, ownAddOns, ownPrice: billing });
	if (!requested)
		return (
			<Page title={words.nothing} lead={words.nothingText}>
				<BackToSubscription />
			</Page>
		);
	if (requested.kind === "pay")
		return (
			<PayForPlan key={requested.plan.code} plan={requested.plan} {...{ addOns, ownAddOns, context, slug }} />
		);
	return <QuotedChange key={requested.name} {...{ requested, billing, context, slug }} />;
}
