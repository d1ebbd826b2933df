import type { AddOn, Subscription, TenantAddOn } from "@lango/contracts";
import { buttonLook } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Badge } from "../../layout/badge.tsx";
import { Section } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { gainOf, isGain, joinTerms } from "../../subscription/offer.ts";
import { addOnsQuery, tenantAddOnsQuery } from "../../subscription/subscription.queries.ts";
import { useSubscribeTexts } from "../../subscription/texts.ts";
import type { SubscriptionContext } from "../../subscription/use-subscription-context.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";

type Listed = { subscription: Subscription | null; context: SubscriptionContext; slug: string };

/** The add-ons for a plan. They are added and removed by a quote, as plans are changed. */
export function AddOnList({ subscription, context, slug }: Listed) {
	const platform = usePlatform();
	const addOns = useQuery(addOnsQuery(platform));
	const ownAddOns = useQuery(tenantAddOnsQuery(platform, context.tenantId)).data ?? [];
	const words = useSubscribeTexts();
	const mayChoose = context.mayChange && subscription?.status === "ACTIVE";
	const isTooEarly = context.mayChange && !mayChoose;
	return (
		<Section title={words.addOns} lead={isTooEarly ? words.addOn.whenPaid : words.addOnsLead}>
			<Loaded query={addOns}>
				{(all) =>
					all.length === 0 ? (
						<p className="text-quiet">{words.noAddOns}</p>
					) : (
						<ul className="divide-y divide-hair rounded-xl border border-hair bg-field px-5">
							{all.map((addOn) => (
								<AddOnLine
									key={addOn.code}
									addOn={addOn}
									isIncluded={isIncluded(subscription, addOn)}
									own={ownAddOns.find(({ code }) => code === addOn.code)}
									slug={mayChoose ? slug : undefined}
								/>
							))}
						</ul>
					)
				}
			</Loaded>
		</Section>
	);
}

/** Whether the plan already includes everything in the add-on. */
function isIncluded(subscription: Subscription | null, addOn: AddOn): boolean {
	if (subscription === null || subscription.access !== "full") return false;
	return !isGain(gainOf(subscription, joinTerms(subscription, [addOn])));
}

type Line = {
	addOn: AddOn;
	isIncluded: boolean;
	own: TenantAddOn | undefined;
	/** The tenant's slug if add-ons can be changed; undefined otherwise. */
	slug: string | undefined;
};

function AddOnLine({ addOn, isIncluded, own, slug }: Line) {
	const format = useFormat();
	const words = useSubscribeTexts();
	const { name, code, price_minor, currency, interval } = own === undefined ? addOn : { ...addOn, ...own };
	const look = `${buttonLook("plain")} w-full sm:w-auto`;
	const target = { to: "/$slug/subscribe/change", params: { slug: slug ?? "" } } as const;
	return (
		<li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 py-4">
			<div className="min-w-0">
				<p className="flex flex-wrap items-center gap-x-3 gap-y-1">
					<span className="text-lg font-semibold">{name}</span>
					{own && <AddOnStatus own={own} />}
					{own === undefined && isIncluded && <Badge>{words.addOn.included}</Badge>}
				</p>
				<p>{words.price(format.money(price_minor, currency), interval)}</p>
				<p className="text-quiet">{words.addOn.brings(useContent(addOn))}</p>
			</div>
			{slug !== undefined && own === undefined && !isIncluded && (
				<Link {...target} search={{ add: code }} className={look} aria-label={words.addOn.addOne(name)}>
					{words.addOn.add}
				</Link>
			)}
			{slug !== undefined && own?.ends_at === null && own.starts_at === null && (
				<Link {...target} search={{ drop: code }} className={look} aria-label={words.addOn.removeOne(name)}>
					{words.addOn.remove}
				</Link>
			)}
		</li>
	);
}

function AddOnStatus({ own: { starts_at, ends_at } }: { own: TenantAddOn }) {
	const { addOn } = useSubscribeTexts();
	const format = useFormat();
	if (ends_at !== null) return <Badge kind="warning">{addOn.goes(format.day(ends_at))}</Badge>;
	if (starts_at !== null) return <Badge kind="warning">{addOn.comes(format.day(starts_at))}</Badge>;
	return <Badge kind="done">{addOn.yours}</Badge>;
}

/** The content of an add-on: products, features and additional limits. */
function useContent({ products, features, limits }: AddOn): string {
	const texts = useTexts();
	const format = useFormat();
	const more = Object.entries(limits).map(
		([code, limit]) =>
			`${wordFor(texts.limits, code)}: ${limit === -1 ? texts.unlimited : `+${format.number(limit)}`}`,
	);
	return [
		...products.map((code) => wordFor(texts.products, code)),
		...features.map((code) => wordFor(texts.features, code)),
		...more,
	].join(", ");
}
