import type { Subscription } from "@lango/contracts";
import { Link } from "@tanstack/react-router";
import { Badge } from "../../layout/badge.tsx";
import { Detail } from "../../layout/details.tsx";
import { Card } from "../../layout/section.tsx";
import { PlanHeading } from "../../subscription/plan-heading.tsx";
import { usePlanName } from "../../subscription/use-plan-name.ts";
import { daysUntil } from "../../tenant/days-until.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { useOverviewTexts } from "./texts.ts";

/** The current plan: status, expiry and content. */
export function PlanCard({ subscription, slug }: { subscription: Subscription; slug: string }) {
	const words = useOverviewTexts();
	const texts = useTexts();
	const nameOf = usePlanName();
	const { features, products, pending_change } = subscription;
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
			<PlanHeading subscription={subscription}>
				{pending_change !== null && (
					<Badge kind="warning">{words.pending(nameOf(pending_change.plan))}</Badge>
				)}
			</PlanHeading>
			<dl className="grid gap-3">
				<Until subscription={subscription} />
				<Detail label={words.products}>
					{products.map((code) => wordFor(texts.products, code)).join(", ")}
				</Detail>
				<Detail label={words.features}>
					{features.map((code) => wordFor(texts.features, code)).join(", ") || words.noFeatures}
				</Detail>
			</dl>
		</Card>
	);
}

function Until({ subscription }: { subscription: Subscription }) {
	const words = useOverviewTexts();
	const format = useFormat();
	const { expires_at, status, access, grace_until } = subscription;
	const days = daysUntil(expires_at, new Date());
	const left = days >= 0 ? words.daysLeft(days) : words.daysAgo(-days);
	return (
		<>
			<Detail label={status === "EXPIRED" ? words.ended : words.until}>
				{format.day(expires_at)} <span className="text-quiet">· {left}</span>
			</Detail>
			{access === "grace" && grace_until !== null && (
				<Detail label={words.readUntil}>{format.day(grace_until)}</Detail>
			)}
		</>
	);
}
