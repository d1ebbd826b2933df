import { useProfile } from "@lango/client/react";
import type { BillingInterval, Plan, Subscription } from "@lango/contracts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Section } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { chosenFirst } from "../../subscription/offer.ts";
import { plansQuery } from "../../subscription/subscription.queries.ts";
import { type SubscribeTexts, useSubscribeTexts } from "../../subscription/texts.ts";
import type { SubscriptionContext } from "../../subscription/use-subscription-context.ts";
import { PlanCard } from "./plan-card.tsx";

type PlanChoice = { subscription: Subscription | null; context: SubscriptionContext; slug: string };

/** The plans on offer. Monthly and yearly plans are shown separately if there are both. */
export function PlanChoice(choice: PlanChoice) {
	const plans = useQuery(plansQuery(usePlatform()));
	const words = useSubscribeTexts();
	return (
		<Section title={words.plans}>
			<Loaded query={plans}>
				{(all) =>
					all.length === 0 ? <p className="text-quiet">{words.none}</p> : <Cards all={all} {...choice} />
				}
			</Loaded>
		</Section>
	);
}

function Cards({ all, subscription, context, slug }: PlanChoice & { all: readonly Plan[] }) {
	const words = useSubscribeTexts();
	const own = all.find(({ code }) => code === subscription?.plan);
	const profile = useProfile();
	// The choice at registration counts only without a subscription.
	const registered = subscription === null ? profile?.selectedPlan : undefined;
	const isRegistered = ({ code }: Plan) => code === registered;
	const [chosen, setChosen] = useState<BillingInterval>();
	const intervals = (["month", "year"] as const).filter((one) =>
		all.some(({ interval }) => interval === one),
	);
	const shown = chosen ?? own?.interval ?? all.find(isRegistered)?.interval ?? intervals[0];
	return (
		<>
			{intervals.length > 1 && (
				<IntervalChoice intervals={intervals} shown={shown} onChoose={setChosen} words={words} />
			)}
			<ul className="grid gap-4 sm:grid-cols-2 md:grid-cols-3 lg:grid-cols-2 lg:gap-5 xl:grid-cols-3">
				{chosenFirst(all, registered)
					.filter(({ interval }) => interval === shown)
					.map((plan) => (
						<PlanCard
							key={plan.code}
							plan={plan}
							own={own}
							isRegistered={isRegistered(plan)}
							{...{ subscription, context, slug }}
						/>
					))}
			</ul>
		</>
	);
}

type IntervalChoice = {
	intervals: readonly BillingInterval[];
	shown: BillingInterval | undefined;
	onChoose: (interval: BillingInterval) => void;
	words: SubscribeTexts;
};

function IntervalChoice({ intervals, shown, onChoose, words }: IntervalChoice) {
	return (
		<fieldset className="mb-5">
			<legend className="sr-only">{words.interval}</legend>
			<div className="inline-flex rounded-lg border border-edge bg-field p-1">
				{intervals.map((interval) => (
					<label
						key={interval}
						className="relative flex min-h-11 cursor-pointer items-center rounded-md px-5 font-semibold text-link has-checked:bg-panel has-checked:text-panel-ink has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring"
					>
						<input
							type="radio"
							name="interval"
							value={interval}
							checked={interval === shown}
							onChange={() => onChoose(interval)}
							className="sr-only"
						/>
						{words.intervals[interval]}
					</label>
				))}
			</div>
		</fieldset>
	);
}
