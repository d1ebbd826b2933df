import { buttonLook, formatDay, formatMoney, formatNumber, Pager, useLanguage } from "@lango/interface";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { AskedButton } from "../../asking/asked-button.tsx";
import { BackLink } from "../../frame/back-link.tsx";
import { Card } from "../../frame/card.tsx";
import { Fact, Facts } from "../../frame/facts.tsx";
import { Mark } from "../../frame/mark.tsx";
import { Page } from "../../frame/page.tsx";
import { usePagedList } from "../../lists/use-paged-list.ts";
import { Loaded } from "../../notices/loaded.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../session/platform.ts";
import { useSlug } from "../../tenant/use-slug.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { nextOf } from "./article-pages.ts";
import {
	type Article,
	articleQuery,
	articlesKey,
	type Kind,
	retireVersion,
	type Version,
	versionsAddress,
} from "./catalogue.queries.ts";
import { useCatalogueTexts } from "./texts.ts";

const planRoute = getRouteApi("/$slug/platform/plans/$code");
const addOnRoute = getRouteApi("/$slug/platform/add-ons/$code");

/** `/{slug}/platform/plans/{code}`: a plan with every version of it. */
export function PlanPage() {
	return <ArticlePage kind="plans" code={planRoute.useParams().code} />;
}

/** `/{slug}/platform/add-ons/{code}`: an add-on with every version of it. */
export function AddOnPage() {
	return <ArticlePage kind="add-ons" code={addOnRoute.useParams().code} />;
}

function ArticlePage({ kind, code }: { kind: Kind; code: string }) {
	const slug = useSlug();
	const article = useQuery(articleQuery(usePlatform(), kind, code));
	const words = useCatalogueTexts();
	const next = (
		<Link to={nextOf[kind]} params={{ slug, code }} className={buttonLook("action")}>
			{words.nextVersion}
		</Link>
	);
	return (
		<>
			<BackLink to="/$slug/platform/plans" params={{ slug }}>
				{words.title}
			</BackLink>
			<Page
				title={article.data?.name ?? code}
				lead={words.kinds[kind].oneLead}
				actions={article.data !== null && next}
			>
				<Loaded query={article} isMain>
					{(found) =>
						found === null ? (
							<p className="text-quiet">{words.kinds[kind].none(code)}</p>
						) : (
							<Versions kind={kind} article={found} />
						)
					}
				</Loaded>
			</Page>
		</>
	);
}

function Versions({ kind, article }: { kind: Kind; article: Article }) {
	const words = useCatalogueTexts();
	const { pages, query } = usePagedList<Version>({
		key: [...articlesKey(kind), "versions", article.code],
		address: versionsAddress(usePlatform(), kind, article.code),
		pageSize: 6,
	});
	return (
		<Loaded query={query}>
			{({ items, next_cursor }) => (
				<div aria-busy={query.isPlaceholderData} className={query.isPlaceholderData ? "opacity-60" : ""}>
					{items.length === 0 && <p className="text-quiet">{words.noVersion}</p>}
					<ul className="grid items-start gap-5 lg:grid-cols-2">
						{items.map((version) => (
							<li key={version.version}>
								<VersionCard kind={kind} article={article} version={version} />
							</li>
						))}
					</ul>
					<Pager pages={pages} nextCursor={next_cursor} />
				</div>
			)}
		</Loaded>
	);
}

type VersionCard = { kind: Kind; article: Article; version: Version };

function VersionCard({ kind, article, version }: VersionCard) {
	const words = useCatalogueTexts();
	const texts = useTexts();
	const language = useLanguage();
	const zone = { language, timeZone: useZone() };
	const { price_minor, currency, interval, bundle, products, trial_days, grace_days } = version;
	const list = (codes: readonly string[], names: Readonly<Record<string, string>>) =>
		codes.map((code) => wordFor(names, code)).join(", ") || "–";
	return (
		<Card
			title={words.versionNumber(version.version)}
			aside={<VersionMark article={article} version={version} />}
		>
			<p className="mb-4 text-lg font-semibold">
				{words.priceOf[interval](formatMoney(price_minor, { currency, language }))}
			</p>
			<Facts>
				{bundle !== undefined && <Fact word={words.bundle}>{wordFor(words.bundles, bundle)}</Fact>}
				{products !== undefined && <Fact word={words.products}>{list(products, texts.products)}</Fact>}
				<Fact word={words.features}>{list(version.features, texts.features)}</Fact>
				<LimitsFact version={version} />
				{trial_days !== undefined && grace_days !== undefined && (
					<Fact word={words.days}>{words.daysOf(trial_days, grace_days)}</Fact>
				)}
				<Fact word={words.made}>{formatDay(version.created_at, zone)}</Fact>
			</Facts>
			{version.retired_at === null && (
				<div className="mt-5">
					<Retire kind={kind} article={article} version={version.version} />
				</div>
			)}
		</Card>
	);
}

/** Each limit, and what is sold beyond it. */
function LimitsFact({ version: { limits, overage = {}, currency } }: { version: Version }) {
	const words = useCatalogueTexts();
	const texts = useTexts();
	const language = useLanguage();
	const codes = Object.keys(limits);
	return (
		<Fact word={words.limits}>
			{codes.length === 0 && "–"}
			<ul>
				{codes.map((code) => {
					const sold = overage[code];
					const limit = limits[code] ?? 0;
					return (
						<li key={code}>
							{wordFor(texts.limits, code)}:{" "}
							<span className="tabular-nums">
								{limit === -1 ? texts.unlimited : formatNumber(limit, language)}
							</span>
							{sold !== undefined && (
								<span className="text-quiet">
									{" "}
									{words.beyond(
										formatMoney(sold.unit_price_minor, { currency, language }),
										formatNumber(sold.cap, language),
									)}
								</span>
							)}
						</li>
					);
				})}
			</ul>
		</Fact>
	);
}

function VersionMark({ article, version }: { article: Article; version: Version }) {
	const words = useCatalogueTexts();
	const zone = { language: useLanguage(), timeZone: useZone() };
	if (version.retired_at !== null) return <Mark>{words.retiredAt(formatDay(version.retired_at, zone))}</Mark>;
	if (article.offered?.version === version.version) return <Mark kind="done">{words.offered}</Mark>;
	return <Mark>{words.kept}</Mark>;
}

function Retire({ kind, article, version }: { kind: Kind; article: Article; version: number }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const words = useCatalogueTexts();
	const isOffered = article.offered?.version === version;
	return (
		<AskedButton
			label={words.retire}
			fullLabel={words.retireOne(version)}
			question={{
				title: words.retireTitle(version, article.name),
				text: isOffered ? words.retireOffered : words.retireOlder,
				confirm: words.retireConfirm,
				busyText: words.retiring,
			}}
			deed={() => retireVersion(platform, { kind, code: article.code, version })}
			onDone={async () => {
				await queries.invalidateQueries({ queryKey: articlesKey(kind) });
				showToast("done", words.retiredDone(version));
			}}
			own={words.refused}
		/>
	);
}
