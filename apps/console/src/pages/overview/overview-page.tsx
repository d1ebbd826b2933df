import { useMayDo, useProfile } from "@lango/client/react";
import { nameZone, useLanguage } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Card } from "../../frame/card.tsx";
import { Page } from "../../frame/page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../session/platform.ts";
import { useTenant, useZone } from "../../tenant/use-tenant.ts";
import { OutletsCard } from "./outlets-card.tsx";
import { subscriptionQuery } from "./overview.queries.ts";
import { PlanCard } from "./plan-card.tsx";
import { RecentCard } from "./recent-card.tsx";
import { useOverviewTexts } from "./texts.ts";
import { UsageCard } from "./usage-card.tsx";

const route = getRouteApi("/$orgSlug/");

/** `/{orgSlug}`: how a tenant stands: its plan and until when, what it has used, its outlets, and what was changed last. */
export function OverviewPage() {
	const { orgSlug } = route.useParams();
	const words = useOverviewTexts();
	const mayAudit = useMayDo("auth.users.change");
	const zone = { language: useLanguage(), timeZone: useZone() };
	return (
		<Page title={words.title} lead={words.lead(nameZone(zone))}>
			<div className="grid items-start gap-4 lg:gap-5 xl:grid-cols-[3fr_2fr]">
				<Standing orgSlug={orgSlug} />
				<div className="grid gap-4 lg:gap-5">
					<OutletsCard orgSlug={orgSlug} />
					{mayAudit && <RecentCard orgSlug={orgSlug} />}
				</div>
			</div>
		</Page>
	);
}

/** Plan and usage; the platform's owner has neither. */
function Standing({ orgSlug }: { orgSlug: string }) {
	const tenant = useTenant();
	const profile = useProfile();
	const words = useOverviewTexts();
	const isOwn = profile?.tenantSlug === orgSlug;
	if (isOwn && profile.isPlatformOwner)
		return (
			<Card title={words.ownerTitle}>
				<p>{words.ownerText}</p>
			</Card>
		);
	return <PlanAndUsage tenantId={tenant?.id} orgSlug={orgSlug} />;
}

function PlanAndUsage({ tenantId, orgSlug }: { tenantId: string | undefined; orgSlug: string }) {
	const subscription = useQuery(subscriptionQuery(usePlatform(), tenantId));
	const words = useOverviewTexts();
	return (
		<Loaded query={subscription}>
			{(found) =>
				found === null || tenantId === undefined ? (
					<Card title={words.plan}>
						<p className="text-quiet">{words.noPlan}</p>
					</Card>
				) : (
					<div className="grid gap-4 lg:gap-5">
						<PlanCard subscription={found} orgSlug={orgSlug} />
						<UsageCard tenantId={tenantId} />
					</div>
				)
			}
		</Loaded>
	);
}
