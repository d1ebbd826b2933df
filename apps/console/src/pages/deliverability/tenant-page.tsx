import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { BackLink } from "../../layout/back-link.tsx";
import { Detail, Details } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Card } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { tenantQuery } from "../../tenant/tenant.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { LimitsForm } from "../limits/limits-form.tsx";
import { DecisionButton } from "./decision-button.tsx";
import { type Reputation, reputationQuery, type TenantScope } from "./deliverability.queries.ts";
import { Rate, StateBadge } from "./deliverability-page.tsx";
import { useDeliverabilityTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/deliverability/$tenant");

/** `/{slug}/platform/deliverability/{tenant}`: a tenant's reputation and limits. */
export function TenantDeliverabilityPage() {
	const { slug, tenant } = route.useParams();
	const words = useDeliverabilityTexts();
	const named = useQuery(tenantQuery(usePlatform(), tenant));
	return (
		<ServiceGate service="notifications" slug={slug} permission="notifications.limits.view" isForPlatform>
			{({ service }) => (
				<>
					<BackLink to="/$slug/platform/deliverability" params={{ slug }}>
						{words.title}
					</BackLink>
					<Page title={named.data?.name ?? tenant} lead={words.oneLead}>
						<div className="grid items-start gap-5 xl:grid-cols-2">
							<ReputationCard scope={{ service, slug: tenant }} name={named.data?.name ?? tenant} />
							<Card title={words.limits}>
								<LimitsForm scope={{ service, slug: tenant }} mayRaise mayChange />
							</Card>
						</div>
					</Page>
				</>
			)}
		</ServiceGate>
	);
}

function ReputationCard({ scope, name }: { scope: TenantScope; name: string }) {
	const words = useDeliverabilityTexts();
	const query = useQuery(reputationQuery(usePlatform(), scope));
	const state = query.data?.state;
	return (
		<Card title={words.reputation} aside={state !== undefined && <StateBadge state={state} />}>
			<Loaded query={query} isMain>
				{(reputation) => (
					<div className="grid justify-items-start gap-5">
						<Facts reputation={reputation} />
						<DecisionButton
							key={reputation.state}
							scope={scope}
							name={name}
							verb={reputation.state === "paused" ? "resume" : "pause"}
						/>
					</div>
				)}
			</Loaded>
		</Card>
	);
}

function Facts({ reputation }: { reputation: Reputation }) {
	const words = useDeliverabilityTexts();
	const format = useFormat();
	const { sent, bounced, complained, bounce_rate, complaint_rate, since, cause, reason } = reputation;
	return (
		<div className="w-full">
			<Details>
				<Detail label={words.sent}>{format.number(sent)}</Detail>
				<Detail label={words.bounces}>
					{format.number(bounced)} (<Rate rate={bounce_rate} />)
				</Detail>
				<Detail label={words.complaints}>
					{format.number(complained)} (<Rate rate={complaint_rate} />)
				</Detail>
				<Detail label={words.since}>{since === null ? "–" : format.time(since)}</Detail>
				<Detail label={words.cause}>{cause === null ? "–" : words.causes[cause]}</Detail>
				{reason !== null && <Detail label={words.reason}>{reason}</Detail>}
			</Details>
		</div>
	);
}
