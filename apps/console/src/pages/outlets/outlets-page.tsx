import { useMayDo } from "@lango/client/react";
import type { PublicOutlet } from "@lango/contracts";
import { Button, DataTable, Pager, SearchField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { Page } from "../../layout/page.tsx";
import { FilterSelect, Filters } from "../../lists/filters.tsx";
import { useLocalPages } from "../../lists/use-local-pages.ts";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { findOutlets, type Shown } from "./find-outlets.ts";
import { OutletDialog } from "./outlet-dialog.tsx";
import { allOutletsQuery } from "./outlets.queries.ts";
import { useOutletTexts } from "./texts.ts";
import { useOutletColumns } from "./use-outlet-columns.tsx";

const route = getRouteApi("/$slug/outlets");

/** `/{slug}/outlets`: a tenant's outlets. Administrators open, change, archive and restore them. */
export function OutletsPage() {
	const { slug } = route.useParams();
	const words = useOutletTexts();
	const tenant = useTenant();
	const mayChange = useMayDo("auth.outlets.change");
	const outlets = useQuery(allOutletsQuery(usePlatform(), slug));
	const [changed, setChanged] = useState<PublicOutlet | "new">();
	const action = mayChange && (
		<Button kind="action" onClick={() => setChanged("new")}>
			{words.open}
		</Button>
	);
	return (
		<Page title={words.title} lead={words.lead(tenant?.name ?? slug)} actions={action}>
			<Loaded query={outlets} isMain>
				{(all) => (
					<>
						<OutletTable slug={slug} outlets={all} onChange={setChanged} />
						{changed !== undefined && (
							<OutletDialog
								slug={slug}
								outlet={changed === "new" ? undefined : changed}
								useCase={all[0]?.use_case ?? "retail"}
								onClose={() => setChanged(undefined)}
							/>
						)}
					</>
				)}
			</Loaded>
		</Page>
	);
}

type OutletTable = {
	slug: string;
	outlets: readonly PublicOutlet[];
	onChange: (outlet: PublicOutlet) => void;
};

function OutletTable({ slug, outlets, onChange }: OutletTable) {
	const words = useOutletTexts();
	const [search, setSearch] = useState("");
	const [shown, setShown] = useState<Shown>("open");
	const found = findOutlets(outlets, { search, shown });
	const { pages, shown: rows, nextCursor } = useLocalPages(found, `${shown} ${search}`);
	const columns = useOutletColumns({ slug, onChange });
	return (
		<>
			<Filters>
				<SearchField label={words.search} onSearch={setSearch} />
				<FilterSelect
					label={words.show}
					value={shown}
					options={Object.entries(words.shown).map(([value, label]) => ({ value, label }))}
					onChange={(value) => setShown(value as Shown)}
				/>
			</Filters>
			<DataTable
				caption={words.title}
				columns={columns}
				rows={rows}
				keyOf={({ id }) => id}
				empty={outlets.length === 0 ? words.none : words.noneFound}
			/>
			<Pager pages={pages} nextCursor={nextCursor} />
		</>
	);
}
