import type { Subscription, SubscriptionBilling, SubscriptionStatus } from "@lango/contracts";
import { Button, formatDay, formatMoney, Notice, useLanguage } from "@lango/interface";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { AskedButton } from "../../asking/asked-button.tsx";
import { Card } from "../../frame/card.tsx";
import { Mark } from "../../frame/mark.tsx";
import { Fault } from "../../notices/fault.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../session/platform.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import { billingQuery, subscriptionAddress } from "./subscribe.queries.ts";
import { useSubscribeTexts } from "./texts.ts";
import { usePlanName } from "./use-plan-name.ts";
import type { Desk } from "./use-subscription-desk.ts";

const kinds: Readonly<Record<SubscriptionStatus, "done" | "heed" | "fault">> = {
	TRIAL: "done",
	ACTIVE: "done",
	PAST_DUE: "heed",
	EXPIRED: "fault",
};

/** What the tenant has: plan and status, until when, what is paid next; what was scheduled, and taking it back. */
export function OwnPlan({ subscription, desk }: { subscription: Subscription; desk: Desk }) {
	const words = useSubscribeTexts();
	const nameOf = usePlanName();
	const billing = useQuery({
		...billingQuery(usePlatform(), desk.mayChange ? desk.tenantId : ""),
	}).data;
	const { plan, status } = subscription;
	return (
		<Card title={words.own.title}>
			<p className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1">
				<span className="font-display text-3xl leading-none">{nameOf(plan)}</span>
				<Mark kind={kinds[status]}>{words.own.statuses[status]}</Mark>
			</p>
			<Facts subscription={subscription} billing={billing ?? undefined} />
			<Scheduled subscription={subscription} billing={billing ?? undefined} desk={desk} />
			{desk.mayChange && billing && <Ending subscription={subscription} billing={billing} desk={desk} />}
		</Card>
	);
}

type Shown = { subscription: Subscription; billing: SubscriptionBilling | undefined };

function Facts({ subscription, billing }: Shown) {
	const { own } = useSubscribeTexts();
	const zone = { language: useLanguage(), timeZone: useZone() };
	const { status, expires_at } = subscription;
	const ends = billing?.period_ends_at ?? null;
	const isCancelled = (billing?.cancelled_at ?? null) !== null;
	return (
		<dl className="flex flex-wrap gap-x-12 gap-y-3">
			<Fact word={wordForEnd(status, own, isCancelled)}>{formatDay(expires_at, zone)}</Fact>
			{status === "PAST_DUE" && ends !== null && <Fact word={own.dueSince}>{formatDay(ends, zone)}</Fact>}
			{billing && <Paid status={status} billing={billing} />}
		</dl>
	);
}

/** What is paid next, and from what credit. */
function Paid({ status, billing }: { status: SubscriptionStatus; billing: SubscriptionBilling }) {
	const { own, price } = useSubscribeTexts();
	const language = useLanguage();
	const zone = { language, timeZone: useZone() };
	const { currency, balance_minor, period_ends_at: ends, cancelled_at, next_period } = billing;
	const money = (minor: number) => formatMoney(minor, { currency, language });
	const next = price(money(next_period.amount_minor), next_period.interval);
	return (
		<>
			{status === "ACTIVE" && <Begins billing={billing} />}
			{status === "ACTIVE" && ends !== null && (
				<Fact word={own.nextPayment}>
					{cancelled_at === null ? own.nextText(next, formatDay(ends, zone)) : own.nothingNext}
				</Fact>
			)}
			{balance_minor > 0 && <Fact word={own.credit}>{own.creditText(money(balance_minor))}</Fact>}
		</>
	);
}

/** What was paid in a trial begins where it ends. */
function Begins({ billing }: { billing: SubscriptionBilling }) {
	const { own } = useSubscribeTexts();
	const zone = { language: useLanguage(), timeZone: useZone() };
	const { period_started_at: starts } = billing;
	if (starts === null || new Date(starts) <= new Date()) return null;
	return <Fact word={own.paidBegins}>{formatDay(starts, zone)}</Fact>;
}

