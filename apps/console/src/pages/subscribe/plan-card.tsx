import type { Plan, Subscription } from "@lango/contracts";
import { buttonLook } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Badge } from "../../layout/badge.tsx";
import { offerOf, pricePerYear } from "../../subscription/offer.ts";
import { useSubscribeTexts } from "../../subscription/texts.ts";
import type { SubscriptionContext } from "../../subscription/use-subscription-context.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { SwitchButton, TrialButton } from "./select-plan.tsx";

type PlanCard = {
	plan: Plan;
	/** The tenant's plan, if it is still on offer. */
	own: Plan | undefined;
	/** Whether the user chose this plan at registration and has no subscription yet. */
	isRegistered: boolean;
	subscription: Subscription | null;
	context: SubscriptionContext;
	slug: string;
};

/** A plan: its price, its content and the action for it. */
export function PlanCard(card: PlanCard) {
	const { plan, subscription, context, isRegistered } = card;
	const format = useFormat();
	const words = useSubscribeTexts();
	const { name, price_minor, currency, interval, trial_days } = plan;
	const offer = offerOf(subscription, plan.code);
	const isYours = offer === "yours" || offer === "pay_yours";
	return (
		<li
			className={`flex flex-col rounded-xl border bg-field p-5 ${isYours || isRegistered ? "border-link ring-1 ring-link" : "border-hair"}`}
		>
			<div className="flex min-h-8 flex-wrap items-center justify-between gap-x-3 gap-y-1">
				<h3 className="font-display text-xl leading-tight">{name}</h3>
				{isYours && <Badge kind="done">{words.yours}</Badge>}
				{isRegistered && <Badge kind="done">{words.registered}</Badge>}
				{offer === "coming" && <Badge kind="warning">{words.coming}</Badge>}
			</div>
			<p className="mt-2 text-lg font-semibold">
				{words.price(format.money(price_minor, currency), interval)}
			</p>
			<p className="text-quiet">{offer === "trial" && trial_days > 0 ? words.trial(trial_days) : ""}</p>
			<Holds plan={plan} />
			<div className="mt-auto pt-6 empty:hidden">{context.mayChange && <Step {...card} />}</div>
		</li>
	);
}

function Holds({ plan: { limits, features, products } }: { plan: Plan }) {
	const format = useFormat();
	const words = useSubscribeTexts();
	const texts = useTexts();
	return (
		<>
			<h4 className="mt-4 text-sm text-quiet">{words.limits}</h4>
			<dl className="mt-1 grid grid-cols-[1fr_auto] gap-x-4 gap-y-0.5">
				{Object.entries(limits).map(([code, limit]) => (
					<div key={code} className="contents">
						<dt>{wordFor(texts.limits, code)}</dt>
						<dd className="text-end tabular-nums">{format.limit(limit)}</dd>
					</div>
				))}
			</dl>
			<h4 className="mt-4 text-sm text-quiet">{words.features}</h4>
			{features.length === 0 ? (
				<p className="mt-1">{words.noFeatures}</p>
			) : (
				<Ticked>{features.map((code) => wordFor(texts.features, code))}</Ticked>
			)}
			<h4 className="mt-4 text-sm text-quiet">{words.products}</h4>
			<p className="mt-1">{products.map((code) => wordFor(texts.products, code)).join(", ")}</p>
		</>
	);
}

function Ticked({ children }: { children: readonly string[] }): ReactNode {
	return (
		<ul className="mt-1 grid gap-0.5">
			{children.map((text) => (
				<li key={text} className="flex items-baseline gap-2">
					<svg aria-hidden="true" viewBox="0 0 12 10" className="h-2.5 w-3 shrink-0 text-done">
						<path d="M1 5.5 4.5 9 11 1" fill="none" stroke="currentColor" strokeWidth="2" />
					</svg>
					{text}
				</li>
			))}
		</ul>
	);
}

const wide = "w-full";

/** The action for a plan, depending on the subscription. */
function Step({ plan, own, isRegistered, subscription, context, slug }: PlanCard) {
	const { offers } = useSubscribeTexts();
	const offer = offerOf(subscription, plan.code);
	switch (offer) {
		case "yours":
		case "coming":
			return null;
		case "trial":
			return <TrialButton plan={plan} context={context} isFirst={isRegistered} />;
		case "switch":
			return <SwitchButton plan={plan} context={context} />;
		case "pay":
		case "pay_yours":
			return (
				<ChangeLink slug={slug} plan={plan} isFirst={offer === "pay_yours"}>
					{offers[offer](plan.name)}
				</ChangeLink>
			);
		case "change": {
			const isDearer = own === undefined || pricePerYear(plan) > pricePerYear(own);
			return (
				<ChangeLink slug={slug} plan={plan} isFirst={false}>
					{isDearer ? offers.upgrade(plan.name) : offers.downgrade(plan.name)}
				</ChangeLink>
			);
		}
	}
}

type ChangeLink = { slug: string; plan: Plan; isFirst: boolean; children: string };

function ChangeLink({ slug, plan, isFirst, children }: ChangeLink) {
	return (
		<Link
			to="/$slug/subscribe/change"
			params={{ slug }}
			search={{ plan: plan.code }}
			className={`${buttonLook(isFirst ? "action" : "plain")} ${wide}`}
		>
			{children}
		</Link>
	);
}
