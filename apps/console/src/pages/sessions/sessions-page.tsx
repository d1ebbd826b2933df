import type { OwnSession } from "@lango/contracts";
import { type Column, RowName } from "@lango/interface";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { Page } from "../../layout/page.tsx";
import { SearchedList, useWholeList } from "../../lists/searched-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useSessionTexts } from "./texts.ts";

const key = ["sessions"];

/** `/{slug}/sessions`: the user's sessions. One or all others can be ended. */
export function SessionsPage() {
	const platform = usePlatform();
	const words = useSessionTexts();
	const format = useFormat();
	const address = `${platform.settings.authUrl}/api/v1/auth/sessions`;
	const list = useWholeList<OwnSession>({ key, address });
	const columns = useColumns(address);
	const hasOthers = (list.data?.length ?? 0) > 1;
	const endAll = hasOthers && (
		<ConfirmButton
			texts={words.endAll}
			isDestructive
			action={() => platform.client.call(address, { method: "DELETE" })}
			invalidates={key}
		/>
	);
	return (
		<Page title={words.title} lead={words.lead(format.zoneName)} actions={endAll}>
			<SearchedList
				isMain
				query={list}
				search={{
					label: words.search,
					textOf: ({ client_name, tenant_slug }) => `${client_name} ${tenant_slug}`,
				}}
				caption={words.title}
				columns={columns}
				keyOf={({ id }) => id}
				empty={words.empty}
			/>
		</Page>
	);
}

function useColumns(address: string): Column<OwnSession>[] {
	const format = useFormat();
	const { client } = usePlatform();
	const words = useSessionTexts();
	const end = ({ id, client_name, signed_in_at }: OwnSession) => (
		<ConfirmButton
			texts={{ ...words.end, labelOf: () => words.end.labelOf(client_name, format.time(signed_in_at)) }}
			isDestructive
			name={client_name}
			className="w-full rows:w-auto"
			action={() => client.call(`${address}/${encodeURIComponent(id)}`, { method: "DELETE" })}
			invalidates={key}
		/>
	);
	return [
		{
			head: words.application,
			cell: ({ client_name, tenant_slug }) => <RowName detail={tenant_slug}>{client_name}</RowName>,
		},
		{ head: words.signedInAt, cell: ({ signed_in_at }) => format.time(signed_in_at) },
		{ head: words.lastUsed, cell: ({ last_used_at }) => format.time(last_used_at) },
		{ head: words.expires, cell: ({ expires_at }) => format.time(expires_at) },
		{
			head: words.action,
			isHeadHidden: true,
			isNumber: true,
			cell: (session) =>
				session.is_current ? (
					<span className="inline-block rounded-md bg-done-wash px-2 py-0.5 text-done">{words.current}</span>
				) : (
					end(session)
				),
		},
	];
}