type Words = ReturnType<typeof useSubscribeTexts>["own"];

function wordForEnd(status: SubscriptionStatus, own: Words, isCancelled: boolean): string {
	if (status === "TRIAL") return own.trialUntil;
	if (status === "PAST_DUE") return own.runsOut;
	if (status === "EXPIRED") return own.ended;
	return isCancelled ? own.endsOn : own.paidUntil;
}

function Fact({ word, children }: { word: string; children: ReactNode }) {
	return (
		<div>
			<dt className="text-sm text-quiet">{word}</dt>
			<dd className="wrap-anywhere">{children}</dd>
		</div>
	);
}

/** A change that waits for the period's end, and its withdrawal. One that waits for money is shown as its payment. */
function Scheduled({ subscription, billing, desk }: Shown & { desk: Desk }) {
	const platform = usePlatform();
	const { own, refused } = useSubscribeTexts();
	const nameOf = usePlanName();
	const zone = { language: useLanguage(), timeZone: useZone() };
	const { pending_change: pending, plan } = subscription;
	if (pending === null) return null;
	const { effective_at: at } = pending;
	const says =
		at === null
			? own.waits(nameOf(pending.plan))
			: pending.plan === plan
				? own.scheduledAddOns(formatDay(at, zone))
				: own.scheduled(nameOf(pending.plan), formatDay(at, zone));
	return (
		<div className="mt-5">
			<Notice kind="heed">
				<p>{says}</p>
				{desk.mayChange && billing?.open_payment_id == null && (
					<AskedButton
						className="mt-3"
						label={own.withdraw}
						question={{
							title: own.withdrawTitle,
							text: own.withdrawText,
							confirm: own.withdraw,
							busyText: own.withdrawing,
						}}
						deed={() =>
							platform.client.call(subscriptionAddress(platform, desk.tenantId, "/pending-change"), {
								method: "DELETE",
							})
						}
						onDone={async () => {
							showToast("done", own.withdrawn);
							await desk.renew();
						}}
						own={refused}
					/>
				)}
			</Notice>
		</div>
	);
}

/** Cancelling what is renewed, and renewing after all what was cancelled. */
function Ending({ subscription, billing, desk }: Shown & { billing: SubscriptionBilling; desk: Desk }) {
	const platform = usePlatform();
	const { own, refused } = useSubscribeTexts();
	const zone = { language: useLanguage(), timeZone: useZone() };
	const { status } = subscription;
	const address = (word: string) => subscriptionAddress(platform, desk.tenantId, word);
	const resume = useMutation({
		mutationFn: () => platform.client.call(address("/resume"), { method: "POST" }),
		onSuccess: async () => {
			showToast("done", own.resumed);
			await desk.renew();
		},
	});
	const ends = billing.period_ends_at;
	if ((status !== "ACTIVE" && status !== "PAST_DUE") || ends === null) return null;
	if (billing.cancelled_at !== null)
		return (
			<div className="mt-5 grid gap-3">
				<Notice kind="heed">
					<p>{own.cancelled(formatDay(ends, zone))}</p>
					<Button
						className="mt-3"
						busyText={resume.isPending ? own.resuming : undefined}
						onClick={() => resume.mutate()}
					>
						{own.resume}
					</Button>
				</Notice>
				<Fault error={resume.error} own={refused} />
			</div>
		);
	return (
		<div className="mt-5 border-t border-hair pt-3">
			<AskedButton
				kind="quiet"
				label={own.cancel}
				question={{
					title: own.cancelTitle,
					text: status === "ACTIVE" ? own.cancelText(formatDay(ends, zone)) : own.cancelNow,
					confirm: own.cancel,
					busyText: own.cancelling,
				}}
				deed={() => platform.client.call(address("/cancel"), { method: "POST" })}
				onDone={async () => {
					showToast("done", own.cancelDone);
					await desk.renew();
				}}
				own={refused}
			/>
		</div>
	);
}
