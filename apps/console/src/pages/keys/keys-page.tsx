import type { AdminKey } from "@lango/contracts";
import { type Column, DataTable, Notice, RowName } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { askForNewKeys, keysKey, keysQuery, type Rotated, revokeKey } from "./key.queries.ts";
import { useKeyTexts } from "./texts.ts";

const marks = { pending: "warning", active: "done", retired: "plain" } as const;

/** `/{slug}/platform/keys`: the keys that sign tokens. They can be rotated, and revoked in an emergency. */
export function KeysPage() {
	const platform = usePlatform();
	const keys = useQuery(keysQuery(platform));
	const words = useKeyTexts();
	const format = useFormat();
	const [outcome, setOutcome] = useState<Rotated["outcome"]>();
	const columns = useColumns();
	const rotate = (
		<ConfirmButton
			texts={words.rotate}
			action={async () => setOutcome((await askForNewKeys(platform)).outcome)}
			invalidates={keysKey}
		/>
	);
	return (
		<Page title={words.title} lead={words.lead(format.zoneName)} actions={rotate}>
			<div className="grid gap-6">
				{outcome !== undefined && (
					<Notice kind={outcome === "waiting" ? "warning" : "done"}>{words.outcomes[outcome]}</Notice>
				)}
				<Loaded query={keys} isMain>
					{(all) => (
						<DataTable
							caption={words.title}
							columns={columns}
							rows={all}
							keyOf={({ kid }) => kid}
							empty={words.empty}
						/>
					)}
				</Loaded>
				<p className="max-w-prose text-quiet">{words.note}</p>
			</div>
		</Page>
	);
}

function useColumns(): Column<AdminKey>[] {
	const format = useFormat();
	const words = useKeyTexts();
	return [
		{
			head: words.key,
			cell: ({ kid, algorithm }) => (
				<RowName detail={words.algorithms[algorithm]}>
					<span className="font-mono font-normal">{kid.slice(0, 12)}…</span>
				</RowName>
			),
		},
		{
			head: words.status,
			cell: ({ status }) => <Badge kind={marks[status]}>{words.statuses[status]}</Badge>,
		},
		{ head: words.since, cell: ({ since }) => format.time(since) },
		{
			head: words.goesOn,
			cell: ({ status, goes_on_at }) => words.goesOnAt[status](format.time(goes_on_at)),
		},
		{ head: words.action, isHeadHidden: true, isNumber: true, cell: (key) => <Revoke of={key} /> },
	];
}

function Revoke({ of: { kid, status } }: { of: AdminKey }) {
	const platform = usePlatform();
	const words = useKeyTexts();
	const short = kid.slice(0, 12);
	return (
		<ConfirmButton
			texts={{ ...words.revoke, text: words.revoke.text[status] }}
			isDestructive
			name={short}
			asksByName
			className="w-full rows:w-auto"
			action={() => revokeKey(platform, kid)}
			invalidates={keysKey}
			messages={words.errors}
		/>
	);
}
