import type { AddOn, Plan, Subscription, TenantAddOn } from "@lango/contracts";
import { type Gain, gainOf, joinTerms, offerOf } from "../../../subscription/offer.ts";

/** The search parameters: a plan, an add-on to add, or one to remove. */
export type ChangeSearch = { plan?: string; add?: string; drop?: string };

/** The change that the page is about. */
export type RequestedChange =
	/** A plan that must be paid before it starts. */
	| { kind: "pay"; plan: Plan }
	/** A change of what is already paid, by a quote. */
	| {
			kind: "change";
			what: "plan" | "add" | "drop";
			name: string;
			body: { plan: string } | { add_ons: string[] };
			gain: Gain;
			/** The price per interval after the change, in minor units. */
			price: { minor: number; currency: string; interval: Plan["interval"] };
	  };

type SubscriptionData = {
	subscription: Subscription | null;
	plans: readonly Plan[];
	addOns: readonly AddOn[];
	ownAddOns: readonly TenantAddOn[];
	/** The price of the tenant's plan. A subscriber keeps the price of their version. */
	ownPrice: { price_minor: number; currency: string; interval: Plan["interval"] };
};

/** Resolves the search parameters; undefined if there is nothing to change or to pay. */
export function readRequestedChange(
	search: ChangeSearch,
	data: SubscriptionData,
): RequestedChange | undefined {
	if (search.plan !== undefined) return planChange(search.plan, data);
	if (data.subscription?.status !== "ACTIVE") return undefined;
	if (search.add !== undefined) return addOnChange(search.add, data);
	return search.drop === undefined ? undefined : removalOf(search.drop, data);
}

function planChange(
	code: string,
	{ subscription, plans, addOns, ownAddOns }: SubscriptionData,
): RequestedChange | undefined {
	const plan = plans.find((one) => one.code === code);
	if (plan === undefined || subscription === null) return undefined;
	const offer = offerOf(subscription, code);
	if (offer === "pay" || offer === "pay_yours") return { kind: "pay", plan };
	if (offer !== "change" && offer !== "coming") return undefined;
	const kept = present(ownAddOns);
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

function addOnChange(
	code: string,
	{ subscription, addOns, ownAddOns, ownPrice }: SubscriptionData,
): RequestedChange | undefined {
	const addOn = addOns.find((one) => one.code === code);
	const kept = present(ownAddOns);
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

function removalOf(
	code: string,
	{ addOns, ownAddOns, ownPrice }: SubscriptionData,
): RequestedChange | undefined {
	const kept = present(ownAddOns);
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

const present = (ownAddOns: readonly TenantAddOn[]) =>
	ownAddOns.filter(({ starts_at }) => starts_at === null);

type Priced = Pick<Plan, "price_minor" | "currency" | "interval">;
const monthsOf = { month: 1, year: 12 } as const;

/** The price of a plan with add-ons, each converted to the plan's interval. */
function priceOf({ price_minor, currency, interval }: Priced, addOns: readonly Priced[]) {
	const beside = addOns.map((one) =>
		Math.round((one.price_minor * monthsOf[interval]) / monthsOf[one.interval]),
	);
	return { minor: beside.reduce((sum, price) => sum + price, price_minor), currency, interval };
}
