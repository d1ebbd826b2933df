import { useMayDo, useProfile } from "@lango/client/react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Page } from "../../layout/page.tsx";
import { Card } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { subscriptionQuery } from "../../subscription/subscription.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { OutletsCard } from "./outlets-card.tsx";
import { PlanCard } from "./plan-card.tsx";
import { RecentCard } from "./recent-card.tsx";
import { useOverviewTexts } from "./texts.ts";
import { UsageCard } from "./usage-card.tsx";

const route = getRouteApi("/$slug/");

/** `/{slug}`: a tenant's plan and its expiry, usage, outlets and recent changes. */
export function OverviewPage() {
	const { slug } = route.useParams();
	const words = useOverviewTexts();
	const mayAudit = useMayDo("auth.users.change");
	const format = useFormat();
	return (
		<Page title={words.title} lead={words.lead(format.zoneName)}>
			<div className="grid items-start gap-4 lg:gap-5 xl:grid-cols-[3fr_2fr]">
				<PlanOrOwner slug={slug} />
				<div className="grid gap-4 lg:gap-5">
					<OutletsCard slug={slug} />
					{mayAudit && <RecentCard slug={slug} />}
				</div>
			</div>
		</Page>
	);
}

/** Plan and usage. The platform owner has neither. */
function PlanOrOwner({ slug }: { slug: string }) {
	const tenant = useTenant();
	const profile = useProfile();
	const words = useOverviewTexts();
	const isOwn = profile?.tenantSlug === slug;
	if (isOwn && profile.isPlatformOwner)
		return (
			<Card title={words.ownerTitle}>
				<p>{words.ownerText}</p>
			</Card>
		);
	return <PlanAndUsage tenantId={tenant?.id} slug={slug} />;
}

function PlanAndUsage({ tenantId, slug }: { tenantId: string | undefined; slug: string }) {
	const subscription = useQuery(subscriptionQuery(usePlatform(), tenantId));
	const words = useOverviewTexts();
	return (
		<Loaded query={subscription} room="min-h-[48rem]">
			{(found) =>
				found === null || tenantId === undefined ? (
					<Card title={words.plan}>
						<p className="text-quiet">{words.noPlan}</p>
					</Card>
				) : (
					<div className="grid gap-4 lg:gap-5">
						<PlanCard subscription={found} slug={slug} />
						<UsageCard tenantId={tenantId} />
					</div>
				)
			}
		</Loaded>
	);
}
