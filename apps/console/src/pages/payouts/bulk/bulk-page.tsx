import { useProfile } from "@lango/client/react";
import { getRouteApi } from "@tanstack/react-router";
import { ConfirmButton } from "../../../dialogs/confirm-button.tsx";
import { BackLink } from "../../../layout/back-link.tsx";
import { Page } from "../../../layout/page.tsx";
import { PagedList, usePagedList } from "../../../lists/paged-list.tsx";
import { usePlatform } from "../../../platform.ts";
import { isGranted, type ServiceScope } from "../../../services/service-access.queries.ts";
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

function ApproveAllButton({ scope, id }: Props) {
	const platform = usePlatform();
	const words = usePayoutTexts();
	return (
		<ConfirmButton
			kind="action"
			texts={words.bulk.approve}
			action={() => approveBulk(platform, { scope, id })}
			invalidates={["treasury", scope.slug]}
			messages={words.errors}
		/>
	);
}
