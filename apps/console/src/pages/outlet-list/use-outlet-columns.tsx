import { useMayDo } from "@lango/client/react";
import type { PublicOutlet } from "@lango/contracts";
import { Button, type Column } from "@lango/interface";
import { AskedButton } from "../../asking/asked-button.tsx";
import { Mark } from "../../frame/mark.tsx";
import { usePlatform } from "../../session/platform.ts";
import { tenantAddress } from "../../tenant/tenant.queries.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { useOutletListTexts } from "./texts.ts";

type Deeds = { slug: string; onChange: (outlet: PublicOutlet) => void; onDone: (said: string) => unknown };

const kinds: Readonly<Record<string, "done" | "heed" | "plain">> = { active: "done", inactive: "heed" };

/** What the list says of an outlet, and what its administrators do with it. */
export function useOutletColumns(deeds: Deeds): Column<PublicOutlet>[] {
	const words = useOutletListTexts();
	const { useCases } = useTexts();
	const mayChange = useMayDo("auth.outlets.change");
	const columns: Column<PublicOutlet>[] = [
		{
			head: words.name,
			cell: ({ name, is_hq }) => (
				<>
					<span className="mr-1">{name}</span> {is_hq && <Mark>{words.headquarters}</Mark>}
				</>
			),
		},
		{ head: words.code, cell: ({ code }) => code },
		{ head: words.kind, cell: ({ use_case }) => useCases[use_case] },
		{
			head: words.status,
			cell: ({ status }) => <Mark kind={kinds[status] ?? "plain"}>{wordFor(words.statuses, status)}</Mark>,
		},
	];
	if (!mayChange) return columns;
	const cell = (outlet: PublicOutlet) => <OutletDeeds {...deeds} outlet={outlet} />;
	return [...columns, { head: words.actions, isHeadHidden: true, isNumber: true, cell }];
}

function OutletDeeds({ slug, outlet, onChange, onDone }: Deeds & { outlet: PublicOutlet }) {
	const platform = usePlatform();
	const words = useOutletListTexts();
	const { id, name, status } = outlet;
	const address = `${tenantAddress(platform, slug)}/outlets/${id}`;
	if (status === "archived")
		return (
			<AskedButton
				kind="quiet"
				label={words.restore}
				fullLabel={words.restoreOne(name)}
				question={{
					title: words.restoreTitle(name),
					text: words.restoreText(name),
					confirm: words.restore,
					busyText: words.restoring,
				}}
				deed={() => platform.client.call(`${address}/restore`, { method: "POST" })}
				onDone={() => onDone(words.restored(name))}
				own={words.refusals}
			/>
		);
	return (
		<span className="flex flex-wrap gap-x-5 md:justify-end">
			<Button kind="quiet" aria-label={words.changeOne(name)} onClick={() => onChange(outlet)}>
				{words.change}
			</Button>
			<AskedButton
				kind="quiet"
				label={words.archive}
				fullLabel={words.archiveOne(name)}
				question={{
					title: words.archiveTitle(name),
					text: words.archiveText(name),
					confirm: words.archive,
					busyText: words.archiving,
				}}
				deed={() => platform.client.call(address, { method: "DELETE" })}
				onDone={() => onDone(words.archived(name))}
				own={words.refusals}
			/>
		</span>
	);
}
