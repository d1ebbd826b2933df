import { judgeSubscription } from "@lango/client";
import { useClient, useClientState, useProfile } from "@lango/client/react";
import type { Subscription } from "@lango/contracts";
import { Button, formatDay, Notice, useLanguage } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { Card } from "../../frame/card.tsx";
import { Page } from "../../frame/page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../session/platform.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import { subscriptionQuery } from "../overview/overview.queries.ts";
import { AddOnList } from "./add-on-list.tsx";
import { useFollowSubscription } from "./follow-subscription.ts";
import { History } from "./history/history.tsx";
import { OwnPlan } from "./own-plan.tsx";
import { PaymentProgress } from "./payment/payment-progress.tsx";
import { PlanChoice } from "./plan-choice.tsx";
import { useSubscribeTexts } from "./texts.ts";
import { type Desk, useSubscriptionDesk } from "./use-subscription-desk.ts";

const route = getRouteApi("/$slug/subscribe");

/** `/{slug}/subscribe`: what the tenant has, what waits to be paid, what there is to choose from, and what was paid (§5.16). */
export function SubscribePage() {
	const { slug } = route.useParams();
	const profile = useProfile();
	const desk = useSubscriptionDesk();
	const words = useSubscribeTexts();
	const isOwner = profile?.isPlatformOwner === true && profile.tenantSlug === slug;
	return (
		<Page title={words.title} lead={words.lead}>
			{isOwner ? (
				<Card title={words.ownerTitle}>
					<p>{words.ownerText}</p>
				</Card>
			) : (
				desk && <TenantSubscription desk={desk} slug={slug} />
			)}
		</Page>
	);
}

function TenantSubscription({ desk, slug }: { desk: Desk; slug: string }) {
	const found = useQuery(subscriptionQuery(usePlatform(), desk.tenantId));
	useFollowSubscription(desk.tenantId, found.data);
	const words = useSubscribeTexts();
	return (
		<Loaded query={found} isMain>
			{(subscription) => (
				<>
					<div className="mb-6 grid gap-4 empty:hidden">
						{!desk.mayChange && <Notice kind="heed">{words.askAdministrator}</Notice>}
						<Standing subscription={subscription} desk={desk} slug={slug} />
						{desk.mayChange && <PaymentProgress desk={desk} slug={slug} subscription={subscription} />}
					</div>
					{subscription !== null && <OwnPlan subscription={subscription} desk={desk} />}
					<PlanChoice subscription={subscription} desk={desk} slug={slug} />
					<AddOnList subscription={subscription} desk={desk} slug={slug} />
					{desk.mayChange && subscription !== null && <History tenantId={desk.tenantId} />}
				</>
			)}
		</Loaded>
	);
}

/** For who comes here because the subscription is over, or there was none: what that means, and the way on. */
function Standing({
	subscription,
	desk,
	slug,
}: {
	subscription: Subscription | null;
	desk: Desk;
	slug: string;
}) {
	const client = useClient();
	const state = useClientState();
	const { history } = useRouter();
	const words = useSubscribeTexts();
	const zone = { language: useLanguage(), timeZone: useZone() };
	const verdict = judgeSubscription(
		subscription === null ? { kind: "none" } : { kind: "found", subscription },
	);
	if (verdict.go === "on") return null;
	const until = subscription?.access === "grace" ? subscription.grace_until : null;
	const isOwn = state.status === "ready" && state.profile.tenantId === desk.tenantId;
	const goOn = () => {
		client.continueUnsubscribed();
		history.push(`/${slug}`);
	};
	return (
		<Notice kind="heed">
			<p>
				{verdict.access === "none"
					? words.missing
					: until === null
						? words.expired
						: words.grace(formatDay(until, zone))}
			</p>
			{verdict.mayContinue && isOwn && (
				<Button className="mt-3" onClick={goOn}>
					{verdict.access === "grace" ? words.goOn : words.goOnReading}
				</Button>
			)}
		</Notice>
	);
}
