import type { Subscription, SubscriptionBilling, SubscriptionStatus } from "@lango/contracts";
import { Button, Notice } from "@lango/interface";
import { useMutation, useQuery } from "@tanstack/react-query";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { Detail } from "../../layout/details.tsx";
import { Card } from "../../layout/section.tsx";
import { ErrorNotice } from "../../notices/error-notice.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../platform.ts";
import { PlanHeading } from "../../subscription/plan-heading.tsx";
import { billingQuery, subscriptionAddress } from "../../subscription/subscription.queries.ts";
import { useSubscribeTexts } from "../../subscription/texts.ts";
import { usePlanName } from "../../subscription/use-plan-name.ts";
import type { SubscriptionContext } from "../../subscription/use-subscription-context.ts";
import { useFormat } from "../../tenant/use-format.ts";

/** The tenant's plan: status, expiry and next payment. Also a scheduled change, which can be withdrawn. */
export function OwnPlan({
	subscription,
	context,
}: {
	subscription: Subscription;
	context: SubscriptionContext;
}) {
	const words = useSubscribeTexts();
	const billing = useQuery({
		...billingQuery(usePlatform(), context.mayChange ? context.tenantId : ""),
	}).data;
	return (
		<Card title={words.own.title}>
			<PlanHeading subscription={subscription} />
			<Dates subscription={subscription} billing={billing ?? undefined} />
			<Scheduled subscription={subscription} billing={billing ?? undefined} context={context} />
			{context.mayChange && billing && (
				<Ending subscription={subscription} billing={billing} context={context} />
			)}
		</Card>
	);
}

type Shown = { subscription: Subscription; billing: SubscriptionBilling | undefined };

function Dates({ subscription, billing }: Shown) {
	const { own } = useSubscribeTexts();
	const format = useFormat();
	const { status, expires_at } = subscription;
	const ends = billing?.period_ends_at ?? null;
	const isCancelled = (billing?.cancelled_at ?? null) !== null;
	return (
		<dl className="flex flex-wrap gap-x-12 gap-y-3">
			<Detail label={wordForEnd(status, own, isCancelled)}>{format.day(expires_at)}</Detail>
			{status === "PAST_DUE" && ends !== null && <Detail label={own.dueSince}>{format.day(ends)}</Detail>}
			{billing && <Paid status={status} billing={billing} />}
		</dl>
	);
}

/** The next payment and the credit. */
function Paid({ status, billing }: { status: SubscriptionStatus; billing: SubscriptionBilling }) {
	const { own, price } = useSubscribeTexts();
	const format = useFormat();
	const { currency, balance_minor, period_ends_at: ends, cancelled_at, next_period } = billing;
	const money = (minor: number) => format.money(minor, currency);
	const next = price(money(next_period.amount_minor), next_period.interval);
	return (
		<>
			{status === "ACTIVE" && <Begins billing={billing} />}
			{status === "ACTIVE" && ends !== null && (
				<Detail label={own.nextPayment}>
					{cancelled_at === null ? own.nextText(next, format.day(ends)) : own.nothingNext}
				</Detail>
			)}
			{balance_minor > 0 && <Detail label={own.credit}>{own.creditText(money(balance_minor))}</Detail>}
		</>
	);
}

/** A period that was paid during a trial starts when the trial ends. */
function Begins({ billing }: { billing: SubscriptionBilling }) {
	const { own } = useSubscribeTexts();
	const format = useFormat();
	const { period_started_at: starts } = billing;
	if (starts === null || new Date(starts) <= new Date()) return null;
	return <Detail label={own.paidBegins}>{format.day(starts)}</Detail>;
}

type Words = ReturnType<typeof useSubscribeTexts>["own"];

function wordForEnd(status: SubscriptionStatus, own: Words, isCancelled: boolean): string {
	if (status === "TRIAL") return own.trialUntil;
	if (status === "PAST_DUE") return own.runsOut;
	if (status === "EXPIRED") return own.ended;
	return isCancelled ? own.endsOn : own.paidUntil;
}

/**
 * A change scheduled for the end of the period, with a button to withdraw it. A change that waits for
 * payment is shown as its payment.
 */
function Scheduled({ subscription, billing, context }: Shown & { context: SubscriptionContext }) {
	const platform = usePlatform();
	const { own, errors } = useSubscribeTexts();
	const nameOf = usePlanName();
	const format = useFormat();
	const { pending_change: pending, plan } = subscription;
	if (pending === null) return null;
	const { effective_at: at } = pending;
	const labels =
		at === null
			? own.waits(nameOf(pending.plan))
			: pending.plan === plan
				? own.scheduledAddOns(format.day(at))
				: own.scheduled(nameOf(pending.plan), format.day(at));
	return (
		<div className="mt-5">
			<Notice kind="warning">
				<p>{labels}</p>
				{context.mayChange && billing?.open_payment_id == null && (
					<ConfirmButton
						className="mt-3"
						texts={own.withdraw}
						isDestructive
						action={() =>
							platform.client.call(subscriptionAddress(platform, context.tenantId, "/pending-change"), {
								method: "DELETE",
							})
						}
						onDone={context.renew}
						messages={errors}
					/>
				)}
			</Notice>
		</div>
	);
}

/** Cancels a subscription that is renewed, or resumes a cancelled one. */
function Ending({
	subscription,
	billing,
	context,
}: Shown & { billing: SubscriptionBilling; context: SubscriptionContext }) {
	const platform = usePlatform();
	const { own, errors } = useSubscribeTexts();
	const format = useFormat();
	const { status } = subscription;
	const address = (word: string) => subscriptionAddress(platform, context.tenantId, word);
	const resume = useMutation({
		mutationFn: () => platform.client.call(address("/resume"), { method: "POST" }),
		onSuccess: async () => {
			showToast("done", own.resumed);
			await context.renew();
		},
	});
	const ends = billing.period_ends_at;
	if ((status !== "ACTIVE" && status !== "PAST_DUE") || ends === null) return null;
	if (billing.cancelled_at !== null)
		return (
			<div className="mt-5 grid gap-3">
				<Notice kind="warning">
					<p>{own.cancelled(format.day(ends))}</p>
					<Button
						className="mt-3"
						busyText={resume.isPending ? own.resuming : undefined}
						onClick={() => resume.mutate()}
					>
						{own.resume}
					</Button>
				</Notice>
				<ErrorNotice error={resume.error} messages={errors} />
			</div>
		);
	return (
		<div className="mt-5 border-t border-hair pt-3">
			<ConfirmButton
				kind="quiet"
				isDestructive
				texts={{
					...own.cancel,
					text: status === "ACTIVE" ? own.cancel.textAtEnd(format.day(ends)) : own.cancel.textNow,
				}}
				action={() => platform.client.call(address("/cancel"), { method: "POST" })}
				onDone={context.renew}
				messages={errors}
			/>
		</div>
	);
}
