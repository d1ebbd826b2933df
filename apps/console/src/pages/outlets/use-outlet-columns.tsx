import { useMayDo } from "@lango/client/react";
import type { PublicOutlet } from "@lango/contracts";
import { Button, type Column } from "@lango/interface";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { Badge } from "../../layout/badge.tsx";
import { usePlatform } from "../../platform.ts";
import { tenantAddress } from "../../tenant/tenant.queries.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { outletsKey } from "./outlets.queries.ts";
import { useOutletTexts } from "./texts.ts";

type Actions = { slug: string; onChange: (outlet: PublicOutlet) => void };

const kinds: Readonly<Record<string, "done" | "warning" | "plain">> = { active: "done", inactive: "warning" };

/** The columns of the outlet table, with buttons for administrators. */
export function useOutletColumns(rowActions: Actions): Column<PublicOutlet>[] {
	const words = useOutletTexts();
	const { useCases } = useTexts();
	const mayChange = useMayDo("auth.outlets.change");
	const columns: Column<PublicOutlet>[] = [
		{
			head: words.name,
			sort: ["name", ({ name }) => name],
			cell: ({ name, is_hq }) => (
				<>
					<span className="mr-1">{name}</span> {is_hq && <Badge>{words.headquarters}</Badge>}
				</>
			),
		},
		{ head: words.code, sort: ["code", ({ code }) => code], cell: ({ code }) => code },
		{
			head: words.kind,
			sort: ["kind", ({ use_case }) => useCases[use_case]],
			cell: ({ use_case }) => useCases[use_case],
		},
		{
			head: words.status,
			sort: ["status", ({ status }) => wordFor(words.statuses, status)],
			cell: ({ status }) => <Badge kind={kinds[status] ?? "plain"}>{wordFor(words.statuses, status)}</Badge>,
		},
	];
	if (!mayChange) return columns;
	const cell = (outlet: PublicOutlet) => <OutletActions {...rowActions} outlet={outlet} />;
	return [...columns, { head: words.actions, isHeadHidden: true, isNumber: true, cell }];
}

function OutletActions({ slug, outlet, onChange }: Actions & { outlet: PublicOutlet }) {
	const platform = usePlatform();
	const words = useOutletTexts();
	const { id, name, status } = outlet;
	const address = `${tenantAddress(platform, slug)}/outlets/${id}`;
	if (status === "archived")
		return (
			<ConfirmButton
				kind="quiet"
				texts={words.restore}
				name={name}
				action={() => platform.client.call(`${address}/restore`, { method: "POST" })}
				invalidates={outletsKey(slug)}
				messages={words.errors}
			/>
		);
	return (
		<span className="flex flex-wrap gap-x-5 rows:justify-end">
			<Button
				aria-haspopup="dialog"
				kind="quiet"
				aria-label={words.changeOne(name)}
				onClick={() => onChange(outlet)}
			>
				{words.change}
			</Button>
			<ConfirmButton
				kind="quiet"
				texts={words.archive}
				isDestructive
				name={name}
				action={() => platform.client.call(address, { method: "DELETE" })}
				invalidates={outletsKey(slug)}
				messages={words.errors}
			/>
		</span>
	);
}
