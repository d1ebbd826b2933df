import type { SubscriptionStanding } from "@lango/client";
import { judgeSubscription } from "@lango/client";
import { useClient, useClientState } from "@lango/client/react";
import type { Plan } from "@lango/contracts";
import { Button, formatMoney, formatNumber, Notice, useLanguage } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { Page } from "../../frame/page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../session/platform.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { plansQuery } from "./plan.queries.ts";
import { useSubscribeTexts } from "./texts.ts";

const route = getRouteApi("/$slug/subscribe");

/** `/{slug}/subscribe`: the plans, and for who comes here because the subscription is over, the way on to reading (§5.16). */
export function SubscribePage() {
	const state = useClientState();
	const plans = useQuery(plansQuery(usePlatform()));
	const words = useSubscribeTexts();
	if (state.status !== "ready") return null;
	const { subscription } = state;
	const planNow = subscription.kind === "found" ? subscription.subscription.plan : undefined;
	return (
		<Page title={words.title} lead={words.lead}>
			<Standing standing={subscription} />
			<Loaded query={plans}>
				{(all) =>
					all.length === 0 ? (
						<p className="text-quiet">{words.none}</p>
					) : (
						<ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
							{all.map((plan) => (
								<PlanCard key={plan.code} plan={plan} isYours={plan.code === planNow} />
							))}
						</ul>
					)
				}
			</Loaded>
		</Page>
	);
}

function Standing({ standing }: { standing: SubscriptionStanding }) {
	const client = useClient();
	const { slug } = route.useParams();
	const { history } = useRouter();
	const words = useSubscribeTexts();
	const verdict = judgeSubscription(standing);
	if (verdict.go === "on") return null;
	const goOn = () => {
		client.continueUnsubscribed();
		history.push(`/${slug}`);
	};
	return (
		<div className="mb-6">
			<Notice kind="heed">
				<p>{verdict.access === "none" ? words.missing : words.expired}</p>
				{verdict.mayContinue && (
					<Button className="mt-3" onClick={goOn}>
						{words.goOn}
					</Button>
				)}
			</Notice>
		</div>
	);
}

function PlanCard({ plan, isYours }: { plan: Plan; isYours: boolean }) {
	const language = useLanguage();
	const words = useSubscribeTexts();
	const texts = useTexts();
	const { name, price_minor, currency, interval, trial_days, features, limits } = plan;
	return (
		<li className="rounded-xl border border-hair bg-field p-5">
			<h2 className="font-display text-xl">
				{name}
				{isYours && (
					<span className="ml-3 rounded-md bg-done-wash px-2 py-0.5 font-sans text-sm text-done">
						{words.yours}
					</span>
				)}
			</h2>
			<p className="mt-1 font-semibold">
				{words.price(formatMoney(price_minor, { currency, language }), interval)}
			</p>
			{trial_days > 0 && <p className="text-quiet">{words.trial(trial_days)}</p>}
			<h3 className="mt-4 text-sm text-quiet">{words.limits}</h3>
			<dl className="mt-1 grid grid-cols-[1fr_auto] gap-x-4 gap-y-0.5">
				{Object.entries(limits).map(([code, limit]) => (
					<div key={code} className="contents">
						<dt>{wordFor(texts.limits, code)}</dt>
						<dd className="text-end tabular-nums">
							{limit === -1 ? texts.unlimited : formatNumber(limit, language)}
						</dd>
					</div>
				))}
			</dl>
			<h3 className="mt-4 text-sm text-quiet">{words.features}</h3>
			<p className="mt-1">{features.map((code) => wordFor(texts.features, code)).join(", ") || "–"}</p>
		</li>
	);
}
