import { type Column, formatMoney, formatNumber, TextField, useLanguage } from "@lango/interface";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { textOf } from "../../forms/entered.ts";
import { FormButton } from "../../forms/form-button.tsx";
import { Mark } from "../../frame/mark.tsx";
import { Page } from "../../frame/page.tsx";
import { Section } from "../../frame/section.tsx";
import { PagedList } from "../../lists/paged-list.tsx";
import { usePagedList } from "../../lists/use-paged-list.ts";
import { usePlatform } from "../../session/platform.ts";
import { useSlug } from "../../tenant/use-slug.ts";
import { pageOf } from "./article-pages.ts";
import { type Article, articlesAddress, articlesKey, type Kind, makeArticle } from "./catalogue.queries.ts";
import { checkArticle } from "./check-article.ts";
import { useCatalogueTexts } from "./texts.ts";

/** `/{slug}/platform/plans`: everything that is sold, and how it is offered now. */
export function PlansPage() {
	const words = useCatalogueTexts();
	return (
		<Page title={words.title} lead={words.lead}>
			<Articles kind="plans" />
			<Articles kind="add-ons" />
		</Page>
	);
}

function Articles({ kind }: { kind: Kind }) {
	const words = useCatalogueTexts().kinds[kind];
	const list = usePagedList<Article>({
		key: articlesKey(kind),
		address: articlesAddress(usePlatform(), kind),
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

function useColumns(kind: Kind): Column<Article>[] {
	const slug = useSlug();
	const words = useCatalogueTexts();
	const language = useLanguage();
	return [
		{
			head: words.name,
			cell: ({ code, name }) => (
				<>
					<Link
						to={pageOf[kind]}
						params={{ slug, code }}
						className="inline-flex min-h-11 items-center font-semibold text-link underline decoration-1 underline-offset-4 hover:decoration-2 md:min-h-0"
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
					<Mark kind="heed">{words.notOffered}</Mark>
				) : (
					<Mark kind="done">{words.offered}</Mark>
				),
		},
		{
			head: words.price,
			isNumber: true,
			cell: ({ offered }) =>
				offered === null
					? "–"
					: words.priceOf[offered.interval](
							formatMoney(offered.price_minor, { currency: offered.currency, language }),
						),
		},
		{
			head: words.version,
			isNumber: true,
			cell: ({ offered, versions }) => words.versionOf(offered?.version, formatNumber(versions, language)),
		},
	];
}

/** A new plan or add-on: a code and a name; what it holds and costs is in its versions. */
function Make({ kind }: { kind: Kind }) {
	const platform = usePlatform();
	const queries = useQueryClient();
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
			title={own.make}
			lead={own.makeLead}
			submit={own.make}
			submitting={words.making}
			own={words.refused}
			byField={words.wrong}
			check={(entered) => checkArticle(read(entered), kind, { ...words.wrong, code: own.codeHint })}
			deed={(entered) => makeArticle(platform, kind, read(entered))}
			goOn={({ code }) => navigate({ to: pageOf[kind], params: { slug, code } })}
			onDone={() => queries.invalidateQueries({ queryKey: articlesKey(kind) })}
		>
			{(faulty) => (
				<>
					<TextField {...faulty("name")} name="name" label={words.name} maxLength={100} isProse />
					<TextField {...faulty("code")} name="code" label={words.code} hint={own.codeHint} maxLength={63} />
					{kind === "plans" && (
						<TextField
							{...faulty("position")}
							name="position"
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
