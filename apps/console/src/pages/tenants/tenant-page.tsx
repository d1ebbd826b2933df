import { useProfile } from "@lango/client/react";
import type { AdminTenant } from "@lango/contracts";
import { buttonLook } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { BackLink } from "../../layout/back-link.tsx";
import { Detail, Details } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Card } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { CreditCard } from "../credits/owner/credit-card.tsx";
import { ChangesSection } from "./changes-section.tsx";
import { SubscriptionCard } from "./subscription-card.tsx";
import { changeTenantStatus, oneTenantQuery, tenantsKey } from "./tenant.queries.ts";
import { TenantStatus } from "./tenant-status.tsx";
import { useTenantTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/tenants/$tenantId");

/**
 * `/{slug}/platform/tenants/{tenantId}`: a tenant and its subscription, with the actions of the platform
 * owner.
 */
export function TenantPage() {
	const { slug, tenantId } = route.useParams();
	const tenant = useQuery(oneTenantQuery(usePlatform(), tenantId));
	const words = useTenantTexts();
	const format = useFormat();
	const found = tenant.data;
	return (
		<>
			<BackLink to="/$slug/platform/tenants" params={{ slug }}>
				{words.title}
			</BackLink>
			<Page
				title={found === undefined ? words.one : found.name || found.slug}
				lead={words.oneLead(format.zoneName)}
				actions={found !== undefined && <Actions tenant={found} />}
			>
				<Loaded query={tenant} isMain>
					{(one) => <Tenant tenant={one} />}
				</Loaded>
			</Page>
		</>
	);
}

function Tenant({ tenant }: { tenant: AdminTenant }) {
	const isOwner = useProfile()?.tenantId === tenant.id;
	const words = useTenantTexts();
	return (
		<>
			<div className="grid items-start gap-5 xl:grid-cols-[2fr_3fr]">
				<div className="grid gap-5">
					<FactsCard tenant={tenant} />
					{!isOwner && tenant.status !== "deleted" && <CreditCard slug={tenant.slug} />}
				</div>
				{isOwner ? (
					<Card title={words.subscription}>
						<p>{words.isOwner}</p>
					</Card>
				) : (
					<SubscriptionCard tenantId={tenant.id} />
				)}
			</div>
			{!isOwner && <ChangesSection tenantId={tenant.id} />}
		</>
	);
}

function FactsCard({ tenant }: { tenant: AdminTenant }) {
	const words = useTenantTexts();
	const { useCases } = useTexts();
	const format = useFormat();
	const { status, use_case, org_size, join_policy, time_zone, currency } = tenant;
	return (
		<Card title={words.facts} aside={<TenantStatus status={status} />}>
			<Details>
				<Detail label={words.slug}>{tenant.slug}</Detail>
				<Detail label={words.id}>
					<span className="font-mono text-base">{tenant.id}</span>
				</Detail>
				<Detail label={words.useCase}>{use_case === null ? "–" : wordFor(useCases, use_case)}</Detail>
				<Detail label={words.size}>{org_size === null ? "–" : words.people(org_size)}</Detail>
				<Detail label={words.joining}>{wordFor(words.policies, join_policy)}</Detail>
				<Detail label={words.place}>
					{time_zone} · {currency}
				</Detail>
				<Detail label={words.since}>{format.time(tenant.created_at)}</Detail>
			</Details>
		</Card>
	);
}

/**
 * A link to the tenant's pages, and a button to suspend or reactivate it. The platform tenant cannot be
 * suspended.
 */
function Actions({ tenant }: { tenant: AdminTenant }) {
	const isOwner = useProfile()?.tenantId === tenant.id;
	const words = useTenantTexts();
	if (tenant.status === "deleted") return null;
	return (
		<div className="flex flex-wrap gap-3">
			{tenant.status === "active" && (
				<Link to="/$slug" params={{ slug: tenant.slug }} className={buttonLook("plain")}>
					{words.open}
				</Link>
			)}
			{!isOwner && (
				<StatusButton tenant={tenant} verb={tenant.status === "suspended" ? "resume" : "suspend"} />
			)}
		</div>
	);
}

function StatusButton({ tenant: { id, name }, verb }: { tenant: AdminTenant; verb: "suspend" | "resume" }) {
	const platform = usePlatform();
	const words = useTenantTexts();
	return (
		<ConfirmButton
			texts={words[verb]}
			isDestructive={verb === "suspend"}
			name={name}
			action={() => changeTenantStatus(platform, { id, verb })}
			invalidates={tenantsKey}
			messages={words.errors}
		/>
	);
}
