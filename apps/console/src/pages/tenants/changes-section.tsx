import { useProfile } from "@lango/client/react";
import type { Column } from "@lango/interface";
import { Section } from "../../layout/section.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { actionsAddress, type SubscriptionAction } from "./tenant.queries.ts";
import { useTenantTexts } from "./texts.ts";

/** The changes of a tenant's subscription with reason and actor, newest first. */
export function ChangesSection({ tenantId }: { tenantId: string }) {
	const words = useTenantTexts();
	const list = usePagedList<SubscriptionAction>({
		key: ["subscription-changes", tenantId],
		address: actionsAddress(usePlatform()),
		query: { tenant_id: tenantId },
		name: "changes",
		pageSize: 10,
	});
	const columns = useColumns();
	return (
		<Section title={words.changes}>
			<PagedList
				list={list}
				caption={words.changes}
				columns={columns}
				keyOf={({ id }) => id}
				empty={words.noChanges}
			/>
		</Section>
	);
}

function useColumns(): Column<SubscriptionAction>[] {
	const words = useTenantTexts();
	const profile = useProfile();
	const format = useFormat();
	const who = ({ kind, id }: SubscriptionAction["actor"]) =>
		id === profile?.userId ? words.you : wordFor(words.actors, kind);
	return [
		{ head: words.what, cell: ({ action }) => wordFor(words.actions, action) },
		{ head: words.why, cell: ({ detail }) => reasonOf(detail) ?? "–" },
		{ head: words.who, cell: ({ actor }) => who(actor) },
		{ head: words.when, cell: ({ at }) => format.time(at) },
	];
}

const reasonOf = ({ because }: Record<string, unknown>) =>
	typeof because === "string" && because !== "" ? because : undefined;
