import { buttonLook, Pager } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { BackLink } from "../../layout/back-link.tsx";
import { Badge } from "../../layout/badge.tsx";
import { Detail, Details } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Card } from "../../layout/section.tsx";
import { ListFrame } from "../../lists/list-frame.tsx";
import { usePagedList } from "../../lists/paged-list.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useSlug } from "../../tenant/use-tenant.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import {
	type CatalogueItem,
	itemQuery,
	itemsKey,
	type Kind,
	retireVersion,
	type Version,
	versionsAddress,
} from "./catalogue.queries.ts";
import { nextOf } from "./item-paths.ts";
import { useCatalogueTexts } from "./texts.ts";

const planRoute = getRouteApi("/$slug/platform/plans/$code");
const addOnRoute = getRouteApi("/$slug/platform/add-ons/$code");

/** `/{slug}/platform/plans/{code}`: a plan with all its versions. */
export function PlanPage() {
	return <ItemPage kind="plans" code={planRoute.useParams().code} />;
}

/** `/{slug}/platform/add-ons/{code}`: an add-on with all its versions. */
export function AddOnPage() {
	return <ItemPage kind="add-ons" code={addOnRoute.useParams().code} />;
}

function ItemPage({ kind, code }: { kind: Kind; code: string }) {
	const slug = useSlug();
	const item = useQuery(itemQuery(usePlatform(), kind, code));
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
				title={item.data?.name ?? code}
				lead={words.kinds[kind].oneLead}
				actions={item.data !== null && next}
			>
				<Loaded query={item} isMain>
					{(found) =>
						found === null ? (
							<p className="text-quiet">{words.kinds[kind].none(code)}</p>
						) : (
							<Versions kind={kind} item={found} />
						)
					}
				</Loaded>
			</Page>
		</>
	);
}

function Versions({ kind, item }: { kind: Kind; item: CatalogueItem }) {
	const words = useCatalogueTexts();
	const { pages, pageSize, query } = usePagedList<Version>({
		key: [...itemsKey(kind), "versions", item.code],
		address: versionsAddress(usePlatform(), kind, item.code),
		pageSize: 6,
	});
	return (
		<ListFrame pages={pages}>
			{(shown) => (
				<Loaded query={query}>
					{({ items, next_cursor, total }) => (
						<div aria-busy={query.isPlaceholderData} className={query.isPlaceholderData ? "opacity-60" : ""}>
							{items.length === 0 && <p className="text-quiet">{words.noVersion}</p>}
							<ul className="grid items-start gap-5 lg:grid-cols-2">
								{items.map((version) => (
									<li key={version.version}>
										<VersionCard kind={kind} item={item} version={version} />
									</li>
								))}
							</ul>
							<Pager
								pages={shown}
								nextCursor={next_cursor}
								{...{ size: pageSize, count: items.length, total }}
							/>
						</div>
					)}
				</Loaded>
			)}
		</ListFrame>
	);
}

type VersionCard = { kind: Kind; item: CatalogueItem; version: Version };

function VersionCard({ kind, item, version }: VersionCard) {
	const words = useCatalogueTexts();
	const texts = useTexts();
	const format = useFormat();
	const { price_minor, currency, interval, bundle, products, trial_days, grace_days } = version;
	const list = (codes: readonly string[], names: Readonly<Record<string, string>>) =>
		codes.map((code) => wordFor(names, code)).join(", ") || "–";
	return (
		<Card title={words.versionNumber(version.version)} aside={<VersionMark item={item} version={version} />}>
			<p className="mb-4 text-lg font-semibold">
				{words.priceOf[interval](format.money(price_minor, currency))}
			</p>
			<Details>
				{bundle !== undefined && <Detail label={words.bundle}>{wordFor(words.bundles, bundle)}</Detail>}
				{products !== undefined && <Detail label={words.products}>{list(products, texts.products)}</Detail>}
				<Detail label={words.features}>{list(version.features, texts.features)}</Detail>
				<LimitsFact version={version} />
				{trial_days !== undefined && grace_days !== undefined && (
					<Detail label={words.days}>{words.daysOf(trial_days, grace_days)}</Detail>
				)}
				<Detail label={words.made}>{format.day(version.created_at)}</Detail>
			</Details>
			{version.retired_at === null && (
				<div className="mt-5">
					<Retire kind={kind} item={item} version={version.version} />
				</div>
			)}
		</Card>
	);
}

/** Each limit, with the price and maximum of usage over it. */
function LimitsFact({ version: { limits, overage = {}, currency } }: { version: Version }) {
	const words = useCatalogueTexts();
	const texts = useTexts();
	const format = useFormat();
	const codes = Object.keys(limits);
	return (
		<Detail label={words.limits}>
			{codes.length === 0 && "–"}
			<ul>
				{codes.map((code) => {
					const sold = overage[code];
					const limit = limits[code] ?? 0;
					return (
						<li key={code}>
							{wordFor(texts.limits, code)}: <span className="tabular-nums">{format.limit(limit)}</span>
							{sold !== undefined && (
								<span className="text-quiet">
									{" "}
									{words.beyond(format.money(sold.unit_price_minor, currency), format.number(sold.cap))}
								</span>
							)}
						</li>
					);
				})}
			</ul>
		</Detail>
	);
}

function VersionMark({ item, version }: { item: CatalogueItem; version: Version }) {
	const words = useCatalogueTexts();
	const format = useFormat();
	if (version.retired_at !== null) return <Badge>{words.retiredAt(format.day(version.retired_at))}</Badge>;
	if (item.offered?.version === version.version) return <Badge kind="done">{words.offered}</Badge>;
	return <Badge>{words.kept}</Badge>;
}

function Retire({ kind, item, version }: { kind: Kind; item: CatalogueItem; version: number }) {
	const platform = usePlatform();
	const words = useCatalogueTexts();
	const isOffered = item.offered?.version === version;
	return (
		<ConfirmButton
			isDestructive
			texts={{
				...words.retire,
				labelOf: () => words.retire.labelOf(`${version}`),
				title: words.retire.title(`${version}`, item.name),
				done: words.retire.done(`${version}`),
				text: isOffered ? words.retire.textOffered : words.retire.textOlder,
			}}
			name={item.name}
			asksByName
			action={() => retireVersion(platform, { kind, code: item.code, version })}
			invalidates={itemsKey(kind)}
			messages={words.errors}
		/>
	);
}
