import { useProfile } from "@lango/client/react";
import { getRouteApi } from "@tanstack/react-router";
import { ConfirmButton } from "../../../dialogs/confirm-button.tsx";
import { BackLink } from "../../../layout/back-link.tsx";
import { Page } from "../../../layout/page.tsx";
import { PagedList, usePagedList } from "../../../lists/paged-list.tsx";
import { useWholeList } from "../../../lists/searched-list.tsx";
import { usePlatform } from "../../../platform.ts";
import { isGranted, type ServiceScope } from "../../../services/service-access.queries.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { ServiceGate } from "../../access/service-gate.tsx";
import { approveBulk, isOpen, type Payout, payoutsAddress, payoutsKey } from "../payout.queries.ts";
import { usePayoutColumns } from "../payout-columns.tsx";
import { usePayoutTexts } from "../texts.ts";

const route = getRouteApi("/$slug/payouts/bulk/$id");

/** `/{slug}/payouts/bulk/{id}`: the payouts of a bulk request, which another person approves together. */
export function BulkPage() {
	const { slug, id } = route.useParams();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.payouts.view">
			{(scope, granted) => (
				<Bulk scope={scope} id={id} mayDecide={isGranted(granted, "treasury.payouts.manage")} />
			)}
		</ServiceGate>
	);
}

type Props = { scope: ServiceScope; id: string };

function Bulk({ scope, id, mayDecide }: Props & { mayDecide: boolean }) {
	const words = usePayoutTexts();
	const userId = useProfile()?.userId;
	const list = usePagedList<Payout>({
		key: [...payoutsKey(scope), "bulk", id],
		address: payoutsAddress(usePlatform(), scope),
		query: { batch_id: id },
		outlet: "none",
		pageSize: 100,
		isChanging: (payouts) => payouts.some(isOpen),
	});
	const waiting = (list.query.data?.items ?? []).filter(({ status }) => status === "awaiting_approval");
	const isOwn = waiting.some(({ created_by }) => created_by === userId);
	const mayApprove = mayDecide && waiting.length > 0 && !isOwn;
	return (
		<>
			<BackLink to="/$slug/payouts" params={{ slug: scope.slug }}>
				{words.title}
			</BackLink>
			<Page
				title={words.bulk.title}
				lead={words.queueLead}
				actions={mayApprove && <ApproveAllButton scope={scope} id={id} />}
			>
				<PagedList
					list={list}
					isMain
					caption={words.bulk.title}
					columns={usePayoutColumns(scope.slug)}
					keyOf={({ id: payoutId }) => payoutId}
					empty={words.none}
				/>
			</Page>
		</>
	);
}

/** How many payees are named; the others are counted. */
const namedMax = 5;

function ApproveAllButton({ scope, id }: Props) {
	const platform = usePlatform();
	const words = usePayoutTexts();
	const format = useFormat();
	const { data: waiting } = useWholeList<Payout>({
		key: [...payoutsKey(scope), "bulk", id, "waiting"],
		address: payoutsAddress(platform, scope),
		query: { batch_id: id, status: "awaiting_approval" },
		outlet: "none",
	});
	if (waiting === undefined) return null;
	const { title, text, more, ...texts } = words.bulk.approve;
	const sums = Map.groupBy(waiting, ({ currency }) => currency);
	const sum = [...sums].map(([currency, payouts]) =>
		format.money(
			payouts.reduce((all, { net_minor }) => all + net_minor, 0),
			currency,
		),
	);
	const payees = [...new Set(waiting.map(({ to }) => to))];
	const others = payees.length - namedMax;
	const named = [...payees.slice(0, namedMax), ...(others > 0 ? [more(others)] : [])].join(", ");
	return (
		<ConfirmButton
			kind="action"
			texts={{ ...texts, title: title(format.number(waiting.length), sum.join(" + ")), text: text(named) }}
			action={() => approveBulk(platform, { scope, id })}
			invalidates={["treasury", scope.slug]}
			messages={words.errors}
		/>
	);
}
