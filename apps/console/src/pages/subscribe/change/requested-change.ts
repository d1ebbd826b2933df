import type { AddOn, Plan, Subscription, TenantAddOn } from "@lango/contracts";
import { type Gain, gainOf, joinTerms, offerOf } from "../../../subscription/offer.ts";

/** What an address asks for: a plan, an add-on to take, or one to drop. */
export type ChangeSearch = { plan?: string; add?: string; drop?: string };

/** What a page of change is about. */
export type RequestedChange =
	/** A plan that is paid for before it is there. */
	| { kind: "pay"; plan: Plan }
	/** Something else in place of what is paid, by a quote. */
	| {
			kind: "change";
			what: "plan" | "add" | "drop";
			name: string;
			body: { plan: string } | { add_ons: string[] };
			gain: Gain;
			/** Price of each interval afterwards, in lowest units. */
			price: { minor: number; currency: string; interval: Plan["interval"] };
	  };

type Catalogue = {
	subscription: Subscription | null;
	plans: readonly Plan[];
	addOns: readonly AddOn[];
	held: readonly TenantAddOn[];
	/** What the plan they have costs: who has a version keeps it. */
	ownPrice: { price_minor: number; currency: string; interval: Plan["interval"] };
};

/** What the address comes to as things stand; undefined when there is nothing to change or to pay. */
export function readRequestedChange(search: ChangeSearch, known: Catalogue): RequestedChange | undefined {
	if (search.plan !== undefined) return wantedPlan(search.plan, known);
	if (known.subscription?.status !== "ACTIVE") return undefined;
	if (search.add !== undefined) return wantedAddOn(search.add, known);
	return search.drop === undefined ? undefined : dropped(search.drop, known);
}

function wantedPlan(
	code: string,
	{ subscription, plans, addOns, held }: Catalogue,
): RequestedChange | undefined {
	const plan = plans.find((one) => one.code === code);
	if (plan === undefined || subscription === null) return undefined;
	const offer = offerOf(subscription, code);
	if (offer === "pay" || offer === "pay_yours") return { kind: "pay", plan };
	if (offer !== "change" && offer !== "coming") return undefined;
	const kept = present(held);
	const terms = addOns.filter((one) => kept.some((own) => own.code === one.code));
	return {
		kind: "change",
		what: "plan",
		name: plan.name,
		body: { plan: code },
		gain: gainOf(subscription, joinTerms(plan, terms)),
		price: priceOf(plan, kept),
	};
}

function wantedAddOn(
	code: string,
	{ subscription, addOns, held, ownPrice }: Catalogue,
): RequestedChange | undefined {
	const addOn = addOns.find((one) => one.code === code);
	const kept = present(held);
	if (addOn === undefined || subscription === null || kept.some((one) => one.code === code)) return undefined;
	return {
		kind: "change",
		what: "add",
		name: addOn.name,
		body: { add_ons: [...kept.map((one) => one.code), code] },
		gain: gainOf(subscription, joinTerms(subscription, [addOn])),
		price: priceOf(ownPrice, [...kept, addOn]),
	};
}

function dropped(code: string, { addOns, held, ownPrice }: Catalogue): RequestedChange | undefined {
	const kept = present(held);
	if (kept.every((one) => one.code !== code)) return undefined;
	const rest = kept.filter((one) => one.code !== code);
	return {
		kind: "change",
		what: "drop",
		name: addOns.find((one) => one.code === code)?.name ?? code,
		body: { add_ons: rest.map((one) => one.code) },
		gain: { features: [], products: [], limits: [] },
		price: priceOf(ownPrice, rest),
	};
}

const present = (held: readonly TenantAddOn[]) => held.filter(({ starts_at }) => starts_at === null);

type Priced = Pick<Plan, "price_minor" | "currency" | "interval">;
const monthsOf = { month: 1, year: 12 } as const;

/** A plan with add-ons, each for as long as the plan's interval is. */
function priceOf({ price_minor, currency, interval }: Priced, addOns: readonly Priced[]) {
	const beside = addOns.map((one) =>
		Math.round((one.price_minor * monthsOf[interval]) / monthsOf[one.interval]),
	);
	return { minor: beside.reduce((sum, price) => sum + price, price_minor), currency, interval };
}
