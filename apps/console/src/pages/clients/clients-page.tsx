import type { AdminClient } from "@lango/contracts";
import { buttonLook, type Column } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useSlug } from "../../tenant/use-tenant.ts";
import { clientsAddress, clientsKey } from "./client.queries.ts";
import { useClientTexts } from "./texts.ts";

/** `/{slug}/platform/clients?q=`: all OAuth clients. */
export function ClientsPage() {
	const slug = useSlug();
	const words = useClientTexts();
	const list = usePagedList<AdminClient>({
		key: clientsKey,
		address: clientsAddress(usePlatform()),
		fields: [{ kind: "search", name: "q", label: words.search }],
	});
	const columns = useColumns(slug);
	const register = (
		<Link to="/$slug/platform/new-client" params={{ slug }} className={buttonLook("action")}>
			{words.register}
		</Link>
	);
	return (
		<Page title={words.title} lead={words.lead} actions={register}>
			<PagedList
				isMain
				list={list}
				caption={words.title}
				columns={columns}
				keyOf={({ client_id }) => client_id}
				empty={words.empty}
			/>
		</Page>
	);
}

function useColumns(slug: string): Column<AdminClient>[] {
	const words = useClientTexts();
	const format = useFormat();
	return [
		{
			head: words.name,
			cell: ({ client_id, name }) => (
				<>
					<Link
						to="/$slug/platform/clients/$clientId"
						params={{ slug, clientId: client_id }}
						className="inline-flex min-h-11 items-center font-semibold text-link underline decoration-1 underline-offset-4 hover:decoration-2 rows:min-h-0"
					>
						{name}
					</Link>
					<span className="block font-mono text-sm font-normal whitespace-nowrap text-quiet">
						{client_id}
					</span>
				</>
			),
		},
		{
			head: words.kind,
			cell: ({ public: isPublic, built_in }) => (
				<span className="inline-flex flex-wrap gap-2">
					<Badge>{isPublic ? words.isPublic : words.confidential}</Badge>
					{built_in && <Badge kind="done">{words.builtIn}</Badge>}
				</span>
			),
		},
		{
			head: words.addresses,
			isLong: true,
			cell: ({ redirect_uris: [first, ...more] }) => (
				<span className="font-mono text-sm wrap-anywhere">
					{first === undefined ? "–" : <Address address={first} />}
					{more.length > 0 && (
						<span className="block font-sans text-base text-quiet">{words.more(more.length)}</span>
					)}
				</span>
			),
		},
		{ head: words.since, cell: ({ created_at }) => format.day(created_at) },
	];
}

/** Allows a line break after each slash rather than within a word. */
function Address({ address }: { address: string }) {
	return [...address.matchAll(/.+?(?:\w\/|$)/g)].map(({ 0: part, index: at }) => (
		<Fragment key={at}>
			{at > 0 && <wbr />}
			{part}
		</Fragment>
	));
}
