import type { Subscription, SubscriptionStatus } from "@lango/contracts";
import { formatDay, useLanguage } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Badge } from "../../layout/badge.tsx";
import { Card } from "../../layout/card.tsx";
import { usePlanName } from "../../subscription/use-plan-name.ts";
import { daysUntil } from "../../tenant/days-until.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { useOverviewTexts } from "./texts.ts";

const kinds: Readonly<Record<SubscriptionStatus, "done" | "heed" | "fault">> = {
	TRIAL: "done",
	ACTIVE: "done",
	PAST_DUE: "heed",
	EXPIRED: "fault",
};

/** The current plan: status, expiry and content. */
export function PlanCard({ subscription, slug }: { subscription: Subscription; slug: string }) {
	const words = useOverviewTexts();
	const texts = useTexts();
	const nameOf = usePlanName();
	const { plan, status, features, products, pending_change } = subscription;
	return (
		<Card
			title={words.plan}
			aside={
				<Link
					to="/$slug/subscribe"
					params={{ slug }}
					className="font-semibold text-link underline decoration-1 underline-offset-4 hover:decoration-2"
				>
					{words.plans}
				</Link>
			}
		>
			<p className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1">
				<span className="font-display text-3xl leading-none">{nameOf(plan)}</span>
				<Badge kind={kinds[status]}>{words.statuses[status]}</Badge>
				{pending_change !== null && <Badge kind="heed">{words.pending(nameOf(pending_change.plan))}</Badge>}
			</p>
			<dl className="grid gap-3">
				<Until subscription={subscription} />
				<Detail word={words.products}>
					{products.map((code) => wordFor(texts.products, code)).join(", ")}
				</Detail>
				<Detail word={words.features}>
					{features.map((code) => wordFor(texts.features, code)).join(", ") || words.noFeatures}
				</Detail>
			</dl>
		</Card>
	);
}

function Until({ subscription }: { subscription: Subscription }) {
	const words = useOverviewTexts();
	const zone = { language: useLanguage(), timeZone: useZone() };
	const { expires_at, status, access, grace_until } = subscription;
	const days = daysUntil(expires_at, new Date());
	const left = days >= 0 ? words.daysLeft(days) : words.daysAgo(-days);
	return (
		<>
			<Detail word={status === "EXPIRED" ? words.ended : words.until}>
				{formatDay(expires_at, zone)} <span className="text-quiet">· {left}</span>
			</Detail>
			{access === "grace" && grace_until !== null && (
				<Detail word={words.readUntil}>{formatDay(grace_until, zone)}</Detail>
			)}
		</>
	);
}

function Detail({ word, children }: { word: string; children: ReactNode }) {
	return (
		<div>
			<dt className="text-sm text-quiet">{word}</dt>
			<dd className="wrap-anywhere">{children}</dd>
		</div>
	);
}
