import { judgeSubscription } from "@lango/client";
import { useClient, useClientState, useProfile } from "@lango/client/react";
import type { Subscription } from "@lango/contracts";
import { Button, Notice } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { Page } from "../../layout/page.tsx";
import { Card } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { readNext } from "../../session/next-path.ts";
import { subscriptionQuery } from "../../subscription/subscription.queries.ts";
import { useSubscribeTexts } from "../../subscription/texts.ts";
import {
	type SubscriptionContext,
	useSubscriptionContext,
} from "../../subscription/use-subscription-context.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { AddOnList } from "./add-on-list.tsx";
import { BegunPlan } from "./begun-plan.tsx";
import { useFollowSubscription } from "./follow-subscription.ts";
import { History } from "./history/history.tsx";
import { OwnPlan } from "./own-plan.tsx";
import { PaymentProgress } from "./payment/payment-progress.tsx";
import { PlanChoice } from "./plan-choice.tsx";

const route = getRouteApi("/$slug/subscribe");

/**
 * `/{slug}/subscribe`: the subscription, an open payment, the plans and add-ons, and the payments (§5.16).
 */
export function SubscribePage() {
	const { slug } = route.useParams();
	const profile = useProfile();
	const context = useSubscriptionContext();
	const words = useSubscribeTexts();
	const isOwner = profile?.isPlatformOwner === true && profile.tenantSlug === slug;
	return (
		<Page title={words.title} lead={words.lead}>
			{isOwner ? (
				<Card title={words.ownerTitle}>
					<p>{words.ownerText}</p>
				</Card>
			) : (
				context && <TenantSubscription context={context} slug={slug} />
			)}
		</Page>
	);
}

function TenantSubscription({ context, slug }: { context: SubscriptionContext; slug: string }) {
	const found = useQuery(subscriptionQuery(usePlatform(), context.tenantId));
	useFollowSubscription(context.tenantId, found.data);
	const words = useSubscribeTexts();
	return (
		<Loaded query={found} isMain>
			{(subscription) => (
				<BegunPlan subscription={subscription} context={context}>
					<div className="mb-6 grid gap-4 empty:hidden">
						{!context.mayChange && <Notice kind="warning">{words.askAdministrator}</Notice>}
						<StatusNotice subscription={subscription} context={context} slug={slug} />
						{context.mayChange && (
							<PaymentProgress context={context} slug={slug} subscription={subscription} />
						)}
					</div>
					{subscription !== null && <OwnPlan subscription={subscription} context={context} />}
					<PlanChoice subscription={subscription} context={context} slug={slug} />
					<AddOnList subscription={subscription} context={context} slug={slug} />
					{context.mayChange && subscription !== null && <History tenantId={context.tenantId} />}
				</BegunPlan>
			)}
		</Loaded>
	);
}

/** Explains an expired or missing subscription, and lets the user continue where that is allowed. */
function StatusNotice({
	subscription,
	context,
	slug,
}: {
	subscription: Subscription | null;
	context: SubscriptionContext;
	slug: string;
}) {
	const client = useClient();
	const state = useClientState();
	const { history } = useRouter();
	const { next } = route.useSearch();
	const words = useSubscribeTexts();
	const format = useFormat();
	const verdict = judgeSubscription(
		subscription === null ? { kind: "none" } : { kind: "found", subscription },
	);
	if (verdict.go === "on") return null;
	const until = subscription?.access === "grace" ? subscription.grace_until : null;
	const isOwn = state.status === "ready" && state.profile.tenantId === context.tenantId;
	const continueUnsubscribed = () => {
		client.continueUnsubscribed();
		history.push(readNext(next) ?? `/${slug}`);
	};
	return (
		<Notice kind="warning">
			<p>
				{verdict.access === "none"
					? words.missing
					: until === null
						? words.expired
						: words.grace(format.day(until))}
			</p>
			{verdict.mayContinue && isOwn && (
				<Button className="mt-3" onClick={continueUnsubscribed}>
					{verdict.access === "grace" ? words.continue : words.continueReadOnly}
				</Button>
			)}
		</Notice>
	);
}
