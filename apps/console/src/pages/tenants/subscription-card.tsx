import type { Subscription } from "@lango/contracts";
import { buttonLook, TextAreaField, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { FormButton } from "../../dialogs/form-button.tsx";
import { textOf } from "../../forms/form-data.ts";
import { useGrantKeys } from "../../forms/grant-keys.ts";
import { Detail, Details } from "../../layout/details.tsx";
import { Card } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { useReload } from "../../notices/use-reload.ts";
import { usePlatform } from "../../platform.ts";
import { PlanHeading } from "../../subscription/plan-heading.tsx";
import { subscriptionQuery } from "../../subscription/subscription.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useSlug } from "../../tenant/use-tenant.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { useOverviewTexts } from "../overview/texts.ts";
import { checkGrant } from "./check-grant.ts";
import {
	grantTime,
	type Overrides,
	overridesKey,
	overridesQuery,
	removeOverrides,
} from "./tenant.queries.ts";
import { useTenantTexts } from "./texts.ts";

/** A tenant's subscription and overrides, with the actions of the platform owner. */
export function SubscriptionCard({ tenantId }: { tenantId: string }) {
	const subscription = useQuery(subscriptionQuery(usePlatform(), tenantId));
	const words = useTenantTexts();
	return (
		<Card title={words.subscription}>
			<Loaded query={subscription}>
				{(found) =>
					found === null ? (
						<p className="text-quiet">{words.noSubscription}</p>
					) : (
						<SubscriptionDetails subscription={found} />
					)
				}
			</Loaded>
		</Card>
	);
}

function SubscriptionDetails({ subscription }: { subscription: Subscription }) {
	const words = useTenantTexts();
	const texts = useTexts();
	const overview = useOverviewTexts();
	const format = useFormat();
	const { tenant_id: id, status, features, limits, products, expires_at, grace_until, access } = subscription;
	return (
		<>
			<PlanHeading subscription={subscription} />
			<Details>
				<Detail label={status === "EXPIRED" ? overview.ended : overview.until}>
					{format.time(expires_at)}
				</Detail>
				{access === "grace" && grace_until !== null && (
					<Detail label={overview.readUntil}>{format.time(grace_until)}</Detail>
				)}
				<Detail label={overview.products}>
					{products.map((code) => wordFor(texts.products, code)).join(", ")}
				</Detail>
				<Detail label={overview.features}>
					{features.map((code) => wordFor(texts.features, code)).join(", ") || overview.noFeatures}
				</Detail>
				<Detail label={words.limits}>
					{Object.entries(limits)
						.map(([code, limit]) => {
							const most = format.limit(limit);
							return `${wordFor(texts.limits, code)}: ${most}`;
						})
						.join(" · ") || "–"}
				</Detail>
			</Details>
			<OverridesPart tenantId={id} />
		</>
	);
}

/** The overrides of the tenant's plan. */
function OverridesPart({ tenantId }: { tenantId: string }) {
	const slug = useSlug();
	const overrides = useQuery(overridesQuery(usePlatform(), tenantId));
	const words = useTenantTexts();
	return (
		<div className="mt-6 border-t border-hair pt-4">
			<h3 className="mb-1 font-semibold">{words.overrides}</h3>
			<Loaded query={overrides}>
				{(set) => {
					const isAny = set !== null && countOf(set) > 0;
					return (
						<>
							<p className="text-quiet">{isAny ? words.overridesCount(countOf(set)) : words.noOverrides}</p>
							{isAny && <OverrideList set={set} />}
							<div className="mt-4 flex flex-wrap gap-3">
								<Link
									to="/$slug/platform/tenants/$tenantId/entitlements"
									params={{ slug, tenantId }}
									className={buttonLook("plain")}
								>
									{words.setOverrides}
								</Link>
								{isAny && <BackToPlan tenantId={tenantId} />}
								<Grant tenantId={tenantId} />
							</div>
						</>
					);
				}}
			</Loaded>
		</div>
	);
}

const countOf = ({ features, limits, products }: Overrides) =>
	Object.keys(features).length + Object.keys(limits).length + products.length;

function OverrideList({ set: { features, limits, products } }: { set: Overrides }) {
	const words = useTenantTexts();
	const texts = useTexts();
	const format = useFormat();
	const lines = [
		...Object.entries(features).map(
			([code, isOn]) => `${wordFor(texts.features, code)}: ${isOn ? words.on : words.off}`,
		),
		...Object.entries(limits).map(
			([code, limit]) => `${wordFor(texts.limits, code)}: ${format.limit(limit)}`,
		),
		...products.map((code) => `${wordFor(texts.products, code)}: ${words.further}`),
	];
	return (
		<ul className="mt-2 list-disc pl-5">
			{lines.map((line) => (
				<li key={line}>{line}</li>
			))}
		</ul>
	);
}

/** Reloads everything about the tenant's subscription. */
const useReloadSubscription = (tenantId: string) =>
	useReload(["subscription", tenantId], overridesKey(tenantId), ["subscription-changes", tenantId]);

function BackToPlan({ tenantId }: { tenantId: string }) {
	const platform = usePlatform();
	const reload = useReloadSubscription(tenantId);
	const words = useTenantTexts();
	return (
		<ConfirmButton
			texts={words.removeOverrides}
			isDestructive
			action={() => removeOverrides(platform, tenantId)}
			onDone={() => reload(words.overridesRemoved)}
		/>
	);
}

function Grant({ tenantId }: { tenantId: string }) {
	const platform = usePlatform();
	const reload = useReloadSubscription(tenantId);
	const words = useTenantTexts();
	const keys = useGrantKeys("an extension");
	return (
		<FormButton
			label={words.grant}
			lead={words.grantLead}
			confirm={words.grantSubmit}
			busyText={words.granting}
			fieldMessages={words.fieldErrors}
			check={(entered) => checkGrant(textOf(entered, "days"), textOf(entered, "because"), words.fieldErrors)}
			action={(entered) =>
				grantTime(platform, {
					id: tenantId,
					days: Number(textOf(entered, "days")),
					because: textOf(entered, "because"),
					idempotencyKey: keys.keyFor(`${textOf(entered, "days")} ${textOf(entered, "because")}`),
				})
			}
			onDone={() => {
				keys.forget();
				return reload(words.granted);
			}}
		>
			{(field) => (
				<>
					<TextField
						{...field("days")}
						label={words.days}
						hint={words.daysHint}
						inputMode="numeric"
						maxLength={3}
					/>
					<TextAreaField
						{...field("because")}
						label={words.because}
						hint={words.becauseHint}
						maxLength={500}
						isProse
					/>
				</>
			)}
		</FormButton>
	);
}
