import { Button, buttonLook, type Column, RowName } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import {
	type Provider,
	type ProviderScope,
	providersAddress,
	providersKey,
	wholeOf,
} from "./provider.queries.ts";
import { ProviderDialog } from "./provider-dialog.tsx";
import { ProviderGate } from "./provider-gate.tsx";
import { nameOfKind } from "./provider-kinds.ts";
import { useProviderTexts } from "./texts.ts";

const tenantRoute = getRouteApi("/$slug/providers");
const platformRoute = getRouteApi("/$slug/platform/providers");

/** `/{slug}/providers`: the providers through which a tenant's messages are sent. */
export function ProvidersPage() {
	const { slug } = tenantRoute.useParams();
	return <ProviderGate slug={slug}>{(scope, may) => <Providers scope={scope} {...may} />}</ProviderGate>;
}

/** `/{slug}/platform/providers`: the providers of the platform. */
export function PlatformProvidersPage() {
	const { slug } = platformRoute.useParams();
	return (
		<ProviderGate slug={slug} isForPlatform>
			{(scope, may) => <Providers scope={scope} {...may} />}
		</ProviderGate>
	);
}

function Providers({ scope, mayChange }: { scope: ProviderScope; mayChange: boolean }) {
	const words = useProviderTexts();
	const tenant = useTenant();
	const isPlatform = scope.platformId !== undefined;
	const [isAdding, setAdding] = useState(false);
	const list = usePagedList<Provider>({
		key: [...providersKey(scope), "list"],
		address: providersAddress(usePlatform(), scope),
		...wholeOf(scope),
	});
	const title = isPlatform ? words.platformTitle : words.title;
	const add = mayChange && (
		<Button aria-haspopup="dialog" kind="action" onClick={() => setAdding(true)}>
			{words.add}
		</Button>
	);
	return (
		<Page
			title={title}
			lead={isPlatform ? words.platformLead : words.lead(tenant?.name ?? scope.slug)}
			actions={add}
		>
			<PagedList
				isMain
				list={list}
				caption={title}
				columns={useColumns(scope)}
				keyOf={({ id }) => id}
				empty={isPlatform ? words.noneOfPlatform : words.none}
			/>
			{isAdding && <ProviderDialog scope={scope} provider={undefined} onClose={() => setAdding(false)} />}
		</Page>
	);
}

function useColumns({ slug, platformId }: ProviderScope): Column<Provider>[] {
	const words = useProviderTexts();
	const format = useFormat();
	const isPlatform = platformId !== undefined;
	return [
		{
			head: words.name,
			cell: ({ id, name, kind }) => (
				<RowName detail={nameOfKind(kind, words)}>
					<Link
						to={isPlatform ? "/$slug/platform/providers/$id" : "/$slug/providers/$id"}
						params={{ slug, id }}
						className={buttonLook("quiet")}
					>
						{name}
					</Link>
				</RowName>
			),
		},
		{ head: words.channel, cell: ({ channel }) => words.channels[channel] },
		...(isPlatform ? [] : [{ head: words.owner, cell: ({ owner }: Provider) => words.owners[owner] }]),
		{ head: words.state, cell: (provider) => <ProviderState provider={provider} /> },
		{
			head: words.weight,
			isNumber: true,
			cell: ({ weight, resting_weight }) =>
				weight === resting_weight
					? format.number(weight)
					: words.weightOf(format.number(weight), format.number(resting_weight)),
		},
		{ head: words.pace, isNumber: true, cell: ({ per_second }) => words.paceOf(format.number(per_second)) },
	];
}

/** Whether a provider is used, and whether it works well. */
export function ProviderState({ provider: { enabled, degraded_at } }: { provider: Provider }) {
	const words = useProviderTexts();
	if (!enabled) return <Badge>{words.states.off}</Badge>;
	if (degraded_at !== null) return <Badge kind="warning">{words.states.degraded}</Badge>;
	return <Badge kind="done">{words.states.on}</Badge>;
}
