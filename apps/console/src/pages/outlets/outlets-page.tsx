import { useMayDo } from "@lango/client/react";
import type { PublicOutlet } from "@lango/contracts";
import { Button } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { SearchedList } from "../../lists/searched-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { isShown, outletText, shownKinds } from "./find-outlets.ts";
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
	const columns = useOutletColumns({ slug, onChange: setChanged });
	const action = mayChange && (
		<Button aria-haspopup="dialog" kind="action" onClick={() => setChanged("new")}>
			{words.open}
		</Button>
	);
	return (
		<Page title={words.title} lead={words.lead(tenant?.name ?? slug)} actions={action}>
			<SearchedList
				isMain
				query={outlets}
				search={{ label: words.search, textOf: outletText }}
				choice={{
					field: { ...choiceOf("shown", words.show, [shownKinds, words.shown]), fallback: "open" },
					isShown,
				}}
				caption={words.title}
				columns={columns}
				keyOf={({ id }) => id}
				empty={words.none}
			/>
			{changed !== undefined && (
				<OutletDialog
					slug={slug}
					outlet={changed === "new" ? undefined : changed}
					useCase={outlets.data?.[0]?.use_case ?? "retail"}
					onClose={() => setChanged(undefined)}
				/>
			)}
		</Page>
	);
}
