import { buttonLook, type Column, RowName } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import { ResolveRefundButton } from "../refunds/resolve-refund-button.tsx";
import { TenantName } from "../tenants/tenant-name.tsx";
import { useTenantOf } from "../tenants/use-tenant-of.ts";
import { useUnresolvedTexts } from "./texts.ts";
import {
	ages,
	type Unresolved,
	unresolvedAddress,
	unresolvedKey,
	unresolvedKinds,
} from "./unresolved.queries.ts";

/** `/{slug}/platform/unresolved`: payments, payouts and refunds whose outcome is not known. */
export function UnresolvedPage() {
	if (usePlatform().settings.services.treasury === undefined) return <NotFoundPage />;
	return <UnresolvedList />;
}

function UnresolvedList() {
	const words = useUnresolvedTexts();
	const list = usePagedList<Unresolved>({
		key: unresolvedKey,
		address: unresolvedAddress(usePlatform()),
		fields: [
			{ ...choiceOf("kind", words.kind, [unresolvedKinds, words.kinds]), fallback: "attempt" },
			choiceOf("age", words.age, [ages, words.ages]),
			choiceOf("needs_review", words.review, [["true", "false"], words.reviews]),
		],
		outlet: "none",
	});
	return (
		<Page title={words.title} lead={words.lead}>
			<PagedList
				list={list}
				isMain
				caption={words.title}
				columns={useColumns()}
				keyOf={({ id }) => id}
				empty={words.none}
			/>
		</Page>
	);
}

function useColumns(): Column<Unresolved>[] {
	const words = useUnresolvedTexts();
	const format = useFormat();
	return [
		{ head: words.organisation, cell: (one) => <TenantName id={one.tenant_id} /> },
		{
			head: words.status,
			cell: ({ status, needs_review, proposed_by }) => (
				<RowName detail={proposed_by !== null && words.proposed}>
					<Badge kind="warning">{needs_review ? words.underReview : wordFor(words.statuses, status)}</Badge>
				</RowName>
			),
		},
		{ head: words.since, cell: ({ since }) => format.time(since) },
		{
			head: words.amount,
			isNumber: true,
			cell: ({ amount_minor, currency }) => format.money(amount_minor, currency),
		},
		{
			...{ head: words.actions, isHeadHidden: true, isNumber: true },
			cell: (one) => (
				<span className="flex flex-wrap justify-end gap-3">
					<OpenLink one={one} />
					{one.receipt_id !== null && one.needs_review && <ResolveRefundButton refund={one} />}
				</span>
			),
		},
	];
}

/** A link to its page at the organisation. */
function OpenLink({ one }: { one: Unresolved }) {
	const { open } = useUnresolvedTexts();
	const { slug } = useTenantOf(one.tenant_id);
	if (slug === undefined) return null;
	const { id, intent_id: intent, operation_id: operation, receipt_id: receipt } = one;
	const className = buttonLook("quiet");
	if (operation !== null)
		return (
			<Link to="/$slug/bills/$operation" params={{ slug, operation }} className={className}>
				{open.bill}
			</Link>
		);
	if (intent !== null)
		return (
			<Link to="/$slug/payments/$id" params={{ slug, id: intent }} className={className}>
				{open.attempt}
			</Link>
		);
	return receipt === null ? (
		<Link to="/$slug/payouts/$id" params={{ slug, id }} className={className}>
			{open.payout}
		</Link>
	) : (
		<Link to="/$slug/receipts/$id" params={{ slug, id: receipt }} className={className}>
			{open.refund}
		</Link>
	);
}
