import type { AdminKey } from "@lango/contracts";
import { type Column, DataTable, formatTime, Notice, nameZone, RowName, useLanguage } from "@lango/interface";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { AskedButton } from "../../asking/asked-button.tsx";
import { Mark } from "../../frame/mark.tsx";
import { Page } from "../../frame/page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../session/platform.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import { askForNewKeys, keysKey, keysQuery, type Rotated, revokeKey } from "./key.queries.ts";
import { useKeyTexts } from "./texts.ts";

const marks = { pending: "heed", active: "done", retired: "plain" } as const;

/** `/{slug}/platform/keys`: the keys that sign everybody's tokens; new ones are asked for, and one is revoked in an emergency. */
export function KeysPage() {
	const platform = usePlatform();
	const queries = useQueryClient();
	const keys = useQuery(keysQuery(platform));
	const words = useKeyTexts();
	const zone = { language: useLanguage(), timeZone: useZone() };
	const [outcome, setOutcome] = useState<Rotated["outcome"]>();
	const columns = useColumns(zone);
	const rotate = (
		<AskedButton
			label={words.rotate}
			question={{
				title: words.rotateTitle,
				text: words.rotateText,
				confirm: words.rotate,
				busyText: words.rotating,
			}}
			deed={async () => setOutcome((await askForNewKeys(platform)).outcome)}
			onDone={() => queries.invalidateQueries({ queryKey: keysKey })}
		/>
	);
	return (
		<Page title={words.title} lead={words.lead(nameZone(zone))} actions={rotate}>
			<div className="grid gap-6">
				{outcome !== undefined && (
					<Notice kind={outcome === "waiting" ? "heed" : "done"}>{words.outcomes[outcome]}</Notice>
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

function useColumns(zone: Parameters<typeof formatTime>[1]): Column<AdminKey>[] {
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
		{ head: words.status, cell: ({ status }) => <Mark kind={marks[status]}>{words.statuses[status]}</Mark> },
		{ head: words.since, cell: ({ since }) => formatTime(since, zone) },
		{
			head: words.goesOn,
			cell: ({ status, goes_on_at }) => words.goesOnAt[status](formatTime(goes_on_at, zone)),
		},
		{ head: words.action, isHeadHidden: true, isNumber: true, cell: (key) => <Revoke of={key} /> },
	];
}

function Revoke({ of: { kid, status } }: { of: AdminKey }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const words = useKeyTexts();
	const short = kid.slice(0, 12);
	return (
		<AskedButton
			label={words.revoke}
			fullLabel={words.revokeOne(short)}
			className="w-full md:w-auto"
			question={{
				title: words.revokeTitle(short),
				text: words.revokeText[status],
				confirm: words.revokeConfirm,
				busyText: words.revoking,
			}}
			deed={() => revokeKey(platform, kid)}
			onDone={async () => {
				await queries.invalidateQueries({ queryKey: keysKey });
				showToast("done", words.revoked(short));
			}}
			own={words.refused}
		/>
	);
}
