import type { Subscription, SubscriptionStatus } from "@lango/contracts";
import { formatDay, useLanguage } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Card } from "../../frame/card.tsx";
import { Mark } from "../../frame/mark.tsx";
import { daysUntil } from "../../tenant/days-until.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { usePlanName } from "../subscribe/use-plan-name.ts";
import { useOverviewTexts } from "./texts.ts";

const kinds: Readonly<Record<SubscriptionStatus, "done" | "heed" | "fault">> = {
	TRIAL: "done",
	ACTIVE: "done",
	PAST_DUE: "heed",
	EXPIRED: "fault",
};

/** The plan in force: how it stands, until when, and what it holds. */
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
				<Mark kind={kinds[status]}>{words.statuses[status]}</Mark>
				{pending_change !== null && <Mark kind="heed">{words.pending(nameOf(pending_change.plan))}</Mark>}
			</p>
			<dl className="grid gap-3">
				<Until subscription={subscription} />
				<Fact word={words.products}>{products.map((code) => wordFor(texts.products, code)).join(", ")}</Fact>
				<Fact word={words.features}>
					{features.map((code) => wordFor(texts.features, code)).join(", ") || words.noFeatures}
				</Fact>
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
			<Fact word={status === "EXPIRED" ? words.ended : words.until}>
				{formatDay(expires_at, zone)} <span className="text-quiet">· {left}</span>
			</Fact>
			{access === "grace" && grace_until !== null && (
				<Fact word={words.readUntil}>{formatDay(grace_until, zone)}</Fact>
			)}
		</>
	);
}

function Fact({ word, children }: { word: string; children: ReactNode }) {
	return (
		<div>
			<dt className="text-sm text-quiet">{word}</dt>
			<dd className="wrap-anywhere">{children}</dd>
		</div>
	);
}
