import { type Column, RowName } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { AddRecipientButton } from "./add-recipient-button.tsx";
import { PayoutSection } from "./payout-section.tsx";
import {
	payoutConfigQuery,
	type Recipient,
	recipientsAddress,
	recipientsKey,
	removeRecipient,
} from "./recipient.queries.ts";
import { useRecipientTexts } from "./texts.ts";

const route = getRouteApi("/$slug/recipients");

/** `/{slug}/recipients`: the accounts to which Lango pays out, and which of them it uses. */
export function RecipientsPage() {
	const { slug } = route.useParams();
	const words = useRecipientTexts();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.recipients.view">
			{(scope, granted) => (
				<Page
					title={words.title}
					lead={words.lead}
					actions={isGranted(granted, "treasury.recipients.add") && <AddRecipientButton scope={scope} />}
				>
					<Recipients scope={scope} granted={granted} />
					{isGranted(granted, "treasury.gateways.view") && (
						<PayoutSection scope={scope} mayChange={isGranted(granted, "treasury.gateways.manage")} />
					)}
				</Page>
			)}
		</ServiceGate>
	);
}

type Props = { scope: ServiceScope; granted: ReadonlySet<string> };

function Recipients({ scope, granted }: Props) {
	const words = useRecipientTexts();
	const list = usePagedList<Recipient>({
		key: [...recipientsKey(scope), "list"],
		address: recipientsAddress(usePlatform(), scope),
		outlet: "none",
	});
	return (
		<PagedList
			list={list}
			isMain
			caption={words.title}
			columns={useColumns({ scope, granted })}
			keyOf={({ id }) => id}
			empty={words.none}
		/>
	);
}

function useColumns({ scope, granted }: Props): Column<Recipient>[] {
	const platform = usePlatform();
	const words = useRecipientTexts();
	const format = useFormat();
	const mayView = isGranted(granted, "treasury.gateways.view");
	const config = useQuery({ ...payoutConfigQuery(platform, scope), enabled: mayView }).data;
	const columns: Column<Recipient>[] = [
		{
			head: words.recipient,
			cell: ({ name, bank_name, bank_code }) => <RowName detail={bank_name ?? bank_code}>{name}</RowName>,
		},
		{ head: words.account, cell: ({ masked_account }) => masked_account },
		{
			head: words.status,
			cell: ({ id, status }) =>
				id === config?.recipient_id ? (
					<Badge kind="done">{words.inUse}</Badge>
				) : (
					<Badge>{words.statuses[status]}</Badge>
				),
		},
		{ head: words.added, cell: ({ created_at }) => format.day(created_at) },
	];
	if (!isGranted(granted, "treasury.recipients.delete")) return columns;
	const remove = ({ id, name, status }: Recipient) =>
		status === "active" && (
			<ConfirmButton
				texts={words.remove}
				isDestructive
				name={name}
				action={() => removeRecipient(platform, scope, id)}
				invalidates={recipientsKey(scope)}
				messages={words.errors}
			/>
		);
	return [...columns, { head: words.actions, isHeadHidden: true, isNumber: true, cell: remove }];
}
