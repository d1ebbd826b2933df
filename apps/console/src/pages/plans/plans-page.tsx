import { type Column, TextField } from "@lango/interface";
import { Link, useNavigate } from "@tanstack/react-router";
import { FormButton } from "../../dialogs/form-button.tsx";
import { textOf } from "../../forms/form-data.ts";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useSlug } from "../../tenant/use-tenant.ts";
import { type CatalogueItem, createItem, itemsAddress, itemsKey, type Kind } from "./catalogue.queries.ts";
import { checkItem } from "./check-item.ts";
import { pageOf } from "./item-paths.ts";
import { useCatalogueTexts } from "./texts.ts";

/** `/{slug}/platform/plans`: all plans and add-ons, and their current offers. */
export function PlansPage() {
	const words = useCatalogueTexts();
	return (
		<Page title={words.title} lead={words.lead}>
			<Items kind="plans" />
			<Items kind="add-ons" />
		</Page>
	);
}

function Items({ kind }: { kind: Kind }) {
	const words = useCatalogueTexts().kinds[kind];
	const list = usePagedList<CatalogueItem>({
		key: itemsKey(kind),
		address: itemsAddress(usePlatform(), kind),
		name: kind,
	});
	const columns = useColumns(kind);
	return (
		<Section title={words.title} lead={words.lead} actions={<Make kind={kind} />}>
			<PagedList
				list={list}
				caption={words.title}
				columns={columns}
				keyOf={({ code }) => code}
				empty={words.empty}
			/>
		</Section>
	);
}

function useColumns(kind: Kind): Column<CatalogueItem>[] {
	const slug = useSlug();
	const words = useCatalogueTexts();
	const format = useFormat();
	return [
		{
			head: words.name,
			cell: ({ code, name }) => (
				<>
					<Link
						to={pageOf[kind]}
						params={{ slug, code }}
						className="inline-flex min-h-11 items-center font-semibold text-link underline decoration-1 underline-offset-4 hover:decoration-2 rows:min-h-0"
					>
						{name}
					</Link>
					<span className="block font-mono text-base font-normal text-quiet">{code}</span>
				</>
			),
		},
		{
			head: words.offer,
			cell: ({ offered }) =>
				offered === null ? (
					<Badge kind="warning">{words.notOffered}</Badge>
				) : (
					<Badge kind="done">{words.offered}</Badge>
				),
		},
		{
			head: words.price,
			isNumber: true,
			cell: ({ offered }) =>
				offered === null
					? "–"
					: words.priceOf[offered.interval](format.money(offered.price_minor, offered.currency)),
		},
		{
			head: words.version,
			isNumber: true,
			cell: ({ offered, versions }) => words.versionOf(offered?.version, format.number(versions)),
		},
	];
}

/** Creates a plan or add-on with a code and a name. Content and price belong to its versions. */
function Make({ kind }: { kind: Kind }) {
	const platform = usePlatform();
	const navigate = useNavigate();
	const slug = useSlug();
	const words = useCatalogueTexts();
	const own = words.kinds[kind];
	const read = (entered: FormData) => ({
		code: textOf(entered, "code"),
		name: textOf(entered, "name"),
		...(kind === "plans" && { position: Number(textOf(entered, "position") || Number.NaN) }),
	});
	return (
		<FormButton
			label={own.make}
			lead={own.makeLead}
			confirm={own.make}
			busyText={words.making}
			messages={words.errors}
			fieldMessages={words.fieldErrors}
			check={(entered) => checkItem(read(entered), kind, { ...words.fieldErrors, code: own.codeHint })}
			action={(entered) => createItem(platform, kind, read(entered))}
			redirect={({ code }) => navigate({ to: pageOf[kind], params: { slug, code } })}
			invalidates={itemsKey(kind)}
		>
			{(field) => (
				<>
					<TextField {...field("name")} label={words.name} maxLength={100} isProse />
					<TextField {...field("code")} label={words.code} hint={own.codeHint} maxLength={63} />
					{kind === "plans" && (
						<TextField
							{...field("position")}
							label={words.position}
							hint={words.positionHint}
							inputMode="numeric"
							maxLength={9}
						/>
					)}
				</>
			)}
		</FormButton>
	);
}
